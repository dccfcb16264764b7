"""How a package that an extra brings is installed where it is missing: from a clone, as this one is on no index."""

from __future__ import annotations


def extra_command(extra: str) -> str:
    """What to type, and where."""
    return f'pip install ".[{extra}]" in a clone of Caveat'


def needs_extra(what: str, package: str | None, extra: str) -> str:
    """The sentence for a user who lacks a package of an extra."""
    return f"{what} needs {package}, of the extra `{extra}`: {extra_command(extra)}."
