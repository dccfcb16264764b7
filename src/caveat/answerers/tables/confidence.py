"""All interpretations of a question on a table, and how probable it is that each is right: a fitted logit."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files

import msgspec

from caveat.answerers.tables.comparison import choice, difference, either, same
from caveat.answerers.tables.interpretation import Interpretation, Operation
from caveat.answerers.tables.lexicon import Cue
from caveat.answerers.tables.operations import average, count, look_up, total
from caveat.answerers.tables.ordering import most_frequent, neighbour, order, superlative
from caveat.answerers.tables.selection import View
from caveat.core.files import PathLike
from caveat.core.json_files import read_json
from caveat.models.logit import Logit

__all__ = [
    "WEIGHTS",
    "ConfidenceWeights",
    "confidence",
    "embedded_weights",
    "features",
    "interpretations",
    "read_weights",
]

# The file's name in a model's folder.
WEIGHTS = "confidence.json"

_OPERATIONS: tuple[Callable[[View], Interpretation | None], ...] = (
    look_up, superlative, order, neighbour, most_frequent, count, total, average, difference, choice, either, same,
)  # fmt: skip
# What a question says, and the operations that do it.
_SERVED: dict[str, frozenset[Operation]] = {
    "most": frozenset(("superlative", "most frequent", "choice")),
    "first or last": frozenset(("order", "choice")),
    "next or previous": frozenset(("neighbour",)),
    "count": frozenset(("count", "sum")),
    "difference": frozenset(("difference",)),
    "sum": frozenset(("sum", "count")),
    "average": frozenset(("average",)),
    "same": frozenset(("same",)),
    "or": frozenset(("choice", "either")),
}
_BESIDE: tuple[Cue, ...] = ("next", "previous")
_UNSERVED: tuple[Cue, ...] = ("negation", "in a row", "yes or no", "both", "how long", "except")


class ConfidenceWeights(msgspec.Struct, frozen=True):
    """confidence.json: the weights, what they were fitted to and measured at."""

    about: dict[str, object]
    confidence: Logit


def read_weights(path: PathLike) -> ConfidenceWeights:
    """The weights of a file."""
    return read_json(path, ConfidenceWeights)


@cache
def embedded_weights() -> ConfidenceWeights:
    """The weights that come with the package (`caveat train tables-confidence`)."""
    return read_weights(str(files("caveat.models.weights") / "tables" / WEIGHTS))


def interpretations(view: View) -> list[Interpretation]:
    """All that come into question; which is right, the confidence has to tell."""
    if not view.height or not view.columns:
        return []
    return [found for operation in _OPERATIONS if (found := operation(view)) is not None]


def features(view: View, interpretation: Interpretation) -> dict[str, float]:
    """All that the confidence is computed from, by name; what is 0 is left out."""
    parsed = view.parsed
    content = {index for index in range(len(parsed.tokens)) if parsed.is_content(index)}
    cues = [span for cue in ("which", "who", "when", "where", "how much") if (span := parsed.cue(cue))]
    content -= frozenset().union(*(view.tokens_in(*span) for span in cues))
    about = {index for index in content if parsed.tokens[index].stem in view.prepared.caption}
    left = len(content - interpretation.explained - about)
    found = {
        interpretation.operation: 1.0,
        "left": min(left, 5) / 5,
        "share left": left / max(len(content), 1),
    }
    for cue, said in _says(view).items():
        if said:
            found[f"{cue}: done" if interpretation.operation in _SERVED[cue] else f"{cue}: not done"] = 1.0
    found |= {cue: 1.0 for cue in _UNSERVED if parsed.cue(cue)}
    derived = parsed.cue("ratio or change")
    if derived and not view.tokens_in(*derived) <= interpretation.explained:
        found["ratio or change"] = 1.0
    found |= interpretation.features
    return {name: value for name, value in found.items() if value}


def confidence(view: View, interpretation: Interpretation) -> float:
    """The probability that the interpretation's answer is right, given that the table is the right one."""
    return embedded_weights().confidence.probability(features(view, interpretation))


def _says(view: View) -> dict[str, bool]:
    parsed = view.parsed
    compared = [comparison.start for comparison in parsed.comparisons]
    beside = [span for cue in _BESIDE if (span := parsed.cue(cue)) and span[0] not in compared]
    return {
        "most": view.superlative is not None,
        "first or last": parsed.order is not None and parsed.placing is None,
        "next or previous": bool(beside),
        "count": parsed.cue("count") is not None,
        "difference": parsed.cue("difference") is not None,
        "sum": parsed.cue("sum") is not None,
        "average": parsed.cue("average") is not None,
        "same": parsed.cue("same") is not None,
        "or": parsed.cue("or") is not None,
    }
