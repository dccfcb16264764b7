"""The engine: models and answerers for each kind of source, and what was prepared of sources; questions go through
`asking`."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from caveat.answerers.asking import Collection, Held, Opener, Part, Plan, ask, source_of
from caveat.answerers.contract import Answerer, Asked, Prepared
from caveat.answerers.documents.answerer import DocumentAnswerer
from caveat.answerers.merge import merged
from caveat.answerers.searching import search
from caveat.core.cache import LimitedCache, state_of
from caveat.core.errors import CaveatError, InputError
from caveat.core.languages import Language, check_language
from caveat.core.limits import current_limits, over
from caveat.core.records import Document, Hit, KnowledgeBase, Question, Reply, Source, Table
from caveat.core.spreading import Through
from caveat.language.question_rewriting import asks_nothing
from caveat.models.card import read_card
from caveat.models.embedded import embedded, find
from caveat.models.joint import TASK as JOINT
from caveat.models.joint import load_reader
from caveat.models.judge import TASK as JUDGING
from caveat.models.judge import Judge
from caveat.models.language_model.endpoint import endpoint_of_environment, is_endpoint
from caveat.models.reader import Reader
from caveat.models.selection import Limit
from caveat.models.session import Session
from caveat.models.tagger import TASK as TAGGING
from caveat.models.tagger import Tagger
from caveat.sources.gather import Input, gather, is_address, read, several_inputs

if TYPE_CHECKING:
    from caveat.answerers.prompted.answerer import PromptedAnswerer
    from caveat.library.library import Library
    from caveat.models.language_model.client import Client
    from caveat.models.language_model.spending import Budget

Model = str | Path


# Questions that are answered together; each may be on several documents.
_TOGETHER = 256
_ANSWERING = ("reader", JOINT, TAGGING, JUDGING)
# Prepared sources are kept until they have about this many characters together.
_KEPT_CHARACTERS = 1 << 24
# What a cell of a table and an open knowledge base count for, and whatever is kept at the least.
_CELL, _BASE, _LEAST = 16, 1 << 18, 1 << 14


def load(
    models: Model | Sequence[Model] | None = None,
    *,
    threads: int | None = None,
    thorough: bool = False,
    budget: str | Budget | None = None,
) -> Engine:
    """An engine with the embedded models, or with the ones given by name or folder; nothing heavy is loaded yet.

    Their cards say which are readers and which are taggers, for structured answers. Of texts beyond some thousand
    tokens only the parts that share most with the question are read; a thorough engine reads all of them.

    A model may be a language model's endpoint, `openai:URL#NAME`, which is then asked beside the others, as may the
    one that CAVEAT_LLM names where no models are given. `budget` is how much of it may be used: `200k` tokens, `$2`.
    """
    limit = None if thorough else Limit()
    models, client = _with_client(models, budget)
    inside = {folder: read_card(folder).task for folder in embedded().values()}
    if models is None:
        # Models for other tasks are inside the package too.
        tasks = {folder: task for folder, task in inside.items() if task in _ANSWERING}
    else:
        named = [models] if isinstance(models, str | Path) else models
        tasks = {folder: read_card(folder).task for folder in map(find, named)}
    return Engine(
        [
            load_reader(folder, threads=threads, limit=limit)
            for folder, task in tasks.items()
            if task not in (TAGGING, JUDGING)
        ],
        [Tagger.load(folder, threads=threads) for folder, task in tasks.items() if task == TAGGING],
        [Judge.load(folder, threads=threads) for folder, task in tasks.items() if task == JUDGING],
        language_model=client,
    )


def _with_client(
    models: Model | Sequence[Model] | None, budget: str | Budget | None
) -> tuple[Sequence[Model] | None, Client | None]:
    """The models without the language model among them, and what asks it."""
    named: Sequence[Model] = [] if models is None else [models] if isinstance(models, str | Path) else models
    otherwise = endpoint_of_environment() if models is None else None
    if budget is None and otherwise is None and not any(map(is_endpoint, named)):
        return models if models is None else named, None
    # What speaks HTTP is imported only where there is somebody to speak to.
    from caveat.models.language_model.client import client_among

    others, client = client_among(named, budget, otherwise=otherwise)
    return others or None, client


class Engine:
    """Answerers for each kind of source: documents, tables and knowledge bases.

    A file or folder is read and prepared once for all questions, until it changes; as much is kept as fits.
    """

    def __init__(
        self,
        readers: Sequence[Reader],
        taggers: Sequence[Tagger] = (),
        judges: Sequence[Judge] = (),
        *,
        language_model: Client | None = None,
    ) -> None:
        self.documents = DocumentAnswerer(readers, taggers, judges)
        if (others := [*taggers, *judges]) and not readers:
            what = "tagger" if taggers else "judge"
            raise InputError(
                f"a {what} alone answers no question: a reader has to find the passage, so name one too",
                path=others[0].folder,
            )
        self._answerers: dict[type[Source], Answerer[Any, Any]] = {Document: self.documents}
        self.prompted: PromptedAnswerer | None = None
        if language_model is not None:
            from caveat.answerers.prompted.answerer import PromptedAnswerer

            self.prompted = self._answerers[Document] = PromptedAnswerer(self.documents, language_model)
        self.kept: LimitedCache[Held] = LimitedCache(_KEPT_CHARACTERS, _size)
        self._opener = Opener(self._of)

    def __reduce__(self) -> str:
        raise TypeError(
            "An engine holds open models, which no other process can use: call caveat.load() in each process."
        )

    @property
    def readers(self) -> tuple[Reader, ...]:
        """Those that answer from documents."""
        return self.documents.readers

    @property
    def taggers(self) -> tuple[Tagger, ...]:
        """Those that find structured answers."""
        return self.documents.taggers

    def sessions(self) -> Iterator[tuple[str, Session]]:
        """What runs the graphs of its models, by their names."""
        for model in (*self.documents.readers, *self.documents.taggers, *self.documents.judges):
            if (session := model.session) is not None:
                yield model.card.name, session

    def open(
        self,
        *sources: Input | Library,
        strict: bool = False,
        private: bool = False,
        cache: bool = True,
        through: Through = iter,
    ) -> Collection:
        """The sources as a collection, for any number of questions.

        Several files, and those of a folder, are searched before they are read, unless the engine is thorough; with
        `cache` the index of many is kept in the user's cache folder (docs/sources.md), and what is read for it goes
        `through`. The other options are those of `ask`.
        """
        search = any(reader.limit is not None for reader in self.readers) or not self.readers
        return self._opener.open(
            sources, strict=strict, private=private, search=search, cache=cache, through=through
        )

    def beside(self, collection: Collection, sources: Sequence[Source]) -> Collection:
        """The collection with what was read of other files by its side."""
        return self._opener.beside(collection, self.prepared(sources))

    def ask(
        self,
        question: str | Question,
        *sources: Input | Library | Collection,
        scenario: str = "",
        top: int = 5,
        language: Language | None = None,
        structure: bool = True,
        strict: bool = False,
        private: bool = False,
        cache: bool = True,
        through: Through = iter,
    ) -> Reply:
        """The `top` most probable answers from all the sources together, and how probable it is that there is none.

        Where there is a tagger for the language and the answer is structured, the reply has all its answers, however
        many, `together`. Where rules can be read (in English), a question that asks for yes or no gets that, and an
        answer from a page of rules has its conditions. Without `structure` the reply has the reader's alternatives.

        A source is a Document, a Table, a KnowledgeBase, or the path of a file or folder of any of these, or `-` for
        standard input, or an address (http, https), which is fetched once, and only from public networks unless
        `private` ones are asked for; or a library, its folder or its address; or, alone, what `open` gave. What of a
        folder cannot be read is listed in the reply (`unread`), unless that is to be an error (`strict`). What the
        scenario settles is no condition any more. `through` is handed what was found, document by document as it
        comes, for a progress bar.
        """
        one = checked_question(question, scenario, language)
        check_top(top)
        collection = self._collection(sources, strict, private, cache)
        return ask(self, one, collection, top=top, structure=structure, through=through)

    async def aask(
        self, question: str | Question, *sources: Input | Library | Collection, **options: Any
    ) -> Reply:
        """`ask` for programs that wait for several things at once: it runs in a thread, with the same options."""
        import asyncio

        return await asyncio.to_thread(self.ask, question, *sources, **options)

    def search(
        self,
        words: str,
        *sources: Input | Library | Collection,
        top: int = 10,
        language: Language | None = None,
        strict: bool = False,
        private: bool = False,
        cache: bool = True,
    ) -> tuple[Hit, ...]:
        """The `top` passages that have most of some words, best first, without answering; no model is needed.

        The options are those of `ask`. Triples have no passages.
        """
        check_top(top)
        return tuple(
            search(self._collection(sources, strict, private, cache), words, top=top, language=language)
        )

    def ask_many(
        self,
        pairs: Iterable[tuple[str | Question, Input | Library | Sequence[Input | Library]]],
        *,
        top: int = 5,
        structure: bool = True,
        strict: bool = False,
        private: bool = False,
        cache: bool = True,
    ) -> Iterator[Reply]:
        """A reply a pair of question and source, or sources, in order; the windows of all go through one queue."""
        check_top(top)
        coming = iter(pairs)
        while part := list(islice(coming, _TOGETHER)):
            known: dict[tuple[str | int, ...], Collection] = {}
            plans = []
            for question, given in part:
                several = isinstance(given, list | tuple) and not isinstance(given, Collection)
                sources: Sequence[Any] = given if several else (given,)  # type: ignore[assignment]
                key = tuple(str(each) if isinstance(each, str | Path) else id(each) for each in sources)
                if key not in known:
                    known[key] = self._collection(sources, strict, private, cache)
                plans.append(Plan.of(self, checked_question(question), known[key]))
            replies = self.answer([each for plan in plans for each in plan.asked(self, top, structure)])
            for plan in plans:
                yield plan.reply(replies, top)

    def _collection(
        self, sources: Sequence[Input | Library | Collection], strict: bool, private: bool, cache: bool
    ) -> Collection:
        if len(sources) == 1 and isinstance(sources[0], Collection):
            return sources[0]
        return self.open(*sources, strict=strict, private=private, cache=cache)  # type: ignore[arg-type]

    def prepare(self, *sources: Input, strict: bool = False, private: bool = False) -> None:
        """Read and prepare sources now, so that the first question finds them ready and what is wrong is said."""
        for each in several_inputs(sources):
            self._of(each, strict, private)

    def prepared(self, parts: Sequence[Part]) -> tuple[Prepared, ...]:
        """Records prepared, and kept for the next questions; what is prepared already stays as it is."""
        return tuple(
            self._prepared(each) if isinstance(each, Document | Table | KnowledgeBase) else each
            for each in parts
        )

    def _prepared(self, record: Source) -> Prepared:
        def made() -> Held:
            return Held((self._answerer(type(record)).prepare(record),))

        key = _key(record, False)
        held = made() if key is None else self.kept.get(key, made)
        return held.prepared[0]  # type: ignore[return-value]

    def read(self, source: Input, *, private: bool = False) -> Document:
        """The document of a file: its text, into which the offsets of every place point, its elements and pages."""
        return read(source, private=private)

    def reader_for(self, language: Language) -> Reader:
        """The reader of a language: its own, else one of many languages, else the only one there is."""
        return self.documents.reader_for(language)

    def tagger_for(self, language: Language) -> Tagger | None:
        """The tagger of a language: its own, else one of many languages; a language may have none."""
        return self.documents.tagger_for(language)

    def answer(self, asked: Sequence[Asked[Prepared]], *, through: Through = iter) -> Iterator[Reply]:
        """A reply for each question: from each kind of source by itself, then all in one."""
        replies: dict[type[Source], Iterator[Reply]] = {}
        idle = [asks_nothing(each.question.text) for each in asked]
        asking = [each for each, is_idle in zip(asked, idle, strict=True) if not is_idle]
        for kind in _KINDS:
            if mine := [part for each in asking if (part := each.of_kind(kind)).sources]:
                replies[kind] = self._answerer(kind).answer(mine, through=through)
        for each, is_idle in zip(asked, idle, strict=True):
            if is_idle:
                yield Reply(each.question, (), 1.0)
                continue
            own = {type(prepared.source) for prepared in each.sources}
            several = [next(replies[kind]) for kind in _KINDS if kind in own]
            remarks = tuple(remark for reply in several for remark in reply.remarks)
            one = merged(several, each.top)
            yield msgspec.structs.replace(one, remarks=remarks) if remarks else one

    def _answerer(self, kind: type[Source]) -> Answerer[Any, Any]:
        """The answerer of a kind of source, which is imported when there is one."""
        if kind not in self._answerers:
            self._answerers[kind] = _made(kind)
        return self._answerers[kind]

    def _of(self, source: Input, strict: bool, private: bool) -> Held:
        """What is prepared of a source, kept for the next questions unless it can be read only once."""
        key = _key(source, private)
        if key is None:
            return self._read(source, strict, private)
        held = self.kept.get(key, lambda: self._read(source, strict, private))
        return self._read(source, strict, private) if strict and held.unread else held

    def _read(self, source: Input, strict: bool, private: bool) -> Held:
        given = gather(source, strict=strict, private=private)
        return Held.of(given, lambda one: self._answerer(type(one)).prepare(one), strict=strict)


# The kinds of source, in the order in which their replies are merged.
_KINDS: tuple[type[Source], ...] = (Document, Table, KnowledgeBase)


def _made(kind: type[Source]) -> Answerer[Any, Any]:
    if kind is Table:
        from caveat.answerers.tables.answerer import TableAnswerer

        return TableAnswerer()
    from caveat.answerers.knowledge.answerer import KnowledgeAnswerer

    return KnowledgeAnswerer()


def _key(source: Input, private: bool) -> Hashable | None:
    """What a source is kept by: a file by what changes with it; None for what can be read only once."""
    if isinstance(source, str | Path) and is_address(source):
        return source, private
    if isinstance(source, Document):
        return source
    if isinstance(source, Table):
        # By identity: to compare tables cell by cell would take as long as to prepare them.
        return Table, id(source)
    kind, path = (KnowledgeBase, source.path) if isinstance(source, KnowledgeBase) else (Path, source)
    state = state_of(path)
    return None if state is None else (kind, str(path), state)


def _size(held: Held) -> int:
    """About how many characters are kept; records of a short text take more than it does."""
    return max(_LEAST, sum(map(characters_of, map(source_of, held.prepared))))


def characters_of(source: Source) -> int:
    """About how many characters a source has; cells of tables and knowledge bases count for some."""
    if isinstance(source, Document):
        return len(source.text)
    return _BASE if isinstance(source, KnowledgeBase) else _CELL * len(source.rows) * len(source.headers)


def check_top(top: int) -> None:
    """Raise unless an answer is asked for."""
    if top < 1:
        raise CaveatError(f"At least one answer must be asked for, got {top}.")


def checked_question(
    question: str | Question, scenario: str = "", language: Language | None = None
) -> Question:
    """A question as it is asked; one that is empty or too long is refused."""
    if isinstance(question, str):
        question = Question(question, scenario, language)
    else:
        question = msgspec.structs.replace(
            question, scenario=scenario or question.scenario, language=language or question.language
        )
    if question.language is not None:
        try:
            check_language(question.language)
        except ValueError as error:
            raise InputError(f"{error}.") from None
    if not question.text.strip():
        raise InputError("The question is empty.")
    most = current_limits()
    if len(question.text) > most.question:
        raise over("question", f"The question has {len(question.text):,} characters")
    if len(question.scenario) > most.scenario:
        raise over("scenario", f"The scenario has {len(question.scenario):,} characters")
    return question
