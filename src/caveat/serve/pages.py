"""Pages as they are sent: each with one style sheet and one script, named by a hash; and one that describes the routes.

They are made in memory when the server starts, so that there is no build step and the files stay as they are written.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

_STYLE = re.compile(r'<link rel="stylesheet" href="(static/[^"]+)">\n?')
_SCRIPT = re.compile(r'<script type="module" src="(static/[^"]+)"></script>')
_IMPORT = re.compile(r'^import\s+(\{[^}]*\}|\*\s+as\s+\w+)\s+from\s+"([^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:const|let|class|function)\b)", re.MULTILINE)
_EXPORTED = re.compile(r"^export (?:async )?(?:const|let|class|function) (\w+)", re.MULTILINE)
_DATA = re.compile(r'await \(await fetch\(new URL\("([\w-]+\.json)", import\.meta\.url\)\)\)\.json\(\)')
_TYPES = {".css": "text/css", ".js": "text/javascript", ".html": "text/html"}

_HEAD = """<!doctype html>
<html lang=en>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Caveat: the API</title>
<link rel="icon" href="static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="static/tokens.css">
<link rel="stylesheet" href="static/page.css">
<link rel="stylesheet" href="static/tabs.css">
<link rel="stylesheet" href="static/api.css">
<script src="static/remembered.js"></script>
</head>
<body>
<header class="top">
<a class="brand" href="."><img src="static/icon.svg" width="26" height="26" alt=""> Caveat</a>
</header>
<main class="api">
<div class="lead"><h1>The API</h1>
<p>What every route takes and gives, as JSON; <a href="openapi.json">openapi.json</a> is the same for programs.
An error is <code>{"error": "a sentence"}</code>.</p></div>
"""


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


def api_page(described: dict[str, Any]) -> str:
    """The page of what OpenAPI describes."""
    records = described.get("components", {}).get("schemas", {})
    routes = [
        _route(path, method, route)
        for path, methods in described["paths"].items()
        for method, route in methods.items()
    ]
    shown = "".join(f'<section class="panel">{"".join(route)}</section>\n' for route in routes)
    listed = "".join(_record(name, record) for name, record in sorted(records.items()))
    return f"{_HEAD}{shown}<h2>Records</h2>\n{listed}</main>\n</body>\n</html>\n"


def _route(path: str, method: str, route: dict[str, Any]) -> Iterator[str]:
    yield f"<h2><code>{method.upper()} {escape(path)}</code></h2>\n<p>{escape(route.get('description', ''))}</p>\n"
    yield "<dl>"
    if body := route.get("requestBody"):
        yield f"<div><dt>takes</dt><dd>{_content(body['content'])}</dd></div>"
    yield f"<div><dt>gives</dt><dd>{_content(route['responses']['200']['content'])}</dd></div></dl>"


def _content(content: dict[str, Any]) -> str:
    (kind, described), *_ = content.items()
    return _type(described["schema"]) if kind == "application/json" else f"a file ({escape(kind)})"


def _record(name: str, record: dict[str, Any]) -> str:
    needed = record.get("required", [])
    rows = "".join(
        f'<tr><th scope="row"><code>{escape(field)}</code></th><td>{_type(schema)}</td>'
        f"<td>{'needed' if field in needed else ''}</td></tr>"
        for field, schema in record.get("properties", {}).items()
    )
    said = escape(" ".join(record.get("description", "").split()))
    table = f'<div class="wide"><table class="figures left">{rows}</table></div>' if rows else _type(record)
    return f'<section class="panel" id="{escape(name)}"><h3>{escape(name)}</h3>\n<p>{said}</p>\n{table}</section>\n'


def _type(schema: dict[str, Any]) -> str:
    """A type in words, with links to the records."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    if several := schema.get("anyOf"):
        return " or ".join(map(_type, several))
    if "enum" in schema:
        return " or ".join(f"<code>{escape(str(value))}</code>" for value in schema["enum"])
    kind = schema.get("type", "anything")
    if kind == "array":
        inside = schema.get("items") or next(iter(schema.get("prefixItems", [])), None)
        return f"list of {_type(inside)}" if inside else "list"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"by name: {_type(schema['additionalProperties'])}"
    return escape(str(kind))
