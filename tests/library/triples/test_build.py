"""Building an index and looking things up in it."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caveat.core import files
from caveat.core.answers import Triple
from caveat.core.errors import CaveatError, InputError, UnknownNameError, UsageError
from caveat.library.triples import folding, layout, runs
from caveat.library.triples import merging as name_index
from caveat.library.triples import runs as gather
from caveat.library.triples.build import build_index, open_knowledge
from caveat.library.triples.store import KnowledgeStore
from caveat.sources import triple_columns
from caveat.sources.triple_lines import write_triples
from caveat.sources.triples import INDEX_FILE

BRIDGES = """青石桥 ||| 横跨 ||| 清水河
青石桥 ||| 建成 时间 ||| 1872年
白石桥 ||| 横跨 ||| 清水河
青石桥 ||| 横跨 ||| 清水河
青石桥（小说） ||| 作者 ||| 林小禾
青石桥（小说） ||| 别名 ||| 老桥、石桥往事
"""


@pytest.fixture
def bridges(tmp_path: Path) -> Path:
    path = tmp_path / "bridges.kb"
    path.write_text(BRIDGES, "utf-8")
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_small_knowledge_base(bridges: Path, tmp_path: Path) -> None:
    report = build_index([bridges], tmp_path / "index")
    assert (report.triples, report.entities, report.duplicates, report.skipped) == (5, 3, 1, 0)
    assert (report.predicates, report.cleaned_predicates) == (4, 4)
    assert report.bytes == (tmp_path / "index" / INDEX_FILE).stat().st_size
    assert names(tmp_path / "index") == [INDEX_FILE]

    store = KnowledgeStore.open(tmp_path / "index")
    assert store.about.sources == (str(bridges),)
    assert len(store) == 5
    assert store.attributes("青石桥") == (
        Triple("青石桥", "横跨", "清水河"),
        Triple("青石桥", "建成 时间", "1872年"),
    )
    assert store.attributes("清水河") == store.attributes("") == ()
    assert "白石桥" in store
    assert "白石" not in store
    assert sorted(store.entities()) == ["白石桥", "青石桥", "青石桥（小说）"]
    assert len(set(store.triples())) == 5


def test_names_aliases_scripts_and_widths(bridges: Path, tmp_path: Path) -> None:
    build_index([bridges], tmp_path / "index")
    store = KnowledgeStore.open(tmp_path / "index")
    # The whole name comes before the one with a bracket.
    assert store.entities_named("青石橋") == ("青石桥", "青石桥（小说）")
    assert store.entities_named("青石桥(小说)") == ("青石桥（小说）",)
    assert store.entities_named("石桥往事") == store.entities_named("老 桥") == ("青石桥（小说）",)
    assert store.entities_named("清水河") == ()


def test_of_two_things_with_a_name_the_one_comes_first_of_which_more_is_known(tmp_path: Path) -> None:
    lines = [
        "李娜（歌手） ||| 国籍 ||| 中国",
        "李娜（网球） ||| 国籍 ||| 中国",
        "李娜（网球） ||| 生日 ||| 1982",
    ]
    (tmp_path / "kb").write_text("\n".join(lines), "utf-8")
    build_index([tmp_path / "kb"], tmp_path / "index")
    assert KnowledgeStore.open(tmp_path / "index").entities_named("李娜") == ("李娜（网球）", "李娜（歌手）")


def test_a_mention_list_before_its_triples(bridges: Path, tmp_path: Path) -> None:
    mentions = tmp_path / "mentions.txt"
    mentions.write_text("古桥 ||| 青石桥\t白石桥\t黑石桥\n石桥 ||| 白石桥\n", "utf-8")
    report = build_index([mentions, bridges], tmp_path / "index")
    assert report.unknown_mentions == 1
    store = KnowledgeStore.open(tmp_path / "index")
    assert set(store.entities_named("古桥")) == {"青石桥", "白石桥"}
    assert store.entities_named("石桥") == ("白石桥",)


def test_a_value_that_many_things_have_is_no_alias(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name_index, "_MOST_ALIASES", 2)
    lines = [f"桥{number} ||| 别名 ||| 石桥、老{number}桥" for number in range(3)]
    (tmp_path / "kb").write_text("\n".join([*lines, "石桥 ||| 是 ||| 桥"]), "utf-8")
    build_index([tmp_path / "kb"], tmp_path / "index")
    store = KnowledgeStore.open(tmp_path / "index")
    assert store.entities_named("石桥") == ("石桥",)
    assert store.entities_named("老1桥") == ("桥1",)


def test_every_format_gives_the_same(tmp_path: Path) -> None:
    files = {
        "a.kb": "青石桥 ||| 长度 ||| 46米\n",
        "b.tsv": "subject\tpredicate\tobject\n青石桥\t长度\t46米\n",
        "c.csv": '青石桥,长度,"46米"\n',
        "d.nt": '<http://x.org/青石桥> <http://x.org/长度> "46米"@zh .\n',
        "e": "青石桥\t长度\t46米\n",
        "f": "主语,谓语,宾语\n青石桥,长度,46米\n",
        "g": '<http://x.org/青石桥> <http://x.org/长度> "46米" .\n',
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
        store = open_knowledge(tmp_path / name)
        assert list(store.triples()) == [Triple("青石桥", "长度", "46米")], name
    together = build_index([tmp_path / name for name in files], tmp_path / "index")
    assert (together.triples, together.duplicates) == (1, 6)


def test_gb18030_and_gzip(tmp_path: Path) -> None:
    (tmp_path / "kb.gz").write_bytes(gzip.compress(BRIDGES.encode("gb18030")))
    assert len(open_knowledge(tmp_path / "kb.gz").attributes("青石桥")) == 2


def test_an_index_is_opened_and_files_are_indexed_for_once(bridges: Path, tmp_path: Path) -> None:
    build_index([bridges], tmp_path / "index")
    for source in (bridges, tmp_path / "index", tmp_path / "index" / INDEX_FILE):
        assert len(open_knowledge(source)) == 5
    assert len(open_knowledge(bridges, bridges)) == 5


def test_objects_of_two_megabytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(triple_columns, "_CHARACTERS_AT_ONCE", 1 << 20)
    monkeypatch.setattr(gather, "_BYTES_AT_ONCE", 1 << 20)
    monkeypatch.setattr(runs, "_BYTES_AT_ONCE", 1 << 20)
    triples = [Triple(f"entity {n}", "text", "长文" * 350_000 + str(n)) for n in range(3)]
    write_triples(tmp_path / "kb", [*triples, Triple("entity 0", "size", "large")])
    store = open_knowledge(tmp_path / "kb")
    assert store.attributes("entity 1") == (triples[1],)
    assert [triple.predicate for triple in store.attributes("entity 0")] == ["text", "size"]


def test_a_cycle_is_as_good_as_any_triples(tmp_path: Path) -> None:
    cycle = [Triple("a", "next", "b"), Triple("b", "next", "a"), Triple("a", "next", "a")]
    write_triples(tmp_path / "kb", cycle)
    assert sorted(open_knowledge(tmp_path / "kb").triples(), key=repr) == sorted(cycle, key=repr)


def test_names_that_fold_to_nothing_or_are_very_long_are_found_as_they_are_written(tmp_path: Path) -> None:
    long = "名" * 300
    write_triples(tmp_path / "kb", [Triple("··", "is", "a bullet"), Triple(long, "is", "long")])
    store = open_knowledge(tmp_path / "kb")
    assert store.entities_named("··") == ("··",)
    assert store.entities_named(long) == (long,)
    assert store.mentions(f"{long}·· ？") == []


WORDS = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="|\ufeff"), min_size=1, max_size=6
)
PART = (WORDS | st.sampled_from(["甲", "甲（乙）", "別名", "a", "A"])).map(str.strip).filter(bool)
TRIPLES = st.lists(st.builds(Triple, PART, PART, PART), min_size=1, max_size=40)


@settings(max_examples=40)
@given(TRIPLES, PART, st.sampled_from(["hash", "weak hash"]))
def test_every_triple_comes_out_under_its_subject_once_and_in_order(
    tmp_path_factory: pytest.TempPathFactory, triples: list[Triple], absent: str, hash: str
) -> None:
    folder = tmp_path_factory.mktemp("kb")
    write_triples(folder / "kb", triples)
    with pytest.MonkeyPatch.context() as patch:
        # Several runs and ranges, and in half of the cases four hashes for all names.
        patch.setattr(files, "BLOCK", 50)
        patch.setattr(gather, "_ROWS_AT_ONCE", 7)
        patch.setattr(runs, "_ROWS_AT_ONCE", 5)
        if hash == "weak hash":
            patch.setattr(folding, "_MIXING", ((30, 1 << 62),))
        report = build_index([folder / "kb"], folder / "index")
        store = KnowledgeStore.open(folder / "index")
        once = list(dict.fromkeys(triples))
        assert report.triples == len(once) == len(triples) - report.duplicates
        subjects = {triple.subject for triple in triples}
        assert sorted(store.entities()) == sorted(subjects)
        for subject in subjects:
            assert list(store.attributes(subject)) == [triple for triple in once if triple.subject == subject]
            assert subject in store.entities_named(subject)
        if absent not in subjects:
            assert store.attributes(absent) == ()


def test_the_same_triples_give_the_same_bytes(bridges: Path, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        build_index([bridges], tmp_path / folder)
    assert (tmp_path / "a" / INDEX_FILE).read_bytes() == (tmp_path / "b" / INDEX_FILE).read_bytes()


def test_the_work_can_be_watched(bridges: Path, tmp_path: Path) -> None:
    seen: list[tuple[str, int | None, int]] = []

    def through(items: Iterable[Any], description: str, total: int | None, /) -> Iterable[Any]:
        taken = list(items)
        seen.append((description, total, len(taken)))
        return taken

    (tmp_path / "x.tsv").write_text("a\tb\tc\n" * 3)
    build_index([bridges, tmp_path / "x.tsv"], tmp_path / "index", through=through)
    assert seen == [
        ("reading bridges.kb", 1, 1),
        ("reading x.tsv", 1, 1),
        ("sorting", 1, 1),
        ("names", 1, 1),
        ("misspellings", 1, 1),
    ]


class TestBadInput:
    def test_lines_without_separators_are_told_all_at_once(self, tmp_path: Path) -> None:
        path = tmp_path / "x.kb"
        path.write_text("a ||| b ||| c\nno triple\n\n ||| b ||| c\na ||| b ||| d\n")
        with pytest.raises(
            InputError,
            match=r"2 lines are not so: 2, 4; the first is 'no triple' \(`caveat index --skip-bad`",
        ):
            build_index([path], tmp_path / "index")
        assert not (tmp_path / "index").exists()

    def test_one_bad_line_has_its_number(self, tmp_path: Path) -> None:
        path = tmp_path / "x.kb"
        path.write_text("a ||| b ||| c\n ||| b ||| c\n")
        with pytest.raises(
            InputError, match=r"line 2: expected subject, predicate and object, none empty, got ' \|"
        ):
            build_index([path], tmp_path / "index")

    def test_bad_lines_are_skipped_on_demand(self, tmp_path: Path) -> None:
        path = tmp_path / "x.kb"
        path.write_text("a ||| b ||| c\n" + "no triple\n" * 12 + "a ||| b ||| d\n")
        report = build_index([path], tmp_path / "index", skip_bad=True)
        assert (report.triples, report.skipped) == (2, 12)
        assert [bad.line for bad in report.bad_lines] == list(range(2, 12))

    def test_bad_bytes(self, bridges: Path, tmp_path: Path) -> None:
        build_index([bridges], tmp_path / "index")
        broken = tmp_path / "broken.kb"
        broken.write_bytes(BRIDGES.encode() * 10 + b"\xff\xfe ||| \xff ||| \xff\n")
        with pytest.raises(InputError, match=r"line 61: neither UTF-8 nor"):
            build_index([broken], tmp_path / "index", skip_bad=True)
        assert names(tmp_path / "index") == [INDEX_FILE]
        assert len(KnowledgeStore.open(tmp_path / "index")) == 5

    @pytest.mark.parametrize(
        ("name", "text", "sentence"),
        [
            ("x.kb", "", "is empty"),
            ("x.kb", "\n \n", "is empty"),
            ("x.txt", "Prose, of several words.\n", "has no triples in its first lines"),
            ("x.html", "<p>", "is a document: an index of triples is made of nothing else"),
            ("x.mention2id", "a ||| b\n", "no triples in .*: there is nothing to index"),
            ("x.kb.gz", "a ||| b ||| c\n", None),
        ],
    )
    def test_what_is_no_triples(self, tmp_path: Path, name: str, text: str, sentence: str | None) -> None:
        (tmp_path / name).write_text(text)
        if sentence is None:
            assert build_index([tmp_path / name], tmp_path / "index").triples == 1
            return
        with pytest.raises(InputError, match=sentence):
            build_index([tmp_path / name], tmp_path / "index")
        assert not (tmp_path / "index").exists()

    def test_wrong_usage(self, bridges: Path, tmp_path: Path) -> None:
        with pytest.raises(UnknownNameError, match="no format of triples 'turtle'"):
            build_index([bridges], tmp_path / "index", format="turtle")
        with pytest.raises(UsageError, match="nothing to index"):
            build_index([], tmp_path / "index")
        with pytest.raises(UsageError, match="is a file: an index is a folder"):
            build_index([bridges], bridges)
        with pytest.raises(InputError, match="is a folder"):
            build_index([tmp_path], tmp_path / "index")
        with pytest.raises(InputError, match="standard input: is not a file, so its format has to be said"):
            build_index(["-"], tmp_path / "index")
        with pytest.raises(InputError, match="cannot be opened: no such file"):
            build_index([tmp_path / "none.kb"], tmp_path / "index")
        with pytest.raises(CaveatError, match="cannot be written: not a directory"):
            build_index([bridges], bridges / "index")


class TestOpening:
    def test_an_older_version(self, bridges: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(layout, "VERSION", 0)
        build_index([bridges], tmp_path / "index")
        monkeypatch.undo()
        with pytest.raises(
            InputError, match="an index of version 0, and this Caveat reads version 2: make it again"
        ):
            KnowledgeStore.open(tmp_path / "index")

    def test_what_is_no_index(self, bridges: Path, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="has no index of triples in it"):
            KnowledgeStore.open(tmp_path)
        with pytest.raises(InputError, match="is not an index of triples"):
            KnowledgeStore.open(bridges)
        with pytest.raises(InputError, match="cannot be opened: no such file"):
            KnowledgeStore.open(tmp_path / "none")

    def test_a_copy_that_was_cut_short(self, bridges: Path, tmp_path: Path) -> None:
        build_index([bridges], tmp_path / "index")
        whole = (tmp_path / "index" / INDEX_FILE).read_bytes()
        copy = tmp_path / "copy"
        for size in (10, 30, 200, len(whole) - 100):
            copy.write_bytes(whole[:size])
            with pytest.raises(InputError, match=r"is not an index|is damaged, make it again"):
                KnowledgeStore.open(copy)


@pytest.mark.shared
def test_the_real_knowledge_base(shared: Path, tmp_path: Path) -> None:
    from caveat.sources.triple_lines import read_triples

    path = shared / "data" / "nlpcc" / "kb" / "union_zh.kb.gz"
    report = build_index([path], tmp_path / "index")
    assert (report.triples, report.entities, report.predicates) == (364_930, 168_156, 9_553)
    store = KnowledgeStore.open(tmp_path / "index")
    for number, triple in enumerate(read_triples(path)):
        if number % 97 == 0:
            assert triple in store.attributes(triple.subject)
