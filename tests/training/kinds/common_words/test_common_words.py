"""Common words, counted over texts of any layout."""

from __future__ import annotations

import json
from pathlib import Path

from caveat.training.kinds.common_words import KIND, CommonWordsRecipe, WordsData, train_common_words


def test_words_that_few_paragraphs_have_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "plain.txt").write_text(
        "The harbour opens in winter.\nThe harbour closes in summer.\nThe harbour closes in summer.\n"
    )
    (tmp_path / "records.json").write_text(json.dumps([{"text": "Two harbours and a winter quay are here."}]))
    recipe = CommonWordsRecipe(
        kind="common-words",
        language="en",
        fewest=2,
        data=(WordsData(path="plain.txt"), WordsData(path="records.json")),
    )
    tables = train_common_words(recipe, tmp_path / "out", data_root=tmp_path)
    about, *stems = (tmp_path / "out" / "common_words.txt").read_text().splitlines()
    assert about.startswith("#")
    # A paragraph that is there twice counts once, and a word with a capital not at all; forms are counted apart.
    assert stems == ["harbour", "winter"]
    assert tables["common words"]["en"]["paragraphs"] == 3


def test_what_is_wrong_with_a_recipe_is_said() -> None:
    recipe = CommonWordsRecipe(kind="common-words", language="zh", data=(), fewest=0)
    assert len(list(KIND.problems(recipe))) == 3
