"""NLPCC KBQA: questions on a knowledge base, with the triple that answers them and the answers.

    <question id=1>⇥…
    <triple id=1>⇥subject ||| predicate ||| object
    <answer id=1>⇥answer⇥answer
    ==================================================

Triple and answer are absent in test files; some published files separate answers by ` | `, not by a tab.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from caveat.benchmarks.registry import Format, records_of, records_to
from caveat.core.answers import Triple
from caveat.core.errors import InputError
from caveat.core.files import PathLike, read_lines, write_lines
from caveat.sources import triple_lines
from caveat.sources.triple_lines import parse_triple

_LINE = re.compile(r"<(question|triple|answer) id\s*=\s*([^<>]*?)\s*>[\t ]?(.*)", re.DOTALL)
_GOLD_MARK = re.compile(r"\t| \| ")
_PREDICTION_MARK = re.compile(r"\t")
_SEPARATOR = "=" * 50


class KbqaQuestion(msgspec.Struct, frozen=True, omit_defaults=True):
    """A question with its gold answers; `triple` is the text of the file, None where there is none."""

    id: str
    question: str
    answers: tuple[str, ...] = ()
    triple: str | None = None

    @property
    def fact(self) -> Triple | None:
        """The triple, unless there is none or it is malformed."""
        return None if self.triple is None else parse_triple(self.triple)


class KbqaPrediction(msgspec.Struct, frozen=True, omit_defaults=True):
    """A question with a system's answers, the best first."""

    id: str
    question: str
    answers: tuple[str, ...] = ()


class _Block:
    """The lines of one question, as they are met."""

    def __init__(self, line: int, id: str, question: str) -> None:
        self.line, self.id, self.question = line, id, question
        self.fields: dict[str, str] = {}

    def answers(self, mark: re.Pattern[str]) -> tuple[str, ...]:
        parts = mark.split(self.fields.get("answer", ""))
        return tuple(answer for part in parts if (answer := part.strip()))


def read(path: PathLike) -> Iterator[KbqaQuestion]:
    """The questions in the order of the file, as a stream."""
    return (question for _, question in read_numbered(path))


def read_numbered(path: PathLike) -> Iterator[tuple[int, KbqaQuestion]]:
    """The questions, each with the number of the line it begins on."""
    for block in _blocks(path):
        answers = block.answers(_GOLD_MARK)
        yield block.line, KbqaQuestion(block.id, block.question, answers, block.fields.get("triple"))


def read_predictions(path: PathLike) -> Iterator[KbqaPrediction]:
    """A system's answers; only tabs separate them, since an object of the KB may contain ` | `."""
    for block in _blocks(path):
        yield KbqaPrediction(block.id, block.question, block.answers(_PREDICTION_MARK))


def _blocks(path: PathLike) -> Iterator[_Block]:
    block: _Block | None = None
    seen: set[str] = set()
    for number, line in read_lines(path):
        if not line.strip("= \t"):
            continue  # a separator or nothing; the next question's line is what ends a question
        match = _LINE.match(line)
        if match is None:
            problem = (
                f"expected <question id=…>, <triple id=…>, <answer id=…> or a line of =, got {line[:80]!r}"
            )
            raise InputError(problem, path=path, line=number)
        kind, id, text = match.groups()
        if kind == "question":
            if block is not None:
                yield block
            if id in seen:
                raise InputError("a second question has this id", path=path, line=number, id=id)
            seen.add(id)
            block = _Block(number, id, text)
        elif block is None or block.id != id:
            problem = f"this {kind} does not follow the question with its id"
            raise InputError(problem, path=path, line=number, id=id)
        elif kind in block.fields:
            raise InputError(f"a second {kind} of the same question", path=path, line=number, id=id)
        else:
            block.fields[kind] = text
    if block is not None:
        yield block


def write(path: PathLike, questions: Iterable[KbqaQuestion]) -> None:
    """The questions, with triples where they have them and answers separated by tabs."""

    def lines() -> Iterator[str]:
        for item in questions:
            answers = _joined(item.answers, _GOLD_MARK, path, item.id)
            yield from _block_lines(item.id, item.question, item.triple, answers, path)

    write_lines(path, lines())


def write_predictions(path: PathLike, predictions: Iterable[KbqaPrediction]) -> None:
    """The questions and a system's answers, the best first, separated by tabs; no answer is an empty one."""

    def lines() -> Iterator[str]:
        for item in predictions:
            answers = _joined(item.answers, _PREDICTION_MARK, path, item.id)
            yield from _block_lines(item.id, item.question, None, answers, path)

    write_lines(path, lines())


def _block_lines(id: str, question: str, triple: str | None, answers: str, path: PathLike) -> Iterator[str]:
    head = _LINE.match(f"<question id={id}>")
    if head is None or head[2] != id:
        raise InputError(f"{id!r} cannot be an id in this format", path=path, id=id)
    yield f"<question id={id}>\t{question}"
    if triple is not None:
        yield f"<triple id={id}>\t{triple}"
    yield f"<answer id={id}>\t{answers}"
    yield _SEPARATOR


def _joined(answers: Sequence[str], mark: re.Pattern[str], path: PathLike, id: str) -> str:
    for answer in answers:
        if not answer or answer != answer.strip() or mark.search(answer):
            problem = f"an answer that is empty, has blanks around it or a separator inside: {answer[:80]!r}"
            raise InputError(problem, path=path, id=id)
    return "\t".join(answers)


FORMATS = (
    Format(
        "nlpcc-kbqa", "NLPCC KBQA's questions", "kbqa", records_of(read), records_to(write), questions=True
    ),
    Format(
        "nlpcc-kb",
        "NLPCC's knowledge base, `subject ||| predicate ||| object`",
        "triples",
        records_of(triple_lines.read_triples),
        records_to(triple_lines.write_triples),
    ),
    Format(
        "triples-tsv",
        "triples as tab-separated columns",
        "triples",
        records_of(triple_lines.read_tsv_triples),
        records_to(triple_lines.write_tsv_triples),
    ),
    Format(
        "nlpcc-mentions",
        "NLPCC's mention list, `mention ||| entity` and more entities after tabs",
        "mentions",
        records_of(triple_lines.read_mentions),
        records_to(triple_lines.write_mentions),
    ),
)
