from __future__ import annotations

import pytest

from caveat.answerers.knowledge.values import parts_of


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        ("秦婉，王蓉", ("秦婉", "王蓉")),
        ("望远镜、显微镜、测距仪", ("望远镜", "显微镜", "测距仪")),
        ("秦婉", ()),
        ("1,830平方公里", ()),
        ("1998/3/2", ()),
        ("《山，水》、《花》", ("《山，水》", "《花》")),
        ("秦婉（工程师、作家），王蓉", ("秦婉（工程师、作家）", "王蓉")),
        ("他走了，又来了。后来呢，没有人知道。", ()),
        ("Paris, France", ()),
        ("Paris; London", ("Paris", "London")),
        ("iron, copper, tin", ("iron", "copper", "tin")),
        ("，", ()),
        ("秦婉，秦婉", ()),
        ("", ()),
    ],
)
def test_a_value_that_holds_several_is_taken_apart(value: str, parts: tuple[str, ...]) -> None:
    assert parts_of(value) == parts


def test_a_text_is_one_value_however_long() -> None:
    assert parts_of("一，二" * 500_000) == ()
    assert parts_of("、".join(["长" * 31, "短"])) == ()
