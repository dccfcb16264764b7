r"""LaTeX as HTML: sections, paragraphs, list items, tables and footnotes; formulas stay as they are written.

What a class or a macro of its own would show is not known: of such a command the text in its braces is kept. Other
files (`\input`) are not read, and named. Runs in the process of the parsers.
"""

from __future__ import annotations

import re
import unicodedata

from caveat.sources.contents import Pieces
from caveat.sources.text_markups import ShownText

_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*(?:\n[ \t]*(?=\S))?")
_BODY = re.compile(r"\\begin\s*\{document\}(.*?)(?:\\end\s*\{document\}|\Z)", re.DOTALL)
_TITLE = re.compile(r"\\title\s*(?:\[[^\[\]]*\])?\s*(?=\{)")
_SECTIONS = {
    "part": 1,
    "chapter": 1,
    "section": 2,
    "subsection": 3,
    "subsubsection": 4,
    "paragraph": 5,
    "subparagraph": 6,
}
_LISTS = frozenset(("itemize", "enumerate", "description", "compactitem", "compactenum"))
_TABLES = frozenset(("tabular", "tabular*", "tabularx", "longtable", "array", "tabulary"))
_VERBATIM = frozenset(("verbatim", "lstlisting", "minted", "Verbatim"))
_DROPPED_BLOCKS = frozenset(("comment", "tikzpicture", "thebibliography"))
# Commands whose arguments are not shown, with how many of them; and those that show one of several.
_HIDDEN = {
    **dict.fromkeys(
        (
            "label",
            "ref",
            "pageref",
            "eqref",
            "autoref",
            "cref",
            "Cref",
            "cite",
            "citep",
            "citet",
            "index",
            "pagestyle",
        ),
        1,
    ),
    **dict.fromkeys(
        ("vspace", "hspace", "bibliography", "bibliographystyle", "includegraphics", "thispagestyle"), 1
    ),
    **dict.fromkeys(
        ("usepackage", "documentclass", "hypersetup", "cline", "cmidrule", "author", "date", "title"), 1
    ),
    **dict.fromkeys(
        ("setlength", "addtolength", "setcounter", "newcommand", "renewcommand", "definecolor"), 2
    ),
}
_LAST_OF = {"href": 2, "textcolor": 2, "multicolumn": 3, "multirow": 3, "fbox": 1, "parbox": 2}
_SYMBOLS = {
    **{letter: letter for letter in "%&$#_{}"},
    **{
        "textendash": "–",
        "textemdash": "—",
        "ldots": "…",
        "dots": "…",
        "textbackslash": "\\",
        "S": "§",
        "ss": "ß",
    },
    **{
        "pounds": "£",
        "euro": "€",
        "texteuro": "€",
        "copyright": "©",
        "LaTeX": "LaTeX",
        "TeX": "TeX",
        "ae": "æ",
    },
    **{
        "oe": "œ",
        "o": "ø",
        "O": "Ø",
        "aa": "å",
        "l": "ł",
        "\\": " ",
        "newline": " ",
        "par": "\n\n",
        ",": " ",
        " ": " ",
    },
    **{
        "-": "",
        "/": "",
        "quad": " ",
        "qquad": " ",
        "tabularnewline": "\\\\",
        "textdegree": "°",
        "textbar": "|",
    },
}
_ACCENTS = {
    "'": "\u0301",
    "`": "\u0300",
    "^": "\u0302",
    '"': "\u0308",
    "~": "\u0303",
    "c": "\u0327",
    "v": "\u030c",
}
_COMMAND = re.compile(r"\\([A-Za-z@]+)\*?[ \t]*|\\(.)", re.DOTALL)
_ACCENT = re.compile(r"\\(?:([\'`^\"~])|([cv])(?=[{ ]))\s*\{?\\?([A-Za-z])\}?")
_BLOCK = re.compile(r"\\(begin|end)\s*\{([^{}]{1,40})\}")
_SPECIAL = re.compile(
    r"\\(?:begin|end)\s*\{[^{}]{1,40}\}|\\(?:item|input|include|caption)(?![A-Za-z])|\\[a-z]{4,13}\*?\s*(?=[\[{])"
)
_OPTION = re.compile(r"\s*\[([^\[\]]*)\]")
_PLAIN = (("~", " "), ("``", "“"), ("''", "”"), ("---", "—"), ("--", "–"))
_MATH = re.compile(r"\$\$.+?\$\$|(?<!\\)\$[^$\n]{1,300}(?<!\\)\$|\\\[.+?\\\]|\\\(.+?\\\)", re.DOTALL)
# A blank before a citation that is not shown.
_BEFORE_STOP = re.compile(r"[ \t]+(?=[.,;](?:\s|\Z))")
# Braces inside of one another.
_DEEPEST = 40


def read_latex(data: bytes) -> Pieces:
    """The body of a document, or all of a file that is a part of one."""
    whole = _COMMENT.sub(r"\1", data.decode("utf-8").replace("\r\n", "\n").replace("\r", "\n"))
    text = ShownText(lambda line: _BEFORE_STOP.sub("", line))
    if titled := _TITLE.search(whole):
        text.title = " ".join(_shown(_argument(whole, titled.end())[0]).split())
    found = _BODY.search(whole)
    _read(found[1] if found else whole, text, bool(found))
    return text.pieces()


def _read(body: str, text: ShownText, whole: bool) -> None:
    if whole and text.title:
        text.heading(1, text.title)
    at, lists = 0, 0
    while found := _SPECIAL.search(body, at):
        _paragraphs(body[at : found.start()], text)
        at = found.end()
        if block := _BLOCK.fullmatch(found[0]):
            begins, name = block[1] == "begin", block[2]
            if begins and name in _VERBATIM | _DROPPED_BLOCKS | _TABLES:
                end = body.find(f"\\end{{{name}}}", at)
                end = len(body) if end < 0 else end
                inside, at = body[at:end], end + len(f"\\end{{{name}}}")
                if name in _VERBATIM:
                    text.verbatim(_OPTION.sub("", inside, count=1).split("\n"))
                elif name in _TABLES:
                    _table(inside, text)
                continue
            text.end()
            if name in _LISTS:
                lists = max(0, lists + (1 if begins else -1))
            if begins and (option := _OPTION.match(body, at)):
                at = option.end()
            continue
        name = found[0].strip().lstrip("\\").rstrip("*")
        if name == "item":
            option = _OPTION.match(body, at)
            text.item(max(0, lists - 1), _shown(option[1]) if option else "")
            at = option.end() if option else at
            continue
        if (option := _OPTION.match(body, at)) is not None and (name in _SECTIONS or name == "caption"):
            at = option.end()
        if name in _SECTIONS or name in ("caption", "input", "include"):
            argument, at = _argument(body, at)
            if name in _SECTIONS:
                text.heading(_SECTIONS[name], _shown(argument))
            elif name == "caption":
                text.end()
                text.line(_shown(argument))
                text.end()
            else:
                text.missing[argument.strip()] = None
        else:
            # A command within a line: with its arguments it belongs to the paragraph.
            end = _end_of_command(body, at)
            _paragraphs(body[found.start() : end], text)
            at = end
    _paragraphs(body[at:], text)


def _paragraphs(part: str, text: ShownText) -> None:
    for number, paragraph in enumerate(re.split(r"\n[ \t]*\n", part)):
        if number:
            text.end()
        if shown := _shown(paragraph):
            if shown.strip():
                text.piece(shown)
            else:
                text.piece(" ")


def _table(inside: str, text: ShownText) -> None:
    text.end()
    at = 0
    # The columns, and before them a width.
    while at < len(inside) and inside[at : at + 1] in "{[ \t\n" and (inside[at:].lstrip()[:1] or "x") in "{[":
        option = _OPTION.match(inside, at)
        at = option.end() if option else _argument(inside, at)[1]
    for row in re.split(r"\\\\(?:\s*\[[^\[\]]*\])?|\\tabularnewline(?![A-Za-z])", inside[at:]):
        row = re.sub(
            r"\\(?:hline|toprule|midrule|bottomrule|endhead|endfirsthead|endfoot)(?![A-Za-z])", "", row
        )
        cells = [_shown(cell) for cell in re.split(r"(?<!\\)&", row)]
        if any(map(str.strip, cells)):
            text.row(cells)
    text.end()


def _argument(text: str, at: int) -> tuple[str, int]:
    """What stands in the next braces, and where it ends; without braces the next character."""
    while at < len(text) and text[at].isspace():
        at += 1
    if text[at : at + 1] != "{":
        return text[at : at + 1], at + 1
    depth = 0
    for index in range(at, len(text)):
        if text[index] == "\\":
            continue
        if index and text[index - 1] == "\\":
            continue
        depth += (text[index] == "{") - (text[index] == "}")
        if depth == 0:
            return text[at + 1 : index], index + 1
    return text[at + 1 :], len(text)


def _end_of_command(text: str, at: int) -> int:
    """Where the options and arguments of a command end."""
    for _ in range(_DEEPEST):
        if option := _OPTION.match(text, at):
            at = option.end()
        elif text[at : at + 1] == "{":
            at = _argument(text, at)[1]
        else:
            break
    return at


def _shown(text: str, depth: int = 0) -> str:
    """A text without its commands; formulas are left as they are."""
    if "\\" not in text and "{" not in text and "`" not in text and "~" not in text and "-" not in text:
        return text
    written: list[str] = []
    at = 0
    for formula in _MATH.finditer(text):
        written += (_without_commands(text[at : formula.start()], depth), formula[0])
        at = formula.end()
    written.append(_without_commands(text[at:], depth))
    return "".join(written)


def _without_commands(text: str, depth: int) -> str:
    for mark, plain in _PLAIN:
        text = text.replace(mark, plain)
    text = _ACCENT.sub(
        lambda found: unicodedata.normalize("NFC", found[3] + _ACCENTS[found[1] or found[2]]), text
    )
    written: list[str] = []
    at = 0
    while found := _COMMAND.search(text, at):
        written.append(text[at : found.start()].replace("{", "").replace("}", ""))
        name, at = found[1] or found[2], found.end()
        if name in _SYMBOLS:
            written.append(_SYMBOLS[name])
            continue
        while option := _OPTION.match(text, at):
            at = option.end()
        for _ in range(_HIDDEN.get(name, 0) or max(0, _LAST_OF.get(name, 1) - 1)):
            if text[at : at + 1] == "{":
                at = _argument(text, at)[1] if name in _HIDDEN or name in _LAST_OF else at
        if name in ("footnote", "thanks") and depth < _DEEPEST:
            argument, at = _argument(text, at)
            written.append(f" ({_shown(argument, depth + 1).strip()})")
    written.append(text[at:].replace("{", "").replace("}", ""))
    return "".join(written)
