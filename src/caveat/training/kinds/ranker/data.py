"""Questions with candidates, as tokens and in lists for an epoch: a right candidate and some wrong ones of each.

They come from the formats that have them, and from passages, whose sentences become candidates.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec
import numpy as np

from caveat.answerers.ranking.combination import Kind
from caveat.answerers.ranking.evidence import CandidateList, Evidence
from caveat.benchmarks.nlpcc.ranked_predict import read_sentence_lists, read_table_lists
from caveat.benchmarks.shared.passage import Passage, questions_of
from caveat.core.errors import InputError
from caveat.language.sentences import sentences
from caveat.models.encoding import EncodedText, encode_question, encode_text
from caveat.models.windows import Window, even_windows
from caveat.training.kinds.reader.data import answer_places, read_passages, simplified
from caveat.training.recipe import Phase, Settings
from caveat.training.sampling import fold_of, repeated

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer


_NOWHERE = np.zeros(0, dtype=np.int32)


class RankDataSet(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of questions with candidates, some of them right."""

    path: str
    # NLPCC's pairs of question and sentence, or of question and table; or passages with questions in SQuAD's layout or
    # MRQA's JSON lines: the sentence with the answer is the right one of its passage.
    format: Literal["dbqa", "tbqa", "squad", "mrqa"]
    # The file of the tables, where the pairs name them by id.
    tables: str = ""
    # False where a list is only a part of a document: what stands beside a sentence is then not known.
    complete: bool = True
    # At most this many questions, drawn once by the seed.
    cap: int = 75_000
    # What a question counts: in a fit as it is, in training as passes over the set in an epoch.
    weight: float = 1.0
    # Traditional script becomes Simplified (SQuAD's layout and MRQA's).
    simplify: bool = False
    # For the model's card: what the set is called, and the terms it came with.
    name: str = ""
    licence: str = "unstated"

    @property
    def kind(self) -> Kind:
        """What its candidates are."""
        return "tables" if self.format == "tbqa" else "sentences"


def read_ranked(data: RankDataSet, root: Path, seed: int, left_out: Counter[str]) -> list[CandidateList]:
    """At most `cap` of the questions that have a right candidate; the others are counted by reason."""
    path = root / data.path
    found = []
    for each in _read(data, root):
        if not each.right:
            raise InputError("has no labels (0/1), so there is nothing to learn from", path=path)
        if any(each.right):
            found.append(each)
        else:
            left_out["without a right candidate"] += 1
    if not found:
        raise InputError("has no question with a right candidate", path=path)
    if len(found) > data.cap:
        left_out["over the cap"] += len(found) - data.cap
        kept = sorted(random.Random(f"cap {seed}").sample(range(len(found)), data.cap))
        found = [found[place] for place in kept]
    return found


def _read(data: RankDataSet, root: Path) -> Iterator[CandidateList]:
    path = root / data.path
    if data.format == "dbqa":
        return read_sentence_lists(path)
    if data.format == "tbqa":
        return read_table_lists(path, root / data.tables if data.tables else None)
    passages: Iterable[Passage] = read_passages(path, data.format)
    return sentence_lists(simplified(passages) if data.simplify else passages)


def sentence_lists(passages: Iterable[Passage]) -> Iterator[CandidateList]:
    """For every question the sentences of its passage; those that the annotated answer touches are right."""
    for passage, question in questions_of(passages):
        spans = sentences(passage.text)
        places = answer_places(passage.text, question) if question.answerable else ()
        if not spans or not question.text.strip():
            continue
        right = [bool(places) and start < places[0][1] and places[0][0] < end for start, end in spans]
        yield CandidateList(question.text, tuple(passage.text[a:b] for a, b in spans), tuple(right))


def fold_of_list(of: CandidateList, folds: int) -> int:
    """The fold of a question: all questions on a document fall into the same, told by its first sentence."""
    first = of.candidates[0]
    return fold_of(first if isinstance(first, str) else of.question, folds)


class RankQuestion(NamedTuple):
    """A question's tokens, those of its right candidates, and of its wrong ones, most alike to the question first."""

    question: NDArray[np.int32]
    right: tuple[EncodedText, ...]
    wrong: tuple[EncodedText, ...]


class RankCorpus(msgspec.Struct, frozen=True):
    """A tokenised data set; `left_out` counts questions that are not learnt from, by reason."""

    questions: tuple[RankQuestion, ...]
    left_out: dict[str, int]


class RankSample(NamedTuple):
    """A question with several candidates, the right one first."""

    windows: tuple[Window, ...]

    @property
    def length(self) -> int:
        """Tokens of the longest pair."""
        return max(window.length for window in self.windows)


def encode_lists(
    lists: Sequence[CandidateList],
    tokenizer: Tokenizer,
    *,
    window: int,
    neighbours: int,
    most_wrong: int,
    left_out: Mapping[str, int],
    max_question_tokens: int,
) -> RankCorpus:
    """The lists as tokens, written as for windows of that size; of many wrong candidates `most_wrong` are kept.

    Half of these are the ones that share most with the question.
    """
    evidence = Evidence()
    kept: dict[str, EncodedText] = {}

    def encoded(text: str) -> EncodedText:
        if text not in kept:
            # Where its tokens stand does not matter here, and would be twice as much as the tokens.
            kept[text] = EncodedText(text, encode_text(tokenizer, text).ids, _NOWHERE, _NOWHERE)
        return kept[text]

    questions = []
    empty = 0
    for each in lists:
        question = encode_question(tokenizer, each.question, max_question_tokens)
        features, written = evidence.describe(each, window, neighbours)
        alike = np.argsort(-features.column("bm25"), kind="stable").tolist()
        wrong = [place for place in alike if not each.right[place]]
        if len(wrong) > most_wrong:
            hard = most_wrong // 2
            draw = random.Random(f"wrong {each.question}")
            wrong = wrong[:hard] + draw.sample(wrong[hard:], most_wrong - hard)
        right = [encoded(written(place)) for place in alike if each.right[place]]
        found = RankQuestion(
            question, _readable(right), _readable([encoded(written(place)) for place in wrong])
        )
        if len(question) and found.right:
            questions.append(found)
        else:
            empty += 1
    return RankCorpus(tuple(questions), {**left_out, **({"empty": empty} if empty else {})})


def _readable(texts: Sequence[EncodedText]) -> tuple[EncodedText, ...]:
    return tuple(text for text in texts if len(text))


class RankSampler:
    """The lists of one phase, from which epochs are drawn; the same seed gives the same epoch."""

    def __init__(
        self,
        corpora: Sequence[tuple[RankCorpus, float]],
        specials: int,
        *,
        window: int,
        stride: int,
        wrong: int,
        foreign: int,
        hard: float,
    ) -> None:
        """`corpora` come with their weights; `specials` is the number of special tokens in a window."""
        self._corpora = corpora
        self._room, self._stride = window - specials, stride
        self._wrong, self._foreign = wrong, foreign
        self._hard = round(hard * wrong)

    def epoch(self, seed: str) -> list[RankSample]:
        """The lists of an epoch, set after set, each right candidate of a question in a list of its own."""
        draw = random.Random(seed)
        return [
            sample
            for corpus, weight in self._corpora
            for part in repeated(corpus.questions, weight, draw)
            for question in part
            for sample in self._samples(question, corpus.questions, draw)
        ]

    def _samples(
        self, question: RankQuestion, others: Sequence[RankQuestion], draw: random.Random
    ) -> Iterator[RankSample]:
        for right in question.right:
            wrong = [*self._own(question, draw), *self._of_others(question, others, draw)]
            if wrong:
                yield RankSample(tuple(self._window(question, text, draw) for text in (right, *wrong)))

    def _own(self, question: RankQuestion, draw: random.Random) -> list[EncodedText]:
        """Those most alike to the question, among twice as many as are taken, and others."""
        if len(question.wrong) <= self._wrong:
            return list(question.wrong)
        alike = draw.sample(question.wrong[: 2 * self._hard], min(self._hard, len(question.wrong)))
        rest = [text for text in question.wrong if not any(text is taken for taken in alike)]
        return alike + draw.sample(rest, self._wrong - len(alike))

    def _of_others(
        self, question: RankQuestion, others: Sequence[RankQuestion], draw: random.Random
    ) -> list[EncodedText]:
        """Right candidates of other questions; as many more as the own list is short of wrong ones."""
        short = max(0, self._wrong - len(question.wrong))
        # Three foreign ones for a list without wrong ones of its own are enough: they are easily told.
        wanted = self._foreign + min(short, 2)
        drawn = [draw.choice(others) for _ in range(wanted)]
        own = {text.text for text in question.right}
        return [other.right[0] for other in drawn if other is not question and other.right[0].text not in own]

    def _window(self, question: RankQuestion, text: EncodedText, draw: random.Random) -> Window:
        """The text, or one of its windows where it is too long for one."""
        cut = even_windows(len(text), self._room - len(question.question), self._stride)
        first, last = cut[0] if len(cut) == 1 else draw.choice(cut)
        return Window(0, question.question, text, first, last)


class RankTuning(RankDataSet, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Complete lists that the run is measured on, on the way and at its end, and the combination is fitted to."""

    # Steps between measurements, on this many questions spread over the file; 0: only at the end.
    every: int = 500
    questions: int = 200
    # At the end; 0 means all.
    final_questions: int = 0
    window: int = 192
    stride: int = 128
    # The combination with lexical evidence: how strongly its weights are held back, and in how many folds it is
    # measured, each by weights of the others.
    l2: float = 30.0
    folds: int = 5


class RankerRecipe(Settings, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a run that trains a ranker."""

    kind: Literal["ranker"] = "ranker"
    data: tuple[RankDataSet, ...]
    phases: tuple[Phase, ...]
    tuning: RankTuning | None = None
    # "pointwise": each pair by itself is right or wrong. "listwise": the right one of a question against its wrong
    # ones, by their softmax.
    loss: Literal["pointwise", "listwise"] = "listwise"
    # Wrong candidates that an epoch takes of a question's own list, and of the lists of other questions.
    wrong: int = 4
    foreign: int = 1
    # The share of the own ones that are taken because they share most with the question; the others are drawn.
    hard: float = 0.5
    # Sentences on each side that are read with each sentence.
    neighbours: int = 0

    @property
    def candidates(self) -> Kind:
        """What it ranks."""
        return self.tuning.kind if self.tuning else self.data[0].kind


def problems_of(recipe: RankerRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    if recipe.wrong < 0 or recipe.foreign < 0 or recipe.wrong + recipe.foreign < 1:
        yield "wrong and foreign must not be below 0, and one of them must be above"
    if not 0 <= recipe.hard <= 1:
        yield f"hard is a share, from 0 to 1, got {recipe.hard}"
    if recipe.neighbours < 0:
        yield f"neighbours must not be below 0, got {recipe.neighbours}"
    for data in recipe.data:
        if data.cap < 1 or data.weight <= 0:
            yield f"{data.path} needs a cap and a weight above 0"
    tuning = recipe.tuning
    if tuning and (tuning.folds < 2 or tuning.l2 <= 0):
        yield "tuning needs at least 2 folds and an l2 above 0"


class LexicalRecipe(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Every setting of a fit; sentences and tables get weights each of their own."""

    kind: Literal["lexical"]
    data: tuple[RankDataSet, ...]
    # Never fitted to: measured by the weights of `data`.
    measured: tuple[RankDataSet, ...] = ()
    # Half of this times the sum of the squared weights is added to the loss, which sums over the questions.
    l2: float = 30.0
    # Documents fall into this many folds by a hash, and each is measured by weights of the others; 0: not measured.
    folds: int = 5
    seed: int = 1


def lexical_problems(recipe: LexicalRecipe) -> Iterator[str]:
    """What is wrong with the values, a sentence each."""
    if not recipe.data:
        yield "a recipe needs at least one data set"
    if recipe.l2 <= 0:
        yield f"l2 must be above 0, got {recipe.l2}"
    if recipe.folds < 0 or recipe.folds == 1:
        yield f"folds must be 0 or at least 2, got {recipe.folds}"
    kinds = {data.kind for data in recipe.data}
    for data in recipe.measured:
        if data.kind not in kinds:
            yield f"{data.path} has {data.kind}, which nothing is fitted to"
    for data in (*recipe.data, *recipe.measured):
        if data.cap < 1 or data.weight <= 0:
            yield f"{data.path} needs a cap and a weight above 0"
