"""Recipes: commented TOML files that hold every setting of a run; any value can be overridden."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import msgspec

from caveat.core.errors import CaveatError, InputError, UnknownNameError
from caveat.core.files import read_text
from caveat.training.kinds import Kind, find_kind


class Phase(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A stretch of the run with windows of one size."""

    window: int
    stride: int
    batch_size: int
    # May be a fraction.
    epochs: float


class Described(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the model's card says beyond the settings; changes nothing in a run."""

    name: str = ""
    # The code of a language, or "mul" for many.
    language: str = "mul"
    # The terms of the weights: those of the encoder and the data together.
    licence: str = "unstated"
    not_for: tuple[str, ...] = ()


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What every recipe of a run in steps has: encoder, optimiser and course; a kind adds what is learnt, and how.

    A data set has a `path`, a `name` and a `licence`, tuning data those and a `window` and a `stride`.
    """

    kind: str
    encoder: str
    data: tuple[Any, ...]
    phases: tuple[Phase, ...]
    tuning: Any = None
    card: Described = Described()
    # The folder of an earlier run of the same encoder, or of a model (or an embedded model's name), whose weights this
    # run begins with, or several, whose weights are averaged.
    start: str | tuple[str, ...] = ""
    # How many of the encoder's layers are kept, from below; 0: all.
    encoder_layers: int = 0
    # Overrides what a BERT's tokenizer says about capitals.
    lower_case: bool | None = None
    seed: int = 1
    learning_rate: float = 3e-5
    # Share of all steps during which the learning rate rises; then it falls to 0 linearly.
    warmup: float = 0.1
    weight_decay: float = 0.01
    clip: float = 1.0
    # Replaces the encoder's own where given.
    dropout: float | None = None
    # Without dropout on the attention's weights the fused attention of torch trains a quarter faster.
    attention_dropout: float | None = None
    # Share of the tokens that are hidden from the network, others in each batch.
    masked: float = 0.0
    freeze_embeddings: bool = False
    # Matrices are multiplied in bfloat16 where the processor has instructions for it (twice as fast), the weights stay
    # float32; elsewhere it changes nothing.
    bfloat16: bool = False
    # Decay of the exponential average of the weights, which is then what is measured and saved; 0 is off.
    ema: float = 0.0
    # The share that the weights at the start have in what is measured and saved; 0.5: the mean of before and after.
    with_start: float = 0.0
    max_question_tokens: int = 64
    threads: int = 0
    log_every: int = 20
    checkpoint_minutes: float = 15.0


# Numbers that every generator of random ones takes.
_SEEDS = 1 << 32


def recipe_names() -> list[str]:
    """The recipes that come with the package."""
    return sorted(
        entry.name.removesuffix(".toml")
        for entry in (files("caveat.training") / "recipes").iterdir()
        if entry.name.endswith(".toml")
    )


def load_recipe(name_or_path: str, overrides: Sequence[str] = ()) -> msgspec.Struct:
    """A shipped recipe or a file, with `key=value` overrides; keys are dotted (`phases.0.epochs=2`).

    An override without a value (`dropout=`) takes the recipe's away, so that the default holds.
    Its `kind` says what it trains, a reader where it says nothing; `extends` names another recipe, whose values it
    has where it has none of its own.
    """
    raw = _raw(name_or_path)
    kind = find_kind(str(raw.get("kind", "reader")))
    _check_keys(raw, kind.recipe, ())
    for override in overrides:
        _override(raw, override)
        _check_keys(raw, kind.recipe, ())
        _drop_unset(raw)
    try:
        recipe = msgspec.convert(raw, kind.recipe)
    except msgspec.ValidationError as error:
        raise InputError(_sentence(error), path=name_or_path) from None
    for problem in (*_problems_of_all(recipe), *_problems(kind, recipe)):
        raise InputError(problem, path=name_or_path)
    return recipe


def _raw(name_or_path: str, extending: tuple[str, ...] = ()) -> dict[str, Any]:
    """The values of a recipe, those of the one that it extends included; `extending` are those that extend it."""
    if name_or_path in extending:
        raise InputError("the recipe extends itself", path=name_or_path)
    path = Path(name_or_path)
    if path.suffix == ".toml" or path.is_file():
        if not path.is_file():
            raise InputError("there is no such recipe file", path=path)
        text = read_text(path)
    elif name_or_path in (names := recipe_names()):
        text = (files("caveat.training") / "recipes" / f"{name_or_path}.toml").read_text(encoding="utf-8")
    else:
        raise UnknownNameError("recipe", name_or_path, names)
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"broken TOML: {error}", path=name_or_path) from None
    if base := raw.pop("extends", ""):
        beside = path.parent / str(base)
        other = str(beside) if path.is_file() and beside.is_file() else str(base)
        raw = _merged(_raw(other, (*extending, name_or_path)), raw)
    return raw


def _merged(base: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Own values before those of the base; tables are merged, lists replaced."""
    both = {
        key: _merged(base[key], value)
        if isinstance(value, dict) and isinstance(base.get(key), dict)
        else value
        for key, value in own.items()
    }
    return {**base, **both}


def _problems_of_all(recipe: Any) -> Iterator[str]:
    """What every kind of recipe may say, and not everything goes."""
    if not 0 <= (seed := getattr(recipe, "seed", 0)) < _SEEDS:
        yield f"a seed is from 0 to below {_SEEDS:,}, got {seed}"
    if (threads := getattr(recipe, "threads", 0)) < 0:
        yield f"threads must not be below 0, got {threads}"


def _problems(kind: Kind, recipe: Any) -> Iterator[str]:
    if kind.method is None:
        yield from kind.problems(recipe)
        return
    if not recipe.data:
        yield "a recipe needs at least one data set"
    if not recipe.phases:
        yield "a recipe needs at least one phase"
    if recipe.learning_rate <= 0:
        yield f"learning_rate must be above 0, got {recipe.learning_rate}"
    if not 0 <= recipe.warmup < 1:
        yield f"warmup is a share of the steps, from 0 to below 1, got {recipe.warmup}"
    if not 0 <= recipe.ema < 1:
        yield f"ema must be from 0 to below 1, got {recipe.ema}"
    if not 0 <= recipe.with_start < 1:
        yield f"with_start must be from 0 to below 1, got {recipe.with_start}"
    if recipe.with_start and not recipe.start:
        yield "with_start needs a start: the weights of an earlier run or of a model"
    if not 0 <= recipe.masked < 1:
        yield f"masked is a share, from 0 to below 1, got {recipe.masked}"
    yield from kind.problems(recipe)
    for phase in recipe.phases:
        if phase.window <= recipe.max_question_tokens + 8:
            yield f"a window of {phase.window} leaves no room beside {recipe.max_question_tokens} question tokens"
        if phase.stride <= 0 or phase.batch_size <= 0:
            yield "stride and batch_size must be above 0"
        if phase.epochs <= 0:
            yield f"epochs must be above 0, got {phase.epochs}"


def _check_keys(raw: Any, kind: Any, place: tuple[str, ...]) -> None:
    """Every key is one that the record has; the error lists those it has."""
    if isinstance(raw, dict) and (record := _record(kind)):
        hints = get_type_hints(record)
        for key, value in raw.items():
            if key not in hints:
                where = f"key in {'.'.join(place)}" if place else "key"
                raise UnknownNameError(f"recipe {where}", key, sorted(hints))
            _check_keys(value, hints[key], (*place, key))
    elif isinstance(raw, list) and get_origin(kind) is tuple:
        for index, value in enumerate(raw):
            _check_keys(value, get_args(kind)[0], (*place, str(index)))


def _record(kind: Any) -> type[msgspec.Struct] | None:
    for option in (kind, *get_args(kind)):
        if isinstance(option, type) and issubclass(option, msgspec.Struct):
            return option
    return None


def _override(raw: dict[str, Any], override: str) -> None:
    key, equals, text = override.partition("=")
    if not equals or not key.strip():
        raise CaveatError(f"An override is key=value, got {override!r}.")
    steps = key.strip().split(".")
    node: Any = raw
    for depth, step in enumerate(steps):
        last = depth == len(steps) - 1
        if isinstance(node, list):
            if not step.isdecimal() or int(step) >= len(node):
                raise CaveatError(
                    f"{'.'.join(steps[:depth])} has the entries 0 to {len(node) - 1}, there is no {step!r}."
                )
            if last and not text.strip():
                raise CaveatError(
                    f"{key.strip()} is an entry of a list, which cannot be left out: give the whole list."
                )
            if last:
                node[int(step)] = _value(text)
            else:
                node = node[int(step)]
        elif isinstance(node, dict):
            if last:
                node[step] = _value(text) if text.strip() else msgspec.UNSET
            else:
                node = node.setdefault(step, {})
        else:
            raise CaveatError(f"{'.'.join(steps[:depth])} is a single value and has no {step!r}.")


def _drop_unset(node: Any) -> None:
    """Take away what an override left without a value."""
    if isinstance(node, dict):
        for key in [key for key, value in node.items() if value is msgspec.UNSET]:
            del node[key]
    for child in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        _drop_unset(child)


def _value(text: str) -> Any:
    """A value as TOML writes it; anything else is a string, so that names need no quotes."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text.strip()


def _sentence(error: msgspec.ValidationError) -> str:
    message, _, where = str(error).partition(" - at `$.")
    return message[:1].lower() + message[1:] + (f" at {where.removesuffix('`')}" if where else "")
