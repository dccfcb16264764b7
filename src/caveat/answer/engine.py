"""The engine: a question and its sources in, a reply out; which model reads is told by the language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import msgspec

from caveat.answer.spans import possible_answers, span_answer
from caveat.errors import CaveatError, InputError
from caveat.models import embedded, find
from caveat.records import Document, Question, Reply
from caveat.runtime.card import read_card
from caveat.runtime.probability import WEIGHED
from caveat.runtime.reader import Reader, ReadRequest, ReadResult
from caveat.runtime.selection import MOST_WINDOWS
from caveat.text.script import Language

__all__ = ["Engine", "load"]

Input = Document | str | Path
Model = str | Path
Through = Callable[[Iterable[ReadResult]], Iterable[ReadResult]]

# Questions that are read together; each may be on several documents.
_TOGETHER = 256
_MANY_LANGUAGES = "mul"


def load(
    models: Model | Sequence[Model] | None = None, *, threads: int | None = None, thorough: bool = False
) -> Engine:
    """An engine with the embedded models, or with the ones given by name or folder; nothing heavy is loaded yet.

    Of a text beyond some 30,000 tokens only the parts that share most with the question are read; a thorough
    engine reads all of it.
    """
    most_windows = None if thorough else MOST_WINDOWS
    if models is None:
        # Models for other tasks are inside the package too.
        folders = [folder for folder in embedded().values() if read_card(folder).task == "reader"]
    else:
        folders = [find(model) for model in ([models] if isinstance(models, str | Path) else models)]
    return Engine([Reader.load(folder, threads=threads, most_windows=most_windows) for folder in folders])


class Engine:
    """Readers, one a language, that answer questions from documents."""

    def __init__(self, readers: Sequence[Reader]) -> None:
        for reader in readers:
            if reader.card.task != "reader":
                raise InputError(
                    f"a model for {reader.card.task!r}, expected one for 'reader'", path=reader.folder
                )
        self.readers = tuple(readers)

    def ask(
        self,
        question: str | Question,
        *sources: Input,
        scenario: str = "",
        top: int = 5,
        language: Language | None = None,
        through: Through = iter,
    ) -> Reply:
        """The `top` most probable answers from all the sources together, and how probable it is that there is none.

        A source is a Document, or the path of a file or folder to read, or `-` for standard input. The scenario
        is kept with the question; the span readers look at the question alone. `through` is handed what was
        found, document by document as it comes, for a progress bar.
        """
        asked = _question(question, scenario, language)
        _check_top(top)
        return next(self._answer([(asked, _documents(sources))], top, through))

    def ask_many(
        self, pairs: Iterable[tuple[str | Question, Input | Sequence[Input]]], *, top: int = 5
    ) -> Iterator[Reply]:
        """A reply a pair of question and source, or sources, in order; the windows of all go through one queue."""
        _check_top(top)
        coming = iter(pairs)
        while part := list(islice(coming, _TOGETHER)):
            asked = [(_question(question), _documents(sources)) for question, sources in part]
            yield from self._answer(asked, top)

    def reader_for(self, language: Language) -> Reader:
        """The reader of a language: its own, else one of many languages, else the only one there is."""
        for wanted in (language, _MANY_LANGUAGES):
            for reader in self.readers:
                if reader.card.language == wanted:
                    return reader
        if len(self.readers) == 1:
            return self.readers[0]
        if not self.readers:
            raise CaveatError(
                "No model came with this installation; name a model folder with --model (docs/models.md says how "
                "to train or import one)."
            )
        there = ", ".join(f"{r.card.name} ({r.card.language})" for r in self.readers)
        raise CaveatError(f"There is no reader for the language {language!r}; the models are: {there}.")

    def _answer(
        self, asked: Sequence[tuple[Question, tuple[Document, ...]]], top: int, through: Through = iter
    ) -> Iterator[Reply]:
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
        for index, (question, documents) in enumerate(asked):
            weighed = readers[index].weigh(results[index])
            answers = tuple(span_answer(choice, documents) for choice in weighed.choices[:top])
            yield Reply(question, answers, weighed.unanswerable)


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
