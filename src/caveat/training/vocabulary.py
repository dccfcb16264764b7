"""A vocabulary without what its tokenizer can never give: of Chinese BERTs a third of the words' table."""

from __future__ import annotations

import json
from typing import Any

from tokenizers import Tokenizer
from torch import nn

from caveat.core.languages import is_han

_PREFIX = "##"


def without_unreachable(network: Any, tokenizer: Tokenizer) -> Tokenizer:
    """Leave the rows of tokens that no text has out of the encoder's table; the tokenizer that numbers the others.

    A BERT's tokenizer parts ideographs before it looks for pieces of words, so no piece that goes on with one is ever
    found. Other tokenizers stay as they are.
    """
    described: dict[str, Any] = json.loads(tokenizer.to_str())
    model, normalizer = described["model"], described.get("normalizer") or {}
    table: Any = getattr(network.encoder, "embeddings", None)
    if (
        model.get("type") != "WordPiece"
        or model.get("continuing_subword_prefix") != _PREFIX
        or not normalizer.get("handle_chinese_chars")
        or not isinstance(getattr(table, "word_embeddings", None), nn.Embedding)
    ):
        return tokenizer
    ordered = sorted(model["vocab"], key=model["vocab"].__getitem__)
    kept = [token for token in ordered if not (token.startswith(_PREFIX) and any(map(is_han, token)))]
    old = table.word_embeddings
    if len(kept) == len(ordered) or len(ordered) != old.num_embeddings:
        return tokenizer
    renumbered = {token: number for number, token in enumerate(kept)}
    rows = [model["vocab"][token] for token in kept]
    pad = old.padding_idx
    table.word_embeddings = nn.Embedding(
        len(kept),
        old.embedding_dim,
        padding_idx=None if pad is None else renumbered[ordered[pad]],
        _weight=old.weight.detach()[rows].clone(),
        _freeze=not old.weight.requires_grad,
    )
    network.encoder.config.vocab_size = len(kept)
    model["vocab"] = renumbered
    for token in described.get("added_tokens", ()):
        token["id"] = renumbered[token["content"]]
    _renumber(described.get("post_processor"), renumbered)
    return Tokenizer.from_str(json.dumps(described))


def _renumber(part: Any, numbers: dict[str, int]) -> None:
    """The special tokens of a post-processor by their new numbers."""
    if not isinstance(part, dict):
        return
    for special in (part.get("special_tokens") or {}).values():
        special["ids"] = [numbers[token] for token in special["tokens"]]
    for name in ("sep", "cls"):
        if isinstance(part.get(name), list):
            part[name] = [part[name][0], numbers[part[name][0]]]
