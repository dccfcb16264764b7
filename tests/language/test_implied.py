from __future__ import annotations

import pytest

from caveat.language.implied import implied


@pytest.mark.parametrize(
    ("asked", "yes", "other", "follows"),
    [
        ("Have you worked here for under 1 year?", True, "Have you worked here for over 1 year?", False),
        ("Have you worked here for over 5 years?", True, "Have you worked here for over 1 year?", True),
        ("Have you worked here for over 1 year?", True, "Have you worked here for over 5 years?", None),
        ("Have you worked here for over 1 year?", False, "Have you worked here for over 5 years?", False),
        ("Are you under 18?", True, "Are you over 60?", False),
        ("Are you under 18?", False, "Are you over 60?", None),
        # Another measure, or another matter.
        ("Are you under 18?", True, "Have you worked here for over 1 year?", None),
        ("Is your hive under 2 years old?", True, "Did you wait at the harbour for over 5 years?", None),
        ("Do you keep bees?", True, "Are you over 60?", None),
        ("累计缴费时间满5年不足10年吗？", True, "累计缴费时间10年以上吗？", False),
        ("累计缴费时间满5年不足10年吗？", False, "累计缴费时间10年以上吗？", None),
    ],
)
def test_what_follows(asked: str, yes: bool, other: str, follows: bool | None) -> None:
    assert implied(asked, yes, other) is follows
