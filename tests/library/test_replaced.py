"""Reading a library at the very moment at which another process replaces its state."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caveat.answerers.engine import Engine
from caveat.core.errors import InputError
from caveat.library import folder as library_folder
from caveat.library.indexing import ask_library
from caveat.library.library import Library

TRIPLES = b"heron ||| colour ||| %s\n"


@pytest.fixture
def other(tmp_path: Path) -> Library:
    """The library as the process has it that writes."""
    library = Library.create(tmp_path / "library")
    library.put("a.txt", b"The heron is grey.")
    library.put("birds.kb", TRIPLES % b"grey")
    return library


def replacing(other: Library, act: Callable[..., Any], times: int = 2) -> Callable[..., Any]:
    """Replaces the state right before the first few calls."""
    left = [times]

    def acted(*arguments: Any, **named: Any) -> Any:
        if left[0]:
            left[0] -= 1
            other.put("a.txt", f"The heron was seen {left[0]} times.".encode())
            other.put("birds.kb", TRIPLES % f"white {left[0]}".encode())
        return act(*arguments, **named)

    return acted


@pytest.mark.parametrize("stage", ["damages", "read_catalogue", "RecordFile", "TantivyEngine"])
def test_opened_while_the_state_is_replaced(
    other: Library, stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other.state()
    library = Library(tmp_path / "library")
    real = getattr(library_folder, stage)
    monkeypatch.setattr(library_folder, stage, replacing(other, real))
    # What the other opens for itself is not replaced under its hands.
    monkeypatch.setattr(other._store, "_load", lambda: None)
    monkeypatch.setattr(other, "state", lambda: None)
    assert [hit.text for hit in library.search("heron")] == ["The heron was seen 0 times."]


def test_verified_while_the_state_is_replaced(
    other: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library.open(tmp_path / "library")
    monkeypatch.setattr(library_folder, "damages", replacing(other, library_folder.damages, 1))
    monkeypatch.setattr(other, "state", lambda: None)
    assert library.verify() == ()


def test_asked_while_the_state_is_replaced(
    other: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library, engine = Library.open(tmp_path / "library"), Engine([])
    library.remove(["a.txt"])
    monkeypatch.setattr(engine, "ask", replacing(other, engine.ask, 1))
    other.remove(["birds.kb"])
    other.put("birds.kb", TRIPLES % b"grey")
    other_put = other.put
    monkeypatch.setattr(other, "put", lambda name, data: name == "birds.kb" and other_put(name, data))
    reply = ask_library(engine, library, "What colour is the heron?")
    assert reply.answers[0].text == "white 0"
    assert reply.answers[0].place is not None
    assert reply.answers[0].place.source == "birds.kb"


def test_a_state_that_holds_is_not_opened_again_and_again(other: Library, tmp_path: Path) -> None:
    next((tmp_path / "library").rglob("records-*")).unlink()
    with pytest.raises(InputError, match="make the library again"):
        Library.open(tmp_path / "library")
