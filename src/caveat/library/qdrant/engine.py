"""Search on servers: a dot product of terms there, and the last digits of BM25 here.

The vectors that are kept were weighed with the average length that passages had when the collection was made. Each
candidate's score is computed anew with the average of today, from how often it has each term and the rarity that the
server gives the term: the scores, and so the order, are those of the same passages in a folder.
"""

from __future__ import annotations

from collections.abc import Collection as Many
from collections.abc import Sequence
from threading import Lock
from time import monotonic
from typing import Any, NamedTuple
from uuid import UUID

from caveat.language.bm25 import idf
from caveat.library.qdrant.collection import (
    FIELDS,
    LENGTHS,
    TERMS,
    Averages,
    Collection,
    Field,
    dimension,
    occurrences,
    saturation,
)
from caveat.library.search import HEADINGS_WEIGH, Found, Kind

# Candidates beside those that are wanted; where the last one might still have been among these, twice as many.
_MORE, _MOST = 8, 256
# Seconds for which averages and rarities are taken to be as they were, or as often as long as it took to ask for them:
# the larger a library, the longer that is, and the less a minute's writing changes them.
_FRESH, _TIMES = 30.0, 100


class Statistics(NamedTuple):
    """How many passages there are, and how many terms each field has for one of them."""

    passages: int
    averages: Averages


class _Candidate(NamedTuple):
    id: str
    score: float
    payload: dict[str, Any]
    weights: dict[int, float]


class QdrantEngine:
    """Searches the passages of a collection. May be used from several threads."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection
        self._lock = Lock()
        self.forget()

    def forget(self) -> None:
        """What is known of the collection may have changed."""
        with self._lock:
            self._until = monotonic() + _FRESH
            self._statistics: Statistics | None = None
            self._rarity: dict[int, float] = {}

    def statistics(self) -> Statistics:
        """Of all passages as they are now, or were a moment ago."""
        if monotonic() > self._until:
            self.forget()
        if self._statistics is None:
            begin = monotonic()
            counted = {key: self._collection.values(key) for key in LENGTHS}
            # Every passage has a text or cells, were it of no length.
            passages = sum(sum(counted[f"{text}_terms"].values()) for _, text in FIELDS.values())
            totals = {
                key: sum(value * number for value, number in found.items()) for key, found in counted.items()
            }
            averages = {key.removesuffix("_terms"): total / max(1, passages) for key, total in totals.items()}
            self._statistics = Statistics(passages, averages)
            self._until = monotonic() + max(_FRESH, _TIMES * (monotonic() - begin))
        return self._statistics

    def search(
        self, kind: Kind, terms: Sequence[str], top: int, sources: Many[int] | None = None
    ) -> list[Found]:
        """The passages that fit best, best first; those that fit equally well by the numbers of their sources."""
        if not terms or (sources is not None and not sources):
            return []
        now, then = self.statistics().averages, self._collection.averages()
        assert then is not None
        over, text = FIELDS[kind]
        wanted: dict[int, tuple[Field, float]] = {}
        for term in terms:
            wanted[dimension(over, term)] = over, HEADINGS_WEIGH
            wanted[dimension(text, term)] = text, 1.0
        # No score is today higher by more than this.
        most = max(1.0, *(now[field] / then[field] for field in (over, text)))
        limit = top + _MORE
        while True:
            found = self._candidates(wanted, limit, sources)
            # A term of a table may have the number of one of a text.
            candidates = [each for each in found if f"{text}_terms" in each.payload]
            rarity = self._rarities(list(wanted), candidates)
            scored = sorted(
                ((self._score(each, wanted, rarity, then, now), each) for each in candidates),
                key=lambda pair: (-pair[0], pair[1].payload["record"], pair[1].payload["start"]),
            )
            if len(found) < limit or limit >= _MOST:
                break
            if len(scored) >= top and found[-1].score * most < scored[top - 1][0]:
                break
            limit = min(_MOST, 2 * limit)
        return [
            Found(UUID(each.payload["record"]).int, each.payload["start"], each.payload["end"], score)
            for score, each in scored[:top]
        ]

    def weights(self, kind: Kind, terms: Sequence[str]) -> list[float]:
        """What each term tells: the fewer passages have it, the more."""
        dimensions = [dimension(FIELDS[kind][1], term) for term in terms]
        rarity = self._rarities(dimensions, ())
        none = float(idf([0], self.statistics().passages)[0])
        missing = [each for each in dimensions if each not in rarity]
        found = self._first_of(missing) if missing else {}
        return [rarity.get(each, found.get(each, none)) for each in dimensions]

    def _candidates(
        self, wanted: dict[int, tuple[Field, float]], limit: int, sources: Many[int] | None
    ) -> list[_Candidate]:
        models = self._collection.nodes.models
        vector = models.SparseVector(indices=list(wanted), values=[weight for _, weight in wanted.values()])
        among = None
        if sources is not None:
            among = self._collection.where(record=[str(UUID(int=number)) for number in sources])
        found = self._collection.nodes.ask(
            lambda client: client.query_points(
                self._collection.name,
                query=vector,
                using=TERMS,
                limit=limit,
                query_filter=among,
                with_payload=["record", "start", "end", *LENGTHS],
                with_vectors=[TERMS],
            )
        )
        return [
            _Candidate(
                str(point.id),
                point.score,
                point.payload,
                {
                    index: value
                    for index, value in zip(
                        point.vector[TERMS].indices, point.vector[TERMS].values, strict=True
                    )
                    if index in wanted
                },
            )
            for point in found.points
        ]

    def _score(
        self,
        candidate: _Candidate,
        wanted: dict[int, tuple[Field, float]],
        rarity: dict[int, float],
        then: Averages,
        now: Averages,
    ) -> float:
        score = 0.0
        for index, kept in candidate.weights.items():
            field, weight = wanted[index]
            length = candidate.payload[f"{field}_terms"]
            count = occurrences(kept, length, then[field])
            # One that was deleted at this moment has no rarity any more.
            score += weight * rarity.get(index, 0.0) * saturation(count, length, now[field])
        return score

    def _rarities(self, dimensions: Sequence[int], candidates: Sequence[_Candidate]) -> dict[int, float]:
        """What the server weighs each term with that a candidate has: asked of it by that candidate alone."""
        models, known = self._collection.nodes.models, self._rarity
        holders: dict[int, _Candidate] = {}
        for each in candidates:
            for index in each.weights:
                if index not in known:
                    holders.setdefault(index, each)
        if holders:
            requests = [
                self._one(index, models.Filter(must=[models.HasIdCondition(has_id=[holder.id])]))
                for index, holder in holders.items()
            ]
            found = self._collection.nodes.ask(
                lambda client: client.query_batch_points(self._collection.name, requests)
            )
            known |= {
                index: reply.points[0].score / holder.weights[index]
                for (index, holder), reply in zip(holders.items(), found, strict=True)
                if reply.points
            }
        return {index: known[index] for index in dimensions if index in known}

    def _first_of(self, dimensions: Sequence[int]) -> dict[int, float]:
        """The rarity of terms, each by the first passage that has it; without those that none has."""
        requests = [self._one(index, None, with_vector=[TERMS]) for index in dimensions]
        replies = self._collection.nodes.ask(
            lambda client: client.query_batch_points(self._collection.name, requests)
        )
        known, found = self._rarity, dict[int, float]()
        for index, reply in zip(dimensions, replies, strict=True):
            if reply.points:
                point = reply.points[0]
                vector = point.vector[TERMS]
                found[index] = point.score / vector.values[vector.indices.index(index)]
        known |= found
        return found

    def _one(self, index: int, filter: Any, **options: Any) -> Any:
        models = self._collection.nodes.models
        return models.QueryRequest(
            query=models.SparseVector(indices=[index], values=[1.0]),
            using=TERMS,
            limit=1,
            filter=filter,
            with_payload=False,
            **options,
        )
