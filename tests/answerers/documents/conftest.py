"""What a joint reader may have read of a page, said by hand."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest

from caveat.core.records import Document
from caveat.models.decoding import Candidate
from caveat.models.encoding import EncodedText
from caveat.models.joint import KINDS, TextReading, WindowReading

_TOKEN = re.compile(r"\w+|[^\w\s]")

MakeReading = Callable[..., TextReading]


def _reading(
    document: Document,
    spans: Sequence[str] = (),
    *,
    kinds: Mapping[str, float],
    answers: Mapping[str, float] | None = None,
    evidence: Mapping[str, float] | None = None,
    conditions: Mapping[str, float] | None = None,
) -> TextReading:
    """One window over a whole text.

    Each of the spans scores 2 less than the one before it, the first 9. `kinds` are probabilities, those that are not
    named share the rest; `answers`, `evidence` and `conditions` say for words how probable their tokens are, 0 for all
    others.
    """
    text = document.text
    tokens = [match.span() for match in _TOKEN.finditer(text)]
    starts, ends = (np.array(column, dtype=np.int32) for column in zip(*tokens, strict=True))
    rest = (1 - sum(kinds.values())) / max(1, len(KINDS) - len(kinds))
    logs = tuple(math.log(kinds.get(kind, rest) or 1e-9) for kind in KINDS)

    def marked(words: Mapping[str, float] | None) -> np.ndarray:
        found = np.zeros(len(tokens), dtype=np.float32)
        for word, probability in (words or {}).items():
            begin = text.index(word)
            inside = (starts >= begin) & (ends <= begin + len(word))
            found[inside] = probability
        return found

    candidates = tuple(
        Candidate(span, text.index(span), text.index(span) + len(span), 9.0 - 2 * number)
        for number, span in enumerate(spans)
    )
    encoded = EncodedText(text, np.zeros(len(tokens), dtype=np.int32), starts, ends)
    windows = (WindowReading(0, len(text), logs),)
    return TextReading(windows, candidates, encoded, marked(evidence), marked(answers), marked(conditions))


@pytest.fixture(scope="session")
def make_reading() -> MakeReading:
    """Write down what a reader read of a document (see `_reading`)."""
    return _reading
