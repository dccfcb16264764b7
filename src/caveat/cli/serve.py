"""`caveat serve`."""

from __future__ import annotations

from typing import Annotated

import typer

__all__ = ["command"]


def command(
    mrqa: Annotated[
        int,
        typer.Option("--mrqa", metavar="PORT", min=0, max=65535, help="Speak MRQA's protocol on this port."),
    ],
    model: Annotated[
        str, typer.Option("--model", "-m", help="A reader's name or folder.", show_default=True)
    ] = "reader-en",
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    threads: Annotated[
        int | None, typer.Option("--threads", min=1, help="Processor cores to use; all that there are.")
    ] = None,
) -> None:
    """Answer questions over HTTP by MRQA's evaluation protocol: POST / with one context line, {qid: answer} back.

    Example: `caveat serve --mrqa 8888`
    """
    from caveat.cli.terminal import note
    from caveat.serve.mrqa import serve_mrqa

    serve_mrqa(mrqa, model=model, host=host, threads=threads, say=note)
