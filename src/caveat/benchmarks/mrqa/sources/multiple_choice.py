"""Multiple-choice questions as extractive ones (RACE, MCTest, TextbookQA): those that make sense without options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from caveat.benchmarks.mrqa.sources import Record, is_collection, members, open_records, records_in
from caveat.benchmarks.mrqa.sources.build import MrqaSource, SourceContext, SourceQuestion, join_documents
from caveat.benchmarks.mrqa.sources.squad import squad_contexts
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError
from caveat.core.files import PathLike, read_lines

CLOZE = "cloze question"
YES_OR_NO = "yes/no or true/false question"
DEPENDS_ON_OPTIONS = "question depends on its options"

_TIME = "second|minute|hour|day|morning|afternoon|evening|night|week|weekend|month|season|year|decade|century"
_DEPENDENT_QUESTION = re.compile(
    "|".join(
        (
            # "Which of the following …", but not "What happened the following day?"
            rf"\bthe\s+following\b(?!\s+(?:{_TIME}|spring|summer|autumn|fall|winter|centuries)s?\b)",
            r"\bof\s+(?:the\s+(?:above|below|(?:answer\s+)?(?:choices|options)|statements)|these\s+statements)\b",
            r"\b(?:which|what)\s+(?:\w+\s+)?(?:statement|sentence|option|choice)s?\b",
            # "What is true of …?", "Which one is not correct?", "What is the correct order of events?"
            r"\b(?:which|what)\b(?:\s+[\w'’]+){0,3}\s+(?:is|are)\s+(?:not\s+)?(?:the\s+)?"
            r"(?:un)?(?:true|false|(?:in)?correct|wrong)\b",
            r"\bnot\s+(?:true|correct|mentioned|included|stated|discussed|listed)\b",
            # "… all of these except", but not "How many are in the group except him?"
            r"\ball\b.*\bexcept\b|\bexcept(?:\s+for)?[\s.:?_…]*$|\b(?-i:EXCEPT)\b",
            # ProcessBank's, of two events that it names.
            r"\bwhich\s+events?\b.*\b(?:first|last)\b",
            r"\bexamples?\s+of\b.*\b(?:include|includes|is|are)(?:\s+(?:an?|the|a\(n\)))?[\s.:?_…]*$",
            r"\b(?:best|better|good|suitable|appropriate|proper)\s+(?:title|headline|heading)\b",
        )
    ),
    re.IGNORECASE,
)
_DEPENDENT_OPTION = re.compile(
    r"(?:(?:all|none|any|both|neither|either|two|three)\s+of\s+)(?:the\s+)?"
    r"(?:above|below|these|(?:answer\s+)?(?:choices|options)|(?:first\s+)?(?:two|three))\b"
    r"|(?:both\s+)?\(?[a-h]\)?\s*(?:and|or|&|,)\s*\(?[a-h]\)?\W*$"
    r"|(?:all|none|both)\s+are\s+(?:true|correct|right)\b",
    re.IGNORECASE,
)


def is_cloze(question: str) -> bool:
    """Whether the question is a text with a gap, shown as `_`."""
    return "_" in question


def unfit(question: str, right_option: str) -> str | None:
    """Why a multiple-choice question cannot be asked without its options, or None if it can.

    The shared task left such questions out ("Which of the following …", "Examples of … include") but did not
    publish its list; here are those two and their relatives.
    """
    if is_cloze(question):
        return CLOZE
    if right_option.strip(" .!").lower() in ("yes", "no", "true", "false"):
        return YES_OR_NO
    if _DEPENDENT_QUESTION.search(question) or _DEPENDENT_OPTION.match(right_option.strip()):
        return DEPENDS_ON_OPTIONS
    return None


# RACE: English examinations for Chinese schools; high school only, no cloze, answers that are in the text.
#
# Read from the published folder or archive (one JSON file a passage), from JSON lines (one passage a line), or
# from a subset in SQuAD's layout, which has no options and has been through the shared task's filter already.

MIDDLE_SCHOOL = "middle-school passage"


class _Passage(msgspec.Struct, kw_only=True):
    article: str
    questions: list[str]
    options: list[list[str]]
    answers: list[str]
    id: str = ""
    file: str = msgspec.field(name="_file", default="")


def read_race(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
    """The high-school passages and those of their questions that do not need the options."""
    if not is_collection(path):
        yield from _race_contexts(read_lines(path), path, "/".join(Path(path).parts[-2:]), drops)
        return
    found = False
    for member in members(path):
        # The archive has a readme beside the passages.
        if member.data.lstrip()[:1] in (b"{", b"["):
            found = True
            lines = enumerate(member.data.decode().split("\n"), start=1)
            yield from _race_contexts(lines, member.path, member.name, drops)
    if not found:
        raise InputError("has no RACE passages: expected JSON files", path=path)


def _race_contexts(
    lines: Iterator[tuple[int, str]], path: PathLike, name: str, drops: Drops
) -> Iterator[SourceContext]:
    fields, records = records_in(lines, path)
    for record in records:
        if "data" in fields:
            yield from (_without_cloze(context, drops) for context in squad_contexts(record, drops))
        else:
            passage = record.to(_Passage)
            # The shared task's own copy has single blanks for RACE's line ends.
            text = " ".join(passage.article.split())
            yield SourceContext(text, tuple(_race_questions(passage, record, name, drops)), passage.id)


def _race_questions(passage: _Passage, record: Record, name: str, drops: Drops) -> Iterator[SourceQuestion]:
    if not len(passage.questions) == len(passage.options) == len(passage.answers):
        raise InputError(
            f"has {len(passage.questions)} questions, {len(passage.options)} lists of options and "
            f"{len(passage.answers)} answers, expected as many of each",
            path=record.path,
            line=record.line,
            id=passage.id,
        )
    middle = _is_middle_school(passage, name)
    asked = zip(passage.questions, passage.options, passage.answers, strict=True)
    for number, (question, options, letter) in enumerate(asked):
        question_id = f"{passage.id or name}:{number}"
        index = "ABCDEFGH".find(letter) if len(letter) == 1 else -1
        if not 0 <= index < len(options):
            raise InputError(
                f"the answer is {letter!r}, expected the letter of one of {len(options)} options",
                path=record.path,
                line=record.line,
                id=question_id,
            )
        if reason := MIDDLE_SCHOOL if middle else unfit(question, options[index]):
            drops.add(reason, question_id)
        else:
            yield SourceQuestion(question_id, question.strip(), (options[index].strip(),))


def _is_middle_school(passage: _Passage, name: str) -> bool:
    """Told by the id (`middle12.txt`), else by the folder (`dev/middle/12.txt`); else it is high school."""
    if passage.id.startswith(("high", "middle")):
        return passage.id.startswith("middle")
    return "middle" in (passage.file or name).split("/")


def _without_cloze(context: SourceContext, drops: Drops) -> SourceContext:
    kept = []
    for question in context.questions:
        if is_cloze(question.text):
            drops.add(CLOZE, question.id)
        else:
            kept.append(question)
    return msgspec.structs.replace(context, questions=tuple(kept))


RACE = MrqaSource(
    name="race",
    dataset="RACE",
    reads="the RACE folder or archive, passages as JSON lines, or SQuAD's layout",
    read=read_race,
)


# MCTest: children's stories with four multiple-choice questions each; the right options are a file apart.
#
# The answer file is the companion, or stands beside the stories under the same name (`mc160.dev.tsv`,
# `mc160.dev.ans`), or, as those of the test sets do, in the folder `MCTestAnswers` beside the stories' folder.

OPTIONS = ("A", "B", "C", "D")
QUESTIONS = 4
_COLUMNS = 3 + QUESTIONS * (1 + len(OPTIONS))


def read_mctest(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
    """The stories and those of their questions that do not need the options."""
    key_path = _answer_file(path, documents)
    key = _story_rows(key_path, QUESTIONS, "letters")
    for _, columns in _story_rows(path, _COLUMNS, "columns"):
        try:
            key_line, letters = next(key)
        except StopIteration:
            raise InputError("has fewer lines than there are stories", path=key_path) from None
        story_id, _, story, *rest = columns
        questions = []
        for index, letter in enumerate(letters):
            question_id = f"{story_id}.{index}"
            if letter not in OPTIONS:
                raise InputError(
                    f"the answer is {letter!r}, expected one of {', '.join(OPTIONS)}",
                    path=key_path,
                    line=key_line,
                    id=question_id,
                )
            asked, *options = rest[index * 5 : index * 5 + 5]
            # "one:" or "multiple:" says how many sentences of the story the answer needs.
            kind, colon, text = asked.partition(":")
            if kind.strip() in ("one", "multiple") and colon:
                asked = text
            right = options[OPTIONS.index(letter)]
            if reason := unfit(asked, right):
                drops.add(reason, question_id)
            else:
                questions.append(SourceQuestion(question_id, asked.strip(), (right,)))
        yield SourceContext(story, tuple(questions), story_id)
    if next(key, None) is not None:
        raise InputError("has more lines than there are stories", path=key_path)


def _story_rows(path: PathLike, expected: int, what: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in read_lines(path):
        if not line or line.isspace():
            continue
        columns = [_unescaped(column) for column in line.split("\t")]
        if len(columns) != expected:
            raise InputError(
                f"has {len(columns)} tab-separated {what}, expected {expected}", path=path, line=number
            )
        yield number, columns


def _unescaped(column: str) -> str:
    """A column without MCTest's `\\newline` and `\\tab`, which only wrap lines."""
    return " ".join(column.replace("\\newline", " ").replace("\\tab", " ").split())


def _answer_file(path: PathLike, documents: PathLike | None) -> Path:
    stories = Path(path)
    name = stories.name.removesuffix(".gz").removesuffix(".tsv") + ".ans"
    if documents is not None and not Path(documents).is_dir():
        return Path(documents)
    folders = (
        [Path(documents)]
        if documents is not None
        else [stories.parent, stories.parent.parent / "MCTestAnswers", stories.parent / "MCTestAnswers"]
    )
    for folder in folders:
        for candidate in (folder / name, folder / f"{name}.gz"):
            if candidate.is_file():
                return candidate
    raise InputError(
        f"has no answers: expected {name} beside it, or the answer file (.ans) given with --documents",
        path=path,
    )


MCTEST = MrqaSource(
    name="mctest",
    dataset="MCTest",
    reads="the stories with their questions (mc160.dev.tsv …)",
    read=read_mctest,
    documents="the answer file (mc160.dev.ans …), or its folder, if it is not beside the stories",
)


# TextbookQA: lessons of science textbooks with multiple-choice questions; no diagrams, no true or false.

DIAGRAM = "question on a diagram"
NO_RIGHT_ANSWER = "no right answer given"


class _Text(msgspec.Struct):
    processed: str | None = msgspec.field(name="processedText", default=None)
    raw: str | None = msgspec.field(name="rawText", default=None)

    @property
    def text(self) -> str:
        return (self.processed or self.raw or "").strip()


class _Question(msgspec.Struct, rename="camel"):
    being_asked: _Text
    answer_choices: dict[str, _Text]
    correct_answer: _Text | None = None
    question_type: str = ""
    question_sub_type: str = ""


class _Questions(msgspec.Struct, rename="camel"):
    non_diagram_questions: dict[str, _Question] = {}
    diagram_questions: dict[str, msgspec.Raw] = {}


class _Content(msgspec.Struct):
    text: str = ""


class _Topic(msgspec.Struct, rename="camel"):
    content: _Content
    topic_name: str = ""


class _Lesson(msgspec.Struct):
    id: str = msgspec.field(name="globalID")
    topics: dict[str, _Topic]
    questions: _Questions


def read_textbookqa(
    path: PathLike, drops: Drops, documents: PathLike | None = None
) -> Iterator[SourceContext]:
    """The lessons, each topic a document of the context with its name as title."""
    _, records = open_records(path)
    for record in records:
        lesson = record.to(_Lesson)
        for question_id in lesson.questions.diagram_questions:
            drops.add(DIAGRAM, question_id)
        topics = [
            (topic.topic_name, [" ".join(topic.content.text.split())])
            for topic in lesson.topics.values()
            if topic.content.text.strip()
        ]
        yield SourceContext(join_documents(topics), tuple(_lesson_questions(lesson, drops)), lesson.id)


def _lesson_questions(lesson: _Lesson, drops: Drops) -> Iterator[SourceQuestion]:
    for question_id, question in lesson.questions.non_diagram_questions.items():
        asked, right = question.being_asked.text, _right(question)
        if "true or false" in f"{question.question_type} {question.question_sub_type}".lower():
            drops.add(YES_OR_NO, question_id)
        elif right is None:
            drops.add(NO_RIGHT_ANSWER, question_id)
        elif reason := unfit(asked, right):
            drops.add(reason, question_id)
        else:
            yield SourceQuestion(question_id, asked, (right,))


def _right(question: _Question) -> str | None:
    """The choice that the key names by its letter or, in some files, by its text."""
    key = question.correct_answer.text if question.correct_answer else ""
    if key in question.answer_choices:
        return question.answer_choices[key].text
    texts = [choice.text for choice in question.answer_choices.values()]
    return key if key and key in texts else None


TEXTBOOKQA = MrqaSource(
    name="textbookqa",
    dataset="TextbookQA",
    reads="the JSON list of lessons (tqa_v1_*.json)",
    read=read_textbookqa,
)
