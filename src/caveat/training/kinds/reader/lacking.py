"""How much a sentence's having less of the question than the best counts, fitted on held-out questions."""

from __future__ import annotations

from caveat.benchmarks.shared.predict_readings import read_asked
from caveat.models.reader import Reader
from caveat.models.selection import SentenceGaps
from caveat.training.kinds.reader.figures import Answered, score_texts

__all__ = ["fit_lacking"]

WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
# In points of F1: less is chance, and the smaller weight the safer one.
_WORTH_IT = 0.3


def fit_lacking(reader: Reader, answered: Answered) -> float:
    """The smallest weight that is nearly as good as the best; `answered` is what the reader found without any."""
    lacking = {
        item.id: SentenceGaps(
            reader.encode_question(item.question), text := reader.encode(item.text), [(0, len(text))]
        )
        for item in read_asked(answered.task, answered.data)
    }
    scores = {weight: _f1(answered, lacking, weight) for weight in WEIGHTS}
    return min(weight for weight in WEIGHTS if scores[weight] >= max(scores.values()) - _WORTH_IT)


def _f1(answered: Answered, lacking: dict[str, SentenceGaps], weight: float) -> float:
    told = {id: lacking[id].adjusted(result.candidates, weight) for id, result in answered.results.items()}
    best = {id: candidates[0].text if candidates else "" for id, candidates in told.items()}
    return float(score_texts(answered.task, answered.data, best).scores["f1"])
