"""Errors a user can act on: one sentence, no traceback."""

from __future__ import annotations

from pathlib import Path

__all__ = ["CaveatError", "InputError", "UnknownNameError"]


class CaveatError(Exception):
    """Something could not be done; the text is a sentence for the user."""


class InputError(CaveatError):
    """Input that is not what it should be, with the place where it was met."""

    def __init__(
        self,
        problem: str,
        *,
        path: str | Path | None = None,
        line: int | None = None,
        id: object = None,
    ) -> None:
        self.problem, self.path, self.line, self.id = problem, path, line, id
        place = []
        if path is not None:
            place.append("standard input" if str(path) == "-" else str(path))
        if line is not None:
            place.append(f"line {line}")
        if id is not None:
            place.append(f"id {id}")
        super().__init__(f"{', '.join(place)}: {problem}" if place else problem)


class UnknownNameError(CaveatError):
    """A name that was looked up and does not exist; lists those that do."""

    def __init__(self, kind: str, name: str, known: list[str]) -> None:
        from difflib import get_close_matches

        close = get_close_matches(name, known, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        super().__init__(f"There is no {kind} {name!r}.{hint} There are: {', '.join(known)}.")
