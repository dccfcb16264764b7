"""Triples a line: NLPCC's knowledge base, `subject ||| predicate ||| object`, its list of mentions, and N-Triples.

The published file of NLPCC has 43 million lines: everything here is a stream. The parts are trimmed, since they are
compared as whole strings; an object may itself contain `|||`.

Of N-Triples, one statement of RDF a line, an IRI becomes the part that names the thing (`…/resource/Tim_Berners-Lee` →
Tim Berners-Lee), a literal its text; language tags and datatypes are read and left out. Things of the same name at two
addresses become one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import unquote

import msgspec

from caveat.core.answers import Triple
from caveat.core.errors import InputError
from caveat.core.files import PathLike, read_lines, write_lines

_MARK = "|||"

OnBad = Callable[[int, str], None]
"""Called with the number and the text of a line that is no triple; reading then goes on."""

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


class Mention(msgspec.Struct, frozen=True):
    """A name as people write it, and the entities of the knowledge base that it can mean."""

    text: str
    entities: tuple[str, ...]


def read_triples(path: PathLike, on_bad: OnBad | None = None) -> Iterator[Triple]:
    """The triples in the order of the file; without `on_bad` a malformed line is an error."""
    return _triples(path, _MARK, on_bad)


def read_tsv_triples(path: PathLike, on_bad: OnBad | None = None) -> Iterator[Triple]:
    """The same from `subject, predicate, object` separated by tabs."""
    return _triples(path, "\t", on_bad)


def _triples(path: PathLike, mark: str, on_bad: OnBad | None) -> Iterator[Triple]:
    # The loop of a 43-million-line file: no call beside those of `str`, and the error is told elsewhere.
    for number, line in read_lines(path):
        parts = line.split(mark, 2)
        if len(parts) == 3:
            subject, predicate, object = parts
            subject, predicate, object = subject.strip(), predicate.strip(), object.strip()
            if subject and predicate and object:
                yield Triple(subject, predicate, object)
                continue
        if line and not line.isspace():
            _bad(line, mark, on_bad, path, number)


def _bad(line: str, mark: str, on_bad: OnBad | None, path: PathLike, number: int) -> None:
    if on_bad is not None:
        on_bad(number, line)
        return
    between = "tabs" if mark == "\t" else mark
    problem = f"expected subject, predicate and object, none empty, with {between} between, got {line[:80]!r}"
    raise InputError(problem, path=path, line=number)


def parse_triple(text: str) -> Triple | None:
    """The triple that one line of the knowledge base holds; None if it is malformed."""
    parts = [part.strip() for part in text.split(_MARK, 2)]
    return Triple(*parts) if len(parts) == 3 and all(parts) else None


def write_triples(path: PathLike, triples: Iterable[Triple]) -> None:
    """One triple a line; text that would come back as something else is refused."""
    write_lines(path, _lines(triples, _MARK, " ||| ", path))


def write_tsv_triples(path: PathLike, triples: Iterable[Triple]) -> None:
    """One triple a line, tab-separated; text that would come back as something else is refused."""
    write_lines(path, _lines(triples, "\t", "\t", path))


def _lines(triples: Iterable[Triple], mark: str, between: str, path: PathLike) -> Iterator[str]:
    for number, triple in enumerate(triples, 1):
        _refuse(triple.subject, mark, path, number)
        _refuse(triple.predicate, mark, path, number)
        _refuse(triple.object, None, path, number)
        yield between.join((triple.subject, triple.predicate, triple.object))


def _refuse(text: str, mark: str | None, path: PathLike, number: int) -> None:
    """Raise if the text is empty, has blanks around it, or contains the mark that would end it."""
    if not text or text != text.strip():
        problem = f"text that is empty or has blanks around it cannot be written: {text[:80]!r}"
        raise InputError(problem, path=path, line=number)
    if mark is not None and mark in text:
        raise InputError(f"text with {mark!r} cannot be written here: {text[:80]!r}", path=path, line=number)


def read_mentions(path: PathLike, on_bad: OnBad | None = None) -> Iterator[Mention]:
    """Mentions from lines `mention ||| entity, entity …` with tabs between the entities."""
    for number, line in read_lines(path):
        text, _, rest = line.partition(_MARK)
        text = text.strip()
        entities = tuple(entity for part in rest.split("\t") if (entity := part.strip()))
        if text and entities:
            yield Mention(text, entities)
        elif line and not line.isspace():
            if on_bad is None:
                problem = f"expected a mention, {_MARK} and entities with tabs between, got {line[:80]!r}"
                raise InputError(problem, path=path, line=number)
            on_bad(number, line)


def write_mentions(path: PathLike, mentions: Iterable[Mention]) -> None:
    """One mention a line; text that would come back as something else is refused."""

    def lines() -> Iterator[str]:
        for number, mention in enumerate(mentions, 1):
            if not mention.entities:
                raise InputError(f"the mention {mention.text!r} has no entity", path=path, line=number)
            _refuse(mention.text, _MARK, path, number)
            for entity in mention.entities:
                _refuse(entity, "\t", path, number)
            yield f"{mention.text} {_MARK} " + "\t".join(mention.entities)

    write_lines(path, lines())


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
