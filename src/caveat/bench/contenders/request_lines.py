"""A contender's side of `caveat bench reader`: one JSON object a line in, one a line out.

The scripts of this folder run in the contenders' own environments. They are no package: they find one another by
bare name, and only `caveat_reader` needs Caveat.
"""

from __future__ import annotations

import gc
import json
import os
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from time import perf_counter
from typing import Any, TypedDict

__all__ = ["Answer", "Settings", "peak_kilobytes", "serve"]


class Settings(TypedDict):
    """The first line: the model's folder, and what all contenders have in common."""

    model: str
    threads: int
    # Tokens of a window, how many of them the next one has too, and those of the longest answer.
    window: int
    overlap: int
    longest_answer: int


Answer = Callable[[Sequence[tuple[str, str]]], list[str]]


def serve(load: Callable[[Settings], Answer], packages: Sequence[str]) -> None:
    """Load once, then answer pairs of question and text until the input ends."""
    # What libraries print must not come between the lines: it goes to standard error.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def reply(value: dict[str, Any]) -> None:
        print(json.dumps(value), file=out, flush=True)

    answer = load(json.loads(sys.stdin.readline()))
    reply({"versions": {name: version(name) for name in packages}})
    for line in sys.stdin:
        pairs = [(question, text) for question, text in json.loads(line)]
        gc.collect()
        begin = perf_counter()
        answers = answer(pairs)
        seconds = perf_counter() - begin
        reply({"answers": answers, "seconds": seconds, "kilobytes": peak_kilobytes()})


def peak_kilobytes() -> int:
    """Peak resident memory of this process, of this program alone where the system can tell."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        import resource

        # Not where there is a choice: on Linux a new process begins with its parent's peak.
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak // 1024 if sys.platform == "darwin" else peak
