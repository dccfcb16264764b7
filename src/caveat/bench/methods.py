"""The methods of training a reader beside each other: the same data, windows and steps, one reader a method."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean
from time import process_time
from typing import TYPE_CHECKING, Any

import msgspec

from caveat.bench.measure import Cell, Measured, Watch
from caveat.core.errors import UnknownNameError, UsageError
from caveat.core.files import PathLike
from caveat.core.json_files import read_json, write_json

if TYPE_CHECKING:
    from caveat.benchmarks.shared.passage import Passage
    from caveat.training.kinds.reader.recipe import ReaderRecipe


# By their names: the recipe, without "mrqa-", and what of it is replaced.
_RECIPES: dict[str, tuple[str, tuple[str, ...]]] = {
    "multitask": ("multitask", ()),
    # What another seed alone changes, so that differences can be told from chance.
    "multitask-again": ("multitask", ("seed=2",)),
    "sampling": ("sampling", ()),
    "feeding": ("feeding", ()),
    "feeding-in-turn": ("feeding", ("feeding.order=sets", "feeding.attention_over_attention=false")),
    "adversarial": ("adversarial", ()),
    "frozen": ("frozen", ()),
    "experts": ("experts", ()),
    "distillation": ("distillation", ()),
    "auxiliary": ("auxiliary", ()),
}
_ENSEMBLE, _MEMBERS = "ensemble", ("multitask", "multitask-again")
METHODS = (*_RECIPES, _ENSEMBLE)
_TRAIN, _IN_DOMAIN, _OUT_OF_DOMAIN = "train", "in-domain", "out-of-domain"
_INFERENCE, _TUNE = "inference", "tune"
_FIGURES = "figures.json"


class _Row(msgspec.Struct, frozen=True):
    """What a reader was measured at: exact match and F1 by group and file, the processors' seconds.

    `settings` are what it was trained and measured with; with others it is measured again.
    """

    settings: dict[str, Any]
    groups: dict[str, dict[str, dict[str, float]]]
    training: float
    reading: float

    def cells(self, method: str) -> tuple[Cell, ...]:
        """As the table has it: means over the files of each group."""
        means = [
            mean(figures[key] for figures in files.values())
            for files in self.groups.values()
            for key in ("exact_match", "f1")
        ]
        return method, *means, self.training, self.reading


def bench_methods(
    data_root: PathLike = ".",
    *,
    budget: int = 6_000,
    questions: int = 500,
    methods: Sequence[str] = (),
    overrides: Sequence[str] = (),
    out: PathLike | None = None,
    watch: Watch = lambda items, total: items,
) -> Measured:
    """Train a reader by each method on about `budget` windows of `data_root`/train, and measure it.

    It is measured on `questions` of each file in `data_root`/in-domain and in `data_root`/out-of-domain. Files are in
    SQuAD's layout or MRQA's; methods with inference learn it from `data_root`/inference. `overrides` are for every
    recipe; without `methods` all are compared. Runs stay in the folder `out`, where one is given, each with
    figures.json, exact match and F1 of each file; what is there already is neither trained nor measured again. The
    ensemble answers with two of the others.
    """
    from caveat.training.kinds import check_installed
    from caveat.training.kinds.reader.data import read_passages
    from caveat.training.kinds.reader.method import some_questions

    check_installed(("torch", "transformers", "safetensors"), "Comparing methods of training")
    root = Path(data_root)
    methods = methods or METHODS
    for method in methods:
        if method not in METHODS:
            raise UnknownNameError("method", method, list(METHODS))
    groups = {
        name: {
            _stem(path): some_questions(list(read_passages(path)), questions) for path in _files(root / name)
        }
        for name in (_IN_DOMAIN, _OUT_OF_DOMAIN)
    }
    wanted = [
        method for method in _RECIPES if method in methods or (_ENSEMBLE in methods and method in _MEMBERS)
    ]
    recipes = {method: recipe_for(method, root, budget, overrides) for method in wanted}
    rows: dict[str, _Row] = {}
    with tempfile.TemporaryDirectory(prefix="caveat-") as place:
        folder = Path(out or place)
        for method, recipe in watch(recipes.items(), len(recipes)):
            rows[method] = _trained(recipe, folder / method, root, groups)
        if _ENSEMBLE in methods:
            rows[_ENSEMBLE] = _together(recipes, rows, folder, groups)
    notes = (
        f"About {budget:,} windows of {len(_files(root / _TRAIN))} sets, those without an answer among them, pairs for "
        f"inference beside them. Means over {len(groups[_IN_DOMAIN])} and {len(groups[_OUT_OF_DOMAIN])} sets of at "
        f"most {questions:,} questions. Seconds are the processors', of training and of reading all these questions.",
    )
    columns = (
        "", "in-domain EM", "in-domain F1", "out-of-domain EM", "out-of-domain F1", "training s", "reading s",
    )  # fmt: skip
    cells = tuple(rows[method].cells(method) for method in METHODS if method in rows)
    return Measured("Methods of training a reader", columns, cells, notes)


_Groups = Mapping[str, Mapping[str, "Sequence[Passage]"]]


def _trained(recipe: ReaderRecipe, folder: Path, root: Path, groups: _Groups) -> _Row:
    """The row of a method: as it was kept, or after training."""
    from caveat.training.kinds.reader.network import load_reader
    from caveat.training.loop import train_in_steps

    settings = _settings(recipe, groups)
    if (kept := _earlier_row(folder, settings)) is not None:
        return kept
    train_in_steps(recipe, folder, data_root=root)
    reader, tokenizer, _ = load_reader(folder / "model")
    row = _measured(reader, tokenizer, recipe, groups, settings, _seconds(folder))
    write_json(folder / _FIGURES, row)
    return row


def _together(
    recipes: Mapping[str, ReaderRecipe], rows: Mapping[str, _Row], folder: Path, groups: _Groups
) -> _Row:
    """The row of the ensemble: its members have one tokenizer, so that their scores are of the same tokens."""
    from caveat.training.kinds.reader.network import MeanOfReaders, load_reader

    settings = {"members": [rows[member].settings for member in _MEMBERS]}
    if (kept := _earlier_row(folder / _ENSEMBLE, settings)) is not None:
        return kept
    loaded = [load_reader(folder / member / "model") for member in _MEMBERS]
    row = _measured(
        MeanOfReaders([reader for reader, _, _ in loaded]),
        loaded[0][1],
        recipes[_MEMBERS[0]],
        groups,
        settings,
        sum(rows[member].training for member in _MEMBERS),
    )
    (folder / _ENSEMBLE).mkdir(exist_ok=True)
    write_json(folder / _ENSEMBLE / _FIGURES, row)
    return row


def _measured(
    reader: Any,
    tokenizer: Any,
    recipe: ReaderRecipe,
    groups: _Groups,
    settings: dict[str, Any],
    training: float,
) -> _Row:
    from caveat.training.kinds.reader.method import measure

    tuning: Any = recipe.tuning
    begin = process_time()
    found = {
        group: {
            name: measure(
                reader, tokenizer, some, tuning, recipe.max_question_tokens, no_answer=recipe.no_answer
            )
            for name, some in files.items()
        }
        for group, files in groups.items()
    }
    return _Row(settings, found, training, process_time() - begin)


def _settings(recipe: ReaderRecipe, groups: _Groups) -> dict[str, Any]:
    """What a row depends on, as JSON has it."""
    asked = {
        group: {name: sum(len(each.questions) for each in some) for name, some in files.items()}
        for group, files in groups.items()
    }
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode({"recipe": recipe, "asked": asked}))
    del found["recipe"]["threads"]
    return found


def _earlier_row(folder: Path, settings: dict[str, Any]) -> _Row | None:
    path = folder / _FIGURES
    row = read_json(path, _Row) if path.is_file() else None
    return row if row is not None and row.settings == settings else None


def _seconds(folder: Path) -> float:
    """What the steps of a run took of the processors, by its log: also of one that was stopped on its way."""
    from caveat.training import log

    return float(sum(entry.get("processor_seconds", 0.0) for entry in log.read(folder / "log.jsonl")))


def recipe_for(method: str, root: Path, budget: int, overrides: Sequence[str] = ()) -> ReaderRecipe:
    """The recipe of a method on the files of `root`, with about `budget` windows, as many of each set.

    A set that the shipped recipe knows by its file's name, whatever the ending, keeps what is said of it there. What
    is measured on the way, and what sets are to be useful for, is the first file of `root`/tune, where there is one.
    """
    from caveat.training.kinds.reader.recipe import InferenceSet, ReaderDataSet, ReaderRecipe
    from caveat.training.recipe import load_recipe

    name, own = _RECIPES[method]
    recipe = load_recipe(f"mrqa-{name}", (*overrides, *own))
    assert isinstance(recipe, ReaderRecipe)
    files = _files(root / _TRAIN)
    known = {_stem(Path(data.path)): data for data in recipe.data}
    # Windows without an answer are of the same budget.
    each = max(1, int(budget / len(files) / (1 + recipe.negatives)))
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
    apart = _TUNE if (root / _TUNE).is_dir() else _IN_DOMAIN
    (first, *_) = _files(root / apart)
    return msgspec.structs.replace(
        recipe,
        data=data,
        auxiliary=auxiliary,
        tuning=msgspec.structs.replace(
            tuning, path=f"{apart}/{first.name}", format=None, every=0, final_questions=1
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
