"""MCTest: children's stories with four multiple-choice questions each; the right options are a file apart.

The answer file is the companion, or stands beside the stories under the same name (`mc160.dev.tsv`,
`mc160.dev.ans`), or, as those of the test sets do, in the folder `MCTestAnswers` beside the stories' folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from caveat.benchmarks.formats import Drops
from caveat.benchmarks.mrqa.sources.build import MrqaSource, SourceContext, SourceQuestion
from caveat.benchmarks.mrqa.sources.multiple_choice import unfit
from caveat.core.errors import InputError
from caveat.core.files import PathLike, read_lines

__all__ = ["SOURCE", "read"]

OPTIONS = ("A", "B", "C", "D")
QUESTIONS = 4
_COLUMNS = 3 + QUESTIONS * (1 + len(OPTIONS))


def read(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
    """The stories and those of their questions that do not need the options."""
    key_path = _answer_file(path, documents)
    key = _rows(key_path, QUESTIONS, "letters")
    for _, columns in _rows(path, _COLUMNS, "columns"):
        try:
            key_line, letters = next(key)
        except StopIteration:
            raise InputError("has fewer lines than there are stories", path=key_path) from None
        story_id, _, story, *rest = columns
        questions = []
        for index, letter in enumerate(letters):
            question_id = f"{story_id}.{index}"
            if letter not in OPTIONS:
                raise InputError(
                    f"the answer is {letter!r}, expected one of {', '.join(OPTIONS)}",
                    path=key_path,
                    line=key_line,
                    id=question_id,
                )
            asked, *options = rest[index * 5 : index * 5 + 5]
            # "one:" or "multiple:" says how many sentences of the story the answer needs.
            kind, colon, text = asked.partition(":")
            if kind.strip() in ("one", "multiple") and colon:
                asked = text
            right = options[OPTIONS.index(letter)]
            if reason := unfit(asked, right):
                drops.add(reason, question_id)
            else:
                questions.append(SourceQuestion(question_id, asked.strip(), (right,)))
        yield SourceContext(story, tuple(questions), story_id)
    if next(key, None) is not None:
        raise InputError("has more lines than there are stories", path=key_path)


def _rows(path: PathLike, expected: int, what: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in read_lines(path):
        if not line or line.isspace():
            continue
        columns = [_unescaped(column) for column in line.split("\t")]
        if len(columns) != expected:
            raise InputError(
                f"has {len(columns)} tab-separated {what}, expected {expected}", path=path, line=number
            )
        yield number, columns


def _unescaped(column: str) -> str:
    """A column without MCTest's `\\newline` and `\\tab`, which only wrap lines."""
    return " ".join(column.replace("\\newline", " ").replace("\\tab", " ").split())


def _answer_file(path: PathLike, documents: PathLike | None) -> Path:
    stories = Path(path)
    name = stories.name.removesuffix(".gz").removesuffix(".tsv") + ".ans"
    if documents is not None and not Path(documents).is_dir():
        return Path(documents)
    folders = (
        [Path(documents)]
        if documents is not None
        else [stories.parent, stories.parent.parent / "MCTestAnswers", stories.parent / "MCTestAnswers"]
    )
    for folder in folders:
        for candidate in (folder / name, folder / f"{name}.gz"):
            if candidate.is_file():
                return candidate
    raise InputError(
        f"has no answers: expected {name} beside it, or the answer file (.ans) given with --documents",
        path=path,
    )


SOURCE = MrqaSource(
    name="mctest",
    dataset="MCTest",
    reads="the stories with their questions (mc160.dev.tsv …)",
    read=read,
    documents="the answer file (mc160.dev.ans …), or its folder, if it is not beside the stories",
)
