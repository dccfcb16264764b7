from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.benchmarks.mrqa.format import MrqaContext
from caveat.benchmarks.mrqa.sources.build import (
    MAXIMUM_TOKENS,
    MrqaSource,
    SourceContext,
    SourceQuestion,
    build,
    first_tokens,
    join_documents,
)
from caveat.benchmarks.registry import Drops
from caveat.language.normalise import normalise_squad
from caveat.language.words import words

SOURCE = MrqaSource(name="tests", dataset="Tests", reads="nothing", read=lambda *_: [])


def build_one(text: str, *questions: SourceQuestion) -> tuple[list[MrqaContext], Drops]:
    drops = Drops()
    return list(build(SOURCE, [SourceContext(text, questions, "c1")], drops)), drops


def test_documents_are_joined_with_markers() -> None:
    documents = [("Rivers", ["The Ems is short.", " The Oder is long. "]), (None, ["No title."])]
    assert join_documents(documents) == (
        "[DOC] [TLE] Rivers [PAR] The Ems is short. [PAR] The Oder is long. [DOC] [PAR] No title."
    )


def test_empty_titles_and_paragraphs_leave_no_marker() -> None:
    assert join_documents([(" ", ["", "  ", "Text."])]) == "[DOC] [PAR] Text."
    assert join_documents([]) == ""


def test_every_occurrence_is_recorded_with_characters_and_tokens() -> None:
    #       0   4   8    13  17    23 26
    text = "The Ems is short; an Ems, the Ems."
    (context,), drops = build_one(text, SourceQuestion("q1", "Which river?", ("the Ems",)))
    (question,) = context.questions
    (detected,) = question.detected
    # Tokens: The Ems is short ; an Ems , the Ems .
    spans = [(place.start, place.end, place.first, place.last) for place in detected.places]
    assert spans == [(0, 7, 0, 2), (21, 24, 6, 7), (26, 33, 8, 10)]
    assert question.answers == ("the Ems",)
    assert question.extra["id"] == "q1"
    assert context.extra == {"id": "c1"}
    assert not drops.counts


def test_a_question_whose_answer_is_cut_off_is_dropped() -> None:
    text = "word " * MAXIMUM_TOKENS + "late"
    late, early = SourceQuestion("q1", "?", ("late",)), SourceQuestion("q2", "?", ("word",))
    (context,), drops = build_one(text, late, early)
    assert len(context.tokens) == MAXIMUM_TOKENS
    assert context.context == ("word " * MAXIMUM_TOKENS).rstrip()
    assert [question.extra["id"] for question in context.questions] == ["q2"]
    assert drops.counts == {"no answer within the first 800 tokens": 1}
    assert drops.examples == {"no answer within the first 800 tokens": ["q1"]}


def test_a_context_without_questions_is_left_out() -> None:
    contexts, drops = build_one("Some text.", SourceQuestion("q1", "?", ("absent",)))
    assert contexts == []
    assert drops.counts.total() == 1


def test_a_text_of_exactly_the_maximum_is_kept_whole() -> None:
    text = "a b c  "
    assert first_tokens(text, 3) == (text, [("a", 0), ("b", 2), ("c", 4)])
    assert first_tokens(text, 2) == ("a b", [("a", 0), ("b", 2)])


def test_a_marker_is_one_token_and_no_answer() -> None:
    text = join_documents([("Golf", ["A hole has a par.", "Par three."])])
    _, tokens = first_tokens(text)
    assert [token for token, _ in tokens[:5]] == ["[DOC]", "[TLE]", "Golf", "[PAR]", "A"]
    (context,), _ = build_one(text, SourceQuestion("q1", "?", ("par",)))
    (detected,) = context.questions[0].detected
    assert [text[place.start : place.end] for place in detected.places] == ["par", "Par"]
    assert build_one("[PAR] one [DOC] two", SourceQuestion("q2", "?", ("doc",)))[0] == []


def test_patterns_match_whole_tokens() -> None:
    text = "In 1912, not in 19123, and in 1913."
    (context,), _ = build_one(text, SourceQuestion("q1", "When?", patterns=("191[23]", "1912")))
    (question,) = context.questions
    assert question.answers == ("1912", "1913")
    # Tokens: In 1912 , not in 19123 , and in 1913 .
    places = {
        detected.text: [(p.start, p.end, p.first, p.last) for p in detected.places]
        for detected in question.detected
    }
    assert places == {"1912": [(3, 7, 1, 2)], "1913": [(30, 34, 9, 10)]}


def test_the_first_ids_of_a_reason_are_kept_as_examples() -> None:
    drops = Drops()
    for number in range(5):
        drops.add("too long", number)
    assert drops.counts == {"too long": 5}
    assert drops.examples == {"too long": ["0", "1", "2"]}


PIECES = st.sampled_from(
    ["the", "a", "Ems", "Oder,", "(short)", "[PAR]", "par", "U.S.", "don't", "长江", "—", "."]
)
TEXTS = st.lists(PIECES, max_size=30).map(" ".join)


@given(st.lists(st.tuples(TEXTS, st.lists(TEXTS, max_size=3)), max_size=4), TEXTS, st.integers(1, 40))
def test_spans_are_slices_of_the_cut_text(
    documents: list[tuple[str, list[str]]], answer: str, maximum: int
) -> None:
    text, tokens = first_tokens(join_documents(documents), maximum)
    assert len(tokens) <= maximum
    assert all(text[offset : offset + len(token)] == token for token, offset in tokens)
    contexts, drops = build_one(text, SourceQuestion("q1", "?", (answer,)))
    assert len(contexts) + drops.counts.total() == 1
    for context in contexts:
        for place in context.questions[0].detected[0].places:
            assert 0 <= place.start < place.end <= len(context.context)
            assert context.tokens[place.first][1] == place.start
            token, offset = context.tokens[place.last - 1]
            assert offset + len(token) == place.end
            assert normalise_squad(context.context[place.start : place.end]) == normalise_squad(answer)
            assert "[PAR]" not in context.context[place.start : place.end].split()


@given(st.lists(PIECES, min_size=1, max_size=5))
def test_never_more_than_800_tokens(pieces: list[str]) -> None:
    text = " ".join(pieces * 900)
    cut, tokens = first_tokens(text)
    assert len(tokens) == MAXIMUM_TOKENS
    assert text.startswith(cut)


@given(st.lists(PIECES.filter(lambda piece: piece != "[PAR]"), max_size=40).map(" ".join))
def test_without_markers_the_tokens_are_the_words(text: str) -> None:
    assert first_tokens(text)[1] == words(text)


@pytest.mark.parametrize("text", ["", "  ", "\n"])
def test_an_empty_text_has_no_tokens(text: str) -> None:
    assert first_tokens(text) == (text, [])
