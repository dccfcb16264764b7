"""Evidence put together with fitted weights: a conditional logit, whose softmax over a question's candidates is the
probability that each is the right one.

The weights lie in `ranking.json` beside a ranker's graph; those of the lexical evidence alone come with the package.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

import msgspec
import numpy as np

from caveat.answerers.ranking.features import Features, Floats
from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.json_files import read_json, write_json
from caveat.core.languages import Language, default_language

# The file's name in a model's folder.
COMBINATION = "ranking.json"

Kind = Literal["sentences", "tables"]


class Combination(msgspec.Struct, frozen=True):
    """A weight for each feature that has one; other features do not count."""

    weights: dict[str, float]

    def scores(self, features: Features) -> Floats:
        """The candidates' scores, of which only differences mean something."""
        known = {name: place for place, name in enumerate(features.names)}
        if strange := sorted(set(self.weights) - set(known)):
            raise InputError(f"the combination was fitted with other features: {strange[0]!r}")
        places = [known[name] for name in self.weights]
        scores: Floats = features.values[:, places] @ np.array(list(self.weights.values()))
        return scores


class CombinationFile(msgspec.Struct, frozen=True, omit_defaults=True):
    """ranking.json: weights for sentences and for tables, and what they were fitted to and measured at."""

    about: dict[str, object]
    sentences: Combination | None = None
    tables: Combination | None = None

    def of(self, kind: Kind) -> Combination | None:
        """The weights for a kind of candidates."""
        return self.sentences if kind == "sentences" else self.tables


def read_combinations(path: PathLike) -> CombinationFile:
    """The weights of a file."""
    found = read_json(path, CombinationFile)
    if found.sentences is None and found.tables is None:
        raise InputError("has weights neither for sentences nor for tables", path=path)
    return found


def write_combinations(
    path: PathLike, combinations: Mapping[Kind, Combination], about: Mapping[str, object]
) -> None:
    """The weights as JSON."""
    write_json(path, CombinationFile(dict(about), combinations.get("sentences"), combinations.get("tables")))


def combination_beside(folder: PathLike, kind: Kind) -> Combination | None:
    """The weights in a ranker's folder, if it has any for this kind of candidates."""
    path = Path(folder) / COMBINATION
    return read_combinations(path).of(kind) if path.is_file() else None


@cache
def embedded_combination(language: Language, kind: Kind) -> Combination:
    """The weights of the lexical evidence that come with the package; tables have one set for all languages."""
    for code in (language, default_language()):
        path = files("caveat.models.weights") / f"rank-{code}" / COMBINATION
        if path.is_file() and (found := read_combinations(str(path)).of(kind)) is not None:
            return found
    raise InputError(f"has no weights for {kind}", path=f"rank-{default_language()}/{COMBINATION}")


# Far below what tells two candidates apart, far above what a file of decimal digits loses.
_STEP = 1e-9


def distinct(scores: Sequence[float] | Floats) -> Floats:
    """The scores in the same order, those of equal ones falling by tiny steps: the earlier candidate stays ahead."""
    found = np.array(scores, dtype=np.float64)
    last = np.inf
    for place in np.argsort(-found, kind="stable").tolist():
        if found[place] >= last:
            found[place] = last - _STEP * max(1.0, abs(last))
        last = found[place]
    return found
