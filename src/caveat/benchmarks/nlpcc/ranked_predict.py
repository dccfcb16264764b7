"""Scores for the candidates of the tasks that rank them, one a line, as the tasks want them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import tee
from time import perf_counter

import msgspec
import numpy as np

from caveat.answerers.prompted.asking import ask_to_rank
from caveat.answerers.ranking.combination import (
    Combination,
    Kind,
    combination_beside,
    distinct,
    embedded_combination,
)
from caveat.answerers.ranking.evidence import BY_RANKER, CandidateList, Evidence, PairScorer
from caveat.answerers.ranking.features import Floats
from caveat.benchmarks.nlpcc import dbqa_format, tbqa_format
from caveat.benchmarks.nlpcc.candidates import groups, write_scores
from caveat.benchmarks.task import Predicted, Prediction, Through
from caveat.core.errors import CaveatError, InputError, UnknownNameError, UsageError
from caveat.core.files import PathLike
from caveat.core.languages import Language, language_of
from caveat.core.loading import needs_extra, network_of
from caveat.core.spreading import Spread, Stream, here
from caveat.models.embedded import embedded, find
from caveat.models.language_model.client import Client, client_among
from caveat.models.ranker import Ranker

# The tasks, and the embedded model that fits each.
RANKED = {"nlpcc-dbqa": "rank-zh", "nlpcc-tbqa": "rank-en"}
# How candidates can be scored; those after the second need no ranker.
METHODS = ("combined", "ranker", "lexical", "bm25", "overlap")
_WITH_RANKER = METHODS[:2]
# Lists that are sent to a worker at a time.
_TOGETHER = 64
# Of the best so many candidates are shown to a language model, a table in about so many word pieces.
_CANDIDATES, _TABLE_ROOM = 10, 100

ScoredList = tuple[CandidateList, Floats]


class RankedPredicted(Predicted, frozen=True):
    """What a run did: `alone` counts questions with one candidate only, whose score says nothing."""

    method: str
    candidates: int
    alone: int
    closing: str = ""

    def remarks(self, out: str) -> list[str]:
        """How many candidates were scored, by what, and how fast."""
        said = []
        if self.alone:
            said.append(
                f"{_plural(self.alone, 'question')} with one candidate only, which is first whatever its score."
            )
        rate = self.candidates / self.seconds if self.seconds else 0.0
        said.append(
            f"{_plural(self.candidates, 'score')} for {_plural(self.questions, 'question')} written to {out}, by "
            f"{self.method}{f' ({self.model})' if self.model else ''}, in {self.seconds:.1f} s "
            f"({rate:.0f} pairs a second)."
        )
        return [*said, self.closing] if self.closing else said


def _plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


class DbqaOptions(msgspec.Struct, frozen=True):
    """How candidates are scored: by a method, one of `METHODS` or `embedding`, with a ranker or an encoder."""

    model: PathLike | None = None
    method: str | None = None
    encoder: str | None = None
    threads: int | None = None
    spread: Spread = here
    budget: str | None = None


class TbqaOptions(DbqaOptions, frozen=True):
    """The same, and the file of the tables where the data names them by id."""

    tables: PathLike | None = None


def predict_ranked(
    task: str,
    data: PathLike,
    out: PathLike,
    *,
    tables: PathLike | None = None,
    method: str | None = None,
    model: PathLike | None = None,
    scorer: PairScorer | None = None,
    client: Client | None = None,
    through: Through = iter,
    ranking: Stream | None = None,
) -> RankedPredicted:
    """Score every candidate of a data file, and write one score a line, no two of them alike.

    `method` is one of `METHODS`: by default the fitted combination of a ranker and lexical evidence where there is a
    ranker (`model`, the embedded one, or a `scorer` instead of both), else that of the lexical evidence alone. A
    `client` has a language model choose among the best. The lists are scored here, or by `ranking`, which is of the
    same method.
    """
    if scorer is None:
        scorer = ranker_for(task, method, model)
    method = method or ("combined" if scorer else "lexical")
    begin = perf_counter()
    questions = alone = 0
    scores: dict[int, float] = {}
    ranking = ranking or partial(ranked, method=method, scorer=scorer)
    lists = ranking(read_lists(task, data, tables))
    for each, found in through(lists if client is None else chosen_first(lists, client)):
        questions += 1
        alone += len(found) == 1
        scores.update(zip(each.indices, found.tolist(), strict=True))
    if not scores:
        raise InputError("has no candidates, so there is nothing to score", path=data)
    write_scores(out, distinct([scores[place] for place in range(len(scores))]).tolist())
    name = scorer.card.name if isinstance(scorer, Ranker) else ""
    seconds = perf_counter() - begin
    if client is not None:
        name = f"{client.endpoint.name}+{name}" if name else client.endpoint.name
    closing = "" if client is None else client.closing
    return RankedPredicted(task, name, questions, 0, seconds, method, len(scores), alone, closing)


def chosen_first(lists: Iterable[ScoredList], client: Client) -> Iterator[ScoredList]:
    """Every list with those of its best candidates first that a language model chooses, in its order."""
    mine, theirs = tee(lists)

    def best(scores: Floats) -> list[int]:
        order: list[int] = np.argsort(-scores, kind="stable").tolist()
        return order[:_CANDIDATES]

    evidence = Evidence()

    def shown() -> Iterator[tuple[str, list[str]]]:
        for each, scores in theirs:
            _, written = evidence.describe(each, _TABLE_ROOM)
            yield each.question, [written(at) for at in best(scores)]

    for (each, scores), numbers in zip(mine, ask_to_rank(client, shown()), strict=True):
        places = best(scores)
        raised = scores.copy()
        for behind, number in enumerate(numbers or ()):
            raised[places[number]] = float(scores.max()) + _CANDIDATES - behind
        yield each, raised


def ranked(
    lists: Iterable[CandidateList], method: str, scorer: PairScorer | None = None
) -> Iterator[ScoredList]:
    """Every list with its scores by a method, in order, as a stream."""
    chosen: dict[tuple[Kind, Language], Combination] = {}
    for each, features in Evidence().of(lists, scorer):
        key = each.kind, language_of(each.question)
        if key not in chosen:
            chosen[key] = _combination(*key, method, scorer)
        yield each, chosen[key].scores(features)


def read_lists(task: str, data: PathLike, tables: PathLike | None = None) -> Iterator[CandidateList]:
    """The questions of a task's data file with their candidates."""
    if task == "nlpcc-tbqa":
        return read_table_lists(data, tables)
    return read_sentence_lists(data)


def ranker_for(
    task: str, method: str | None, model: PathLike | None = None, *, threads: int | None = None
) -> Ranker | None:
    """The ranker that a method uses for a task: that of a model's folder, or the embedded one; None without any."""
    if task not in RANKED:
        raise UnknownNameError("task whose candidates are ranked", task, list(RANKED))
    if method is not None and method not in METHODS:
        raise UnknownNameError("method", method, list(METHODS))
    if method not in (None, *_WITH_RANKER):
        if model is not None:
            raise UsageError(f"The method {method} uses no model; leave one of the two out.")
        return None
    if model is not None:
        return Ranker.load(find(model), threads=threads)
    if RANKED[task] in embedded():
        return Ranker.load(embedded()[RANKED[task]], threads=threads)
    if method is not None:
        raise UsageError(
            f"The method {method} needs a ranker, and none came with this installation: --model names one."
        )
    return None


def _combination(kind: Kind, language: Language, method: str, scorer: PairScorer | None) -> Combination:
    if method == "lexical":
        return embedded_combination(language, kind)
    if method == "combined" and isinstance(scorer, Ranker):
        found = combination_beside(scorer.folder, kind)
        if found is not None:
            return found
    return Combination({BY_RANKER[0] if method in _WITH_RANKER else method: 1.0})


def read_sentence_lists(path: PathLike) -> Iterator[CandidateList]:
    """The lists of a DBQA file; the whole file is held in memory, as a question may come back in it."""
    for group in groups(dbqa_format.read(path)):
        sentences = tuple(pair.sentence for pair in group.pairs)
        yield CandidateList(
            group.question, sentences, _right(pair.label for pair in group.pairs), group.indices
        )


def read_table_lists(path: PathLike, tables: PathLike | None = None) -> Iterator[CandidateList]:
    """The lists of a TBQA file, with `tables` where it names them by id; held in memory as well."""
    for group in groups(tbqa_format.read(path, tables)):
        found = tuple(pair.table for pair in group.pairs)
        yield CandidateList(group.question, found, _right(pair.label for pair in group.pairs), group.indices)


def _right(labels: Iterable[int | None]) -> tuple[bool, ...]:
    found = tuple(labels)
    return () if None in found else tuple(bool(label) for label in found)


def _prediction(task: str, options: type[DbqaOptions]) -> Prediction[DbqaOptions]:
    def run(data: PathLike, out: PathLike, options: DbqaOptions, through: Through) -> Predicted:
        if (options.encoder is not None) != (options.method == "embedding"):
            raise UsageError("--method embedding and --encoder go together: the encoder's folder or name.")
        tables = options.tables if isinstance(options, TbqaOptions) else None
        load: Callable[[], PairScorer | None]
        method: str | None
        if options.encoder is not None:
            load, method, client = partial(_embedding_scorer, options.encoder), "ranker", None
        else:
            others, client = client_among([] if options.model is None else [options.model], options.budget)
            own = others[0] if others else None
            load = partial(ranker_for, task, options.method, own, threads=options.threads)
            method = options.method
        scorer = load()
        method = method or ("combined" if scorer else "lexical")
        done = predict_ranked(
            task,
            data,
            out,
            tables=tables,
            method=method,
            scorer=scorer,
            client=client,
            through=through,
            ranking=lambda lists: options.spread(partial(_ranking, load, method), lists, _TOGETHER),
        )
        if options.encoder is None:
            return done
        return msgspec.structs.replace(done, method="embedding", model=options.encoder)

    return Prediction(options, run)


def _ranking(load: Callable[[], PairScorer | None], method: str) -> Stream:
    return partial(ranked, method=method, scorer=load())


def _embedding_scorer(encoder: str) -> PairScorer:
    try:
        scorer: PairScorer = network_of("score-embeddings")(encoder)
    except ModuleNotFoundError as error:
        raise CaveatError(needs_extra("--method embedding", error.name, "train")) from error
    return scorer


PREDICTIONS = {
    "nlpcc-dbqa": _prediction("nlpcc-dbqa", DbqaOptions),
    "nlpcc-tbqa": _prediction("nlpcc-tbqa", TbqaOptions),
}
