"""`caveat train`."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from caveat.cli.arguments import RayAddress

if TYPE_CHECKING:
    from caveat.training.export import Precision


class _Exported(StrEnum):
    INT8 = "int8"
    FP32 = "fp32"
    BOTH = "both"
    NONE = "none"


_PRECISIONS: dict[_Exported, tuple[Precision, ...]] = {
    _Exported.INT8: ("int8",),
    _Exported.FP32: ("fp32",),
    _Exported.BOTH: ("int8", "fp32"),
    _Exported.NONE: (),
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
            "--set",
            "-s",
            metavar="KEY=VALUE",
            help="Override a value: phases.0.epochs=2, seed=7 …; KEY= takes the recipe's value away.",
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
    ray: RayAddress = None,
    workers: Annotated[int, typer.Option("--workers", min=1, help="--ray: how many share each batch.")] = 2,
) -> None:
    """Train a model by a recipe, calibrate it and export it; killed and started again, it goes on where it was.

    Example: `caveat train reader-zh --data-root data --out runs/reader-zh`
    """
    from functools import partial

    from caveat.cli.terminal import note, print_scores
    from caveat.cluster.training import train_on_ray
    from caveat.core.errors import UsageError
    from caveat.training.kinds import kind_of
    from caveat.training.recipe import load_recipe
    from caveat.training.train import export_run, train

    settings = load_recipe(recipe, overrides or ())
    fitted = kind_of(settings).fit is not None
    if fitted and (export_only or plot):
        raise UsageError(f"The recipe {recipe} is fitted in one go: --export-only and --plot are not for it.")
    precisions = _PRECISIONS[precision]
    if export_only:
        if precisions:
            export_run(
                settings, out, data_root=data_root, precisions=precisions, compared=compared, note=note
            )
    else:
        result = train(
            settings,
            out,
            data_root=data_root,
            precisions=precisions,
            compared=compared,
            stop=_never if fitted or ray else stopped_by_signals(),
            note=note,
            in_steps=None if ray is None else partial(train_on_ray, address=ray, workers=workers),
        )
        for title, figures in result.tables.items():
            print_scores(title, figures)
    if plot:
        from caveat.training.log import plot as draw

        draw(out / "log.jsonl", plot)
        note(f"drawn: {plot}")


def _never(step: int) -> bool:
    return False


def stopped_by_signals() -> Callable[[int], bool]:
    """Whether Ctrl-C or a polite kill came: the run then ends after its step; a second one ends it at once."""
    import signal

    came = []

    def receive(number: int, frame: object) -> None:
        came.append(number)
        signal.signal(number, signal.SIG_DFL)

    signal.signal(signal.SIGINT, receive)
    signal.signal(signal.SIGTERM, receive)
    return lambda step: bool(came)
