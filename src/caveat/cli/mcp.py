"""`caveat mcp`."""

from __future__ import annotations

from caveat.cli.arguments import LanguageModelBudget, Models, ServedFolder, Threads

__all__ = ["command"]


def command(
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
