"""The model that understands questions: a matcher, counts of words, and the weights of all evidence.

A conditional logit: the softmax over all that a question can mean, and over that the base has no answer, is the
probability of each. One JSON file holds it; the one for Chinese comes with the package, and its weights without the
matcher serve any other language.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple, Protocol

import msgspec
import numpy as np

from caveat.answerers.knowledge.evidence import Weighing, evidence_of
from caveat.answerers.knowledge.names import Base, Candidate
from caveat.answerers.knowledge.words import Matcher, MatcherFile, WordCounts
from caveat.answerers.ranking.combination import Combination
from caveat.answerers.ranking.features import Floats
from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.json_files import read_json
from caveat.core.languages import language_of
from caveat.language.packs.zh import CHINESE
from caveat.library.triples.mentions import Mention

if TYPE_CHECKING:
    from caveat.models.windowed_model import ReadRequest

from caveat.models.log_odds import softmax

MATCHING = "matching.json"
# The column of a cross-encoder's scores. It reads the best candidates by the other evidence; the rest get the least.
NEURAL = "neural"
_EMBEDDED = "match-zh"
_READ, _LEAST, _MOST = 8, -10.0, 10.0


class PairScorer(Protocol):
    """Something that scores pairs of question and predicate: a ranker."""

    def score(self, pairs: Iterable[ReadRequest], /) -> Iterator[float]:
        """The score of each pair, in order."""
        ...


class MatchingFile(msgspec.Struct, frozen=True, omit_defaults=True):
    """matching.json: what was learnt, and what it was fitted to and measured at.

    `plain` weighs what holds in any language, `lexical` all evidence but a cross-encoder's, `neural` that as well.
    Below `threshold` an answer is a guess, and none is better.
    """

    about: dict[str, object]
    matcher: MatcherFile
    words: WordCounts
    plain: Combination
    lexical: Combination
    threshold: float
    neural: Combination | None = None


class Understood(NamedTuple):
    """A way to understand a question, and how probable it is."""

    mention: Mention
    entity: str
    candidate: Candidate
    masked: str
    probability: float


class Matching:
    """The model at work; may be used from several threads."""

    def __init__(self, file: MatchingFile, scorer: PairScorer | None = None) -> None:
        if scorer is not None and file.neural is None:
            raise InputError("the matching was fitted without a ranker, so it cannot weigh one")
        self.matcher = Matcher(file.matcher)
        self.threshold = file.threshold
        self._file, self._scorer = file, scorer

    def understood(self, question: str, base: Base) -> tuple[list[Understood], float]:
        """What a question can mean in a base, the most probable first, and how probable it is that it has no answer."""
        weighing = evidence_of(question, base, self.matcher, self._file.words)
        if not weighing.candidates:
            return [], 1.0
        scores = self._scores(question, weighing)
        shares = softmax(scores)
        found = []
        for place in np.argsort(-shares[:-1], kind="stable").tolist():
            candidate = weighing.candidates[place]
            number = candidate.mention
            entity = weighing.named[number][candidate.entity].entity
            found.append(
                Understood(
                    weighing.mentions[number],
                    entity,
                    candidate,
                    weighing.masked[number],
                    float(shares[place]),
                )
            )
        return found, float(shares[-1])

    def _scores(self, question: str, weighing: Weighing) -> Floats:
        if language_of(question) != CHINESE:
            return self._file.plain.scores(weighing.features)
        lexical = self._file.lexical.scores(weighing.features)
        if self._scorer is None or self._file.neural is None:
            return lexical
        column = with_neural(question, weighing, lexical, self._scorer)
        return self._file.neural.scores(weighing.features.with_columns({NEURAL: column}))


def with_neural(question: str, weighing: Weighing, lexical: Floats, scorer: PairScorer) -> Floats:
    """A ranker's scores for the predicates of the best candidates, as a column; the row for no answer has 0."""
    from caveat.models.windowed_model import ReadRequest

    best = np.argsort(-lexical[:-1], kind="stable")[:_READ].tolist()
    predicates = list(dict.fromkeys(weighing.candidates[place].predicate for place in best))
    requests = [ReadRequest(question, predicate) for predicate in predicates]
    by_predicate = dict(zip(predicates, scorer.score(requests), strict=True))
    column = np.full(len(lexical), _LEAST)
    for place in best:
        column[place] = min(max(by_predicate[weighing.candidates[place].predicate], _LEAST), _MOST)
    column[-1] = 0.0
    return column


def read_matching(path: PathLike, scorer: PairScorer | None = None) -> Matching:
    """The model of a file."""
    return Matching(read_json(path, MatchingFile), scorer)


@cache
def embedded_matching() -> Matching:
    """The model that comes with the package, with the ranker that lies beside it, if there is one that it weighs."""
    from caveat.models.embedded import embedded

    file = read_json(str(files("caveat.models.weights") / _EMBEDDED / MATCHING), MatchingFile)
    if file.neural is None or _EMBEDDED not in embedded():
        return Matching(file)
    from caveat.models.ranker import Ranker

    return Matching(file, Ranker.load(embedded()[_EMBEDDED]))
