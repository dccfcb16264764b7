"""Natural Questions with a short answer; the context is the long answer, without its HTML tags.

Read from Google's files, full (`document_tokens`) or simplified (`document_text`), from NQ-open with the
annotated gold passage (`nq_annotated_gold`), or from MultiQA's copy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from caveat.benchmarks.mrqa.sources import Record, multiqa, open_records
from caveat.benchmarks.mrqa.sources.build import MrqaSource, SourceContext, SourceQuestion
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError
from caveat.core.files import PathLike

Range = tuple[int, int]


class _Token(msgspec.Struct):
    token: str
    html_token: bool = False


class _Place(msgspec.Struct):
    start_token: int
    end_token: int


class _Annotation(msgspec.Struct):
    long_answer: _Place
    short_answers: list[_Place] = []


class _Example(msgspec.Struct):
    example_id: int | str
    question_text: str
    annotations: list[_Annotation]
    document_tokens: list[_Token] | None = None
    document_text: str | None = None


class _Gold(msgspec.Struct):
    long_answer: str
    short_answers: list[str]


class _OpenQuestion(msgspec.Struct):
    question: str
    nq_annotated_gold: _Gold
    answers: list[str] = []


class _Choice(msgspec.Struct, frozen=True):
    """What one annotator chose: the long answer and the short ones in it, as tokens, half-open."""

    long: Range
    short: tuple[Range, ...]


def read(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
    """One context a question: the long answer that most annotators with a short answer chose."""
    fields, records = open_records(path)
    if multiqa.is_multiqa(fields):
        contexts = (_multiqa(r, drops) for r in multiqa.lines(records, "NaturalQuestions"))
    elif "annotations" in fields and fields & {"document_tokens", "document_text"}:
        contexts = (_example(record, drops) for record in records)
    elif "nq_annotated_gold" in fields:
        contexts = (_open_question(record, drops) for record in records)
    else:
        raise InputError(
            "has questions without their documents: expected Natural Questions with `annotations` and "
            "`document_tokens` or `document_text`, or NQ-open with `nq_annotated_gold`",
            path=path,
        )
    yield from filter(None, contexts)


def _open_question(record: Record, drops: Drops) -> SourceContext | None:
    question = record.to(_OpenQuestion)
    gold = question.nq_annotated_gold
    qid = str(record.number)
    answers = tuple(dict.fromkeys([*gold.short_answers, *question.answers]))
    if not gold.short_answers:
        drops.add("no short answer", qid)
        return None
    return SourceContext(gold.long_answer, (SourceQuestion(qid, question.question, answers),), qid)


def _example(record: Record, drops: Drops) -> SourceContext | None:
    example = record.to(_Example)
    qid = str(example.example_id)
    if example.document_tokens is not None:
        tokens = [token.token for token in example.document_tokens]
        tags = [token.html_token for token in example.document_tokens]
    elif example.document_text is not None:
        tokens = example.document_text.split(" ")
        tags = [token.startswith("<") and token.endswith(">") for token in tokens]
    else:
        raise InputError("object has no `document_tokens`", path=record.path, line=record.line, id=qid)
    choices = [
        _Choice(_range(annotation.long_answer), tuple(map(_range, annotation.short_answers)))
        for annotation in example.annotations
    ]
    return _context(record, qid, example.question_text, tokens, tags, choices, drops)


def _range(place: _Place) -> Range:
    return place.start_token, place.end_token


def _context(
    record: Record,
    qid: str,
    question: str,
    tokens: Sequence[str],
    tags: Sequence[bool],
    choices: Iterable[_Choice],
    drops: Drops,
) -> SourceContext | None:
    answered = [choice for choice in choices if choice.short and choice.long[0] >= 0]
    if not answered:
        drops.add("no short answer", qid)
        return None
    # Of equally many, the first.
    (start, end), _ = Counter(choice.long for choice in answered).most_common(1)[0]
    short = dict.fromkeys(
        place for choice in answered for place in choice.short if start <= place[0] and place[1] <= end
    )
    for first, last in ((start, end), *short):
        if not 0 <= first < last <= len(tokens):
            problem = f"the answer {first}:{last} is not within the document's {len(tokens)} tokens"
            raise InputError(problem, path=record.path, line=record.line, id=qid)

    def text(first: int, last: int) -> str:
        return " ".join(tokens[index] for index in range(first, last) if not tags[index])

    answers = tuple(dict.fromkeys(text(*place) for place in short))
    return SourceContext(text(start, end), (SourceQuestion(qid, question, answers),), qid)


class _LongAnswer(msgspec.Struct):
    long_answer: _Place


class _Instance(msgspec.Struct):
    token_inds: Range  # inclusive at both ends


class _Instances(msgspec.Struct):
    instances: list[_Instance]


class _Extractive(msgspec.Struct):
    single_answer: _Instances


class _Candidate(msgspec.Struct):
    metadata: _LongAnswer
    extractive: _Extractive | None = None


class _OpenEnded(msgspec.Struct):
    answer_candidates: list[_Candidate] = []


class _Answers(msgspec.Struct):
    open_ended: _OpenEnded = msgspec.field(name="open-ended")


class _MultiqaQuestion(msgspec.Struct):
    qid: str
    question: str
    answers: _Answers


class _TextTokens(msgspec.Struct):
    text: list[tuple[str, int]]


class _IsTag(msgspec.Struct):
    is_html_token: list[int]


class _TagText(msgspec.Struct):
    text: _IsTag


class _TagTokens(msgspec.Struct):
    tokens: _TagText


class _MultiqaDocument(msgspec.Struct):
    tokens: _TextTokens
    metadata: _TagTokens


class _MultiqaContext(msgspec.Struct):
    documents: tuple[_MultiqaDocument]


class _MultiqaLine(msgspec.Struct):
    context: _MultiqaContext
    qas: tuple[_MultiqaQuestion]


def _multiqa(record: Record, drops: Drops) -> SourceContext | None:
    """MultiQA's copy by its tokens: its answer texts are cut out by bytes where characters were meant."""
    line = record.to(_MultiqaLine)
    (document,), (question,) = line.context.documents, line.qas
    choices = []
    for candidate in question.answers.open_ended.answer_candidates:
        instances = candidate.extractive.single_answer.instances if candidate.extractive else []
        short = tuple((first, last + 1) for first, last in (instance.token_inds for instance in instances))
        choices.append(_Choice(_range(candidate.metadata.long_answer), short))
    tokens = [token for token, _ in document.tokens.text]
    tags = list(map(bool, document.metadata.tokens.text.is_html_token))
    if len(tags) != len(tokens):
        raise InputError(
            "expected as many is_html_token as tokens", path=record.path, line=record.line, id=question.qid
        )
    qid = multiqa.native_id(question.qid)
    return _context(record, qid, question.question, tokens, tags, choices, drops)


NATURAL_QUESTIONS = MrqaSource(
    name="naturalquestions",
    dataset="NaturalQuestionsShort",
    reads="Natural Questions as JSON lines, full or simplified, or NQ-open with its gold passages",
    read=read,
)
