"""`caveat train`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from caveat.training.export import Precision
    from caveat.training.recipe import FittedRecipe

__all__ = ["command"]


class _Exported(StrEnum):
    INT8 = "int8"
    FP32 = "fp32"
    BOTH = "both"
    NONE = "none"


_PRECISIONS: dict[_Exported, tuple[Precision, ...]] = {
    _Exported.INT8: ("int8",),
    _Exported.FP32: ("fp32",),
    _Exported.BOTH: ("int8", "fp32"),
}


def command(
    recipe: Annotated[
        str,
        typer.Argument(metavar="RECIPE", show_default=False, help="A shipped recipe's name, or a TOML file."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The run's folder; a stopped run there goes on.")],
    overrides: Annotated[
        list[str] | None,
        typer.Option(
            "--set", "-s", metavar="KEY=VALUE", help="Override a value: phases.0.epochs=2, seed=7 …"
        ),
    ] = None,
    data_root: Annotated[
        Path,
        typer.Option(
            "--data-root", envvar="CAVEAT_DATA", help="The folder that the recipe's paths start from."
        ),
    ] = Path(),
    plot: Annotated[
        Path | None,
        typer.Option("--plot", help="Draw the log when the run ends or stops: .png, .svg or .pdf."),
    ] = None,
    precision: Annotated[
        _Exported,
        typer.Option("--precision", help="What to export: model folders OUT/int8 and OUT/fp32, or none."),
    ] = _Exported.BOTH,
    export_only: Annotated[
        bool,
        typer.Option("--export-only", help="Train no further: export the run as it is, finished or not."),
    ] = False,
    compared: Annotated[
        int,
        typer.Option("--compared", min=0, help="Questions that torch answers too, for the loss; 0: all."),
    ] = 300,
) -> None:
    """Train a model by a recipe, calibrate it and export it; killed and started again, it goes on where it was.

    Example: `caveat train reader-zh --data-root data --out runs/reader-zh`
    """
    from caveat.cli.terminal import note, print_scores
    from caveat.core.errors import CaveatError, UsageError
    from caveat.training.recipe import FittedRecipe, load_recipe

    settings = load_recipe(recipe, overrides or ())
    if isinstance(settings, FittedRecipe):
        if export_only or plot:
            raise UsageError(
                f"The recipe {recipe} is fitted in one go: --export-only and --plot are not for it."
            )
        _fit(settings, out, data_root)
        return
    try:
        from caveat.training.loop import train

        if precision is not _Exported.NONE:
            # Before a run of hours, not after it.
            import onnx  # noqa: F401

            from caveat.training.finish import finish
    except ModuleNotFoundError as error:
        raise CaveatError(f"Training needs {error.name}: pip install 'caveat[train]'") from error

    scores = None
    if not export_only:
        scores = train(settings, out, data_root=data_root, stop=_signals(), note=note)
        if scores:
            print_scores(str(out), scores)
    if precision is not _Exported.NONE and (export_only or scores is not None):
        finish(
            out,
            out,
            settings,
            data_root=data_root,
            precisions=_PRECISIONS[precision],
            compared=compared,
            note=note,
        )
    if plot:
        from caveat.training.log import plot as draw

        draw(out / "log.jsonl", plot)
        note(f"drawn: {plot}")


def _fit(recipe: FittedRecipe, out: Path, data_root: Path) -> None:
    from caveat.cli.terminal import note, print_scores
    from caveat.training.kinds.judge.yes_no_recipe import YesNoRecipe
    from caveat.training.kinds.matching.recipe import MatchingRecipe
    from caveat.training.kinds.ranker.lexical_recipe import LexicalRecipe
    from caveat.training.kinds.tables.recipe import TablesRecipe

    if isinstance(recipe, LexicalRecipe):
        from caveat.training.kinds.ranker.lexical_run import train_lexical

        tables: Mapping[str, Mapping[str, Any]] = train_lexical(recipe, out, data_root=data_root, note=note)
    elif isinstance(recipe, MatchingRecipe):
        from caveat.training.kinds.matching.run import train_matching

        tables = train_matching(recipe, out, data_root=data_root, note=note)
    elif isinstance(recipe, YesNoRecipe):
        from caveat.training.kinds.judge.yes_no_run import train_yes_no

        tables = train_yes_no(recipe, out, data_root=data_root, note=note)
    elif isinstance(recipe, TablesRecipe):
        from caveat.training.kinds.tables.run import train_tables

        tables = train_tables(recipe, out, data_root=data_root, note=note)
    else:
        from caveat.training.kinds.relations.run import train_relations

        tables = train_relations(recipe, out, data_root=data_root, note=note)
    for title, figures in tables.items():
        print_scores(title, figures)


def _signals() -> Callable[[int], bool]:
    """Whether Ctrl-C or a polite kill came: the run then ends after its step; a second one ends it at once."""
    import signal

    came = []

    def receive(number: int, frame: object) -> None:
        came.append(number)
        signal.signal(number, signal.SIG_DFL)

    signal.signal(signal.SIGINT, receive)
    signal.signal(signal.SIGTERM, receive)
    return lambda step: bool(came)
