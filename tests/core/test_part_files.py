"""What killed writers leave beside a file, and that nobody takes away what is being written."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from caveat.core import part_files
from caveat.core.files import writing

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs signals and locks of POSIX")

# Writes a line, says so, and waits for another before it ends.
WRITE = """
import sys
from caveat.core.files import writing
with writing(sys.argv[1]) as out:
    out.write("theirs\\n"); out.flush()
    print("begun", flush=True)
    sys.stdin.readline()
"""


def begin(target: Path) -> subprocess.Popen[str]:
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITE, str(target)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert writer.stdout is not None
    assert writer.stdout.readline() == "begun\n"
    part_files._parts_in.cache_clear()  # as another process finds the folder
    return writer


def write(target: Path, text: str) -> None:
    with writing(target) as out:
        out.write(text)


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_what_a_killed_writer_has_left_is_removed_by_the_next(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    others = [
        ".out.json.part",
        ".out.json.12345678.part.txt",
        ".out.json.draft.part",
        ".more.json.abcdefgh.part",
    ]
    for name in others:
        (tmp_path / name).write_text("not ours")
    with begin(target) as writer:
        writer.kill()
    assert len(names(tmp_path)) == len(others) + 1
    write(target, "ours\n")
    assert names(tmp_path) == sorted([*others, "out.json"])
    assert target.read_text() == "ours\n"


def test_what_another_process_is_writing_stays(tmp_path: Path) -> None:
    target = tmp_path / "out.json"
    with begin(target) as writer:
        write(target, "ours\n")
        assert target.read_text() == "ours\n"
        assert len(names(tmp_path)) == 2
        writer.communicate("\n")
    assert writer.returncode == 0
    assert target.read_text() == "theirs\n"
    assert names(tmp_path) == ["out.json"]


def test_a_part_that_is_removed_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import fcntl

    real, removed = fcntl.flock, []

    def removing(handle: int, operation: int) -> None:
        if not removed:
            removed.extend(tmp_path.iterdir())
            part_files._remove_if_left(removed[0])
        real(handle, operation)

    monkeypatch.setattr(fcntl, "flock", removing)
    write(tmp_path / "out.json", "ours\n")
    assert len(removed) == 1
    assert names(tmp_path) == ["out.json"]
