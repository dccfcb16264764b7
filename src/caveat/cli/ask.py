"""`caveat ask`."""

from __future__ import annotations

from typing import Annotated

import typer

from caveat.cli.arguments import JsonFlag

__all__ = ["command"]


def _language(value: str | None) -> str | None:
    if value not in (None, "en", "zh"):
        raise typer.BadParameter("is en or zh.")
    return value


def _not_empty(value: str) -> str:
    if not value.strip():
        raise typer.BadParameter("is empty.")
    return value


def command(
    question: Annotated[
        str,
        typer.Argument(metavar="QUESTION", show_default=False, callback=_not_empty, help="What to answer."),
    ],
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE",
            show_default=False,
            help="Text, Markdown, HTML or PDF files, folders of them, or - for standard input.",
        ),
    ],
    top: Annotated[int, typer.Option("--top", "-n", min=1, help="At most this many alternatives.")] = 5,
    flat: Annotated[
        bool,
        typer.Option(
            "--flat", help="The reader's alternatives, even where the answer has parts or conditions."
        ),
    ] = False,
    scenario: Annotated[
        str, typer.Option("--scenario", metavar="TEXT", help="What the asker says about themselves.")
    ] = "",
    language: Annotated[
        str | None,
        typer.Option(
            "--language", metavar="en|zh", callback=_language, help="Else the question's script tells."
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="DIR",
            help="A model's name or folder, instead of the embedded ones; a reader, and a tagger beside it.",
        ),
    ] = None,
    thorough: Annotated[
        bool,
        typer.Option(
            "--thorough",
            help="Read very long texts from end to end, not only the parts that share most with the question.",
        ),
    ] = False,
    html: Annotated[
        str | None,
        typer.Option(
            "--html",
            metavar="FILE",
            help="Also write a page: the text with its answers marked, and their tree.",
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Answer a question from documents: each answer in its sentence, where it stands, how probable it is.

    An answer that has parts, or holds under conditions, is given whole, as a tree.

    Example: `caveat ask "How much can I be fined?" dog-fouling.html`
    """
    from contextlib import nullcontext

    import msgspec

    from caveat import load
    from caveat.cli.outputs import refuse_clashes
    from caveat.cli.reply_tree import print_reply
    from caveat.cli.terminal import print_json, tracked
    from caveat.formats.files import writing
    from caveat.sources.documents import read_documents

    # Places name a document by its address; here that is the file, which is what was given.
    documents = {
        name: msgspec.structs.replace(document, url=name) for name, document in read_documents(sources)
    }
    refuse_clashes({"The reply": "-", "--html": html}, documents)
    # Opened first: that a file cannot be written is said before anything is asked.
    with writing(html) if html is not None else nullcontext() as page:
        reply = load(model or None, thorough=thorough).ask(
            question,
            *documents.values(),
            scenario=scenario,
            top=top,
            language=language,  # type: ignore[arg-type]
            structure=not flat,
            through=lambda found: tracked(found, "reading", len(documents)),
        )
        if page is not None:
            from caveat.serve.reply_page import reply_page

            page.write(reply_page(reply, documents))
    if json:
        print_json(reply)
    else:
        print_reply(reply, documents)
