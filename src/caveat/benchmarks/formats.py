"""The data formats by name: what each is, the kind of records it holds, how it is read and written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any, Literal

import msgspec

from caveat.benchmarks.cmqa import format as cmqa
from caveat.benchmarks.cmrc2018 import format as cmrc
from caveat.benchmarks.conditionalqa import format as conditionalqa
from caveat.benchmarks.mrqa import format as mrqa
from caveat.benchmarks.mrqa import passages as mrqa_passages
from caveat.benchmarks.mrqa.sources import build as mrqa_sources
from caveat.benchmarks.mrqa.sources.build import Drops
from caveat.benchmarks.multispan import format as multispan
from caveat.benchmarks.nlpcc.kbqa import format as nlpcc_kbqa
from caveat.benchmarks.nlpcc.ranked import dbqa_format as nlpcc_dbqa
from caveat.benchmarks.nlpcc.ranked import tbqa_format as nlpcc_tbqa
from caveat.benchmarks.shared import bridges
from caveat.benchmarks.squad import format as squad
from caveat.benchmarks.subjqa import format as subjqa
from caveat.core.errors import CaveatError
from caveat.core.files import PathLike
from caveat.sources import triple_lines as nlpcc_kb

__all__ = ["BRIDGES", "FORMATS", "Format", "Kind", "Records", "SourceFiles", "becomes", "route"]

Kind = Literal[
    "passages", "mrqa", "multispan", "cmqa", "questions", "documents", "kbqa", "triples", "mentions",
    "dbqa", "tbqa", "candidates", "tables",
]  # fmt: skip


class SourceFiles(msgspec.Struct, frozen=True):
    """The file to read and the companions some formats need."""

    data: PathLike
    documents: PathLike | None = None
    tables: PathLike | None = None


@dataclass(frozen=True)
class Records:
    """A stream of records of one kind, and what the file says beside them; None where it cannot say anything."""

    items: Iterable[Any]
    extra: dict[str, Any] | None = None


Reader = Callable[[SourceFiles, Drops], Records]
Writer = Callable[[PathLike, Records], None]


@dataclass(frozen=True)
class Format:
    """One data format; one that is only read, or only written, has no other side."""

    name: str
    summary: str
    kind: Kind
    read: Reader | None = None
    write: Writer | None = None
    # Which files beside the data it reads: `documents`, `tables`.
    companions: frozenset[str] = frozenset()


def _plain(read: Callable[[PathLike], Iterable[Any]]) -> Reader:
    return lambda files, drops: Records(read(files.data))


def _plain_writer(write: Callable[[PathLike, Iterable[Any]], None]) -> Writer:
    return lambda path, records: write(path, records.items)


def _read_squad(files: SourceFiles, drops: Drops) -> Records:
    file = squad.read(files.data)
    return Records(file.passages, file.extra)


def _read_cmrc(files: SourceFiles, drops: Drops) -> Records:
    file = cmrc.read(files.data)
    return Records(file.passages, file.extra or None)


def _write_squad(path: PathLike, records: Records) -> None:
    squad.write(path, records.items, {"version": "1.1"} if records.extra is None else records.extra)


def _write_squad2(path: PathLike, records: Records) -> None:
    passages = map(squad.with_impossible_flags, records.items)
    squad.write(path, passages, {"version": "v2.0", **(records.extra or {})})


def _read_mrqa(files: SourceFiles, drops: Drops) -> Records:
    header, contexts = mrqa.open_file(files.data)
    return Records(contexts, {"header": header})


def _write_mrqa(path: PathLike, records: Records) -> None:
    header = (records.extra or {}).get("header", mrqa.MrqaHeader())
    mrqa.write(path, header, records.items)


def _read_multispan(files: SourceFiles, drops: Drops) -> Records:
    file = multispan.read(files.data)
    return Records(file.examples, file.extra)


def _write_multispan(path: PathLike, records: Records) -> None:
    multispan.write(path, records.items, records.extra)


def _read_cmqa(files: SourceFiles, drops: Drops) -> Records:
    return Records(sample for _, sample in cmqa.read(files.data))


def _read_tbqa(files: SourceFiles, drops: Drops) -> Records:
    return Records(nlpcc_tbqa.read(files.data, files.tables))


def _mrqa_source(name: str) -> Format:
    source = mrqa_sources.source(name)

    def read(files: SourceFiles, drops: Drops) -> Records:
        header = mrqa.MrqaHeader(source.dataset)
        return Records(
            mrqa_sources.convert_source(name, files.data, drops, files.documents), {"header": header}
        )

    summary = f"MRQA's {source.dataset} from {source.reads}"
    if not source.documents:
        return Format(name, summary, "mrqa", read)
    summary += f"; --documents: {source.documents}"
    return Format(name, summary, "mrqa", read, companions=frozenset({"documents"}))


_OWN = [
    Format(
        "squad",
        "SQuAD's JSON layout, 1.1 or 2.0, nothing added or dropped",
        "passages",
        _read_squad,
        _write_squad,
    ),
    Format(
        "squad2",
        "SQuAD's layout with `is_impossible` on every question",
        "passages",
        _read_squad,
        _write_squad2,
    ),
    Format("mrqa", "MRQA 2019's JSON lines", "mrqa", _read_mrqa, _write_mrqa),
    Format(
        "cmrc2018",
        "CMRC 2018: either layout is read, SQuAD's is written",
        "passages",
        _read_cmrc,
        _write_squad,
    ),
    Format(
        "cmrc2018-list",
        "CMRC 2018's original list layout",
        "passages",
        _plain(cmrc.read_passages),
        _plain_writer(cmrc.write_passages),
    ),
    Format(
        "multispan", "MultiSpanQA's tokens with B/I/O labels", "multispan", _read_multispan, _write_multispan
    ),
    Format("subjqa", "SubjQA's CSV of questions on reviews", "passages", _plain(subjqa.read_passages)),
    Format("cmqa", "CMQA's JSON lines", "cmqa", _read_cmqa, _plain_writer(cmqa.write)),
    Format(
        "conditionalqa",
        "ConditionalQA's questions",
        "questions",
        _plain(conditionalqa.read),
        _plain_writer(conditionalqa.write),
    ),
    Format(
        "conditionalqa-documents",
        "ConditionalQA's documents",
        "documents",
        _plain(conditionalqa.read_documents),
        _plain_writer(conditionalqa.write_documents),
    ),
    Format(
        "nlpcc-kbqa",
        "NLPCC KBQA's questions",
        "kbqa",
        _plain(nlpcc_kbqa.read),
        _plain_writer(nlpcc_kbqa.write),
    ),
    Format(
        "nlpcc-kb",
        "NLPCC's knowledge base, `subject ||| predicate ||| object`",
        "triples",
        _plain(nlpcc_kb.read_triples),
        _plain_writer(nlpcc_kb.write_triples),
    ),
    Format(
        "triples-tsv",
        "triples as tab-separated columns",
        "triples",
        _plain(nlpcc_kb.read_tsv_triples),
        _plain_writer(nlpcc_kb.write_tsv_triples),
    ),
    Format(
        "nlpcc-mentions",
        "NLPCC's mention list, `mention ||| entity` and more entities after tabs",
        "mentions",
        _plain(nlpcc_kb.read_mentions),
        _plain_writer(nlpcc_kb.write_mentions),
    ),
    Format(
        "nlpcc-dbqa",
        "NLPCC DBQA's question, sentence, label",
        "dbqa",
        _plain(nlpcc_dbqa.read),
        _plain_writer(nlpcc_dbqa.write),
    ),
    Format(
        "nlpcc-tbqa",
        "NLPCC TBQA's five columns; candidates that name tables by id are read with --tables",
        "tbqa",
        _read_tbqa,
        _plain_writer(nlpcc_tbqa.write),
        frozenset({"tables"}),
    ),
    Format(
        "nlpcc-tbqa-candidates",
        "label, question, table id",
        "candidates",
        _plain(nlpcc_tbqa.read_candidates_by_id),
        _plain_writer(nlpcc_tbqa.write_candidates),
    ),
    Format(
        "nlpcc-tbqa-tables",
        "table id, caption, headers, cells",
        "tables",
        _plain(nlpcc_tbqa.read_tables),
        _plain_writer(nlpcc_tbqa.write_tables),
    ),
]

FORMATS: dict[str, Format] = {
    format.name: format for format in [*_OWN, *map(_mrqa_source, mrqa_sources.names())]
}


def _passages_to_mrqa(records: Records) -> Records:
    # The file's own top-level keys travel in the header; qids are drawn under this name.
    header = mrqa.MrqaHeader("SQuAD", "", {} if records.extra is None else {"file": records.extra})
    return Records(mrqa_passages.from_passages(records.items, header.dataset), {"header": header})


def _mrqa_to_passages(records: Records) -> Records:
    header: mrqa.MrqaHeader = (records.extra or {}).get("header", mrqa.MrqaHeader())
    file = header.extra.get("file")
    return Records(mrqa_passages.to_passages(records.items), file if isinstance(file, dict) else None)


def _step(bridge: Callable[[Iterable[Any]], Iterator[Any]]) -> Callable[[Records], Records]:
    return lambda records: Records(bridge(records.items))


BRIDGES: dict[tuple[Kind, Kind], Callable[[Records], Records]] = {
    ("passages", "mrqa"): _passages_to_mrqa,
    ("mrqa", "passages"): _mrqa_to_passages,
    ("passages", "multispan"): _step(
        lambda passages: (e for p in passages for e in multispan.from_passage(p))
    ),
    ("multispan", "passages"): _step(lambda examples: map(multispan.to_passage, examples, count())),
    ("cmqa", "passages"): _step(bridges.cmqa_to_passages),
    ("passages", "dbqa"): _step(bridges.passages_to_dbqa),
}


def route(source: Format, target: Format) -> list[Callable[[Records], Records]]:
    """The bridges from one kind of records to the other: none, one, or two by way of passages."""
    if source.kind == target.kind:
        return []
    if bridge := BRIDGES.get((source.kind, target.kind)):
        return [bridge]
    first, second = BRIDGES.get((source.kind, "passages")), BRIDGES.get(("passages", target.kind))
    if first and second:
        return [first, second]
    raise CaveatError(
        f"{source.name} cannot become {target.name}: it does not hold what that needs. "
        f"It can become: {', '.join(becomes(source))}."
    )


def becomes(source: Format) -> list[str]:
    """The names of the formats that a format can be converted to."""
    kinds = {source.kind} | {target for begin, target in BRIDGES if begin == source.kind}
    if "passages" in kinds:
        kinds |= {target for begin, target in BRIDGES if begin == "passages"}
    return [name for name, format in FORMATS.items() if format.write and format.kind in kinds]
