"""MRQA's format and those of its 18 sub-domains, which become it; and the bridges between MRQA and passages."""

from __future__ import annotations

from caveat.benchmarks.mrqa.format import MrqaHeader, open_file, write
from caveat.benchmarks.mrqa.passages import from_passages, to_passages
from caveat.benchmarks.mrqa.sources import build
from caveat.benchmarks.registry import Bridge, Drops, Format, Records, SourceFiles
from caveat.core.files import PathLike


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
