from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.language.occurrences import Occurrence, Occurrences
from caveat.language.words import words


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The game (NFL) was on.", "The|game|(|NFL|)|was|on|."),
        ("well-known U.S. firms' e.g. X-rays", "well|-|known|U.S.|firms|'|e.g.|X|-|rays"),
        ("$3.50, 10,000 and 24–10", "$|3.50|,|10,000|and|24–10"),
        ("I don't; we've cannot", "I|do|n't|;|we|'ve|can|not"),
        ('Marie\'s "word"...', 'Marie|\'s|"|word|"|...'),
        ("他在NBA打球。", "他|在|NBA|打|球|。"),
        ("", ""),
    ],
)
def test_words(text: str, tokens: str) -> None:
    assert [token for token, _ in words(text)] == [token for token in tokens.split("|") if token]


@given(st.text())
def test_every_token_is_a_slice_and_nothing_but_blanks_is_lost(text: str) -> None:
    found = words(text)
    assert all(text[start : start + len(token)] == token and token for token, start in found)
    assert "".join(token for token, _ in found) == "".join(text.split())


def test_occurrences() -> None:
    text = "The Broncos beat the Panthers. Broncos, again: the Broncos!"
    places = Occurrences(text)
    assert [text[p.start : p.end] for p in places.of("broncos")] == ["Broncos", "Broncos", "Broncos"]
    assert [text[p.start : p.end] for p in places.of("the Broncos")] == [
        "The Broncos",
        "Broncos",
        "the Broncos",
    ]
    assert places.of("Panthers.") == [Occurrence(21, 30, 4, 6)]
    assert places.of("Broncos beat") == [Occurrence(4, 16, 1, 3)]
    assert places.of("bronco") == []
    assert places.of("the") == []  # nothing is left of it


def test_an_answer_matches_across_punctuation() -> None:
    text = "a U.S.-based firm"
    (place,) = Occurrences(text).of("US-based")
    assert text[place.start : place.end] == "U.S.-based"


@given(
    st.lists(st.sampled_from(["the", "cat", "Sat.", "on", "a", "mat,", "U.S.", "–"]), max_size=12), st.data()
)
def test_every_slice_of_tokens_is_found(tokens: list[str], data: st.DataObject) -> None:
    from caveat.language.normalise import normalise_squad

    text = " ".join(tokens)
    places = Occurrences(text)
    if not places.tokens:
        return
    first = data.draw(st.integers(0, len(places.tokens) - 1))
    last = data.draw(st.integers(first, len(places.tokens) - 1))
    start, (token, offset) = places.tokens[first][1], places.tokens[last]
    answer = text[start : offset + len(token)]
    found = places.of(answer)
    assert bool(found) == bool(normalise_squad(answer))
    for place in found:
        assert normalise_squad(text[place.start : place.end]) == normalise_squad(answer)
        assert place.start == places.tokens[place.first][1]
        token, offset = places.tokens[place.last - 1]
        assert place.end == offset + len(token)


@pytest.mark.parametrize("mark", ["(", ")", "'", "...", ".)", "-", "a."])
def test_long_chunks_take_time_by_their_length_alone(mark: str) -> None:
    # Each mark once cost as much as the whole chunk: this took minutes.
    text = "a" + mark * 60_000
    assert "".join(token for token, _ in words(text)) == text
