from __future__ import annotations

import gc
import weakref
from pathlib import Path

import pytest

from caveat.core.errors import CaveatError
from caveat.library.triples.build import build_index, open_knowledge

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


def test_a_store_that_nobody_has_any_more_closes_its_file(tmp_path: Path) -> None:
    triples = tmp_path / "a.kb"
    triples.write_text("Ann ||| town ||| Aville\n")
    store = open_knowledge(triples)
    assert store.attributes("Ann")[0].object == "Aville"
    gone = weakref.ref(store)
    gc.disable()
    try:
        del store
        assert gone() is None
    finally:
        gc.enable()
