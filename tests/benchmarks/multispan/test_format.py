from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.benchmarks.multispan.format import (
    Bio,
    MultiSpanExample,
    MultiSpanFile,
    answers,
    chunks,
    from_passage,
    read,
    read_predictions,
    to_passage,
    write,
    write_predictions,
)
from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.benchmarks.squad import format as squad
from caveat.core.errors import InputError

RAW: dict[str, Any] = {
    "version": 1.0,
    "data": [
        {
            "id": "m1",
            "type": "HUM",
            "question": ["who", "wrote", "it", "?"],
            "context": ["Anna", "Bell", "and", "Carl", "wrote", "it", "."],
            "num_span": 2,
            "label": ["B", "I", "O", "B", "O", "O", "O"],
            "structure": "Conjunction",
        }
    ],
}
EXAMPLE = MultiSpanExample(
    "m1",
    ("who", "wrote", "it", "?"),
    ("Anna", "Bell", "and", "Carl", "wrote", "it", "."),
    ("B", "I", "O", "B", "O", "O", "O"),
    {"type": "HUM", "num_span": 2, "structure": "Conjunction"},
)


def save(path: Path, raw: object) -> Path:
    path.write_text(json.dumps(raw), encoding="utf-8")
    return path


def test_a_file_and_back(tmp_path: Path) -> None:
    path = save(tmp_path / "a.json", RAW)
    assert read(path) == MultiSpanFile((EXAMPLE,), {"version": 1.0})
    write(path, [EXAMPLE])
    assert json.loads(path.read_text(encoding="utf-8")) == RAW
    write(path, [EXAMPLE], {"version": 2, "split": "dev"})
    assert read(path).extra == {"version": 2, "split": "dev"}


def test_a_test_file_has_no_labels(tmp_path: Path) -> None:
    path = save(tmp_path / "a.json", {"data": [{"id": "t", "question": ["q"], "context": ["c"]}]})
    assert read(path).examples == (MultiSpanExample("t", ("q",), ("c",)),)
    assert answers(read(path).examples[0]) == []
    write(path, read(path).examples)
    assert "label" not in json.loads(path.read_text(encoding="utf-8"))["data"][0]


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("OO", []),
        ("BI", [(0, 2)]),
        ("BB", [(0, 1), (1, 2)]),
        ("IOI", [(0, 1), (2, 3)]),
        ("OIIBIO", [(1, 3), (3, 5)]),
        ("", []),
    ],
)
def test_a_chunk_begins_at_b_or_at_i_after_o(label: str, expected: list[tuple[int, int]]) -> None:
    assert list(chunks(label)) == expected


def test_answers_are_joined_by_one_blank() -> None:
    assert answers(EXAMPLE) == ["Anna Bell", "Carl"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"label": ["O"]}, "id m1: expected a label for each of the 7 tokens, got 1"),
        ({"label": ["X"] * 7}, r"id m1: invalid enum value 'X' at data\[0\].label\[0\]"),
        ({"context": "a text"}, "id m1: expected `array`, got `str`"),
    ],
)
def test_bad_examples_are_named(tmp_path: Path, change: dict[str, object], problem: str) -> None:
    path = save(tmp_path / "a.json", {"data": [RAW["data"][0] | change]})
    with pytest.raises(InputError, match=problem):
        read(path)


def test_a_missing_key_is_named_with_id_and_line(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('{"data": [\n{"id": "a", "question": [], "context": []},\n{"id": "b", "question": []}]}')
    with pytest.raises(InputError, match=r"a\.json, line 3, id b: object missing required field `context`"):
        read(path)


def test_predictions_and_back(tmp_path: Path) -> None:
    path = save(tmp_path / "run.json", {"m1": ["Anna Bell", "Carl"], "m2": []})
    assert read_predictions(path) == {"m1": ["Anna Bell", "Carl"], "m2": []}
    write_predictions(path, {"m1": ("Anna",)})
    assert read_predictions(path) == {"m1": ["Anna"]}
    save(path, {"m1": ["a"], "m2": "b"})
    with pytest.raises(InputError, match="id m2: expected `array`, got `str`"):
        read_predictions(path)


def test_the_spans_of_a_passage_are_one_answer() -> None:
    passage = to_passage(EXAMPLE, 5)
    assert passage.text == "Anna Bell and Carl wrote it ."
    assert passage.article == 5
    (question,) = passage.questions
    assert (question.id, question.text) == ("m1", "who wrote it ?")
    assert question.answers == ((GoldSpan("Anna Bell", 0), GoldSpan("Carl", 14)),)


def test_other_passages_are_cut_into_words() -> None:
    question = PassageQuestion(
        "q1", "When?", ((GoldSpan("1990", 8), GoldSpan("1991", None)), (GoldSpan("In 1990", 5),)), {"note": 1}
    )
    passage = Passage("Born (1990), died\n1991.", (question, PassageQuestion("q2", "Who?")))
    first, second = from_passage(passage)
    assert first == MultiSpanExample(
        "q1",
        ("When", "?"),
        ("Born", "(", "1990", ")", ",", "died", "1991", "."),
        ("O", "O", "B", "O", "O", "O", "B", "O"),
        {"note": 1},
    )
    assert answers(first) == ["1990", "1991"]
    assert second.label == ("O",) * 8


def test_a_wrong_offset_gives_the_nearest_occurrence() -> None:
    passage = Passage("an ox , an ox , an ox", (PassageQuestion("q", "?", ((GoldSpan("ox", 9),),)),))
    assert next(from_passage(passage)).label == ("O", "O", "O", "O", "B", "O", "O", "O")


def test_an_answer_that_is_not_in_the_passage_is_an_error() -> None:
    passage = Passage("It rains.", (PassageQuestion("q9", "Does it?", ((GoldSpan("yes"),),)),))
    with pytest.raises(InputError, match="id q9: the answer 'yes' does not stand in the passage"):
        list(from_passage(passage))


TAGS: list[Bio] = ["B", "I", "O"]


@st.composite
def examples(draw: st.DrawFn) -> MultiSpanExample:
    context = draw(st.lists(st.text(max_size=4) | st.sampled_from(["a b", " ", ""]), max_size=8))
    label = draw(st.none() | st.lists(st.sampled_from(TAGS), min_size=len(context), max_size=len(context)))
    extra = draw(st.dictionaries(st.sampled_from(["type", "structure"]), st.text(max_size=4)))
    question = draw(st.lists(st.text(max_size=4), max_size=3))
    return MultiSpanExample(
        "id", tuple(question), tuple(context), None if label is None else tuple(label), extra
    )


@settings(deadline=None, max_examples=60)
@given(items=st.lists(examples(), max_size=3))
def test_examples_come_back(tmp_path_factory: pytest.TempPathFactory, items: list[MultiSpanExample]) -> None:
    path = tmp_path_factory.getbasetemp() / "multispan.json"
    write(path, items)
    assert read(path).examples == tuple(items)


tokens = st.text(st.characters(codec="utf-8", exclude_characters=" "), min_size=1, max_size=4)


@settings(deadline=None, max_examples=60)
@given(context=st.lists(tokens, max_size=8), data=st.data())
def test_examples_come_back_from_squads_layout(
    tmp_path_factory: pytest.TempPathFactory, context: list[str], data: st.DataObject
) -> None:
    label = data.draw(st.lists(st.sampled_from(TAGS), min_size=len(context), max_size=len(context)))
    # A chunk that begins with I comes back beginning with B.
    label = ["B" if tag == "I" and label[i - 1 : i] in ([], ["O"]) else tag for i, tag in enumerate(label)]
    example = MultiSpanExample("id", ("who", "?"), tuple(context), tuple(label), {"type": "HUM"})
    path = tmp_path_factory.getbasetemp() / "squad.json"
    squad.write(path, [to_passage(example)])
    assert [again for passage in squad.read_passages(path) for again in from_passage(passage)] == [example]
    assert [span.text for answer in to_passage(example).questions[0].answers for span in answer] == answers(
        example
    )


@pytest.mark.shared
def test_the_real_file(shared: Path) -> None:
    file = read(shared / "data" / "multispan" / "multispanqa_valid.json.gz")
    assert len(file.examples) == 653
    for number, example in enumerate(file.examples):
        assert len(answers(example)) == example.extra["num_span"]
        passage = to_passage(example, number)
        for answer in passage.questions[0].answers:
            for span in answer:
                assert span.start is not None
                assert passage.text[span.start : span.end] == span.text
        assert list(from_passage(passage)) == [example]
