from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.benchmarks.cmrc2018.preparation import (
    CLASSICAL,
    MAXIMUM_WORDS,
    NOT_CHINESE,
    SYMBOLS,
    DroppedPassage,
    PreparedPassage,
    count_words,
    prepare,
    reason_to_drop,
    to_passages,
)
from caveat.benchmarks.squad import format as squad

MODERN = "这座小城在河的北岸，城里有三所中学和一家医院，居民大多在附近的工厂上班。"
TRADITIONAL = "這座小城在河的北岸，城裡有三所中學和一家醫院，居民大多在附近的工廠上班。"
CLASSICAL_TEXTS = [
    # The Analects, book 1.
    "子曰：“学而时习之，不亦说乎？有朋自远方来，不亦乐乎？人不知而不愠，不亦君子乎？”",
    # Records of the Grand Historian, Xiang Yu and Chen She.
    "项籍者，下相人也，字羽。初起时，年二十四。其季父项梁，梁父即楚将项燕，为秦将王翦所戮者也。",
    "陈涉太息曰：“嗟乎，燕雀安知鸿鹄之志哉！”",
    # Zhuangzi, Mencius, Han Yu.
    "北冥有鱼，其名为鲲。鲲之大，不知其几千里也。化而为鸟，其名为鹏。鹏之背，不知其几千里也。",
    "孟子对曰：“王何必曰利？亦有仁义而已矣。”",
    "古之学者必有师。师者，所以传道受业解惑也。人非生而知之者，孰能无惑？",
]
ENGLISH = "The town lies on the northern bank of the river and has three good schools."


def test_count_words() -> None:
    assert count_words("他在NBA打了3.5年。") == 7
    assert count_words("NBA、CBA，") == 2
    assert count_words("……") == 0


def test_simplifies_and_keeps_the_span() -> None:
    text = f"\n  {TRADITIONAL}\n"
    (passage,) = prepare(text, source="小城")
    assert passage == PreparedPassage(MODERN, 3, 3 + len(MODERN), 33, "小城")
    assert text[passage.start : passage.end] == TRADITIONAL


def test_simplified_text_is_left_alone() -> None:
    # OpenCC, made for Traditional text, would turn 打坏 into 打坯 here.
    text = "他把杯子打坏了，然后把碎片都扫到了门的后面，没有人看见他在那里做什么。"
    assert [passage.text for passage in prepare(text)] == [text]


def test_short_paragraphs_are_joined_up_to_the_limit() -> None:
    text = "\n".join([MODERN] * 20)  # 33 words each
    passages = list(prepare(text))
    assert [passage.words for passage in passages] == [495, 165]
    assert passages[0].text == "\n".join([MODERN] * 15)
    assert text[passages[1].start : passages[1].end] == passages[1].text == "\n".join([MODERN] * 5)


def test_a_paragraph_that_does_not_fit_begins_a_passage() -> None:
    text = f"{MODERN * 10}\n{MODERN * 10}"
    assert [(passage.start, passage.words) for passage in prepare(text)] == [
        (0, 330),
        (10 * len(MODERN) + 1, 330),
    ]


def test_long_paragraph_is_cut_at_sentences() -> None:
    passages = list(prepare(MODERN * 20))
    assert [passage.words for passage in passages] == [495, 165]
    assert [passage.text for passage in passages] == [MODERN * 15, MODERN * 5]


def test_long_sentence_is_cut_after_a_comma_or_between_words() -> None:
    clauses = "他说这里的风很大，" * 70  # 8 words each
    assert [(passage.words, passage.text[-1]) for passage in prepare(clauses)] == [(496, "，"), (64, "，")]
    assert [passage.words for passage in prepare("的" * 1100)] == [500, 500, 100]
    assert [passage.words for passage in prepare("：" + "的" * 600)] == [500, 100]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (ENGLISH, NOT_CHINESE),
        (MODERN + " " + ENGLISH, NOT_CHINESE),  # 15 of 48 words
        (MODERN + " The town lies on the northern bank.", None),  # 7 of 40 words
        ("2018 2019 2020 共", NOT_CHINESE),
        ("======", NOT_CHINESE),
        ("{| 人口 || 面积 |- | 三万 || 五十 |}", SYMBOLS),
        ("★★★这座小城在河的北岸★★★", SYMBOLS),
        ("水的沸点是100°C，约为212°F，这个温度在海平面测得。", None),
        (MODERN, None),
        ("他是明朝的官员，字子明，号东山。其父亦为官，而其弟在家种田，他们的后人还住在那里。", None),
        *((text, CLASSICAL) for text in CLASSICAL_TEXTS),
    ],
)
def test_reason_to_drop(text: str, reason: str | None) -> None:
    assert reason_to_drop(text) == reason


def test_modern_words_with_classical_characters_are_modern() -> None:
    text = "其中之一也在两国之间，而且其他国家也有，然而土耳其没有，所谓之后也就是其次"
    assert reason_to_drop(text) is None


def test_dropped_paragraphs_part_the_others() -> None:
    text = "\n".join([MODERN, "历史", MODERN, ENGLISH, CLASSICAL_TEXTS[0], CLASSICAL_TEXTS[1], MODERN])
    found = [
        (passage.text, passage.reason if isinstance(passage, DroppedPassage) else None)
        for passage in prepare(text)
    ]
    assert found == [
        (f"{MODERN}\n历史\n{MODERN}", None),  # a heading is too short to be judged alone
        (ENGLISH, NOT_CHINESE),
        (f"{CLASSICAL_TEXTS[0]}\n{CLASSICAL_TEXTS[1]}", CLASSICAL),
        (MODERN, None),
    ]


def test_nothing_to_prepare() -> None:
    assert list(prepare("")) == list(prepare(" \r\n\u3000\n")) == []


PARTS = [MODERN, TRADITIONAL, ENGLISH, *CLASSICAL_TEXTS, "的" * 300, "abc，" * 200]
PARTS += ["历史", "=====", "\n", "\r\n", " ", "乾", "3.5"]


@given(st.lists(st.one_of(st.sampled_from(PARTS), st.text(max_size=5)), max_size=12).map("".join))
def test_passages_are_spans_that_cover_the_text(text: str) -> None:
    at = 0
    for passage in prepare(text):
        assert at <= passage.start < passage.end
        assert not text[at : passage.start].strip()
        assert len(passage.text) == passage.end - passage.start
        assert passage.text == passage.text.strip()
        assert passage.words == count_words(passage.text) <= MAXIMUM_WORDS
        at = passage.end
    assert not text[at:].strip()


def test_to_passages(tmp_path: Path) -> None:
    prepared = [*prepare(f"{MODERN}\n{ENGLISH}\n{MODERN}", source="小城")]
    passages = list(to_passages(prepared, "TOWN"))
    assert [(passage.id, passage.text, passage.title) for passage in passages] == [
        ("TOWN_0", MODERN, "小城"),
        ("TOWN_1", MODERN, "小城"),
    ]
    squad.write(tmp_path / "town.json", passages)
    assert list(squad.read_passages(tmp_path / "town.json")) == passages


@pytest.mark.shared
def test_published_passages_are_kept(shared: Path) -> None:
    passages = squad.read_passages(shared / "data" / "cmrc2018" / "train.json.gz")
    reasons = Counter(reason_to_drop(passage.text) for passage in passages)
    kept = reasons.pop(None)
    assert sum(reasons.values()) < 0.01 * (kept + sum(reasons.values()))
