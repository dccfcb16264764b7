"""How sure a reading of a question is: a logit over what speaks for and against it, fitted (docs/tables.md)."""

from __future__ import annotations

from caveat.answerers.tables.cues import Cue
from caveat.answerers.tables.reading import Operation, Reading
from caveat.answerers.tables.view import View
from caveat.models.log_odds import sigmoid

__all__ = ["WEIGHTS", "confidence", "signs"]

WEIGHTS: dict[str, float] = {
    "": 2.29,
    "average": -0.75,
    "average: done": -0.75,
    "average: not done": -0.51,
    "both": 0.78,
    "choice": 0.7,
    "column by hint": -0.09,
    "column by name": 1.57,
    "column by synonym": 0.38,
    "compared": 0.83,
    "count": 0.6,
    "count: done": -0.73,
    "count: not done": -0.47,
    "dated": 1.08,
    "difference": 0.35,
    "difference: done": 0.35,
    "difference: not done": -1.76,
    "either": 0.22,
    "except": -0.65,
    "first or last: not done": -0.17,
    "how long": -0.53,
    "in a row": -1.31,
    "left": -1.07,
    "list wanted": 1.36,
    "most frequent": -0.14,
    "most: done": -0.11,
    "most: not done": -1.78,
    "name says it": -1.25,
    "named at once": 0.6,
    "negation": -0.57,
    "neighbour": 0.27,
    "next or previous: done": 0.27,
    "next or previous: not done": -2.42,
    "no condition": -0.5,
    "number column named": -1.92,
    "number found": 1.99,
    "number wanted": -2.2,
    "one row": -1.97,
    "or: done": 0.91,
    "or: not done": -2.16,
    "order": -0.64,
    "other column": -0.1,
    "rank": -0.6,
    "said so": 0.8,
    "same: not done": -1.31,
    "several rows": -2.22,
    "share": 0.44,
    "share left": -1.61,
    "sum": -1.58,
    "sum: done": 0.53,
    "sum: not done": -0.05,
    "target by key": -1.67,
    "target by kind": 0.09,
    "target by name": -0.46,
    "target by synonym": -0.83,
    "tie": -1.64,
    "value": 0.72,
    "yes or no": -0.67,
}

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


def _says(view: View) -> dict[str, bool]:
    asked = view.asked
    compared = [comparison.start for comparison in asked.comparisons]
    beside = [span for cue in _BESIDE if (span := asked.cue(cue)) and span[0] not in compared]
    return {
        "most": view.superlative is not None,
        "first or last": asked.order is not None and asked.placing is None,
        "next or previous": bool(beside),
        "count": asked.cue("count") is not None,
        "difference": asked.cue("difference") is not None,
        "sum": asked.cue("sum") is not None,
        "average": asked.cue("average") is not None,
        "same": asked.cue("same") is not None,
        "or": asked.cue("or") is not None,
    }


def signs(view: View, reading: Reading) -> dict[str, float]:
    """All that the confidence is computed from, by name; what is 0 is left out."""
    asked = view.asked
    content = {index for index in range(len(asked.units)) if asked.content(index)}
    cues = [span for cue in ("which", "who", "when", "where", "how much") if (span := asked.cue(cue))]
    content -= frozenset().union(*(view.units_in(*span) for span in cues))
    about = {index for index in content if asked.units[index].stem in view.searchable.caption}
    left = len(content - reading.explained - about)
    found = {
        "": 1.0,
        reading.operation: 1.0,
        "left": min(left, 5) / 5,
        "share left": left / max(len(content), 1),
    }
    for cue, said in _says(view).items():
        if said:
            found[f"{cue}: done" if reading.operation in _SERVED[cue] else f"{cue}: not done"] = 1.0
    found |= {cue: 1.0 for cue in _UNSERVED if asked.cue(cue)}
    found |= reading.signs
    return {name: value for name, value in found.items() if value}


def confidence(view: View, reading: Reading) -> float:
    """The probability that the reading's answer is right, given that the table is the right one."""
    logit = sum(WEIGHTS.get(name, 0.0) * value for name, value in signs(view, reading).items())
    return sigmoid(logit)
