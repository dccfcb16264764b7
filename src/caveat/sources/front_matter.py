"""The settings before a text in Markdown, in YAML or TOML: its title and its description; the rest is no text."""

from __future__ import annotations

import re
from typing import NamedTuple

_FRONT_MATTER: dict[str, tuple[str, ...]] = {"---": ("---", "..."), "+++": ("+++",)}
_KEY = re.compile(r"[\"']?[\w$@][^:=\n]{0,80}?[\"']?[ \t]*[:=](?:[ \t]|\Z)")
_INSIDE = re.compile(r"[ \t]|#|-(?:[ \t]|\Z)|[\]})\[]|\Z")
_DESCRIPTIONS = ("description", "summary", "excerpt")
_FOLDED = re.compile(r"[|>][+-]?\d?[+-]?\Z")


class FrontMatter(NamedTuple):
    """What lines of YAML or TOML before a text say of it, and the first line after them."""

    title: str = ""
    description: str = ""
    first: int = 0


def front_matter(lines: list[str]) -> FrontMatter:
    """The title and the description; lines between two rules that are no settings are text."""
    ends = _FRONT_MATTER.get(lines[0].rstrip(), ()) if lines else ()
    found: dict[str, list[str]] = {}
    key = ""
    for number in range(1, len(lines) if ends else 0):
        line = lines[number].rstrip()
        if line in ends:
            said = {name: _value(values) for name, values in found.items()}
            description = next(filter(None, map(said.get, _DESCRIPTIONS)), "")
            return FrontMatter(said.get("title", ""), description, number + 1)
        if _KEY.match(line):
            name, _, value = line.partition("=" if lines[0].startswith("+") else ":")
            key = name.strip().strip("\"'").lower()
            found.setdefault(key, [value.strip()])
        elif not _INSIDE.match(line):
            break
        elif key and line.strip():
            found[key].append(line.strip())
    return FrontMatter()


def _value(lines: list[str]) -> str:
    """The value of a setting, over one line or several; a list or an object is none."""
    first, *others = lines
    if _FOLDED.match(first):
        first = ""
    if first.startswith(("[", "{")) or (not first and others and re.match(r"-\s|[\w-]+:\s", others[0])):
        return ""
    text = " ".join(filter(None, (first, *others)))
    quote = re.match(r"(\"\"\"|'''|\"|')(.*)\1", text)
    return " ".join((quote[2] if quote else re.sub(r"\s#.*", "", text)).replace('\\"', '"').split())
