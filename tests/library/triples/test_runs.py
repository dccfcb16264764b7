"""Sorting on disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.library.triples import runs
from caveat.library.triples.runs import SortedRuns

ROW = np.dtype([("hash", "<u8"), ("size", "<u4")])
HASHES = st.integers(0, 2**64 - 1) | st.sampled_from([0, 1, 2**52, 2**63, 2**64 - 1])
BATCHES = st.lists(st.lists(st.tuples(HASHES, st.binary(max_size=5)), min_size=1, max_size=9), max_size=6)


def rows_of(batch: list[tuple[int, bytes]]) -> np.ndarray[tuple[int], np.dtype[np.void]]:
    return np.array([(hash, len(piece)) for hash, piece in batch], dtype=ROW)


@settings(max_examples=40)
@given(BATCHES)
def test_everything_comes_out_sorted_and_in_its_order(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[tuple[int, bytes]]]
) -> None:
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "_ROWS_AT_ONCE", 4)
        sorted_runs = SortedRuns(folder, "x", ROW)
        for batch in batches:
            sorted_runs.add(rows_of(batch), [piece for _, piece in batch])
        found = []
        for low, high in sorted_runs.ranges():
            rows, starts, text = sorted_runs.read(low, high)
            for row, start in zip(rows, starts, strict=True):
                found.append((int(row["hash"]), text[start : start + int(row["size"])]))
        sorted_runs.remove()
    assert found == sorted((pair for batch in batches for pair in batch), key=lambda pair: pair[0])
    assert list(folder.iterdir()) == []


def test_ranges_are_small_and_complete(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "_ROWS_AT_ONCE", 100)
    sorted_runs = SortedRuns(tmp_path, "x", np.dtype([("hash", "<u8")]))
    hashes = np.random.default_rng(1).integers(0, 2**64, 1000, dtype=np.uint64)
    for part in np.split(hashes, 10):
        sorted_runs.add(part.view([("hash", "<u8")]))
    ranges = sorted_runs.ranges()
    assert [low for low, _ in ranges] == [0, *(high for _, high in ranges[:-1])]
    parts = [sorted_runs.read(low, high).rows["hash"] for low, high in ranges]
    assert max(map(len, parts)) <= 100 < 1000 == sum(map(len, parts))
    assert np.concatenate(parts).tolist() == sorted(hashes.tolist())
    sorted_runs.remove()
