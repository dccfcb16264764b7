from __future__ import annotations

from pathlib import Path

import pytest

from caveat.answerers.knowledge.index.build import build_index, open_knowledge
from caveat.core.errors import CaveatError

TRIPLES = "青石桥 ||| 长度 ||| 46米\n青石桥 ||| 横跨 ||| 清水河\n"


def test_a_file_and_its_index_hold_the_same(tmp_path: Path) -> None:
    file = tmp_path / "bridges.kb"
    file.write_text(TRIPLES, encoding="utf-8")
    build_index([file], tmp_path / "index")
    assert list(open_knowledge(file).triples()) == list(open_knowledge(tmp_path / "index").triples())


def test_a_text_is_refused_with_a_sentence(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("A bridge is 46 metres long.\n", encoding="utf-8")
    with pytest.raises(CaveatError, match="has no triples in its first lines"):
        open_knowledge(file)
