"""Hashes: the same by every way of computing them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from caveat.library.triples.folding import Checks, Substrings, code_points, hash_codes, spans_of


def one_by_one(texts: list[str]) -> list[int]:
    return [int(hash_codes(code_points(text).tolist())) for text in texts]


@given(st.lists(st.text(), max_size=8))
def test_many_texts_at_once(texts: list[str]) -> None:
    spans = spans_of(np.array(list(map(len, texts)), dtype=np.int64))
    codes = code_points("".join(texts))
    assert Substrings(codes).hashes(*spans).tolist() == one_by_one(texts)
    # The second value is the same for the same text, wherever it stands, and another one for another.
    checks = Checks(codes).values(*spans).tolist()
    assert len(set(checks)) == len(set(texts)) == len(set(zip(checks, texts, strict=True)))


def test_bytes_are_hashed_as_they_are() -> None:
    data = "青石桥 ||| 长度".encode()
    found = Substrings(np.frombuffer(data, np.uint8)).hashes(np.array([0]), np.array([9]))
    assert found[0] == hash_codes("青石桥".encode())


@given(st.text(min_size=1), st.data())
def test_substrings(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    out = data.draw(st.integers(start, end - 1))
    places = [np.array([place]) for place in (start, end, out)]
    hashes = Substrings(code_points(text))
    assert hashes.hashes(*places[:2])[0] == hash_codes(code_points(text[start:end]).tolist())
    assert hashes.without(*places)[0] == hash_codes(
        code_points(text[start:out] + text[out + 1 : end]).tolist()
    )


def test_a_hash_is_the_same_in_every_process_and_version() -> None:
    # An index holds hashes: a change of these needs a new version of its layout.
    assert one_by_one(["", "a", "青石桥"]) == [0, 0xF2F8EDE6FA70BF5F, 0xD0DCF03E2DEA1AE5]


def test_few_collisions() -> None:
    texts = [f"{a}{b}" for a in "甲乙丙丁ab" for b in range(5_000)]
    assert len(set(one_by_one(texts))) == len(set(texts))
