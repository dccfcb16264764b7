"""A model folder on held-out questions: calibrated, and measured as `caveat predict` and `caveat eval` would."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from tokenizers import Tokenizer

from caveat.benchmarks.shared.passage import Passage, gold_texts, questions_of
from caveat.benchmarks.shared.reading_prediction import predicted
from caveat.benchmarks.shared.scores import Scored, write_answers
from caveat.benchmarks.verbs import evaluate, read_asked, submitted
from caveat.core.files import PathLike
from caveat.language.packs.en import ENGLISH
from caveat.language.packs.zh import CHINESE
from caveat.models.calibration import Outcome
from caveat.models.probability import distinct_scores
from caveat.models.reader import Reader, ReadResult, SentenceOverlap
from caveat.models.windowed_model import ReadRequest

# Questions on texts that do not answer them, and whether a reader says so at its first token.
#
# A benchmark whose questions all have answers says nothing about when to be silent. A user's texts do not answer most
# questions, and the hard ones are those about the same things.
#
# Whether a reader has a "no answer" is told by what it does, since no configuration says so. Readers trained on SQuAD
# 2.0, or on windows without the answer, put it at the first token; others never learnt to, and their first token's
# scores mean nothing. A reader is asked questions on their own texts and on those of other questions. It has a "no
# answer" if its first token wins on more than half of the wrong texts and on less than half of the right ones.

Pairs = Sequence[tuple[str, str]]
# Asked where no data is given; the language in which the reader tells right from wrong texts best decides.
PROBES: dict[str, Pairs] = {
    ENGLISH: (
        ("When does the ferry leave?", "The ferry to the island leaves at seven in the morning."),
        ("Who built the mill?", "The old mill by the river was built by Ada Finch in 1820."),
        ("How many steps does the tower have?", "The stone tower has 214 steps and no lift."),
        ("What is the soup made of?", "The soup is made of lentils, carrots and cumin."),
        ("Where is the market held?", "The market is held on the square in front of the town hall."),
        ("What colour is the door?", "The door of the library was painted dark green last spring."),
        ("How much does a ticket cost?", "A ticket for the museum costs nine euros on weekdays."),
        ("Who won the chess match?", "The chess match was won by Mira Olsen after five hours."),
    ),
    CHINESE: (
        ("渡船几点离开？", "去岛上的渡船每天早上七点离开码头。"),
        ("谁建造了磨坊？", "河边的老磨坊是陈立在1820年建造的。"),
        ("塔有多少级台阶？", "这座石塔有214级台阶，没有电梯。"),
        ("汤是用什么做的？", "这道汤是用扁豆、胡萝卜和孜然做的。"),
        ("集市在哪里举行？", "集市在市政厅前面的广场上举行。"),
        ("门是什么颜色的？", "图书馆的门去年春天漆成了深绿色。"),
        ("门票多少钱？", "博物馆的门票平日是九元。"),
        ("谁赢了棋赛？", "林梅下了五个小时，赢了这场棋赛。"),
    ),
}
_MOST_PROBES = 100


def unanswerable_requests(
    passages: Sequence[Passage], tokenizer: Tokenizer, count: int
) -> Iterator[ReadRequest]:
    """About `count` of the questions, spread over the file, each with the passage that shares most with it.

    A token counts by its rarity among the passages; a passage that has a gold answer's text anywhere is no
    candidate. A question that every passage answers is left out.
    """
    texts = list(dict.fromkeys(passage.text for passage in passages))
    folded = [text.casefold() for text in texts]
    holding: defaultdict[int, list[int]] = defaultdict(list)
    for number, encoding in enumerate(tokenizer.encode_batch(texts, add_special_tokens=False)):
        for token in set(encoding.ids):
            holding[token].append(number)
    asked = [question for _, question in questions_of(passages) if question.answerable]
    for question in asked[:: max(1, len(asked) // count)]:
        golds = [gold.casefold() for gold in gold_texts(question) if gold]
        alike = np.zeros(len(texts))
        for token in set(tokenizer.encode(question.text, add_special_tokens=False).ids):
            if token in holding:
                alike[holding[token]] += np.log(len(texts) / len(holding[token]))
        for number in np.argsort(-alike, kind="stable").tolist():
            if not any(gold in folded[number] for gold in golds):
                yield ReadRequest(question.text, texts[number])
                break


class Silence(NamedTuple):
    """The share of right and of wrong texts on which the first token wins."""

    right: float
    wrong: float

    @property
    def means_no_answer(self) -> bool:
        """Whether the first token tells the two apart."""
        return self.wrong > 0.5 > self.right


def has_null(reader: Reader, passages: Sequence[Passage] = ()) -> bool:
    """Whether the reader, whose card says `null: cls` and threshold 0, has a "no answer"; with data, by the data."""
    right, wrong = probes_of(passages)
    if right and wrong:
        return silence(reader, right, wrong).means_no_answer
    found = [silence(reader, pairs, shifted(pairs)) for pairs in PROBES.values()]
    return max(found, key=lambda silent: silent.wrong - silent.right).means_no_answer


def silence(reader: Reader, right: Pairs, wrong: Pairs) -> Silence:
    """How often the reader's first token wins, on either kind of pair."""
    return Silence(_share(reader, right), _share(reader, wrong))


def shifted(pairs: Pairs) -> Pairs:
    """Every question on the next one's text."""
    return [(pairs[i][0], pairs[(i + 1) % len(pairs)][1]) for i in range(len(pairs))]


def probes_of(passages: Sequence[Passage]) -> tuple[Pairs, Pairs]:
    """Questions on their own passages, and unanswerable ones or, without any, questions on other passages."""
    answerable = [(q.text, p.text) for p, q in questions_of(passages) if q.answerable]
    unanswerable = [(q.text, p.text) for p, q in questions_of(passages) if not q.answerable]
    right = _some(answerable)
    if not unanswerable:
        firsts = [(p.questions[0].text, p.text) for p in passages if p.questions]
        unanswerable = list(shifted(firsts)) if len({text for _, text in firsts}) > 1 else []
    return right, _some(unanswerable)


def _some(pairs: Pairs) -> Pairs:
    return pairs[:: max(1, len(pairs) // _MOST_PROBES)][:_MOST_PROBES]


def _share(reader: Reader, pairs: Pairs) -> float:
    results = reader.read((ReadRequest(question, text) for question, text in pairs), count=1)
    silent = [not result.candidates or result.candidates[0].score <= 0 for result in results]
    return sum(silent) / len(silent)


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
