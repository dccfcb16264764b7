"""CMRC 2018 in its two layouts: the original list, whose answers are strings without offsets, and SQuAD's.

    [{"context_id", "context_text", "title", "qas": [{"query_id", "query_text", "answers": [text, …]}]}]

What a passage knows and the list has no place for (offsets, answers of several spans, SQuAD's articles) is
written under keys of its own, so that a passage comes back as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import msgspec

from caveat.benchmarks.registry import Drops, Format, Records, SourceFiles, records_of, records_to
from caveat.benchmarks.shared.passage import Passage, PassageQuestion, flatten, unflatten
from caveat.benchmarks.squad import format as squad
from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.json_files import convert, decode, read_json_text, write_json

_ARTICLE = "article"
# Extra keys of a passage that this layout has another use for.
_CLASHING = "clashing_keys"


class _Query(msgspec.Struct):
    query_id: str | int
    query_text: str
    answers: list[str] = []
    answer_starts: list[int | None] | None = None
    answer_parts: list[Annotated[int, msgspec.Meta(ge=0)]] | None = None
    answer_extra: list[dict[str, Any]] | None = None
    clashing_keys: dict[str, Any] = {}


class _Article(msgspec.Struct):
    index: int


class _Context(msgspec.Struct):
    context_id: str | int
    context_text: str
    qas: list[_Query]
    title: str = ""
    article: _Article | None = None
    clashing_keys: dict[str, Any] = {}


def is_list_layout(raw: Any) -> bool:
    """Whether decoded JSON is in the original layout, a list; SQuAD's is an object."""
    return isinstance(raw, list)


def read(path: PathLike) -> squad.SquadFile:
    """A CMRC file in either layout; answers in the original one have no offsets, and nothing stands beside them."""
    data = read_json_text(path)
    raw: Any = decode(data, object, path=path)
    if not is_list_layout(raw):
        return squad.from_layout(convert(raw, dict[str, Any], path=path), path)
    contexts = decode(data, list[_Context], path=path)
    pairs = enumerate(zip(contexts, raw, strict=True))
    return squad.SquadFile(tuple(_passage(context, raw, number, path) for number, (context, raw) in pairs))


def read_passages(path: PathLike) -> Iterator[Passage]:
    """The passages of a CMRC file in either layout."""
    yield from read(path).passages


def _passage(context: _Context, raw: dict[str, Any], number: int, path: PathLike) -> Passage:
    extra = _rest(raw, *_Context.__struct_fields__) | context.clashing_keys
    if not isinstance(context.context_id, str):
        extra["context_id"] = context.context_id
    # SQuAD's title belongs to the article: so does this one, that it may be written there.
    article_extra: dict[str, Any] = {"title": context.title} if "title" in raw else {}
    if context.article is not None:
        article_extra |= _rest(raw[_ARTICLE], "index")
    return Passage(
        context.context_text,
        tuple(
            _question(query, raw_query, path)
            for query, raw_query in zip(context.qas, raw["qas"], strict=True)
        ),
        id=str(context.context_id),
        title=str(article_extra.get("title", "")),
        article=number if context.article is None else context.article.index,
        extra=extra,
        article_extra=article_extra,
    )


def _question(query: _Query, raw: dict[str, Any], path: PathLike) -> PassageQuestion:
    extra = _rest(raw, *_Query.__struct_fields__) | query.clashing_keys
    if not isinstance(query.query_id, str):
        extra["query_id"] = query.query_id
    if "answers" not in raw:
        extra["answers"] = None
    try:
        answers = unflatten(query.answers, raw)
    except ValueError as error:
        raise InputError(str(error), path=path, id=query.query_id) from None
    return PassageQuestion(str(query.query_id), query.query_text, answers, extra)


def write_passages(path: PathLike, passages: Iterable[Passage]) -> None:
    """Passages in the original layout."""
    write_json(path, [_context_layout(passage, number) for number, passage in enumerate(passages)])


def _context_layout(passage: Passage, number: int) -> dict[str, Any]:
    layout: dict[str, Any] = {
        "context_id": passage.id,
        "context_text": passage.text,
        "qas": [_query_layout(question) for question in passage.questions],
    }
    article = dict(passage.article_extra)
    if article.get("title", passage.title or None) == passage.title:
        layout["title"] = article.pop("title", passage.title)
    if article or passage.article != number:
        layout[_ARTICLE] = {"index": passage.article, **article}
    return _with_extra(layout, passage.extra, _Context)


def _query_layout(question: PassageQuestion) -> dict[str, Any]:
    texts, beside = flatten(question)
    layout: dict[str, Any] = {
        "query_id": question.id,
        "query_text": question.text,
        "answers": texts,
        **beside,
    }
    extra = dict(question.extra)
    if extra.get("answers", ()) is None:
        del extra["answers"], layout["answers"]
    return _with_extra(layout, extra, _Query)


def _with_extra(layout: dict[str, Any], extra: dict[str, Any], known: type[msgspec.Struct]) -> dict[str, Any]:
    id = known.__struct_fields__[0]
    # An id that is a number in the file is text in the record, and the number is kept beside it.
    clashing = {
        key: value
        for key, value in extra.items()
        if key in known.__struct_fields__
        and not (key == id and isinstance(value, int) and str(value) == layout[id])
    }
    kept = layout | _rest(extra, *clashing)
    return kept | {_CLASHING: clashing} if clashing else kept


def _rest(raw: dict[str, Any], *known: str) -> dict[str, Any]:
    return {key: value for key, value in raw.items() if key not in known}


def _read_either(files: SourceFiles, drops: Drops) -> Records:
    file = read(files.data)
    return Records(file.passages, file.extra or None)


FORMATS = (
    Format(
        "cmrc2018",
        "CMRC 2018: either layout is read, SQuAD's is written",
        "passages",
        _read_either,
        squad.write_squad,
        questions=True,
    ),
    Format(
        "cmrc2018-list",
        "CMRC 2018's original list layout",
        "passages",
        records_of(read_passages),
        records_to(write_passages),
        questions=True,
    ),
)
