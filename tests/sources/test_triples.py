"""Which files hold triples."""

from __future__ import annotations

from pathlib import Path

import pytest

from caveat.library.triples.build import build_index
from caveat.sources.triples import is_knowledge

TRIPLES = "青石桥 ||| 长度 ||| 46米\n青石桥 ||| 横跨 ||| 清水河\n"


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("bridges.kb", TRIPLES, True),
        ("bridges.txt", TRIPLES, True),
        ("bridges", "<http://a/x> <http://a/p> <http://a/y> .\n", True),
        ("bridges.csv", "subject,predicate,object\nA,p,B\n", True),
        ("bridges.tsv", "实体\t属性\t值\nA\tp\tB\n", True),
        ("table.csv", "bridge,length,river\nA,46,B\n", False),
        ("table.tsv", "1\t2\t3\n", False),
        ("notes.md", TRIPLES, False),
        # A text that explains the format is a text.
        ("notes.txt", "Triples are written so:\n\nA ||| p ||| B\n\nThat is all.\nReally.\n", False),
        ("notes", "A bridge is 46 metres long.\n", False),
        ("empty", "", False),
    ],
)
def test_what_is_a_knowledge_base(tmp_path: Path, name: str, text: str, expected: bool) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    assert is_knowledge(file) is expected


def test_an_index_is_one_and_other_folders_are_not(tmp_path: Path) -> None:
    file = tmp_path / "bridges.kb"
    file.write_text(TRIPLES, encoding="utf-8")
    build_index([file], tmp_path / "index")
    assert is_knowledge(tmp_path / "index")
    assert is_knowledge(tmp_path / "index" / "triples.index")
    assert not is_knowledge(tmp_path)
    assert not is_knowledge(tmp_path / "nowhere.kb")
    assert not is_knowledge("-")
