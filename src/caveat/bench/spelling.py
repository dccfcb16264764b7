"""Typing errors: how many first answers are right as questions were written, misspelt, and misspelt but corrected."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from caveat.answerers.asking import Collection, Plan
from caveat.answerers.engine import Engine, load
from caveat.bench.measure import Cell, Measured, Watch
from caveat.bench.questions import evenly
from caveat.core.answers import Answer
from caveat.core.errors import InputError, UsageError
from caveat.core.files import PathLike
from caveat.core.json_files import read_json_lines
from caveat.core.languages import Language
from caveat.core.records import Correction, Question, Reply
from caveat.language.packs.en import ENGLISH
from caveat.language.question import names_in
from caveat.language.spelling import words_in
from caveat.language.tokens import STOP_WORDS
from caveat.training.kinds.decision.labels import says
from caveat.training.sampling import fold_of

# Keys of a keyboard beside each other.
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_SHORTEST = 4
# The items of a list that are right and found, of both together.
_LEAST_ITEMS = 0.7


class _Typed(NamedTuple):
    """An item, a word of its question, and that word as it was mistyped."""

    item: dict[str, Any]
    word: str
    mistyped: str

    @property
    def text(self) -> str:
        return str(self.item["question"]).replace(self.word, self.mistyped, 1)


def bench_spelling(
    *,
    folder: PathLike | None = None,
    questions: int = 150,
    folds: int = 5,
    fold: int = 0,
    seed: int = 1,
    language: Language = ENGLISH,
    examples: int = 0,
    watch: Watch = lambda items, total: items,
) -> Measured:
    """Ask questions on pages as they are, and with one content word of each mistyped, with and without correction.

    The pages are those of the repositories of one fold, which the readers have not learnt from. `examples` are told of
    words that were not corrected, or wrongly.
    """
    if folder is None:
        raise UsageError("Typing errors are measured on questions to pages: name their folder with --folder.")
    path = Path(folder, "items.jsonl")
    every = [
        item
        for _, item in read_json_lines(path, dict)
        if item["language"] == language and fold_of(item["repository"], folds) == fold
    ]
    draw = Random(seed)
    typed = [found for item in evenly(every, questions) if (found := _mistyped(item, draw)) is not None]
    if not typed:
        raise InputError("the folder has no questions of this fold", path=path)
    engine = load()
    right = {"as written": 0, "misspelt, as typed": 0, "misspelt, corrected": 0}
    touched = restored = wrong = 0
    notes: list[str] = []
    for each in watch(typed, len(typed)):
        collection = engine.open(Path(folder, "files", each.item["page"]))
        told = each.item["scenario"] or ""
        written = Question(each.item["question"], told, language)
        misspelt = Question(each.text, told, language)
        reply = engine.ask(written, collection)
        touched += bool(reply.understood)
        if reply.understood:
            notes.append(f"a word that was written so: {_said(reply.understood)}: {written.text}")
        right["as written"] += _is_right(reply, each.item)
        right["misspelt, as typed"] += _is_right(_as_typed(engine, misspelt, collection), each.item)
        reply = engine.ask(misspelt, collection)
        right["misspelt, corrected"] += _is_right(reply, each.item)
        is_restored = Correction(each.mistyped, each.word) in reply.understood
        restored += is_restored
        if not is_restored:
            wrong += any(one.typed == each.mistyped for one in reply.understood)
            notes.append(f"{each.mistyped} ({each.word}): {_said(reply.understood) or 'as typed'}")
    rows: list[tuple[Cell, ...]] = [
        (name, len(typed), f"{100 * count / len(typed):.1f} %") for name, count in right.items()
    ]
    counted = (
        f"{restored} of {len(typed)} mistyped words were restored, {wrong} taken for another word; of the questions as "
        f"written {touched} had a word changed."
    )
    return Measured(
        "Typing errors in questions on pages",
        ("questions", "asked", "right"),
        tuple(rows),
        (counted, *notes[:examples]),
    )


def _as_typed(engine: Engine, question: Question, collection: Collection) -> Reply:
    plan = Plan.as_typed(question, collection)
    return plan.reply(engine.answer(plan.asked(engine, 5, True)), 5)


def _said(understood: Sequence[Correction]) -> str:
    return ", ".join(f"{each.typed} → {each.meant}" for each in understood)


def _mistyped(item: dict[str, Any], draw: Random) -> _Typed | None:
    """One content word of a question with one slip; None where it has none."""
    question = item["question"]
    names = {name.lower() for name in names_in(question, item["language"])}
    words = [
        word
        for word in words_in(question, item["language"])
        if len(word) >= _SHORTEST and word not in STOP_WORDS and word not in names and word in question
    ]
    if not words:
        return None
    word = draw.choice(sorted(words))
    slips = [slip for slip in _slips(word, draw) if slip != word]
    return _Typed(item, word, draw.choice(slips))


def _slips(word: str, draw: Random) -> Iterator[str]:
    """A letter left out, doubled, changed for one beside it on the keyboard, or two that change places."""
    at = draw.randrange(1, len(word))
    yield word[:at] + word[at + 1 :]
    yield word[:at] + word[at] + word[at:]
    row = next(keys for keys in _ROWS if word[at] in keys)
    place = row.index(word[at])
    yield (
        word[:at] + draw.choice(row[max(0, place - 1) : place] + row[place + 1 : place + 2]) + word[at + 1 :]
    )
    at = draw.randrange(len(word) - 1)
    yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _is_right(reply: Reply, item: dict[str, Any]) -> bool:
    """Whether the first answer is right, or, where the page has none, none is given."""
    kind, answers = item["kind"], item["answers"]
    if kind == "none":
        return not reply.answered
    if not reply.answered:
        return False
    first = reply.answers[0]
    if kind in ("yes", "no"):
        return bool(first.kind == kind)
    given = [one.text for one in _listed(reply, first)]
    if kind == "span":
        return any(says(given[0], answer) for answer in answers)
    hits = sum(any(says(one, answer) for one in given) for answer in answers)
    true = sum(any(says(one, answer) for answer in answers) for one in given)
    return hits > 0 and 2 * hits * true / (hits * len(given) + true * len(answers)) >= _LEAST_ITEMS


def _listed(reply: Reply, first: Answer) -> Sequence[Answer]:
    return reply.answers if reply.together else first.parts or (first,)
