"""WikiTableQuestions' questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from caveat.benchmarks.table_questions import TableQuestion
from caveat.benchmarks.table_questions import read_wikitablequestions as read
from caveat.core.errors import InputError


def test_columns_are_found_by_their_names(tmp_path: Path) -> None:
    path = tmp_path / "questions.tsv"
    path.write_text(
        "id\tutterance\tcontext\ttargetValue\nq-1\twhich mills?\tmills.csv\tOld\\pNew|Skerry\\\\\n",
        encoding="utf-8",
    )
    assert list(read(path)) == [TableQuestion("which mills?", "mills.csv", ("Old|New", "Skerry\\"))]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("utterance\tcontext\nwhich?\tmills.csv\n", "without targetValue"),
        ("utterance\tcontext\ttargetValue\nwhich?\tmills.csv\n", "expected 3 columns, found 2"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "questions.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        list(read(path))
