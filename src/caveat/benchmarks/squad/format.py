"""SQuAD's layout, 1.1 and 2.0, and the many sets published in it (CMRC 2018, DRCD, Quoref, CAIL, DuReader …).

Every key the layout does not define is kept in `extra`, so that writing gives back what was read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

import msgspec

from caveat.benchmarks.registry import Drops, Format, Records, SourceFiles
from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.core.files import PathLike
from caveat.core.json_files import convert, decode, read_json_and_raw, read_json_text, write_json


class _Answer(msgspec.Struct):
    text: str
    answer_start: int | None = None


class _Question(msgspec.Struct):
    id: str | int
    question: str
    # A list inside the list is one answer of several spans (CAIL 2021).
    answers: list[_Answer | list[_Answer]] = []


class _Paragraph(msgspec.Struct):
    context: str
    qas: list[_Question]


class _Article(msgspec.Struct):
    paragraphs: list[_Paragraph]


class _File(msgspec.Struct):
    data: list[_Article]


class _Articles(msgspec.Struct):
    data: list[msgspec.Raw]


class SquadFile(msgspec.Struct, frozen=True):
    """The passages of a file, and its top-level keys other than `data` (version …)."""

    passages: tuple[Passage, ...]
    extra: dict[str, Any] = {}


def read(path: PathLike) -> SquadFile:
    """A whole SQuAD file."""
    file, raw = read_json_and_raw(path, _File)
    return _from_file(file, raw)


def read_passages(path: PathLike) -> Iterator[Passage]:
    """The passages of a SQuAD file, article after article: of a large file only the bytes are held."""
    data = read_json_text(path)
    try:
        articles = msgspec.json.decode(data, type=_Articles).data
        for index, article in enumerate(articles):
            yield from _passages(
                msgspec.json.decode(article, type=_Article), msgspec.json.decode(article), index
            )
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        # Read as a whole, it says where in the file the fault is.
        decode(data, _File, path=path)
        raise


def from_layout(raw: dict[str, Any], path: PathLike) -> SquadFile:
    """Decoded JSON in SQuAD's layout as passages."""
    return _from_file(convert(raw, _File, path=path), raw)


def _from_file(file: _File, raw: dict[str, Any]) -> SquadFile:
    passages = [
        passage
        for index, (article, raw_article) in enumerate(zip(file.data, raw["data"], strict=True))
        for passage in _passages(article, raw_article, index)
    ]
    return SquadFile(tuple(passages), _rest(raw, "data"))


def _passages(article: _Article, raw_article: dict[str, Any], index: int) -> Iterator[Passage]:
    """The passages of the article of that number."""
    article_extra = _rest(raw_article, "paragraphs")
    for paragraph, raw in zip(article.paragraphs, raw_article["paragraphs"], strict=True):
        extra = _rest(raw, "context", "qas")
        id = extra.pop("id", "") if isinstance(extra.get("id", ""), str) else ""
        yield Passage(
            paragraph.context,
            tuple(map(_question, paragraph.qas, raw["qas"])),
            id=id,
            title=str(raw_article.get("title", "")),
            article=index,
            extra=extra,
            article_extra=article_extra,
        )


def _question(question: _Question, raw: dict[str, Any]) -> PassageQuestion:
    extra = _rest(raw, "id", "question", "answers")
    if not isinstance(question.id, str):
        extra["id"] = question.id
    if "answers" not in raw:
        extra["answers"] = None
    return PassageQuestion(
        str(question.id),
        question.question,
        tuple(map(_alternative, question.answers, raw.get("answers", ()))),
        extra,
    )


def _alternative(answer: _Answer | list[_Answer], raw: Any) -> tuple[GoldSpan, ...]:
    if isinstance(answer, list):
        return tuple(map(_span, answer, raw))
    return (_span(answer, raw),)


def _span(answer: _Answer, raw: dict[str, Any]) -> GoldSpan:
    return GoldSpan(answer.text, answer.answer_start, _rest(raw, "text", "answer_start"))


def write(path: PathLike, passages: Iterable[Passage], extra: dict[str, Any] | None = None) -> None:
    """Passages in SQuAD's layout; `extra` gives the top-level keys."""
    write_json(path, to_layout(passages, extra))


def with_impossible_flags(passage: Passage) -> Passage:
    """The passage with SQuAD 2.0's `is_impossible` on every question that does not have it."""
    questions = tuple(
        msgspec.structs.replace(question, extra={"is_impossible": not question.answerable, **question.extra})
        for question in passage.questions
    )
    return msgspec.structs.replace(passage, questions=questions)


def to_layout(passages: Iterable[Passage], extra: dict[str, Any] | None = None) -> dict[str, Any]:
    """Passages as the JSON value of a SQuAD file: neighbours of one article stand together."""
    data = []
    for _, members in groupby(passages, key=lambda passage: passage.article):
        article = list(members)
        data.append({**article[0].article_extra, "paragraphs": [_paragraph(passage) for passage in article]})
    return {**(extra or {}), "data": data}


def _paragraph(passage: Passage) -> dict[str, Any]:
    id = {"id": passage.id} if passage.id else {}
    return {
        **id,
        **passage.extra,
        "context": passage.text,
        "qas": [_qa(question) for question in passage.questions],
    }


def _qa(question: PassageQuestion) -> dict[str, Any]:
    answers = [
        _answer(answer[0]) if len(answer) == 1 else [_answer(span) for span in answer]
        for answer in question.answers
    ]
    qa = {"question": question.text, "id": question.id, "answers": answers, **question.extra}
    if qa["answers"] is None:
        del qa["answers"]
    return qa


def _answer(span: GoldSpan) -> dict[str, Any]:
    start = {} if span.start is None else {"answer_start": span.start}
    return {"text": span.text, **start, **span.extra}


def _rest(raw: dict[str, Any], *known: str) -> dict[str, Any]:
    return {key: value for key, value in raw.items() if key not in known}


def _read_squad(files: SourceFiles, drops: Drops) -> Records:
    file = read(files.data)
    return Records(file.passages, file.extra)


def write_squad(path: PathLike, records: Records) -> None:
    """Passages in SQuAD's layout, with what their file said beside them."""
    write(path, records.items, {"version": "1.1"} if records.extra is None else records.extra)


def _write_squad2(path: PathLike, records: Records) -> None:
    passages = map(with_impossible_flags, records.items)
    write(path, passages, {"version": "v2.0", **(records.extra or {})})


FORMATS = (
    Format(
        "squad",
        "SQuAD's JSON layout, 1.1 or 2.0, nothing added or dropped",
        "passages",
        _read_squad,
        write_squad,
        questions=True,
    ),
    Format(
        "squad2",
        "SQuAD's layout with `is_impossible` on every question",
        "passages",
        _read_squad,
        _write_squad2,
        questions=True,
    ),
)
