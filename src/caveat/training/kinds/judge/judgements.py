"""Judgements of texts, one JSON object a line: does the text say so, say that it is not so, or leave it open?

Three layouts are told apart by their fields: inference (`premise`, `hypothesis`, `label`), questions of yes or no
(`passage`, `question`, `answer`), and questions that a rule decides by what the asker has said (`rule`, `question`,
`scenario`, `history`, `answer`). What is judged comes first in a window, the text behind it.

A statement may also be asked as a question, since users ask, and published inference is almost all statements. What
is judged may also be put to a text of another example, which then leaves it open: one that shares words with it, as
other passages of one page do.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from caveat.answerers.documents.conditions.entailment import Judgement
from caveat.benchmarks.conditionalqa import format as conditionalqa
from caveat.benchmarks.conditionalqa.format import ConditionalDocument, ConditionalQuestion, page_document
from caveat.benchmarks.sharc import data_set as sharc
from caveat.benchmarks.squad import format as squad
from caveat.core.files import read_text
from caveat.core.json_files import read_json_lines
from caveat.core.languages import language_of
from caveat.language.follow_up import inquiry
from caveat.language.packs.zh import CHINESE
from caveat.language.question_types import asks_yes_or_no
from caveat.training.kinds.judge.modal_questions import modal_questions
from caveat.training.kinds.judge.rule_questions import rule_questions

# Binary sets say no more of a pair than that its text does not entail it.
Label = Judgement | Literal["not entailed"]
JudgementFormat = Literal[
    "judgements",
    "choices",
    "passages",
    "modal-questions",
    "rule-questions",
    "sharc-scenarios",
    "conditionalqa-answers",
]

_LABELS: dict[str, Label] = {
    "entailment": "entailed",
    "supported": "entailed",
    "yes": "entailed",
    "contradiction": "contradicted",
    "no": "contradicted",
    "neutral": "open",
    "not_mentioned": "open",
    "maybe": "open",
    "more": "open",
    "don't know": "open",
    "partially_supported": "not entailed",
    "not_supported": "not entailed",
    "not_entailment": "not entailed",
}
# Beyond this many characters what is judged is an instruction rather than a question.
_LONGEST_JUDGED = 400
# How a condition is asked for that is no clause.
_UNTURNED = "Does this apply"
# Of this many texts of other examples the one that shares most words is taken.
_DRAWN = 24


class Pair(msgspec.Struct, frozen=True):
    """What is judged, the text it is judged by, and how; `page` where the text is of a longer one."""

    judged: str
    text: str
    label: Label
    page: str = ""

    @property
    def source(self) -> str:
        """What pairs on the same text have in common."""
        return self.page or self.text


def read_pairs(
    format: JudgementFormat,
    path: Path,
    seed: int,
    *,
    asked: float = 0.0,
    foreign: float = 0.0,
    without: tuple[str, ...] = (),
) -> list[Pair]:
    """The pairs of a file: the share `asked` of its statements as questions, and `foreign` new ones an example.

    Of texts that are asked about by their own words those are left out whose path has one of the words `without`.
    """
    draw = random.Random(f"judgements {path.name} {seed}")
    if format == "modal-questions":
        return [Pair(*found) for found in modal_questions(path, draw, without=without)]
    if format == "rule-questions":
        return [Pair(*found, text) for text in read_texts(path) for found in rule_questions(text, draw)]
    read = _choices(path, draw) if format == "choices" else _READERS[format](path)
    pairs = [pair for pair in read if pair.judged.strip() and pair.text.strip()]
    turned = [_turned(pair) if draw.random() < asked else pair for pair in pairs]
    return turned + list(_foreign(pairs, foreign, draw))


def as_question(statement: str) -> tuple[str, bool]:
    """A statement as a question of yes or no, and whether no is the answer where the statement holds."""
    if language_of(statement) == CHINESE:
        return statement.strip().rstrip("。.!！ ") + "吗？", False
    if statement.rstrip().endswith("?"):
        return statement, False
    question, negated = inquiry(statement.strip())
    # What could not be turned comes back as a question to the asker, or about its own words.
    to_asker = question.startswith("Are you ") and "you" not in statement.lower().split()
    if not question.endswith("?") or to_asker or question.startswith(_UNTURNED):
        return statement, False
    return question, negated


def read_texts(path: Path) -> Iterator[str]:
    """The texts of a file: of SQuAD's layout, of ConditionalQA's evidences, or one JSON object a line."""
    if ".jsonl" in path.name:
        for _, record in read_json_lines(path, dict[str, Any]):
            yield str(record.get("text") or record.get("context") or "")
    elif "conditionalqa" in path.parts:
        pages: dict[str, list[str]] = {}
        for question in conditionalqa.read(path):
            pages.setdefault(question.url, []).extend(question.evidences)
        for url, evidences in pages.items():
            page = page_document(ConditionalDocument("", url, tuple(dict.fromkeys(evidences))))
            yield "\n".join(element.text for element in page.elements)
    else:
        yield from (passage.text for passage in squad.read_passages(path))


def _turned(pair: Pair) -> Pair:
    question, negated = as_question(pair.judged)
    if negated and pair.label == "not entailed":
        return pair
    flipped: dict[Label, Label] = {"entailed": "contradicted", "contradicted": "entailed"}
    return Pair(question, pair.text, flipped.get(pair.label, pair.label) if negated else pair.label)


def _foreign(pairs: Sequence[Pair], share: float, draw: random.Random) -> Iterator[Pair]:
    if len({pair.text for pair in pairs}) < 2:
        return
    for pair in pairs:
        if draw.random() >= share:
            continue
        words = _words(pair.judged)
        others = [other.text for other in draw.choices(pairs, k=_DRAWN) if other.text != pair.text]
        if others:
            yield Pair(pair.judged, max(others, key=lambda text: len(words & _words(text))), "open")


def _words(text: str) -> frozenset[str]:
    """Words of a text, or its pairs of characters in Chinese; short words say little."""
    if language_of(text) == CHINESE:
        return frozenset(text[at : at + 2] for at in range(len(text) - 1))
    return frozenset(word for word in text.lower().split() if len(word) > 3)


def _judgements(path: Path) -> Iterator[Pair]:
    for _, record in read_json_lines(path, dict[str, Any]):
        if (pair := _pair_of(record)) is not None and len(pair.judged) <= _LONGEST_JUDGED:
            yield pair


def _pair_of(record: Mapping[str, Any]) -> Pair | None:
    answer = str(record.get("kind" if "rule" in record else "label", record.get("answer", "")))
    if (label := _LABELS.get(answer.strip().lower())) is None:
        return None
    if "hypothesis" in record:
        return Pair(record["hypothesis"], record["premise"], label)
    if "rule" in record:
        told = [f"{each['follow_up_question']} {each['follow_up_answer']}." for each in record["history"]]
        return Pair(" ".join((record["question"], record["scenario"], *told)), record["rule"], label)
    if "passage" in record and "candidate" not in record:
        question = record.get("question") or record.get("instruction", "")
        return Pair(_written(question), record["passage"], label)
    return None


def _written(question: str) -> str:
    """A question as a person writes it: some sets have them in small letters and without a mark."""
    text = question.strip()
    if not text or language_of(text) == CHINESE:
        return text
    return text[0].upper() + text[1:] + ("" if text[-1] in "?.:!" else "?")


def _choices(path: Path, draw: random.Random) -> Iterator[Pair]:
    """Questions with choices, of which one is right: that one behind its question, and one of the others."""
    for _, record in read_json_lines(path, dict[str, Any]):
        wrong = [choice for choice in record["choices"] if choice != record["answer"]]
        yield Pair(f"{record['question']} {record['answer']}", record["passage"], "entailed")
        if wrong:
            yield Pair(f"{record['question']} {draw.choice(wrong)}", record["passage"], "not entailed")


def _passages(path: Path) -> Iterator[Pair]:
    """Questions of yes or no on passages that answer them, nobody says how: for whether they do, not for what."""
    for line in read_text(path).splitlines():
        # Such sets come out of tables: where a cell is empty they have NaN, which is no JSON.
        record = json.loads(line)
        if asks_yes_or_no(record["question"]):
            yield Pair(record["question"], record["passage"], "entailed")


def _scenarios(path: Path) -> Iterator[Pair]:
    """ShARC's follow-up questions, each judged by the scenario: settled by it, or asked all the same."""
    found: dict[tuple[str, str], Label] = {}
    for utterance in sharc.read(path):
        if not utterance.scenario.strip():
            continue
        for evidence in utterance.evidence:
            yes = evidence.answer.strip().casefold() == "yes"
            found[evidence.question, utterance.scenario] = "entailed" if yes else "contradicted"
        again = () if utterance.answer in ("", "Yes", "No", "Irrelevant") else (utterance.answer,)
        for question in (*(each.question for each in utterance.history), *again):
            found.setdefault((question, utterance.scenario), "open")
    return (Pair(question, scenario, label) for (question, scenario), label in found.items())


def _answers(path: Path) -> Iterator[Pair]:
    """ConditionalQA's questions of yes or no that have one answer, judged by their evidences."""
    for question in conditionalqa.read(path):
        texts = {answer.text for answer in question.answers}
        if len(texts) == 1 and texts <= {"yes", "no"} and question.evidences:
            judged = f"{question.question} {question.scenario}".strip()
            yield Pair(judged, _evidences(question), "entailed" if texts == {"yes"} else "contradicted")


def _evidences(question: ConditionalQuestion) -> str:
    page = page_document(ConditionalDocument("", question.url, tuple(dict.fromkeys(question.evidences))))
    return " ".join(element.text for element in page.elements)


_READERS: dict[str, Callable[[Path], Iterator[Pair]]] = {
    "judgements": _judgements,
    "passages": _passages,
    "sharc-scenarios": _scenarios,
    "conditionalqa-answers": _answers,
}
