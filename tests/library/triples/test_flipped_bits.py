"""A bit that is flipped anywhere in an index is found, or changes nothing: there are no wrong answers in silence."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from caveat.core.errors import InputError
from caveat.library.triples.build import build_index
from caveat.library.triples.store import KnowledgeStore
from caveat.sources.triples import INDEX_FILE

# More than the bytes that share a checksum in most sections, so that what is not looked at can be damaged unseen.
TOWNS = [f"Town {number}" for number in range(400)]
QUESTIONS = ["Who leads Town 7?", "Town 399", "Who leads Twn 123?", "nothing here"]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("flips")
    lines = [f"{town} ||| mayor ||| Person {number}\n" for number, town in enumerate(TOWNS)]
    (folder / "towns.kb").write_text("".join(lines))
    build_index([folder / "towns.kb"], folder / "index")
    return folder / "index"


def looked_up(folder: Path) -> list[object]:
    store = KnowledgeStore.open(folder)
    found: list[object] = [store.mentions(question) for question in QUESTIONS]
    return [*found, store.attributes("Town 250"), store.attributes("Town"), store.entities_named("town 12")]


def test_every_flip_is_found_or_harmless(
    index: Path, tmp_path: Path, times: Callable[[str, int], int]
) -> None:
    flips = times("flips", 250)
    expected = looked_up(index)
    sound = (index / INDEX_FILE).read_bytes()
    damaged = tmp_path / INDEX_FILE
    chance = random.Random(0)
    found = 0
    for _ in range(flips):
        data = bytearray(sound)
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        damaged.write_bytes(data)
        try:
            assert looked_up(tmp_path) == expected
        except InputError:
            found += 1
    assert found > flips // 4


def test_all_that_is_read_is_checked(index: Path, tmp_path: Path) -> None:
    """With every entity and every triple read, no flip in what they consist of goes unseen."""
    sound = (index / INDEX_FILE).read_bytes()
    at = sound.index(b"Person 399")
    (tmp_path / INDEX_FILE).write_bytes(sound[:at] + b"p" + sound[at + 1 :])
    store = KnowledgeStore.open(tmp_path)
    with pytest.raises(InputError, match=r"is damaged, make it again .*: a checksum is wrong"):
        list(store.triples())
