"""Questions that need more than one text or step: HotpotQA, ComplexWebQuestions, and DROP."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

import msgspec

from caveat.benchmarks.mrqa.sources import Record, multiqa, open_records
from caveat.benchmarks.mrqa.sources.build import MrqaSource, SourceContext, SourceQuestion, join_documents
from caveat.benchmarks.registry import Drops
from caveat.core.errors import InputError
from caveat.core.files import PathLike

# HotpotQA: questions over two paragraphs; of the ten given only the gold ones, and no yes or no answers.


class _FactColumns(msgspec.Struct):
    title: list[str]


class _ContextColumns(msgspec.Struct):
    title: list[str]
    sentences: list[list[str]]


class _Question(msgspec.Struct):
    question: str
    answer: str
    # A list of [title, sentence number] in the published files, columns in the copies for `datasets`.
    supporting_facts: list[tuple[str, int]] | _FactColumns
    context: list[tuple[str, list[str]]] | _ContextColumns
    native_id: str | None = msgspec.field(name="_id", default=None)
    id: str | None = None


def read_hotpotqa(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
    """One context a question: its gold paragraphs in the order in which they are given."""
    fields, records = open_records(path)
    if multiqa.is_multiqa(fields):
        yield from multiqa.contexts(records, "HotpotQA", drops, _gold_documents)
        return
    if missing := {"context", "answer", "supporting_facts"} - fields:
        names = " or ".join(f"`{name}`" for name in sorted(missing))
        raise InputError(f"has no {names}: expected HotpotQA's train or dev file", path=path)
    for record in records:
        question = record.to(_Question)
        qid = question.native_id or question.id or str(record.number)
        if question.answer.strip().lower() in ("yes", "no"):
            drops.add("yes or no answer", qid)
        elif text := _gold_paragraphs(question, qid, path):
            asked = SourceQuestion(qid, question.question, (question.answer,))
            yield SourceContext(text, (asked,), qid)
        else:
            drops.add("no gold paragraph in the context", qid)


def _gold_paragraphs(question: _Question, qid: str, path: PathLike) -> str:
    facts, context = question.supporting_facts, question.context
    gold = set(facts.title) if isinstance(facts, _FactColumns) else {title for title, _ in facts}
    if isinstance(context, _ContextColumns):
        if len(context.title) != len(context.sentences):
            raise InputError("expected as many titles as lists of sentences", path=path, id=qid)
        paragraphs = list(zip(context.title, context.sentences, strict=True))
    else:
        paragraphs = context
    # Sentences bring the blank before them along.
    return join_documents((title, ["".join(sentences)]) for title, sentences in paragraphs if title in gold)


def _gold_documents(
    documents: Sequence[multiqa.MultiqaDocument], questions: Sequence[multiqa.MultiqaQuestion]
) -> str:
    gold = {support.doc_id for question in questions for support in question.supporting_context}
    return multiqa.joined([d for number, d in enumerate(documents) if number in gold], questions)


HOTPOTQA = MrqaSource(
    name="hotpotqa",
    dataset="HotpotQA",
    reads="HotpotQA's train or dev JSON, as published or in columns",
    read=read_hotpotqa,
)


# ComplexWebQuestions: questions that need several web pages; the context is what a search found.
#
# The questions come without text; the web snippets are the companion (`web_snippets_dev.json` …). A question
# has several queries, itself and the simpler questions it was split into: their snippets are taken in turn,
# best first, so that each query has its part in the 800 tokens.

KINDS = ("composition", "conjunction")
NO_ANSWER = "no answer given"
SEVERAL_ANSWERS = "several answers"
NO_SNIPPETS = "no web snippets"


class _Answer(msgspec.Struct):
    answer: str | None = None
    aliases: list[str] = []


class _WebQuestion(msgspec.Struct):
    id: str = msgspec.field(name="ID")
    question: str
    kind: str = msgspec.field(name="compositionality_type")
    # One string in some copies, a list of answers with aliases upstream, under either key.
    answer: str | list[_Answer | str] | None = None
    answers: list[_Answer | str] | None = None


class _Snippet(msgspec.Struct, frozen=True):
    title: str | None = None
    snippet: str | None = None


class _Search(msgspec.Struct):
    question_id: str = msgspec.field(name="question_ID")
    snippets: list[_Snippet] = msgspec.field(name="web_snippets")


def read_complex_web_questions(
    path: PathLike, drops: Drops, documents: PathLike | None = None
) -> Iterator[SourceContext]:
    """One context a question of those that join two simpler questions and have a single answer."""
    if documents is None:
        raise InputError(
            "has questions without any text to answer them from: give the web snippets "
            "(web_snippets_*.json of ComplexWebQuestions) with --documents",
            path=path,
        )
    searches: dict[str, list[list[_Snippet]]] = {}
    _, records = open_records(documents)
    for record in records:
        search = record.to(_Search)
        searches.setdefault(search.question_id, []).append(search.snippets)
    _, records = open_records(path)
    for record in records:
        question = record.to(_WebQuestion)
        answers = _answers(question)
        snippets = _in_turn(searches.get(question.id, []))
        if question.kind not in KINDS:
            drops.add(f"{question.kind} question", question.id)
        elif len(answers) != 1:
            drops.add(SEVERAL_ANSWERS if answers else NO_ANSWER, question.id)
        elif not snippets:
            drops.add(NO_SNIPPETS, question.id)
        else:
            text = join_documents((snippet.title, [snippet.snippet or ""]) for snippet in snippets)
            asked = SourceQuestion(question.id, question.question.strip(), answers[0])
            yield SourceContext(text, (asked,), question.id)


def _answers(question: _WebQuestion) -> list[tuple[str, ...]]:
    """Each answer with its aliases."""
    given = question.answers if question.answers is not None else question.answer
    if isinstance(given, str):
        given = [given]
    answers = []
    for answer in given or []:
        names = [answer] if isinstance(answer, str) else [answer.answer or "", *answer.aliases]
        if known := tuple(dict.fromkeys(name.strip() for name in names if name.strip())):
            answers.append(known)
    return answers


def _in_turn(searches: list[list[_Snippet]]) -> list[_Snippet]:
    """The first snippet of each query, then the second of each …, none twice."""
    ranks = zip_longest(*searches)
    return list(dict.fromkeys(snippet for rank in ranks for snippet in rank if snippet is not None))


COMPLEX_WEB_QUESTIONS = MrqaSource(
    name="complexwebquestions",
    dataset="ComplexWebQuestions",
    reads="the question file (ComplexWebQuestions_dev.json …)",
    read=read_complex_web_questions,
    documents="the web snippets (web_snippets_dev.json …)",
)


_NUMBER = "number answer"
_DATE = "date answer"
_SEVERAL = "several spans"
_NONE = "no answer"

_PROMPT = re.compile(r"Passage: (.*)\nQuestion: (.*)\nAnswer:\s*", re.DOTALL)
_BARE_NUMBER = re.compile(r"-?(?:\d[\d,]*)?\.?\d+")
# Day, month and year joined with blanks, any of them empty: "8 May 1945", " May 1945", "  1945".
_DATE_TEXT = re.compile(
    r"\d* (?:January|February|March|April|May|June|July|August|September|October|November|December)? \d*"
)


class _Date(msgspec.Struct):
    day: str = ""
    month: str = ""
    year: str = ""


class _DropAnswer(msgspec.Struct):
    number: str | int | float = ""
    date: _Date = msgspec.field(default_factory=_Date)
    spans: list[str] = []


class _DropQuestion(msgspec.Struct):
    query_id: str
    question: str
    answer: _DropAnswer
    validated_answers: list[_DropAnswer] = []


class _Passage(msgspec.Struct):
    passage: str
    qa_pairs: list[_DropQuestion]


class _Prompt(msgspec.Struct):
    context: str
    completion: str
    ref_text: str = ""


def read(path: PathLike, drops: Drops, documents: PathLike | None = None) -> Iterator[SourceContext]:
    """One context a passage, with the questions whose answer is a single span."""
    fields, records = open_records(path)
    if fields >= {"context", "completion"}:
        yield from _simplified(records, drops)
    else:
        yield from _native(records, drops)


def _native(records: Iterable[Record], drops: Drops) -> Iterator[SourceContext]:
    for record in records:
        for passage_id, raw in record.to(dict[str, msgspec.Raw]).items():
            try:
                passage = Record(bytes(raw), record.path, record.number).to(_Passage)
            except InputError as error:
                raise InputError(error.problem, path=record.path, id=error.id or passage_id) from None
            questions = []
            for question in passage.qa_pairs:
                if reason := _unfit(question.answer):
                    drops.add(reason, question.query_id)
                    continue
                given = (question.answer, *question.validated_answers)
                answers = dict.fromkeys(answer.spans[0] for answer in given if not _unfit(answer))
                questions.append(SourceQuestion(question.query_id, question.question, tuple(answers)))
            yield SourceContext(passage.passage, tuple(questions), passage_id)


def _unfit(answer: _DropAnswer) -> str | None:
    """Why an answer is not a single span."""
    if str(answer.number):
        return _NUMBER
    if answer.date.day or answer.date.month or answer.date.year:
        return _DATE
    if len(answer.spans) != 1:
        return _SEVERAL if answer.spans else _NONE
    return None


def _simplified(records: Iterable[Record], drops: Drops) -> Iterator[SourceContext]:
    # The lines of one passage are scattered over the file, so they are gathered first.
    passages: dict[str, list[SourceQuestion]] = {}
    for record in records:
        prompt = record.to(_Prompt)
        qid = str(record.number)
        parts = _PROMPT.fullmatch(prompt.context)
        if parts is None:
            raise InputError(
                "expected a context of the form `Passage: … Question: … Answer:`",
                path=record.path,
                line=record.line,
            )
        # Exactly one blank stands before a completion; more belong to the answer (see _DATE_TEXT).
        golds = prompt.ref_text.split("|") if prompt.ref_text else [prompt.completion.removeprefix(" ")]
        questions = passages.setdefault(parts[1], [])
        if reason := _unfit_text(golds[0]):
            drops.add(reason, qid)
        else:
            answers = dict.fromkeys(gold.strip() for gold in golds if not _unfit_text(gold))
            questions.append(SourceQuestion(qid, parts[2].strip(), tuple(answers)))
    for text, asked in passages.items():
        yield SourceContext(text, tuple(asked))


def _unfit_text(gold: str) -> str | None:
    if not gold.strip():
        return _NONE
    if _DATE_TEXT.fullmatch(gold):
        return _DATE
    return _NUMBER if _BARE_NUMBER.fullmatch(gold.strip()) else None


DROP = MrqaSource(
    name="drop",
    dataset="DROP",
    reads="DROP's JSON, or its simplified JSON lines",
    read=read,
)
