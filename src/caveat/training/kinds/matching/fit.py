"""A model that understands questions on triples, from a recipe: fitted, tuned, measured on what it has not seen."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from caveat.answerers.knowledge.evidence import NONE, Weighing, evidence_of
from caveat.answerers.knowledge.matching import (
    MATCHING,
    NEURAL,
    Matching,
    MatchingFile,
    PairScorer,
    with_neural,
)
from caveat.answerers.knowledge.names import Base
from caveat.answerers.knowledge.words import MASK, FoldedQuestion, Matcher, WordCounts, units_of
from caveat.answerers.ranking.combination import Combination
from caveat.answerers.ranking.evidence import CandidateList
from caveat.answerers.ranking.features import Features
from caveat.benchmarks.nlpcc.kbqa_analysis import (
    Distracted,
    SimilarEntities,
    by_hash,
    by_model,
    by_overlap,
    figures,
)
from caveat.benchmarks.nlpcc.kbqa_format import KbqaQuestion, read
from caveat.core.answers import Triple
from caveat.core.json_files import write_json
from caveat.library.triples.build import open_knowledge
from caveat.library.triples.folding import clean_predicate
from caveat.library.triples.mentions import Mention
from caveat.library.triples.store import SURE, KnowledgeStore
from caveat.models.embedded import find
from caveat.models.log_odds import softmax
from caveat.models.ranker import Ranker
from caveat.training.fitting import Sure, calibration_error, tuned_threshold
from caveat.training.kinds.matching.matcher import MatchingRecipe, fit_matcher
from caveat.training.kinds.ranker.lexical import Featured, fit

_LEAST_UNIT, _LEAST_STRETCH, _LONGEST_STRETCH = 5, 20, 4


class Masked(NamedTuple):
    """The rest of a question around the name of its entity, and the cleaned predicate that it asks for."""

    text: str
    predicate: str


def masked(questions: Iterable[KbqaQuestion]) -> tuple[list[Masked], int]:
    """The questions in which the entity of their triple is named, masked, and how many are not so."""
    found, left_out = [], 0
    for each in questions:
        fact = each.fact
        asked = FoldedQuestion(each.question)
        place = None if fact is None else asked.find(fact.subject)
        if fact is None or place is None:
            left_out += 1
        else:
            found.append(Masked(asked.masked(*place), clean_predicate(fact.predicate)))
    return found, left_out


def word_counts(questions: Sequence[Masked]) -> WordCounts:
    """In how many questions each unit is, and how often short stretches stand in them."""
    units: Counter[str] = Counter()
    stretches: Counter[str] = Counter()
    for each in questions:
        units.update(set(units_of(each.text)))
        for rest in each.text.split(MASK):
            for length in range(1, _LONGEST_STRETCH + 1):
                stretches.update(rest[at : at + length] for at in range(len(rest) - length + 1))
    return WordCounts(
        len(questions),
        {unit: count for unit, count in sorted(units.items()) if count >= _LEAST_UNIT},
        {
            stretch: count
            for stretch, count in sorted(stretches.items())
            if count >= _LEAST_STRETCH and any(map(str.isalnum, stretch))
        },
    )


def weighed_list(question: KbqaQuestion, weighing: Weighing) -> Featured:
    """The candidates of a question; right are those with one of its answers, or else that there is none."""
    answers = set(question.answers)
    right = [any(t.object in answers for t in each.triples) for each in weighing.candidates]
    names = (*(each.predicate for each in weighing.candidates), NONE)
    return CandidateList(question.question, names, (*right, not any(right))), weighing.features


class WithoutEntity:
    """A store without one of its entities: other things of its name are found, and those of similar names."""

    def __init__(self, store: KnowledgeStore, entity: str) -> None:
        self._store, self._entity = store, entity

    def mentions(self, question: str) -> list[Mention]:
        """The names in a question that mean something else, misspelt ones too where no other is long."""
        found = self._others(self._store.mentions(question))
        if not found or len(found[0].text) < SURE:
            slips = [each for each in self._others(self._store.misspelt(question)) if each not in found]
            found = sorted([*slips, *found], key=lambda each: (each.start - each.end, each.misspelt))
        return found

    def attributes(self, entity: str) -> tuple[Triple, ...]:
        """All triples about an entity, unless it is the one that is lacking."""
        return () if entity == self._entity else self._store.attributes(entity)

    def _others(self, mentions: list[Mention]) -> list[Mention]:
        left = (
            msgspec.structs.replace(each, entities=tuple(e for e in each.entities if e != self._entity))
            for each in mentions
        )
        return [each for each in left if each.entities]


def without_answer(question: KbqaQuestion, weighing: Weighing) -> Weighing:
    """What a base has that lacks the answer: all but the right candidates."""
    of, features = weighed_list(question, weighing)
    kept = [number for number in range(len(weighing.candidates)) if not of.right[number]]
    rows = features.values[[*kept, len(weighing.candidates)]]
    return weighing._replace(
        candidates=[weighing.candidates[number] for number in kept], features=Features(features.names, rows)
    )


def plain_columns(featured: Featured) -> Featured:
    """The same with the evidence alone that holds in any language and without training questions."""
    of, features = featured
    kept = np.array([place for place, name in enumerate(features.names) if _holds_anywhere(name)])
    return of, Features(tuple(features.names[place] for place in kept), features.values[:, kept])


def _holds_anywhere(name: str) -> bool:
    learnt = {"match", "no match", "asked often", "never asked", "never asked: match", "common"}
    return name not in learnt and not name.startswith(("before ", "after "))


SCORES = "scores.json"

Note = Callable[[str], None]
Figures = dict[str, dict[str, Any]]


def fit_matching(
    recipe: MatchingRecipe, out: Path, *, data_root: Path, note: Note = lambda _: None
) -> dict[str, Figures]:
    """Write OUT/matching.json and OUT/scores.json; gives the tables of figures by their titles."""
    held_out: list[KbqaQuestion] = []
    weighed: list[KbqaQuestion] = []
    learnt: list[KbqaQuestion] = []
    for data in recipe.data:
        questions = by_hash(read(data_root / data.path))
        note(f"{data.path}: {len(questions):,} questions")
        first, second = data.held_out, data.held_out + data.weighed
        held_out += questions[:first]
        weighed += questions[first:second]
        learnt += questions[second:]
    known = {each.question for each in held_out}
    weighed, learnt = ([each for each in part if each.question not in known] for part in (weighed, learnt))

    pairs, left_out = masked(learnt)
    note(f"{left_out:,} questions do not name their entity as the base does: left out")
    words = word_counts(pairs)
    matcher = fit_matcher(
        [(units_of(text), predicate) for text, predicate in pairs],
        recipe.matcher,
        seed=recipe.seed,
        note=note,
    )
    base = open_knowledge(data_root / recipe.base)
    similar = SimilarEntities(base.triples())
    ranker = Ranker.load(find(recipe.ranker)) if recipe.ranker else None

    lists = _Lists(base, similar, Matcher(matcher), words, recipe)
    # Of all data sets in the same share.
    tunes = [(number * recipe.tuned) % 1 < recipe.tuned for number in range(len(weighed))]
    fitted = lists.of([each for each, tuning in zip(weighed, tunes, strict=True) if not tuning])
    note(f"{tunes.count(False):,} questions in {len(fitted):,} lists to weigh the evidence with")
    lexical = fit([each for _, each in fitted], l2=recipe.l2)
    plain = fit([plain_columns(each) for _, each in fitted], l2=recipe.l2)
    neural = _fit_neural(fitted, lexical, ranker, recipe.l2)
    left = lists.of([each for each, tuning in zip(weighed, tunes, strict=True) if tuning])
    sure = [_sure(each, lexical, neural, ranker) for each in left]
    about: dict[str, Any] = {
        "recipe": msgspec.to_builtins(recipe),
        "calibration error": round(calibration_error(sure), 4),
    }
    file = MatchingFile(about, matcher, words, plain, lexical, tuned_threshold(sure), neural)
    note(f"no answer below {file.threshold:.2f}; calibration error {about['calibration error']:.3f}")

    tables = _measured(Matching(file, ranker), base, similar, held_out, recipe.distractors)
    out.mkdir(parents=True, exist_ok=True)
    write_json(out / MATCHING, msgspec.structs.replace(file, about={**about, "figures": tables}))
    write_json(out / SCORES, tables)
    return tables


class _Lists:
    """Questions as lists of candidates: as the base is, with distractors, and for some without their answer."""

    def __init__(
        self,
        base: KnowledgeStore,
        similar: SimilarEntities,
        matcher: Matcher,
        words: WordCounts,
        recipe: MatchingRecipe,
    ) -> None:
        self._base, self._similar, self._matcher, self._words = base, similar, matcher, words
        self._recipe = recipe

    def of(self, questions: Sequence[KbqaQuestion]) -> list[tuple[Weighing, Featured]]:
        found = []
        for number, question in enumerate(questions):
            lacking = (number * self._recipe.unanswerable) % 1 < self._recipe.unanswerable
            for place, weighing in enumerate(self._weighings(question)):
                found.append((weighing, weighed_list(question, weighing)))
                if lacking:
                    left = without_answer(question, weighing)
                    if place == 0 and question.fact is not None:
                        # Once the entity is lacking, once no more than the predicate.
                        left = without_answer(
                            question,
                            self._evidence(question, WithoutEntity(self._base, question.fact.subject)),
                        )
                    found.append((left, weighed_list(question, left)))
        return found

    def _weighings(self, question: KbqaQuestion) -> Iterable[Weighing]:
        yield self._evidence(question, self._base)
        if question.fact is not None and self._recipe.distractors:
            entity = question.fact.subject
            distracted = Distracted(
                self._base, entity, self._similar.distractors(entity, self._recipe.distractors)
            )
            yield self._evidence(question, distracted)

    def _evidence(self, question: KbqaQuestion, base: Base) -> Weighing:
        return evidence_of(question.question, base, self._matcher, self._words)


def _fit_neural(
    lists: Sequence[tuple[Weighing, Featured]], lexical: Combination, ranker: PairScorer | None, l2: float
) -> Combination | None:
    if ranker is None:
        return None
    return fit([_with_ranker(each, lexical, ranker) for each in lists], l2=l2)


def _with_ranker(each: tuple[Weighing, Featured], lexical: Combination, ranker: PairScorer) -> Featured:
    weighing, (of, features) = each
    column = with_neural(of.question, weighing, lexical.scores(features), ranker)
    return of, features.with_columns({NEURAL: column})


def _sure(
    each: tuple[Weighing, Featured],
    lexical: Combination,
    neural: Combination | None,
    ranker: PairScorer | None,
) -> Sure:
    """How sure the model is of its best candidate, whether that is right, and whether there is an answer."""
    of, features = each[1]
    weights = lexical
    if neural is not None and ranker is not None:
        weights, (_, features) = neural, _with_ranker(each, lexical, ranker)
    scores = weights.scores(features)
    shares = softmax(scores)
    if len(shares) == 1:
        return Sure(0.0, False, False)
    best = int(shares[:-1].argmax())
    return Sure(float(shares[best]), of.right[best], not of.right[-1])


def _measured(
    model: Matching,
    base: KnowledgeStore,
    similar: SimilarEntities,
    questions: Sequence[KbqaQuestion],
    distractors: int,
) -> dict[str, Figures]:
    if not questions:
        return {}
    answerers = {"longest name, shared characters": by_overlap, "fitted": by_model(model)}
    tables = {
        f"{len(questions):,} questions held out": {
            name: figures(answer, base, questions) for name, answer in answerers.items()
        }
    }
    if distractors:
        tables[f"the same among {distractors} distracting predicates"] = {
            name: figures(answer, base, questions, similar=similar, distractors=distractors)
            for name, answer in answerers.items()
        }
    return tables
