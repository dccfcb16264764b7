"""Whether an answer from a table is the right one, as WikiTableQuestions' evaluator compares, but for two things.

Computed numbers are rounded to two places in the data, so that a number is right that rounds to the one wanted; and an
answer that is yes or no may say so in either language.
"""

from __future__ import annotations

from collections.abc import Sequence

from caveat.benchmarks.wikitablequestions import is_right
from caveat.language.quantities import parse_quantity

_PLACES, _TOLERANCE = 2, 1e-6
_YES_OR_NO = {"yes": "yes", "no": "no", "是": "yes", "否": "no", "true": "yes", "false": "no"}


def is_answer(given: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether the values given are those that are wanted; nothing is never right."""
    if not given or not wanted:
        return False
    if len(wanted) == 1 and (verdict := _YES_OR_NO.get(wanted[0].lower())):
        return len(given) == 1 and _YES_OR_NO.get(given[0].lower().strip(" .。")) == verdict
    if is_right(given, wanted):
        return True
    return len(given) == len(wanted) == 1 and _rounds_to(given[0], wanted[0])


def _rounds_to(given: str, wanted: str) -> bool:
    one, two = parse_quantity(given), parse_quantity(wanted)
    if one is None or two is None:
        return False
    return abs(round(one.value, _PLACES) - two.value) < _TOLERANCE
