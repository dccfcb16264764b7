"""doccano's JSON lines, both ways: entities and relations; what it has no field for is data beside the text.

Its offsets are UTF-16 units, as JavaScript counts them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, get_args

from caveat.annotation.carried import CodePoints, carried, sample_of, units_before
from caveat.annotation.conversion import FILE
from caveat.annotation.records import Entry, Link, Span, Verdict, Work
from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.json_files import read_json_lines, write_json_lines

__all__ = ["read_doccano", "write_doccano"]

_VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


def write_doccano(path: PathLike, entries: Iterable[Entry]) -> None:
    """A line for each work: doccano writes a file an annotator, and here the annotator stands in the line."""
    write_json_lines(path, (line for entry in entries for line in _lines(entry)))


def _lines(entry: Entry) -> Iterator[dict[str, Any]]:
    text = entry.sample.context
    if not entry.works:
        yield {"text": text, "entities": [], "relations": [], **carried(entry)}
    for name, work in entry.works:
        numbers = {span.id: number for number, span in enumerate(work.spans, start=1)}
        yield {
            "text": text,
            "entities": [
                {
                    "id": numbers[span.id],
                    "label": span.kind,
                    "start_offset": units_before(text, span.start),
                    "end_offset": units_before(text, span.end),
                }
                for span in work.spans
            ],
            "relations": [
                {
                    "id": number,
                    "from_id": numbers[link.source],
                    "to_id": numbers[link.target],
                    "type": link.kind,
                }
                for number, link in enumerate(work.links, start=1)
            ],
            **carried(Entry(entry.sample, ((name, work),))),
            "question_type": work.question_type,
            "verdict": work.verdict,
            "note": work.note,
            "annotator": name,
        }


def read_doccano(path: PathLike) -> Iterator[Entry]:
    """What an export has, in its layout with relations or in the older one (`label`: [start, end, name])."""
    found: dict[str, Entry] = {}
    for number, line in read_json_lines(path, dict[str, Any]):
        try:
            entry = _entry(line, number)
        except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
            raise InputError(f"is no line of doccano's: {error!r}", path=path, line=number) from None
        before = found.get(entry.sample.id, Entry(entry.sample))
        found[entry.sample.id] = Entry(entry.sample, before.works + entry.works)
    yield from found.values()


def _entry(line: dict[str, Any], number: int) -> Entry:
    sample = sample_of(line.get("text"), line, number)
    points = CodePoints(sample.context)
    spans = [
        Span(
            str(entity["id"]),
            str(entity["label"]),
            points.of(entity["start_offset"]),
            points.of(entity["end_offset"]),
        )
        for entity in line.get("entities") or ()
    ]
    spans += [
        Span(str(turn), str(name), points.of(start), points.of(end))
        for turn, (start, end, name) in enumerate(line.get("label") or (), start=1)
    ]
    links = [
        Link(str(relation["type"]), str(relation["from_id"]), str(relation["to_id"]))
        for relation in line.get("relations") or ()
    ]
    if not spans and "verdict" not in line:
        return Entry(sample)
    work = Work(
        line.get("question") or "",
        line.get("question_type"),
        _VERDICTS[_VERDICTS.index(line.get("verdict", "span"))],
        tuple(spans),
        tuple(links),
        line.get("scenario"),
        line.get("note") or "",
    )
    return Entry(sample, ((str(line.get("annotator", FILE)), work),))
