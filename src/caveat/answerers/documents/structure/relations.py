"""Which spans belong together: by a fitted model, and by position alone, which the model has to beat.

Each answer chooses its head, a condition, a coarse answer or none. That is how CMQA is annotated: of its answers
0.3 % have two heads, a fine answer under a coarse one leaves the condition to that, and the items of a list hang on
the same head in 98 of 100 lists. So the model is a conditional logit over the possible heads of an answer, and the
items of a list choose together.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from caveat.answerers.documents.structure.features import Candidates, Feature, describe, find_candidates
from caveat.answerers.documents.structure.spans import Integers, Pair, Span, in_order, lay_out
from caveat.core.errors import InputError
from caveat.core.files import PathLike
from caveat.core.json_files import read_json, write_json
from caveat.language.sentences import sentences
from caveat.models.log_odds import log_softmax, softmax

# The file's name in a model's folder.
RELATIONS = "relations.json"
Floats = NDArray[np.float64]


def nearest_condition(spans: Iterable[Span]) -> list[Pair]:
    """Each answer with the last condition that begins before it."""
    ordered = in_order(spans)
    conditions = [span for span in ordered if span.kind == "condition"]
    return _nearest(conditions, [span for span in ordered if span.kind != "condition"])


def nearest_condition_of_the_uppermost(context: str, spans: Iterable[Span]) -> list[Pair]:
    """The same, leaving a fine answer after a coarse one in its sentence to that: the condition is the coarse one's.

    A line end ends a sentence here, as everywhere in `language.sentences`.
    """
    ordered = in_order(spans)
    starts = [start for start, _ in sentences(context)]
    under = {
        fine
        for coarse, fine in nearest_coarse(ordered)
        if bisect_right(starts, coarse.start) == bisect_right(starts, fine.start)
    }
    return [(condition, answer) for condition, answer in nearest_condition(ordered) if answer not in under]


def nearest_coarse(spans: Iterable[Span]) -> list[Pair]:
    """Each fine answer with the last coarse one that begins before it."""
    ordered = in_order(spans)
    coarse = [span for span in ordered if span.kind == "coarse"]
    return _nearest(coarse, [span for span in ordered if span.kind == "fine"])


def _nearest(heads: Sequence[Span], tails: Iterable[Span]) -> list[Pair]:
    starts = [head.start for head in heads]
    return [(heads[at - 1], tail) for tail in tails if (at := bisect_right(starts, tail.start))]


class FeatureWeights(msgspec.Struct, frozen=True, omit_defaults=True):
    """The weights of a feature by code; of a worded feature by word, then by code. What is absent weighs 0."""

    size: int
    plain: dict[int, float] = {}
    worded: dict[str, dict[int, float]] = {}


class Related(msgspec.Struct, frozen=True):
    """Two spans that belong together, and how probable the model finds it."""

    head: Span
    tail: Span
    probability: float

    @property
    def pair(self) -> Pair:
        """Head and tail alone."""
        return self.head, self.tail


class Relater(Protocol):
    """What says which spans belong together: the fitted model, or a network."""

    def relate(self, context: str, spans: Iterable[Span], question: str = "") -> list[Related]:
        """The spans that belong together, from left to right of their tails."""
        ...


class RelationModel:
    """Weights of features, ready to be looked up."""

    def __init__(self, features: Mapping[str, FeatureWeights]) -> None:
        self.features = dict(features)
        # All weights in one row; the first place stands for "nothing known", and weighs 0.
        self.weights = np.zeros(1 + sum(f.size * max(1, len(f.worded)) for f in features.values()))
        self._offsets: dict[str, int] = {}
        self._words: dict[str, dict[str, int]] = {}
        at = 1
        for name, feature in features.items():
            self._offsets[name], self._words[name] = at, {}
            for word, weights in feature.worded.items() or [("", feature.plain)]:
                self._words[name][word] = at
                for code, weight in weights.items():
                    self.weights[at + code] = weight
                at += feature.size

    def relate(self, context: str, spans: Iterable[Span], question: str = "") -> list[Related]:
        """The spans that belong together, from left to right of their tails."""
        layout = lay_out(context, spans)
        candidates = find_candidates(layout)
        if not len(candidates.answers):
            return []
        probability = self.probabilities(candidates, describe(layout, candidates, question))
        best = probability.argmax(1)
        rows = zip(candidates.answers.tolist(), candidates.heads.tolist(), best.tolist(), strict=True)
        return [
            Related(layout.spans[row[column]], layout.spans[answer], float(probability[number, column]))
            for number, (answer, row, column) in enumerate(rows)
            if row[column] >= 0
        ]

    def probabilities(self, candidates: Candidates, features: Sequence[Feature]) -> Floats:
        """Of each answer's candidates, by column; the same for all items of a list."""
        scores = np.sum([self.weights[self.indices(feature)] for feature in features], axis=0)
        logs = log_softmax(np.where(candidates.valid, scores, -np.inf))
        return _of_lists(logs, candidates)

    def indices(self, feature: Feature) -> Integers:
        """Where the weights of a feature stand in `weights`, by answer and column; 0 where the word is not known."""
        if feature.name not in self.features or self.features[feature.name].size != feature.size:
            raise InputError(f"the relation model was fitted with other features: {feature.name!r}")
        if feature.words is None or feature.of is None:
            return feature.codes + self._offsets[feature.name]
        starts = self._words[feature.name]
        of_span = np.array([*(starts.get(word, 0) for word in feature.words), 0])[feature.of]
        return np.where(of_span > 0, of_span + feature.codes, 0)


def _of_lists(logs: Floats, candidates: Candidates) -> Floats:
    """The geometric mean of the probabilities that the items of a list give to a head, normalised."""
    same = candidates.heads == candidates.heads[candidates.first][candidates.run]
    # A condition may begin within a list: its items then have different candidates, and each chooses for itself.
    together = np.logical_and.reduceat(same.all(1), candidates.first)[candidates.run]
    lengths = candidates.last - candidates.first + 1
    means = np.add.reduceat(logs, candidates.first, axis=0) / lengths[:, None]
    return softmax(np.where(together[:, None], means[candidates.run], logs))


class _File(msgspec.Struct, frozen=True):
    about: dict[str, object]
    features: dict[str, FeatureWeights]


def read_model(path: PathLike) -> RelationModel:
    """A model from its JSON file."""
    features = read_json(path, _File).features
    for name, feature in features.items():
        for weights in (feature.plain, *feature.worded.values()):
            if any(not 0 <= code < feature.size for code in weights):
                raise InputError(f"a code of {name!r} is not below its size, {feature.size}", path=path)
    return RelationModel(features)


def model_beside(folder: PathLike) -> RelationModel | None:
    """The model in a tagger's folder, if there is one."""
    path = Path(folder) / RELATIONS
    return read_model(path) if path.is_file() else None


@cache
def embedded_model() -> RelationModel:
    """The model for Chinese that comes with the package."""
    return read_model(str(files("caveat.models.weights") / "structure-zh" / RELATIONS))


def write_model(path: PathLike, model: RelationModel, about: Mapping[str, object]) -> None:
    """The model as JSON, with what it was made of and measured at."""
    write_json(path, _File(dict(about), model.features))
