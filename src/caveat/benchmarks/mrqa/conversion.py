"""MRQA's format and those of its 18 sub-domains, which become it; and the bridges between MRQA and passages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from caveat.benchmarks.formats import Bridge, Drops, Format, Records, SourceFiles
from caveat.benchmarks.mrqa.format import (
    MrqaContext,
    MrqaHeader,
    MrqaQuestion,
    build_question,
    open_file,
    write,
)
from caveat.benchmarks.mrqa.sources import build
from caveat.benchmarks.shared.passage import FLAT_KEYS as KEYS
from caveat.benchmarks.shared.passage import Passage, PassageQuestion, flatten, unflatten
from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.language.occurrences import Occurrences

__all__ = ["BRIDGES", "FORMATS", "from_passages", "to_passage", "to_passages"]

# What a passage knows of its article and MRQA has no field for travels under this key.
_ARTICLE = "article"


def from_passages(passages: Iterable[Passage], dataset: str = "") -> Iterator[MrqaContext]:
    """Passages as MRQA contexts, nothing dropped: questions without a place in the text keep an empty list."""
    for passage in passages:
        occurrences = Occurrences(passage.text)
        yield MrqaContext(
            passage.text,
            tuple(_from_question(question, dataset, occurrences) for question in passage.questions),
            tuple(occurrences.tokens),
            {
                "id": passage.id,
                **passage.extra,
                _ARTICLE: {"index": passage.article, **passage.article_extra},
            },
        )


def _from_question(question: PassageQuestion, dataset: str, occurrences: Occurrences) -> MrqaQuestion:
    texts, beside = flatten(question)
    # Without this a file that has no offsets would come back with those of the places found here.
    beside.setdefault("answer_starts", [None] * len(texts))
    built = build_question(dataset, question.id, question.text, texts, occurrences)
    return msgspec.structs.replace(built, extra={"id": question.id, **question.extra, **beside})


def to_passages(contexts: Iterable[MrqaContext]) -> Iterator[Passage]:
    """MRQA contexts as passages; those that `from_passages` made come back as they were."""
    for number, context in enumerate(contexts):
        yield to_passage(context, number)


def to_passage(context: MrqaContext, number: int) -> Passage:
    """One context as a passage, `number` being its place in the file."""
    extra = dict(context.extra)
    # A file that was not made here may use the key for something else.
    ours = isinstance(extra.get(_ARTICLE), dict) and isinstance(extra[_ARTICLE].get("index"), int)
    article: dict[str, Any] = dict(extra.pop(_ARTICLE)) if ours else {}
    id = str(extra.pop("id", ""))
    index = article.pop("index", number)
    return Passage(
        context.context,
        tuple(_to_question(question) for question in context.questions),
        id=id,
        title=str(article.get("title", "")),
        article=index,
        extra=extra,
        article_extra=article,
    )


def _to_question(question: MrqaQuestion) -> PassageQuestion:
    extra = {key: value for key, value in question.extra.items() if key not in KEYS}
    beside = {key: value for key, value in question.extra.items() if key in KEYS}
    if "answer_starts" not in beside:
        first = {detected.text: detected.places[0].start for detected in question.detected if detected.places}
        beside["answer_starts"] = [first.get(answer) for answer in question.answers]
    try:
        answers = unflatten(question.answers, beside)
    except ValueError as error:
        raise InputError(str(error), id=question.qid) from None
    id = extra.pop("id", None)
    if isinstance(id, int):
        extra["id"] = id
    return PassageQuestion(
        str(id) if id not in (None, "") else question.qid,
        question.question,
        answers,
        extra,
    )


def _read(files: SourceFiles, drops: Drops) -> Records:
    header, contexts = open_file(files.data)
    return Records(contexts, {"header": header})


def _write(path: PathLike, records: Records) -> None:
    write(path, (records.extra or {}).get("header", MrqaHeader()), records.items)


def _sub_domain(name: str) -> Format:
    source = build.source(name)

    def read(files: SourceFiles, drops: Drops) -> Records:
        contexts = build.convert_source(name, files.data, drops, files.documents)
        return Records(contexts, {"header": MrqaHeader(source.dataset)})

    summary = f"MRQA's {source.dataset} from {source.reads}"
    if not source.documents:
        return Format(name, summary, "mrqa", read, questions=True)
    summary += f"; --documents: {source.documents}"
    return Format(name, summary, "mrqa", read, companions=frozenset({"documents"}), questions=True)


FORMATS = (
    Format("mrqa", "MRQA 2019's JSON lines", "mrqa", _read, _write, questions=True),
    *map(_sub_domain, build.names()),
)


def _from_passages(records: Records) -> Records:
    # The file's own top-level keys travel in the header; qids are drawn under this name.
    header = MrqaHeader("SQuAD", "", {} if records.extra is None else {"file": records.extra})
    return Records(from_passages(records.items, header.dataset), {"header": header})


def _to_passages(records: Records) -> Records:
    header: MrqaHeader = (records.extra or {}).get("header", MrqaHeader())
    file = header.extra.get("file")
    return Records(to_passages(records.items), file if isinstance(file, dict) else None)


BRIDGES: dict[tuple[str, str], Bridge] = {
    ("passages", "mrqa"): _from_passages,
    ("mrqa", "passages"): _to_passages,
}
