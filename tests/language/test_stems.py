"""Words without their endings."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from caveat.language.stems import root, stem


@pytest.mark.parametrize(
    "words",
    [
        ("game", "games", "game's"),
        ("city", "cities"),
        ("score", "scores", "scored", "scoring"),
        ("stop", "stopped", "stopping"),
        ("box", "boxes"),
    ],
)
def test_forms_of_a_word_have_one_stem(words: tuple[str, ...]) -> None:
    assert len({stem(word) for word in words}) == 1


@pytest.mark.parametrize("word", ["", "a", "is", "bus", "北", "naïves", "1989", "n37"])
def test_what_is_no_english_word_stays(word: str) -> None:
    assert stem(word) == word


@pytest.mark.parametrize(
    "words",
    [
        ("founder", "founders", "founded", "founding"),
        ("director", "directed"),
        ("writer", "writes", "writing"),
    ],
)
def test_who_does_it_has_the_root_of_what_is_done(words: tuple[str, ...]) -> None:
    assert len({root(word) for word in words}) == 1


def test_short_words_keep_their_endings() -> None:
    assert [root(word) for word in ("use", "her", "river", "major")] == ["use", "her", "river", "major"]


def test_stems_are_the_same_from_several_threads() -> None:
    words = [
        f"{start}{end}"
        for start in ("relat", "organis", "nation", "hop")
        for end in ("ed", "ing", "es", "al")
    ]
    alone = [stem.__wrapped__(word) for word in words]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(stem.__wrapped__, words * 200)) == alone * 200
