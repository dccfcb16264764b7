"""What kind of answer a question wants: yes or no, several things, or one; learnt from questions as people ask them.

A linear model over words and their beginnings of clauses or, in Chinese, over runs of characters. `caveat train
question-kind-LANGUAGE` fits its weights, which are data of the language.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files
from typing import Literal

import msgspec

from caveat.core.json_files import read_json
from caveat.core.languages import Language
from caveat.language.packs import pack
from caveat.language.question_types import question_type

QuestionKind = Literal["span", "list", "yes or no"]
KINDS: tuple[QuestionKind, ...] = ("span", "list", "yes or no")
# The file's name in the folder of a language.
WEIGHTS = "question_kind.json"

# A question is told by its beginning and its end; what lies between in a longer one is a story.
_LONGEST = 400


class KindWeights(msgspec.Struct, frozen=True):
    """question_kind.json: for each cue its weight for each of the kinds, and what they were fitted to."""

    about: dict[str, object]
    constant: tuple[float, ...]
    cues: dict[str, tuple[float, ...]]

    def scores(self, question: str, language: Language) -> list[float]:
        """The score of each kind; cues without weights do not count."""
        known = [weights for cue in cues_of(question, language) if (weights := self.cues.get(cue))]
        return [sum(column) for column in zip(self.constant, *known, strict=True)]


def question_kind(question: str, language: Language) -> QuestionKind:
    """The kind of answer that a question wants most probably; by its question word where nothing was learnt."""
    if not pack(language).file(WEIGHTS):
        return "yes or no" if question_type(question, language) == "whether" else "span"
    scores = embedded_kinds(language).scores(question, language)
    return KINDS[max(range(len(KINDS)), key=scores.__getitem__)]


@cache
def embedded_kinds(language: Language) -> KindWeights:
    """The weights that come with the package, for a language."""
    with as_file(files(pack(language).package) / WEIGHTS) as path:
        return read_json(path, KindWeights)


def cues_of(question: str, language: Language) -> frozenset[str]:
    """What of a question's wording may tell its kind."""
    text = question.strip().casefold()
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]} {text[-_LONGEST // 2 :]}"
    own = pack(language)
    cues = own.load(own.cues)(text) if own.cues else []
    return frozenset((*cues, "?") if text.endswith(("?", "？")) else cues)
