"""The engine: a question and its sources in, a reply out; which models read is told by the language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TypeVar

import msgspec

from caveat.answer.spans import possible_answers, span_answer
from caveat.answer.structure import Found, StructureFinder
from caveat.errors import CaveatError, InputError
from caveat.models import embedded, find
from caveat.records import Answer, Document, Question, Reply
from caveat.runtime.card import read_card
from caveat.runtime.probability import WEIGHED, Weighed
from caveat.runtime.reader import Reader, ReadRequest, ReadResult
from caveat.runtime.selection import MOST_WINDOWS
from caveat.runtime.tagger import TASK as TAGGING
from caveat.runtime.tagger import Tagger
from caveat.runtime.windowed import Windowed
from caveat.text.script import Language

__all__ = ["Engine", "load"]

Input = Document | str | Path
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

    Their cards say which are readers and which are taggers, for structured answers. Of a text beyond some 30,000
    tokens only the parts that share most with the question are read; a thorough engine reads all of it.
    """
    most_windows = None if thorough else MOST_WINDOWS
    if models is None:
        folders = list(embedded().values())
    else:
        folders = [find(model) for model in ([models] if isinstance(models, str | Path) else models)]
    tasks = {folder: read_card(folder).task for folder in folders}
    if models is None:
        # Models for other tasks are inside the package too.
        tasks = {folder: task for folder, task in tasks.items() if task in (_READING, TAGGING)}
    return Engine(
        [
            Reader.load(folder, threads=threads, most_windows=most_windows)
            for folder, task in tasks.items()
            if task != TAGGING
        ],
        [Tagger.load(folder, threads=threads) for folder, task in tasks.items() if task == TAGGING],
    )


class Engine:
    """Readers, one a language, that answer questions from documents, and taggers that find structured answers.

    A reader finds the passage in which a tagger then looks for all that answers the question: its parts, and the
    conditions under which they hold.
    """

    def __init__(self, readers: Sequence[Reader], taggers: Sequence[Tagger] = ()) -> None:
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
        many, `together`; without `structure` it has the reader's alternatives.

        A source is a Document, or the path of a file or folder to read, or `-` for standard input. The scenario
        is kept with the question; the models look at the question alone. `through` is handed what was found,
        document by document as it comes, for a progress bar.
        """
        asked = _question(question, scenario, language)
        _check_top(top)
        return next(self._answer([(asked, _documents(sources))], top, structure, through))

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
            asked = [(_question(question), _documents(sources)) for question, sources in part]
            yield from self._answer(asked, top, structure)

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

    def tagger_for(self, language: Language) -> Tagger | None:
        """The tagger of a language: its own, else one of many languages; a language may have none."""
        return _of_language(self.taggers, language)

    def _answer(self, asked: Asked, top: int, structure: bool, through: Through = iter) -> Iterator[Reply]:
        readers = [self.reader_for(question.spoken) for question, _ in asked]
        results: dict[int, list[ReadResult]] = {}
        count = max(top, WEIGHED)
        for reader in dict.fromkeys(readers):
            mine = [index for index, other in enumerate(readers) if other is reader]
            read = iter(
                through(
                    reader.read(
                        (
                            ReadRequest(asked[index][0].text, document.text)
                            for index in mine
                            for document in asked[index][1]
                        ),
                        count=count,
                    )
                )
            )
            for index in mine:
                documents = asked[index][1]
                found = islice(read, len(documents))
                results[index] = list(map(possible_answers, found, documents))
        weighed = [reader.weigh(results[index]) for index, reader in enumerate(readers)]
        structured = self._structured(asked, weighed) if structure else {}
        for index, (question, documents) in enumerate(asked):
            answers = structured.get(index) or tuple(
                span_answer(choice, documents) for choice in weighed[index].choices[:top]
            )
            yield Reply(question, answers, weighed[index].unanswerable, together=index in structured)

    def _structured(self, asked: Asked, weighed: Sequence[Weighed]) -> dict[int, tuple[Answer, ...]]:
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
            index: answers
            for tagger, mine in found.items()
            for index, answers in zip(mine, self._finders[tagger].answers(list(mine.values())), strict=True)
            if answers
        }


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


def _documents(sources: Input | Sequence[Input]) -> tuple[Document, ...]:
    several = [sources] if isinstance(sources, Document | str | Path) else list(sources)
    if not several:
        raise InputError("There is no source to answer from.")
    return tuple(document for source in several for document in _read(source))


def _read(source: Input) -> Iterator[Document]:
    if isinstance(source, Document):
        yield source
        return
    if str(source) != "-" and not _exists(source):
        raise InputError("there is no such file; a text itself is given as Document(text)", path=source)
    from caveat.sources.documents import read_documents

    for name, document in read_documents([source]):
        # Places name a document by its address; here that is the file.
        yield msgspec.structs.replace(document, url=name)


def _exists(path: str | Path) -> bool:
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # a text is no file name: too long, or with a NUL
        return False
