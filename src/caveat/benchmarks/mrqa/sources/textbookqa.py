"""TextbookQA: lessons of science textbooks with multiple-choice questions; no diagrams, no true or false."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from caveat.benchmarks.formats import Drops
from caveat.benchmarks.mrqa.sources.build import MrqaSource, SourceContext, SourceQuestion, join_documents
from caveat.benchmarks.mrqa.sources.multiple_choice import YES_OR_NO, unfit
from caveat.benchmarks.mrqa.sources.records import open_records
from caveat.core.files import PathLike

__all__ = ["SOURCE", "read"]

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


def read(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
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
        yield SourceContext(join_documents(topics), tuple(_questions(lesson, drops)), lesson.id)


def _questions(lesson: _Lesson, drops: Drops) -> Iterator[SourceQuestion]:
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


SOURCE = MrqaSource(
    name="textbookqa",
    dataset="TextbookQA",
    reads="the JSON list of lessons (tqa_v1_*.json)",
    read=read,
)
