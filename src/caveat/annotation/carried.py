"""A sample as other tools carry it: its text, its question to be seen, and the rest under one key that they keep."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from caveat.annotation.records import Entry, Sample

__all__ = ["carried", "sample_of"]

_KEY = "sample"


def carried(entry: Entry) -> dict[str, Any]:
    """What stands beside the text."""
    sample = entry.sample
    first = entry.works[0][1] if entry.works else None
    question = sample.question if first is None else first.question
    scenario = sample.scenario if first is None else first.scenario
    shown = {"question": question, "scenario": scenario}
    rest: dict[str, Any] = msgspec.to_builtins(sample)
    del rest["context"]
    return {_KEY: rest, **{key: value for key, value in shown.items() if value}}


def sample_of(text: Any, beside: Mapping[str, Any], id: object) -> Sample:
    """The sample that was carried, or one made of what another tool has; ValueError where it is none."""
    if not isinstance(text, str):
        raise ValueError("there is no text")
    if isinstance(rest := beside.get(_KEY), Mapping):
        return msgspec.convert({**rest, "context": text}, Sample)
    known = {key: beside.get(key) for key in ("question", "scenario", "title", "split", "url")}
    return msgspec.convert({"id": str(beside.get("id", id)), "context": text, **known}, Sample)
