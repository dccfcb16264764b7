"""convert, stats, check, agreement, floors, prepare, repartition and bench, as a user would type them."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from caveat.cli.main import app

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_convert_there_and_back(caveat: Any, tmp_path: Path) -> None:
    source = EXAMPLES / "cmrc2018" / "gold.json"
    done = caveat("convert", "cmrc2018", source, "--to", "mrqa", "--out", "a.jsonl.gz", "--json")
    assert done.returncode == 0
    assert "1 record, 2 questions written to a.jsonl.gz as mrqa." in done.stderr
    assert json.loads(done.stdout)["questions"] == 2
    assert gzip.decompress((tmp_path / "a.jsonl.gz").read_bytes()).startswith(b'{"header":')
    done = caveat("convert", "mrqa", "a.jsonl.gz", "--to", "cmrc2018", "--out", "-")
    assert json.loads(done.stdout)["data"] == json.loads(source.read_text())["data"]


def test_convert_says_what_it_dropped(caveat: Any, tmp_path: Path) -> None:
    question = {
        "_id": "h1",
        "question": "Is it?",
        "answer": "yes",
        "supporting_facts": [["A", 0]],
        "context": [["A", ["It is."]]],
        "type": "comparison",
        "level": "easy",
    }
    other = {**question, "_id": "h2", "question": "What is it?", "answer": "It"}
    (tmp_path / "hotpot.json").write_text(json.dumps([question, other]))
    done = caveat("convert", "hotpotqa", "hotpot.json", "--to", "mrqa", "--out", "out.jsonl")
    assert done.returncode == 0
    assert "1 record, 1 question written" in done.stderr
    assert "dropped 1: " in done.stderr
    assert "(such as h1)" in done.stderr


def test_convert_lists_formats(caveat: Any) -> None:
    done = caveat("convert", "--list")
    assert done.returncode == 0
    for name in ("squad", "mrqa", "cmrc2018-list", "nlpcc-kb", "trec", "qamr"):
        assert any(line.startswith(name + " ") for line in done.stdout.splitlines())


def test_convert_leaves_nothing_behind_when_it_fails(caveat: Any, tmp_path: Path) -> None:
    (tmp_path / "bad.kb").write_text("甲 ||| 乙 ||| 丙\n" * 1000 + "no separators\n")
    (tmp_path / "out.tsv").write_text("old")
    done = caveat("convert", "nlpcc-kb", "bad.kb", "--to", "triples-tsv", "--out", "out.tsv")
    assert done.returncode == 1
    assert "bad.kb, line 1001: " in done.stderr
    assert (tmp_path / "out.tsv").read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.kb", "out.tsv"]


def test_stats(caveat: Any, tmp_path: Path) -> None:
    gold = EXAMPLES / "cmrc2018" / "gold.json"
    done = caveat("stats", "cmrc2018", "--data", gold, "--plot", "lengths.png")
    assert done.returncode == 0
    rows = [line.split() for line in done.stdout.splitlines()]
    assert ["questions", "2"] in rows
    assert ["answers", "6"] in rows
    assert (tmp_path / "lengths.png").read_bytes().startswith(b"\x89PNG")
    counts = json.loads(caveat("stats", "cmrc2018", "--data", gold, "--json").stdout)["counts"]
    assert (counts["questions"], counts["passages"], counts["wrong_offsets"]) == (2, 1, 0)


def test_stats_of_data_that_is_no_task(caveat: Any, tmp_path: Path) -> None:
    (tmp_path / "small.kb").write_bytes("甲 ||| 名 ||| 乙\r\n甲 ||| 年 ||| 1\r\n".encode("gbk"))
    done = caveat("stats", "nlpcc-kb", "--data", "small.kb", "--json")
    assert json.loads(done.stdout)["counts"]["triples"] == 2


def test_check(caveat: Any, tmp_path: Path) -> None:
    done = caveat("check", "cmrc2018", "--data", EXAMPLES / "cmrc2018" / "gold.json")
    assert (done.returncode, done.stdout) == (0, "")
    assert "nothing found" in done.stderr
    data = json.loads((EXAMPLES / "cmrc2018" / "gold.json").read_text())
    data["data"][0]["paragraphs"][0]["qas"][1]["answers"][0]["answer_start"] = 7
    (tmp_path / "off.json").write_text(json.dumps(data, ensure_ascii=False, indent=1))
    done = caveat("check", "cmrc2018", "--data", "off.json")
    assert done.returncode == 1
    (line,) = done.stdout.splitlines()
    number = next(
        n for n, text in enumerate((tmp_path / "off.json").read_text().splitlines(), 1) if "QUERY_1" in text
    )
    assert line.startswith(f"off.json:{number}: EXAMPLE_0_QUERY_1: ")
    assert line.endswith("[offset-mismatch]")
    assert "1 finding: offset-mismatch 1." in done.stderr
    assert caveat("check", "cmrc2018", "--data", "off.json", "--rule", "duplicate-id").returncode == 0
    done = caveat("check", "cmrc2018", "--data", "off.json", "--rule", "offset")
    assert done.returncode == 2
    assert "There is no rule 'offset'" in done.stderr
    done = caveat("check", "cmrc2018", "--data", "off.json", "--json")
    assert json.loads(done.stdout)["rules"] == {"offset-mismatch": 1}


def test_check_says_which_rules_need_documents(caveat: Any) -> None:
    folder = EXAMPLES / "conditionalqa"
    done = caveat("check", "conditionalqa", "--data", folder / "gold.json")
    assert "without --documents these rules are not tried: " in done.stderr
    done = caveat(
        "check", "conditionalqa", "--data", folder / "gold.json", "--documents", folder / "documents.json"
    )
    assert done.returncode == 0, done.stdout


def test_agreement_of_one_file_with_several_answers(caveat: Any) -> None:
    done = caveat("agreement", "cmrc2018", EXAMPLES / "cmrc2018" / "gold.json", "--json")
    # 1872年, 1872, 1872年: EM 1, 0, 1; F1 1, 2/3, 1. 桥面换成了花岗岩, 桥面, 桥面换成了花岗岩: EM 1, 0, 1;
    # F1 1, 2·(2/2)(2/8)/(5/4) = 0.4, 1.
    assert json.loads(done.stdout) == {
        "exact_match": pytest.approx(200 / 3),
        "f1": pytest.approx(100 * ((1 + 2 / 3 + 1) / 3 + (1 + 0.4 + 1) / 3) / 2),
        "annotators": 3,
        "questions": 2,
        "left_out": 0,
    }


def test_agreement_of_several_annotators(caveat: Any, tmp_path: Path) -> None:
    sample = {
        "context": "用甲膏或乙膏。",
        "question": "用什么？",
        "fine": [["甲膏", [1, 3]], ["乙膏", [4, 6]]],
    }
    for name, spans in (("one", sample["fine"]), ("two", sample["fine"][:1])):
        (tmp_path / f"{name}.jsonl").write_text(json.dumps({**sample, "fine": spans}))
    done = caveat("agreement", "cmqa", "one.jsonl", "two.jsonl", "--json")
    scores = json.loads(done.stdout)
    assert scores["fine"]["f1"] == pytest.approx(200 / 3)
    assert scores["condition"]["f1"] is None
    assert (scores["annotators"], scores["samples"]) == (2, 1)
    done = caveat("agreement", "nlpcc-dbqa", "one.jsonl")
    assert done.returncode == 1
    assert "has no measure of agreement" in done.stderr


def test_floors(caveat: Any) -> None:
    done = caveat("floors", "conditionalqa", "--gold", EXAMPLES / "conditionalqa" / "gold.json", "--json")
    floors = json.loads(done.stdout)
    assert floors["always_yes"]["total"]["em"] == 50
    assert floors["gold_without_conditions"]["total"]["em_with_conditions"] == 50
    assert floors["never_answer"]["total"]["f1"] == 0


def test_prepare(caveat: Any, tmp_path: Path) -> None:
    modern = "這座橋的歷史很長，每天都有很多人從這裡走過，他們在橋上看河裡的船。"
    classical = "子曰：學而時習之，不亦說乎？有朋自遠方來，不亦樂乎？人不知而不慍，不亦君子乎？"
    (tmp_path / "text.txt").write_text(f"{modern}\n\n{classical}\n")
    done = caveat("prepare", "text.txt", "--out", "out.json", "--drops", "drops.jsonl", "--prefix", "DEMO")
    assert done.returncode == 0, done.stderr
    (article,) = json.loads((tmp_path / "out.json").read_text())["data"]
    (paragraph,) = article["paragraphs"]
    assert paragraph["id"] == "DEMO_0"
    assert paragraph["context"].startswith("这座桥的历史很长")
    (drop,) = [json.loads(line) for line in (tmp_path / "drops.jsonl").read_text().splitlines()]
    assert drop["reason"] == "the text is in classical Chinese"


def test_repartition(caveat: Any, tmp_path: Path) -> None:
    lines = [
        {"context": f"text {n}", "qas": [{"qid": f"{n}", "question": "?", "answers": ["text"]}]}
        for n in range(10)
    ]
    (tmp_path / "all.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = caveat(
        "repartition", "all.jsonl", "--dev", "dev.jsonl", "--test", "test.jsonl", "--size", 3, "--json"
    )
    assert json.loads(done.stdout) == {"dev": 3, "test": 3, "left_out": 4}
    assert len((tmp_path / "dev.jsonl").read_text().splitlines()) == 4


def test_repartition_after_the_original_test_set(caveat: Any, tmp_path: Path) -> None:
    for name, texts in (("all.jsonl", "abcd"), ("own-test.jsonl", "ef")):
        lines = [
            {"context": text, "qas": [{"qid": text, "question": "?", "answers": [text]}]} for text in texts
        ]
        (tmp_path / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    parts = ("--dev", "dev.jsonl", "--test", "test.jsonl")
    done = caveat(
        "repartition", "all.jsonl", "--original-test", "own-test.jsonl", *parts, "--size", 2, "--json"
    )
    # Both of the original test set fill the test part; two of the other four are developed on.
    assert json.loads(done.stdout) == {"dev": 2, "test": 2, "left_out": 2}
    tested = [json.loads(line) for line in (tmp_path / "test.jsonl").read_text().splitlines()]
    assert {line["context"] for line in tested if "context" in line} == {"e", "f"}


@pytest.mark.slow
def test_bench_metrics(caveat: Any) -> None:
    done = caveat("bench", "metrics", "--repeats", 1, "--json")
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["rows"]) == 3


def test_bench_reading(caveat: Any) -> None:
    done = caveat("bench", "reading", "--megabytes", 4)
    assert done.returncode == 0, done.stderr
    assert "knowledge base, 4 MB" in done.stdout


def test_a_closed_pipe_is_no_error(caveat: Any, tmp_path: Path) -> None:
    import subprocess
    import sys

    (tmp_path / "many.kb").write_text("no separators\n" * 20_000)
    done = subprocess.run(
        f"{sys.executable} -m caveat check nlpcc-kb --data many.kb | head -1",
        shell=True,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.count("\n") == 1
    assert "Traceback" not in done.stderr


def every_command(group: Any = None, *before: str) -> Iterator[tuple[str, ...]]:
    """What a user types for each command and sub-command that is registered."""
    for name, command in (group or get_command(app)).commands.items():
        yield (*before, name)
        if hasattr(command, "commands"):
            yield from every_command(command, *before, name)


def test_help_lists_every_command(caveat: Any) -> None:
    """In a process of its own, as a user would type it; the commands' own help is asked for below."""
    done = caveat("--help")
    assert done.returncode == 0
    listed = re.findall(r"^│ ([a-z][\w-]*)  ", done.stdout, re.MULTILINE)
    assert sorted(listed) == sorted(command[0] for command in every_command() if len(command) == 1)


@pytest.mark.parametrize("command", [*every_command()], ids=" ".join)
def test_help_of_every_command(command: tuple[str, ...]) -> None:
    done = CliRunner().invoke(app, [*command, "--help"])
    assert done.exit_code == 0
    assert f"Usage: caveat {' '.join(command)} " in done.stdout
    inner = [other[-1] for other in every_command() if other[:-1] == command]
    if inner:
        assert all(f" {name} " in done.stdout for name in inner)
    else:
        assert "Example:" in done.stdout
        assert f"caveat {' '.join(command)}" in done.stdout.split("Example:", 1)[1]


def loaded_after(statement: str) -> set[str]:
    """The modules that a process has loaded at its end, those of Python's own left out."""
    script = f"import sys\n{statement}\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return {name for name in done.stderr.split() if name.partition(".")[0] not in sys.stdlib_module_names}


def packages(modules: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in modules} - {"caveat"}


def test_starting_loads_typer_and_of_benchmarks_what_they_declare() -> None:
    loaded = loaded_after("import caveat.cli.main")
    assert packages(loaded) <= packages(loaded_after("import typer"))
    assert "caveat.benchmarks.verbs" not in loaded
    assert not [name for name in loaded if re.match(r"caveat\.benchmarks\.\w+\.\w", name)]


def test_help_loads_only_what_typer_draws_it_with() -> None:
    loaded = loaded_after("import caveat.cli.main as cli; cli.app(['--help'], standalone_mode=False)")
    assert packages(loaded) <= packages(loaded_after("import typer.rich_utils"))


def test_agreement_by_the_tasks_own_scores(caveat: Any) -> None:
    gold = EXAMPLES / "conditionalqa" / "gold.json"
    scores = json.loads(caveat("agreement", "conditionalqa", gold, gold, "--json").stdout)
    assert scores["total"]["f1_with_conditions"] == 100
    assert scores["questions"] == 2
    done = caveat("agreement", "conditionalqa", gold)
    assert done.returncode == 1
    assert "at least two annotators" in done.stderr
