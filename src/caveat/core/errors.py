"""Errors a user can act on: one sentence, no traceback."""

from __future__ import annotations

from pathlib import Path

_LONGEST, _LONGEST_ID, _LONGEST_REASON = 1000, 80, 300
BIDI_CONTROLS = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
"""Characters, as a class of a regular expression has them, that turn the order of others around."""
_TURNING = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
# Control characters, the escape that begins terminal codes among them, Unicode's own line ends, and what would show
# a text in another order than it has.
_ESCAPES = {
    code: chr(code).encode("unicode_escape").decode("ascii")
    for code in (*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *_TURNING)
}


def one_line(text: str, longest: int) -> str:
    """Text for a message: control characters escaped, the middle left out where it is longer than `longest`."""
    if len(text) > longest:
        text = f"{text[: longest // 2]} … {text[-longest // 3 :]}"
    return text.translate(_ESCAPES)


def shown_text(text: str) -> str:
    """A text of many lines for a terminal: whatever it would obey, or be turned around by, is escaped."""
    return text.translate({code: shown for code, shown in _ESCAPES.items() if chr(code) not in "\n\t"})


class CaveatError(Exception):
    """Something could not be done; the text is a sentence for the user, on one line."""

    def __init__(self, sentence: str) -> None:
        super().__init__(one_line(sentence, _LONGEST))


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
            place.append(f"id {one_line(str(id), _LONGEST_ID)}")
        super().__init__(f"{', '.join(place)}: {problem}" if place else problem)


def reason_of(error: CaveatError) -> str:
    """What is wrong, without the place where it was met."""
    if not isinstance(error, InputError):
        return str(error)
    return f"line {error.line}: {error.problem}" if error.line is not None else error.problem


def fault_of(error: BaseException) -> str:
    """What is wrong with a file, as far as what a parser raised over it tells."""
    reason = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"is damaged, or not what its name says ({one_line(reason, _LONGEST_REASON)})"


class UsageError(CaveatError):
    """Something was asked for that cannot be: options or names that do not go together."""


class UnknownNameError(UsageError):
    """A name that was looked up and does not exist; lists those that do."""

    def __init__(self, kind: str, name: str, known: list[str]) -> None:
        from difflib import get_close_matches

        close = get_close_matches(name, known, n=1)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        super().__init__(f"There is no {kind} {name!r}.{hint} There are: {', '.join(known)}.")
