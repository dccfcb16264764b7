"""A model folder on held-out questions: calibrated, and measured as `caveat predict` and `caveat eval` would."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from caveat.benchmarks.evaluate import evaluate
from caveat.benchmarks.predict import read_asked, submitted
from caveat.benchmarks.shared.predictions import write_answers
from caveat.benchmarks.shared.reading_prediction import predicted
from caveat.benchmarks.shared.scores import Scored
from caveat.core.files import PathLike
from caveat.models.calibration import Outcome
from caveat.models.probability import distinct_scores
from caveat.models.reader import Reader, ReadRequest, ReadResult, SentenceOverlap

__all__ = [
    "Answered",
    "figures_of",
    "fit_overlap_weight",
    "outcomes_of",
    "read_all",
    "score_texts",
    "silence_of",
]

WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
# In points of F1: less is chance, and the smaller weight the safer one.
_WORTH_IT = 0.3


class Answered(msgspec.Struct, frozen=True):
    """The questions of a data file, and what a reader found for each, before any calibration."""

    task: str
    data: str
    results: dict[str, ReadResult]

    def texts(self, reader: Reader) -> dict[str, str]:
        """What `caveat predict` writes with the reader's card."""
        found = (predicted(reader, id, result) for id, result in self.results.items())
        return {prediction.id: submitted(self.task, prediction) for prediction in found}


def read_all(reader: Reader, task: str, data: PathLike) -> Answered:
    """Read every question of a data file once; calibration and figures come from the same results."""
    asked = list(read_asked(task, data))
    results = reader.read(ReadRequest(item.question, item.text) for item in asked)
    return Answered(task, str(data), {item.id: result for item, result in zip(asked, results, strict=True)})


def outcomes_of(answered: Sequence[Answered], unanswerable: Iterable[ReadResult] = ()) -> list[Outcome]:
    """What calibration is fitted on; an answer is right if it is exact, and none is to what is `unanswerable`.

    As many questions of each kind where there are enough: whether a text answers a question is for the model to
    say, and not for the sizes of two files.
    """
    outcomes = []
    for file in answered:
        best = {
            id: result.candidates[0].text if result.candidates else "" for id, result in file.results.items()
        }
        for detail in score_texts(file.task, file.data, best).details:
            # A repeated id is one question, as for the scorer.
            scores = distinct_scores(file.results[detail["id"]].candidates)
            answerable = any(detail["gold"])
            exact, f1 = (detail["exact_match"] / 100, detail["f1"] / 100) if answerable else (0.0, 0.0)
            outcomes.append(Outcome(scores, exact, answerable, f1))
    silent = [Outcome(distinct_scores(found.candidates), 0.0, False) for found in unanswerable]
    if silent:
        outcomes = outcomes[:: max(1, len(outcomes) // len(silent))]
    return outcomes + silent


def silence_of(outcomes: Sequence[Outcome], threshold: float) -> dict[str, float]:
    """How often, in per cent, the best answer is below the threshold, by whether the text answers the question."""

    def silent(kind: Sequence[Outcome]) -> float:
        return 100 * sum(not (each.scores and each.scores[0] > threshold) for each in kind) / len(kind)

    kinds = {
        "answerable": [each for each in outcomes if each.answerable],
        "unanswerable": [each for each in outcomes if not each.answerable],
    }
    return {f"silent_on_{name}": silent(kind) for name, kind in kinds.items() if kind}


def figures_of(reader: Reader, answered: Answered) -> dict[str, Any]:
    """The scores that `caveat predict` and `caveat eval` give with the reader's card as it now is."""
    return dict(score_texts(answered.task, answered.data, answered.texts(reader)).scores)


def score_texts(task: str, data: PathLike, texts: Mapping[str, str]) -> Scored:
    """Predictions against a gold file, as `caveat eval` scores them."""
    with tempfile.TemporaryDirectory() as folder:
        predictions = Path(folder) / "predictions.json"
        write_answers(predictions, texts)
        return evaluate(task, data, predictions)


def fit_overlap_weight(reader: Reader, answered: Answered) -> float:
    """The smallest weight that is nearly as good as the best; `answered` is what the reader found without any."""
    overlaps = {
        item.id: SentenceOverlap(
            reader.encode_question(item.question), text := reader.encode(item.text), [(0, len(text))]
        )
        for item in read_asked(answered.task, answered.data)
    }
    scores = {weight: _f1(answered, overlaps, weight) for weight in WEIGHTS}
    return min(weight for weight in WEIGHTS if scores[weight] >= max(scores.values()) - _WORTH_IT)


def _f1(answered: Answered, overlaps: dict[str, SentenceOverlap], weight: float) -> float:
    penalised = {
        id: overlaps[id].penalised(result.candidates, weight) for id, result in answered.results.items()
    }
    best = {id: candidates[0].text if candidates else "" for id, candidates in penalised.items()}
    return float(score_texts(answered.task, answered.data, best).scores["f1"])
