"""N-Triples, one statement of RDF a line, as triples of readable names.

An IRI becomes the part that names the thing (`…/resource/Tim_Berners-Lee` → Tim Berners-Lee), a literal its text;
language tags and datatypes are read and left out. Things of the same name at two addresses become one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from caveat.core.errors import InputError
from caveat.core.files import PathLike, read_lines
from caveat.core.records import Triple
from caveat.sources.triple_lines import OnBad

__all__ = ["parse_statement", "read_ntriples", "readable_name"]

_NODE = r'(?:<([^<>"\s]*)>|(_:[^\s<>"]+))'
_LITERAL = r'"((?:[^"\\]|\\.)*)"(?:@[A-Za-z][A-Za-z0-9-]*|\^\^<[^<>"\s]*>)?'
_STATEMENT = re.compile(rf'\s*{_NODE}\s*<([^<>"\s]*)>\s*(?:{_NODE}|{_LITERAL})\s*\.\s*(?:#.*)?$')
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.?))", re.DOTALL)
_CHARACTERS = {
    "t": "\t",
    "b": "\b",
    "n": "\n",
    "r": "\r",
    "f": "\f",
    '"': '"',
    "'": "'",
    "\\": "\\",
}
_CAMEL_CASE = re.compile(r"(?<=[a-z0-9])[A-Z](?=[a-z])")


def read_ntriples(path: PathLike, on_bad: OnBad | None = None) -> Iterator[Triple]:
    """The statements in the order of the file; without `on_bad` a malformed line is an error."""
    for number, line in read_lines(path):
        triple = parse_statement(line)
        if triple is not None:
            yield triple
        elif (text := line.strip()) and not text.startswith("#"):
            if on_bad is None:
                problem = f"expected subject, predicate, object and a full stop, got {line[:80]!r}"
                raise InputError(problem, path=path, line=number)
            on_bad(number, line)


def parse_statement(line: str) -> Triple | None:
    """The triple that one line holds; None if it is malformed, or something in it has no text."""
    found = _STATEMENT.match(line)
    if found is None:
        return None
    try:
        subject = found[2] or readable_name(_unescape(found[1]))
        predicate = _in_words(readable_name(_unescape(found[3])))
        literal = found[6]
        object = (
            found[5] or readable_name(_unescape(found[4])) if literal is None else _unescape(literal).strip()
        )
    except ValueError:
        return None
    return Triple(subject, predicate, object) if subject and predicate and object else None


def readable_name(iri: str) -> str:
    """The part of an address that names the thing: after the last `#` or `/`, or `:` where there are none."""
    whole = iri.rstrip("/#")
    cut = max(whole.rfind("#"), whole.rfind("/"))
    if cut < 0:
        cut = whole.rfind(":")
    name = unquote(whole[cut + 1 :]).replace("_", " ").strip()
    return name if name and "\ufffd" not in name else iri


def _in_words(name: str) -> str:
    """`birthPlace` as a person would say it: birth place."""
    return _CAMEL_CASE.sub(lambda letter: f" {letter[0].lower()}", name)


def _unescape(text: str) -> str:
    """The text behind the escapes; ValueError for one that does not exist, or half a surrogate pair."""
    if "\\" not in text:
        return text
    plain = _ESCAPE.sub(_character, text)
    # Some writers put characters beyond the first 65,536 as two halves, as JSON does.
    return plain.encode("utf-16", "surrogatepass").decode("utf-16")


def _character(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2]
    if code:
        return chr(int(code, 16))
    if escape[3] not in _CHARACTERS:
        raise ValueError(f"there is no escape {escape[0]}")
    return _CHARACTERS[escape[3]]
