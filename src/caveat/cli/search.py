"""Texts without answers: `caveat search`, `caveat text`."""

from __future__ import annotations

from itertools import takewhile
from typing import Annotated

import typer

from caveat.cli.arguments import JsonFlag, Language, Private, Quiet, Strict


def search_command(
    arguments: Annotated[
        list[str],
        typer.Argument(
            metavar="WORDS… SOURCE…",
            show_default=False,
            help="What to look for, then files, folders, addresses or libraries: the first argument that exists is "
            "the first source.",
        ),
    ],
    library: Annotated[
        str | None, typer.Option("--library", metavar="DIR", help="A library, as `caveat ask` has.")
    ] = None,
    top: Annotated[int, typer.Option("--top", "-n", min=1, help="At most this many passages.")] = 5,
    language: Language = None,
    strict: Strict = False,
    private: Private = False,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Neither use nor keep the index of a folder in the cache.")
    ] = False,
    json: JsonFlag = False,
    quiet: Quiet = False,
) -> None:
    """Find the passages that have most of some words, without answering: no model is loaded.

    Each passage has the words marked, and its source, page and headings. Triples have no passages.

    Example: `caveat search fine spot dog-fouling.html`
    """
    from caveat.answerers.searching import search
    from caveat.cli.ask import OpeningOptions, opened
    from caveat.cli.conversation import are_sources
    from caveat.cli.terminal import note, print_json
    from caveat.core.errors import UsageError
    from caveat.core.languages import language_of
    from caveat.render.terminal import print_passages
    from caveat.render.words import words_of

    words = [arguments[0], *takewhile(lambda each: not are_sources([each]), arguments[1:])]
    sources = arguments[len(words) :]
    if not sources and library is None:
        raise UsageError("There is nothing to search: name a file or folder after the words.")
    if missing := [each for each in sources if not are_sources([each])]:
        raise UsageError(f"{missing[0]} does not exist; words come before the sources.")
    asked = " ".join(words)
    spoken = language or language_of(asked)
    said = words_of(spoken)
    collection = opened(_no_engine, sources, library, OpeningOptions(strict, private, not no_cache), said)
    for remark in collection.remarks:
        note(said.of_remark(remark))
    for sentence in said.of_unread(collection.unread, said.unread_more):
        note(sentence)
    hits = search(collection, asked, top=top, language=spoken)
    if json:
        print_json({"words": asked, "passages": hits})
    elif hits:
        print_passages(hits, spoken)
    else:
        print(said.not_found[len(collection.names()) > 1])


def _no_engine() -> None:
    """Triples are not opened: they have no passages."""


def text_command(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            show_default=False,
            help="A file of any kind, an address, or - for standard input.",
        ),
    ],
    show: Annotated[
        bool,
        typer.Option("--show", help="Print the outline instead: headings, paragraphs, lists, tables, pages."),
    ] = False,
    private: Private = False,
    json: JsonFlag = False,
) -> None:
    """Print the text of a file as it is read: what the offsets of answers and evidence point into.

    A file of tables alone is printed row by row, with tabs between the cells.

    Example: `caveat text leaflet.pdf`, `caveat text leaflet.pdf --show`
    """
    import sys

    from caveat.cli.terminal import note, print_json
    from caveat.core.errors import shown_text
    from caveat.sources.gather import gather, only_document

    given = gather(file, private=private)
    if json:
        print_json(
            {
                "documents": given.documents,
                "tables": given.tables,
                "knowledge": given.bases,
                "unread": given.unread,
                "remarks": given.remarks,
            }
        )
        return
    for remark in given.remarks:
        note(f"{'standard input' if remark.source == '-' else remark.source}: {remark.text}.")
    if show:
        from caveat.sources.outline import outline_lines

        text = "\n".join(outline_lines(given.documents, given.tables))
    elif given.tables and not given.documents:
        text = "\n".join("\t".join(row) for table in given.tables for row in (table.headers, *table.rows))
    else:
        text = only_document(given, file).text
    sys.stdout.write(shown_text(text) if sys.stdout.isatty() else text)
    if not text.endswith("\n"):
        sys.stdout.write("\n")
