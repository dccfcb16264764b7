"""What site generators add to Markdown, as plain Markdown and HTML: boxes, tabs, folds, shortcodes, front matter.

Docusaurus and others write boxes as `:::note Title`, MkDocs as `!!! note "Title"` with indented lines, folds as
`??? note` and tabs as `=== "Title"`, Hugo and Jekyll as `{{< note >}}` and `{% note %}`. Titles and texts are kept,
marks are not. A fold becomes `details` with its `summary`, which is read as on any page.
"""

from __future__ import annotations

import re
from html import escape
from typing import NamedTuple

from caveat.sources.marks import shown

FENCE = re.compile(r"[ \t]*(?:>[ \t]*)*(?P<mark>`{3,}|~{3,})(?P<info>[^`]*)\Z")
_INDENT = 4
# `:::note[Title]`, `::: tip Title`, `:::{admonition} Title`, `::: {.callout-note title="Title"}`.
_COLONS = re.compile(
    r"(?P<indent>[ \t]*):{3,}[ \t]*(?:\{(?P<braces>[^{}]*)\}|(?P<kind>[A-Za-z][\w-]*))?(?P<title>[^:].*|)\Z"
)
TITLE_OF = re.compile(
    r"""\b(?:title|label|summary|question|heading|header|name)=(?:"([^"]*)"|'([^']*)'|\{["'`]([^"'`{}]*)["'`]\})"""
)
_BRACKETED = re.compile(r"\[([^\[\]]*)\]\s*(?:\{[^{}]*\})?\Z")
_MARKED_OPTION = re.compile(r"[ \t]*:[\w-]+:[ \t]*\S*\Z")
_BOX = re.compile(
    r"""(?P<indent>[ \t]*)(?P<mark>!!!|\?\?\?\+?|===[!+]?)[ \t]+(?P<kind>[^"'\s][^"']*)?(?P<title>.*)\Z"""
)
FOLDS = re.compile(
    r"details|expand\w*|collaps\w*|spoiler|accordion\w*|faq\w*|question|disclosure", re.IGNORECASE
)
_ALERT = re.compile(r"(?P<quote>[ \t]*(?:>[ \t]*)+)\[!\w+\][+-]?[ \t]*(?P<title>.*)\Z")
_SHORTCODE = re.compile(
    r"\{\{[<%][ \t]*(?P<close>/?)[ \t]*(?P<name>[\w-]+)(?P<rest>[^{}]*?)/?[>%]\}\}"
    r"|\{%-?[ \t]*(?P<end>end)?(?P<tag>[\w-]+)(?P<after>[^{}%]*?)-?%\}"
)
_CODE_OR_SHORTCODE = re.compile(rf"(?P<code>`[^`]+`)|{_SHORTCODE.pattern}")
_TEXT_OF = re.compile(r"""\b(?:text|content)=(?:"([^"]*)"|'([^']*)')""")
_FIRST_QUOTED = re.compile(r"""\A\s*(?:"([^"]*)"|'([^']*)')""")
_HAS_DIALECT = re.compile(
    r"^[ \t]*(?::{3,}|!!!|\?\?\?|===[!+]?[ \t]+[\"'])|\[!\w+\]|\{\{[<%]|\{%|\{\{#|\{!|--8<--", re.MULTILINE
)
# Texts of other files: of Jekyll and Hugo, pymdownx, markdown-include, mdBook.
_INCLUDES = tuple(
    map(
        re.compile,
        (
            r"\{%-?[ \t]*include(?:_relative)?[ \t]+[\"']?([\w./-]+\.(?:md|mdx|markdown|txt|rst))\b[^{}]*%\}",
            r"\{\{[<%][ \t]*(?:include|readfile)[ \t]+(?:file=)?[\"']([^\"']+)[\"'][^{}]*[>%]\}\}",
            r"^[ \t]*-{1,}8<-{1,}[ \t]+[\"']([^\"']+)[\"']",
            r"\{!-?[ \t]*([^{}!]+?)[ \t]*!\}",
            r"\{\{#include[ \t]+([^{}\s]+)[^{}]*\}\}",
        ),
    )
)
_SNIPPET = re.compile(r"[ \t]*(?:-{1,}8<-{1,}.*|\{!.*!\}[ \t]*)\Z")
_MOST_NAMED = 5


class Dialect(NamedTuple):
    """The lines of a text in plain Markdown, and what is to be said about it."""

    lines: list[str]
    remark: str = ""


def plain_markdown(lines: list[str]) -> Dialect:
    """The lines with boxes, tabs, folds and shortcodes as Markdown and HTML have them; code stays as it is."""
    text = "\n".join(lines)
    if not _HAS_DIALECT.search(text):
        return Dialect(lines)
    writer = _Writer(_closed_names(text))
    for line in lines:
        writer.line(line)
    writer.end()
    named = list(
        dict.fromkeys(
            name for include in _INCLUDES for line in writer.prose for name in include.findall(line)
        )
    )
    more = f" and {len(named) - _MOST_NAMED:,} more" if len(named) > _MOST_NAMED else ""
    remark = (
        f"includes other files, which are not read: {', '.join(named[:_MOST_NAMED])}{more}" if named else ""
    )
    return Dialect(writer.lines, remark)


def _closed_names(text: str) -> frozenset[str]:
    """The shortcodes that have an end, and so something inside."""
    return frozenset(
        found["name"] or found["tag"]
        for found in _SHORTCODE.finditer(text)
        if found["close"] or (found["end"] and found["tag"])
    )


class _Writer:
    """Takes the lines of a text, one after the other."""

    def __init__(self, closed: frozenset[str]) -> None:
        self.lines: list[str] = []
        self.prose: list[str] = []
        self._closed = closed
        # Boxes by indentation: how far their lines are indented, and what closes each.
        self._boxes: list[tuple[int, str]] = []
        self._colons: list[str] = []
        self._options = False
        self._fence = ""

    def line(self, line: str) -> None:
        """The next line."""
        bare = line.expandtabs(_INDENT)
        indent = len(bare) - len(bare.lstrip())
        if line.strip():
            while self._boxes and indent < self._boxes[-1][0]:
                self._apart(self._boxes.pop()[1])
        if self._boxes:
            line = bare[_INDENT * len(self._boxes) :]
        if self._in_code(line):
            self.lines.append(line)
            return
        self.prose.append(line)
        options, self._options = self._options, False
        if options and _MARKED_OPTION.match(line):
            self._options = True
        elif (box := _BOX.match(line)) and self._begins_box(box, indent):
            pass
        elif (colons := _COLONS.match(line)) is not None:
            self._read_colons(colons)
        elif (alert := _ALERT.match(line)) is not None:
            title = alert["title"]
            self.lines += [alert["quote"] + title, alert["quote"]] if title else [alert["quote"]]
        elif not _SNIPPET.match(line):
            self._read_shortcodes(line)

    def end(self) -> None:
        """Close what is open."""
        for closing in (*(closing for _, closing in reversed(self._boxes)), *reversed(self._colons)):
            self._apart(closing)

    def _in_code(self, line: str) -> bool:
        fence = FENCE.match(line)
        if self._fence:
            if fence and fence["mark"].startswith(self._fence) and not fence["info"].strip():
                self._fence = ""
            return True
        if fence:
            self._fence = fence["mark"]
        return fence is not None

    def _apart(self, *lines: str) -> None:
        """Lines with a blank one before and after them."""
        if any(lines):
            self.lines += ["", *lines, ""]
        else:
            self.lines.append("")

    def _titled(self, indent: str, title: str, *, fold: bool) -> str:
        """Write the title of a box; what will close it."""
        title = shown(title)
        if fold and title:
            self._apart(f"{indent}<details><summary>{escape(title)}</summary>")
            return f"{indent}</details>"
        self._apart(indent + title if title else "")
        return ""

    def _begins_box(self, box: re.Match[str], indent: int) -> bool:
        title = box["title"].strip()
        quoted = len(title) > 1 and title[0] == title[-1] and title[0] in "\"'"
        if title and not quoted:
            return False
        # `===` alone is a line under a heading.
        if box["mark"].startswith("=") and (not quoted or box["kind"]):
            return False
        closing = self._titled(box["indent"], title[1:-1], fold=box["mark"].startswith("?"))
        self._boxes.append((indent + _INDENT, closing))
        return True

    def _read_colons(self, line: re.Match[str]) -> None:
        braces, kind, title = line["braces"], line["kind"] or "", line["title"].strip()
        if braces is None and not kind:
            if title:
                self.lines.append(line[0])
            else:
                self._apart(self._colons.pop() if self._colons else "")
            return
        if bracketed := _BRACKETED.match(title):
            title = bracketed[1]
        elif title.startswith("{"):
            title = ""
        if braces and (found := TITLE_OF.search(braces)):
            title = found[1] or found[2] or title
        self._options = braces is not None
        self._colons.append(
            self._titled(
                line["indent"], title, fold=bool(FOLDS.fullmatch(kind or (braces or "").strip(" .{}")))
            )
        )

    def _read_shortcodes(self, line: str) -> None:
        alone = _SHORTCODE.fullmatch(line.strip())
        if alone is None:
            self.lines.append(_CODE_OR_SHORTCODE.sub(_inline_text, line) if "{" in line else line)
            return
        indent = line[: len(line) - len(line.lstrip())]
        name = alone["name"] or alone["tag"]
        if alone["close"] or alone["end"]:
            self._apart(f"{indent}</details>" if FOLDS.fullmatch(name) else "")
            return
        rest = alone["rest"] or alone["after"] or ""
        title = attribute_of(TITLE_OF, rest)
        if not title and name in self._closed:
            title = attribute_of(_FIRST_QUOTED, rest)
            if not title and alone["tag"] and FOLDS.fullmatch(name):
                title = rest.strip()
        self._titled(indent, title, fold=name in self._closed and bool(FOLDS.fullmatch(name)))
        if text := attribute_of(_TEXT_OF, rest):
            self._apart(indent + text)


def _inline_text(shortcode: re.Match[str]) -> str:
    return shortcode["code"] or attribute_of(_TEXT_OF, shortcode["rest"] or shortcode["after"] or "")


def attribute_of(pattern: re.Pattern[str], text: str) -> str:
    """What the first group that matched has in it; nothing where none did."""
    found = pattern.search(text)
    return next(filter(None, found.groups()), "").strip() if found else ""


# The settings before a text, in YAML or TOML: its title and its description are read; the rest is no text.
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
