"""The methods of training a reader beside each other: the same data, windows and steps, one reader a method."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import mean
from time import perf_counter
from typing import TYPE_CHECKING, Any

import msgspec

from caveat.bench.measure import Cell, Measured, Watch
from caveat.core.errors import UnknownNameError, UsageError
from caveat.core.files import PathLike

if TYPE_CHECKING:
    from caveat.training.kinds.reader.recipe import ReaderRecipe

__all__ = ["METHODS", "bench_methods", "recipe_for"]

# By the recipes' names, without "mrqa-".
METHODS = (
    "multitask",
    "auxiliary",
    "adversarial",
    "sampling",
    "feeding",
    "experts",
    "frozen",
    "distillation",
)
_TRAIN, _IN_DOMAIN, _OUT_OF_DOMAIN = "train", "in-domain", "out-of-domain"
_INFERENCE = "inference"


def bench_methods(
    data_root: PathLike,
    *,
    budget: int = 6_000,
    questions: int = 500,
    methods: Sequence[str] = METHODS,
    overrides: Sequence[str] = (),
    out: PathLike | None = None,
    watch: Watch = lambda items, total: items,
) -> Measured:
    """Train a reader by each method on about `budget` questions of `data_root`/train, and measure it.

    It is measured on `questions` of each file in `data_root`/in-domain and in `data_root`/out-of-domain. Files are in
    SQuAD's layout or MRQA's; methods with inference learn it from `data_root`/inference. `overrides` are for every
    recipe; runs stay in the folder `out`, where one is given.
    """
    from caveat.training.kinds import check_installed
    from caveat.training.kinds.reader.data import read_passages
    from caveat.training.kinds.reader.method import measure, some_questions
    from caveat.training.kinds.reader.network import load_reader
    from caveat.training.loop import train_in_steps

    check_installed(("torch", "transformers", "safetensors"), "Comparing methods of training")
    root = Path(data_root)
    for method in methods:
        if method not in METHODS:
            raise UnknownNameError("method", method, list(METHODS))
    groups = {
        name: [some_questions(list(read_passages(path)), questions) for path in _files(root / name)]
        for name in (_IN_DOMAIN, _OUT_OF_DOMAIN)
    }
    recipes = {method: recipe_for(method, root, budget, overrides) for method in methods}
    rows: list[tuple[Cell, ...]] = []
    with tempfile.TemporaryDirectory(prefix="caveat-") as place:
        for method, recipe in watch(recipes.items(), len(recipes)):
            folder = Path(out or place) / method
            begin = perf_counter()
            train_in_steps(recipe, folder, data_root=root)
            seconds = perf_counter() - begin
            reader, tokenizer, _ = load_reader(folder / "model")
            tuning: Any = recipe.tuning
            figures: list[Cell] = []
            for passages in groups.values():
                found = [
                    measure(
                        reader,
                        tokenizer,
                        some,
                        tuning,
                        recipe.max_question_tokens,
                        no_answer=recipe.no_answer,
                    )
                    for some in passages
                ]
                figures += [mean(each[key] for each in found) for key in ("exact_match", "f1")]
            rows.append((method, *figures, seconds))
    notes = (
        f"About {budget:,} questions of {len(_files(root / _TRAIN))} sets, one window each, windows without an answer "
        f"and pairs for inference beside them. Means over {len(groups[_IN_DOMAIN])} and {len(groups[_OUT_OF_DOMAIN])} "
        f"sets of at most {questions:,} questions. Seconds are of training.",
    )
    columns = ("", "in-domain EM", "in-domain F1", "out-of-domain EM", "out-of-domain F1", "seconds")
    return Measured("Methods of training a reader", columns, tuple(rows), notes)


def recipe_for(method: str, root: Path, budget: int, overrides: Sequence[str] = ()) -> ReaderRecipe:
    """The shipped recipe of a method on the files of `root`, with about `budget` questions, as many of each set.

    A set that the shipped recipe knows by its file's name, whatever the ending, keeps what is said of it there.
    """
    from caveat.training.kinds.reader.options import InferenceSet
    from caveat.training.kinds.reader.recipe import ReaderDataSet, ReaderRecipe
    from caveat.training.recipe import load_recipe

    recipe = load_recipe(f"mrqa-{method}", overrides)
    assert isinstance(recipe, ReaderRecipe)
    files = _files(root / _TRAIN)
    known = {_stem(Path(data.path)): data for data in recipe.data}
    each = max(1, budget // len(files))
    data = tuple(
        msgspec.structs.replace(
            known.get(_stem(path), ReaderDataSet(path=path.name)), path=f"{_TRAIN}/{path.name}", cap=each
        )
        for path in files
    )
    auxiliary = recipe.auxiliary
    if auxiliary and auxiliary.inference:
        pairs = tuple(InferenceSet(path=f"{_INFERENCE}/{path.name}") for path in _files(root / _INFERENCE))
        inference = msgspec.structs.replace(auxiliary.inference, data=pairs)
        auxiliary = msgspec.structs.replace(auxiliary, inference=inference)
    tuning: Any = recipe.tuning
    (first, *_) = _files(root / _IN_DOMAIN)
    return msgspec.structs.replace(
        recipe,
        data=data,
        auxiliary=auxiliary,
        tuning=msgspec.structs.replace(
            tuning, path=f"{_IN_DOMAIN}/{first.name}", format=None, every=0, final_questions=1
        ),
    )


def _stem(path: Path) -> str:
    return path.name.partition(".")[0]


def _files(folder: Path) -> list[Path]:
    """The data files of a folder, by name."""
    found = sorted(path for path in folder.glob("*.json*") if path.is_file()) if folder.is_dir() else []
    if not found:
        raise UsageError(
            f"{folder} has no data file: --data-root has the folders {_TRAIN}, {_IN_DOMAIN} and {_OUT_OF_DOMAIN}, "
            f"each with files in SQuAD's layout (.json) or MRQA's (.jsonl), gzipped or not, and {_INFERENCE} with "
            "judgements (.jsonl) for the methods that learn from them."
        )
    return found
