"""`caveat library`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from caveat.cli.arguments import JsonFlag

if TYPE_CHECKING:
    from caveat.answerers.engine import Engine
    from caveat.core.records import Question, Reply, Source
    from caveat.library.library import Added, Library
    from caveat.sources.gather import ReadSource

__all__ = ["KeptInLibrary", "app", "print_added", "print_from_library"]

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
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Stop where a file of a folder cannot be read; else it is listed."),
    ] = False,
    processes: Annotated[
        int | None, typer.Option("--processes", min=1, help="How many read at once; else it is chosen.")
    ] = None,
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
    from caveat.cli.terminal import plural, print_json

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
    from caveat.cli.terminal import plural, print_json

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


def print_from_library(
    folder: str,
    engine: Engine,
    question: Question,
    *,
    top: int,
    structure: bool,
    interactive: bool,
    html: str | None,
    json: bool,
) -> None:
    """Ask a library, and print the reply as `caveat ask` does that of other sources."""
    from contextlib import nullcontext

    from caveat import Library, ask_library
    from caveat.cli.terminal import note, print_json
    from caveat.core.files import writing
    from caveat.core.records import Document, Table
    from caveat.render.terminal import print_reply
    from caveat.render.words import words_of

    library = Library.open(folder)
    with writing(html) if html is not None else nullcontext() as page:
        reply = ask_library(engine, library, question, top=top, structure=structure)
        for remark in reply.remarks:
            note(words_of(question.spoken).of_remark(remark))
        if interactive:
            from caveat.render.interview import interview

            reply = interview(reply)
        shown = _shown(reply, library)
        documents = {name: source for name, source in shown.items() if isinstance(source, Document)}
        if page is not None:
            from caveat.render.page import reply_page

            tables = {name: source for name, source in shown.items() if isinstance(source, Table)}
            page.write(reply_page(reply, documents, tables))
    if json:
        print_json(reply)
    else:
        print_reply(reply, documents, set(shown).difference(documents))
    if engine.prompted is not None:
        note(engine.prompted.closing)


class KeptInLibrary:
    """A library as a conversation knows it."""

    def __init__(self, folder: str) -> None:
        from caveat import Library

        self._library = Library.open(folder)

    def names(self) -> list[str]:
        """Of what is in it."""
        return [entry.source for entry in self._library.entries()]

    def behind(self, reply: Reply) -> list[ReadSource]:
        """What the answers of a reply stand in."""
        from caveat.sources.gather import ReadSource

        return [ReadSource(name, source) for name, source in _shown(reply, self._library).items()]

    def ask(self, engine: Engine, question: Question, top: int, *, structure: bool) -> Reply:
        """The reply from the library."""
        from caveat import ask_library

        return ask_library(engine, self._library, question, top=top, structure=structure)


def _shown(reply: Reply, library: Library) -> dict[str, Source]:
    """The sources that the answers of a reply stand in, by their names."""
    names: dict[str, None] = {}
    left = list(reply.answers)
    while left:
        answer = left.pop()
        left += answer.parts
        for place in (answer.place, *answer.evidence, *(condition.place for condition in answer.conditions)):
            if place is not None:
                names[place.source] = None
    known = {entry.source for entry in library.entries()}
    return {name: library.document(name) for name in names if name in known}
