"""What happens to a library when its writer is killed, runs out of disk, or there are two of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from caveat.core.errors import CaveatError
from caveat.core.part_files import workplace
from caveat.library.library import Library

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="needs signals, locks and limits of POSIX"),
]

Script = Callable[..., str]

# Adds one of two folders and removes the other, in a child that is killed at a random moment; then the library must be
# as it was before a step or after it.
KILL = """
import os, random, signal, sys, time
from caveat.library.library import Library

kills, out, first, second = sys.argv[1:]
library = Library.create(out)
library.add([first])
states = [sorted(entry.source for entry in library.entries())]
library.add([second])
states.append(sorted(entry.source for entry in library.entries()))
library.remove([first])
states.append(sorted(entry.source for entry in library.entries()))
begin = time.perf_counter()
library.add([first])
took = time.perf_counter() - begin
library.remove([second])
random.seed(11)
left = 0
for _ in range(int(kills)):
    child = os.fork()
    if not child:
        own = Library.open(out)
        while True:
            own.add([second])
            own.remove([first])
            own.add([first])
            own.remove([second])
    time.sleep(random.uniform(0, 4 * took))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    left += any(name.startswith(".building-") for name in os.listdir(out))
    found = Library.open(out)
    assert found.verify() == (), found.verify()
    names = sorted(entry.source for entry in found.entries())
    assert names in states, names
    folders = {os.path.basename(os.path.dirname(name)) for name in names}
    hits = {os.path.basename(os.path.dirname(hit.source)) for hit in found.search("heron", 40)}
    assert hits == folders, (hits, folders)
    own = Library.open(out)
    own.add([first])
    if any(os.path.basename(os.path.dirname(name)) == "b" for name in names):
        own.remove([second])
print(left)
"""

# A limit on the size of files stands for a disk that is full.
FILL = """
import resource, sys
from caveat.core.errors import CaveatError
from caveat.library.library import Library

out, source, limit = sys.argv[1:]
library = Library.open(out)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
try:
    library.add([source])
except CaveatError as error:
    print(error)
"""


def write(folder: Path, count: int, words: int = 30) -> Path:
    folder.mkdir()
    for number in range(count):
        text = " ".join(f"{folder.name}{number * words + word}" for word in range(words))
        (folder / f"{number}.txt").write_text(f"The heron {number} of {folder.name}. {text}")
    (folder / "facts.kb").write_text(f"heron ||| colour ||| {folder.name}\n")
    return folder


def test_killed_at_random_moments(tmp_path: Path, times: Callable[[str, int], int], script: Script) -> None:
    first, second = write(tmp_path / "a", 10), write(tmp_path / "b", 15)
    left = int(script(KILL, times("kills", 20), tmp_path / "library", first, second))
    assert left > 0, "no writer was killed in the middle"
    names = os.listdir(tmp_path / "library")
    assert len(names) == 2, "the next writer takes away what killed ones have left"


@pytest.mark.parametrize("limit", [300, 2_000, 20_000])
def test_a_full_disk_leaves_the_library_as_it_was(tmp_path: Path, limit: int, script: Script) -> None:
    library = Library.create(tmp_path / "library")
    library.add([write(tmp_path / "a", 2)])
    before = library.entries()
    sentence = script(FILL, tmp_path / "library", write(tmp_path / "b", 60, 400), limit)
    assert (
        sentence == f"{tmp_path / 'library'} cannot be written: file too large. The library is as it was.\n"
    )
    assert Library.open(tmp_path / "library").entries() == before
    assert library.verify() == ()
    assert len(os.listdir(tmp_path / "library")) == 2


def test_two_writers_at_once(tmp_path: Path) -> None:
    library = Library.create(tmp_path / "library")
    with (
        workplace(tmp_path / "library"),
        pytest.raises(CaveatError, match="is being written by another process at the moment"),
    ):
        library.add([write(tmp_path / "a", 2)])
    assert library.entries() == ()


def test_a_state_that_is_open_outlives_the_next(tmp_path: Path) -> None:
    library = Library.create(tmp_path / "library")
    library.add([write(tmp_path / "a", 3)])
    state = library.state()
    library.remove([str(tmp_path / "a")])
    assert len(state.search("heron")) == 3
    assert library.search("heron") == []
