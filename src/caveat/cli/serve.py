"""Answering for other programs: `caveat serve` over HTTP, `caveat mcp` for an assistant."""

from __future__ import annotations

from typing import Annotated

import typer

from caveat.cli.arguments import LanguageModelBudget, Models, RayAddress, ServedFolder, Threads
from caveat.serve.logs import LogKind


def serve_command(
    folder: ServedFolder = None,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", "-p", min=0, max=65535, help="The port; 0 is any that is free.")
    ] = 8017,
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            envvar="CAVEAT_TOKEN",
            show_envvar=True,
            help="What clients have to know; needed where others than this machine reach the address.",
        ),
    ] = None,
    model: Models = None,
    budget: LanguageModelBudget = None,
    threads: Threads = None,
    mrqa: Annotated[
        int | None,
        typer.Option(
            "--mrqa", metavar="PORT", min=0, max=65535, help="Speak MRQA's protocol on this port instead."
        ),
    ] = None,
    log: Annotated[
        LogKind,
        typer.Option("--log", help="What goes to standard error: faults alone, or a line a request."),
    ] = LogKind.FAULTS,
    traces: Annotated[
        str | None,
        typer.Option(
            "--traces", metavar="URL", help="Send spans to an OpenTelemetry collector (extra `traces`)."
        ),
    ] = None,
    ray: RayAddress = None,
    replicas: Annotated[
        int, typer.Option("--replicas", min=1, help="--ray: how many answer beside each other.")
    ] = 2,
) -> None:
    """Answer questions over HTTP: the API, and a page for the browser.

    With --mrqa by MRQA's evaluation protocol: POST / with one context line, {qid: answer} back.

    Example: `caveat serve library --port 8017`
    """
    from caveat.cli.terminal import note, tracked
    from caveat.core.errors import UsageError

    def told(address: str) -> None:
        note(f"listening on {address}, stop with Ctrl-C.")

    try:
        if ray is not None:
            from caveat.cluster.serving import Replicas, serve_on_ray

            if mrqa is not None:
                raise UsageError(
                    "MRQA's protocol is spoken by one process: --mrqa and --ray do not go together."
                )
            if budget is not None:
                raise UsageError("A budget is for a language model, which --ray does not take.")
            if traces is not None:
                raise UsageError("Ray has traces of its own: --traces and --ray do not go together.")
            serve_on_ray(
                folder,
                address=ray,
                replicas=Replicas(number=replicas, threads=threads or 1, models=model),
                host=host,
                port=port,
                token=token,
                listening=told,
            )
        elif mrqa is None:
            from caveat.serve.start import serve_api

            serve_api(
                folder,
                host=host,
                port=port,
                token=token,
                models=model,
                threads=threads,
                budget=budget,
                log=log,
                traces=traces,
                listening=told,
                unread=lambda remark: note(f"not read: {remark.source}: {remark.text}."),
                through=lambda files: tracked(files, "reading"),
            )
        else:
            from caveat.serve.mrqa import serve_mrqa

            if budget is not None:
                raise UsageError("--mrqa is answered by a reader alone: --budget does not go with it.")
            if (model is not None and len(model) > 1) or folder is not None:
                raise UsageError(
                    "--mrqa takes one reader, and nothing to answer from: that comes with the questions."
                )
            reader = model[0] if model else "reader-en"
            serve_mrqa(mrqa, model=reader, host=host, threads=threads, listening=told)
    except KeyboardInterrupt:
        note("stopped.")


def mcp_command(
    folder: ServedFolder = None,
    model: Models = None,
    budget: LanguageModelBudget = None,
    threads: Threads = None,
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
        budget=budget,
        unread=lambda remark: note(f"not read: {remark.source}: {remark.text}."),
    )
