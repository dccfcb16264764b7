"""Answers given as regular expressions: a pattern that may never come to an end is searched for with a time limit."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import warnings
from functools import cache

__all__ = ["is_pattern", "matching_spans"]

# Answers are a few words: longer patterns are none.
_LONGEST = 10_000
# What takes longer than this for one context will not end.
_SECONDS = 10
# A group that is repeated, or so many repetitions in a row, may be tried in ever more ways.
_REPEATED_GROUP = re.compile(r"\)(?:[*+]|\{\d*,)")
_REPETITION = re.compile(r"[*+]|\{\d*,")
_MOST_REPETITIONS = 2
_SEARCH = (
    "import json, re, sys, warnings; warnings.simplefilter('ignore'); pattern, text = json.load(sys.stdin); "
    "json.dump([match.span() for match in re.finditer(pattern, text, re.IGNORECASE)], sys.stdout)"
)


@cache
def is_pattern(pattern: str) -> bool:
    """Whether it is a regular expression that can be searched for."""
    if len(pattern) > _LONGEST:
        return False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python warns of `[[`, which PCRE takes as it stands
            re.compile(pattern, re.IGNORECASE)
    except (re.error, RecursionError, OverflowError):
        return False
    return True


def matching_spans(pattern: str, text: str) -> list[tuple[int, int]]:
    """The half-open spans that a pattern matches, whatever their case; none where the search does not end."""
    if not _may_not_end(pattern):
        return [match.span() for match in re.finditer(pattern, text, re.IGNORECASE)]
    try:
        ran = subprocess.run(
            [sys.executable, "-I", "-c", _SEARCH],
            input=json.dumps([pattern, text]),
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=True,
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError):
        return []
    return [(start, end) for start, end in json.loads(ran.stdout)]


def _may_not_end(pattern: str) -> bool:
    return bool(_REPEATED_GROUP.search(pattern)) or len(_REPETITION.findall(pattern)) > _MOST_REPETITIONS
