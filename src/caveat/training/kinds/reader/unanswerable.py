"""Questions on texts that do not answer them, and whether a reader says so at its first token.

A benchmark whose questions all have answers says nothing about when to be silent. A user's texts do not answer most
questions, and the hard ones are those about the same things.

Whether a reader has a "no answer" is told by what it does, since no configuration says so. Readers trained on SQuAD
2.0, or on windows without the answer, put it at the first token; others never learnt to, and their first token's scores
mean nothing. A reader is asked questions on their own texts and on those of other questions. It has a "no answer" if
its first token wins on more than half of the wrong texts and on less than half of the right ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from tokenizers import Tokenizer

from caveat.benchmarks.shared.passage import Passage, gold_texts, questions_of
from caveat.language.packs.en import ENGLISH
from caveat.language.packs.zh import CHINESE
from caveat.models.reader import Reader, ReadRequest

__all__ = ["PROBES", "Silence", "has_null", "probes_of", "silence", "unanswerable_requests"]

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
