"""Typed spans as labels of tokens, by hand, and the data sets that they come from."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from caveat.core.errors import InputError
from caveat.models.encoding import encode_text
from caveat.training.kinds.tagger.data import (
    Marked,
    SpanDataSet,
    TagSampler,
    encode_marked,
    labels_of,
    read_marked,
)
from caveat.training.sampling import fold_of

if TYPE_CHECKING:
    from tokenizers import Tokenizer

KINDS = ("condition", "coarse", "fine")
LAYERED = (("condition",), ("coarse", "fine"))
MERGED = (KINDS,)
# 0 1 2 3 4 5 6 7 8 9: 早上 is an answer in a condition, and 七点离开 holds another.
TEXT = "早上七点离开，票价三"
SPANS = (("condition", 0, 6), ("fine", 0, 2), ("coarse", 7, 9), ("fine", 9, 10))


def labels(tokenizer: Tokenizer, layers: Any, kinds: Any = KINDS, spans: Any = SPANS) -> tuple[list, Counter]:
    left_out: Counter[str] = Counter()
    marked = Marked("？", TEXT, spans)
    found = labels_of(marked, encode_text(tokenizer, TEXT), layers, kinds, left_out)
    return [None if each is None else "".join(map(str, each)) for each in found], left_out


def test_layers_hold_what_overlaps(tokenizer: Tokenizer) -> None:
    # O is 0; B and I of a layer's first kind are 1 and 2, of its second 3 and 4.
    found, left_out = labels(tokenizer, LAYERED)
    assert found == ["1222220000", "3400000123"]
    assert not left_out


def test_of_overlapping_spans_in_one_layer_the_longer_is_learnt(tokenizer: Tokenizer) -> None:
    found, left_out = labels(tokenizer, MERGED)
    assert found == ["1222220345"]
    assert left_out == {"spans inside others": 1}


def test_a_layer_that_the_data_does_not_mark_is_not_learnt(tokenizer: Tokenizer) -> None:
    found, _ = labels(tokenizer, LAYERED, kinds=("fine",), spans=(("fine", 2, 4),))
    assert found == [None, "0034000000"]
    # Where it marks the kind and there is none, every token is O.
    found, _ = labels(tokenizer, LAYERED, kinds=("condition",), spans=())
    assert found == ["0000000000", None]


def test_neighbours_begin_anew(tokenizer: Tokenizer) -> None:
    found, _ = labels(tokenizer, (("fine",),), spans=(("fine", 2, 4), ("fine", 4, 6)))
    assert found == ["0012120000"]


def test_windows_have_the_labels_of_their_text(tokenizer: Tokenizer) -> None:
    marked = [Marked("票价？", TEXT * 5, SPANS), Marked("？", TEXT, ())]
    corpus = encode_marked(
        marked, tokenizer, LAYERED, KINDS, left_out=Counter(), cap=10, seed=1, max_question_tokens=8
    )
    sampler = TagSampler([(corpus, 1.0)], 3, window=26, stride=10)
    epoch = sampler.epoch("x")
    ranges = [(sample.window.first, sample.window.last) for sample in epoch]
    # Of 26 tokens 3 are special and 3 the question's; 50 fit into four windows of 20, which overlap by 10.
    assert ranges == [(0, 20), (10, 30), (20, 40), (30, 50), (0, 10)]
    assert all(len(sample.labels[0]) == len(sample.window.text) for sample in epoch)  # type: ignore[arg-type]
    assert [sample.length for sample in epoch] == [23, 23, 23, 23, 11]
    half = TagSampler([(corpus, 0.5)], 3, window=26, stride=10)
    assert half.epoch("y") == half.epoch("y")
    assert len(half.epoch("y")) in (1, 4)


def test_a_cap_is_drawn_by_the_seed(tokenizer: Tokenizer) -> None:
    marked = [Marked("？", f"票价{n}", ()) for n in range(20)]
    options: dict[str, Any] = {"cap": 5, "seed": 3, "max_question_tokens": 8}
    first, second = (
        encode_marked(marked, tokenizer, MERGED, KINDS, left_out=Counter(), **options) for _ in range(2)
    )
    assert [q.text.text for q in first.questions] == [q.text.text for q in second.questions]
    assert first.left_out == {"over the cap": 15}


def test_a_text_has_its_fold() -> None:
    folds = [fold_of(f"text {n}", 5) for n in range(1000)]
    assert folds == [fold_of(f"text {n}", 5) for n in range(1000)]
    assert all(150 < count < 250 for count in Counter(folds).values())
    # Written down, so that a fold is the same on every machine and in every version.
    assert folds[:8] == [3, 0, 2, 2, 3, 3, 4, 3]
    assert fold_of("\ud800", 5) in range(5)


def read(path: Path, **settings: Any) -> tuple[list[Marked], Counter[str]]:
    left_out: Counter[str] = Counter()
    return list(read_marked(SpanDataSet(path=path.name, **settings), path, left_out)), left_out


def test_cmqa(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    line = {
        "context": "下雨时带伞。",
        "question": "带什么？",
        "condition": [["下雨时", [0, 3]]],
        "fine": [["伞", [4, 5]]],
    }
    path.write_text(json.dumps(line, ensure_ascii=False) + "\n", encoding="utf-8")
    marked, _ = read(path, format="cmqa")
    assert marked == [Marked("带什么？", "下雨时带伞。", (("condition", 0, 3), ("fine", 4, 5)))]
    line["fine"] = [["伞", [3, 4]]]
    path.write_text("\n" + json.dumps(line, ensure_ascii=False) + "\n", encoding="utf-8")
    with pytest.raises(
        InputError, match=r"line 2: the fine span '伞' does not stand at \[3, 4\).*caveat check"
    ):
        read(path, format="cmqa")


def test_multispan(tmp_path: Path) -> None:
    path = tmp_path / "data.json"
    example = {
        "id": "1",
        "question": ["Who", "?"],
        "context": ["Ann", "Lee", "and", "Bo"],
        "label": ["B", "I", "O", "B"],
    }
    unlabelled = {key: value for key, value in example.items() if key != "label"}
    path.write_text(json.dumps({"data": [example, unlabelled]}), encoding="utf-8")
    marked, left_out = read(path, format="multispan", span_kind="answer")
    assert marked == [Marked("Who ?", "Ann Lee and Bo", (("answer", 0, 7), ("answer", 12, 14)))]
    assert left_out == {"not labelled": 1}


def squad(path: Path, *answers: Any) -> Path:
    qas = [{"id": str(n), "question": "?", "answers": answer} for n, answer in enumerate(answers)]
    path.write_text(
        json.dumps({"data": [{"paragraphs": [{"context": "red, blue, red", "qas": qas}]}]}), encoding="utf-8"
    )
    return path


def test_squad_with_answers_of_several_spans(tmp_path: Path) -> None:
    red, blue = {"text": "red", "answer_start": 11}, {"text": "blue", "answer_start": 5}
    path = squad(
        tmp_path / "data.json",
        [[red, blue]],  # one answer of two spans, as CAIL 2021 writes it
        [{"text": "red", "answer_start": 9}],  # a wrong offset: the nearest place
        [red, blue, blue],  # three annotators
        [],
        [{"text": "YES", "answer_start": -1}],
        [{"text": "green", "answer_start": 0}],
        [[blue, {"text": "green", "answer_start": 0}]],
    )
    marked, left_out = read(path, format="squad", span_kind="fine")
    assert [each.spans for each in marked] == [
        (("fine", 11, 14), ("fine", 5, 9)),
        (("fine", 11, 14),),
        (("fine", 5, 9),),
        (),
    ]
    assert left_out == {"yes or no": 1, "not in the passage": 2}
    assert len(read(path, format="squad", span_kind="fine", take="unanswerable")[0]) == 1
    assert len(read(path, format="squad", span_kind="fine", take="answerable")[0]) == 3


def test_squad_that_lists_the_spans_of_one_answer(tmp_path: Path) -> None:
    path = squad(
        tmp_path / "data.json", [{"text": "red", "answer_start": 0}, {"text": "blue", "answer_start": 5}]
    )
    marked, _ = read(path, format="squad", span_kind="answer", answers="parts")
    assert marked[0].spans == (("answer", 0, 3), ("answer", 5, 9))


@pytest.mark.shared
@pytest.mark.parametrize(
    ("path", "settings", "questions"),
    [
        ("cmqa/dev.jsonl.gz", {"format": "cmqa"}, 1000),
        # 600 more are yes or no.
        ("zh_spans/cail2021_multispan.json.gz", {"format": "squad", "span_kind": "fine"}, 900),
        ("multispan/multispanqa_valid.json.gz", {"format": "multispan", "span_kind": "answer"}, 653),
    ],
)
def test_the_published_files(shared: Path, path: str, settings: dict[str, Any], questions: int) -> None:
    marked, _ = read(shared / "data" / path, **settings)
    assert len(marked) == questions
    for each in marked:
        assert all(each.text[start:end].strip() for _, start, end in each.spans)
