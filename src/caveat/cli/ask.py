"""`caveat ask`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from caveat.cli.arguments import JsonFlag, Private

if TYPE_CHECKING:
    from caveat.answerers.engine import Engine
    from caveat.core.records import Remark
    from caveat.sources.gather import ReadSource

__all__ = ["command"]

# Of the files that were not read so many are named one by one.
_MOST_LISTED = 10


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
        list[str] | None,
        typer.Argument(
            metavar="SOURCE",
            show_default=False,
            help="Texts (Markdown, HTML, PDF, Word …), tables (CSV, Excel, JSON …), knowledge bases (triples or an "
            "index), folders and zip archives of them, http(s) addresses, or - for standard input.",
        ),
    ] = None,
    library: Annotated[
        str | None,
        typer.Option(
            "--library", metavar="DIR", help="A library that `caveat index` made, instead of sources."
        ),
    ] = None,
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
    interactive: Annotated[
        bool,
        typer.Option(
            "--interactive",
            "-i",
            help="Ask what the answers depend on, the most decisive first, and narrow them.",
        ),
    ] = False,
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
            help="Read long texts from end to end, not only the parts that share most with the question.",
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
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Stop where a file of a folder cannot be read; else it is listed."),
    ] = False,
    private: Private = False,
    json: JsonFlag = False,
) -> None:
    """Answer a question from documents, tables and knowledge bases: what shows each answer, how probable it is.

    An answer that has parts, or holds under conditions, is given whole, as a tree. With --interactive the conditions
    are asked for on standard error, and y, n or ? is read from standard input, until nothing is open or it ends.

    Example: `caveat ask "How much can I be fined?" dog-fouling.html`
    """
    from contextlib import nullcontext

    from msgspec.structs import replace

    from caveat import load
    from caveat.answerers.tables.answerer import table_name
    from caveat.cli.outputs import refuse_clashes
    from caveat.cli.terminal import note, print_json, tracked
    from caveat.cli.what_was_read import what_was_read
    from caveat.core.errors import UsageError
    from caveat.core.files import writing
    from caveat.core.records import Document, Question, Remark, Table
    from caveat.render.terminal import print_reply
    from caveat.sources.gather import read_sources

    if library is not None:
        if sources:
            raise UsageError(
                "A question is asked of sources or of a library: `caveat library add` brings them together."
            )
        from caveat.cli.library import print_from_library

        print_from_library(
            library,
            load(model or None, thorough=thorough),
            Question(question, scenario, language),  # type: ignore[arg-type]
            top=top,
            structure=not flat,
            interactive=interactive,
            html=html,
            json=json,
        )
        return
    if not sources:
        raise UsageError("Name what to answer from: files or folders, or a library with --library.")
    if interactive and "-" in sources:
        raise UsageError("--interactive reads answers from standard input, which is a source already.")
    unread: list[Remark] = []
    read = list(read_sources(sources, unread=unread.append, strict=strict, private=private))
    documents = {name: source for name, source, _ in read if isinstance(source, Document)}
    tables = {table_name(source): source for _, source, _ in read if isinstance(source, Table)}
    others = {name for name, _, _ in read}.difference(documents)
    remarks = tuple(dict.fromkeys(Remark(name, remark) for name, _, remark in read if remark))
    for remark in remarks:
        note(f"{'standard input' if remark.source == '-' else remark.source}: {remark.text}.")
    refuse_clashes({"The reply": "-", "--html": html}, [name for name, _, _ in read])
    # Opened first: that a file cannot be written is said before anything is asked.
    with writing(html) if html is not None else nullcontext() as page:
        engine = load(model or None, thorough=thorough)
        if not strict:
            read = _readable(engine, read, sources, unread)
        for left in unread[:_MOST_LISTED]:
            note(f"not read: {left.source}: {left.text}.")
        if len(unread) > _MOST_LISTED:
            note(f"not read: {len(unread) - _MOST_LISTED:,} more files; --json lists all of them.")
        reply = engine.ask(
            question,
            *(source for _, source, _ in read),
            scenario=scenario,
            top=top,
            language=language,  # type: ignore[arg-type]
            structure=not flat,
            through=lambda found: tracked(found, "reading", len(documents)),
        )
        for remark in reply.remarks:
            note(f"{remark.source}: {remark.text}.")
        reply = replace(reply, unread=tuple(unread), remarks=(*remarks, *reply.remarks))
        if interactive:
            from caveat.render.interview import interview

            reply = interview(reply)
        if page is not None:
            from caveat.render.page import reply_page

            page.write(reply_page(reply, documents, tables))
    if json:
        print_json(reply)
    else:
        print_reply(reply, documents, others)
        if said := what_was_read(sources, read, unread):
            note(f"{said}.")


def _readable(
    engine: Engine, read: list[ReadSource], named: list[str], unread: list[Remark]
) -> list[ReadSource]:
    """What was read without the triples of folders that cannot be opened, unless they are all there is."""
    from caveat.core.errors import CaveatError, reason_of
    from caveat.core.records import KnowledgeBase, Remark

    kept: list[ReadSource] = []
    for left, each in zip(range(len(read) - 1, -1, -1), read, strict=True):
        if isinstance(each.source, KnowledgeBase) and each.name not in named and (kept or left):
            try:
                engine.prepare(each.source)
            except CaveatError as error:
                unread.append(Remark(each.name, reason_of(error)))
                continue
        kept.append(each)
    return kept
