from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.benchmarks.cmrc2018.format import is_list_layout, read_passages, write_passages
from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.benchmarks.squad import format as squad
from caveat.core.errors import InputError

RAW: list[dict[str, Any]] = [
    {
        "context_id": "TRIAL_1",
        "context_text": "长江长约6300公里，流入东海。",
        "title": "长江",
        "qas": [
            {"query_id": "TRIAL_1_Q0", "query_text": "长江有多长？", "answers": ["约6300公里", "6300公里"]},
            {"query_id": "TRIAL_1_Q1", "query_text": "长江流到哪里？", "answers": ["东海"], "hard": True},
        ],
        "note": [1],
    },
    {
        "context_id": "TRIAL_2",
        "context_text": "天晴。",
        "title": "天气",
        "qas": [{"query_id": 5, "query_text": "？"}],
    },
]
PASSAGES = [
    Passage(
        "长江长约6300公里，流入东海。",
        (
            PassageQuestion(
                "TRIAL_1_Q0", "长江有多长？", ((GoldSpan("约6300公里"),), (GoldSpan("6300公里"),))
            ),
            PassageQuestion("TRIAL_1_Q1", "长江流到哪里？", ((GoldSpan("东海"),),), {"hard": True}),
        ),
        id="TRIAL_1",
        title="长江",
        article=0,
        extra={"note": [1]},
        article_extra={"title": "长江"},
    ),
    Passage(
        "天晴。",
        (PassageQuestion("5", "？", (), {"query_id": 5, "answers": None}),),
        id="TRIAL_2",
        title="天气",
        article=1,
        article_extra={"title": "天气"},
    ),
]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
@pytest.mark.parametrize("packed", [False, True])
def test_the_original_layout_and_back(tmp_path: Path, encoding: str, packed: bool) -> None:
    path = tmp_path / "cmrc.json"
    data = json.dumps(RAW, ensure_ascii=False, indent=2).replace("\n", "\r\n").encode(encoding)
    path.write_bytes(gzip.compress(data) if packed else data)
    assert list(read_passages(path)) == PASSAGES
    write_passages(path, PASSAGES)
    assert json.loads(path.read_text(encoding="utf-8")) == RAW


def test_squads_layout_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "cmrc.json"
    squad.write(path, PASSAGES)
    assert list(read_passages(path)) == PASSAGES


def test_the_layouts_are_told_apart() -> None:
    assert is_list_layout(RAW)
    assert not is_list_layout({"data": []})


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('[{"context_id": "a", "context_text": "b",\n"qas": [{"query_id": "c"}]}]', "line 2, id c: .*`query_text`"),
        ('[{"context_id": "a", "qas": []}]', "id a: object missing required field `context_text`"),
        ('[{"context_id": "a",\n "context_text"', "line 2: broken JSON"),
        ('[{"context_id": "a", "context_text": "b", "qas": [{"query_id": "c", "query_text": "", "answers": "d"}]}]',
         "id c: expected `array`, got `str`"),
        ('[{"context_id": "a", "context_text": "b", "qas": [{"query_id": "c", "query_text": "", "answers": ["d"], '
         '"answer_starts": [1, 2]}]}]', "id c: .* do not fit the 1 answers"),
        ("3", "expected `object`, got `int`"),
        ("", "the file is empty"),
    ],
)  # fmt: skip
def test_bad_files_are_named(tmp_path: Path, content: str, problem: str) -> None:
    path = tmp_path / "cmrc.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        list(read_passages(path))


texts = st.text(max_size=6)
values = st.none() | st.integers(-9, 9) | texts
# Names that one of the layouts has another use for are among the extra keys.
extras = st.dictionaries(
    st.sampled_from(
        ["note", "title", "context_id", "query_text", "article", "answer_starts", "clashing_keys"]
    ),
    values,
)
spans = st.builds(GoldSpan, texts, st.none() | st.integers(0, 99), extras)
questions = st.builds(
    PassageQuestion,
    texts,
    texts,
    st.lists(st.lists(spans, max_size=2).map(tuple), max_size=2).map(tuple),
    extras,
)


@st.composite
def passages(draw: st.DrawFn) -> Passage:
    article_extra = draw(st.dictionaries(st.sampled_from(["url", "title"]), values))
    return Passage(
        draw(texts),
        tuple(draw(st.lists(questions, max_size=2))),
        id=draw(texts),
        title=str(article_extra.get("title", "")),
        article=draw(st.integers(0, 3)),
        extra=draw(extras),
        article_extra=article_extra,
    )


@settings(deadline=None, max_examples=60)
@given(items=st.lists(passages(), max_size=3))
def test_whatever_a_passage_knows_comes_back(
    tmp_path_factory: pytest.TempPathFactory, items: list[Passage]
) -> None:
    path = tmp_path_factory.getbasetemp() / "cmrc.json"
    write_passages(path, items)
    assert list(read_passages(path)) == items


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "count"),
    [("cmrc2018/trial", 1_002), ("zh_spans/cail2021_multispan", 1_500), ("en_spans/quoref_part", None)],
)
def test_real_files_come_back_from_the_original_layout(
    shared: Path, tmp_path: Path, name: str, count: int | None
) -> None:
    found = list(read_passages(shared / "data" / f"{name}.json.gz"))
    if count is not None:
        assert sum(len(passage.questions) for passage in found) == count
    write_passages(tmp_path / "list.json", found)
    assert list(read_passages(tmp_path / "list.json")) == found
