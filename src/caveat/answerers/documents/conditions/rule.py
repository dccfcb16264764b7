"""A rule of a document: what holds under which condition, and of which elements that is said."""

from __future__ import annotations

from typing import Literal

import msgspec

from caveat.core.logic import Expression

__all__ = ["Kind", "Rule"]

Kind = Literal["if", "must", "heading", "row"]


class Rule(msgspec.Struct, frozen=True, tag="rule", omit_defaults=True):
    """What holds under a condition.

    `element` is where the consequence stands, `start:end` its place in the document's text. A rule denies whose
    consequence is that something is not so ("You cannot claim if …"). It binds where the consequence fails with
    the condition: what must be, "only if", "unless". `governs` are the elements that it is said of.
    """

    kind: Kind
    element: int
    condition: Expression
    consequence: str = ""
    start: int = -1
    end: int = -1
    denies: bool = False
    binds: bool = False
    governs: tuple[int, ...] = ()
