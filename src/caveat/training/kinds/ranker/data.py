"""Questions with candidates, from the formats that have them, and from passages, whose sentences become candidates."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

import msgspec

from caveat.answerers.ranking.combination import Kind
from caveat.answerers.ranking.evidence import CandidateList
from caveat.benchmarks.nlpcc.lists import read_sentence_lists, read_table_lists
from caveat.benchmarks.shared.passage import Passage, questions_of
from caveat.core.errors import InputError
from caveat.language.sentences import sentences
from caveat.training.kinds.reader.corpus import read_passages
from caveat.training.kinds.reader.places import answer_places, simplified
from caveat.training.kinds.reader.span_data import fold_of

__all__ = ["RankDataSet", "fold_of_list", "read_ranked", "sentence_lists"]


class RankDataSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of questions with candidates, some of them right."""

    path: str
    # NLPCC's pairs of question and sentence, or of question and table; or passages with questions in SQuAD's layout or
    # MRQA's JSON lines: the sentence with the answer is the right one of its passage.
    format: Literal["dbqa", "tbqa", "squad", "mrqa"]
    # The file of the tables, where the pairs name them by id.
    tables: str = ""
    # False where a list is only a part of a document: what stands beside a sentence is then not known.
    complete: bool = True
    # At most this many questions, drawn once by the seed.
    cap: int = 75_000
    # What a question counts: in a fit as it is, in training as passes over the set in an epoch.
    weight: float = 1.0
    # Traditional script becomes Simplified (SQuAD's layout and MRQA's).
    simplify: bool = False
    # For the model's card: what the set is called, and the terms it came with.
    name: str = ""
    licence: str = "unstated"

    @property
    def kind(self) -> Kind:
        """What its candidates are."""
        return "tables" if self.format == "tbqa" else "sentences"


def read_ranked(data: RankDataSet, root: Path, seed: int, left_out: Counter[str]) -> list[CandidateList]:
    """At most `cap` of the questions that have a right candidate; the others are counted by reason."""
    path = root / data.path
    found = []
    for each in _read(data, root):
        if not each.right:
            raise InputError("has no labels (0/1), so there is nothing to learn from", path=path)
        if any(each.right):
            found.append(each)
        else:
            left_out["without a right candidate"] += 1
    if not found:
        raise InputError("has no question with a right candidate", path=path)
    if len(found) > data.cap:
        left_out["over the cap"] += len(found) - data.cap
        kept = sorted(random.Random(f"cap {seed}").sample(range(len(found)), data.cap))
        found = [found[place] for place in kept]
    return found


def _read(data: RankDataSet, root: Path) -> Iterator[CandidateList]:
    path = root / data.path
    if data.format == "dbqa":
        return read_sentence_lists(path)
    if data.format == "tbqa":
        return read_table_lists(path, root / data.tables if data.tables else None)
    passages: Iterable[Passage] = read_passages(path, data.format)
    return sentence_lists(simplified(passages) if data.simplify else passages)


def sentence_lists(passages: Iterable[Passage]) -> Iterator[CandidateList]:
    """For every question the sentences of its passage; those that the annotated answer touches are right."""
    for passage, question in questions_of(passages):
        spans = sentences(passage.text)
        places = answer_places(passage.text, question) if question.answerable else ()
        if not spans or not question.text.strip():
            continue
        right = [bool(places) and start < places[0][1] and places[0][0] < end for start, end in spans]
        yield CandidateList(question.text, tuple(passage.text[a:b] for a, b in spans), tuple(right))


def fold_of_list(of: CandidateList, folds: int) -> int:
    """The fold of a question: all questions on a document fall into the same, told by its first sentence."""
    first = of.candidates[0]
    return fold_of(first if isinstance(first, str) else of.question, folds)
