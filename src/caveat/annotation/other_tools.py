"""The files of other tools for annotators, both ways: Label Studio's JSON and doccano's JSON lines.

In Label Studio spans are labels, links are relations, yes, no and unanswerable a choice; its offsets are code points,
but older versions counted UTF-16 units, which is told by the text that it keeps beside them. In doccano there are
entities and relations, by UTF-16 units, and what it has no field for is data beside the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, get_args
from xml.sax.saxutils import quoteattr

import msgspec

from caveat.annotation.conversion import FILE
from caveat.annotation.records import Entry, Link, Sample, Span, Task, Verdict, Work
from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.json_files import read_json, read_json_lines, write_json, write_json_lines

__all__ = ["labelling_config", "read_doccano", "read_label_studio", "write_doccano", "write_label_studio"]

_KEY = "sample"


def _carried(entry: Entry) -> dict[str, Any]:
    """What stands beside the text."""
    sample = entry.sample
    first = entry.works[0][1] if entry.works else None
    question = sample.question if first is None else first.question
    scenario = sample.scenario if first is None else first.scenario
    shown = {"question": question, "scenario": scenario}
    rest: dict[str, Any] = msgspec.to_builtins(sample)
    del rest["context"]
    return {_KEY: rest, **{key: value for key, value in shown.items() if value}}


def _sample_from(text: Any, beside: Mapping[str, Any], id: object) -> Sample:
    """The sample that was carried, or one made of what another tool has; ValueError where it is none."""
    if not isinstance(text, str):
        raise ValueError("there is no text")
    if isinstance(rest := beside.get(_KEY), Mapping):
        return msgspec.convert({**rest, "context": text}, Sample)
    known = {key: beside.get(key) for key in ("question", "scenario", "title", "split", "url")}
    return msgspec.convert({"id": str(beside.get("id", id)), "context": text, **known}, Sample)


class _CodePoints:
    """The code points of a text by their offsets in UTF-16 units."""

    def __init__(self, text: str) -> None:
        self._points: list[int] = []
        for point, character in enumerate(text):
            self._points += [point] * (1 + (ord(character) > 0xFFFF))
        self._points.append(len(text))

    def of(self, unit: int) -> int:
        """The code point at this unit; IndexError beyond the text."""
        if unit < 0:
            raise IndexError(unit)
        return self._points[unit]


def _units_before(text: str, point: int) -> int:
    """How many UTF-16 units stand before this code point."""
    return point + sum(ord(character) > 0xFFFF for character in text[:point])


_LABELS, _TEXT, _VERDICT, _QUESTION_TYPE, _NOTE = "label", "text", "verdict", "question_type", "note"
_VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


def labelling_config(task: Task) -> str:
    """The labelling interface that a project there needs for these files."""
    labels = "".join(f"    <Label value={quoteattr(kind.name)}/>\n" for kind in task.kinds)
    relations = "".join(f"    <Relation value={quoteattr(link.name)}/>\n" for link in task.links)
    verdicts = "".join(f"    <Choice value={quoteattr(verdict)}/>\n" for verdict in task.verdicts)
    return (
        "<View>\n"
        '  <Header value="$question"/>\n'
        f'  <Labels name="{_LABELS}" toName="{_TEXT}">\n{labels}  </Labels>\n'
        + (f"  <Relations>\n{relations}  </Relations>\n" if relations else "")
        + f'  <Choices name="{_VERDICT}" toName="{_TEXT}">\n{verdicts}  </Choices>\n'
        f'  <TextArea name="{_NOTE}" toName="{_TEXT}"/>\n'
        f'  <Text name="{_TEXT}" value="$text"/>\n'
        "</View>\n"
    )


def write_label_studio(path: PathLike, entries: Iterable[Entry]) -> None:
    """A list of tasks, each with the annotations of everyone."""
    write_json(path, [_task(number, entry) for number, entry in enumerate(entries, start=1)])


def _task(number: int, entry: Entry) -> dict[str, Any]:
    annotations = [
        {"id": 1000 * number + turn, "completed_by": {"email": name}, "result": _result(entry.sample, work)}
        for turn, (name, work) in enumerate(entry.works)
    ]
    return {
        "id": number,
        "data": {"text": entry.sample.context, **_carried(entry)},
        "annotations": annotations,
    }


def _result(sample: Sample, work: Work) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = [
        {
            "id": span.id,
            "type": "labels",
            "from_name": _LABELS,
            "to_name": _TEXT,
            "value": {
                "start": span.start,
                "end": span.end,
                "text": sample.context[span.start : span.end],
                "labels": [span.kind],
            },
        }
        for span in work.spans
    ]
    result += [
        {
            "type": "relation",
            "from_id": link.source,
            "to_id": link.target,
            "direction": "right",
            "labels": [link.kind],
        }
        for link in work.links
    ]
    result.append(_chosen(_VERDICT, work.verdict))
    if work.question_type is not None:
        result.append(_chosen(_QUESTION_TYPE, work.question_type))
    if work.note:
        value = {"text": [work.note]}
        result.append({"type": "textarea", "from_name": _NOTE, "to_name": _TEXT, "value": value})
    return result


def _chosen(name: str, choice: str) -> dict[str, Any]:
    return {"type": "choices", "from_name": name, "to_name": _TEXT, "value": {"choices": [choice]}}


def read_label_studio(path: PathLike) -> Iterator[Entry]:
    """What an export in the format JSON has; cancelled annotations are passed over."""
    for number, task in enumerate(read_json(path, list[dict[str, Any]]), start=1):
        id = task.get("id", number)
        data: Any = task.get("data")
        try:
            sample = _sample_from(data["text"], data, id)
            works = [
                (
                    _name(annotation.get("completed_by"), turn),
                    _work(sample.context, data, annotation["result"]),
                )
                for turn, annotation in enumerate(task.get("annotations", ()), start=1)
                if not annotation.get("was_cancelled")
            ]
        except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
            raise InputError(f"is no task of Label Studio's: {error!r}", path=path, id=id) from None
        yield Entry(sample, tuple(works))


def _name(completed_by: Any, turn: int) -> str:
    if isinstance(completed_by, Mapping):
        completed_by = completed_by.get("email") or completed_by.get("id")
    return str(completed_by) if completed_by is not None else FILE if turn == 1 else f"{FILE} {turn}"


def _work(context: str, data: Mapping[str, Any], result: list[dict[str, Any]]) -> Work:
    spans, links, note, question_type = [], [], "", None
    verdict: Verdict = "span"
    for region in result:
        match region["type"]:
            case "labels":
                spans.append(_span(context, region))
            case "relation":
                source, target = region["from_id"], region["to_id"]
                if region.get("direction") == "left":
                    source, target = target, source
                links += [Link(str(name), str(source), str(target)) for name in region.get("labels") or ()]
            case "choices" if region["from_name"] == _VERDICT:
                verdict = _VERDICTS[_VERDICTS.index(region["value"]["choices"][0])]
            case "choices" if region["from_name"] == _QUESTION_TYPE:
                question_type = str(region["value"]["choices"][0])
            case "textarea":
                note = "\n".join(region["value"]["text"])
    question, scenario = data.get("question") or "", data.get("scenario")
    return Work(question, question_type, verdict, tuple(spans), tuple(links), scenario, note)


def _span(context: str, region: dict[str, Any]) -> Span:
    value = region["value"]
    start, end, text = int(value["start"]), int(value["end"]), value.get("text")
    if text is not None and context[start:end] != text:
        points = _CodePoints(context)
        if context[points.of(start) : points.of(end)] == text:
            start, end = points.of(start), points.of(end)
    return Span(str(region["id"]), str(value["labels"][0]), start, end)


def write_doccano(path: PathLike, entries: Iterable[Entry]) -> None:
    """A line for each work: doccano writes a file an annotator, and here the annotator stands in the line."""
    write_json_lines(path, (line for entry in entries for line in _doccano_lines(entry)))


def _doccano_lines(entry: Entry) -> Iterator[dict[str, Any]]:
    text = entry.sample.context
    if not entry.works:
        yield {"text": text, "entities": [], "relations": [], **_carried(entry)}
    for name, work in entry.works:
        numbers = {span.id: number for number, span in enumerate(work.spans, start=1)}
        yield {
            "text": text,
            "entities": [
                {
                    "id": numbers[span.id],
                    "label": span.kind,
                    "start_offset": _units_before(text, span.start),
                    "end_offset": _units_before(text, span.end),
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
            **_carried(Entry(entry.sample, ((name, work),))),
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
            entry = _doccano_entry(line, number)
        except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
            raise InputError(f"is no line of doccano's: {error!r}", path=path, line=number) from None
        before = found.get(entry.sample.id, Entry(entry.sample))
        found[entry.sample.id] = Entry(entry.sample, before.works + entry.works)
    yield from found.values()


def _doccano_entry(line: dict[str, Any], number: int) -> Entry:
    sample = _sample_from(line.get("text"), line, number)
    points = _CodePoints(sample.context)
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
