"""How well the rules find what annotators call conditions, and ask as they ask: on ConditionalQA and ShARC."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from caveat.answerers.documents.conditions.entailment import Judgement, judge
from caveat.answerers.documents.conditions.rules import Rulebook, rules_of
from caveat.benchmarks.conditionalqa.format import ConditionalDocument, ConditionalQuestion
from caveat.benchmarks.conditionalqa.pages import page_document
from caveat.benchmarks.sharc.format import SharcUtterance
from caveat.core.expression import Expression, atoms_of, elements_of
from caveat.language.normalise import normalise_squad, squad_tokens
from caveat.sources.markdown import parse_markdown

__all__ = [
    "Agreement",
    "Found",
    "Judged",
    "agreement_with_sharc",
    "found_in_documents",
    "found_in_evidences",
    "judged_on_sharc",
]

_NEAR = 0.8
_STRAIGHT = str.maketrans("‘’“”", "''\"\"")


class Found(msgspec.Struct, frozen=True):
    """Of how many annotated condition elements how many are found, and how many elements are offered for that."""

    answers: int
    conditions: int
    found: int
    offered: int
    recall: float
    offered_an_answer: float


class Agreement(msgspec.Struct, frozen=True):
    """How the questions agree with those of annotators: shares of theirs that ours equal or nearly equal (F1 ≥ 0.8).

    `mean_f1` is that of our nearest question; the `_where_asked` figures leave out texts that give us no question.
    """

    texts: int
    questions: int
    equal: float
    near: float
    mean_f1: float
    asked: int
    near_where_asked: float
    mean_f1_where_asked: float


class Judged(msgspec.Struct, frozen=True):
    """Judgements beside the annotators': accuracy, that of always "open", precision and recall of each."""

    pairs: int
    accuracy: float
    always_open: float
    precision: dict[Judgement, float]
    recall: dict[Judgement, float]


def found_in_documents(
    pages: Iterable[ConditionalDocument], questions: Iterable[ConditionalQuestion]
) -> dict[str, Found]:
    """For answers with conditions: are those among the atoms that govern the elements which hold the answer?

    These elements are the evidences with the answer's text in them, and for yes and no all of the evidences that
    are not conditions themselves. `said` counts only the rules said of those elements, their lists and headings,
    `governing` what binds in the section too, `anywhere` every rule of the page.
    """
    books = {page.url: (page, Rulebook(page_document(page))) for page in pages}
    tallies: dict[str, Counter[str]] = {name: Counter() for name in ("said", "governing", "anywhere")}
    for question in questions:
        if question.url not in books:
            continue
        page, book = books[question.url]
        indices: dict[str, list[int]] = {}
        for index, content in enumerate(page.contents):
            indices.setdefault(content, []).append(index)
        for answer in question.answers:
            if not answer.conditions:
                continue
            evidences = [index for evidence in question.evidences for index in indices.get(evidence, ())]
            if answer.text in ("yes", "no"):
                holding = [index for index in evidences if page.contents[index] not in answer.conditions]
            else:
                wanted = normalise_squad(answer.text)
                holding = [index for index in evidences if wanted in normalise_squad(page.contents[index])]
            expressions: dict[str, Iterable[Expression | None]] = {
                "said": (book.said_of(index) for index in holding or evidences),
                "governing": (book.governing(index) for index in holding or evidences),
                "anywhere": (rule.condition for rule in book.rules),
            }
            for name, found in expressions.items():
                offered = {index for each in found if each is not None for index in elements_of(each)}
                _count(
                    tallies[name],
                    [set(indices.get(condition, ())) for condition in answer.conditions],
                    offered,
                )
    return {name: _found(tally) for name, tally in tallies.items()}


def found_in_evidences(questions: Iterable[ConditionalQuestion]) -> Found:
    """The same without documents: the evidences of a question, in their order, stand for its page."""
    tally: Counter[str] = Counter()
    for question in questions:
        wanted = {condition for answer in question.answers for condition in answer.conditions}
        if not wanted:
            continue
        rules = rules_of(page_document(ConditionalDocument("", question.url, question.evidences)))
        offered = {index for rule in rules for index in elements_of(rule.condition)}
        _count(tally, [{index} for index, text in enumerate(question.evidences) if text in wanted], offered)
    return _found(tally)


def _count(tally: Counter[str], wanted: Sequence[set[int]], offered: set[int]) -> None:
    tally["answers"] += 1
    tally["conditions"] += len(wanted)
    tally["found"] += sum(not indices.isdisjoint(offered) for indices in wanted)
    tally["offered"] += len(offered)


def _found(tally: Mapping[str, int]) -> Found:
    answers, conditions, found, offered = (
        tally.get(name, 0) for name in ("answers", "conditions", "found", "offered")
    )
    return Found(answers, conditions, found, offered, found / max(1, conditions), offered / max(1, answers))


def agreement_with_sharc(utterances: Iterable[SharcUtterance]) -> Agreement:
    """Our questions on each rule text beside the annotators'; of theirs that nearly equal each other one counts."""
    texts: dict[str, dict[str, None]] = {}
    for utterance in utterances:
        theirs = texts.setdefault(utterance.snippet, {})
        asked = [follow_up.question for follow_up in (*utterance.history, *utterance.evidence)]
        theirs.update(dict.fromkeys((*asked, *_next_question(utterance))))
    best: list[tuple[float, bool]] = []
    for text, questions in texts.items():
        rules = rules_of(parse_markdown(text))
        ours = [atom.question for rule in rules for atom in atoms_of(rule.condition)]
        for group in _groups(list(questions)):
            best.append((max((_f1(a, b) for a in ours for b in group), default=0.0), bool(ours)))
    scores = [score for score, _ in best]
    where_asked = [score for score, asked in best if asked]
    return Agreement(
        len(texts),
        len(scores),
        _share(score == 1.0 for score in scores),
        _share(score >= _NEAR for score in scores),
        _share(scores),
        len(where_asked),
        _share(score >= _NEAR for score in where_asked),
        _share(where_asked),
    )


def _groups(questions: Sequence[str]) -> list[list[str]]:
    """Questions that differ in a slip of the pen only are one."""
    groups: list[list[str]] = []
    for question in questions:
        same = next((group for group in groups if _f1(question, group[0]) >= _NEAR), None)
        if same is None:
            groups.append([question])
        else:
            same.append(question)
    return groups


def judged_on_sharc(utterances: Iterable[SharcUtterance]) -> Judged:
    """Each question that the scenario answers by the annotators, and each that was asked back all the same (open)."""
    gold: dict[tuple[str, str], Judgement] = {}
    for utterance in utterances:
        if not utterance.scenario.strip():
            continue
        for evidence in utterance.evidence:
            label: Judgement = "entailed" if evidence.answer == "Yes" else "contradicted"
            gold[utterance.scenario, evidence.question] = label
        asked = [follow_up.question for follow_up in utterance.history]
        for question in (*asked, *_next_question(utterance)):
            gold.setdefault((utterance.scenario, question), "open")
    counted = Counter((label, judge(scenario, question)) for (scenario, question), label in gold.items())
    kinds: tuple[Judgement, ...] = ("entailed", "contradicted", "open")
    right = {kind: counted[kind, kind] for kind in kinds}
    said = {kind: sum(counted[other, kind] for other in kinds) for kind in kinds}
    meant = {kind: sum(counted[kind, other] for other in kinds) for kind in kinds}
    pairs = max(1, len(gold))
    return Judged(
        len(gold),
        sum(right.values()) / pairs,
        meant["open"] / pairs,
        {kind: right[kind] / max(1, said[kind]) for kind in kinds},
        {kind: right[kind] / max(1, meant[kind]) for kind in kinds},
    )


def _next_question(utterance: SharcUtterance) -> tuple[str, ...]:
    return (utterance.answer,) if utterance.answer not in ("", "Yes", "No", "Irrelevant") else ()


def _f1(left: str, right: str) -> float:
    ours, theirs = squad_tokens(left.translate(_STRAIGHT)), squad_tokens(right.translate(_STRAIGHT))
    same = (Counter(ours) & Counter(theirs)).total()
    return 2 * same / (len(ours) + len(theirs)) if same else 0.0


def _share(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0
