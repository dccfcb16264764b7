"""`caveat ask`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from caveat.cli.arguments import JsonFlag, LanguageModelBudget, Private, known_language, refuse_clashes

if TYPE_CHECKING:
    from caveat.answerers.engine import Engine
    from caveat.core.records import Question, Remark, Reply, Source
    from caveat.core.script import Language
    from caveat.sources.gather import ReadSource

__all__ = ["command"]


def _not_empty(value: str | None) -> str | None:
    if value is not None and not value.strip():
        raise typer.BadParameter("is empty.")
    return value


def command(
    question: Annotated[
        str | None,
        typer.Argument(
            metavar="QUESTION",
            show_default=False,
            callback=_not_empty,
            help="What to answer; without one, on a terminal, a conversation opens.",
        ),
    ] = None,
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SOURCE",
            show_default=False,
            help="Texts (Markdown, HTML, PDF, Word …), tables (CSV, Excel, JSON …), knowledge bases (triples or an "
            "index), folders and zip archives of them, a library, http(s) addresses, or - for standard input.",
        ),
    ] = None,
    library: Annotated[
        str | None,
        typer.Option(
            "--library",
            metavar="DIR",
            help="A library that `caveat index` made, its folder or its address (qdrant://HOST:PORT/NAME), instead of "
            "sources.",
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
            "--language", metavar="en|zh", callback=known_language, help="Else the question's script tells."
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="DIR",
            help="A model's name or folder, instead of the embedded ones; a reader, and a tagger beside it; or a "
            "language model, openai:URL#NAME, which is asked beside the embedded ones.",
        ),
    ] = None,
    budget: LanguageModelBudget = None,
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

    Where every argument is a file or folder that exists, or there is none, there is no question: on a terminal a
    conversation opens, over these or over the library, and each line is a question; :help in it says more. Elsewhere a
    question is needed.

    Example: `caveat ask "How much can I be fined?" dog-fouling.html`
    """
    from contextlib import nullcontext

    from msgspec.structs import replace

    from caveat import load
    from caveat.cli.conversation import are_sources
    from caveat.cli.terminal import note, print_json, what_was_read
    from caveat.core.errors import UsageError
    from caveat.core.files import writing
    from caveat.core.records import Question, Remark
    from caveat.render.shown_sources import shown_sources
    from caveat.render.terminal import print_reply
    from caveat.render.words import words_of
    from caveat.sources.gather import read_sources

    question, sources, library = _with_library(question, sources or [], library)
    if question is None or (library is None and are_sources([question, *sources])):
        named = [] if question is None else [question, *sources]
        if json or html is not None:
            raise UsageError("There is no question: --json and --html are for the reply to one.")
        engine = load(model or None, thorough=thorough, budget=budget)
        _converse(engine, named, scenario, top, language, flat, strict, private, library)
        return
    if library is not None:
        from caveat.cli.library import print_from_library

        print_from_library(
            library,
            load(model or None, thorough=thorough, budget=budget),
            Question(question, scenario, language),
            top=top,
            structure=not flat,
            interactive=interactive,
            html=html,
            json=json,
        )
        return
    if not sources:
        raise UsageError(
            f"There is nothing to answer from: name a file or folder after the question {question!r}, "
            "or a library with --library."
        )
    if interactive and "-" in sources:
        raise UsageError("--interactive reads answers from standard input, which is a source already.")
    asked = Question(question, scenario, language)
    words = words_of(asked.spoken)
    unread: list[Remark] = []
    read = list(read_sources(sources, unread=unread.append, strict=strict, private=private))
    documents, tables, others = shown_sources(read)
    remarks = tuple(dict.fromkeys(Remark(name, remark) for name, _, remark in read if remark))
    for remark in remarks:
        note(words.of_remark(remark))
    refuse_clashes({"The reply": "-", "--html": html}, [name for name, _, _ in read])
    # Opened first: that a file cannot be written is said before anything is asked.
    with writing(html) if html is not None else nullcontext() as page:
        engine = load(model or None, thorough=thorough, budget=budget)
        if not strict:
            read = _readable(engine, read, sources, unread)
        for sentence in words.of_unread(unread, words.unread_more):
            note(sentence)
        reply = _answered(engine, asked, [source for _, source, _ in read], top, structure=not flat)
        for remark in reply.remarks:
            note(words.of_remark(remark))
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
        if said := what_was_read(sources, read, unread, words):
            note(said)
    if engine.prompted is not None:
        note(engine.prompted.closing)


def _answered(
    engine: Engine, question: Question, sources: Sequence[Source], top: int, *, structure: bool
) -> Reply:
    """The reply, with a bar while texts are read."""
    from contextlib import ExitStack, closing

    from caveat.cli.terminal import tracked
    from caveat.core.records import Document
    from caveat.render.words import words_of

    texts = sum(isinstance(source, Document) for source in sources)
    with ExitStack() as bars:
        # Not all that is found need be looked at: the bar ends with the reply.
        return engine.ask(
            question.text,
            *sources,
            scenario=question.scenario,
            top=top,
            language=question.language,
            structure=structure,
            through=lambda found: bars.enter_context(
                closing(tracked(found, words_of(question.spoken).reading, texts))
            ),
        )


def _with_library(
    question: str | None, sources: list[str], library: str | None
) -> tuple[str | None, list[str], str | None]:
    """What is asked, of which sources, or of which library: one may stand where a source may."""
    from caveat.core.errors import UsageError

    if library is None:
        library = next(filter(_is_library, [*([question] if question else []), *sources]), None)
        if library is None:
            return question, sources, None
        if library == question and not sources:
            return None, [], library
        sources = [each for each in sources if each != library]
    if sources and question is not None:
        raise UsageError(
            "A question is asked of sources or of a library: `caveat library add` brings them together."
        )
    return question, sources, library


def _is_library(name: str) -> bool:
    from caveat.library.qdrant.address import is_address

    if not os.path.isdir(name):
        return is_address(name)
    from caveat.library.storage import is_library

    return is_library(name)


def _converse(
    engine: Engine,
    named: Sequence[str],
    scenario: str,
    top: int,
    language: Language | None,
    flat: bool,
    strict: bool,
    private: bool,
    library: str | None,
) -> None:
    """Read the sources once, or open the library, and talk about them."""
    from caveat.answerers.merge import merged
    from caveat.cli.conversation import converse, language_of_locale, on_a_terminal
    from caveat.cli.library import KeptInLibrary
    from caveat.cli.terminal import note
    from caveat.core.errors import UsageError
    from caveat.core.files import writing
    from caveat.core.records import Remark
    from caveat.render.conversation import Conversation
    from caveat.render.words import words_of
    from caveat.sources.gather import read_sources

    if not on_a_terminal():
        raise UsageError(
            "There is no question: `caveat ask QUESTION SOURCE…`. A conversation opens on a terminal only."
        )
    if "-" in named:
        raise UsageError(
            "A conversation reads its questions from standard input, which cannot be a source then."
        )
    at_first = language or language_of_locale()
    words = words_of(at_first)
    unread: list[Remark] = []
    read = list(read_sources(named, unread=unread.append, strict=strict, private=private))
    if not strict:
        read = _readable(engine, read, list(named), unread)
    for remark in dict.fromkeys(Remark(name, text) for name, _, text in read if text):
        note(words.of_remark(remark))
    for sentence in words.of_unread(unread, words.conversation.unread_more):
        note(sentence)

    kept = None if library is None else KeptInLibrary(library)

    def ask(question: Question, given: Sequence[Source], top: int) -> Reply:
        replies = [] if kept is None else [kept.ask(engine, question, top, structure=not flat)]
        if given:
            replies.append(_answered(engine, question, given, top, structure=not flat))
        return merged(replies, top)

    def write(path: str, text: str) -> None:
        refuse_clashes({":html": path}, [each.name for each in conversation.read])
        with writing(path) as page:
            page.write(text)

    conversation = Conversation(
        *(ask, write, read),
        scenario=scenario,
        top=top,
        language=language,
        at_first=at_first,
        private=private,
        kept=kept,
    )
    converse(conversation)


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
