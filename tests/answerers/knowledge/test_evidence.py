from __future__ import annotations

import pytest

from caveat.answerers.knowledge.evidence import OBJECT_FEATURES, object_features


@pytest.mark.parametrize(
    ("asked", "object", "expected"),
    [
        ("when", "1998年3月", ["when: date"]),
        ("when", "临江市", ["when: none"]),
        ("when", "12 May 1921", ["when: date"]),
        ("how many", "1,250人", ["how many: number"]),
        ("how many", "三百人", ["how many: number"]),
        ("how many", "很多", ["how many: none"]),
        ("who", "秦婉", ["who: name"]),
        ("who", "1965", ["who: number"]),
        ("where", "临江市", ["where: place"]),
        ("what", "1998年", ["other: number", "other: date"]),
        ("what", "画家", []),
    ],
)
def test_what_an_object_is_good_for(asked: str, object: str, expected: list[str]) -> None:
    found = list(object_features(asked, object))
    assert found == expected
    assert set(found) <= set(OBJECT_FEATURES)


def test_a_huge_object_is_looked_at_only_at_its_head() -> None:
    assert list(object_features("how many", "无" * 2_000_000 + "5")) == ["how many: none"]
