from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.mrqa.sources.naturalquestions import NATURAL_QUESTIONS, read
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError

DOCUMENT = "<H1> Bridge </H1> <P> Built in 1932 by : <Ul> <Li> Ada </Li> <Li> Bo </Li> </Ul> </P>"
TOKENS = DOCUMENT.split(" ")  # Built is the fourth, counted from 0, Ada the eleventh, Bo the fourteenth
NONE = {"start_token": -1, "end_token": -1}
LONG = {"start_token": 3, "end_token": 18}
ADA, BO = ({"start_token": at, "end_token": at + 1} for at in (11, 14))
ANNOTATIONS = [
    {
        "long_answer": {"start_token": 0, "end_token": 3},
        "short_answers": [{"start_token": 1, "end_token": 2}],
    },
    {"long_answer": LONG, "short_answers": [ADA, BO], "yes_no_answer": "NONE"},
    {"long_answer": LONG, "short_answers": [ADA], "yes_no_answer": "NONE"},
    {"long_answer": LONG, "short_answers": [], "yes_no_answer": "NONE"},
    {"long_answer": NONE, "short_answers": [], "yes_no_answer": "NONE"},
]
TEXT = "Built in 1932 by : Ada Bo"


def example(**changes: Any) -> dict[str, Any]:
    return {
        "example_id": 797803103760793766,
        "question_text": "who built the bridge",
        "document_tokens": [
            {"token": token, "start_byte": 0, "end_byte": 0, "html_token": token.startswith("<")}
            for token in TOKENS
        ],
        "long_answer_candidates": [],
        "annotations": ANNOTATIONS,
        **changes,
    }


def write(path: Path, *values: Any) -> Path:
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def check(contexts: list[Any], id: str) -> None:
    (context,) = contexts
    assert context.context == TEXT
    (question,) = context.questions
    assert (question.extra["id"], question.question) == (id, "who built the bridge")
    assert question.answers == ("Ada", "Bo")
    # Tokens: Built in 1932 by : Ada Bo
    spans = [[(p.start, p.end, p.first, p.last) for p in found.places] for found in question.detected]
    assert spans == [[(19, 22, 5, 6)], [(23, 25, 6, 7)]]


def test_full_layout(tmp_path: Path, convert: Callable[..., Any]) -> None:
    unanswered = example(example_id=2, annotations=ANNOTATIONS[3:])
    contexts, drops = convert(NATURAL_QUESTIONS, write(tmp_path / "dev.jsonl", example(), unanswered))
    check(contexts, "797803103760793766")
    assert drops.examples == {"no short answer": ["2"]}


def test_simplified_layout(tmp_path: Path, convert: Callable[..., Any]) -> None:
    simplified = example(document_text=DOCUMENT)
    del simplified["document_tokens"]
    contexts, drops = convert(NATURAL_QUESTIONS, write(tmp_path / "train.jsonl", simplified))
    check(contexts, "797803103760793766")
    assert not drops.counts


def test_open_questions_with_their_gold_passage(tmp_path: Path, convert: Callable[..., Any]) -> None:
    gold: dict[str, Any] = {
        "title": "Bridge",
        "long_answer": TEXT,
        "chunked_long_answer": TEXT,
        "short_answers": ["Ada"],
    }
    asked: dict[str, Any] = {
        "question": "who built the bridge",
        "answers": ["Ada", "Bo"],
        "ctxs": [{"title": "Bridge", "text": TEXT, "hasanswer": True, "isgold": True}],
        "nq_annotated_gold": gold,
    }
    without = {**asked, "nq_annotated_gold": {**gold, "short_answers": []}}
    contexts, drops = convert(NATURAL_QUESTIONS, write(tmp_path / "oracle.jsonl", asked, without))
    check(contexts, "1")
    assert drops.examples == {"no short answer": ["2"]}


def test_multiqa_copy_is_read_by_its_tokens(tmp_path: Path, convert: Callable[..., Any]) -> None:
    def candidate(*indices: tuple[int, int]) -> dict[str, Any]:
        instances = [{"token_inds": pair, "text": "cut wrongly"} for pair in indices]
        return {"metadata": {"long_answer": LONG}, "extractive": {"single_answer": {"instances": instances}}}

    document = {
        "text": "<html>",
        "tokens": {"text": [[token, 0] for token in TOKENS]},
        "metadata": {"tokens": {"text": {"is_html_token": [int(token[0] == "<") for token in TOKENS]}}},
    }
    candidates = [{"metadata": {"long_answer": LONG}}, candidate((11, 11), (14, 14))]
    line = {
        "id": "NaturalQuestions_5",
        "context": {"documents": [document]},
        "qas": [
            {
                "qid": "NaturalQuestions_q_5",
                "question": "who built the bridge",
                "answers": {"open-ended": {"answer_candidates": candidates}},
            }
        ],
    }
    header = {"header": {"dataset_name": "NaturalQuestions"}}
    contexts, _ = convert(NATURAL_QUESTIONS, write(tmp_path / "dev.jsonl", header, line))
    check(contexts, "5")
    document["metadata"]["tokens"]["text"]["is_html_token"] = [0]  # type: ignore[index]
    with pytest.raises(InputError, match="expected as many is_html_token as tokens"):
        convert(NATURAL_QUESTIONS, write(tmp_path / "dev.jsonl", header, line))


def test_questions_and_answers_alone_are_too_little(tmp_path: Path) -> None:
    path = write(tmp_path / "NQ-open.dev.jsonl", {"question": "who", "answer": ["Ada"]})
    with pytest.raises(InputError, match="has questions without their documents: expected"):
        list(read(path, Drops()))


def test_bad_input(tmp_path: Path) -> None:
    path = tmp_path / "dev.jsonl"
    broken = example()
    del broken["question_text"]
    with pytest.raises(InputError, match="line 2: object missing required field `question_text`"):
        list(read(write(path, example(), broken), Drops()))
    beyond = example(
        annotations=[{"long_answer": {"start_token": 3, "end_token": 99}, "short_answers": [ADA]}]
    )
    with pytest.raises(InputError, match="the answer 3:99 is not within the document's 18 tokens"):
        list(read(write(path, beyond), Drops()))
    path.write_text(json.dumps(example()) + '\n{"example_id": 1')
    with pytest.raises(InputError, match="line 2: broken JSON"):
        list(read(path, Drops()))


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "total", "least"),
    [
        ("naturalquestions/nq-open-oracle.jsonl.gz", 2655, 2640),
        ("samples/multiqa/naturalquestions_sample.jsonl.gz", 5, 3),
    ],
)
def test_real_samples(
    shared: Path, convert_real: Callable[..., Any], name: str, total: int, least: int
) -> None:
    contexts, drops = convert_real(NATURAL_QUESTIONS, shared / "data/native" / name)
    assert len(contexts) + drops.counts.total() == total
    assert len(contexts) >= least


@pytest.mark.shared
def test_real_nq_open_has_no_context(shared: Path) -> None:
    path = shared / "data/native/samples/hf_dummy/nq_open__nq_open__2.0.0/dummy_data/NQ-open.dev.jsonl"
    with pytest.raises(InputError, match="has questions without their documents"):
        list(read(path, Drops()))
