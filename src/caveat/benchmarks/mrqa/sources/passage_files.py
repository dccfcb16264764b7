"""Passages to answer questions from, as a user has them: JSON lines, plain text, or a folder of either.

- JSON lines `{"text": "…"}`, with or without `id` and `title`: a collection to search;
- JSON lines `{"qid": "…", "passages": ["…" or {"text": "…", "title": "…"}, …]}`: those of one question;
- plain text: a collection of paragraphs, separated by blank lines; a paragraph of more than 100 words becomes
  several passages.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from caveat.benchmarks.mrqa.sources.members import Member, members
from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.json_files import decode

__all__ = ["PassageText", "Passages", "read_passage_files"]

PASSAGE_WORDS = 100


class PassageText(msgspec.Struct, frozen=True):
    """A passage and the title of what it is from, if known."""

    text: str
    title: str | None = None


class Passages(msgspec.Struct, frozen=True):
    """Passages that belong to a question, by its id, and those that belong to none."""

    given: dict[str, list[PassageText]]
    collection: list[PassageText]


class _Line(msgspec.Struct):
    qid: str | int | None = None
    passages: list[PassageText | str] | None = None
    text: str | None = None
    title: str | None = None


def read_passage_files(path: PathLike) -> Passages:
    """All passages of a file, a folder or a tar archive."""
    passages = Passages({}, [])
    for member in members(path):
        if member.data.lstrip().startswith(b"{"):
            _add_lines(member, passages)
        else:
            passages.collection.extend(map(PassageText, _paragraphs(member.data.decode())))
    if not passages.given and not passages.collection:
        raise InputError("has no passages", path=path)
    return passages


def _add_lines(member: Member, passages: Passages) -> None:
    for number, line in enumerate(member.data.split(b"\n"), start=1):
        if not line.strip():
            continue
        value = decode(line, _Line, path=member.path, line=number)
        if value.qid is not None and value.passages is not None:
            given = passages.given.setdefault(str(value.qid), [])
            given.extend(PassageText(p) if isinstance(p, str) else p for p in value.passages)
        elif value.text is not None:
            passages.collection.append(PassageText(value.text, value.title))
        else:
            raise InputError(
                "expected a passage with `text`, or `qid` with `passages`", path=member.path, line=number
            )


def _paragraphs(text: str) -> Iterator[str]:
    words: list[str] = []
    for line in [*text.split("\n"), ""]:
        if not line.strip():
            for start in range(0, len(words), PASSAGE_WORDS):
                yield " ".join(words[start : start + PASSAGE_WORDS])
            words = []
        words.extend(line.split())
