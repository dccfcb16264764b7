"""Libraries: `caveat index`, `caveat library`, `caveat cache`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from caveat.cli.arguments import JsonFlag, RayAddress, Strict

if TYPE_CHECKING:
    from caveat.library.writing import Added


Processes = Annotated[
    int | None, typer.Option("--processes", min=1, help="How many read at once; else it is chosen.")
]


def index_command(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE…",
            show_default=False,
            help="Texts, tables and triples: files, and folders with all that is in them. Triples (`subject ||| "
            "predicate ||| object`, TSV, CSV, N-Triples) and mention lists alone become an index of triples.",
        ),
    ],
    out: Annotated[
        str,
        typer.Option(
            "--out",
            "-o",
            metavar="DIR",
            help="The folder for the library or index, or qdrant://HOST:PORT/NAME for a library on servers.",
        ),
    ],
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="nlpcc-kb, triples-tsv, triples-csv, triples-json, ntriples or nlpcc-mentions, of all sources, which "
            "are triples then; without it names and content tell.",
        ),
    ] = None,
    skip_bad: Annotated[
        bool, typer.Option("--skip-bad", help="Triples: leave out lines that hold none, and say which.")
    ] = False,
    strict: Strict = False,
    processes: Processes = None,
    ray: RayAddress = None,
    json: JsonFlag = False,
) -> None:
    """Put sources into a library, which is asked with `caveat ask --library DIR`; triples alone into an index of them.

    A library that is in the folder already is brought up to date: what has not changed stays as it is, what a folder
    has lost leaves. An index of triples is replaced. Both at once, when all is complete; on servers file by file.

    Example: `caveat index handbook/ prices.xlsx --out office`
    """
    from caveat import index
    from caveat.cli.terminal import note, print_json, print_table, tracked
    from caveat.cluster.work import spread_at
    from caveat.library.triples.build import IndexReport
    from caveat.render.words import plural

    report = index(
        sources,
        out,
        format=format,
        skip_bad=skip_bad,
        strict=strict,
        processes=processes,
        through=tracked,
        spread=spread_at(ray),
    )
    if not isinstance(report, IndexReport):
        print_added(report, out, json=json)
        return
    if json:
        print_json(report)
    else:
        rows: list[tuple[str, object]] = [
            ("triples", report.triples),
            ("entities", report.entities),
            ("predicates", report.predicates),
            ("names", report.names),
            ("duplicates", report.duplicates),
            ("skipped lines", report.skipped),
            ("bytes", report.bytes),
            ("seconds", report.seconds),
        ]
        print_table(out, ["", ""], rows)
    if report.skipped:
        places = ", ".join(f"{bad.source} line {bad.line:,}" for bad in report.bad_lines)
        more = " …" if report.skipped > len(report.bad_lines) else ""
        note(f"{plural(report.skipped, 'line')} without a triple skipped: {places}{more}.")
    if report.unknown_mentions:
        note(f"{plural(report.unknown_mentions, 'mention')} of entities that no triple is about: ignored.")


app = typer.Typer(
    help="What is in a library, and what is to be in it.", no_args_is_help=True, rich_markup_mode="markdown"
)

Folder = Annotated[
    str, typer.Argument(metavar="DIR", show_default=False, help="The folder of the library, or its address.")
]


@app.command("list")
def list_entries(folder: Folder, json: JsonFlag = False) -> None:
    """List the sources of a library: name, kind, bytes of text, passages.

    Example: `caveat library list office`
    """
    from caveat import Library
    from caveat.cli.terminal import print_json, print_table

    entries = Library.open(folder).entries()
    if json:
        print_json(entries)
        return
    rows = [(entry.source, entry.kind, entry.bytes, entry.passages, entry.title) for entry in entries]
    print_table(folder, ["source", "kind", "bytes", "passages", "title"], rows)


@app.command()
def add(
    folder: Folder,
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE…", show_default=False, help="Files and folders, as `caveat index` has."
        ),
    ],
    strict: Strict = False,
    processes: Processes = None,
    json: JsonFlag = False,
) -> None:
    """Add files and folders to a library; what has not changed stays, what a folder has lost leaves.

    Example: `caveat library add office minutes/`
    """
    from caveat import Library
    from caveat.cli.terminal import tracked

    library = Library.open(folder)
    added = library.add(
        sources,
        strict=strict,
        processes=processes,
        through=lambda files: tracked(files := list(files), "reading", len(files)),
    )
    print_added(added, folder, json=json)


@app.command()
def remove(
    folder: Folder,
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME…", show_default=False, help="Files or folders, as `list` names them."),
    ],
    json: JsonFlag = False,
) -> None:
    """Take sources out of a library.

    Example: `caveat library remove office minutes/2019.md`
    """
    from caveat import Library
    from caveat.cli.terminal import print_json
    from caveat.render.words import plural

    number = Library.open(folder).remove(names)
    if json:
        print_json({"removed": number})
    else:
        print(f"{plural(number, 'file')} removed.")


@app.command()
def verify(folder: Folder, json: JsonFlag = False) -> None:
    """Check every byte of a library against its checksum; exit code 1 if one is wrong.

    Example: `caveat library verify office`
    """
    from caveat import Library
    from caveat.cli.terminal import print_json
    from caveat.render.words import plural

    library = Library(folder)
    problems = library.verify()
    if json:
        print_json(problems)
    else:
        for problem in problems:
            print(f"{problem.source} {problem.text}")
        print(f"{plural(len(problems), 'problem')} found." if problems else "Sound.")
    if problems:
        raise typer.Exit(1)


@app.command()
def copy(
    source: Annotated[
        str, typer.Argument(metavar="FROM", show_default=False, help="The folder or address of a library.")
    ],
    target: Annotated[
        str,
        typer.Argument(
            metavar="TO",
            show_default=False,
            help="The folder or address of another; it is made if it is not there.",
        ),
    ],
    json: JsonFlag = False,
) -> None:
    """Copy a library from a folder to servers, or back, without reading its sources again.

    Example: `caveat library copy office qdrant://127.0.0.1:6333/office`
    """
    from caveat import copy_library
    from caveat.cli.terminal import tracked

    added = copy_library(
        source, target, through=lambda files: tracked(files := list(files), "copying", len(files))
    )
    print_added(added, target, json=json)


def print_added(added: Added, folder: str, *, json: bool) -> None:
    """What was done, and what could not be read."""
    from caveat.cli.terminal import note, print_json, print_table
    from caveat.render.words import words_of

    if json:
        print_json(added)
    else:
        rows: list[tuple[str, object]] = [
            ("files added", added.added),
            ("replaced", added.replaced),
            ("unchanged", added.unchanged),
            ("removed", added.removed),
            ("passages", added.passages),
            ("bytes of text", added.bytes),
            ("seconds", added.seconds),
        ]
        print_table(folder, ["", ""], rows)
    from caveat.core.languages import default_language

    # No question says in which language.
    words = words_of(default_language())
    for sentence in (*map(words.of_remark, added.remarks), *words.of_unread(added.unread, words.unread_more)):
        note(sentence)


cache_app = typer.Typer(
    help="The indexes of folders that were asked, which the cache folder keeps.", rich_markup_mode="markdown"
)


@cache_app.callback(invoke_without_command=True)
def show_cache(context: typer.Context, json: JsonFlag = False) -> None:
    """Say where indexes of folders are kept, how many there are, and how large.

    Example: `caveat cache`
    """
    from caveat.cli.terminal import print_json, print_table
    from caveat.library.cached import cached_indexes

    if context.invoked_subcommand is not None:
        return
    folder, indexes = cached_indexes()
    size = sum(each.bytes for each in indexes)
    if json:
        print_json({"folder": str(folder), "bytes": size, "indexes": indexes})
        return
    rows = [(", ".join(each.inputs) or "unfinished", each.bytes) for each in indexes]
    if rows:
        print_table(str(folder), ["index of", "bytes"], rows)
    print(f"{folder}: {_indexes(len(indexes))}, {size:,} bytes.")


@cache_app.command()
def clear(json: JsonFlag = False) -> None:
    """Remove all indexes of folders from the cache folder.

    Example: `caveat cache clear`
    """
    from caveat.cli.terminal import print_json
    from caveat.library.cached import clear_cache

    number = clear_cache()
    if json:
        print_json({"removed": number})
    else:
        print(f"{_indexes(number)} removed.")


def _indexes(number: int) -> str:
    return f"{number:,} {'index' if number == 1 else 'indexes'}"
