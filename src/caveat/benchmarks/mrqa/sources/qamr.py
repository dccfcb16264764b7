"""QAMR: questions on the words of a sentence, answered by the writer and by two validators.

The sentences, of Wikipedia and Wikinews, are the companion (`wiki-sentences.tsv`); questions on the Penn
Treebank, whose text is not free, are dropped.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

import msgspec

from caveat.benchmarks.formats import Drops
from caveat.benchmarks.mrqa.sources.build import MrqaSource, SourceContext, SourceQuestion
from caveat.core.errors import InputError
from caveat.core.files import PathLike, read_lines

__all__ = ["SOURCE", "read"]

NO_SENTENCE = "sentence not among the companion's"
NOT_VALID = "not valid to most annotators"

_TREEBANK = {
    "-LRB-": "(",
    "-RRB-": ")",
    "-LSB-": "[",
    "-RSB-": "]",
    "-LCB-": "{",
    "-RCB-": "}",
    "``": '"',
    "''": '"',
}


class _Row(msgspec.Struct, frozen=True):
    line: int
    sentence: str
    id: str
    question: str
    judgements: tuple[str, ...]


def read(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
    """The sentences, tokens separated by blanks, with the questions that most annotators could answer."""
    if documents is None:
        raise InputError(
            "has no sentences: give wiki-sentences.tsv, which is published with it, with --documents",
            path=path,
        )
    sentences = dict(_sentences(documents))
    for sentence, rows in groupby(_rows(path), key=lambda row: row.sentence):
        if sentence not in sentences:
            for row in rows:
                drops.add(NO_SENTENCE, row.id)
            continue
        tokens = [_TREEBANK.get(token, token) for token in sentences[sentence].split(" ")]
        questions = []
        for row in rows:
            answers = [answer for j in row.judgements if (answer := _answer(j, tokens, row, path))]
            if 2 * len(answers) > len(row.judgements):
                questions.append(SourceQuestion(row.id, row.question, tuple(answers)))
            else:
                drops.add(NOT_VALID, row.id)
        yield SourceContext(" ".join(tokens), tuple(questions), sentence)


def _sentences(path: PathLike) -> Iterator[tuple[str, str]]:
    for number, line in read_lines(path):
        if not line or line.isspace():
            continue
        sentence, tab, text = line.partition("\t")
        if not tab:
            raise InputError("expected sentence id and sentence, separated by a tab", path=path, line=number)
        yield sentence, text


def _rows(path: PathLike) -> Iterator[_Row]:
    for number, line in read_lines(path):
        if not line or line.isspace():
            continue
        columns = line.split("\t")
        if len(columns) < 7:
            raise InputError(
                f"has {len(columns)} tab-separated columns, expected at least 7", path=path, line=number
            )
        sentence, words, worker, index, _, question, answer, *validators = columns
        # The first four columns are QAMR's own identity of a question.
        row_id = f"{sentence}/{words.replace(' ', '-')}/{worker}/{index}"
        judgements = (answer, *(validator.partition(":")[2] for validator in validators))
        yield _Row(number, sentence, row_id, question.strip(), judgements)


def _answer(judgement: str, tokens: list[str], row: _Row, path: PathLike) -> str | None:
    """The words from the first to the last token named; None for `Invalid` and `Redundant-2` of the full set.

    Of the few answers with a gap the gap is filled, as in QAMR's own conversion to SQuAD's layout.
    """
    if judgement.startswith(("Invalid", "Redundant")):
        return None
    try:
        indices = [int(index) for index in judgement.split()]
    except ValueError:
        raise InputError(
            f"the answer is {judgement!r}, expected token numbers", path=path, line=row.line, id=row.id
        ) from None
    if not indices:
        return None
    if min(indices) < 0 or max(indices) >= len(tokens):
        raise InputError(
            f"the answer {judgement!r} is outside the sentence of {len(tokens)} tokens",
            path=path,
            line=row.line,
            id=row.id,
        )
    return " ".join(tokens[min(indices) : max(indices) + 1])


SOURCE = MrqaSource(
    name="qamr",
    dataset="QAMR",
    reads="the filtered (or full) question file (filtered/dev.tsv …)",
    read=read,
    documents="the sentences (wiki-sentences.tsv)",
)
