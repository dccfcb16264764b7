"""Facts told as text: questions on a knowledge base become questions on a passage.

A reader learns from them what a question asks for, in as many words as there are predicates; passages alone, a few
thousand of them, teach it a few.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from caveat.benchmarks.nlpcc.kbqa import format as nlpcc_kbqa
from caveat.benchmarks.nlpcc.kbqa.format import KbqaQuestion
from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.core.records import Triple
from caveat.sources import triple_lines as nlpcc_kb

__all__ = ["read_told", "told"]

# How a fact is said. Where the subject is what the sentences before were about, it may be left out.
_WITH_SUBJECT = (
    "{subject}的{predicate}是{object}。",
    "{subject}的{predicate}为{object}。",
    "{subject}，{predicate}：{object}。",
    "{subject}{predicate}{object}。",
    "{object}是{subject}的{predicate}。",
)
_WITHOUT = (
    "{predicate}：{object}。",
    "其{predicate}为{object}。",
    "{predicate}是{object}；",
    "{predicate}{object}，",
)
# Facts about the same thing beside the one that is asked for, and facts of the same sort about other things.
_MOST_BESIDE = 8
_MOST_ALIKE = 3
# How often the subject is said again.
_NAMED_AGAIN = 0.3
_LONGEST_OBJECT = 60
# 李娜（中国女子网球名将）: what stands in brackets tells namesakes apart, and a text does not say it.
_TOLD_APART = re.compile(r"[（(][^（()）]*[)）]\s*$")


def read_told(questions: Path, triples: Path, seed: int) -> Iterator[Passage]:
    """The questions of a file in NLPCC's layout on passages told from the facts of a knowledge base."""
    return told(nlpcc_kbqa.read(questions), nlpcc_kb.read_triples(triples, on_bad=lambda _, __: None), seed)


def told(questions: Iterable[KbqaQuestion], triples: Iterable[Triple], seed: int) -> Iterator[Passage]:
    """For each question that has a fact a passage that tells it, among others, in an order drawn by the seed."""
    facts = _Facts(triples)
    for question in questions:
        fact = question.fact
        if fact is not None and 0 < len(fact.object) <= _LONGEST_OBJECT and question.question:
            draw = random.Random(f"{seed} {question.id} {question.question}")
            text, start = _text(facts.groups(fact, draw), fact, draw)
            gold = GoldSpan(fact.object, start)
            yield Passage(text, (PassageQuestion(question.id, question.question, ((gold,),)),))


class _Facts:
    """The facts of a knowledge base, by what they are about and by their predicates."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self._of_subject: dict[str, list[Triple]] = defaultdict(list)
        self._with_predicate: dict[str, list[str]] = defaultdict(list)
        for triple in triples:
            if 0 < len(triple.object) <= _LONGEST_OBJECT and triple.object != triple.subject:
                self._of_subject[triple.subject].append(triple)
                self._with_predicate[triple.predicate].append(triple.subject)

    def groups(self, fact: Triple, draw: random.Random) -> list[list[Triple]]:
        """The fact among others about the same thing, and before and behind them facts about things of its sort.

        Where little is known about a thing, it is told what is true of another of its sort: a passage in which the
        first object is the answer would teach nothing.
        """
        alike = [name for name in self._with_predicate[fact.predicate] if name != fact.subject]
        kin = draw.sample(alike, min(len(alike), _MOST_ALIKE))
        beside = [*self._of_subject[fact.subject]]
        draw.shuffle(beside)
        for name in kin:
            beside.extend(self._of_subject[name])
        told = {fact.predicate: fact}
        for triple in beside[:_MOST_BESIDE]:
            told.setdefault(triple.predicate, Triple(fact.subject, triple.predicate, triple.object))
        groups = [draw.sample(list(told.values()), len(told))]
        for name in kin:
            other = draw.sample(self._of_subject[name], min(len(self._of_subject[name]), draw.randint(1, 4)))
            groups.insert(draw.choice((0, len(groups))), other)
        return groups


def _text(groups: list[list[Triple]], fact: Triple, draw: random.Random) -> tuple[str, int]:
    """The groups in words, and where the fact's object begins."""
    text, start = "", 0
    for group in groups:
        for place, triple in enumerate(group):
            named = place == 0 or draw.random() < _NAMED_AGAIN
            before, after = draw.choice(_WITH_SUBJECT if named else _WITHOUT).split("{object}")
            name = _TOLD_APART.sub("", triple.subject) or triple.subject
            text += before.format(subject=name, predicate=triple.predicate)
            if triple is fact:
                start = len(text)
            text += triple.object + after.format(subject=name, predicate=triple.predicate)
    return text, start
