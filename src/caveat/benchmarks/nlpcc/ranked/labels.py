"""The label of a line, 0 or 1, with the blanks around tabs that the task's guideline prints."""

from __future__ import annotations

LABELS = {"0": 0, "1": 1}


def without_blanks(row: list[str], label: int) -> list[str]:
    """The columns of a line; where a blank stands between its label and a tab, without the blanks around all tabs.

    Elsewhere a blank at the edge of a text is part of the text.
    """
    bare = row[label].strip(" ")
    return [column.strip(" ") for column in row] if bare in LABELS and bare != row[label] else row
