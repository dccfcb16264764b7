"""Recipes: commented TOML files that hold every setting of a run; any value can be overridden."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from caveat.core.errors import CaveatError, InputError, UnknownNameError
from caveat.training.kinds.conditional import recipe as conditional_recipe
from caveat.training.kinds.conditional.recipe import ConditionalRecipe
from caveat.training.kinds.judge import recipe as judge_recipe
from caveat.training.kinds.judge import yes_no_recipe
from caveat.training.kinds.judge.recipe import JudgeRecipe
from caveat.training.kinds.judge.yes_no_recipe import YesNoRecipe
from caveat.training.kinds.matching import recipe as matching_recipe
from caveat.training.kinds.matching.recipe import MatchingRecipe
from caveat.training.kinds.ranker import lexical_recipe
from caveat.training.kinds.ranker import recipe as ranker_recipe
from caveat.training.kinds.ranker.lexical_recipe import LexicalRecipe
from caveat.training.kinds.ranker.recipe import RankerRecipe
from caveat.training.kinds.relations import network_recipe as relation_network_recipe
from caveat.training.kinds.relations import recipe as relation_recipe
from caveat.training.kinds.relations.network_recipe import RelationNetworkRecipe
from caveat.training.kinds.relations.recipe import RelationRecipe
from caveat.training.kinds.tables import recipe as tables_recipe
from caveat.training.kinds.tables.recipe import TablesRecipe
from caveat.training.kinds.tagger.recipe import TaggerRecipe, problems_of
from caveat.training.settings import Described, Phase, Settings

__all__ = [
    "AnyRecipe",
    "DataSet",
    "Described",
    "FittedRecipe",
    "Phase",
    "Recipe",
    "Tuning",
    "load_recipe",
    "recipe_names",
]


class DataSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A training file and how much of it an epoch takes."""

    path: str
    # "squad" (SQuAD's layout) or "mrqa" (JSON lines); told by the name where it is left out. "kbqa": questions on the
    # facts of a knowledge base, which is `triples`, on passages that tell them.
    format: Literal["squad", "mrqa", "kbqa"] | None = None
    triples: str = ""
    # At most this many questions, drawn once by the seed.
    cap: int = 75_000
    # Passes over the set in an epoch: 2 takes each question twice, 0.5 a fresh half each time.
    weight: float = 1.0
    # Traditional script becomes Simplified.
    simplify: bool = False
    # What several answers to a question are: of several annotators, or the spans of one answer.
    answers: Literal["alternatives", "parts"] = "alternatives"
    # Which questions to take.
    take: Literal["all", "answerable", "unanswerable"] = "all"
    # Those of the file, or others made of its passages alone: what a text says twice, hidden in one of its sentences.
    questions: Literal["asked", "recurring"] = "asked"
    # For the model's card: what the set is called, and the terms it came with.
    name: str = ""
    licence: str = "unstated"

    @property
    def key(self) -> str:
        """What the log calls the set: a file may be in a recipe twice, with its own questions and with others."""
        return self.path if self.questions == "asked" else f"{self.path} ({self.questions})"


class Tuning(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the run is measured on, on the way and at its end; never trained on."""

    path: str
    metric: Literal["cmrc2018", "squad"]
    format: Literal["squad", "mrqa"] | None = None
    # Steps between measurements, on this many questions spread over the file; 0: only at the end.
    every: int = 500
    questions: int = 200
    # At the end; 0 means the whole file.
    final_questions: int = 0
    window: int = 384
    stride: int = 128
    max_answer_tokens: int = 64
    batch_size: int = 16
    # For the model's card, as with training data.
    name: str = ""
    licence: str = "unstated"


class Recipe(Settings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a run that trains a reader."""

    kind: Literal["reader"] = "reader"
    data: tuple[DataSet, ...]
    phases: tuple[Phase, ...]
    tuning: Tuning | None = None
    # Windows without the answer, as a share of those with it.
    negatives: float = 0.1
    # Windows an epoch takes of each question; 0 takes all that hold the answer.
    windows_per_question: int = 0
    # The target in a window: the gold answer's first occurrence there, or the place that was annotated.
    target: Literal["first", "annotated"] = "first"


# What is trained in steps, and what is fitted in one go, without torch.
AnyRecipe = Recipe | TaggerRecipe | RankerRecipe | JudgeRecipe | ConditionalRecipe | RelationNetworkRecipe
FittedRecipe = RelationRecipe | LexicalRecipe | MatchingRecipe | YesNoRecipe | TablesRecipe
_KINDS: dict[str, type[AnyRecipe] | type[FittedRecipe]] = {
    "reader": Recipe,
    "tagger": TaggerRecipe,
    "ranker": RankerRecipe,
    "judge": JudgeRecipe,
    "conditionalqa": ConditionalRecipe,
    "relation-network": RelationNetworkRecipe,
    "relations": RelationRecipe,
    "lexical": LexicalRecipe,
    "matching": MatchingRecipe,
    "yes-no": YesNoRecipe,
    "tables": TablesRecipe,
}


def recipe_names() -> list[str]:
    """The recipes that come with the package."""
    return sorted(
        entry.name.removesuffix(".toml")
        for entry in (files("caveat.training") / "recipes").iterdir()
        if entry.name.endswith(".toml")
    )


def load_recipe(name_or_path: str, overrides: Sequence[str] = ()) -> AnyRecipe | FittedRecipe:
    """A shipped recipe or a file, with `key=value` overrides; keys are dotted (`phases.0.epochs=2`).

    Its `kind` says what it trains, a reader where it says nothing.
    """
    path = Path(name_or_path)
    if path.suffix == ".toml" or path.is_file():
        if not path.is_file():
            raise InputError("there is no such recipe file", path=path)
        text = path.read_text(encoding="utf-8")
    elif name_or_path in (names := recipe_names()):
        text = (files("caveat.training") / "recipes" / f"{name_or_path}.toml").read_text(encoding="utf-8")
    else:
        raise UnknownNameError("recipe", name_or_path, names)
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"broken TOML: {error}", path=name_or_path) from None
    kind = raw.get("kind", "reader")
    if kind not in _KINDS:
        raise UnknownNameError("kind of recipe", str(kind), list(_KINDS))
    record = _KINDS[kind]
    _check_keys(raw, record, ())
    for override in overrides:
        _override(raw, override)
        _check_keys(raw, record, ())
    try:
        recipe = msgspec.convert(raw, record)
    except msgspec.ValidationError as error:
        raise InputError(_sentence(error), path=name_or_path) from None
    if isinstance(recipe, RelationRecipe):
        for problem in relation_recipe.problems_of(recipe):
            raise InputError(problem, path=name_or_path)
    elif isinstance(recipe, LexicalRecipe):
        for problem in lexical_recipe.problems_of(recipe):
            raise InputError(problem, path=name_or_path)
    elif isinstance(recipe, MatchingRecipe):
        for problem in matching_recipe.problems_of(recipe):
            raise InputError(problem, path=name_or_path)
    elif isinstance(recipe, YesNoRecipe):
        for problem in yes_no_recipe.problems_of(recipe):
            raise InputError(problem, path=name_or_path)
    elif isinstance(recipe, TablesRecipe):
        for problem in tables_recipe.problems_of(recipe):
            raise InputError(problem, path=name_or_path)
    else:
        _check_values(recipe, name_or_path)
    return recipe


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
            if last:
                node[int(step)] = _value(text)
            else:
                node = node[int(step)]
        elif isinstance(node, dict):
            if last:
                node[step] = _value(text)
            else:
                node = node.setdefault(step, {})
        else:
            raise CaveatError(f"{'.'.join(steps[:depth])} is a single value and has no {step!r}.")


def _value(text: str) -> Any:
    """A value as TOML writes it; anything else is a string, so that names need no quotes."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text.strip()


def _check_values(recipe: AnyRecipe, path: str) -> None:
    def need(holds: bool, problem: str) -> None:
        if not holds:
            raise InputError(problem, path=path)

    need(bool(recipe.data), "a recipe needs at least one data set")
    need(bool(recipe.phases), "a recipe needs at least one phase")
    need(recipe.learning_rate > 0, f"learning_rate must be above 0, got {recipe.learning_rate}")
    need(0 <= recipe.warmup < 1, f"warmup is a share of the steps, from 0 to below 1, got {recipe.warmup}")
    need(0 <= recipe.ema < 1, f"ema must be from 0 to below 1, got {recipe.ema}")
    need(0 <= recipe.masked < 1, f"masked is a share, from 0 to below 1, got {recipe.masked}")
    if isinstance(recipe, Recipe):
        for data in recipe.data:
            need(
                (data.format == "kbqa") == bool(data.triples),
                f'{data.path} needs `triples`, a knowledge base, with format = "kbqa", and only then',
            )
        need(recipe.negatives >= 0, f"negatives must not be below 0, got {recipe.negatives}")
        need(recipe.windows_per_question >= 0, "windows_per_question must not be below 0")
    else:
        for problem in _problems_of_kind(recipe):
            raise InputError(problem, path=path)
    for phase in recipe.phases:
        need(
            phase.window > recipe.max_question_tokens + 8,
            f"a window of {phase.window} leaves no room beside {recipe.max_question_tokens} question tokens",
        )
        need(phase.stride > 0 and phase.batch_size > 0, "stride and batch_size must be above 0")
        need(phase.epochs > 0, f"epochs must be above 0, got {phase.epochs}")


def _problems_of_kind(
    recipe: TaggerRecipe | RankerRecipe | JudgeRecipe | ConditionalRecipe | RelationNetworkRecipe,
) -> Iterator[str]:
    if isinstance(recipe, TaggerRecipe):
        return problems_of(recipe)
    if isinstance(recipe, RankerRecipe):
        return ranker_recipe.problems_of(recipe)
    if isinstance(recipe, JudgeRecipe):
        return judge_recipe.problems_of(recipe)
    if isinstance(recipe, RelationNetworkRecipe):
        return relation_network_recipe.problems_of(recipe)
    return conditional_recipe.problems_of(recipe)


def _sentence(error: msgspec.ValidationError) -> str:
    message, _, where = str(error).partition(" - at `$.")
    return message[:1].lower() + message[1:] + (f" at {where.removesuffix('`')}" if where else "")
