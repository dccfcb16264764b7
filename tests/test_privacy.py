"""No command opens a connection that leaves the machine, or writes outside the folders that it is told.

ONNX Runtime did both, for its maker, before its telemetry was switched off.
"""

from __future__ import annotations

import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Watch = Callable[..., Any]


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "hall.md"
    path.write_text("# Swimming hall\n\nThe entrance fee is 4 euros. Children pay nothing.\n")
    return path


def test_ask_writes_nothing_and_reaches_nobody(watched: Watch, page: Path) -> None:
    found = watched("ask", "What is the entrance fee?", page)
    assert found.addresses == set()
    assert found.written == set()


def test_ask_of_a_folder_writes_only_the_cache_folder(watched: Watch, page: Path) -> None:
    folder = page.parent / "texts"
    folder.mkdir()
    for number in range(30):
        (folder / f"{number}.md").write_text(f"The entrance fee of hall {number} is {number} euros.\n")
    asked = ("ask", "What is the entrance fee of hall 7?", folder)
    found = watched(*asked, "--no-cache")
    assert (found.addresses, found.written) == (set(), set())
    cache = page.parent / "home" / ".cache" / "caveat"
    found = watched(*asked)
    assert found.addresses == set()
    assert cache / "folders" in found.written
    assert [path for path in found.written if not path.is_relative_to(cache) and path != cache.parent] == []
    assert watched("cache", "clear").written == set()
    assert list((cache / "folders").iterdir()) == []


def test_index_and_ask_of_a_library_write_only_the_library(watched: Watch, page: Path) -> None:
    library = page.parent / "library"
    made = watched("index", page, "--out", library)
    asked = watched("ask", "What is the entrance fee?", "--library", library)
    assert made.addresses | asked.addresses == set()
    assert [path for path in made.written | asked.written if not path.is_relative_to(library)] == []


def test_a_server_listens_on_this_machine_and_reaches_nobody(watched: Watch, page: Path) -> None:
    def ask(process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        address = next(word for line in process.stdout for word in line.split() if word.startswith("http://"))
        body = b'{"question": "What is the entrance fee?", "sources": [{"name": "a.md", "text": "The fee is 4."}]}'
        request = urllib.request.Request(
            address.rstrip("/.,") + "/ask", data=body, headers={"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=60) as reply:
            assert reply.status == 200
        time.sleep(3)  # ONNX Runtime looked up its maker some seconds after the first session

    found = watched("serve", "--port", 0, until=ask)
    assert found.addresses == set()
    assert found.written == set()


def test_a_project_of_annotators_is_the_only_file_that_is_written(watched: Watch, page: Path) -> None:
    project = page.parent / "work.project"
    found = watched("annotate", "new", project, "--task", "squad2", "--data", page)
    assert found.addresses == set()
    assert [path for path in found.written if not path.name.lstrip(".").startswith("work.project")] == []


def test_whoever_imports_caveat_has_the_telemetry_of_onnxruntime_switched_off() -> None:
    script = "import os, caveat; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    assert (
        subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout.strip() == "1"
    )


def test_one_module_alone_imports_onnxruntime() -> None:
    source = Path(__file__).parents[1] / "src" / "caveat"
    importing = {
        str(path.relative_to(source))
        for path in source.rglob("*.py")
        if any(line.strip() == "import onnxruntime" for line in path.read_text().splitlines())
    }
    assert importing == {"models/session.py"}
