from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.benchmarks.conditionalqa.format import (
    ConditionalAnswer,
    ConditionalDocument,
    ConditionalPrediction,
    ConditionalQuestion,
    read,
    read_documents,
    read_predictions,
    write,
    write_documents,
    write_predictions,
)
from caveat.core.errors import InputError

RAW = [
    {
        "id": "dev-0",
        "url": "pages.example/fines",
        "scenario": "I walk my dog in the park.",
        "question": "How much can I be fined?",
        "not_answerable": False,
        "answers": [["£100", []], ["£1,000", ["<li>you refuse to pay</li>"]]],
        "evidences": ["<p>The fine is £100.</p>"],
        "split": "dev",
    },
    {
        "id": "dev-1",
        "url": "pages.example/fines",
        "scenario": "",
        "question": "Who owns the park?",
        "not_answerable": True,
        "answers": [],
        "evidences": [],
    },
]
QUESTIONS = [
    ConditionalQuestion(
        "dev-0",
        "pages.example/fines",
        "I walk my dog in the park.",
        "How much can I be fined?",
        False,
        (ConditionalAnswer("£100"), ConditionalAnswer("£1,000", ("<li>you refuse to pay</li>",))),
        ("<p>The fine is £100.</p>",),
        {"split": "dev"},
    ),
    ConditionalQuestion("dev-1", "pages.example/fines", "", "Who owns the park?", not_answerable=True),
]
RAW_DOCUMENT = {
    "title": "Fines",
    "url": "pages.example/fines",
    "contents": ["<h1>Fines</h1>", "<p>£100.</p>"],
    "n": 2,
}
DOCUMENT = ConditionalDocument("Fines", "pages.example/fines", ("<h1>Fines</h1>", "<p>£100.</p>"), {"n": 2})


@pytest.mark.parametrize("packed", [False, True])
def test_questions_and_back(tmp_path: Path, packed: bool) -> None:
    path = tmp_path / "dev.json"
    data = json.dumps(RAW, indent=1).encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    assert read(path) == QUESTIONS
    write(path, QUESTIONS)
    assert json.loads(path.read_text(encoding="utf-8")) == RAW


def test_a_test_file_has_no_answers(tmp_path: Path) -> None:
    path = tmp_path / "test.json"
    path.write_text('[{"id": "t-0", "url": "u", "scenario": "s", "question": "q"}]', encoding="utf-8")
    assert read(path) == [ConditionalQuestion("t-0", "u", "s", "q")]


def test_documents_and_back(tmp_path: Path) -> None:
    path = tmp_path / "documents.json"
    path.write_text(json.dumps([RAW_DOCUMENT]), encoding="utf-8")
    assert read_documents(path) == [DOCUMENT]
    write_documents(path, [DOCUMENT])
    assert json.loads(path.read_text(encoding="utf-8")) == [RAW_DOCUMENT]


def test_predictions_and_back(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(
        '[{"id": "a", "answers": [["yes", ["<p>x</p>"]], ["no", []]]}, {"id": "b", "answers": []}]'
    )
    expected = [
        ConditionalPrediction("a", (ConditionalAnswer("yes", ("<p>x</p>",)), ConditionalAnswer("no"))),
        ConditionalPrediction("b"),
    ]
    assert read_predictions(path) == expected
    write_predictions(path, expected)
    assert path.read_text(encoding="utf-8") == (
        '[{"id":"a","answers":[["yes",["<p>x</p>"]],["no",[]]]},{"id":"b","answers":[]}]\n'
    )


def test_the_gold_file_can_be_read_as_predictions(tmp_path: Path) -> None:
    path = tmp_path / "dev.json"
    write(path, QUESTIONS)
    assert [prediction.answers for prediction in read_predictions(path)] == [q.answers for q in QUESTIONS]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"url": ...}, "line 14, id dev-1: object missing required field `url`"),
        ({"id": ...}, "line 14: object missing required field `id`"),
        ({"not_answerable": "yes"}, "id dev-1: expected `bool`, got `str`"),
        (
            {"answers": [["yes", "always"]]},
            r"id dev-1: expected `array`, got `str` at \[1\].answers\[0\]\[1\]",
        ),
    ],
)
def test_bad_questions_are_named(tmp_path: Path, change: dict[str, object], problem: str) -> None:
    second = {key: value for key, value in (RAW[1] | change).items() if value is not ...}
    path = tmp_path / "dev.json"
    first = json.dumps({**RAW[0], "answers": [], "evidences": []}, indent=1)
    path.write_text(f"[\n\n\n{first},\n{json.dumps(second)}\n]", encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        read(path)


@pytest.mark.parametrize(
    ("content", "problem"), [("", "empty"), ('[{"id": "a"', "broken JSON"), ("{}", "array")]
)
def test_what_is_no_list_is_an_error(tmp_path: Path, content: str, problem: str) -> None:
    path = tmp_path / "dev.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        read(path)


texts = st.text(max_size=6)
answers = st.lists(
    st.builds(ConditionalAnswer, texts, st.lists(texts, max_size=2).map(tuple)), max_size=3
).map(tuple)
questions = st.builds(
    ConditionalQuestion, texts, texts, texts, texts, st.booleans(), answers, st.lists(texts, max_size=2).map(tuple),
    st.dictionaries(st.sampled_from(["extra", "n"]), st.none() | texts),
)  # fmt: skip


@settings(deadline=None, max_examples=60)
@given(items=st.lists(questions, max_size=3))
def test_questions_come_back(
    tmp_path_factory: pytest.TempPathFactory, items: list[ConditionalQuestion]
) -> None:
    path = tmp_path_factory.getbasetemp() / "conditionalqa.json"
    write(path, items)
    assert read(path) == items


@pytest.mark.shared
def test_the_real_files(shared: Path) -> None:
    folder = shared / "data" / "conditionalqa"
    assert len(read(folder / "train_without_documents.json.gz")) == 2_338
    dev, documents = read(folder / "dev_part.json"), read_documents(folder / "documents.json")
    assert (len(dev), len(documents)) == (151, 30)
    assert {question.url for question in dev} == {document.url for document in documents}
    assert sum(any(answer.conditions for answer in question.answers) for question in dev) == 35
