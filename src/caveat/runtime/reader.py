"""The reader: questions and texts in, the most probable spans of each text out."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import msgspec

from caveat.errors import InputError
from caveat.formats.files import PathLike
from caveat.runtime.batching import Window, batches, collate
from caveat.runtime.card import MODEL, TOKENIZER, Card, check_model, read_card
from caveat.runtime.decoding import Candidate, best_spans, distinct_places
from caveat.runtime.encoding import (
    EncodedText,
    answer_characters,
    encode_question,
    encode_text,
    load_tokenizer,
)
from caveat.runtime.pairs import PairLayout, pair_layout
from caveat.runtime.probability import WEIGHED, Weighed, weigh
from caveat.runtime.selection import most_alike
from caveat.runtime.session import Session
from caveat.text.windows import even_windows

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["ReadRequest", "ReadResult", "Reader"]

# So many windows wait, are sorted by length and are read before the next are made.
_QUEUE = 1024
# Tokenised texts are kept for the next question until they have this many characters together.
_KEPT_CHARACTERS = 1 << 23


class ReadRequest(msgspec.Struct, frozen=True):
    """A question to be answered from a text."""

    question: str
    text: str


class ReadResult(msgspec.Struct, frozen=True):
    """The best spans of a text, best first, no two of which overlap; none where question or text is empty."""

    candidates: tuple[Candidate, ...] = ()


class Reader:
    """A model folder at work; construction is light, the model is loaded when it first reads.

    May be used from several threads.
    """

    def __init__(
        self, folder: Path, card: Card, *, threads: int | None = None, most_windows: int | None = None
    ) -> None:
        self.folder, self.card, self.most_windows = folder, card, most_windows
        self._session = Session(folder / MODEL, threads=threads)
        self._lock = Lock()
        self._tools: tuple[Tokenizer, PairLayout] | None = None
        self._texts: OrderedDict[str, EncodedText] = OrderedDict()
        self._characters = 0

    @classmethod
    def load(
        cls,
        folder: PathLike,
        *,
        window: int | None = None,
        stride: int | None = None,
        max_answer_tokens: int | None = None,
        threads: int | None = None,
        most_windows: int | None = None,
    ) -> Reader:
        """The reader of a model folder; what is given here replaces what its card says.

        With `most_windows`, of a text that has more only those are read that share most with the question.
        """
        given = {"window": window, "stride": stride, "max_answer_tokens": max_answer_tokens}
        changes = {name: value for name, value in given.items() if value is not None}
        card = msgspec.structs.replace(read_card(folder), **changes)
        for name, value in changes.items():
            if value < 1:
                raise InputError(f"{name} must be above 0, got {value}", path=folder)
        return cls(Path(folder), card, threads=threads, most_windows=most_windows)

    def read(self, requests: Iterable[ReadRequest], *, count: int = WEIGHED) -> Iterator[ReadResult]:
        """A result a request, in order, with at most `count` spans each.

        The windows of all requests go through one queue, which holds a limited number of them, however many
        requests there are and however long the texts.
        """
        found: dict[int, list[Candidate]] = {}
        asked = done = 0

        def queue() -> Iterator[Window]:
            nonlocal asked
            for request in requests:
                asked += 1
                yield from self._windows(asked - 1, request)

        coming = queue()
        while True:
            part = list(islice(coming, _QUEUE))
            for window, candidates in self._search(part, count):
                found.setdefault(window.request, []).extend(candidates)
            # A full queue may end in the middle of a text.
            complete = asked if len(part) < _QUEUE else part[-1].request
            while done < complete:
                yield ReadResult(tuple(distinct_places(found.pop(done, ()), count)))
                done += 1
            if len(part) < _QUEUE:
                return

    def weigh(self, results: Sequence[ReadResult]) -> Weighed:
        """The results of one question on several texts as answers with the card's calibrated probabilities."""
        return weigh(
            [result.candidates for result in results],
            temperature=self.card.temperature,
            none_at=self.card.none_at,
        )

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
                self._characters += len(text)
            # The newest stays, however long it is: the next question is most probably on the same text.
            while self._characters > _KEPT_CHARACTERS and len(self._texts) > 1:
                self._characters -= len(self._texts.popitem(last=False)[0])
        return encoded

    def _windows(self, number: int, request: ReadRequest) -> Iterator[Window]:
        if not request.question.strip() or not request.text.strip():
            return
        tokenizer, layout = self._prepared()
        question = encode_question(tokenizer, request.question, self.card.max_question_tokens)
        text = self.encode(request.text)
        if not len(question) or not len(text):
            return
        room = self.card.window - layout.specials - len(question)
        cut = even_windows(len(text), room, self.card.stride)
        if self.most_windows is not None:
            cut = most_alike(question, text.ids, cut, self.most_windows)
        for first, last in cut:
            yield Window(number, question, text, first, last)

    def _search(self, part: Sequence[Window], count: int) -> Iterator[tuple[Window, list[Candidate]]]:
        """The best spans of every window, in the order in which the batches are read."""
        if not part:
            return
        layout = self._prepared()[1]
        for indices in batches([window.length + layout.specials for window in part]):
            rows = [part[index] for index in indices]
            batch = collate(rows, layout)
            starts, ends = self._session.run(batch.input_ids, batch.attention_mask, batch.token_type_ids)
            for row, (window, begin) in enumerate(zip(rows, batch.context, strict=True)):
                null = float(starts[row, 0]) + float(ends[row, 0]) if self.card.null == "cls" else 0.0
                context = slice(begin, begin + window.last - window.first)
                spans = best_spans(
                    starts[row, context], ends[row, context], self.card.max_answer_tokens, count
                )
                yield (
                    window,
                    [
                        Candidate(window.text.text[start:end], start, end, span.score - null)
                        for span in spans
                        for start, end in [
                            answer_characters(
                                window.text, window.first + span.first, window.first + span.last
                            )
                        ]
                        if start < end
                    ],
                )

    def _prepared(self) -> tuple[Tokenizer, PairLayout]:
        with self._lock:
            if self._tools is None:
                check_model(self.folder, self.card)
                tokenizer = load_tokenizer(self.folder / TOKENIZER)
                layout = self.card.layout or pair_layout(tokenizer)
                room = self.card.window - layout.specials - self.card.max_question_tokens
                if room < 1:
                    raise InputError(
                        f"a window of {self.card.window} tokens leaves no room beside a question of "
                        f"{self.card.max_question_tokens}",
                        path=self.folder,
                    )
                self._tools = tokenizer, layout
            return self._tools
