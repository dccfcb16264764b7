"""Inoculation (Liu et al. 2019; MRQA 2019, section 6.3): how much of a gap between domains a few examples bridge.

A reader is trained on 10, 50 … examples of a target domain, each time from where it was, and measured on other
questions of the target and on those that it was tuned on. If the target's score rises to the original's, the gap was of
the data that the reader had seen; if it does not, it is of what the reader can do. If the original score falls, the
reader forgets.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from caveat.benchmarks.shared.passage import Passage, questions_of
from caveat.benchmarks.squad import format as squad
from caveat.core.errors import CaveatError
from caveat.training.kinds import Note, Tables
from caveat.training.kinds.reader.data import read_passages
from caveat.training.kinds.reader.method import measure, some_questions
from caveat.training.kinds.reader.network import load_reader
from caveat.training.kinds.reader.recipe import (
    Feeding,
    InoculationRecipe,
    InoculationTarget,
    ReaderDataSet,
    ReaderRecipe,
    ReaderTuning,
)
from caveat.training.loop import train_in_steps
from caveat.training.recipe import Phase


def inoculate(recipe: InoculationRecipe, out: Path, *, data_root: Path, note: Note) -> Tables:
    """Train a reader for each number of examples into the folder `out`; a table a target, a row a number."""
    run = Path(recipe.run)
    base = msgspec.convert(load_reader(run / "model")[2].recipe, ReaderRecipe)
    if base.tuning is None:
        raise CaveatError(f"{run} was trained without a tuning file, so its original score is not known.")
    original = some_questions(
        list(read_passages(data_root / base.tuning.path, base.tuning.format)), recipe.questions
    )
    return {
        f"{data.name or data.path}: what examples of it bridge": _measured(
            recipe, base, data, original, out / str(number), data_root, note
        )
        for number, data in enumerate(recipe.data)
    }


def _measured(
    recipe: InoculationRecipe,
    base: ReaderRecipe,
    data: InoculationTarget,
    original: Sequence[Passage],
    out: Path,
    root: Path,
    note: Note,
) -> dict[str, Any]:
    passages = list(read_passages(root / data.path, data.format))
    pool, rest = divide(passages, max(recipe.examples), recipe.seed)
    if not rest:
        raise CaveatError(f"{root / data.path} has too few questions: none would be left to measure.")
    target = some_questions(rest, recipe.questions)
    tuning = msgspec.structs.replace(base.tuning or ReaderTuning(path="", metric="squad"), every=0)
    rows: dict[str, Any] = {}
    before: tuple[float, float] | None = None
    for count in sorted({0, *recipe.examples}):
        model = Path(recipe.run) / "model"
        if count:
            taken = first_examples(pool, count)
            out.mkdir(parents=True, exist_ok=True)
            squad.write(out / f"examples-{count}.json", taken)
            train_in_steps(_fine_tuning(recipe, base, count), out / str(count), data_root=out, note=note)
            model = out / str(count) / "model"
        reader, tokenizer, _ = load_reader(model)
        on_target, on_original = (
            measure(reader, tokenizer, some, tuning, base.max_question_tokens, no_answer=base.no_answer)
            for some in (target, original)
        )
        if before is None:
            before = on_target["f1"], on_original["f1"]
        rows[f"{count} examples"] = {
            "target_exact_match": on_target["exact_match"],
            "target_f1": on_target["f1"],
            "original_exact_match": on_original["exact_match"],
            "original_f1": on_original["f1"],
            "bridged": bridged(before, on_target["f1"]),
        }
        note(f"{data.path}, {count} examples: F1 {on_target['f1']:.1f}, original {on_original['f1']:.1f}")
    return {name: row for name, row in rows.items() if int(name.split()[0]) in recipe.examples}


def bridged(before: tuple[float, float], now: float) -> float | None:
    """The share, in per cent, of the gap from target to original that is gone; None where there was no gap."""
    target, original = before
    return 100 * (now - target) / (original - target) if original > target else None


def divide(passages: Sequence[Passage], count: int, seed: int) -> tuple[list[Passage], list[Passage]]:
    """Passages, drawn by the seed, until they have `count` answerable questions; and all others, in their order.

    A set may ask one question of many passages: they are drawn together, and no question is on both sides.
    """
    together: dict[str, list[int]] = {}
    for number, passage in enumerate(passages):
        first = passage.questions[0].text.casefold() if passage.questions else ""
        together.setdefault(first, []).append(number)
    order = random.Random(f"inoculation {seed}").sample(list(together.values()), len(together))
    pool: list[int] = []
    found = 0
    for numbers in order:
        if found >= count:
            break
        pool += numbers
        found += sum(question.answerable for number in numbers for question in passages[number].questions)
    asked = {question.text.casefold() for number in pool for question in passages[number].questions}
    taken = set(pool)
    rest = (_without(passage, asked) for number, passage in enumerate(passages) if number not in taken)
    return [passages[number] for number in pool], [passage for passage in rest if passage.questions]


def _without(passage: Passage, asked: set[str]) -> Passage:
    questions = tuple(question for question in passage.questions if question.text.casefold() not in asked)
    return msgspec.structs.replace(passage, questions=questions)


def first_examples(pool: Sequence[Passage], count: int) -> list[Passage]:
    """The passages with their first `count` answerable questions: fewer examples are among more."""
    kept: list[Passage] = []
    left = count
    for passage in pool:
        questions = tuple(each for each in passage.questions if each.answerable)[:left]
        if questions:
            kept.append(msgspec.structs.replace(passage, questions=questions))
            left -= len(questions)
    if left:
        raise CaveatError(
            f"The target has {sum(1 for _ in questions_of(kept))} answerable questions, {count} examples are wanted."
        )
    return kept


def _fine_tuning(recipe: InoculationRecipe, base: ReaderRecipe, count: int) -> ReaderRecipe:
    """A short run from where the reader was; of the methods what is part of the reader itself."""
    widest = max(base.phases, key=lambda phase: phase.window)
    shape = base.feeding and Feeding(attention_over_attention=base.feeding.attention_over_attention)
    return msgspec.structs.replace(
        base,
        data=(ReaderDataSet(path=f"examples-{count}.json", format="squad"),),
        phases=(
            Phase(
                window=widest.window,
                stride=widest.stride,
                batch_size=recipe.batch_size,
                epochs=recipe.epochs,
            ),
        ),
        tuning=None,
        start=recipe.run,
        seed=recipe.seed,
        threads=recipe.threads,
        learning_rate=recipe.learning_rate * base.learning_rate,
        # Of a few dozen steps an average over a thousand would be of the first weights.
        ema=0.0,
        auxiliary=None,
        adversarial=None,
        sampling=None,
        distillation=None,
        feeding=shape,
    )
