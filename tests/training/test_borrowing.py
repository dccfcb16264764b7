"""A model that gives back what it borrows is the model that it was."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

from caveat.core.errors import CaveatError, InputError
from caveat.models.card import Card, check_model, read_card
from caveat.models.reader import Reader
from caveat.models.session import BORROWED, SPAN_OUTPUTS, read_borrowed
from caveat.models.windowed_model import ReadRequest
from caveat.training.export import borrow, export_network, own_again
from caveat.training.kinds.reader.network import new_reader

CARD = Card(
    name="small",
    task="reader",
    language="en",
    encoder="small",
    licence="none",
    window=64,
    stride=16,
    max_question_tokens=24,
)
REQUESTS = [ReadRequest("When was the mill built?", "The mill was built in 1820 by Ada Finch.")]


@pytest.fixture
def borrower(encoder_folder: Path, tmp_path: Path) -> Path:
    """A reader with the embeddings of another one beside it, as of one encoder; with a file of its own."""
    for name in ("lender", "borrower"):
        reader, tokenizer = new_reader(str(encoder_folder))
        export_network(reader, SPAN_OUTPUTS, tokenizer, tmp_path / name, CARD, precision="int8")
    folder = tmp_path / "borrower"
    (folder / "relations.json").write_text("{}")
    return folder


def test_it_is_again_what_it_was(borrower: Path) -> None:
    before = read_card(borrower)
    found = list(Reader.load(borrower, threads=1).read(REQUESTS))
    size = (borrower / "model.onnx").stat().st_size
    borrow(borrower, borrower.parent / "lender")
    assert (borrower / "model.onnx").stat().st_size < size
    assert list(Reader.load(borrower, threads=1).read(REQUESTS)) == found
    card = own_again(borrower)
    assert not (borrower / BORROWED).exists()
    assert read_borrowed(borrower) is None
    assert card == read_card(borrower)
    assert set(card.files) == {"tokenizer.json", "relations.json"}
    assert card.name == before.name
    shutil.rmtree(borrower.parent / "lender")
    check_model(borrower, card)
    assert list(Reader.load(borrower, threads=1).read(REQUESTS)) == found
    assert sorted(path.name for path in borrower.iterdir()) == [
        *("card.json", "model.onnx", "relations.json", "tokenizer.json"),
    ]


def test_what_cannot_be_given_back(borrower: Path) -> None:
    with pytest.raises(CaveatError, match="borrows nothing"):
        own_again(borrower)
    borrow(borrower, borrower.parent / "lender")
    lent = json.loads((borrower / BORROWED).read_text())
    kept = {path.name: path.read_bytes() for path in borrower.iterdir()}
    (borrower / BORROWED).write_text(json.dumps({**lent, "tensor": "other"}))
    with pytest.raises(CaveatError, match="other, which its graph does not have"):
        own_again(borrower)
    (borrower / BORROWED).write_bytes(kept[BORROWED])
    (borrower.parent / "lender" / "model.onnx").write_bytes(b"")
    with pytest.raises(InputError, match="which has changed"):
        own_again(borrower)
    assert {path.name: path.read_bytes() for path in borrower.iterdir()} == kept
