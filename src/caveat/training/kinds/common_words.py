"""The common words of a language: those that many paragraphs have, for telling typing errors from words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from caveat.core.errors import InputError
from caveat.core.files import read_text, write_lines
from caveat.core.json_files import write_json
from caveat.core.languages import Language
from caveat.language.packs import pack
from caveat.language.spelling import COMMON_WORDS
from caveat.training.kinds import Kind, Note, Tables

SCORES = "scores.json"
# What parts paragraphs: lines, and in JSON the ends of strings.
_BETWEEN = re.compile(r'\\n|\n|"\s*[,:}\]]')
_SHORTEST_PARAGRAPH, _SHORTEST_WORD = 20, 3


class WordsData(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file, or a folder of files, with texts: plain, JSON or JSON lines, gzipped or not."""

    path: str
    name: str = ""
    licence: str = "unstated"


class CommonWordsRecipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a count."""

    kind: Literal["common-words"]
    language: Language
    data: tuple[WordsData, ...]
    # A word is common if so many paragraphs have it, in small letters.
    fewest: int = 5


def problems_of(recipe: CommonWordsRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    if not recipe.data:
        yield "a recipe needs at least one data set"
    if recipe.fewest < 1:
        yield f"fewest must be at least 1, got {recipe.fewest}"
    if not pack(recipe.language).spelling:
        yield f"the pack of {recipe.language} does not say which letters its words are made of"


def train_common_words(
    recipe: CommonWordsRecipe, out: Path, *, data_root: Path, note: Note = lambda _: None
) -> Tables:
    """Write common_words.txt, for the language's pack, and scores.json, and return how many words there are."""
    own = pack(recipe.language)
    word = re.compile(rf"(?<![\w'’-])[{own.spelling}]{{{_SHORTEST_WORD},}}(?![\w'’-])")
    found: Counter[str] = Counter()
    seen: set[int] = set()
    for data in recipe.data:
        for file in _files(data_root / data.path):
            for paragraph in _BETWEEN.split(read_text(file)):
                if len(paragraph) >= _SHORTEST_PARAGRAPH and hash(paragraph) not in seen:
                    seen.add(hash(paragraph))
                    found.update(set(word.findall(paragraph)))
        note(f"{data.path}: {len(seen):,} paragraphs, {len(found):,} words")
    stems = sorted({own.stem(each) for each, count in found.items() if count >= recipe.fewest})
    figures = {"paragraphs": len(seen), "words": len(found), "common words without endings": len(stems)}
    out.mkdir(parents=True, exist_ok=True)
    about = (
        f"# Words without their endings that at least {recipe.fewest} of {len(seen):,} paragraphs have; made by "
        f"`caveat train common-words-{recipe.language}`."
    )
    write_lines(out / COMMON_WORDS, [about, *stems])
    write_json(out / SCORES, figures)
    return {"common words": {recipe.language: figures}}


def _files(path: Path) -> list[Path]:
    found = sorted(each for each in path.rglob("*") if each.is_file()) if path.is_dir() else [path]
    if not found or not path.exists():
        raise InputError("does not exist, or has no file", path=path)
    return found


KIND = Kind(
    name="common-words",
    recipe=CommonWordsRecipe,
    problems=problems_of,
    fit=train_common_words,
)
