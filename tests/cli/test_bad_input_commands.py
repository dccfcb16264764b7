"""What a user meets who gives the commands something they cannot take: one sentence, and no half-made file."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

SQUAD = {
    "data": [
        {
            "paragraphs": [
                {
                    "context": "The Seine flows.",
                    "qas": [
                        {"id": "q1", "question": "?", "answers": [{"text": "Seine", "answer_start": 4}]},
                        {"id": "q2", "question": "?", "answers": [{"text": "flows", "answer_start": 10}]},
                    ],
                }
            ]
        }
    ]
}


@pytest.fixture(autouse=True)
def _files(tmp_path: Path) -> None:
    (tmp_path / "gold.json").write_text(json.dumps(SQUAD))
    (tmp_path / "pred.json").write_text('{"q1": "Seine", "q2": "flows"}')


def fails(done: subprocess.CompletedProcess[str], sentence: str, code: int = 1) -> None:
    assert (done.returncode, done.stdout) == (code, ""), done.stderr
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize(
    ("task", "gold", "pred", "sentence"),
    [
        ("squad", b"", None, "gold: the file is empty, expected JSON"),
        ("squad", b'{"data": []}', None, "gold: has no questions, so there is nothing to score"),
        ("squad", json.dumps(SQUAD).encode("utf-16"), None, "gold, line 1: not UTF-8 text"),
        ("squad", None, b'{"q1": {}}', "pred, line 1, id q1: expected `str`, got `object`"),
        ("squad", None, b'{"q1": "\\ud800"}', r"pred, line 1: broken JSON: \ud800 is half of a surrogate pair"),
        ("squad", None, b"[" * 100_000, "pred: the JSON is nested too deeply"),
        ("squad", None, b'{"q1\\n": 1}', r"pred, line 1, id q1\n: expected `str`, got `int` at q1\n"),
        ("mrqa", b'{"header": {}}\n{"qas": [{"qid": 1}]}', b"{}", "gold, line 2, id 1: expected `str`, got `int`"),
        ("cmqa", b'{"context": "a"}', b"", "gold, line 1: object missing required field `question`"),
        (
            "cmqa",
            b'{"context": "a", "question": "b", "fine": [["a", [0]]]}',
            b"",
            "gold, line 1: expected `array` of length 2, got 1 at fine[0][1]",
        ),
        ("conditionalqa", b"{}", b"[]", "gold, line 1: expected `array`, got `object`"),
        ("multispan", b'{"data": [{"id": "s", "question": [], "context": [], "label": ["B"]}]}', b"{}",
         "gold, id s: expected a label for each of the 0 tokens, got 1"),
        ("nlpcc-kbqa", b"<answer id=1>\tx\n", b"", "gold, line 1, id 1: this answer does not follow"),
        ("nlpcc-dbqa", "甲\t乙\t2\n".encode(), b"1\n", "gold, line 1: expected a label, 0 or 1"),
        ("nlpcc-dbqa", "甲\t乙\t1\n".encode(), b"1\n2\n", "pred: expected 1 scores, one a line, found 2"),
        ("nlpcc-dbqa", "甲\t乙\t1\n".encode(), b"inf\n", "pred, line 1: expected a score, a finite number"),
        ("nlpcc-tbqa", b"q\tc\th\tc\n", b"1\n", "gold: the data has no labels (0/1)"),
    ],
)  # fmt: skip
def test_eval(
    caveat: Any, tmp_path: Path, task: str, gold: bytes | None, pred: bytes | None, sentence: str
) -> None:
    (tmp_path / "gold").write_bytes((tmp_path / "gold.json").read_bytes() if gold is None else gold)
    (tmp_path / "pred").write_bytes((tmp_path / "pred.json").read_bytes() if pred is None else pred)
    before = names(tmp_path)
    fails(caveat("eval", task, "--gold", "gold", "--pred", "pred", "--details", "rows.jsonl"), sentence)
    assert names(tmp_path) == before


def test_a_gzip_file_that_is_cut_off(caveat: Any, tmp_path: Path) -> None:
    whole = gzip.compress("".join(f"甲{n} ||| 名 ||| 乙{n}\n" for n in range(50_000)).encode())
    (tmp_path / "kb.gz").write_bytes(whole[: len(whole) // 2])
    before = names(tmp_path)
    for command in (
        ("convert", "nlpcc-kb", "kb.gz", "--to", "triples-tsv", "--out", "out.tsv"),
        ("stats", "nlpcc-kb", "--data", "kb.gz"),
        ("check", "nlpcc-kb", "--data", "kb.gz"),
    ):
        done = caveat(*command)
        fails(done, "the gzip file is cut off")
        assert "kb.gz, line " in done.stderr
    assert names(tmp_path) == before


@pytest.mark.parametrize(
    ("format", "good", "bad", "sentence"),
    [
        ("mrqa", '{"context": "a", "qas": []}', '{"context": "a", "qas": [}', "broken JSON"),
        ("cmqa", '{"context": "a", "question": "b"}', "{", "broken JSON"),
        (
            "searchqa",
            '{"id": 1, "question": "?", "answer": "a", "search_results": []}',
            '{"id": 2,',
            "broken JSON",
        ),
        ("nlpcc-kb", "甲 ||| 乙 ||| 丙", "甲 ||| 乙", "expected subject, predicate and object"),
        ("nlpcc-dbqa", "甲\t乙\t0", "甲\t乙", "expected 3 tab-separated columns"),
        ("relationextraction", "r\tq\ts\tsentence\ta", "r\tq", "has 2 tab-separated columns"),
    ],
)
def test_line_40000(caveat: Any, tmp_path: Path, format: str, good: str, bad: str, sentence: str) -> None:
    (tmp_path / "data").write_text(f"{good}\n" * 39_999 + f"{bad}\n{good}\n")
    to = {"cmqa": "cmqa", "searchqa": "mrqa", "relationextraction": "mrqa"}.get(format, format)
    before = names(tmp_path)
    done = caveat("convert", format, "data", "--to", to, "--out", "out")
    fails(done, f"data, line 40000: {sentence}")
    assert names(tmp_path) == before


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("eval", "squad", "-g", "gold.json", "-p", "pred.json", "--details", "./pred.json"),
         "--details would overwrite pred.json, which is read."),
        (("eval", "squad", "-g", "gold.json", "-p", "pred.json", "--details", "-", "--json"),
         "--details and --json would both write to standard output."),
        (("eval", "squad", "-g", "-", "-p", "-"), "Only one of the gold and the prediction file"),
        (("eval", "squad", "-g", "gold.json", "-p", "pred.json", "--na-threshold", "0.5"),
         "The task squad does not take --na-threshold."),
        (("eval", "squad2", "-g", "gold.json", "-p", "pred.json", "--na-threshold", "nan"), "must be a number"),
        (("stats", "squad", "-d", "gold.json", "--kb", "x"), "The task squad does not take --kb."),
        (("check", "cmqa", "-d", "gold.json", "--documents", "x"), "The task cmqa does not take --documents."),
        (("convert", "squad", "gold.json", "--to", "mrqa", "--out", "o", "--tables", "x"),
         "The format squad does not take --tables."),
        (("convert", "sqad", "gold.json", "--to", "mrqa", "--out", "o"), "There is no format 'sqad'. Did you mean"),
        (("check", "squad", "-d", "gold.json", "--rule", "x"), "There is no rule 'x'."),
        (("bench", "x"), "There is no benchmark 'x'."),
        (("repartition", "gold.json", "--dev", "a", "--test", "./a"), "--dev and --test would both write to ./a."),
        (("repartition", "gold.json", "--dev", "gold.json", "--test", "a"), "--dev would overwrite gold.json"),
        (("prepare", "gold.json", "--out", "gold.json"), "--out would overwrite gold.json, which is read."),
        (("prepare", "gold.json", "--out", "a", "--drops", "a"), "--out and --drops would both write to a."),
    ],
)  # fmt: skip
def test_wrong_usage_is_exit_code_2(
    caveat: Any, tmp_path: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    fails(caveat(*arguments, stdin=""), sentence, 2)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("stats", "squad", "-d", "none.json"), "none.json: cannot be opened: no such file or directory"),
        (("stats", "squad", "-d", "."), ".: cannot be opened: is a directory"),
        (("convert", "squad", "gold.json", "--to", "mrqa", "--out", "no/out"), "no/out cannot be written"),
        (("convert", "squad", "gold.json", "--to", "mrqa", "--out", "."), ". cannot be written: is a directory"),
        (("agreement", "cmqa", "-", "-"), "standard input: has been read already"),
        (("prepare", "none.txt", "--out", "a"), "none.txt: cannot be opened"),
        (("convert", "nlpcc-kb", "gold.json", "--to", "squad", "--out", "a"), "nlpcc-kb cannot become squad"),
        (("repartition", "gold.json", "--dev", "a", "--test", "b"), "gold.json, line 1: object missing required"),
        (("floors", "multispan", "--gold", "gold.json"), "The task multispan has no trivial floors"),
    ],
)  # fmt: skip
def test_files_that_cannot_be(caveat: Any, tmp_path: Path, arguments: tuple[str, ...], sentence: str) -> None:
    before = names(tmp_path)
    fails(caveat(*arguments, stdin=""), sentence)
    assert names(tmp_path) == before


def test_a_file_may_be_converted_onto_itself(caveat: Any, tmp_path: Path) -> None:
    assert caveat("convert", "squad", "gold.json", "--to", "squad2", "--out", "gold.json").returncode == 0
    question = json.loads((tmp_path / "gold.json").read_text())["data"][0]["paragraphs"][0]["qas"][0]
    assert question["is_impossible"] is False


def test_standard_input_and_output(caveat: Any, tmp_path: Path) -> None:
    done = caveat("convert", "squad", "-", "--to", "mrqa", "--out", "-", stdin=json.dumps(SQUAD))
    assert [json.loads(line).keys() >= {"context"} for line in done.stdout.splitlines()] == [False, True]
    assert len(done.stderr.splitlines()) == 1


def shell(command: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command.replace("caveat", f"{sys.executable} -m caveat")],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **more},
    )


@pytest.mark.parametrize(
    "command", ["convert --list", "stats squad -d gold.json", "stats squad -d gold.json --json"]
)
def test_nobody_reads_the_output(tmp_path: Path, command: str) -> None:
    done = shell(f"caveat {command} | true", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


def test_closed_and_full_streams(tmp_path: Path) -> None:
    fails(shell("caveat stats squad -d - <&-", tmp_path), "standard input: cannot be read: it is closed")
    out = "caveat convert squad gold.json --to mrqa --out -"
    fails(shell(f"{out} >&-", tmp_path), "Standard output cannot be written: it is closed.")
    if Path("/dev/full").exists():
        fails(shell("caveat stats squad -d gold.json > /dev/full", tmp_path), "no space left on device")


def test_output_is_utf8_whatever_the_locale(tmp_path: Path) -> None:
    kb = "甲 ||| 名 ||| 乙\n"
    (tmp_path / "kb").write_text(kb)
    done = shell("caveat convert nlpcc-kb kb --to nlpcc-kb --out -", tmp_path, PYTHONIOENCODING="latin-1")
    assert done.stdout == kb


def test_a_file_name_that_is_no_text(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.json")
    try:
        (tmp_path / "gold.json").rename(tmp_path / name)
    except OSError:
        pytest.skip("this file system takes no such name")
    assert "caf\\udce9.json" in shell("caveat stats squad -d caf*", tmp_path).stdout
    findings = json.loads(shell("caveat check squad -d caf* --json", tmp_path).stdout)["findings"]
    assert [finding["file"] for finding in findings] == [name]


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)]
)
def test_an_interrupted_conversion(tmp_path: Path, number: signal.Signals, code: int) -> None:
    os.mkfifo(tmp_path / "kb")  # more triples may always come: the conversion is in the middle of its work
    (tmp_path / "out.tsv").write_text("old")
    arguments = ["convert", "nlpcc-kb", "kb", "--to", "triples-tsv", "--out", "out.tsv"]
    running = subprocess.Popen(
        [sys.executable, "-m", "caveat", *arguments],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        # Tests in the background of a shell ignore interrupts, and what they start would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    with open(tmp_path / "kb", "wb", buffering=0) as pipe:
        triple = "甲 ||| 名 ||| 乙\n".encode()
        pipe.write(triple * 100)
        while not (parts := [*tmp_path.glob(".*.part")]) and running.poll() is None:
            time.sleep(0.01)
        running.send_signal(number)
        with suppress(BrokenPipeError):
            pipe.write(triple)  # wakes a read that began between the signal and Python's look at it
        _, told = running.communicate(timeout=60)
    assert running.returncode == code
    assert told == ("caveat: interrupted\n" if number == signal.SIGINT else "")
    assert (tmp_path / "out.tsv").read_text() == "old"
    if number != signal.SIGKILL:
        assert not parts[0].exists()


@pytest.mark.parametrize("out", ["out.kb", "out.kb.gz"])
def test_a_full_disk(tmp_path: Path, out: str) -> None:
    (tmp_path / "kb").write_text("".join(f"{os.urandom(9).hex()} ||| 名 ||| 乙\n" for _ in range(9000)))
    (tmp_path / out).write_text("old")
    before = names(tmp_path)
    # A limit on the size of files (in KiB) stands in for a full disk.
    done = shell(f"ulimit -f 16; caveat convert nlpcc-kb kb --to nlpcc-kb --out {out}", tmp_path)
    fails(done, f"{out} cannot be written: file too large")
    assert names(tmp_path) == before
    assert (tmp_path / out).read_text() == "old"
