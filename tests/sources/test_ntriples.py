"""N-Triples: IRIs as names, literals as text, and what is no statement."""

from __future__ import annotations

from pathlib import Path

import pytest

from caveat.core.errors import InputError
from caveat.core.records import Triple
from caveat.sources.ntriples import parse_statement, read_ntriples, readable_name


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "<http://x.org/resource/Ada_Stone> <http://x.org/ontology/birthPlace> <http://x.org/resource/Old_Town> .",
            Triple("Ada Stone", "birth place", "Old Town"),
        ),
        (
            '<http://x.org/Ada_Stone> <http://www.w3.org/2000/01/rdf-schema#label> "Ada \\"A.\\" Stone"@en .',
            Triple("Ada Stone", "label", 'Ada "A." Stone'),
        ),
        (
            '<http://x.org/桥> <http://x.org/长度> "46"^^<http://www.w3.org/2001/XMLSchema#integer> . # metres',
            Triple("桥", "长度", "46"),
        ),
        ('_:b0 <p:name> "line\\nbreak \\u6865 \\U0001F309" .', Triple("_:b0", "name", "line\nbreak 桥 🌉")),
        (
            "<http://x.org/%E6%A1%A5>\t<http://x.org/part#of> _:b1.",
            Triple("桥", "of", "_:b1"),
        ),
        ('<a:b> <c:d> "\\uD83C\\uDF09" .', Triple("b", "d", "🌉")),
    ],
)
def test_statements(line: str, expected: Triple) -> None:
    assert parse_statement(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "",
        "# a remark",
        "<a:b> <c:d> <e:f>",  # no full stop
        '<a:b> "c" <e:f> .',  # a literal is no predicate
        '<a:b> <c:d> "open .',
        '<a:b> <c:d> "\\q" .',
        '<a:b> <c:d> "\\uD83C" .',  # half a character
        '<a:b> <c:d> "" .',
        "<a:b> <c:d> <e:f> . more",
    ],
)
def test_what_is_no_statement(line: str) -> None:
    assert parse_statement(line) is None


def test_an_iri_that_ends_in_nothing_readable_stays_whole() -> None:
    assert readable_name("http://x.org/things/") == "things"
    assert readable_name("urn:isbn:123") == "123"
    assert readable_name("http://x.org/%FF") == "http://x.org/%FF"


def test_a_file_with_remarks_and_a_bad_line(tmp_path: Path) -> None:
    path = tmp_path / "x.nt"
    path.write_text("# head\n\n<a:b> <c:d> <e:f> .\nno statement\n<a:b> <c:d> <e:g> .\n")
    bad: list[tuple[int, str]] = []
    assert [triple.object for triple in read_ntriples(path, lambda *line: bad.append(line))] == ["f", "g"]
    assert bad == [(4, "no statement")]
    with pytest.raises(InputError, match="line 4: expected subject, predicate, object and a full stop"):
        list(read_ntriples(path))
