"""`caveat text`."""

from __future__ import annotations

from typing import Annotated

import typer

from caveat.cli.arguments import JsonFlag, Private


def command(
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
