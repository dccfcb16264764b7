"""Evidence that a sentence answers a question, from the words of both, its place in the list, and its neighbours.

Rarity is that among the candidates themselves: a word that most of them have, as the name of what a document is about,
tells nothing. By rarity in the language it would tell the most.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caveat.answerers.ranking.features import (
    CUES,
    Columns,
    Features,
    Floats,
    Matches,
    asked_about,
    match,
    numbers_in,
)
from caveat.language.bm25 import bm25, rarity
from caveat.language.question_types import QUESTION_TYPES, question_type
from caveat.language.tokens import END, Vocabulary

# A run of tokens that at most this share of the candidates has, or one of them, is rare.
_RARE = 0.1
_QUESTION_ENDS, _COLON_ENDS, _STOP_ENDS = ("？", "?"), ("：", ":"), ("。", "！", ".", "!")


def sentence_features(question: str, sentences: Sequence[str]) -> Features:
    """Features of all candidate sentences of a question, in the order of the document."""
    vocabulary = Vocabulary()
    asked = vocabulary.encode([question])[:-1]
    texts = vocabulary.encode(sentences)
    matches = match(asked, texts)
    columns = Columns(len(sentences))
    alone = np.arange(len(sentences))
    counts = [run.counted(alone, len(sentences)) for run in matches.runs]
    type = question_type(question)

    _add_overlap(columns, counts, matches, len(asked))
    _add_neighbours(columns, _add_bm25(columns, type, counts, matches))
    _add_place(columns, type, len(sentences))
    _add_shape(columns, type, sentences, matches)
    known = set(asked.tolist())
    ends = np.flatnonzero(texts == END).tolist()
    numbers = texts.tolist()
    contents = [
        set(numbers[start:end]) for start, end in zip([0, *(end + 1 for end in ends)], ends, strict=False)
    ]
    new = np.array([len(content - known) for content in contents], dtype=np.float64)
    columns.add("log new tokens", np.log1p(new))
    columns.add("nothing new", new < 2)

    wanted = numbers_in(question)
    columns.add(
        "numbers of the question", [len(wanted & numbers_in(text)) if wanted else 0 for text in sentences]
    )
    for name, cue in CUES.items():
        has = columns.add(name, [cue.search(text) is not None for text in sentences])
        columns.by_type(name, QUESTION_TYPES, type, has)
    for name, phrase in zip(("asked about", "before the question word"), asked_about(question), strict=True):
        tokens = set(vocabulary.encode([phrase])[:-1].tolist())
        columns.add(name, [len(tokens & content) / max(len(tokens), 1) for content in contents])
    return columns.features()


def _add_overlap(columns: Columns, counts: Sequence[Floats], matches: Matches, asked: int) -> None:
    present = counts[0] > 0
    columns.add("overlap", present.mean(1) if present.shape[1] else np.zeros(len(present)))
    for order, count in enumerate(counts, 1):
        weights = rarity(count)
        covered = (count > 0) @ weights
        columns.add(f"covered, runs of {order}", covered)
        columns.add(f"share covered, runs of {order}", covered / (weights.sum() or 1.0))
        if order < 3:
            rare = (count > 0).sum(0) <= max(1.0, _RARE * len(count))
            columns.add(f"rare runs of {order}", ((count > 0) & rare).sum(1))
    columns.add("share of the longest run", matches.longest / max(asked, 1))
    columns.add("log longest run", np.log1p(matches.longest))


def _add_bm25(columns: Columns, type: str, counts: Sequence[Floats], matches: Matches) -> Floats:
    """BM25 over single tokens and pairs; gives its share of what the question could have."""
    scores = bm25(counts[0], matches.lengths) + bm25(counts[1], matches.lengths)
    most = rarity(counts[0]).sum() + rarity(counts[1]).sum()
    columns.add("bm25", scores)
    share = columns.add("share of bm25", scores / (most or 1.0))
    top = scores.max(initial=0.0)
    columns.add("bm25 against the best", scores / (top or 1.0))
    columns.add("bm25 in deviations", (scores - scores.mean()) / (scores.std() or 1.0))
    columns.add("best by bm25", scores == top)
    rank = np.argsort(np.argsort(-scores, kind="stable"), kind="stable")
    columns.add("one over the rank by bm25", 1 / (1 + rank))
    columns.by_type("share of bm25", QUESTION_TYPES, type, share)
    return share


def _add_neighbours(columns: Columns, share: Floats) -> None:
    columns.add("bm25 before", _shifted(share, 1))
    columns.add("bm25 two before", _shifted(share, 2))
    columns.add("bm25 behind", _shifted(share[::-1], 1)[::-1])
    columns.add("mean bm25 of all before", (np.cumsum(share) - share) / np.arange(1, len(share) + 1))


def _shifted(values: Floats, by: int) -> Floats:
    return np.concatenate([np.zeros(min(by, len(values))), values[:-by]])


def _add_place(columns: Columns, type: str, count: int) -> None:
    place = np.arange(count)
    for name, at in (("first", 0), ("second", 1), ("third", 2), ("last", count - 1)):
        columns.add(name, place == at)
    columns.add("log place", np.log1p(place))
    columns.add("relative place", place / max(count, 1))
    columns.by_type("first", QUESTION_TYPES, type, (place == 0).astype(np.float64))


def _add_shape(columns: Columns, type: str, sentences: Sequence[str], matches: Matches) -> None:
    length = columns.add("log length", np.log1p(matches.lengths))
    columns.add("square of log length", length**2)
    columns.add("short", matches.lengths < 8)
    columns.add("long", matches.lengths > 100)
    columns.by_type("log length", QUESTION_TYPES, type, length)
    bare = [text.rstrip() for text in sentences]
    columns.add("ends in a question mark", [text.endswith(_QUESTION_ENDS) for text in bare])
    columns.add("ends in a colon", [text.endswith(_COLON_ENDS) for text in bare])
    columns.add("ends in a stop", [text.endswith(_STOP_ENDS) for text in bare])
    columns.add("has a colon", ["：" in text or ":" in text for text in bare])
