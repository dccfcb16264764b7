"""What a server is asked for beside a text, and what is left of it once it has refused some."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from caveat.models.language_model.transport import UNSUPPORTED

__all__ = ["Features", "names_a_feature"]


class Features(msgspec.Struct, frozen=True):
    """What a server is asked for beside a text; what it does not have is left out from then on."""

    shape: Literal["json_schema", "json_object", "none"] = "json_schema"
    logprobs: bool = True
    seed: bool = True
    temperature: bool = True
    # Newer models of OpenAI know the limit by another name only.
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"

    def less(self, reason: str) -> Features | None:
        """Without what the reason names, or else one thing less; None where nothing is left to do without."""
        said = reason.casefold()
        for name, words in _NAMED.items():
            if getattr(self, name) != _LESS[name] and any(word in said for word in words):
                return self._lowered(name)
        for name in ("logprobs", "shape", "seed"):
            if getattr(self, name) != _LESS[name]:
                return self._lowered(name)
        return None

    def _lowered(self, name: str) -> Features:
        between = name == "shape" and self.shape == "json_schema"
        return msgspec.structs.replace(self, **{name: "json_object" if between else _LESS[name]})


_LESS: dict[str, Any] = {
    "limit": "max_completion_tokens",
    "shape": "none",
    "logprobs": False,
    "seed": False,
    "temperature": False,
}
# How the servers' errors name what they do not have.
_NAMED: dict[str, tuple[str, ...]] = {
    "limit": ("max_completion_tokens",),
    "shape": ("response_format", "schema", "grammar"),
    "logprobs": ("logprob", "logits_all"),
    "seed": ("seed",),
    "temperature": ("temperature",),
}


def names_a_feature(status: int, reason: str) -> bool:
    """Whether an error says that the server does not have what was asked for, so that asking again is of no use."""
    said = reason.casefold()
    return status in UNSUPPORTED and any(word in said for words in _NAMED.values() for word in words)
