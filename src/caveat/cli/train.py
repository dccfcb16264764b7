"""`caveat train`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["command"]


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
) -> None:
    """Train a reader by a recipe; killed and started again, it goes on where it was.

    Example: `caveat train reader-zh --data-root data --out runs/reader-zh`
    """
    from caveat.cli.terminal import note, print_scores
    from caveat.errors import CaveatError
    from caveat.training.recipe import load_recipe

    settings = load_recipe(recipe, overrides or ())
    try:
        from caveat.training.loop import train
    except ModuleNotFoundError as error:
        raise CaveatError(f"Training needs {error.name}: pip install 'caveat[train]'") from error

    scores = train(settings, out, data_root=data_root, stop=_signals(), note=note)
    if scores:
        print_scores(str(out), scores)
    if plot:
        from caveat.training.log import plot as draw

        draw(out / "log.jsonl", plot)
        note(f"drawn: {plot}")


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
