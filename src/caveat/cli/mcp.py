"""`caveat mcp`."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["command"]


def command(
    folder: Annotated[
        str | None,
        typer.Argument(
            metavar="DIR", show_default=False, help="A library, or a folder of sources, to answer from."
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", help="A model's name or folder, instead of the embedded ones."),
    ] = None,
    threads: Annotated[
        int | None, typer.Option("--threads", min=1, help="Processor cores to use; all that there are.")
    ] = None,
) -> None:
    """Give an assistant the tools ask, settle and search, by the Model Context Protocol over standard input and output.

    Example: `caveat mcp library`
    """
    from caveat.cli.terminal import note
    from caveat.integrations.assistant import serve_assistant

    serve_assistant(
        folder,
        models=model,
        threads=threads,
        unread=lambda remark: note(f"not read: {remark.source}: {remark.text}."),
    )
