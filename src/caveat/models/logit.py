"""Fitted weights of named features: how probable yes is, that it depends on something, that a page says either."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec

from caveat.core.files import PathLike
from caveat.core.json_files import read_json, write_json
from caveat.core.languages import default_language
from caveat.core.script import Language
from caveat.models.log_odds import sigmoid

__all__ = ["WEIGHTS", "ConditionWeights", "Logit", "embedded_weights", "read_weights", "write_weights"]

# The file's name in a model's folder.
WEIGHTS = "conditions.json"


class Logit(msgspec.Struct, frozen=True):
    """A weight for each feature that has one, and a constant."""

    constant: float
    weights: dict[str, float]

    def probability(self, features: Mapping[str, float]) -> float:
        """How probable it is; features without a weight do not count."""
        return sigmoid(self.score(features))

    def score(self, features: Mapping[str, float]) -> float:
        """The log-odds; of several that exclude each other, what a softmax with 0 for none of them takes."""
        weights = self.weights
        return self.constant + sum(weights.get(name, 0.0) * value for name, value in features.items())


class ConditionWeights(msgspec.Struct, frozen=True):
    """conditions.json: weights for yes, for "it depends" and for "the page speaks to it", and what they were fitted to.

    `asked` are words, without endings, that questions of all training sets have, and the share of questions that do.
    """

    about: dict[str, object]
    yes: Logit
    depends: Logit
    answered: Logit
    asked: dict[str, float]


def read_weights(path: PathLike) -> ConditionWeights:
    """The weights of a file."""
    return read_json(path, ConditionWeights)


def write_weights(path: PathLike, weights: ConditionWeights) -> None:
    """The weights as JSON."""
    write_json(path, weights)


@cache
def embedded_weights(language: Language | None = None) -> ConditionWeights:
    """The weights that come with the package, for a language; those of the default where there are none for it."""
    own, default = (
        files("caveat.models.weights") / f"conditions-{code}" / WEIGHTS
        for code in (language or default_language(), default_language())
    )
    return read_weights(str(own if own.is_file() else default))
