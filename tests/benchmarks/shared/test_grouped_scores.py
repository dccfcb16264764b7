"""Scores by kinds of questions, and trivial systems, worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from caveat.benchmarks.shared.grouped_scores import binned, by_bm25, in_quarters, overlap
from caveat.benchmarks.task import EvaluationOptions
from caveat.benchmarks.verbs import analyse, evaluate, floors
from caveat.core.errors import CaveatError, UsageError
from caveat.core.json_files import write_json

TEXT = "The tower is old. It was built in 1820 by Ann Lee. Many people visit the tower in May."


def squad(path: Path) -> Path:
    def question(id: str, text: str, answer: str) -> dict[str, object]:
        return {"id": id, "question": text, "answers": [{"text": answer, "answer_start": TEXT.index(answer)}]}

    questions = [
        question("1", "Who built it in 1820?", "Ann Lee"),
        question("2", "When do people visit the tower?", "May"),
    ]
    data = [{"title": "Tower", "paragraphs": [{"context": TEXT, "qas": questions}]}]
    write_json(path, {"version": "1", "data": data})
    return path


def test_scores_by_kinds_of_questions(tmp_path: Path) -> None:
    write_json(tmp_path / "p.json", {"1": "Ann"})
    found = analyse("squad", squad(tmp_path / "g.json"), tmp_path / "p.json")
    assert (found.questions, found.missing) == (2, 1)
    by_type = {group.group: group for group in found.groups["question type"]}
    # "Ann" of "Ann Lee": P 1, R 1/2.
    assert by_type["who"].scores == {"exact match": 0.0, "f1": pytest.approx(100 * 2 / 3)}
    assert by_type["when"].scores == {"exact match": 0.0, "f1": 0.0}
    lengths = {group.group: group.questions for group in found.groups["answer length, words"]}
    assert lengths == {"0–1": 1, "2": 1}
    places = {group.group: group.questions for group in found.groups["place of the answer in the passage"]}
    assert places == {"25–50 %": 1, "75–100 %": 1}
    # Built, it, in, 1820 of the five words; people, visit, the, tower of the six.
    shared = found.groups["words of the question in the answer's sentence"]
    assert [(group.group, group.questions) for group in shared] == [("50–75 %", 1), ("75–100 %", 1)]
    assert found.shown().tables[0].name == "By question type"
    with pytest.raises(UsageError, match="--pred"):
        analyse("squad", tmp_path / "g.json")


def test_trivial_systems_over_passages(tmp_path: Path) -> None:
    found = floors("squad", squad(tmp_path / "g.json"))
    assert list(found) == ["first_sentence", "sentence_by_bm25"]
    # "It was built in 1820 by Ann Lee." has 2 of 8 words: F1 2/5; "Many people visit tower in May": 1 of 6: 2/7.
    assert found["sentence_by_bm25"].scores["f1"] == pytest.approx(100 * (2 / 5 + 2 / 7) / 2)
    assert found["first_sentence"].scores["f1"] == 0.0
    assert "never_answer" in floors("squad2", tmp_path / "g.json")


def test_trivial_rankings_and_kinds_of_questions(tmp_path: Path) -> None:
    gold, scores = tmp_path / "g.tsv", tmp_path / "s.txt"
    gold.write_text(
        "谁写了红楼梦？\t天气很好。\t0\n谁写了红楼梦？\t曹雪芹写了红楼梦。\t1\n", encoding="utf-8"
    )
    found = floors("nlpcc-dbqa", gold)
    assert found["file_order"].scores["mrr"] == 50.0
    assert found["bm25"].scores["mrr"] == 100.0
    scores.write_text("0.9\n0.1\n", encoding="utf-8")
    groups = analyse("nlpcc-dbqa", gold, scores).groups
    (who,) = groups["question type"]
    assert (who.group, who.scores) == ("who", {"MRR": 50.0, "MAP": 50.0, "accuracy@1": 0.0})
    assert groups["place of the right candidate"][0].group == "50–75 %"
    tables = tmp_path / "g.tbqa"
    tables.write_text("1\tHow high?\tHills high\tHill\tA\n0\tHow high?\tLakes\tLake\tB\n", encoding="utf-8")
    assert floors("nlpcc-tbqa", tables)["bm25"].scores["mrr"] == 100.0
    unlabelled = tmp_path / "u.tsv"
    unlabelled.write_text("谁？\t他。\n", encoding="utf-8")
    with pytest.raises(CaveatError, match="no labels"):
        floors("nlpcc-dbqa", unlabelled)


def test_the_most_frequent_answer(tmp_path: Path) -> None:
    gold = tmp_path / "g.kbqa"
    lines = [
        f"<question id={n}>\t问{n}？\n<triple id={n}>\ta ||| b ||| {answer}\n<answer id={n}>\t{answer}\n====\n"
        for n, answer in enumerate(["北京", "上海", "北京"], 1)
    ]
    gold.write_text("".join(lines), encoding="utf-8")
    assert floors("nlpcc-kbqa", gold)["most_frequent_answer"].scores["accuracy@1"] == pytest.approx(200 / 3)


def test_accuracy_at_another_rank(tmp_path: Path) -> None:
    gold, scores = tmp_path / "g.tsv", tmp_path / "s.txt"
    gold.write_text("".join(f"谁？\t句{n}。\t{int(n == 4)}\n" for n in range(5)), encoding="utf-8")
    scores.write_text("5\n4\n3\n2\n1\n", encoding="utf-8")
    found = evaluate("nlpcc-dbqa", gold, scores, EvaluationOptions(at=5)).scores
    # The right one is fifth.
    assert (found["mrr"], found["accuracy@3"], found["accuracy@5"]) == (20.0, 0.0, 100.0)
    assert "accuracy@5" not in evaluate("nlpcc-dbqa", gold, scores).scores
    with pytest.raises(UsageError, match="does not take --at"):
        evaluate("squad", gold, scores, EvaluationOptions(at=5))


def test_bins_and_words_in_common() -> None:
    assert [binned(value, (2, 3, 5)) for value in (0, 1, 2, 3, 4, 5, 9)] == [
        "0–1", "0–1", "2", "3–4", "3–4", "5+", "5+",
    ]  # fmt: skip
    assert [in_quarters(share) for share in (0.0, 0.25, 0.74, 1.0)] == [
        "0–25 %", "25–50 %", "50–75 %", "75–100 %",
    ]  # fmt: skip
    assert overlap("Who built IT?", "it was built") == pytest.approx(2 / 3)
    assert by_bm25("tower", ["a tower", "a lake"])[1] == 0.0
    assert by_bm25("", ["a tower"]) == [0.0]
