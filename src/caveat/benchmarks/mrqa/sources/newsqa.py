"""NewsQA: questions on CNN stories; only answers that the annotators agree on.

Read from the combined JSON, the combined CSV (which has the annotators' ranges in place of the consensus), or
the tokenised CSV of the published splits. Questions have no ids of their own: theirs is the story's id and
their number within the story.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import msgspec

from caveat.benchmarks.mrqa.sources import multiqa
from caveat.benchmarks.mrqa.sources.build import Drops, MrqaSource, SourceContext, SourceQuestion
from caveat.benchmarks.mrqa.sources.json_records import Record, records_in
from caveat.benchmarks.mrqa.sources.newsqa_csv import read_csv
from caveat.core.errors import InputError
from caveat.core.files import PathLike, read_lines

__all__ = ["SOURCE", "read"]


class _Choice(msgspec.Struct):
    s: int = -1
    e: int = -1
    no_answer: bool = msgspec.field(name="noAnswer", default=False)
    bad_question: bool = msgspec.field(name="badQuestion", default=False)


class _Question(msgspec.Struct):
    q: str
    consensus: _Choice = msgspec.field(default_factory=_Choice)


class _Story(msgspec.Struct):
    story_id: str = msgspec.field(name="storyId")
    text: str
    questions: list[_Question]


def read(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
    """The stories with the questions whose answer is agreed on."""
    lines = read_lines(path)
    first = next((line for line in lines if line[1].strip()), None)
    if first is None:
        raise InputError("the file is empty, expected JSON or CSV", path=path)
    everything = chain([first], lines)
    if first[1].lstrip()[:1] not in ("{", "["):
        yield from read_csv(everything, path, drops)
        return
    fields, records = records_in(everything, path)
    if multiqa.is_multiqa(fields):
        yield from multiqa.contexts(records, "NewsQA", drops, multiqa.plain)
    else:
        yield from _stories(records, fields, path, drops)


def _stories(
    records: Iterable[Record], fields: frozenset[str], path: PathLike, drops: Drops
) -> Iterator[SourceContext]:
    if "data" not in fields:
        raise InputError("expected NewsQA's combined JSON, an object with `data`", path=path)
    for record in records:
        for item in record.items("data"):
            story = item.to(_Story)
            yield SourceContext(story.text, tuple(_questions(story, path, drops)), story.story_id)


def _questions(story: _Story, path: PathLike, drops: Drops) -> Iterator[SourceQuestion]:
    for number, question in enumerate(story.questions):
        qid = f"{story.story_id}_{number}"
        choice = question.consensus
        if choice.bad_question:
            drops.add("bad question", qid)
        elif choice.no_answer or choice.s == choice.e == -1:
            drops.add("answer absent or disputed", qid)
        elif not 0 <= choice.s < choice.e or not (answer := story.text[choice.s : choice.e].strip()):
            raise InputError(f"the answer {choice.s}:{choice.e} is not within the story", path=path, id=qid)
        else:
            yield SourceQuestion(qid, question.q.strip(), (answer,))


SOURCE = MrqaSource(
    name="newsqa",
    dataset="NewsQA",
    reads="NewsQA's combined JSON or CSV, or a tokenised split CSV",
    read=read,
)
