"""`caveat text`, as typed: what offsets point into."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import caveat as package


def test_the_text_of_a_page_and_the_rows_of_a_table(caveat: Any, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<h1>Fees</h1><p>It costs <b>£5</b>.", encoding="utf-8")
    (tmp_path / "t.csv").write_text("Boat,Seats\nEight,8\nSkiff,1\n", encoding="utf-8")
    done = caveat("text", "a.html")
    assert (done.returncode, done.stdout) == (0, "Fees\nIt costs £5.\n")
    assert caveat("text", "t.csv").stdout == "Boat\tSeats\nEight\t8\nSkiff\t1\n"
    assert package.read(tmp_path / "a.html").text == "Fees\nIt costs £5."


def test_json_has_elements_and_tables(caveat: Any, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Boats\n\n| Boat | Seats |\n|--|--|\n| Eight | 8 |\n", encoding="utf-8")
    told = json.loads(caveat("text", "a.md", "--json").stdout)
    (document,) = told["documents"]
    assert document["url"] == "a.md"
    first = document["elements"][0]
    assert (first["tag"], document["text"][first["start"] : first["end"]]) == ("h1", "Boats")
    assert told["tables"][0]["rows"] == [["Eight", "8"]]


def test_triples_have_no_text(caveat: Any, tmp_path: Path) -> None:
    (tmp_path / "a.kb").write_text("eight ||| seats ||| 8\n", encoding="utf-8")
    done = caveat("text", "a.kb")
    assert (done.returncode, done.stderr) == (1, "caveat: a.kb: holds tables or triples, but no text\n")


def test_show_prints_what_was_understood(caveat: Any, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Fees\n\n- five\n\n| a | b |\n|--|--|\n| 1 | 2 |\n", encoding="utf-8")
    assert caveat("text", "a.md", "--show").stdout == (
        "document: Fees\nh1  Fees\n  li  five\n  tr  a | b\n  tr  1 | 2\n"
        "table: Fees (1 rows, 2 columns): a | b\n"
    )
