"""`caveat ask`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from caveat.cli.arguments import (
    JsonFlag,
    Language,
    LanguageModelBudget,
    Private,
    Quiet,
    Strict,
    refuse_clashes,
)
from caveat.cli.commands import completing, model_names

if TYPE_CHECKING:
    from caveat.answerers.asking import Collection
    from caveat.answerers.engine import Engine
    from caveat.core.languages import Language as LanguageCode
    from caveat.core.records import Question, Reply, Source
    from caveat.render.words import Words


SheetFormat = Literal["csv", "json", "md"]


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
            autocompletion=completing(list, files=True),
            help="Texts (Markdown, HTML, PDF, Word …), tables (CSV, Excel, JSON …), knowledge bases (triples or an "
            "index), folders and zip archives of them, a library, http(s) addresses, or - for standard input.",
        ),
    ] = None,
    library: Annotated[
        str | None,
        typer.Option(
            "--library",
            metavar="DIR",
            help="A library that `caveat index` made, its folder or its address (qdrant://HOST:PORT/NAME); it may "
            "stand among the sources as well.",
        ),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            "--top", "-n", min=1, help="At most this many alternatives: 1 is shown, --json and pages have 5."
        ),
    ] = None,
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
    language: Language = None,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="DIR",
            autocompletion=completing(model_names, files=True),
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
    strict: Strict = False,
    private: Private = False,
    no_cache: Annotated[
        bool,
        typer.Option(
            "--no-cache", help="Neither use nor keep the index of a folder in the cache (`caveat cache`)."
        ),
    ] = False,
    questions: Annotated[
        str | None,
        typer.Option(
            "--questions",
            metavar="FILE",
            help="Ask many: a text with a question a line, or CSV or JSON lines with `question`, and perhaps `id` and "
            "`scenario`; every argument is a source then.",
        ),
    ] = None,
    out: Annotated[
        str,
        typer.Option(
            "--out", "-o", metavar="FILE", help="--questions: where the answers go: .csv, .jsonl, .md."
        ),
    ] = "-",
    format: Annotated[
        SheetFormat | None,
        typer.Option(
            "--format", help="The answers as rows, each with its citation; else --out's ending tells."
        ),
    ] = None,
    json: JsonFlag = False,
    quiet: Quiet = False,
    verbose: Annotated[
        bool,
        typer.Option("--verbose", "-v", help="Say what was searched and read, and how long each step took."),
    ] = False,
) -> None:
    """Answer a question from documents, tables and knowledge bases: what shows the answer, what it depends on.

    First comes the conclusion: the answer, “yes, if …” or “Not found”, and how sure that is: sure (from 80 %),
    likely (from 50 %) or a guess (from 30 %); below that, passages that may help. --top shows other possibilities.

    An answer that has parts, or holds under conditions, is given whole, as a tree. With --interactive the conditions
    are asked for on standard error, and y, n or ? is read from standard input, until nothing is open or it ends.

    Where every argument is a file or folder that exists, or there is none, there is no question: on a terminal a
    conversation opens, over these or over the library, and each line is a question; :help in it says more. Elsewhere a
    question is needed.

    Example: `caveat ask "How much can I be fined?" dog-fouling.html`
    """
    from contextlib import nullcontext

    from caveat import load
    from caveat.answerers.sheets import row_of
    from caveat.cli.config import default_library
    from caveat.cli.conversation import are_sources
    from caveat.cli.sheets import Sheet, ask_many, print_rows
    from caveat.cli.terminal import Steps, note, print_json, what_was_read
    from caveat.core.errors import UsageError
    from caveat.core.files import writing
    from caveat.core.languages import default_language
    from caveat.core.records import Question
    from caveat.render.answer_tree import shown_sources, with_tree
    from caveat.render.terminal import print_reply
    from caveat.render.words import words_of

    sources = sources or []
    options = OpeningOptions(strict, private, not no_cache, not thorough)
    steps = Steps(verbose)
    wanted = top or (_TOP if json or html is not None or format is not None else 1)

    @cache
    def engine() -> Engine:
        return load(model or None, thorough=thorough, budget=budget)

    if questions is not None:
        given = [*([] if question is None else [question]), *sources]
        refuse_clashes({"--out": out}, (questions, *given))
        collection = opened(engine, given, library, options, words_of(language or default_language()))
        ask_many(engine(), questions, collection, Sheet(out, format, scenario, language, not flat))
        return

    if library is None and not sources and (question is None or not are_sources([question])):
        library = default_library()
    is_asked = question is not None and (library is not None or not are_sources([question, *sources]))
    if question is None or not is_asked:
        if json or html is not None:
            raise UsageError("There is no question: --json and --html are for the reply to one.")
        named = [] if question is None else [question, *sources]
        _converse(engine, named, library, options, scenario, top or 1, language, flat)
        return
    if not sources and library is None:
        raise UsageError(
            f"There is nothing to answer from: name a file or folder after the question {question!r}, "
            "or a library with --library."
        )
    if interactive and "-" in sources:
        raise UsageError("--interactive reads answers from standard input, which is a source already.")
    asked = Question(question, scenario, language)
    words = words_of(asked.spoken)
    with steps.step("opening"):
        collection = opened(engine, sources, library, options, words)
    steps.say(_searched(collection))
    for remark in collection.remarks:
        note(words.of_remark(remark))
    refuse_clashes(
        {"The reply": "-", "--html": html}, _files(collection, library) if html is not None else ()
    )
    # Opened first: that a file cannot be written is said before anything is asked.
    with writing(html) if html is not None else nullcontext() as page:
        for sentence in words.of_unread(collection.unread, words.unread_more):
            note(sentence)
        with steps.step("answering"):
            # More are asked for than are shown, so that it can be said how many more there are.
            most = wanted if json else max(wanted, _TOP)
            reply = _answered(engine(), asked, collection, most, structure=not flat)
        for remark in reply.remarks:
            if remark not in collection.remarks:
                note(words.of_remark(remark))
        if interactive:
            from caveat.render.interview import interview

            reply = interview(reply)
        if page is not None:
            from caveat.render.page import reply_page

            shown = shown_sources(collection.named(_shown(collection, reply)))
            page.write(reply_page(reply, shown.documents, shown.tables))
    if json:
        shown = shown_sources(collection.behind(reply))
        print_json(with_tree(reply, shown.documents, shown.tables, shown.others))
    elif format is not None:
        print_rows([row_of(reply)], format)
    else:
        others = () if reply.answered else _others(collection)
        print_reply(reply, collection.documents, others, most=wanted, more="--top {}", listed=top is not None)
    is_read = not json and format is None
    if is_read and (said := what_was_read(sources, collection.files, collection.unread, words)):
        note(said)
    if (prompted := engine().prompted) is not None:
        note(prompted.closing)


# Alternatives that a record has, and a page.
_TOP = 5
# A page lists the names of all sources, if they are not too many to be read.
_LISTED = 200


class OpeningOptions(NamedTuple):
    """How sources are opened."""

    strict: bool = False
    private: bool = False
    cache: bool = True
    search: bool = True


def opened(
    engine: Callable[[], Engine | None],
    sources: Sequence[str],
    library: str | None,
    options: OpeningOptions,
    words: Words,
) -> Collection:
    """The sources and the library as one collection, with a bar while many files are read.

    What is wrong with them is said before any model is loaded; only triples are opened by the engine.
    """
    from caveat import Library
    from caveat.answerers.asking import Held, Opener
    from caveat.cli.terminal import tracked
    from caveat.core.records import KnowledgeBase, Remark
    from caveat.sources.gather import Given, Input, read_sources

    def read(source: Input, strict: bool, private: bool) -> Held:
        unread: list[Remark] = []
        found = list(
            read_sources([source], unread=unread.append, strict=strict, private=private)  # type: ignore[list-item]
        )
        remarks = dict.fromkeys(Remark(each.name, each.remark) for each in found if each.remark)
        given = Given.of(each.source for each in found)
        return Held.of(given._replace(unread=tuple(unread), remarks=tuple(remarks)), ready, strict=strict)

    def ready(source: Source) -> Source:
        if isinstance(source, KnowledgeBase) and (answering := engine()) is not None:
            answering.prepare(source)
        return source

    given: list[str | Library] = list(sources)
    if library is not None:
        given.append(Library.open(library))
    return Opener(read).open(
        given,
        strict=options.strict,
        private=options.private,
        search=options.search,
        cache=options.cache,
        through=lambda files: tracked(files := list(files), words.reading, len(files)),
    )


def _answered(
    engine: Engine, question: Question, collection: Collection, top: int, *, structure: bool
) -> Reply:
    """The reply, with a bar while texts are read."""
    from contextlib import ExitStack, closing

    from caveat.cli.terminal import tracked
    from caveat.render.words import words_of

    texts = None if collection.shelves else len(collection.documents)
    with ExitStack() as bars:
        # Not all that is found need be looked at: the bar ends with the reply.
        return engine.ask(
            question,
            collection,
            top=top,
            structure=structure,
            through=lambda found: bars.enter_context(
                closing(tracked(found, words_of(question.spoken).reading, texts))
            ),
        )


def _files(collection: Collection, library: str | None) -> list[str]:
    """The files that are read, which may not be written."""
    return [*collection.files(), *([] if library is None else [library])]


def _shown(collection: Collection, reply: Reply) -> list[str]:
    """The sources that a page shows, by name: all where they are few, else those that the answers stand in."""
    names = collection.names()
    return names if len(names) <= _LISTED else [each.name for each in collection.behind(reply)]


def _others(collection: Collection) -> frozenset[str]:
    """The files that are not texts alone."""
    return frozenset(collection.files()).difference(collection.documents)


def _searched(collection: Collection) -> str:
    """How much there is to answer from."""
    from caveat.render.words import plural

    passages = sum(shelf.state().passages for shelf in collection.shelves)
    whole = f"{plural(len(collection.whole), 'source')} read as it is" if collection.whole else ""
    searched = (
        f"{plural(passages, 'passage')} of {plural(len(collection.files()), 'file')} searched"
        if passages
        else ""
    )
    return ", ".join(filter(None, (whole, searched)))


def _converse(
    engine: Callable[[], Engine],
    named: Sequence[str],
    library: str | None,
    options: OpeningOptions,
    scenario: str,
    top: int,
    language: LanguageCode | None,
    flat: bool,
) -> None:
    """Open the sources once, and talk about them."""
    from caveat.answerers.asking import Collection, file_of, source_of
    from caveat.cli.conversation import converse, language_of_locale, on_a_terminal
    from caveat.cli.terminal import note
    from caveat.core.errors import UsageError
    from caveat.core.files import writing
    from caveat.render.conversation import Conversation
    from caveat.render.words import words_of
    from caveat.sources.gather import ReadSource

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
    collection = Collection()
    if named or library is not None:
        collection = opened(engine, named, library, options, words)
    for remark in collection.remarks:
        note(words.of_remark(remark))
    for sentence in words.of_unread(collection.unread, words.conversation.unread_more):
        note(sentence)
    # What is in memory is shown with its size, and what is added later comes to it.
    held = [*map(source_of, collection.whole)]
    held += [source for shelf in collection.shelves for source in shelf.held]
    kept = Collection(shelves=tuple(shelf for shelf in collection.shelves if not shelf.held))

    def ask(question: Question, given: Sequence[Source], top: int) -> Reply:
        both = engine().beside(kept, given) if options.search else kept._replace(whole=tuple(given))
        return _answered(engine(), question, both, top, structure=not flat)

    def write(path: str, text: str) -> None:
        refuse_clashes({":html": path}, [each.name for each in conversation.read])
        with writing(path) as page:
            page.write(text)

    conversation = Conversation(
        *(ask, write, [ReadSource(file_of(source), source) for source in held]),
        scenario=scenario,
        top=top,
        language=language,
        at_first=at_first,
        private=options.private,
        kept=kept,
    )
    converse(conversation)
