"""MDX as Markdown: imports, exports and expressions of JavaScript are dropped, the texts of components are kept."""

from __future__ import annotations

import re
from html import escape

from caveat.sources.markdown_dialects import FENCE, FOLDS, TITLE_OF, attribute_of
from caveat.sources.marks import shown

_IMPORT = re.compile(r"""import\s+(?:[^"'\n;]{0,500}?\sfrom\s+)?["'][^"'\n]+["'];?\s*\Z""")
_IMPORT_BEGINS = re.compile(r"import\s+(?:[\w$]+\s*,\s*)?\{[^{}]*\Z")
_EXPORT = re.compile(r"export\s+(?:default|const|let|var|function|class|async)\b")
_TAG = re.compile(r"</?(?P<name>[A-Za-z][\w.-]*)(?=[\s/>])|</?>")
_COMMENT = re.compile(r"\{/\*(?:[^*]|\*(?!/))*\*/\}")
_STRING = re.compile(r"""\{\s*(?:"([^"{}]*)"|'([^'{}]*)'|`([^`{}$]*)`)\s*\}""")
_EXPRESSION = re.compile(r"[ \t]?\{[^{}\n]{0,200}\}")
_LONGEST_TAG = 5000
# Tags that do not end: after so many, the rest is no JSX.
_MOST_OPEN = 50


def begins_with_imports(lines: list[str]) -> bool:
    """Whether a text is MDX, as its first lines that are not blank tell."""
    first = next((line for line in lines if line.strip()), "")
    return _IMPORT.match(first) is not None


def without_jsx(lines: list[str]) -> list[str]:
    """The lines without imports, exports and expressions; of components the titles and what is inside."""
    kept: list[str] = []
    prose: list[str] = []
    fence = ""
    statement = 0
    for line in lines:
        mark = FENCE.match(line)
        if fence:
            kept.append(line)
            if mark and mark["mark"].startswith(fence) and not mark["info"].strip():
                fence = ""
            continue
        if mark:
            kept += _without_tags(prose)
            prose = []
            fence = mark["mark"]
            kept.append(line)
            continue
        if statement:
            statement += line.count("{") - line.count("}") + line.count("(") - line.count(")")
            statement = 0 if not line.strip() and statement < 0 else max(0, statement)
            continue
        if _IMPORT.match(line):
            continue
        if _EXPORT.match(line) or _IMPORT_BEGINS.match(line):
            statement = max(0, line.count("{") - line.count("}") + line.count("(") - line.count(")"))
            continue
        prose.append(line)
    return kept + _without_tags(prose)


def _without_tags(lines: list[str]) -> list[str]:
    text = "\n".join(lines)
    if "<" not in text and "{" not in text:
        return lines
    text = _COMMENT.sub("", text)
    written: list[str] = []
    at = 0
    code = unended = 0
    for tag in _TAG.finditer(text):
        if tag.start() < at:
            continue
        code += text.count("`", at, tag.start())
        written.append(text[at : tag.start()])
        end = _end_of_tag(text, tag.end())
        at = tag.start()
        unended += end is None
        if unended > _MOST_OPEN:
            break
        if code % 2 or end is None:
            continue
        written.append(_of_tag(text[tag.start() : end], tag["name"] or ""))
        at = end
    written.append(text[at:])
    plain = "".join(written)
    if "{" in plain:
        plain = _STRING.sub(lambda found: found[1] or found[2] or found[3] or "", plain)
        plain = _EXPRESSION.sub("", plain)
    return plain.split("\n")


def _of_tag(tag: str, name: str) -> str:
    """A tag of HTML without what only JSX has; of a component its title."""
    if name and name[0].islower() and "." not in name:
        return re.sub(r"\s+[\w-]+=\{(?:[^{}]|\{[^{}]*\})*\}", "", tag) if "{" in tag else tag
    title = "" if tag.startswith("</") else shown(attribute_of(TITLE_OF, tag))
    if not title:
        return "</details>\n\n" if tag.startswith("</") and FOLDS.fullmatch(name) else ""
    if FOLDS.fullmatch(name) and not tag.endswith("/>"):
        return f"\n\n<details><summary>{escape(title)}</summary>\n\n"
    return f"\n\n{title}\n\n"


def _end_of_tag(text: str, at: int) -> int | None:
    """Where a tag ends; strings and expressions may have any character in them."""
    if text[at - 1] == ">":
        return at
    depth = 0
    quote = ""
    for index in range(at, min(len(text), at + _LONGEST_TAG)):
        character = text[index]
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'`":
            quote = character
        elif character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
        elif character == ">" and depth <= 0:
            return index + 1
    return None
