"""What goes into a project and what comes out of it, in every data format, Label Studio's and doccano's among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape
from pathlib import Path

import msgspec

from caveat.annotation.conversion import (
    KINDS,
    cmqa_entries,
    conditional_documents,
    conditional_entries,
    passage_entries,
)
from caveat.annotation.other_tools import read_doccano, read_label_studio, write_doccano, write_label_studio
from caveat.annotation.project import Project
from caveat.annotation.records import Element, Entry, Gold, Sample, Task
from caveat.annotation.tasks import GOLD, with_moved_conditions
from caveat.benchmarks.conditionalqa.format import read_documents, write_documents
from caveat.benchmarks.convert import becomes, route
from caveat.benchmarks.registry import FORMATS, Drops, Records, SourceFiles
from caveat.core.errors import CaveatError, UnknownNameError, UsageError
from caveat.core.files import PathLike
from caveat.core.json_files import read_json_lines

# Formats of other annotation tools, which hold what several people made of a text.
_TOOLS: Mapping[
    str, tuple[Callable[[PathLike], Iterable[Entry]], Callable[[PathLike, Iterable[Entry]], None]]
] = {
    "label-studio": (read_label_studio, write_label_studio),
    "doccano": (read_doccano, write_doccano),
}
_SAMPLES = "samples"
_TEXT = "text"
# How the names of the benchmarks' files end; all others are texts.
_DATA = (".json", ".jsonl", ".json.gz", ".jsonl.gz")


class Exported(msgspec.Struct, frozen=True):
    """What an export wrote: items with a gold work, or works of people; and how many items are without gold yet."""

    format: str
    out: str
    items: int
    works: int
    without_gold: int


def export_formats(task: Task) -> list[str]:
    """The formats that a project of a task can be written in."""
    return [*becomes(FORMATS[KINDS[task.name][0]]), *_TOOLS]


def read_entries(
    task: Task,
    data: PathLike,
    format: str | None = None,
    documents: PathLike | None = None,
    split: str | None = None,
) -> Iterator[Entry]:
    """What is to be annotated, and what has been: of a data file, of another tool's, or of texts.

    The format is the task's own for JSON files, `text` for all others, unless it is given.
    """
    if format is None:
        format = task.name if str(data).endswith(_DATA) else _TEXT
    for entry in _entries(task, data, format, documents):
        sample = _asked(entry)
        if split is not None:
            sample = msgspec.structs.replace(sample, split=split)
        yield Entry(sample, entry.works)


def _asked(entry: Entry) -> Sample:
    """The sample; what was answered has a question, which is given from then on."""
    if not entry.works or entry.sample.question is not None:
        return entry.sample
    first = entry.works[0][1]
    return msgspec.structs.replace(entry.sample, question=first.question, scenario=first.scenario)


def _entries(task: Task, data: PathLike, format: str, documents: PathLike | None) -> Iterable[Entry]:
    if format in _TOOLS:
        return _TOOLS[format][0](data)
    if format == _SAMPLES:
        return (Entry(sample) for _, sample in read_json_lines(data, Sample))
    if format == _TEXT:
        return _texts(data)
    if format == "conditionalqa-documents":
        return conditional_entries((), read_documents(data))
    known = FORMATS.get(format)
    if known is None or known.read is None:
        raise UnknownNameError(
            "format to read",
            format,
            [*(name for name in FORMATS if FORMATS[name].read), *_TOOLS, _SAMPLES, _TEXT],
        )
    records = known.read(SourceFiles(data, documents), Drops())
    for step in route(known, FORMATS[KINDS[task.name][0]]):
        records = step(records)
    if task.name == "cmqa":
        return cmqa_entries(records.items)
    if task.name == "conditionalqa":
        if documents is None:
            raise UsageError("ConditionalQA's questions stand on pages: --documents names their file.")
        return conditional_entries(records.items, read_documents(documents))
    return passage_entries(records.items, several=task.several, may_be_none="unanswerable" in task.verdicts)


def _texts(data: PathLike) -> Iterator[Entry]:
    """A sample of each text: a file of any kind that can be read, or those of a folder."""
    from caveat.core.records import Document
    from caveat.sources.gather import read_sources

    ids: Counter[str] = Counter()
    for read in read_sources([data], strict=True):
        source = read.source
        if isinstance(source, Document):
            elements = tuple(
                Element(element.start, element.end, f"<{element.tag}>{escape(element.text)}</{element.tag}>")
                for element in source.elements
            )
            name = Path(read.name).stem
            ids[name] += 1
            id = name if ids[name] == 1 else f"{name} {ids[name]}"
            yield Entry(
                Sample(id, source.text, source.title or None, url=source.url or None, elements=elements)
            )


def import_works(project: Project, entries: Iterable[Entry], annotator: str | None = None) -> int:
    """Take over what others annotated, all of it as one person's if a name is given; how many works that is."""
    return project.enter(
        Entry(_asked(entry), entry.works)
        if annotator is None
        else Entry(_asked(entry), tuple((annotator, work) for _, work in entry.works[:1]))
        for entry in entries
    )


def export(
    project: Project,
    out: PathLike,
    format: str | None = None,
    *,
    annotator: str | None = None,
    split: str | None = None,
    documents: PathLike | None = None,
    move_conditions: bool = False,
) -> Exported:
    """Write what holds, or what one annotator made of it; the formats of other tools hold everyone's works.

    With `move_conditions` there is for each condition of ConditionalQA an example more, whose scenario says it.
    """
    task = project.task
    if move_conditions and (task.name != "conditionalqa" or format in _TOOLS):
        raise UsageError("Conditions are moved into scenarios in ConditionalQA's own data only.")
    format = format or task.name
    if format not in export_formats(task):
        raise UnknownNameError("format to write", format, export_formats(task))
    golds = [gold for gold in _golds(project, annotator) if split is None or gold.sample.split == split]
    items = len(project.items())
    if format in _TOOLS:
        entries = [entry for entry in _all_works(project, annotator) if split in (None, entry.sample.split)]
        _TOOLS[format][1](out, entries)
        works = sum(len(entry.works) for entry in entries)
        return Exported(format, str(out), len(entries), works, items - len(project.gold()))
    if not golds:
        raise CaveatError(
            f"{project.path}: nothing is finished yet: an item counts once all who have it are done and agree, "
            "or it was adjudicated."
        )
    if move_conditions:
        golds = list(with_moved_conditions(golds))
    write_golds(task, golds, out, format)
    if documents is not None:
        write_documents(documents, conditional_documents(gold.sample for gold in golds))
    return Exported(format, str(out), len(golds), len(golds), items - len(project.gold()))


def write_golds(task: Task, golds: Iterable[Gold], out: PathLike, format: str) -> None:
    """Write works in one of the data formats that the task's records can become."""
    native, records = KINDS[task.name]
    target = FORMATS[format]
    assert target.write is not None
    written = Records(records(golds))
    for step in route(FORMATS[native], target):
        written = step(written)
    target.write(out, written)


def _golds(project: Project, annotator: str | None) -> Iterable[Gold]:
    if annotator is None:
        return project.gold()
    if annotator not in {known.name for known in project.annotators()}:
        raise UnknownNameError("annotator", annotator, [known.name for known in project.annotators()])
    samples = project.samples_by_item()
    return [
        Gold(item, samples[item], works[annotator])
        for item, works in project.answers().items()
        if annotator in works
    ]


def _all_works(project: Project, annotator: str | None) -> Iterator[Entry]:
    """Every item with everyone's work on it, and the gold one beside them."""
    answers = project.answers()
    golds = {gold.item: gold.work for gold in project.gold()}
    for item, sample in project.samples_by_item().items():
        works = dict(answers.get(item, {}))
        if annotator is not None:
            works = {annotator: works[annotator]} if annotator in works else {}
        elif item in golds and len(works) > 1:
            works[GOLD] = golds[item]
        yield Entry(msgspec.structs.replace(sample, id=item), tuple(works.items()))
