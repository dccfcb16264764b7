"""A page in two requests: its style sheets as one and its modules as one, named by a hash of what is in them.

They are made in memory when the server starts, so that there is no build step and the files stay as they are written.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

_STYLE = re.compile(r'<link rel="stylesheet" href="(static/[^"]+)">\n?')
_SCRIPT = re.compile(r'<script type="module" src="(static/[^"]+)"></script>')
_IMPORT = re.compile(r'^import\s+(\{[^}]*\}|\*\s+as\s+\w+)\s+from\s+"([^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:const|let|class|function)\b)", re.MULTILINE)
_EXPORTED = re.compile(r"^export (?:async )?(?:const|let|class|function) (\w+)", re.MULTILINE)
_DATA = re.compile(r'await \(await fetch\(new URL\("([\w-]+\.json)", import\.meta\.url\)\)\)\.json\(\)')
_TYPES = {".css": "text/css", ".js": "text/javascript", ".html": "text/html"}


class File(NamedTuple):
    """What is sent: as it is and compressed, and of which type."""

    content: bytes
    compressed: bytes
    type: str


def bundled(page: Path, folders: Mapping[str, Path]) -> dict[str, File]:
    """The page under "", and what it asks for under its address; `folders` has the files by the start of theirs."""
    html = page.read_text(encoding="utf-8")
    styles = "".join(_file(address, folders).read_text(encoding="utf-8") for address in _STYLE.findall(html))
    made = {}
    if styles:
        name = _name(styles, ".css")
        made[name] = _sent(styles, ".css")
        html = _STYLE.sub("", _STYLE.sub("<!-- styles -->", html, count=1))
        html = html.replace("<!-- styles -->", f'<link rel="stylesheet" href="{name}">\n')
    if (entry := _SCRIPT.search(html)) is not None:
        script = _script(entry[1], folders)
        name = _name(script, ".js")
        made[name] = _sent(script, ".js")
        html = html.replace(entry[1], name)
    return {"": _sent(html, ".html"), **made}


def _name(text: str, ending: str) -> str:
    return f"static/page-{sha256(text.encode()).hexdigest()[:16]}{ending}"


def _sent(text: str, ending: str) -> File:
    content = text.encode()
    # Without the time, so that the same is sent by every server.
    return File(content, gzip.compress(content, mtime=0), f"{_TYPES[ending]}; charset=utf-8")


def _file(address: str, folders: Mapping[str, Path]) -> Path:
    start = max((each for each in folders if address.startswith(each)), key=len)
    return folders[start] / address.removeprefix(start)


def _script(entry: str, folders: Mapping[str, Path]) -> str:
    """The modules, each in a function of its own and after those that it imports."""
    numbers: dict[str, int] = {}
    written: list[str] = []

    def write(address: str) -> int:
        if address not in numbers:
            text = _file(address, folders).read_text(encoding="utf-8")
            imported = [(names, write(_beside(address, other))) for names, other in _IMPORT.findall(text)]
            numbers[address] = len(numbers)
            written.append(_module(numbers[address], address, text, imported, folders))
        return numbers[address]

    write(entry)
    return "".join(written)


def _beside(address: str, other: str) -> str:
    """Where `../words.js` of a module is."""
    parts = address.split("/")[:-1]
    for part in other.split("/"):
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def _module(
    number: int, address: str, text: str, imported: list[tuple[str, int]], folders: Mapping[str, Path]
) -> str:
    def data(found: re.Match[str]) -> str:
        return _file(_beside(address, found[1]), folders).read_text(encoding="utf-8").strip()

    body = _EXPORT.sub("", _DATA.sub(data, _IMPORT.sub("", text)))
    body = body.replace("import.meta.url", f'new URL("{address}", document.baseURI)')
    if left := re.search(r"^(?:import|export)\b.*", body, re.MULTILINE):
        raise ValueError(f"{address} has an import or export of another form: {left[0]}")
    offered = ", ".join(_EXPORTED.findall(text))
    return f"const m{number} = await (async () => {{\n{''.join(_names(imported))}{body}return {{{offered}}};\n}})();\n"


def _names(imported: list[tuple[str, int]]) -> Iterator[str]:
    for names, number in imported:
        given = names.removeprefix("*").strip().removeprefix("as ") if names.startswith("*") else names
        yield f"const {given.replace(' as ', ': ')} = m{number};\n"
