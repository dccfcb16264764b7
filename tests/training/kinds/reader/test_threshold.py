from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.training.fitting import Sure, calibration_error, tuned_threshold

some = st.builds(
    Sure, st.sampled_from([0.1, 0.2, 0.35, 0.5, 0.8, 0.95]), st.booleans(), st.booleans()
).filter(lambda each: each.answerable or not each.right)


def done_right(sure: list[Sure], threshold: float) -> int:
    return sum(each.right if each.probability >= threshold else not each.answerable for each in sure)


@given(st.lists(some))
def test_no_other_threshold_does_more_questions_right(sure: list[Sure]) -> None:
    chosen = done_right(sure, tuned_threshold(sure))
    assert chosen == max(done_right(sure, each / 100) for each in range(101))


def test_worked_out_by_hand() -> None:
    sure = [Sure(0.2, False, False), Sure(0.4, False, False), Sure(0.6, True, True), Sure(0.9, True, True)]
    assert tuned_threshold(sure) == pytest.approx(0.5)
    # All are answered where all have answers.
    assert tuned_threshold(sure[2:]) == 0
    # 0.2 and 0.4 that are wrong, 0.6 and 0.9 that are right, each alone in its bin.
    assert calibration_error(sure) == pytest.approx((0.2 + 0.4 + 0.4 + 0.1) / 4)
    assert calibration_error([]) == 0
