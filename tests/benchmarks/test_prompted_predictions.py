"""Every task answered by a language model: in its submission format, with what it says found in the source."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.calibrate import calibrate
from caveat.benchmarks.verbs import predict
from caveat.core.errors import CaveatError, InputError, UsageError


def squad(path: Path, *questions: tuple[str, str, str]) -> Path:
    """A file of SQuAD's layout: question, text and answer, each with its number as id."""
    paragraphs = [
        {
            "context": text,
            "qas": [
                {
                    "id": str(number),
                    "question": question,
                    "answers": [{"text": answer, "answer_start": text.index(answer)}],
                }
            ],
        }
        for number, (question, text, answer) in enumerate(questions)
    ]
    path.write_text(json.dumps({"version": "1", "data": [{"title": "t", "paragraphs": paragraphs}]}))
    return path


HALL = ("When was the hall built?", "The hall was built in 1872. It has red doors.", "1872")
SHIP = ("Color", "The ship left at noon. The color red is on its side.", "red")


def test_a_span_is_asked_for_and_the_reader_stands_in(
    endpoint: Any, reader_folder: Path, tmp_path: Path
) -> None:
    data, out = squad(tmp_path / "dev.json", HALL, SHIP), tmp_path / "out.json"
    endpoint.does(
        lambda body: (
            '{"sentence": 1, "quotation": "in 1872"}'
            if "hall" in body["messages"][1]["content"]
            else '{"sentence": 2, "quotation": "crimson"}'
        )
    )
    done = predict("squad", data, out, model=[reader_folder, endpoint.name])
    assert json.loads(out.read_text()) == {"0": "in 1872", "1": "red"}
    assert done.model == "tiny+tiny"
    said = done.remarks("out.json")[-1]
    assert "2 requests to tiny" in said
    assert "1 of 2 answers are the language model's" in said
    assert "1 of its answers did not stand in the source" in said


def test_examples_are_of_the_training_split_alone(endpoint: Any, reader_folder: Path, tmp_path: Path) -> None:
    data, out = squad(tmp_path / "dev.json", HALL), tmp_path / "out.json"
    train = squad(tmp_path / "train.json", SHIP)
    endpoint.does('{"sentence": 1, "quotation": "1872"}')
    predict("squad", data, out, model=[reader_folder, endpoint.name], examples=train)
    said = endpoint.bodies[0]["messages"][1]["content"]
    assert "Question: Color" in said
    assert '{"sentence":1,"quotation":"red"}' in said
    with pytest.raises(InputError, match="training split"):
        predict("squad", data, out, model=[reader_folder, endpoint.name], examples=data)
    with pytest.raises(UsageError, match="language model"):
        predict("squad", data, out, model=[reader_folder], examples=train)


def test_what_is_beyond_the_budget_is_answered_by_the_reader(
    endpoint: Any, reader_folder: Path, tmp_path: Path
) -> None:
    data, out = squad(tmp_path / "dev.json", HALL, SHIP), tmp_path / "out.json"
    endpoint.does('{"sentence": 1, "quotation": "noon"}')
    done = predict("squad", data, out, model=[reader_folder, endpoint.name], budget="10")
    assert endpoint.bodies == []
    assert json.loads(out.read_text())["1"] == "red"
    assert "2 not sent since the budget is spent" in done.remarks("out")[-1]


def test_conditionalqa_with_the_conditions_that_the_model_states(
    endpoint: Any, reader_folder: Path, tmp_path: Path
) -> None:
    contents = ["<h1>Pool</h1>", "<p>You can swim if you are a member.</p>", "<p>It opens at 7 am.</p>"]
    pages = [{"title": "Pool", "url": "u", "contents": contents}]
    (tmp_path / "pages.json").write_text(json.dumps(pages))
    question = {"id": "a", "url": "u", "scenario": "I am 30.", "question": "Can I swim?", "answers": []}
    question |= {"not_answerable": False, "evidences": []}
    (tmp_path / "dev.json").write_text(json.dumps([question]))
    condition = {"sentence": 1, "quotation": "you are a member", "unless": False, "settled": "open"}
    said = {"sentences": [1], "kind": "yes", "quotations": ["You can swim"], "conditions": [condition]}
    endpoint.does(json.dumps(said | {"logic": "all"}))
    predict(
        "conditionalqa",
        tmp_path / "dev.json",
        tmp_path / "out.json",
        documents=tmp_path / "pages.json",
        model=[reader_folder, endpoint.name],
    )
    assert json.loads((tmp_path / "out.json").read_text()) == [
        {"id": "a", "answers": [["yes", [contents[1]]]]}
    ]


def test_cmqa_with_its_structure(endpoint: Any, tmp_path: Path) -> None:
    context = "如果感染，可用抗生素，如青霉素。"
    data, out = tmp_path / "dev.json", tmp_path / "out.json"
    data.write_text(json.dumps({"context": context, "question": "用什么药？"}) + "\n")
    fine = [{"text": "青霉素", "conditions": []}, {"text": "阿司匹林", "conditions": []}]
    endpoint.does(json.dumps({"answers": [{"coarse": "抗生素", "conditions": ["如果感染"], "fine": fine}]}))
    done = predict("cmqa", data, out, model=[endpoint.name])
    written = json.loads(out.read_text())
    assert written["coarse"] == [["抗生素", [7, 10]]]
    assert written["fine"] == [["青霉素", [12, 15]]]
    assert written["condition_coarse"] == [[["如果感染", "抗生素"], [[0, 4], [7, 10]]]]
    assert written["coarse_fine"] == [[["抗生素", "青霉素"], [[7, 10], [12, 15]]]]
    assert "1 quotations did not stand in the source" in done.remarks("out")[-1]


def test_all_spans_of_multispan(endpoint: Any, reader_folder: Path, tmp_path: Path) -> None:
    words = ["The", "rivers", "are", "Ouse", "and", "Foss", "."]
    example = {"id": "a", "question": ["Which", "rivers", "?"], "context": words, "label": ["O"] * 7}
    data, out = tmp_path / "dev.json", tmp_path / "out.json"
    data.write_text(json.dumps({"data": [example]}))
    endpoint.does('{"quotations": ["Ouse", "Foss", "Derwent"]}')
    predict("multispan", data, out, model=endpoint.name)
    assert json.loads(out.read_text()) == {"a": ["Ouse", "Foss"]}


def test_kbqa_chooses_among_the_candidates(endpoint: Any, tmp_path: Path) -> None:
    (tmp_path / "kb").write_text("青石桥 ||| 设计者 ||| 秦婉\n青石桥 ||| 长度 ||| 46米\n", encoding="utf-8")
    (tmp_path / "q").write_text("<question id=1>\t青石桥有多长？\n", encoding="utf-8")

    def choose(body: dict[str, Any]) -> str:
        lines = body["messages"][1]["content"].splitlines()
        number = next(line[1] for line in lines if "长度" in line)
        return json.dumps({"numbers": [int(number)]})

    endpoint.does(choose)
    predict("nlpcc-kbqa", tmp_path / "q", tmp_path / "out", kb=tmp_path / "kb", model=endpoint.name)
    assert "46米" in (tmp_path / "out").read_text(encoding="utf-8")
    with pytest.raises(UsageError, match="language model"):
        predict("nlpcc-kbqa", tmp_path / "q", tmp_path / "out", kb=tmp_path / "kb", model="reader-zh")


@pytest.mark.parametrize(
    ("said", "order"), [('{"numbers": [3, 9]}', [2, 0, 1]), ('{"numbers": []}', [0, 1, 2]), ("no", [0, 1, 2])]
)
def test_dbqa_has_what_the_model_chooses_first(
    endpoint: Any, tmp_path: Path, said: str, order: list[int]
) -> None:
    rows = ["桥有多长？\t桥的长度是多长\t0", "桥有多长？\t桥很长\t0", "桥有多长？\t它跨越四十六米\t1"]
    (tmp_path / "d").write_text("\n".join(rows) + "\n", encoding="utf-8")
    endpoint.does(said)
    predict("nlpcc-dbqa", tmp_path / "d", tmp_path / "out", method="overlap", model=endpoint.name)
    scores = [float(line) for line in (tmp_path / "out").read_text().split()]
    assert sorted(range(3), key=lambda place: -scores[place]) == order


def test_a_card_is_fitted_to_a_task(endpoint: Any, tmp_path: Path) -> None:
    several = [
        (f"When was hall {number} built?", f"Hall {number} was built in {1800 + number}.", str(1800 + number))
        for number in range(6)
    ]
    data = squad(tmp_path / "dev.json", *several)

    def answer(body: dict[str, Any]) -> str:
        asked = body["messages"][1]["content"].rpartition("hall ")[2].split()[0]
        return json.dumps({"sentence": 1, "quotation": str(1800 + int(asked)) if asked != "3" else "Hall"})

    endpoint.does(answer)
    done = calibrate(endpoint.name, "squad", data, first=5)
    assert done.card.questions == 5
    assert done.card.figures["model"] == 80.0
    assert done.card.figures["both"] >= max(done.card.figures["model"], done.card.figures["embedded"])
    assert Path(done.path).is_file()
    assert tmp_path / "config" in Path(done.path).parents
    endpoint.does("nothing")
    with pytest.raises(CaveatError, match="nothing to fit"):
        calibrate(endpoint.name, "squad", squad(tmp_path / "other.json", SHIP))
    with pytest.raises(UsageError, match="language model"):
        calibrate("reader-en", "squad", data)
