"""Label Studio's JSON, both ways: spans as labels, links as relations, yes, no and unanswerable as a choice.

Its offsets are code points; older versions counted UTF-16 units, which is told by the text that it keeps beside them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, get_args
from xml.sax.saxutils import quoteattr

from caveat.annotation.carried import CodePoints, carried, sample_of
from caveat.annotation.conversion import FILE
from caveat.annotation.records import Entry, Link, Sample, Span, Task, Verdict, Work
from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.json_files import read_json, write_json

__all__ = ["labelling_config", "read_label_studio", "write_label_studio"]

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
        "data": {"text": entry.sample.context, **carried(entry)},
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
            sample = sample_of(data["text"], data, id)
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
        points = CodePoints(context)
        if context[points.of(start) : points.of(end)] == text:
            start, end = points.of(start), points.of(end)
    return Span(str(region["id"]), str(value["labels"][0]), start, end)
