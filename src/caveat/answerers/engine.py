"""The engine: a question and its sources in, a reply out; which models read is told by the language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import msgspec

from caveat.answerers.documents.spans import possible_answers, span_answer
from caveat.answerers.documents.structure.finder import Found, Structured, StructureFinder
from caveat.answerers.merge import merged
from caveat.core.errors import CaveatError, InputError
from caveat.core.records import Document, KnowledgeBase, Question, Reply, Source, Table
from caveat.core.script import Language
from caveat.models.card import read_card
from caveat.models.embedded import embedded, find
from caveat.models.judge import TASK as JUDGING
from caveat.models.judge import Judge
from caveat.models.probability import WEIGHED, Weighed
from caveat.models.reader import Reader, ReadRequest, ReadResult
from caveat.models.selection import Limit
from caveat.models.tagger import TASK as TAGGING
from caveat.models.tagger import Tagger
from caveat.models.windowed import Windowed
from caveat.sources.gather import Given, Input, gather

if TYPE_CHECKING:
    from caveat.answerers.documents.conditional.answerer import ConditionalAnswerer
    from caveat.answerers.knowledge.index.store import KnowledgeStore
    from caveat.answerers.tables.answers import Tables

__all__ = ["Engine", "load"]

Model = str | Path
AnyModel = TypeVar("AnyModel", bound=Windowed)
Through = Callable[[Iterable[ReadResult]], Iterable[ReadResult]]
Asked = Sequence[tuple[Question, tuple[Document, ...]]]

# Questions that are read together; each may be on several documents.
_TOGETHER = 256
_MANY_LANGUAGES = "mul"
_READING = "reader"


def load(
    models: Model | Sequence[Model] | None = None, *, threads: int | None = None, thorough: bool = False
) -> Engine:
    """An engine with the embedded models, or with the ones given by name or folder; nothing heavy is loaded yet.

    Their cards say which are readers and which are taggers, for structured answers. Of texts beyond some thousand
    tokens only the parts that share most with the question are read; a thorough engine reads all of them.
    """
    limit = None if thorough else Limit()
    if models is None:
        folders = list(embedded().values())
    else:
        folders = [find(model) for model in ([models] if isinstance(models, str | Path) else models)]
    tasks = {folder: read_card(folder).task for folder in folders}
    if models is None:
        # Models for other tasks are inside the package too.
        tasks = {folder: task for folder, task in tasks.items() if task in (_READING, TAGGING, JUDGING)}
    return Engine(
        [
            Reader.load(folder, threads=threads, limit=limit)
            for folder, task in tasks.items()
            if task not in (TAGGING, JUDGING)
        ],
        [Tagger.load(folder, threads=threads) for folder, task in tasks.items() if task == TAGGING],
        next(
            (Judge.load(folder, threads=threads) for folder, task in tasks.items() if task == JUDGING), None
        ),
    )


class Engine:
    """Readers, one a language, that answer questions from documents, and taggers that find structured answers.

    A reader finds the passage in which a tagger then looks for all that answers the question: its parts, and the
    conditions under which they hold. English pages of rules are answered from with the conditions that they state,
    and a judge, if there is one, says which of these a scenario settles. Tables and knowledge bases are answered from
    without a reader.
    """

    def __init__(
        self, readers: Sequence[Reader], taggers: Sequence[Tagger] = (), judge: Judge | None = None
    ) -> None:
        for model, task in (*((r, _READING) for r in readers), *((t, TAGGING) for t in taggers)):
            if model.card.task != task:
                raise InputError(
                    f"a model for {model.card.task!r}, expected one for {task!r}", path=model.folder
                )
        if taggers and not readers:
            raise InputError(
                "a tagger alone answers no question: a reader has to find the passage, so name one too",
                path=taggers[0].folder,
            )
        self.readers, self.taggers = tuple(readers), tuple(taggers)
        self._finders = {tagger: StructureFinder(tagger) for tagger in taggers}
        self._bases: dict[str, KnowledgeStore] = {}
        self._judge = judge

    def ask(
        self,
        question: str | Question,
        *sources: Input,
        scenario: str = "",
        top: int = 5,
        language: Language | None = None,
        structure: bool = True,
        through: Through = iter,
    ) -> Reply:
        """The `top` most probable answers from all the sources together, and how probable it is that there is none.

        Where there is a tagger for the language and the answer is structured, the reply has all its answers, however
        many, `together`. An English question that asks for yes or no gets that, and an answer from a page of rules has
        its conditions. Without `structure` the reply has the reader's alternatives.

        A source is a Document, a Table, a KnowledgeBase, or the path of a file or folder of any of these, or `-` for
        standard input. What the scenario settles is no condition any more. `through` is handed what was found, document
        by document as it comes, for a progress bar.
        """
        asked = _question(question, scenario, language)
        _check_top(top)
        return next(self._reply([(asked, gather(sources))], top, structure, through))

    def ask_many(
        self,
        pairs: Iterable[tuple[str | Question, Input | Sequence[Input]]],
        *,
        top: int = 5,
        structure: bool = True,
    ) -> Iterator[Reply]:
        """A reply a pair of question and source, or sources, in order; the windows of all go through one queue."""
        _check_top(top)
        coming = iter(pairs)
        while part := list(islice(coming, _TOGETHER)):
            known: dict[str, tuple[Source, ...]] = {}
            asked = [(_question(question), gather(sources, known)) for question, sources in part]
            yield from self._reply(asked, top, structure)

    def reader_for(self, language: Language) -> Reader:
        """The reader of a language: its own, else one of many languages, else the only one there is."""
        if (own := _of_language(self.readers, language)) is not None:
            return own
        if len(self.readers) == 1:
            return self.readers[0]
        if not self.readers:
            raise CaveatError(
                "No model came with this installation; name a model folder with --model (docs/models.md says how "
                "to train or import one)."
            )
        there = ", ".join(f"{r.card.name} ({r.card.language})" for r in self.readers)
        raise CaveatError(f"There is no reader for the language {language!r}; the models are: {there}.")

    @cached_property
    def _conditional(self) -> ConditionalAnswerer:
        from caveat.answerers.documents.conditional.answerer import ConditionalAnswerer

        return ConditionalAnswerer(self._judge)

    def tagger_for(self, language: Language) -> Tagger | None:
        """The tagger of a language: its own, else one of many languages; a language may have none."""
        return _of_language(self.taggers, language)

    def _reply(
        self, asked: Sequence[tuple[Question, Given]], top: int, structure: bool, through: Through = iter
    ) -> Iterator[Reply]:
        """From documents, from tables and from each knowledge base by themselves, then all in one."""
        on_documents = [(question, given.documents) for question, given in asked if given.documents]
        read = self._answer(on_documents, top, structure, through)
        ready: dict[tuple[int, ...], Tables] = {}
        for question, given in asked:
            replies = [next(read)] if given.documents else []
            if given.tables:
                replies.append(_from_tables(question, given.tables, ready, top))
            replies += [self._from_base(question, base, top) for base in given.bases]
            yield merged(replies, top)

    def _from_base(self, question: Question, base: KnowledgeBase, top: int) -> Reply:
        from caveat.answerers.knowledge.replies import knowledge_answers, open_base

        if base.path not in self._bases:
            self._bases[base.path] = open_base(base.path)
        answers, none = knowledge_answers(question, self._bases[base.path], base.path, top)
        return Reply(question, tuple(answers), none)

    def _answer(self, asked: Asked, top: int, structure: bool, through: Through = iter) -> Iterator[Reply]:
        readers = [self.reader_for(question.spoken) for question, _ in asked]
        # On English pages, where there is no tagger, conditions are read off the text; yes or no needs no reader.
        paged = [structure and q.spoken == "en" and self.tagger_for("en") is None for q, _ in asked]
        unread = [paged[index] and _is_yes_or_no(question) for index, (question, _) in enumerate(asked)]
        results: dict[int, list[ReadResult]] = {}
        count = max(top, WEIGHED)
        for reader in dict.fromkeys(readers):
            mine = [index for index, other in enumerate(readers) if other is reader and not unread[index]]
            requests = (
                request for index in mine for request in _requests(reader, *asked[index], paged=paged[index])
            )
            read = iter(through(reader.read(requests, count=count)))
            for index in mine:
                documents = asked[index][1]
                found = islice(read, len(documents))
                results[index] = list(map(possible_answers, found, documents))
                if paged[index]:
                    question = asked[index][0]
                    results[index] = [
                        self._conditional.reweighed(question, document, each)
                        for document, each in zip(documents, results[index], strict=True)
                    ]
        weighed = [reader.weigh(results.get(index, [])) for index, reader in enumerate(readers)]
        structured = self._structured(asked, weighed) if structure else {}
        for index, (question, documents) in enumerate(asked):
            if paged[index]:
                yield (
                    self._conditional.yes_or_no(question, documents)
                    if unread[index]
                    else self._conditional.spans(question, documents, weighed[index], top)
                )
                continue
            if (whole := structured.get(index)) is not None:
                yield Reply(question, whole.answers, 1.0 - whole.answerable, together=True)
                continue
            answers = tuple(span_answer(choice, documents) for choice in weighed[index].choices[:top])
            yield Reply(question, answers, weighed[index].unanswerable)

    def _structured(self, asked: Asked, weighed: Sequence[Weighed]) -> dict[int, Structured]:
        """The answers that are structured, by the number of their question."""
        found: dict[Tagger, dict[int, Found]] = {}
        for index, ((question, documents), several) in enumerate(zip(asked, weighed, strict=True)):
            tagger = self.tagger_for(question.spoken)
            if tagger is not None and several.choices:
                number, best = several.choices[0].places[0]
                found.setdefault(tagger, {})[index] = Found(
                    question.text, documents[number], best.start, best.end, 1.0 - several.unanswerable
                )
        return {
            index: whole
            for tagger, mine in found.items()
            for index, whole in zip(mine, self._finders[tagger].answers(list(mine.values())), strict=True)
            if whole is not None
        }


# What reads rules is loaded for English pages only: it takes as long as a small model.


def _is_yes_or_no(question: Question) -> bool:
    from caveat.answerers.documents.conditional.answerer import is_yes_or_no

    return is_yes_or_no(question)


def _requests(
    reader: Reader, question: Question, documents: Sequence[Document], *, paged: bool
) -> Iterator[ReadRequest]:
    """Each document with the windows that are worth reading among those of all the documents."""
    if paged:
        from caveat.answerers.documents.conditional.requests import page_requests

        if (requests := page_requests(reader, question, documents)) is not None:
            yield from requests
            return
    texts = [document.text for document in documents]
    for text, windows in zip(texts, reader.choose(question.text, texts), strict=True):
        yield ReadRequest(question.text, text, windows)


def _of_language(models: Sequence[AnyModel], language: Language) -> AnyModel | None:
    for wanted in (language, _MANY_LANGUAGES):
        for model in models:
            if model.card.language == wanted:
                return model
    return None


def _check_top(top: int) -> None:
    if top < 1:
        raise CaveatError(f"At least one answer must be asked for, got {top}.")


def _question(question: str | Question, scenario: str = "", language: Language | None = None) -> Question:
    if isinstance(question, str):
        question = Question(question, scenario, language)
    else:
        question = msgspec.structs.replace(
            question, scenario=scenario or question.scenario, language=language or question.language
        )
    if not question.text.strip():
        raise InputError("The question is empty.")
    return question


def _from_tables(
    question: Question, tables: tuple[Table, ...], ready: dict[tuple[int, ...], Tables], top: int
) -> Reply:
    """A reply from tables; `ready` keeps them prepared for the next question."""
    from caveat.answerers.tables.answers import Tables
    from caveat.answerers.tables.replies import table_answers

    # By what they are: to compare tables cell by cell would take as long as to prepare them.
    key = tuple(map(id, tables))
    if key not in ready:
        ready[key] = Tables(tables)
    answers, none = table_answers(question, ready[key], top)
    return Reply(question, tuple(answers), none)
