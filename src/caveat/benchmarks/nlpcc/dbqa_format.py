"""NLPCC DBQA: a question, a sentence of the document, and whether the sentence answers the question.

Three layouts are published, told apart by their content: `question, sentence, label`, `label, question,
sentence`, and `question, sentence` in test files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from caveat.benchmarks.nlpcc.candidates import LABELS, without_blanks
from caveat.benchmarks.registry import Bridge, Format, each_record, records_of, records_to
from caveat.benchmarks.shared.passage import GoldSpan, Passage
from caveat.core.errors import InputError
from caveat.core.files import PathLike, read_rows, write_rows
from caveat.language.sentences import sentences


class DbqaPair(msgspec.Struct, frozen=True):
    """A question and a candidate sentence; the label is None in a test file."""

    question: str
    sentence: str
    label: int | None = None


def read(path: PathLike) -> Iterator[DbqaPair]:
    """The pairs in the order of the file, as a stream."""
    return (pair for _, pair in read_numbered(path))


def read_numbered(path: PathLike) -> Iterator[tuple[int, DbqaPair]]:
    """The pairs, each with the number of its line."""
    rows = read_rows(path)
    # A line such as "1, text, 0" fits both labelled layouts: wait for one that does not.
    undecided: list[tuple[int, list[str]]] = []
    width, label = 0, -1
    for number, row in rows:
        width = width or len(row)
        _check_width(row, width, path, number)
        undecided.append((number, row))
        first, last = row[0].strip(" ") in LABELS, row[-1].strip(" ") in LABELS
        if width == 2:
            break
        if not first and not last:
            problem = f"expected a label, 0 or 1, in the last or first column, got {row[-1][:80]!r}"
            raise InputError(problem, path=path, line=number)
        if first != last:
            label = 0 if first else -1
            break
    for number, row in undecided:
        yield number, _pair(row, label, path, number)
    for number, row in rows:
        _check_width(row, width, path, number)
        yield number, _pair(row, label, path, number)


def _check_width(row: list[str], width: int, path: PathLike, number: int) -> None:
    if width not in (2, 3):
        problem = (
            f"expected question, sentence and label, or the first two, tab-separated; found {width} columns"
        )
        raise InputError(problem, path=path, line=number)
    if len(row) != width:
        problem = f"expected {width} tab-separated columns, as in the lines before, found {len(row)}"
        raise InputError(problem, path=path, line=number)


def _pair(row: list[str], label: int, path: PathLike, number: int) -> DbqaPair:
    if len(row) == 2:
        return DbqaPair(row[0], row[1])
    row = without_blanks(row, label)
    value = LABELS.get(row[label])
    if value is None:
        raise InputError(f"expected a label, 0 or 1, got {row[label][:80]!r}", path=path, line=number)
    return DbqaPair(row[1], row[2], value) if label == 0 else DbqaPair(row[0], row[1], value)


def write(path: PathLike, pairs: Iterable[DbqaPair]) -> None:
    """The pairs as `question, sentence, label`, or without the last column if they have no labels."""
    write_rows(path, _rows(pairs, path))


def _rows(pairs: Iterable[DbqaPair], path: PathLike) -> Iterator[tuple[str, ...]]:
    labelled: bool | None = None
    for number, pair in enumerate(pairs, 1):
        if labelled is None:
            labelled = pair.label is not None
        if labelled != (pair.label is not None):
            raise InputError("either all pairs have labels or none has", path=path, line=number)
        if pair.label is None:
            yield pair.question, pair.sentence
        elif pair.label in (0, 1):
            yield pair.question, pair.sentence, str(int(pair.label))
        else:
            raise InputError(f"a label is 0 or 1, not {pair.label}", path=path, line=number)


def from_passages(passages: Iterable[Passage]) -> Iterator[DbqaPair]:
    """Each question with each sentence of its passage; right is a sentence that an answer begins in.

    Where the data has no offset, a sentence that holds the answer's text is right.
    """
    for passage in passages:
        spans = [
            (start, end, " ".join(passage.text[start:end].split())) for start, end in sentences(passage.text)
        ]
        for question in passage.questions:
            golds = [span for answer in question.answers for span in answer if span.text]
            for start, end, text in spans:
                right = any(
                    start <= gold.start < end
                    if _is_exact(passage, gold) and gold.start is not None
                    else gold.text in text
                    for gold in golds
                )
                yield DbqaPair(" ".join(question.text.split()), text, right)


def _is_exact(passage: Passage, gold: GoldSpan) -> bool:
    return gold.start is not None and passage.text[gold.start : gold.end] == gold.text


FORMATS = (
    Format(
        "nlpcc-dbqa", "NLPCC DBQA's question, sentence, label", "dbqa", records_of(read), records_to(write)
    ),
)
BRIDGES: dict[tuple[str, str], Bridge] = {("passages", "dbqa"): each_record(from_passages)}
