"""What happens to an index when its successor is killed, runs out of disk, or is built twice at once."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from caveat.core.errors import CaveatError
from caveat.core.part_files import workplace
from caveat.library.triples.build import build_index
from caveat.library.triples.store import KnowledgeStore
from caveat.sources.triples import INDEX_FILE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="needs signals, locks and limits of POSIX"),
]

Script = Callable[..., str]

# Builds the two knowledge bases in turns, in a child that is killed at a random moment; then the index must be
# the whole of the one or the other.
KILL = """
import os, random, signal, sys, time
from caveat.sources.triple_lines import read_triples
from caveat.library.triples.build import build_index
from caveat.library.triples.store import KnowledgeStore

kills, out, *sources = sys.argv[1:]
expected = {frozenset(read_triples(source)): source for source in sources}
for source in sources:
    begin = time.perf_counter()
    build_index([source], out)
took = time.perf_counter() - begin
random.seed(43)
left, seen = 0, []
for _ in range(int(kills)):
    child = os.fork()
    if not child:
        while True:
            for source in sources:
                build_index([source], out)
    time.sleep(random.uniform(0, 3 * took))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    left += any(name.startswith(".building-") for name in os.listdir(out))
    triples = list(KnowledgeStore.open(out).triples())
    assert len(triples) == len(set(triples))
    seen.append(expected[frozenset(triples)])
build_index([sources[0]], out)
print(left, len(seen))
"""

# Reads all the time while the index is replaced.
READ = """
import os, sys, time
from caveat.sources.triple_lines import read_triples
from caveat.library.triples.build import build_index
from caveat.library.triples.store import KnowledgeStore

out, *sources = sys.argv[1:]
expected = {frozenset(read_triples(source)) for source in sources}
build_index([sources[0]], out)

def read():
    end = time.monotonic() + 0.5
    while time.monotonic() < end:
        store = KnowledgeStore.open(out)
        assert frozenset(store.triples()) in expected
        assert store.entities_named("entity 7") == ("entity 7",)
        assert [mention.text for mention in store.mentions("who is entity 7?")] == ["entity 7"]

children = []
for _ in range(4):
    child = os.fork()
    if not child:
        try:
            read()
        except BaseException:
            os._exit(1)
        os._exit(0)
    children.append(child)
for source in sources * 2:
    build_index([source], out)
print(sum(os.waitpid(child, 0)[1] != 0 for child in children))
"""

# A limit on the size of files stands for a disk that is full.
FILL = """
import resource, sys
from caveat.core.errors import CaveatError
from caveat.library.triples.build import build_index

out, source, limit = sys.argv[1:]
resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
try:
    build_index([source], out)
except CaveatError as error:
    print(error)
"""


def write(path: Path, first: int, last: int) -> Path:
    lines = (
        f"entity {number % 400} ||| attribute {number % 30} ||| value {number}\n"
        for number in range(first, last)
    )
    path.write_text("".join(lines))
    return path


def test_killed_at_random_moments(tmp_path: Path, times: Callable[[str, int], int], script: Script) -> None:
    sources = [write(tmp_path / "a.kb", 0, 2000), write(tmp_path / "b.kb", 1000, 4000)]
    kills = times("kills", 20)
    left, checked = map(int, script(KILL, kills, tmp_path / "index", *sources).split())
    assert checked == kills
    assert left > 0, "no build was killed in the middle"
    assert os.listdir(tmp_path / "index") == [INDEX_FILE], (
        "the next build takes away what killed ones have left"
    )


def test_several_processes_read_while_the_index_is_replaced(tmp_path: Path, script: Script) -> None:
    sources = [write(tmp_path / "a.kb", 0, 1000), write(tmp_path / "b.kb", 0, 1500)]
    assert script(READ, tmp_path / "index", *sources) == "0\n"


@pytest.mark.parametrize("limit", [5_000, 60_000, 150_000])
def test_a_full_disk_leaves_the_old_index(tmp_path: Path, limit: int, script: Script) -> None:
    old, new = write(tmp_path / "a.kb", 0, 10), write(tmp_path / "b.kb", 0, 5000)
    build_index([old], tmp_path / "index")
    sentence = script(FILL, tmp_path / "index", new, limit)
    assert "index cannot be written: file too large. An index that was there is as it was." in sentence
    assert os.listdir(tmp_path / "index") == [INDEX_FILE]
    assert len(KnowledgeStore.open(tmp_path / "index")) == 10


def test_a_store_outlives_the_replacement_of_its_file(tmp_path: Path) -> None:
    build_index([write(tmp_path / "a.kb", 0, 10)], tmp_path / "index")
    store = KnowledgeStore.open(tmp_path / "index")
    build_index([write(tmp_path / "b.kb", 100, 150)], tmp_path / "index")
    assert [triple.object for triple in store.attributes("entity 3")] == ["value 3"]


def test_two_builds_at_once(tmp_path: Path) -> None:
    source = write(tmp_path / "a.kb", 0, 10)
    with workplace(tmp_path / "index") as folder:
        with pytest.raises(CaveatError, match="is being written by another process at the moment"):
            build_index([source], tmp_path / "index")
        assert folder.is_dir()
    assert not (tmp_path / "index").exists()


def test_the_command_is_killed(tmp_path: Path) -> None:
    source = write(tmp_path / "a.kb", 0, 60_000)
    build_index([write(tmp_path / "b.kb", 0, 10)], tmp_path / "index")
    building = subprocess.Popen(
        [sys.executable, "-m", "caveat", "index", str(source), "--out", str(tmp_path / "index")]
    )
    while building.poll() is None and len(os.listdir(tmp_path / "index")) == 1:
        time.sleep(0.001)
    building.kill()
    building.wait()
    assert len(KnowledgeStore.open(tmp_path / "index")) == 10
    assert build_index([source], tmp_path / "index").triples == 60_000
    assert os.listdir(tmp_path / "index") == [INDEX_FILE]
