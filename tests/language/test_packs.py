"""Language packs: those of the package, and one from outside that is asked a question in."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from caveat.answerers.engine import load
from caveat.core.errors import CaveatError, InputError
from caveat.core.languages import check_language, language_of, languages, registered
from caveat.core.records import Document, Question
from caveat.language.foreign import is_foreign
from caveat.language.packs import LanguagePack, pack, packs_beside
from caveat.language.packs.en import ENGLISH
from caveat.language.packs.zh import CHINESE
from caveat.language.question import parse_question
from caveat.language.question_types import QUESTION_TYPES, question_type
from caveat.language.tokens import content_words

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "languages.md").read_text("utf-8")
TOY = "zu"


def example(name: str) -> str:
    """A block of the page on languages, by the comment before it."""
    found = re.search(rf"^<!-- {re.escape(name)} -->\n```\w+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found
    return found[1]


def install(folder: Path, module: str, entry_points: str) -> None:
    about = folder / "zu_pack-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / "zu_pack.py").write_text(module, "utf-8")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: zu-pack\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(entry_points)


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that is installed in, as a package of others would be."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "zu_pack", raising=False)
    registered.cache_clear()
    yield tmp_path
    registered.cache_clear()


@pytest.fixture
def toy(outside: Path) -> LanguagePack:
    """The language of the page's example."""
    assert f'{TOY} = "zu_pack:PACK"' in example("entry_points.txt")
    install(outside, example("zu_pack.py"), f"[caveat.languages]\n{TOY} = zu_pack:PACK\n")
    return pack(TOY)


def test_the_languages_of_the_package() -> None:
    assert languages()[:2] == (ENGLISH, CHINESE)
    for code in (ENGLISH, CHINESE):
        own = pack(code)
        assert own.code == code
        assert own.stop_words
        assert set(own.question_words) == set(QUESTION_TYPES[:-1])
        # What a pack names is there.
        for home in (own.cues, own.type_by_words, own.rewriting, own.inquiry, own.completion):
            assert home is None or callable(own.load(home))
    assert len(pack(ENGLISH).months) == 12
    assert packs_beside(ENGLISH) == (pack(CHINESE), pack(ENGLISH))


def test_an_unknown_language_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"'fr' .*en \(English\), zh \(Chinese\)"):
        check_language("fr")
    with pytest.raises(CaveatError, match=r"There is no language 'fr'\..* en, zh"):
        pack("fr")


def test_a_language_from_outside_is_asked_in(toy: LanguagePack, reader_folder: Path) -> None:
    assert languages() == (ENGLISH, CHINESE, TOY)
    engine = load(reader_folder)
    reply = engine.ask("Ho color?", Document("Zu color red.", url="dog.txt"))
    assert reply.question.spoken == TOY
    assert reply.answers[0].text == "red"
    assert reply.answered
    # Asked for by its code as well.
    assert engine.ask("color?", Document("Zu color red."), language=TOY).answers[0].text == "red"
    with pytest.raises(InputError, match=r"zu \(Zumi\)"):
        engine.ask("color?", Document("Zu color red."), language="fr")


def test_what_is_read_of_a_question_in_it(toy: LanguagePack) -> None:
    assert language_of("Ho color?") == TOY
    assert language_of("What color?") == ENGLISH
    assert language_of("什么颜色？") == CHINESE
    parsed = parse_question(Question("Ho dogim colorim?"))
    assert (parsed.language, parsed.kind, parsed.word) == (TOY, "span", "what")
    assert parsed.words == ("dog", "color")
    assert parse_question(Question("Ja dog?")).kind == "yes or no"
    assert parse_question(Question("Ho ho dog?")).kind == "list"
    # The words of other languages stay what they are, and English is none of its own.
    assert question_type("What did the dog eat?") == "what"
    assert question_type("Zu what dog") == "no question word"
    assert content_words("the dog of zu", ENGLISH) == ["dog", "zu"]
    assert not is_foreign("Zu og mi velo kala suno. " * 20)


@pytest.mark.parametrize("module", ["PACK = 5", "class PACK:\n    code = 'other'"])
def test_what_is_no_pack(outside: Path, module: str) -> None:
    install(outside, module, f"[caveat.languages]\n{TOY} = zu_pack:PACK\n")
    with pytest.raises(
        CaveatError, match=f"{TOY} = zu_pack:PACK of caveat.languages is no pack of the language"
    ):
        languages()


def test_no_language_is_named_outside_of_the_packs() -> None:
    """Codes stand in the packs, in models' cards and in recipes; whatever else needs one imports its constant."""
    source = ROOT / "src" / "caveat"
    named = re.compile(r"""(["'])(?:en|zh)\1""")
    found = [
        f"{path.relative_to(source)}:{number}"
        for path in sorted(source.rglob("*.py"))
        if not path.is_relative_to(source / "language" / "packs")
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if named.search(line)
    ]
    assert found == []
