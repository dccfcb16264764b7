"""How well questions are answered from a base, as it is and with distracting predicates mixed in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any
from zlib import crc32

import msgspec

from caveat.answerers.knowledge.answerer import KnowledgeAnswerer, PreparedBase
from caveat.answerers.knowledge.matching import Matching, embedded_matching, read_matching
from caveat.answerers.knowledge.names import Base
from caveat.benchmarks.nlpcc import metric
from caveat.benchmarks.nlpcc.kbqa_format import KbqaQuestion, read
from caveat.benchmarks.task import Analysis, Shown, Through
from caveat.core.answers import Triple
from caveat.core.errors import UsageError
from caveat.core.files import PathLike
from caveat.core.records import KnowledgeBase, Question
from caveat.library.triples.folding import clean_predicate
from caveat.library.triples.mentions import Mention

# The questions that nothing in the embedded model was fitted to.
HELD_OUT = 2_000
Answerer = Callable[[str, Base], tuple[str, ...]]


class KbqaAnalysisOptions(msgspec.Struct, frozen=True):
    """The base, an index or a file of triples; a matching.json instead of the embedded one.

    Asked are the `questions` whose text has the smallest hashes; `distractors` predicates of similar entities are mixed
    with those of each gold entity.
    """

    kb: PathLike | None = None
    model: PathLike | None = None
    questions: int = HELD_OUT
    distractors: int = 0


class KbqaAnalysis(msgspec.Struct, frozen=True):
    """The figures of the longest name with shared characters alone, and those of the fitted model."""

    overlap: dict[str, Any]
    fitted: dict[str, Any]

    def shown(self) -> Shown:
        """The two, one under the other."""
        return Shown({"longest name, shared characters": self.overlap, "fitted": self.fitted})


def _run(gold: PathLike, options: KbqaAnalysisOptions, through: Through) -> KbqaAnalysis:
    from caveat.library.triples.build import open_knowledge

    if options.kb is None:
        raise UsageError("nlpcc-kbqa is answered from triples: --kb names an index of them, or their file.")
    questions = held_out(read(gold), options.questions)
    base = open_knowledge(options.kb)
    model = embedded_matching() if options.model is None else read_matching(options.model)
    similar = SimilarEntities(base.triples()) if options.distractors else None
    overlap, fitted = (
        figures(answer, base, questions, similar=similar, distractors=options.distractors, through=through)
        for answer in (by_overlap, by_model(model))
    )
    return KbqaAnalysis(overlap, fitted)


ANALYSIS = Analysis(KbqaAnalysisOptions, _run)


def by_model(model: Matching) -> Answerer:
    """The values that a model is most sure of; none below its threshold."""

    answerer = KnowledgeAnswerer(model)

    def answer(question: str, base: Base) -> tuple[str, ...]:
        found, _ = answerer.find(Question(question), PreparedBase(KnowledgeBase(""), base))
        return found[0].values if found and found[0].probability >= model.threshold else ()

    return answer


def by_overlap(question: str, base: Base) -> tuple[str, ...]:
    """The baseline: the predicate that shares most characters with the question, of the longest name's first entity."""
    mentions = base.mentions(question)
    if not mentions:
        return ()
    values: dict[str, list[str]] = {}
    for triple in base.attributes(mentions[0].entities[0]):
        values.setdefault(clean_predicate(triple.predicate), []).append(triple.object)
    asked = set(question)
    best = max(values, key=lambda predicate: len(asked & set(predicate)) / len(set(predicate)))
    return tuple(dict.fromkeys(values[best]))


def figures(
    answer: Answerer,
    base: Base,
    questions: Sequence[KbqaQuestion],
    *,
    similar: SimilarEntities | None = None,
    distractors: int = 0,
    through: Callable[[Iterable[KbqaQuestion]], Iterable[KbqaQuestion]] = iter,
) -> dict[str, Any]:
    """Averaged F1, accuracy and MRR, and how many questions were left without an answer."""
    gold: dict[str, tuple[str, ...]] = {}
    found: dict[str, tuple[str, ...]] = {}
    for number, each in enumerate(through(questions)):
        asked_of = base
        if similar is not None and each.fact is not None:
            entity = each.fact.subject
            asked_of = Distracted(base, entity, similar.distractors(entity, distractors))
        found[str(number)] = answer(each.question, asked_of)
        gold[str(number)] = each.answers
    scores = metric.score_answer_sets(gold, found).scores
    kept = {name: scores[name] for name in ("average_f1", "accuracy@1", "mrr")}
    return {**kept, "unanswered": sum(not answers for answers in found.values()), "questions": len(gold)}


# Entities that are looked at for one, and predicates that one of them lends: so that none lends all.
_MOST_SIMILAR, _LENT = 400, 5


class Distracted:
    """A base in which one entity has further triples."""

    def __init__(self, base: Base, entity: str, further: Iterable[Triple]) -> None:
        self._base, self._entity, self._further = base, entity, tuple(further)

    def mentions(self, question: str) -> list[Mention]:
        """The names in a question."""
        return self._base.mentions(question)

    def attributes(self, entity: str) -> tuple[Triple, ...]:
        """All triples about an entity, and those that were lent to it."""
        own = self._base.attributes(entity)
        return (*own, *self._further) if entity == self._entity else own


class SimilarEntities:
    """Which entities have predicates in common."""

    def __init__(self, triples: Iterable[Triple]) -> None:
        self._triples: dict[str, dict[str, Triple]] = defaultdict(dict)
        for triple in triples:
            self._triples[triple.subject].setdefault(clean_predicate(triple.predicate), triple)
        self._having: dict[str, list[str]] = defaultdict(list)
        for entity, facts in self._triples.items():
            # One that has a single predicate has none to lend.
            if len(facts) > 1:
                for predicate in facts:
                    self._having[predicate].append(entity)
        # In an order that has nothing to do with the file's, and is the same every time.
        for several in self._having.values():
            several.sort(key=_hash)
            del several[_MOST_SIMILAR:]
        self._all = sorted((e for e, facts in self._triples.items() if len(facts) > 1), key=_hash)

    def distractors(self, entity: str, count: int) -> list[Triple]:
        """`count` triples for an entity, of predicates and objects that it has not, from the most similar first."""
        own = self._triples.get(entity, {})
        taken, objects = set(own), {triple.object for triple in own.values()}
        found: list[Triple] = []
        for other in self._similar(entity, own):
            facts = self._triples[other]
            lent = 0
            for predicate in sorted(facts, key=lambda each: _hash(entity + each)):
                if predicate in taken or facts[predicate].object in objects:
                    continue
                taken.add(predicate)
                found.append(Triple(entity, facts[predicate].predicate, facts[predicate].object))
                lent += 1
                if len(found) == count:
                    return found
                if lent == _LENT:
                    break
        return found

    def _similar(self, entity: str, own: Iterable[str]) -> Iterator[str]:
        """The entities that share most predicates with one, as a share of what both have; then any others."""
        shared: dict[str, int] = defaultdict(int)
        for predicate in own:
            for other in self._having.get(predicate, ()):
                shared[other] += 1
        shared.pop(entity, None)
        size = len(list(own))
        yield from sorted(
            shared,
            key=lambda other: (
                -shared[other] / (size + len(self._triples[other]) - shared[other]),
                _hash(entity + other),
            ),
        )
        start = _hash(entity) % (len(self._all) or 1)
        yield from (other for other in (*self._all[start:], *self._all[:start]) if other != entity)


def _hash(text: str) -> int:
    return crc32(text.encode("utf-8", "surrogatepass"))


def by_hash(questions: Iterable[KbqaQuestion]) -> list[KbqaQuestion]:
    """The questions in the order of BLAKE2b of their text, in UTF-8, 8 bytes long; of equal text in the given order."""
    return sorted(questions, key=lambda each: blake2b(each.question.strip().encode(), digest_size=8).digest())


def held_out(questions: Iterable[KbqaQuestion], count: int) -> list[KbqaQuestion]:
    """The first `count` of them in that order; a fit takes the others."""
    return by_hash(questions)[:count]
