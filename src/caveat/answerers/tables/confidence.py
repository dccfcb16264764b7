"""All interpretations of a question on a table, and how probable it is that each answer is right.

The model is log-linear: of all interpretations and of none of them being right, whose score is 0, one is. What several
interpretations come to alike is as probable as they are together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib.resources import files

import msgspec
import numpy as np

from caveat.answerers.tables.across import across, duration, streak
from caveat.answerers.tables.comparison import choice, difference, either, holds, verdict
from caveat.answerers.tables.interpretation import Interpretation, Operation
from caveat.answerers.tables.lexicon import Cue
from caveat.answerers.tables.neighbours import neighbour, same, top
from caveat.answerers.tables.operations import average, count, look_up, total
from caveat.answerers.tables.ordering import most_frequent, order, superlative
from caveat.answerers.tables.selection import View
from caveat.answerers.tables.series import series
from caveat.answerers.tables.tokens import is_han, stems_of
from caveat.answerers.tables.variants import variants
from caveat.core.files import PathLike
from caveat.core.json_files import read_json
from caveat.models.log_odds import Logit, softmax

# The file's name in a model's folder.
WEIGHTS = "confidence.json"

_OPERATIONS: tuple[Callable[[View], Iterable[Interpretation]], ...] = (
    look_up, superlative, order, neighbour, most_frequent, count, total, average, difference, choice, either, same,
    duration, streak, verdict, holds, across, top, series,
)  # fmt: skip
# What a question says, and the operations that do it.
_SERVED: dict[str, frozenset[Operation]] = {
    "most": frozenset(("superlative", "most frequent", "choice", "top", "series")),
    "top": frozenset(("top",)),
    "first or last": frozenset(("order", "choice")),
    "next or previous": frozenset(("neighbour",)),
    "count": frozenset(("count", "sum", "duration", "streak")),
    "difference": frozenset(("difference", "duration", "across", "series")),
    "sum": frozenset(("sum", "count", "series")),
    "average": frozenset(("average", "series")),
    "same": frozenset(("same",)),
    "or": frozenset(("choice", "either", "verdict", "across")),
    "in a row": frozenset(("streak",)),
    "how long": frozenset(("duration",)),
    "yes or no": frozenset(("verdict", "holds", "across")),
}
_BESIDE: tuple[Cue, ...] = ("next", "previous")
_ASKING: tuple[Cue, ...] = ("count", "how much", "when", "where", "who", "which")
# The operations whose answer stands in cells of their first column.
_OF_CELLS: frozenset[Operation] = frozenset(
    ("look-up", "superlative", "order", "neighbour", "most frequent", "choice", "either", "same", "top")
)
# What asks for a name beside a count: "which club won how many".
_NAMING: tuple[Cue, ...] = ("which", "who", "when", "where", "or")
_COMPUTING: frozenset[Operation] = frozenset(("sum", "average", "count"))
# Of a longer answer the beginning is compared with the question.
_MOST_COMPARED = 200
# A longer answer from one cell is a remark rather than a name.
_LONG = 60
# What is not used though it says which rows are meant.
_SAYING_WHICH = ("name left", "known name left", "number left", "many characters left")
# So many Chinese characters side by side are words that say something.
_MANY_CHARACTERS = 3
_UNSERVED: tuple[Cue, ...] = ("negation", "in a row", "yes or no", "both", "how long", "except", "other")


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
    found: dict[tuple[object, ...], Interpretation] = {}
    for variant in variants(view):
        for operation in _OPERATIONS:
            for each in operation(variant):
                same = each.operation, each.text, each.rows, each.columns
                if same in found:
                    continue
                used = each.explained | _names_used(view, each)
                each = each._replace(explained=view.parsed.with_said_again(used))
                if not _leaves_a_cell(view, each) and not _is_counted(view, each):
                    found[same] = each._replace(features=each.features | variant.told)
    return list(found.values())


def _names_used(view: View, interpretation: Interpretation) -> frozenset[int]:
    """The words that name the columns that were used."""
    used = [link for link in view.headers if link.column in interpretation.columns and not link.synonym]
    return frozenset().union(*(range(link.start, link.end) for link in used))


def _leaves_a_cell(view: View, interpretation: Interpretation) -> bool:
    """Whether something was computed without a text that the question says and a cell is, or over all rows beside a
    name: the total of all, where that of IT is asked for, or that of Marketing, which is not there.
    """
    if interpretation.operation not in _COMPUTING:
        return False
    if any(
        link.share == 1.0 and interpretation.explained.isdisjoint(range(link.start, link.end))
        for link in view.cells
    ):
        return True
    return bool(interpretation.features.get("no condition")) and any(
        at not in interpretation.explained
        and view.parsed.tokens[at].stem not in view.prepared.caption
        and not any(link.start <= at < link.end for link in view.headers)
        for at in view.parsed.proper_names
    )


def _is_counted(view: View, interpretation: Interpretation) -> bool:
    """Whether names are given where they are counted: "how many shops opened before 2018"."""
    parsed = view.parsed
    if interpretation.operation not in _OF_CELLS or parsed.cue("count") is None:
        return False
    return not any(map(parsed.cue, _NAMING)) and not any(map(str.isdigit, interpretation.text))


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
    if derived and any(
        literal.start < derived[1] and derived[0] <= literal.end + 1 for literal in parsed.literals
    ):
        derived = None  # "above 72 percent" has the word as the unit of a number
    if (
        derived
        and not view.tokens_in(*derived) <= interpretation.explained
        and not _gives_share(view, interpretation)
    ):
        found["ratio or change"] = 1.0
    found |= _unused(view, interpretation.explained, content)
    found |= _asked_and_given(view, interpretation)
    found |= interpretation.features
    if found.get("no condition"):
        # All rows are taken, where the question says which.
        found |= {f"{name}, all rows": found[name] for name in _SAYING_WHICH if found.get(name)}
    return {name: value for name, value in found.items() if value}


def _gives_share(view: View, interpretation: Interpretation) -> bool:
    """Whether a share is asked for, and a column that is used has shares."""
    return view.wants_share and any(view.columns[column].has_shares for column in interpretation.columns)


def _unused(view: View, explained: frozenset[int], content: set[int]) -> dict[str, float]:
    """What of the question was not used that should have been: names, numbers, cells, long runs of characters."""
    parsed = view.parsed
    left = content - explained
    caption = view.prepared.caption
    names = {at for at in parsed.names & left if parsed.tokens[at].stem not in caption}
    known = [
        phrase
        for phrase in parsed.cell_phrases
        if left.issuperset(range(phrase.start, phrase.end))
        and (phrase.end - phrase.start > 1 or not is_han(parsed.tokens[phrase.start].stem))
    ]
    nouns = parsed.asked_nouns & left
    numbers = [
        literal
        for literal in parsed.literals
        if (span := view.tokens_in(literal.start, literal.end)) and span.isdisjoint(explained)
    ]
    cells = [
        link for link in view.cells if link.share == 1.0 and left.issuperset(range(link.start, link.end))
    ]
    longest = run = 0
    for at, token in enumerate(parsed.tokens):
        run = run + 1 if at in left and is_han(token.stem) else 0
        longest = max(longest, run)
    return {
        "name left": float(bool(names)),
        "names left": min(len(names), 3) / 3,
        "known name left": float(bool(known)),
        "noun unknown": float(bool(nouns) and nouns == parsed.asked_nouns),
        "number left": float(bool(numbers)),
        "cell left": float(bool(cells)),
        "characters left": min(longest, 6) / 6,
        "many characters left": float(longest >= _MANY_CHARACTERS),
    }


def _asked_and_given(view: View, interpretation: Interpretation) -> dict[str, float]:
    """How what is given goes with the words that ask: "when" with a date, the noun behind "which" with its column."""
    parsed = view.parsed
    asking = next((cue for cue in _ASKING if parsed.cue(cue)), "nothing")
    found = {f"{asking}: {interpretation.operation}": 1.0}
    if interpretation.operation not in _OF_CELLS or not interpretation.columns:
        return found
    column = view.columns[interpretation.columns[0]]
    found[f"{asking} gives {column.kind}"] = 1.0
    found["gives key"] = float(column.index == view.key)
    found["gives rank"] = float(column.is_rank)
    found["gives index"] = float(column.is_index)
    found["gives code"] = float(column.kind == "text" and column.is_code)
    shares = dict.fromkeys(interpretation.columns, 0.0)
    others = dict.fromkeys(interpretation.columns, 0.0)
    for link in view.headers:
        some = others if link.synonym else shares
        if link.column in some:
            some[link.column] = max(some[link.column], link.share)
    found["share of synonym given"] = others[column.index]
    found["share of name given"] = shares[column.index]
    if interpretation.operation in ("superlative", "choice", "order") and len(interpretation.columns) > 1:
        found["share of name compared"] = shares[interpretation.columns[1]]
    found["many words"] = float(column.kind == "text" and len(interpretation.text) > _LONG)
    nouns = {
        link.column for link in view.headers if not parsed.asked_nouns.isdisjoint(range(link.start, link.end))
    }
    found["noun of column"] = float(column.index in nouns)
    found["noun of other column"] = float(bool(nouns) and column.index not in nouns)
    words = set(stems_of(interpretation.text[:_MOST_COMPARED]))
    said = words.intersection(token.stem for token in parsed.tokens)
    if interpretation.operation not in ("choice", "either"):
        found["given said"] = len(said) / len(words) if words else 0.0
    found["several given"] = float("; " in interpretation.text)
    found["first column"] = float(column.index == 0)
    return found


def confidences(view: View, found: Sequence[Interpretation]) -> list[tuple[float, Interpretation]]:
    """The probability that each answer is right, given that the table is the right one; the most probable first.

    With each answer comes the most probable of its interpretations.
    """
    logit = embedded_weights().confidence
    scores = np.array([0.0, *(logit.score(features(view, each)) for each in found)])
    best: dict[str, tuple[float, Interpretation]] = {}
    answers: dict[str, float] = {}
    for each, probability in zip(found, softmax(scores)[1:].tolist(), strict=True):
        answers[each.text] = answers.get(each.text, 0.0) + probability
        if each.text not in best or probability > best[each.text][0]:
            best[each.text] = probability, each
    return sorted(((answers[text], each) for text, (_, each) in best.items()), key=lambda pair: -pair[0])


def _says(view: View) -> dict[str, bool]:
    parsed = view.parsed
    compared = [comparison.start for comparison in view.comparisons]
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
        "in a row": parsed.cue("in a row") is not None,
        "how long": parsed.cue("how long") is not None,
        # "Was it A or B" wants one of them.
        "yes or no": parsed.cue("yes or no") is not None and parsed.cue("or") is None,
        "top": parsed.top is not None,
    }
