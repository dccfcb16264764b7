"""`caveat index` as it is typed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from caveat.library.triples.store import KnowledgeStore


def test_a_summary_and_an_index(caveat: Any, tmp_path: Path) -> None:
    (tmp_path / "x.kb").write_text("青石桥 ||| 长度 ||| 46米\n青石桥 ||| 长度 ||| 46米\nno triple\n", "utf-8")
    done = caveat("index", "x.kb", "--out", "bridges", "--skip-bad")
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines() if line]
    assert lines[0] == ["bridges"]
    assert lines[1:7] == [
        ["triples", "1"],
        ["entities", "1"],
        ["predicates", "1"],
        ["names", "1"],
        ["duplicates", "1"],
        ["skipped", "lines", "1"],
    ]
    assert done.stderr == "caveat: 1 line without a triple skipped: x.kb line 3.\n"
    assert len(KnowledgeStore.open(tmp_path / "bridges")) == 1


def test_json_from_standard_input(caveat: Any, tmp_path: Path) -> None:
    (tmp_path / "mentions").write_text("bridge ||| a\tnobody\n")
    done = caveat("index", "-", "--format", "triples-tsv", "-o", "index", "--json", stdin="a\tb\tc\n")
    report = json.loads(done.stdout)
    assert (report["triples"], report["skipped"], report["bad_lines"]) == (1, 0, [])
    assert done.stderr == ""


def test_mentions_of_nobody_are_told(caveat: Any, tmp_path: Path) -> None:
    (tmp_path / "mentions").write_text("bridge ||| a\tnobody\n")
    (tmp_path / "x.tsv").write_text("a\tb\tc\n")
    done = caveat("index", "x.tsv", "mentions", "--out", "index")
    assert done.stderr == "caveat: 1 mention of entities that no triple is about: ignored.\n"
    assert KnowledgeStore.open(tmp_path / "index").entities_named("Bridge") == ("a",)


def test_what_cannot_be_indexed(caveat: Any, tmp_path: Path) -> None:
    (tmp_path / "x.kb").write_text("a ||| b ||| c\nno triple\n")
    (tmp_path / "x.md").write_text("# Bridges\n")
    for arguments, code, sentence in [
        (
            ["x.kb"],
            1,
            "x.kb, line 2: expected subject, predicate and object, none empty, got 'no triple' (`caveat index",
        ),
        (["x.md", "--skip-bad"], 1, "x.md: is a document: an index of triples is made of nothing else"),
        (["x.md", "none.kb"], 1, "none.kb: cannot be opened: no such file or directory"),
        (["none.kb"], 1, "none.kb: cannot be opened: no such file or directory"),
        (["x.kb", "--format", "nlpcc"], 2, "There is no format of triples 'nlpcc'. Did you mean 'nlpcc-kb'?"),
        (["x.kb", "--out", "x.kb"], 2, "x.kb is a file: an index is a folder."),
    ]:
        done = caveat("index", *arguments, *([] if "--out" in arguments else ["--out", "index"]))
        assert (done.returncode, done.stdout) == (code, "")
        assert sentence in done.stderr
        assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "index").exists()
