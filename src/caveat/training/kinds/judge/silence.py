"""Questions of yes or no beside pages that speak to them and pages that do not, and the weights that tell them apart.

A question's own page speaks to it. Beside it stand pages that do not: its own without the evidence, the other page
that is most like the question by BM25, and one that is drawn. Where a question has a single text for a page, pages of
several sizes are made of it and of the other texts most like the question, with its own text or without it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from caveat.answerers.documents.page import Page
from caveat.answerers.ranking.matching import match
from caveat.benchmarks.conditionalqa.format import ConditionalDocument, ConditionalQuestion, page_document
from caveat.core.records import Question
from caveat.language.bm25 import bm25
from caveat.language.tokens import STOP_TOKENS, Vocabulary, tokens
from caveat.models.logit import Logit
from caveat.sources.markdown import parse_markdown
from caveat.sources.plain_text import parse_plain_text
from caveat.training.fitting import fit_logit
from caveat.training.kinds.judge.judgements import Pair
from caveat.training.kinds.judge.rule_questions import asked_pages
from caveat.training.sampling import fold_of, spread

Floats = NDArray[np.float64]

# The pages that are made of single texts have so many of them.
_SIZES = (1, 3, 8)
# Texts that share more than this of all their words are one rule written twice.
_SAME = 0.5


class Spoken(NamedTuple):
    """A question on a page: which kind of page it is ("own" speaks to it), and what its fold goes by.

    `yes` is the share of its answers that are yes, None where the page does not speak to it; `conditional` whether
    any of them has conditions.
    """

    question: Question
    page: Page
    kind: str
    source: str
    yes: float | None = None
    conditional: bool = False

    @property
    def answered(self) -> bool:
        """Whether the page speaks to it."""
        return self.kind == "own"


def on_pages(
    questions: Sequence[ConditionalQuestion],
    pages: Mapping[str, ConditionalDocument],
    seed: int,
    *,
    most: int = 0,
) -> Iterator[Spoken]:
    """Each question on its own page, on the page without its evidence, on the likest other page and on any other.

    Where there are more than `most`, those on pages that do not speak to them are spread over all.
    """
    draw = random.Random(f"silence {seed}")
    urls = sorted(pages)
    page_of = lru_cache(maxsize=None)(lambda url: Page.of(page_document(pages[url])))
    like = _Likeness([" ".join(pages[url].contents) for url in urls])
    elsewhere = frozenset(each.id for each in spread(questions, most or len(questions)))
    for question in questions:
        asked = Question(question.question, question.scenario, "en")
        texts = [answer.text for answer in question.answers]
        share = texts.count("yes") / max(1, len(texts))
        depends = any(answer.conditions for answer in question.answers)
        yield Spoken(asked, page_of(question.url), "own", question.url, share, depends)
        if question.id not in elsewhere:
            continue
        rest = tuple(each for each in pages[question.url].contents if each not in question.evidences)
        if rest:
            page = Page.of(page_document(ConditionalDocument("", question.url, rest)))
            yield Spoken(asked, page, "own without its evidence", question.url)
        others = [urls[at] for at in like.order(question.question) if urls[at] != question.url]
        if others:
            yield Spoken(asked, page_of(others[0]), "likest other", question.url)
            yield Spoken(asked, page_of(draw.choice(others)), "any other", question.url)


def on_texts(
    pairs: Sequence[Pair], seed: int, *, labelled: bool = True, others_silent: bool = True
) -> Iterator[Spoken]:
    """Each question on a page that is made of its text and those most like the question, and on pages without it.

    Pages without it are left out where they may answer it too.
    """
    draw = random.Random(f"silence {seed}")
    texts = sorted({pair.text for pair in pairs})
    sets = {text: frozenset(tokens(text)) for text in texts}
    like = _Likeness(texts)
    # What is said of the asker behind the question differs between dialogues on the same rule.
    labels = {(_question_of(pair.judged), pair.text): pair.label for pair in pairs}
    for (question, text), label in labels.items():
        asked = Question(question)
        own, size = sets[text], draw.choice(_SIZES)
        order = (texts[at] for at in like.order(question))
        others = [other for other in order if len(own & sets[other]) <= _SAME * len(own | sets[other])]
        for kind, chosen in (
            ("own", [text, *others[: size - 1]]),
            ("likest other", others[:size]),
            ("any other", draw.sample(others, min(size, len(others)))),
        ):
            if chosen and (others_silent or kind == "own"):
                draw.shuffle(chosen)
                yes = float(label == "entailed") if kind == "own" and labelled else None
                yield Spoken(asked, Page.of(parse_markdown("\n\n".join(chosen))), kind, text, yes)


def on_asked_pages(texts: Iterable[str], seed: int) -> Iterator[Spoken]:
    """Each page with the questions that its own sentences answer."""
    draw = random.Random(f"pages {seed}")
    for text in texts:
        for question, page, yes in asked_pages(text, draw):
            yield Spoken(
                Question(question, language="en"), Page.of(parse_plain_text(page)), "own", text, float(yes)
            )


def asked_words(sets: Sequence[Sequence[str]]) -> dict[str, float]:
    """The words, without endings, that questions of every set have, and the least share of a set's questions that do.

    What is often asked about in one set alone is its matter, not a way of asking.
    """
    counts = [Counter(word for question in each for word in set(tokens(question))) for each in sets]
    common = set.intersection(*(set(count) for count in counts)) if counts else set()
    return {
        word: float(f"{min(count[word] / len(each) for count, each in zip(counts, sets, strict=True)):.2g}")
        for word in sorted(common)
        if word not in STOP_TOKENS and len(word) > 1
    }


def fit_answered(
    spoken: Sequence[Spoken], features: Sequence[Mapping[str, float]], *, silent: float, l2: float, folds: int
) -> tuple[Logit, Floats]:
    """The weights, and for each question on a page how probable weights of the other folds hold it to be answered.

    The pages that do not speak to a question count `silent` together; a question that is put to its own page alone
    does not count.
    """
    counts = _counts(spoken, silent)
    targets = np.array([float(each.answered) for each in spoken])

    def fitted(places: NDArray[np.intp]) -> Logit:
        return fit_logit(
            [features[at] for at in places], targets[places].tolist(), counts[places].tolist(), l2
        )

    held_out = np.zeros(len(spoken))
    fold = np.array([fold_of(each.source, folds) if folds else 0 for each in spoken])
    for number in sorted(set(fold.tolist())) if folds else ():
        logit = fitted(np.flatnonzero(fold != number))
        for at in np.flatnonzero(fold == number).tolist():
            held_out[at] = logit.probability(features[at])
    return fitted(np.arange(len(spoken))), held_out


def silence_figures(
    spoken: Sequence[Spoken], probabilities: Floats, *, silent: float
) -> dict[str, dict[str, Any]]:
    """How well the two are told apart at even odds, and how often each kind of page is held to be silent."""
    counts = _counts(spoken, silent)
    truth = np.array([float(each.answered) for each in spoken])
    right = (probabilities >= 0.5) == (truth > 0)
    # Questions that are put to their own pages alone count nothing.
    total = counts.sum() or 1.0
    # The share of the pairs of one of each in which the page that speaks to its question is held to be the likelier.
    ranks = np.searchsorted(np.sort(probabilities[truth == 0]), probabilities[truth == 1])
    figures = {
        "log loss": round(float(counts @ _log_losses(probabilities, truth) / total), 4),
        "auc": round(100 * float(ranks.mean()) / max(1, int((truth == 0).sum())), 2),
        "accuracy": round(100 * float(counts @ right / total), 2),
        "calibration error": round(_calibration_error(probabilities, truth, counts), 4),
        "pairs": len(spoken),
    }
    return {"answered or not": figures, "held to be silent": by_kind(spoken, probabilities < 0.5)}


def by_kind(spoken: Sequence[Spoken], said: NDArray[np.bool_]) -> dict[str, Any]:
    """The percentage of each kind of page of which it is said."""
    kinds: dict[str, list[bool]] = {}
    for each, is_said in zip(spoken, said.tolist(), strict=True):
        kinds.setdefault(each.kind, []).append(is_said)
    return {kind: round(100 * float(np.mean(found)), 2) for kind, found in kinds.items()}


def _log_losses(probabilities: Floats, truth: Floats) -> Floats:
    losses: Floats = -np.log(np.clip(np.where(truth > 0, probabilities, 1 - probabilities), 1e-9, 1.0))
    return losses


def _calibration_error(probabilities: Floats, truth: Floats, counts: Floats) -> float:
    """How far, in ten bins, the mean probability is from the share that is answered."""
    bins = np.minimum((10 * probabilities).astype(np.intp), 9)
    off = np.bincount(bins, weights=counts * (probabilities - truth), minlength=10)
    return float(np.abs(off).sum() / (counts.sum() or 1.0))


class _Likeness:
    """Texts in the order of their BM25 to a question."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._vocabulary, self._count = Vocabulary(), len(texts)
        self._texts = self._vocabulary.encode(texts)

    def order(self, question: str) -> list[int]:
        asked = self._vocabulary.encode([question])[:-1]
        if not len(asked):
            return list(range(self._count))
        found = match(asked, self._texts)
        scores = bm25(found.runs[0].counted(np.arange(self._count), self._count), found.lengths)
        order: list[int] = np.argsort(-scores, kind="stable").tolist()
        return order


def _question_of(judged: str) -> str:
    """The question, without what is said of the asker behind it."""
    question, mark, _ = judged.partition("?")
    return question + mark


def _counts(spoken: Sequence[Spoken], silent: float) -> Floats:
    """What each counts: a page that speaks to its question 1, those that do not `silent` for all of a question."""
    others = Counter((each.question, each.source) for each in spoken if not each.answered)
    both = frozenset(others)
    return np.array(
        [
            float((each.question, each.source) in both)
            if each.answered
            else silent / others[each.question, each.source]
            for each in spoken
        ]
    )
