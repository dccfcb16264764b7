"""Training by a recipe, whatever the kind of its model, and exporting what a run has learnt."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from caveat.core.errors import CaveatError, UsageError
from caveat.core.files import PathLike
from caveat.models.card import Card
from caveat.training.kinds import Tables, check_installed, kind_of
from caveat.training.log import locked_run
from caveat.training.recipe import load_recipe

if TYPE_CHECKING:
    from caveat.training.export import Precision


class TrainResult(msgspec.Struct, frozen=True):
    """What a run gave: tables of figures by their titles, and the cards of its model folders by their precision."""

    tables: Tables = {}
    cards: dict[str, Card] = {}
    # Whether it was stopped on its way; the same call goes on from there.
    stopped: bool = False


def train(
    recipe: PathLike | msgspec.Struct,
    out: PathLike,
    *,
    overrides: Sequence[str] = (),
    data_root: PathLike = ".",
    precisions: Sequence[Precision] = ("int8", "fp32"),
    compared: int = 300,
    threads: int | None = None,
    stop: Callable[[int], bool] = lambda step: False,
    note: Callable[[str], None] = lambda message: None,
    in_steps: Callable[..., dict[str, Any] | None] | None = None,
) -> TrainResult:
    """Train a model into the folder `out`, calibrate it and export it; a stopped run there goes on where it was.

    `recipe` is a shipped recipe's name, a TOML file or a recipe's record; `overrides` are `key=value`, and its paths
    start from `data_root`. `stop` is asked after each step. With `precisions` empty nothing is exported; `compared`
    questions, 0 for all, are answered in torch too, for what the export has cost. `note` is told of progress.
    `in_steps` trains instead of the loop here, as that does (see `caveat.cluster.work`). While another process
    writes to the folder, it is refused.
    """
    settings = _loaded(recipe, overrides)
    kind = kind_of(settings)
    folder, root = Path(out), Path(data_root)
    if kind.fit is not None:
        if in_steps is not None:
            raise UsageError(f"A model of the kind {kind.name!r} is fitted in one process: leave --ray out.")
        check_installed(kind.needs)
        with locked_run(folder):
            return TrainResult(kind.fit(settings, folder, data_root=root, note=note))
    # Before a run of hours, not after it.
    check_installed((*kind.needs, *(("onnx",) if precisions else ())))
    from caveat.training.loop import train_in_steps

    with locked_run(folder):
        scores = (in_steps or train_in_steps)(settings, folder, data_root=root, stop=stop, note=note)
        if scores is None:
            return TrainResult(stopped=True)
        cards = {}
        if precisions:
            cards = export_run(
                settings,
                folder,
                data_root=root,
                precisions=precisions,
                compared=compared,
                threads=threads,
                note=note,
            )
        return TrainResult({str(out): scores} if scores else {}, cards)


def export_run(
    recipe: PathLike | msgspec.Struct,
    run_folder: PathLike,
    out: PathLike | None = None,
    *,
    overrides: Sequence[str] = (),
    data_root: PathLike = ".",
    precisions: Sequence[Precision] = ("int8", "fp32"),
    calibration: Sequence[tuple[str, Path]] = (),
    compared: int = 300,
    threads: int | None = None,
    note: Callable[[str], None] = lambda message: None,
) -> dict[str, Card]:
    """Write `out`/int8 and `out`/fp32, model folders of a run, ended or not, and return their cards.

    `out` is the run's own folder where none is given. Each is calibrated and measured on the recipe's tuning data, a
    reader, where given, calibrated on the files of `calibration` (task, path); `compared` of the questions, 0 for all,
    are answered in torch as well, for what the export has cost. Models that predict in torch are not exported.
    """
    settings = _loaded(recipe, overrides)
    kind = kind_of(settings)
    if kind.export is None:
        raise UsageError(f"A model of the kind {kind.name!r} has nothing to export: it is fitted in one go.")
    if calibration and not kind.calibrates_on_files:
        raise CaveatError(f"A {kind.name} is calibrated on its own tuning data only.")
    check_installed((*kind.needs, "onnx"))
    from caveat.training.export import ExportSettings

    return kind.export(
        settings,
        Path(run_folder),
        Path(run_folder if out is None else out),
        ExportSettings(
            data_root=Path(data_root),
            precisions=precisions,
            compared=compared,
            calibration=calibration,
            threads=threads,
            note=note,
        ),
    )


def _loaded(recipe: PathLike | msgspec.Struct, overrides: Sequence[str]) -> Any:
    if isinstance(recipe, (str, os.PathLike)):
        return load_recipe(str(recipe), overrides)
    if overrides:
        raise CaveatError("Overrides are for recipes by name or file, not for a record.")
    return recipe
