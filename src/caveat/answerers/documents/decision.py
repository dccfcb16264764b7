"""The one decision: all candidates for a question, "not answered" among them, as probabilities that add up to 1.

A conditional logit: a weight for each named feature, fitted by `caveat train decision-LANGUAGE` to labelled questions
on pages, so that a new reader is followed by one command.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import msgspec
import numpy as np

from caveat.answerers.documents.candidates import Proposal, Proposals
from caveat.answerers.documents.cases import Case, case_at
from caveat.answerers.documents.open_conditions import open_conditions, stated
from caveat.answerers.documents.page import Page
from caveat.core.json_files import read_json
from caveat.core.logic import Expression
from caveat.core.records import Question
from caveat.models.joint import TextReading
from caveat.models.log_odds import softmax
from caveat.models.probability import Choice, Weighed

# The file's name in the folder of the reader that it was fitted to.
WEIGHTS = "decision.json"


class DecisionWeights(msgspec.Struct, frozen=True, eq=False):
    """decision.json: a weight a feature, of answers and of conditions, how often questions have each word.

    `about` is what all of it was fitted to.
    """

    about: dict[str, object]
    weights: dict[str, float]
    asked: dict[str, float]
    conditions: dict[str, float] = {}


def decide(proposals: Sequence[Proposal], weights: DecisionWeights) -> list[float]:
    """How probable each proposal is; features without a weight do not count."""
    known = weights.weights
    scores = [
        sum(known.get(name, 0.0) * value for name, value in proposal.features.items())
        for proposal in proposals
    ]
    return [float(share) for share in softmax(np.array(scores))]


@cache
def weights_beside(folder: Path) -> DecisionWeights | None:
    """The weights in a reader's folder; None where it has none."""
    path = folder / WEIGHTS
    return read_json(path, DecisionWeights) if path.is_file() else None


class Decided(NamedTuple):
    """Spans and "none" with their probabilities; all proposals with theirs; where the asker's own case stands.

    `texts` are what was read, and `conditions` the weights by which conditions are stated.
    """

    weighed: Weighed
    proposals: tuple[tuple[float, Proposal], ...] = ()
    cases: tuple[tuple[int, Case], ...] = ()
    texts: tuple[TextReading, ...] = ()
    conditions: Mapping[str, float] = MappingProxyType({})

    @property
    def best(self) -> Proposal | None:
        """The most probable answer, unless none is more probable."""
        answers = [each for each in self.proposals if each[1].kind not in ("none", "missed")]
        probability, best = max(answers, key=lambda each: each[0], default=(0.0, None))
        return best if probability >= self.weighed.unanswerable else None

    @property
    def several(self) -> bool:
        """Whether several answers are more probable than one; where nothing was proposed, they may be."""
        return not self.proposals or self._all("list") > self._all("span")

    def probability(self, kind: str) -> float:
        """Of the most probable proposal of a kind."""
        return max((probability for probability, each in self.proposals if each.kind == kind), default=0.0)

    def _all(self, kind: str) -> float:
        return sum(probability for probability, each in self.proposals if each.kind == kind)

    def stated(
        self, page: Page, number: int, question: Question, kind: str, place: tuple[int, int], said: Expression
    ) -> Expression:
        """What is stated that an answer depends on; `said` is what rules say."""
        text = self.texts[number] if self.texts else TextReading()
        return stated(open_conditions(page, text, question, kind, place, said), self.conditions)

    def case_of(self, choice: Choice) -> Case | None:
        """The asker's own case, if the choice stands in it."""
        number, best = choice.places[0]
        return case_at(self.cases, number, best.start)


def decided(found: Proposals, weights: DecisionWeights) -> Decided:
    """The proposals with their probabilities, the spans among them best first."""
    each = tuple(zip(decide(found.each, weights), found.each, strict=True))
    spans = sorted((pair for pair in each if pair[1].kind == "span"), key=lambda pair: -pair[0])
    choices = tuple(Choice(probability, proposal.places) for probability, proposal in spans)
    none = sum(probability for probability, proposal in each if proposal.kind == "none")
    return Decided(Weighed(choices, none), each, found.cases, found.texts, weights.conditions)
