"""Whether a page speaks to a question of yes or no at all: how much of what it asks about the page has, and where.

A word tells the more the fewer questions ask with it: that "get" or "need" is missing says little, that what is asked
about is missing says almost all. The weights are fitted (`caveat.models.logit`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from caveat.answerers.documents.page import Page
from caveat.core.records import Question

Floats = NDArray[np.float64]

# The share of the questions that have a word which is not listed, and the least share that is told from it.
_UNLISTED = 1 / 4000
# A word counts at least so much that every question has, beside 1 for one that is not listed.
_LEAST_RARE = 0.1
# The best elements that are taken together.
_TOGETHER = 3
# More words and elements than these make no difference.
_MOST_WORDS, _MOST_ELEMENTS = 12, 300


def silence_features(page: Page, question: Question, asked: Mapping[str, float]) -> dict[str, float]:
    """What tells a page that speaks to a question from one that does not; `asked` as in the weights."""
    words, held = page.held(question.text)
    found = {
        "words": min(len(words), _MOST_WORDS) / _MOST_WORDS,
        "elements": math.log1p(min(len(held), _MOST_ELEMENTS)) / math.log1p(_MOST_ELEMENTS),
    }
    if len(held) and not page.is_heading.all():
        # A heading alone says nothing; its words are counted with what stands under it.
        held = held[~page.is_heading]
    if not words or not len(held):
        return found
    rarity = np.array([-math.log(max(asked.get(word, 0.0), _UNLISTED)) for word in words])
    rarity = np.maximum(rarity / -math.log(_UNLISTED), _LEAST_RARE)
    weights = rarity**2 / (rarity**2).sum()
    shares: Floats = held @ weights
    best = np.argsort(-shares, kind="stable")[:_TOGETHER]
    anywhere = np.asarray(held.any(0))
    rarest = int(rarity.argmax())
    found |= {
        "best element": float(shares[best[0]]),
        "best three": float(weights[held[best].any(0)].sum()),
        "page": float(weights[anywhere].sum()),
        "rarest word in page": float(anywhere[rarest]),
        "rarest word in best element": float(held[best[0], rarest]),
        "words missing": min(4, int((~anywhere).sum())) / 4,
    }
    scores, _ = page.shared(question.text)
    if scores.any():
        found["best over mean"] = math.log(1 / max(float(scores.mean()), 0.01)) / math.log(100)
    if question.scenario:
        told, also = page.held(question.scenario)
        found["scenario"] = 1.0
        if told:
            found["scenario in page"] = float(also.any(0).mean())
            found["scenario in best element"] = float(also.mean(1).max())
    return found
