"""A model that borrows its embeddings from the one beside it gives what it gave with its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from caveat.core.errors import InputError
from caveat.models.borrowed import BORROWED, read_borrowed
from caveat.models.embedded import embedded
from caveat.models.judge import Judge

PAIRS = [
    ("Can dogs come in?", "Dogs are not allowed in the garden."),
    ("Is tea sold?", "The shop sells tea."),
]


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    for name in ("judge-zh", "reader-zh"):
        shutil.copytree(embedded()[name], tmp_path / name)
    return tmp_path / "judge-zh"


def test_it_reads_with_what_it_borrows(beside: Path) -> None:
    borrowed = read_borrowed(beside)
    assert borrowed is not None
    assert borrowed.model == "reader-zh"
    verdicts = Judge.load(beside, threads=1).judge(PAIRS)
    assert verdicts == Judge.load(embedded()["judge-zh"], threads=1).judge(PAIRS)


def test_a_lender_that_is_gone_or_has_changed(beside: Path) -> None:
    lender = beside.parent / "reader-zh" / "model.onnx"
    values = bytearray(lender.read_bytes())
    borrowed = read_borrowed(beside)
    assert borrowed is not None
    values[borrowed.offset + 7] ^= 1
    lender.write_bytes(values)
    with pytest.raises(InputError, match="which has changed"):
        Judge.load(beside, threads=1).judge(PAIRS)
    lender.unlink()
    with pytest.raises(InputError, match="cannot be read"):
        Judge.load(beside, threads=1).judge(PAIRS)


@pytest.mark.parametrize("name", ["../reader-zh", "/etc", ""])
def test_nothing_is_borrowed_from_elsewhere(beside: Path, name: str) -> None:
    path = beside / BORROWED
    path.write_text(path.read_text(encoding="utf-8").replace("reader-zh", name), encoding="utf-8")
    with pytest.raises(InputError, match="names no model beside its own"):
        read_borrowed(beside)
