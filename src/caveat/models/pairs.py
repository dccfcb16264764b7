"""How an encoder wants a question and a context joined: `[CLS] q [SEP] c [SEP]`, `<s> q </s></s> c </s>` …"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from caveat.core.errors import CaveatError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["PairLayout", "pair_layout"]

_PAD = ("[PAD]", "<pad>")


class PairLayout(msgspec.Struct, frozen=True):
    """Token ids before the question, between it and the context, and after that; segment numbers; padding."""

    before: tuple[int, ...]
    between: tuple[int, ...]
    after: tuple[int, ...]
    question_type: int
    context_type: int
    pad: int

    @property
    def specials(self) -> int:
        """The number of tokens that belong to neither text."""
        return len(self.before) + len(self.between) + len(self.after)


def pair_layout(tokenizer: Tokenizer) -> PairLayout:
    """The layout that the tokenizer's own post-processor gives to a pair."""
    joined = tokenizer.encode("a", "b")
    places = [index for index, special in enumerate(joined.special_tokens_mask) if not special]
    # "a" and "b" may each be several pieces (SentencePiece's blank): the second text begins after the gap.
    gap = next((i for i in range(1, len(places)) if places[i] != places[i - 1] + 1), None)
    if gap is None or places[0] == 0:
        raise CaveatError(
            "The tokenizer does not join a question and a text with special tokens, the first of which a reader "
            "needs for “no answer”: its post-processor is missing, or the card must give `layout`."
        )
    first, between, second = places[0], places[gap - 1] + 1, places[gap]
    pad = next((id for token in _PAD if (id := tokenizer.token_to_id(token)) is not None), 0)
    return PairLayout(
        tuple(joined.ids[:first]),
        tuple(joined.ids[between:second]),
        tuple(joined.ids[places[-1] + 1 :]),
        joined.type_ids[first],
        joined.type_ids[second],
        pad,
    )
