"""Files, folders and libraries that whoever runs Caveat may not read, or may not write."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from caveat.library.library import Library

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="permissions as Linux has them"),
]

Run = Callable[..., tuple[int, str]]
# PR_CAPBSET_DROP of CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: permissions hold for root as well.
_DROP, _CAPABILITIES = 24, (1, 2)


def _ordinary() -> None:
    for capability in _CAPABILITIES:
        ctypes.CDLL(None).prctl(_DROP, capability, 0, 0, 0)


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """A command as someone types it who may do no more than the permissions say."""

    def run(*arguments: object) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=_ordinary if os.geteuid() == 0 else None,
            env={**os.environ, "NO_COLOR": "1", "COLUMNS": "120"},
        )
        assert "Traceback" not in done.stderr
        return done.returncode, done.stderr or done.stdout

    (tmp_path / "closed").touch(0o000)
    if run("-c", "import os; print(os.access('closed', os.R_OK))")[1] != "False\n":
        pytest.skip("permissions do not hold here")
    (tmp_path / "closed").unlink()
    return run


@pytest.fixture
def texts(tmp_path: Path) -> Iterator[Path]:
    texts = tmp_path / "texts"
    (texts / "deep").mkdir(parents=True)
    (texts / "heron.txt").write_text("The heron is grey.")
    (texts / "deep" / "owl.txt").write_text("The owl is brown.")
    (texts / "birds.kb").write_text("heron ||| colour ||| grey\n")
    yield texts
    for path in (texts, *tmp_path.rglob("*")):
        if path.is_dir():
            path.chmod(0o700)  # so that it can be taken away


def names(tmp_path: Path) -> list[str]:
    return sorted(os.path.basename(entry.source) for entry in Library.open(tmp_path / "library").entries())


ALL = ["birds.kb", "heron.txt", "owl.txt"]


def test_what_cannot_be_read_any_more_stays(run: Run, texts: Path, tmp_path: Path) -> None:
    assert run("-m", "caveat", "index", "texts", "--out", "library")[0] == 0
    (texts / "heron.txt").write_text("The heron is white.")
    for path in (texts / "heron.txt", texts / "deep"):
        path.chmod(0o000)
    code, said = run("-m", "caveat", "index", "texts", "--out", "library")
    assert code == 0
    assert said.splitlines() == [
        "caveat: not read: texts/deep: cannot be opened: permission denied.",
        "caveat: not read: texts/heron.txt: cannot be read: permission denied.",
    ]
    assert names(tmp_path) == ALL


@pytest.mark.parametrize(
    ("closed", "named"),
    [("deep", "deep"), ("deep", "deep/owl.txt"), ("heron.txt", "heron.txt"), ("birds.kb", "birds.kb")],
)
def test_what_is_named_and_cannot_be_read_is_an_error(run: Run, texts: Path, closed: str, named: str) -> None:
    (texts / closed).chmod(0o000)
    sentence = rf"caveat: texts/{named}: cannot be (opened|read): permission denied\n"
    for command in (("index", f"texts/{named}", "--out", "library"), ("ask", "Which?", f"texts/{named}")):
        code, said = run("-m", "caveat", *command)
        assert code == 1
        assert re.fullmatch(sentence, said), said


def test_a_library_that_may_be_read_and_not_written(run: Run, texts: Path, tmp_path: Path) -> None:
    Library.create(tmp_path / "library").add([texts])
    for path in (tmp_path / "library", *(tmp_path / "library").rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    search = "from caveat import Library; print(Library.open('library').search('heron')[0].text)"
    assert run("-c", search) == (0, "The heron is grey.\n")
    where = tmp_path / "library"
    sentence = f"caveat: {where} cannot be written: permission denied. The library is as it was.\n"
    assert run("-m", "caveat", "library", "remove", "library", "texts") == (1, sentence)
    assert names(tmp_path) == ALL


def test_a_library_that_may_not_be_read_is_not_called_damaged(run: Run, texts: Path, tmp_path: Path) -> None:
    Library.create(tmp_path / "library").add([texts])
    catalogue = next((tmp_path / "library").glob("state-*/catalogue"))
    catalogue.chmod(0o000)
    sentence = f"caveat: {catalogue}: cannot be read: permission denied\n"
    assert run("-m", "caveat", "library", "list", "library") == (1, sentence)
    catalogue.chmod(0o600)
    assert names(tmp_path) == ALL
