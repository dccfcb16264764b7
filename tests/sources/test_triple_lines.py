from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.core.answers import Triple
from caveat.core.errors import InputError
from caveat.sources import triple_lines as nlpcc_kb
from caveat.sources.triple_lines import (
    Mention,
    parse_statement,
    parse_triple,
    read_mentions,
    read_ntriples,
    read_triples,
    read_tsv_triples,
    readable_name,
    write_mentions,
    write_triples,
    write_tsv_triples,
)

FACTS = [Triple("长江", "长度", "6300公里"), Triple("红楼梦", "作者", "曹雪芹")]
KB = "长江 ||| 长度 ||| 6300公里\n\n红楼梦|||作者|||  曹雪芹\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("packed", [False, True])
def test_triples(tmp_path: Path, encoding: str, end: str, packed: bool) -> None:
    path = tmp_path / "a.kb"
    data = KB.replace("\n", end).encode(encoding)
    path.write_bytes(gzip.compress(data) if packed else data)
    assert list(read_triples(path)) == FACTS


def test_the_object_is_everything_after_the_second_separator(tmp_path: Path) -> None:
    path = tmp_path / "a.kb"
    path.write_text("a ||| b ||| c ||| d|||e\n", encoding="utf-8")
    assert list(read_triples(path)) == [Triple("a", "b", "c ||| d|||e")]


def test_tab_separated_triples(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_text("长江\t长度\t6300公里\n a \tb ||| c\td\te\n", encoding="utf-8")
    assert list(read_tsv_triples(path)) == [FACTS[0], Triple("a", "b ||| c", "d\te")]


BAD = ["长江 ||| 长度", "长江", " ||| 长度 ||| x", "长江 |||  ||| x", "长江 ||| 长度 ||| "]


@pytest.mark.parametrize("bad", BAD)
def test_a_malformed_line_is_named(tmp_path: Path, bad: str) -> None:
    path = tmp_path / "a.kb"
    path.write_text(f"a ||| b ||| c\n{bad}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"a\.kb, line 2: expected subject, predicate and object"):
        list(read_triples(path))
    assert parse_triple(bad) is None


def test_malformed_lines_can_be_collected_instead(tmp_path: Path) -> None:
    path = tmp_path / "a.kb"
    path.write_text("\n".join(["a ||| b ||| c", *BAD, "d ||| e ||| f"]), encoding="utf-8")
    bad: list[tuple[int, str]] = []
    found = list(read_triples(path, lambda number, line: bad.append((number, line))))
    assert found == [Triple("a", "b", "c"), Triple("d", "e", "f")]
    assert bad == list(enumerate(BAD, 2))


def test_one_line_alone() -> None:
    assert parse_triple("长江 ||| 长度 ||| 6300公里") == FACTS[0]


def test_reading_is_a_stream(tmp_path: Path) -> None:
    path = tmp_path / "a.kb"
    path.write_text("a ||| b ||| c\n" * 200_000 + "broken\n", encoding="utf-8")
    assert next(read_triples(path)) == Triple("a", "b", "c")


def test_a_cut_off_gzip_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.kb.gz"
    path.write_bytes(gzip.compress(KB.encode())[:-9])
    with pytest.raises(InputError, match="cut off"):
        list(read_triples(path))


texts = st.text(min_size=1, max_size=8) | st.sampled_from(["|", "||", "a|", "|a", "a ||| b", "|||"])


@settings(deadline=None, max_examples=60)
@given(triples=st.lists(st.builds(Triple, texts, texts, texts)))
@pytest.mark.parametrize(
    ("write", "read", "mark"),
    [(write_triples, read_triples, "|||"), (write_tsv_triples, read_tsv_triples, "\t")],
)
def test_triples_come_back_or_are_refused(
    tmp_path_factory: pytest.TempPathFactory,
    write: Callable[..., None],
    read: Callable[..., Iterator[Triple]],
    mark: str,
    triples: list[Triple],
) -> None:
    path = tmp_path_factory.getbasetemp() / "a.kb"
    try:
        write(path, triples)
    except InputError:
        parts = [part for triple in triples for part in (triple.subject, triple.predicate, triple.object)]
        assert any(part != part.strip() or mark in part or {"\n", "\ufeff"} & set(part) for part in parts)
    else:
        assert list(read(path)) == triples


@pytest.mark.parametrize(
    "triple",
    [Triple("a ||| b", "c", "d"), Triple("a", "", "c"), Triple("a ", "b", "c"), Triple("a", "b", "c\nd")],
)
def test_text_that_would_come_back_different_is_refused(tmp_path: Path, triple: Triple) -> None:
    with pytest.raises(InputError, match="line 1"):
        write_triples(tmp_path / "a.kb", [triple])
    assert list(tmp_path.iterdir()) == []


def test_mentions(tmp_path: Path) -> None:
    path = tmp_path / "mentions"
    path.write_bytes("江 ||| 长江\t江（姓氏）\r\n红楼 ||| 红楼梦\r\n".encode())
    expected = [Mention("江", ("长江", "江（姓氏）")), Mention("红楼", ("红楼梦",))]
    assert list(read_mentions(path)) == expected
    write_mentions(path, expected)
    assert list(read_mentions(path)) == expected
    assert path.read_text(encoding="utf-8") == "江 ||| 长江\t江（姓氏）\n红楼 ||| 红楼梦\n"


@pytest.mark.parametrize("bad", ["江", "江 ||| ", " ||| 长江", "江 \t 长江"])
def test_a_malformed_mention_is_named(tmp_path: Path, bad: str) -> None:
    path = tmp_path / "mentions"
    path.write_text(f"{bad}\na ||| b\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 1: expected a mention"):
        list(read_mentions(path))
    lines: list[int] = []
    assert list(read_mentions(path, lambda number, line: lines.append(number))) == [Mention("a", ("b",))]
    assert lines == [1]


@pytest.mark.parametrize("mention", [Mention("a", ()), Mention("a|||b", ("c",)), Mention("a", ("b\tc",))])
def test_mentions_that_would_come_back_different_are_refused(tmp_path: Path, mention: Mention) -> None:
    with pytest.raises(InputError):
        write_mentions(tmp_path / "mentions", [mention])


@pytest.mark.shared
def test_the_real_file(shared: Path) -> None:
    path = shared / "data" / "nlpcc" / "kb" / "union_zh.kb.gz"
    assert sum(1 for _ in nlpcc_kb.read_triples(path)) == 364_930


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
