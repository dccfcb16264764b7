"""A bit that is flipped anywhere in a library is found."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from caveat.core.errors import InputError
from caveat.library.library import Library


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.md").write_text(
        "# Herons\n\n" + "\n\n".join(f"Heron {number} eats fish." for number in range(200))
    )
    (tmp_path / "b.csv").write_text("bird,food\nheron,fish\n")
    (tmp_path / "c.kb").write_text("heron ||| food ||| fish\n")
    Library.create(tmp_path / "library").add([tmp_path / name for name in ("a.md", "b.csv", "c.kb")])
    return tmp_path / "library"


def test_every_flip_is_found(folder: Path, times: Callable[[str, int], int]) -> None:
    library = Library(folder)
    assert library.verify() == ()
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.stat().st_size]
    chance = random.Random(3)
    for _ in range(times("flips", 1_000)):
        path = chance.choice(files)
        sound = path.read_bytes()
        data = bytearray(sound)
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
        assert library.verify(), path
        with pytest.raises(InputError, match=r"damaged|version"):
            Library.open(folder)
        path.write_bytes(sound)
    assert library.verify() == ()


def test_a_file_that_is_cut_short_or_gone(folder: Path) -> None:
    library = Library.open(folder)
    records = next(folder.rglob("records-*"))
    data = records.read_bytes()
    records.write_bytes(data[:-1])
    assert [remark.text for remark in library.verify()] == [
        f"has {len(data) - 1:,} bytes and not {len(data):,}"
    ]
    records.unlink()
    assert "cannot be read" in library.verify()[0].text
    with pytest.raises(
        InputError, match=r"records-\d+: cannot be read: no such file.*; make the library again"
    ):
        Library.open(folder)
