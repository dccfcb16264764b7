"""Texts as tokens with offsets into the text as it was given, and how a question and a text are joined.

`[CLS] q [SEP] c [SEP]`, `<s> q </s></s> c </s>`, `q <sep> c <sep> <cls>` …: the encoder's own tokenizer says which it
wants.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from caveat.core.errors import CaveatError, InputError
from caveat.core.limits import checkpoint

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

# A tokenizer needs some hundred bytes for each character it works on; longer texts go through it in pieces.
_PIECE = 1 << 16
# Pieces at a time: enough for every core, and no more in memory.
_TOGETHER = 16
_BLANK = re.compile(r"\s")
_SURROGATES = re.compile("[\ud800-\udfff]")

_PAD = ("[PAD]", "<pad>")


@dataclass(frozen=True, eq=False, slots=True)
class EncodedText:
    """A text and its tokens: ids, and the half-open characters of each."""

    text: str
    ids: NDArray[np.int32]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]

    def __len__(self) -> int:
        """The number of tokens."""
        return len(self.ids)


def load_tokenizer(path: Path) -> Tokenizer:
    """The tokenizer of a tokenizer.json, without truncation or padding."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises bare Exception
        raise InputError(f"not a tokenizer: {error}", path=path) from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    # A text that has "[SEP]" or "</s>" in it means those characters, not the end of a segment.
    tokenizer.encode_special_tokens = True
    return tokenizer


def encode_text(tokenizer: Tokenizer, text: str) -> EncodedText:
    """A text as tokens, without special ones; a long one goes through in pieces, cut between lines or words."""
    readable = _readable(text)
    cuts = pieces(readable)
    ids, starts, ends = [], [], []
    for begin in range(0, len(cuts), _TOGETHER):
        checkpoint()
        part = cuts[begin : begin + _TOGETHER]
        encodings = tokenizer.encode_batch([readable[a:b] for a, b in part], add_special_tokens=False)
        for (shift, _), encoding in zip(part, encodings, strict=True):
            offsets = np.array(encoding.offsets, dtype=np.int32).reshape(-1, 2)
            ids.append(np.array(encoding.ids, dtype=np.int32))
            starts.append(offsets[:, 0] + np.int32(shift))
            ends.append(offsets[:, 1] + np.int32(shift))
    return EncodedText(text, np.concatenate(ids), np.concatenate(starts), np.concatenate(ends))


def encode_question(tokenizer: Tokenizer, question: str, longest: int) -> NDArray[np.int32]:
    """A question's ids; one longer than `longest` keeps its beginning, as in training and in BERT's script."""
    # No token is longer than a few hundred characters: what lies far beyond cannot be among the first ones.
    encoding = tokenizer.encode(_readable(question[: 1000 * longest]), add_special_tokens=False)
    return np.array(encoding.ids[:longest], dtype=np.int32)


def pieces(text: str, size: int = _PIECE) -> list[tuple[int, int]]:
    """The text in pieces of at most `size` characters that end after a line, or else before a blank."""
    cuts: list[tuple[int, int]] = []
    start = 0
    while len(text) - start > size:
        least, end = start + size // 2, start + size
        line = text.rfind("\n", least, end)
        if line >= 0:
            end = line + 1
        else:
            # The blank goes with the word after it, as tokenizers of bytes want it.
            blanks = [match.start() for match in _BLANK.finditer(text, max(least, end - 1000), end)]
            end = blanks[-1] if blanks else end
        cuts.append((start, end))
        start = end
    cuts.append((start, len(text)))
    return cuts


def answer_characters(encoded: EncodedText, first: int, last: int) -> tuple[int, int]:
    """The half-open characters of tokens `first` to `last`, inclusive; empty where they are nothing but blanks.

    Blanks that a tokenizer counts to its tokens are left out; combining marks that it dropped stay with their
    letter, so that an answer never ends between a letter and its accent.
    """
    text = encoded.text
    start, end = int(encoded.starts[first]), int(encoded.ends[last])
    while start > 0 and _is_mark(text, start):
        start -= 1
    while start < end < len(text) and _is_mark(text, end):
        end += 1
    piece = text[start:end]
    stripped = piece.lstrip()
    start += len(piece) - len(stripped)
    return start, start + len(stripped.rstrip())


def _is_mark(text: str, at: int) -> bool:
    return text[at] > "\u02ff" and unicodedata.category(text[at]).startswith("M")


def _readable(text: str) -> str:
    """The text, as many characters, without halves of surrogate pairs, which no tokenizer takes."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


class PairLayout(msgspec.Struct, frozen=True):
    """Token ids before the first of question and context, between them, and after the second; segments; padding.

    The token that stands for the whole pair comes first or, where there is none before the pair, last.
    """

    before: tuple[int, ...]
    between: tuple[int, ...]
    after: tuple[int, ...]
    question_type: int
    context_type: int
    pad: int
    # The context is the first of the two, as the premise is in natural language inference.
    context_first: bool = False
    # The segment of the very last token where that is a third one, as XLNet has it.
    last_type: int | None = None

    @property
    def specials(self) -> int:
        """The number of tokens that belong to neither text."""
        return len(self.before) + len(self.between) + len(self.after)

    @property
    def whole(self) -> int:
        """The place of the token that stands for the whole pair, and in a reader for “no answer”."""
        return 0 if self.before else -1


def pair_layout(tokenizer: Tokenizer, *, last: bool = False) -> PairLayout:
    """The layout that the tokenizer's own post-processor gives to a pair.

    Only with `last` may the token of the whole pair come last: whatever is trained here reads it first.
    """
    joined = tokenizer.encode("a", "b")
    places = [index for index, special in enumerate(joined.special_tokens_mask) if not special]
    # "a" and "b" may each be several pieces (SentencePiece's blank): the second text begins after the gap.
    gap = next((i for i in range(1, len(places)) if places[i] != places[i - 1] + 1), None)
    after = joined.ids[places[-1] + 1 :] if places else []
    if gap is None or (places[0] == 0 and not (last and len(after) > 1)):
        raise CaveatError(
            "The tokenizer does not join a question and a text with special tokens, the first of which a reader "
            "needs for “no answer”: its post-processor is missing, or the card must give `layout`."
        )
    first, between, second = places[0], places[gap - 1] + 1, places[gap]
    last_type = joined.type_ids[-1] if joined.type_ids[-1] != joined.type_ids[second] else None
    return PairLayout(
        tuple(joined.ids[:first]),
        tuple(joined.ids[between:second]),
        tuple(after),
        joined.type_ids[first],
        joined.type_ids[second],
        _pad_of(tokenizer),
        last_type=last_type,
    )


def context_layout(tokenizer: Tokenizer) -> PairLayout:
    """The layout of a text alone, for a model that reads no question."""
    single = tokenizer.encode("a")
    places = [index for index, special in enumerate(single.special_tokens_mask) if not special]
    last_type = single.type_ids[-1] if single.type_ids[-1] != single.type_ids[places[0]] else None
    segment = single.type_ids[places[0]]
    before, after = single.ids[: places[0]], single.ids[places[-1] + 1 :]
    pad = _pad_of(tokenizer)
    return PairLayout(tuple(before), (), tuple(after), segment, segment, pad, last_type=last_type)


def _pad_of(tokenizer: Tokenizer) -> int:
    return next((id for token in _PAD if (id := tokenizer.token_to_id(token)) is not None), 0)
