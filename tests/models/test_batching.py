"""Batches of about one length."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from caveat.models.batching import Window, batches, collate
from caveat.models.encoding import EncodedText
from caveat.models.pairs import PairLayout


@given(st.lists(st.integers(1, 400)), st.integers(1, 2000), st.floats(0, 0.5))
def test_every_window_once_within_the_limits(lengths: list[int], tokens: int, padding: float) -> None:
    cut = batches(lengths, tokens=tokens, padding=padding)
    assert sorted(index for batch in cut for index in batch) == list(range(len(lengths)))
    for batch in cut:
        longest = max(lengths[index] for index in batch)
        padded = longest * len(batch)
        assert padded <= tokens or len(batch) == 1
        assert padded - sum(lengths[index] for index in batch) <= padding * padded + 1e-9


def test_by_hand() -> None:
    # 100 + 95 share a batch (5 of 200 padded), 50 would pad 55 of 300; two of 50 fit in 200.
    assert batches([50, 100, 95, 50], tokens=300, padding=0.1) == [[1, 2], [0, 3]]
    assert batches([10] * 5, tokens=20) == [[0, 1], [2, 3], [4]]
    assert batches([]) == []


def test_rows() -> None:
    def array(*values: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
        return np.array(values, dtype=np.int32)

    text = EncodedText("abcd", array(11, 12, 13, 14), array(0, 1, 2, 3), array(1, 2, 3, 4))
    windows = [Window(0, array(21, 22), text, 1, 4), Window(1, array(23), text, 0, 1)]
    batch = collate(windows, PairLayout((1,), (2, 2), (3,), 0, 1, 9))
    assert batch.input_ids.tolist() == [[1, 21, 22, 2, 2, 12, 13, 14, 3], [1, 23, 2, 2, 11, 3, 9, 9, 9]]
    assert batch.attention_mask.tolist() == [[1] * 9, [1] * 6 + [0] * 3]
    assert batch.token_type_ids.tolist() == [[0] * 5 + [1] * 4, [0] * 4 + [1] * 2 + [0] * 3]
    assert batch.context == [5, 4]
