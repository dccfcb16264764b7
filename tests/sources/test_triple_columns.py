"""Blocks of lines cut up at once, by the rule that reads them one by one."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from caveat.core.answers import Triple
from caveat.sources import triple_columns as columns
from caveat.sources.triple_columns import batches_of, nlpcc_columns, triple_columns
from caveat.sources.triple_lines import read_triples

# Blanks of one, two and three bytes, characters that share their first bytes, marks that are none.
PIECES = [
    "|||",
    " ||| ",
    "|",
    "||||",
    " ",
    "\t",
    "\x1c",
    "\xa0",
    "\x85",
    "\u3000",
    "\u2003",
    "\u1680",
    "\u205f",
]
PIECES += ["《", "“", "é", "桥", "a", "\r", "\n", "\n", "a ||| b ||| 桥\n", "桥 ||| 《a》 ||| “b”\r\n"]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
@example("")
@example("|")
@example("\n\n\r\n")
@example("a ||| b ||| c")
@example(" a ||| b ||| c ||| d \r\r\n")
def test_the_same_as_line_by_line(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "lines.kb"
    path.write_text(text, "utf-8", newline="")
    bad: list[tuple[int, str]] = []
    expected = list(read_triples(path, lambda *line: bad.append(line)))
    found_bad: list[tuple[int, str]] = []
    found = nlpcc_columns(text, 1, lambda *line: found_bad.append(line))
    assert list(found.triples()) == expected
    assert found_bad == bad


def test_line_numbers_go_on_from_the_first(tmp_path: Path) -> None:
    bad: list[int] = []
    nlpcc_columns("a ||| b ||| c\nno triple\n", 100, lambda number, text: bad.append(number))
    assert bad == [101]


@given(st.lists(st.builds(Triple, st.text("a桥"), st.text("a桥"), st.text("a桥"))))
def test_records_as_columns_and_back(triples: list[Triple]) -> None:
    assert list(triple_columns(triples).triples()) == triples


def test_batches_are_of_moderate_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columns, "AT_ONCE", 3)
    monkeypatch.setattr(columns, "_CHARACTERS_AT_ONCE", 10)
    triples = [Triple("a", "b", "c" * size) for size in (1, 1, 1, 20, 1)]
    batches = [list(batch.triples()) for batch in batches_of(triples)]
    assert [len(batch) for batch in batches] == [3, 1, 1]
    assert [triple for batch in batches for triple in batch] == triples
