"""A conversion that is killed at random moments; `CAVEAT_TEST_KILLS=100` is the long run."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")]

Times = Callable[[str, int], int]
Script = Callable[..., str]

# Converts two files into the same one in turns, in a child that is killed.
CONVERT = """
import os, random, signal, sys, time
from pathlib import Path
from caveat import convert

kills, folder = int(sys.argv[1]), Path(sys.argv[2])
expected = {}
for name in ("a", "b"):
    begin = time.perf_counter()
    convert("squad", folder / f"{name}.json", "mrqa", out=folder / "out.jsonl")
    took = time.perf_counter() - begin
    expected[(folder / "out.jsonl").read_bytes()] = name
chance, left = random.Random(7), 0
for _ in range(kills):
    child = os.fork()
    if not child:
        while True:
            for name in ("a", "b"):
                convert("squad", folder / f"{name}.json", "mrqa", out=folder / "out.jsonl")
    time.sleep(chance.uniform(0, 4 * took))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert (folder / "out.jsonl").read_bytes() in expected
    parts = list(folder.glob(".*.part"))
    left += len(parts)
    for part in parts:
        part.unlink()
assert len(expected) == 2
print(kills, left)
"""


def squad(text: str, copies: int) -> str:
    question = {"question": "Which?", "answers": [{"text": text, "answer_start": 4}]}
    paragraphs = [
        {"context": f"The {text} is {number}.", "qas": [{"id": f"{text} {number}", **question}]}
        for number in range(copies)
    ]
    return json.dumps({"data": [{"title": "", "paragraphs": paragraphs}]})


def test_a_conversion_leaves_the_old_file_or_the_new_one(
    tmp_path: Path, times: Times, script: Script
) -> None:
    for name in "ab":
        (tmp_path / f"{name}.json").write_text(squad(name * 50, 300))
    kills, left = map(int, script(CONVERT, times("kills", 10), tmp_path).split())
    assert kills == times("kills", 10)
    assert left > 0, "no conversion was killed while it wrote"
