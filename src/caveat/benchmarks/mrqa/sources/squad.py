"""SQuAD, and sets that are made like it: a question on one text each (RelationExtraction, DuoRC, QAMR)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, groupby
from pathlib import Path
from typing import Any

import msgspec

from caveat.benchmarks.mrqa.sources import Record, is_collection, members, multiqa, open_records, records_in
from caveat.benchmarks.mrqa.sources.build import MrqaSource, SourceContext, SourceQuestion
from caveat.benchmarks.registry import Drops
from caveat.benchmarks.shared.passage import gold_texts
from caveat.benchmarks.squad.format import from_layout
from caveat.core.errors import InputError
from caveat.core.files import PathLike, read_lines

# SQuAD as it is: one context a paragraph, every annotator's answer; unanswerable questions are left out.


def read_squad(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
    """The paragraphs of SQuAD 1.1 or 2.0, or of MultiQA's copy."""
    fields, records = open_records(path)
    if multiqa.is_multiqa(fields):
        yield from multiqa.contexts(records, "SQuAD", drops, multiqa.plain)
        return
    if "data" not in fields:
        raise InputError("expected SQuAD's layout, an object with `data`", path=path)
    for record in records:
        yield from squad_contexts(record, drops)


def squad_contexts(record: Record, drops: Drops) -> Iterator[SourceContext]:
    """The paragraphs of an object in SQuAD's layout with their answerable questions."""
    for passage in from_layout(record.to(dict[str, Any]), record.path).passages:
        questions = []
        for question in passage.questions:
            if question.answerable:
                questions.append(SourceQuestion(question.id, question.text, tuple(gold_texts(question))))
            else:
                drops.add("unanswerable question", question.id)
        yield SourceContext(passage.text, tuple(questions), passage.id)


SQUAD = MrqaSource(
    name="mrqa-squad",
    dataset="SQuAD",
    reads="SQuAD 1.1 or 2.0 JSON",
    read=read_squad,
)


# RelationExtraction (Levy et al. 2017): slot filling as questions, one sentence a context, positives only.
#
# Read from the zero-shot splits (tab-separated: relation, question template, subject, sentence, answers …), one
# file or the folder of them, or from a subset in SQuAD's layout.

NEGATIVE = "negative example"
SUBJECT = "XXX"


def read_relation_extraction(
    path: PathLike, drops: Drops, documents: PathLike | None = None
) -> Iterator[SourceContext]:
    """The sentences with the questions they answer, templates filled."""
    if not is_collection(path):
        yield from _relation_contexts(read_lines(path), path, Path(path).name.removesuffix(".gz"), drops)
        return
    found = False
    for member in members(path):
        found = True
        lines = enumerate((line.removesuffix("\r") for line in member.data.decode().split("\n")), start=1)
        yield from _relation_contexts(lines, member.path, member.name, drops)
    if not found:
        raise InputError("has no files: expected the tab-separated relation splits", path=path)


def _relation_contexts(
    lines: Iterator[tuple[int, str]], path: PathLike, name: str, drops: Drops
) -> Iterator[SourceContext]:
    first = next(lines, None)
    if first is None:
        return
    lines = chain([first], lines)
    if first[1].lstrip().startswith("{"):
        for record in records_in(lines, path)[1]:
            yield from squad_contexts(record, drops)
        return
    # Neighbours on the same sentence share a context.
    for sentence, group in groupby(_relation_rows(lines, path, name, drops), key=lambda row: row[0]):
        questions = tuple(question for _, question in group)
        yield SourceContext(sentence, questions, questions[0].id)


def _relation_rows(
    lines: Iterator[tuple[int, str]], path: PathLike, name: str, drops: Drops
) -> Iterator[tuple[str, SourceQuestion]]:
    """Sentence and question of each positive example; the data has no ids, so file and line are it."""
    for number, line in lines:
        if not line or line.isspace():
            continue
        columns = line.split("\t")
        if len(columns) < 4:
            raise InputError(
                f"has {len(columns)} tab-separated columns, "
                "expected relation, question, subject, sentence and any answers",
                path=path,
                line=number,
            )
        _, template, subject, sentence, *answers = (column.strip() for column in columns)
        row = f"{name}:{number}"
        answers = [answer for answer in answers if answer]
        if answers:
            yield sentence, SourceQuestion(row, template.replace(SUBJECT, subject), tuple(answers))
        else:
            drops.add(NEGATIVE, row)


RELATION_EXTRACTION = MrqaSource(
    name="relationextraction",
    dataset="RelationExtraction",
    reads="the tab-separated relation splits, a file or their folder, or SQuAD's layout",
    read=read_relation_extraction,
)


# DuoRC, ParaphraseRC: questions on one version of a film's plot, asked of another; the answerable ones.
#
# Read from the published list of films, or from a subset in SQuAD's layout.


class _FilmQuestion(msgspec.Struct):
    id: str
    question: str
    answers: list[str]
    no_answer: bool = False


class _Film(msgspec.Struct):
    id: str
    plot: str
    qa: list[_FilmQuestion]


def read_duorc(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
    """One context a film, its plot."""
    fields, records = open_records(path)
    if "data" in fields:
        for record in records:
            yield from squad_contexts(record, drops)
        return
    if missing := {"plot", "qa"} - fields:
        names = " or ".join(f"`{name}`" for name in sorted(missing))
        raise InputError(f"has no {names}: expected DuoRC's list of films, or SQuAD's layout", path=path)
    for record in records:
        film = record.to(_Film)
        questions = []
        for question in film.qa:
            if question.no_answer or not any(answer.strip() for answer in question.answers):
                drops.add("unanswerable question", question.id)
            else:
                questions.append(SourceQuestion(question.id, question.question, tuple(question.answers)))
        yield SourceContext(film.plot, tuple(questions), film.id)


DUORC = MrqaSource(
    name="duorc",
    dataset="DuoRC.ParaphraseRC",
    reads="DuoRC's ParaphraseRC JSON",
    read=read_duorc,
)


# QAMR: questions on the words of a sentence, answered by the writer and by two validators.
#
# The sentences, of Wikipedia and Wikinews, are the companion (`wiki-sentences.tsv`); questions on the Penn
# Treebank, whose text is not free, are dropped.

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


def read_qamr(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
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


QAMR = MrqaSource(
    name="qamr",
    dataset="QAMR",
    reads="the filtered (or full) question file (filtered/dev.tsv …)",
    read=read_qamr,
    documents="the sentences (wiki-sentences.tsv)",
)
