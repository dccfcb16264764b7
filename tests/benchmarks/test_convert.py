from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from caveat.benchmarks.convert import becomes, convert
from caveat.benchmarks.registry import FORMATS
from caveat.core.errors import CaveatError, UnknownNameError

TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)
WORD = st.sampled_from(["Seine", "the river", "巴黎", "“quoted”", "3–4", ""])


@st.composite
def squad_file(draw: st.DrawFn) -> dict[str, Any]:
    def answer(context: str) -> dict[str, Any]:
        if not context or draw(st.booleans()):
            return {"text": draw(WORD), "answer_start": draw(st.integers(-1, 5))}
        start = draw(st.integers(0, len(context) - 1))
        return {"text": context[start : draw(st.integers(start, len(context)))], "answer_start": start}

    def qa(context: str) -> dict[str, Any]:
        answers: list[Any] = [answer(context) for _ in range(draw(st.integers(0, 3)))]
        if draw(st.booleans()):
            answers.append([answer(context), answer(context)])
        return {
            "id": draw(st.text("abc123", min_size=1) | st.integers(0, 99)),
            "question": draw(TEXT),
            "answers": answers,
            **draw(st.sampled_from([{}, {"is_impossible": False}, {"is_impossible": "true", "n": 1}])),
        }

    def paragraph() -> dict[str, Any]:
        context = draw(TEXT)
        extra = draw(st.sampled_from([{}, {"id": "P_0"}, {"summary": ["x"]}]))
        return {"context": context, "qas": [qa(context) for _ in range(draw(st.integers(0, 2)))], **extra}

    def article() -> dict[str, Any]:
        extra = draw(st.sampled_from([{}, {"title": "Paris"}, {"title": "", "id": 4}]))
        return {"paragraphs": [paragraph() for _ in range(draw(st.integers(1, 2)))], **extra}

    version = draw(st.sampled_from([{}, {"version": "1.1"}, {"version": 2, "number": 5}]))
    return {**version, "data": [article() for _ in range(draw(st.integers(0, 3)))]}


@pytest.mark.parametrize("via", ["mrqa", "cmrc2018-list", "squad"])
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(file=squad_file())
def test_squad_comes_back_whole(tmp_path: Path, via: str, file: dict[str, Any]) -> None:
    path = tmp_path / "squad.json"
    path.write_text(json.dumps(file))
    convert("squad", path, via, tmp_path / "via.gz")
    convert(via, tmp_path / "via.gz", "squad", tmp_path / "back.json")
    back = json.loads((tmp_path / "back.json").read_text())
    if via == "cmrc2018-list":  # a list has no place for what stands beside the data
        back = {**file, "data": back["data"]}
    assert back == file


def test_multispan_by_way_of_squad(tmp_path: Path) -> None:
    example = {
        "id": "m1",
        "type": "multi",
        "question": ["who", "sang", "?"],
        "context": ["Ann", "and", "Bob", "Lee", "sang", "."],
        "label": ["B", "O", "B", "I", "O", "O"],
    }
    path = tmp_path / "multi.json"
    path.write_text(json.dumps({"version": 1.0, "data": [example]}))
    convert("multispan", path, "squad", tmp_path / "squad.json")
    (question,) = json.loads((tmp_path / "squad.json").read_text())["data"][0]["paragraphs"][0]["qas"]
    assert question["answers"] == [
        [{"text": "Ann", "answer_start": 0}, {"text": "Bob Lee", "answer_start": 8}]
    ]
    convert("squad", tmp_path / "squad.json", "multispan", tmp_path / "back.json")
    assert json.loads((tmp_path / "back.json").read_text())["data"] == [example]


def test_passages_to_dbqa(tmp_path: Path) -> None:
    context = "青石桥建于1872年。它全长46米。"
    qas = [
        {"id": "1", "question": "哪年建的？", "answers": [{"text": "1872年", "answer_start": 5}]},
        {"id": "2", "question": "多长？", "answers": [{"text": "46米", "answer_start": -1}]},
    ]
    path = tmp_path / "squad.json"
    path.write_text(json.dumps({"data": [{"paragraphs": [{"context": context, "qas": qas}]}]}))
    done = convert("squad", path, "nlpcc-dbqa", tmp_path / "pairs.tsv")
    assert done.records == 4
    assert (tmp_path / "pairs.tsv").read_text().splitlines() == [
        "哪年建的？\t青石桥建于1872年。\t1",
        "哪年建的？\t它全长46米。\t0",
        "多长？\t青石桥建于1872年。\t0",
        "多长？\t它全长46米。\t1",
    ]


def test_cmqa_to_squad(tmp_path: Path) -> None:
    sample = {
        "context": "若发炎，用抗生素如甲膏。",
        "question": "用什么药？\n",
        "condition": [["若发炎", [0, 3]]],
        "coarse": [["抗生素", [5, 8]]],
        "fine": [["甲膏", [9, 11]]],
        "condition_coarse": [],
        "condition_fine": [],
        "coarse_fine": [],
    }
    path = tmp_path / "cmqa.jsonl"
    path.write_text(json.dumps(sample))
    convert("cmqa", path, "squad", tmp_path / "squad.json")
    (question,) = json.loads((tmp_path / "squad.json").read_text())["data"][0]["paragraphs"][0]["qas"]
    assert question["answers"] == [{"text": "甲膏", "answer_start": 9}]
    assert question["conditions"] == ["若发炎"]


def test_squad2_says_of_every_question_whether_it_is_impossible(tmp_path: Path) -> None:
    qas = [
        {"id": "1", "question": "?", "answers": [{"text": "a", "answer_start": 0}]},
        {"id": "2", "question": "?", "answers": []},
    ]
    path = tmp_path / "squad.json"
    path.write_text(json.dumps({"data": [{"paragraphs": [{"context": "a", "qas": qas}]}]}))
    convert("squad", path, "squad2", tmp_path / "two.json")
    two = json.loads((tmp_path / "two.json").read_text())
    assert two["version"] == "v2.0"
    assert [qa["is_impossible"] for qa in two["data"][0]["paragraphs"][0]["qas"]] == [False, True]


def test_what_cannot_be_converted_says_what_can(tmp_path: Path) -> None:
    with pytest.raises(
        CaveatError, match=r"nlpcc-kb cannot become squad.*It can become: nlpcc-kb, triples-tsv"
    ):
        convert("nlpcc-kb", tmp_path / "x", "squad", tmp_path / "y")
    with pytest.raises(CaveatError, match="The format newsqa cannot be written"):
        convert("squad", tmp_path / "x", "newsqa", tmp_path / "y")
    with pytest.raises(UnknownNameError, match="Did you mean 'hotpotqa'"):
        convert("hotpot", tmp_path / "x", "mrqa", tmp_path / "y")


def test_all_18_sub_domains_become_mrqa() -> None:
    sources = [format for format in FORMATS.values() if format.kind == "mrqa" and format.write is None]
    assert len(sources) == 18
    assert all("mrqa" in becomes(format) for format in sources)


@pytest.mark.shared
@pytest.mark.parametrize(
    "name", ["squad/dev-v2.0", "cmrc2018/trial", "zh_spans/cail2021_multispan", "en_spans/covidqa"]
)
def test_published_files_come_back_whole(shared: Path, tmp_path: Path, name: str) -> None:
    source = shared / "data" / f"{name}.json.gz"
    convert("squad", source, "mrqa", tmp_path / "mrqa.jsonl")
    convert("mrqa", tmp_path / "mrqa.jsonl", "squad", tmp_path / "back.json")
    assert json.loads((tmp_path / "back.json").read_bytes()) == json.loads(
        gzip.decompress(source.read_bytes())
    )
