from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

GOLD = {
    "data": [
        {
            "paragraphs": [
                {
                    "context": "The Seine flows through Paris.",
                    "qas": [
                        {
                            "id": "q1",
                            "question": "Which river?",
                            "answers": [{"text": "The Seine", "answer_start": 0}],
                        },
                        {
                            "id": "q2",
                            "question": "Which city?",
                            "answers": [{"text": "Paris", "answer_start": 24}],
                        },
                    ],
                }
            ]
        }
    ]
}


def write(path: Path, value: Any) -> Path:
    data = json.dumps(value, ensure_ascii=False).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return write(tmp_path / "gold.json.gz", GOLD)


def test_json_is_one_object_and_nothing_else(caveat: Any, tmp_path: Path, gold: Path) -> None:
    pred = write(tmp_path / "pred.json", {"q1": "seine", "q9": "?"})
    done = caveat("eval", "squad", "--gold", gold, "--pred", pred, "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout) == {
        "exact_match": 50.0,
        "f1": 50.0,
        "total": 2,
        "missing": 1,
        "unknown": 1,
    }
    assert "no prediction for 1 question (q2): counted as wrong." in done.stderr
    assert "1 prediction (q9) with an id that the gold file does not have: ignored." in done.stderr


def test_the_table(caveat: Any, tmp_path: Path, gold: Path) -> None:
    pred = write(tmp_path / "pred.json", {"q1": "seine", "q2": "in Paris"})
    done = caveat("eval", "squad", "--gold", gold, "--pred", pred)
    assert [line.split() for line in done.stdout.splitlines() if line.strip()][-4:] == [
        ["exact", "match", "50.00"],
        ["f1", "83.33"],
        ["total", "2"],
        ["missing", "0"],
    ]


def test_details_and_first(caveat: Any, tmp_path: Path, gold: Path) -> None:
    pred = write(tmp_path / "pred.json", {"q1": "seine"})
    done = caveat(
        "eval", "squad", "--gold", gold, "--pred", pred, "--details", "rows.jsonl", "--first", 1, "--json"
    )
    assert json.loads(done.stdout)["exact_match"] == 100
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text().splitlines()]
    assert rows == [{"id": "q1", "exact_match": 100, "f1": 100, "prediction": "seine", "gold": ["The Seine"]}]


def test_standard_input(caveat: Any, gold: Path) -> None:
    done = caveat(
        "eval", "squad", "--gold", gold, "--pred", "-", "--json", stdin='{"q1": "Seine", "q2": "Paris"}'
    )
    assert json.loads(done.stdout)["exact_match"] == 100


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"q1": ["Seine"]}', "pred.json, line 1, id q1: expected `str`, got `array`"),
        ('{"q1": null}', "pred.json, line 1, id q1: expected `str`, got `null`"),
        ('{"q1": NaN}', "pred.json, line 1: broken JSON: NaN or Infinity"),
        ('{"q1": "Seine"', "pred.json, line 1: broken JSON"),
        ("", "pred.json: the file is empty, expected JSON"),
        ('["Seine"]', "pred.json, line 1: expected `object`, got `array`"),
    ],
)
def test_bad_predictions_are_one_sentence(
    caveat: Any, tmp_path: Path, gold: Path, content: str, message: str
) -> None:
    (tmp_path / "pred.json").write_text(content)
    done = caveat("eval", "squad", "--gold", gold, "--pred", "pred.json", "--details", "rows.jsonl")
    assert (done.returncode, done.stdout) == (1, "")
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "rows.jsonl").exists()


def test_a_truncated_gold_file(caveat: Any, tmp_path: Path, gold: Path) -> None:
    gold.write_bytes(gold.read_bytes()[:80])
    done = caveat("eval", "squad", "--gold", gold, "--pred", write(tmp_path / "pred.json", {}))
    assert done.returncode == 1
    assert "the gzip file is cut off" in done.stderr


def test_wrong_usage(caveat: Any, gold: Path) -> None:
    done = caveat("eval", "sqaud", "--gold", gold, "--pred", gold)
    assert done.returncode == 2
    assert "There is no task 'sqaud'. Did you mean 'squad'? There are: mrqa, squad, squad2" in done.stderr
    done = caveat("eval", "squad", "--gold", gold)
    assert done.returncode == 2
    assert "--pred" in done.stderr
    done = caveat("eval", "squad", "--gold", gold, "--pred", gold, "--na-prob", gold)
    assert done.returncode == 2
    assert "The task squad does not take --na-prob." in done.stderr


def test_mrqa_with_the_published_flag(caveat: Any, tmp_path: Path) -> None:
    lines = [{"header": {"dataset": "X", "split": "dev"}}]
    lines += [
        {"context": "a b", "qas": [{"qid": q, "question": "?", "answers": ["b"]}]} for q in ("m1", "m2")
    ]  # type: ignore[dict-item]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    pred = write(tmp_path / "pred.json", {"m1": "b"})
    arguments = ("eval", "mrqa", "--gold", "gold.jsonl", "--pred", pred, "--json")
    assert json.loads(caveat(*arguments).stdout)["exact_match"] == 50
    assert json.loads(caveat(*arguments, "--official").stdout)["exact_match"] == 50
    assert json.loads(caveat(*arguments, "--official", "--skip-no-answer").stdout)["exact_match"] == 100


def test_dbqa_scores(caveat: Any, tmp_path: Path) -> None:
    rows = ["甲？\t一\t0", "甲？\t二\t1", "乙？\t三\t1", "乙？\t四\t0"]
    (tmp_path / "gold.tsv").write_bytes("\r\n".join(rows).encode("gbk"))
    (tmp_path / "pred.txt").write_text("0.9\n0.5\n0.8\n0.1\n")
    done = caveat("eval", "nlpcc-dbqa", "--gold", "gold.tsv", "--pred", "pred.txt", "--json")
    scores = json.loads(done.stdout)
    assert (scores["mrr"], scores["map"], scores["accuracy@1"], scores["questions"]) == (75, 75, 50, 2)
    (tmp_path / "pred.txt").write_text("0.9\n0.5\n0.8\n")
    done = caveat("eval", "nlpcc-dbqa", "--gold", "gold.tsv", "--pred", "pred.txt")
    assert done.returncode == 1
    assert "expected 4 scores" in done.stderr
    (tmp_path / "pred.txt").write_text("0.9\nnan\n0.8\n0.1\n")
    done = caveat("eval", "nlpcc-dbqa", "--gold", "gold.tsv", "--pred", "pred.txt")
    assert done.returncode == 1
    assert "pred.txt, line 2" in done.stderr
