"""A model that borrows its embeddings from the one beside it gives what it gave with its own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from caveat.core.errors import InputError
from caveat.models.embedded import embedded
from caveat.models.session import BORROWED, read_borrowed
from caveat.models.tagger import Tagger
from caveat.models.windowed_model import ReadRequest

REQUESTS = [ReadRequest("毛囊炎怎么治疗？", "轻者可以外用莫匹罗星软膏，重者需要口服抗生素。")]


@pytest.fixture
def beside(tmp_path: Path) -> Path:
    for name in ("structure-zh", "reader-zh"):
        shutil.copytree(embedded()[name], tmp_path / name)
    return tmp_path / "structure-zh"


def test_it_reads_with_what_it_borrows(beside: Path) -> None:
    borrowed = read_borrowed(beside)
    assert borrowed is not None
    assert borrowed.model == "reader-zh"
    found = list(Tagger.load(beside, threads=1).tag(REQUESTS))
    assert found == list(Tagger.load(embedded()["structure-zh"], threads=1).tag(REQUESTS))


def test_a_lender_that_is_gone_or_has_changed(beside: Path) -> None:
    lender = beside.parent / "reader-zh" / "model.onnx"
    values = bytearray(lender.read_bytes())
    borrowed = read_borrowed(beside)
    assert borrowed is not None
    values[borrowed.offset + 7] ^= 1
    lender.write_bytes(values)
    with pytest.raises(InputError, match="which has changed"):
        list(Tagger.load(beside, threads=1).tag(REQUESTS))
    lender.unlink()
    with pytest.raises(InputError, match="cannot be read"):
        list(Tagger.load(beside, threads=1).tag(REQUESTS))


@pytest.mark.parametrize("name", ["../reader-zh", "/etc", ""])
def test_nothing_is_borrowed_from_elsewhere(beside: Path, name: str) -> None:
    path = beside / BORROWED
    path.write_text(path.read_text(encoding="utf-8").replace("reader-zh", name), encoding="utf-8")
    with pytest.raises(InputError, match="names no model beside its own"):
        read_borrowed(beside)
