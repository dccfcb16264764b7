"""What all networks at work have in common: questions on texts become windows, which go through one queue."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol, TypeVar

import msgspec
import numpy as np

from caveat.core.errors import InputError
from caveat.core.limits import checkpoint
from caveat.models.card import TOKENIZER, Card, check_model
from caveat.models.encoding import (
    EncodedText,
    PairLayout,
    encode_question,
    encode_text,
    load_tokenizer,
    pair_layout,
)
from caveat.models.selection import Chosen, Limit, choose
from caveat.models.session import Session
from caveat.models.windows import (
    TOKENS_OF_ONE,
    Window,
    batches,
    collate,
    even_windows,
    parts_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

# This many windows wait, are sorted by length and are read before the next are made.
_QUEUE = 1024
# Tokenised texts are kept for the next question until they have this many characters together, each at least so many.
_KEPT_CHARACTERS, _LEAST_CHARACTERS = 1 << 23, 1 << 12
_NONE = np.empty(0, dtype=np.int32)

Found = TypeVar("Found")
_Run = Callable[..., "tuple[NDArray[np.float32], ...]"]


class ReadRequest(msgspec.Struct, frozen=True):
    """A question and the text that it is asked of; of its windows those are read that were chosen, if any were.

    An answer stands in one of the `parts`, half-open spans of characters in order, if any are given.
    """

    question: str
    text: str
    windows: tuple[Chosen, ...] | None = None
    parts: tuple[tuple[int, int], ...] | None = None


class Scorer(Protocol):
    """A network that scores a batch: a Session, or one in torch."""

    def run(
        self,
        input_ids: NDArray[np.int64],
        attention_mask: NDArray[np.int64],
        token_type_ids: NDArray[np.int64],
    ) -> tuple[NDArray[np.float32], ...]:
        """Outputs of [batch, length] or [batch, length, columns]."""
        ...


class Windowed:
    """A model folder at work; construction is light, the model is loaded when it first reads.

    May be used from several threads.
    """

    def __init__(
        self,
        folder: Path,
        card: Card,
        scorer: Scorer,
        *,
        tokenizer: Tokenizer | None = None,
        limit: Limit | None = None,
    ) -> None:
        """`tokenizer` is the folder's own where none is given."""
        self.folder, self.card, self.limit = folder, card, limit
        self._scorer, self._tokenizer = scorer, tokenizer
        self._lock = Lock()
        self._tools: tuple[Tokenizer, PairLayout] | None = None
        self._texts: OrderedDict[str, EncodedText] = OrderedDict()
        self._characters = 0

    @property
    def session(self) -> Session | None:
        """What runs its graph; None where that is no graph."""
        return self._scorer if isinstance(self._scorer, Session) else None

    def encode(self, text: str) -> EncodedText:
        """A text as tokens; recent texts are kept, so that further questions on them cost no more of this."""
        with self._lock:
            if text in self._texts:
                self._texts.move_to_end(text)
                return self._texts[text]
        encoded = encode_text(self._prepared()[0], text)
        with self._lock:
            if text not in self._texts:
                self._texts[text] = encoded
                self._characters += _kept_size(text)
            # The newest stays, however long it is: the next question is most probably on the same text.
            while self._characters > _KEPT_CHARACTERS and len(self._texts) > 1:
                self._characters -= _kept_size(self._texts.popitem(last=False)[0])
        return encoded

    def _by_request(
        self,
        requests: Iterable[ReadRequest],
        look: Callable[[Window, int, Sequence[NDArray[np.float32]]], Found],
    ) -> Iterator[list[tuple[Window, Found]]]:
        """For each request, in order, its windows, in any order, with what `look` found in each.

        `look` is given the window, the position at which its context begins, and its rows of the outputs. The queue
        holds a limited number of windows, however many requests there are and however long the texts. A request
        whose question or text is empty has no windows.
        """
        found: dict[int, list[tuple[Window, Found]]] = {}
        asked = done = 0

        def queue() -> Iterator[Window]:
            nonlocal asked
            for request in requests:
                checkpoint()
                asked += 1
                yield from self._windows(asked - 1, request)

        coming = queue()
        while True:
            part = list(islice(coming, _QUEUE))
            for window, begin, rows in self._scored(part):
                found.setdefault(window.request, []).append((window, look(window, begin, rows)))
            # A full queue may end in the middle of a text.
            complete = asked if len(part) < _QUEUE else part[-1].request
            while done < complete:
                yield found.pop(done, [])
                done += 1
            if len(part) < _QUEUE:
                return

    def _windows(self, number: int, request: ReadRequest) -> Iterator[Window]:
        asked = request.question.strip() or not self.card.max_question_tokens
        if request.windows == () or not asked or not request.text.strip():
            return
        question, text = self.encode_question(request.question), self.encode(request.text)
        if not len(text) or (not len(question) and self.card.max_question_tokens):
            return
        chosen: Sequence[Chosen] | None = request.windows
        if chosen is None:
            cut = self._cut(question, text)
            # As the model itself would have it, unless some are left out.
            chosen = [Chosen(*window) for window in cut]
            if self.limit is not None:
                chosen = choose(question, [(text.ids, cut)], self.limit)[0]
        parts = None if request.parts is None else parts_of(text.starts, text.ends, request.parts)
        for first, last, behind in chosen:
            yield Window(number, question, text, first, last, behind, parts)

    def choose(
        self, question: str, texts: Sequence[str], limit: Limit | None = None
    ) -> list[tuple[Chosen, ...]]:
        """The windows that are to be read of several texts for one question, at most the limit of all together.

        Without a limit that of the model at work.
        """
        asked = self.encode_question(question)
        encoded = [self.encode(text) if text.strip() else None for text in texts]
        cut = [
            (text.ids, self._cut(asked, text))
            if text is not None and len(text) and len(asked)
            else (_NONE, [])
            for text in encoded
        ]
        return list(map(tuple, choose(asked, cut, limit or self.limit)))

    @property
    def layout(self) -> PairLayout:
        """How question and text are joined: as the card says or, where it does not, the tokenizer."""
        return self._prepared()[1]

    def encode_question(self, question: str) -> NDArray[np.int32]:
        """A question's tokens, as many as the card allows."""
        return encode_question(self._prepared()[0], question, self.card.max_question_tokens)

    def _cut(self, question: NDArray[np.int32], text: EncodedText) -> list[tuple[int, int]]:
        room = self.card.window - self.layout.specials - len(question)
        return even_windows(len(text), room, self.card.stride)

    def _scored(self, part: Sequence[Window]) -> Iterator[tuple[Window, int, list[NDArray[np.float32]]]]:
        """Every window with its outputs, in the order in which the batches are read."""
        if not part:
            return
        layout = self.layout
        lengths = [window.length + layout.specials for window in part]

        def scored(indices: Sequence[int], run: _Run) -> list[tuple[Window, int, list[NDArray[np.float32]]]]:
            windows = [part[index] for index in indices]
            batch = collate(windows, layout)
            outputs = run(batch.input_ids, batch.attention_mask, batch.token_type_ids)
            return [
                (window, begin, [output[row] for output in outputs])
                for row, (window, begin) in enumerate(zip(windows, batch.context, strict=True))
            ]

        scorer = self._scorer
        if isinstance(scorer, Session) and scorer.threads > 1:
            small = batches(lengths, tokens=TOKENS_OF_ONE)
            if len(small) >= scorer.threads:
                from concurrent.futures import ThreadPoolExecutor

                with ThreadPoolExecutor(scorer.threads) as pool:
                    try:
                        for several in pool.map(partial(scored, run=scorer.run_beside), small):
                            checkpoint()
                            yield from several
                    finally:
                        # Where the work is given up, what has not begun is not read.
                        pool.shutdown(cancel_futures=True)
                return
        for indices in batches(lengths):
            checkpoint()
            yield from scored(indices, scorer.run)

    def _prepared(self) -> tuple[Tokenizer, PairLayout]:
        with self._lock:
            if self._tools is None:
                if self._tokenizer is None:
                    check_model(self.folder, self.card)
                    self._tokenizer = load_tokenizer(self.folder / TOKENIZER)
                layout = self.card.layout or pair_layout(self._tokenizer)
                room = self.card.window - layout.specials - self.card.max_question_tokens
                if room < 1:
                    raise InputError(
                        f"a window of {self.card.window} tokens leaves no room beside a question of "
                        f"{self.card.max_question_tokens}",
                        path=self.folder,
                    )
                self._tools = self._tokenizer, layout
            return self._tools


def _kept_size(text: str) -> int:
    return max(_LEAST_CHARACTERS, len(text))


def card_with(card: Card, folder: Path, **given: int | None) -> Card:
    """The card with the values that are given in the place of its own."""
    changes = {name: value for name, value in given.items() if value is not None}
    for name, value in changes.items():
        if value < 1:
            raise InputError(f"{name} must be above 0, got {value}", path=folder)
    return msgspec.structs.replace(card, **changes)
