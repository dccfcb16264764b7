"""Where the gold answer stands in a passage, and passages and questions as tokens."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("tokenizers")

from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.training.kinds.reader.data import (
    answer_places,
    as_parts,
    encode,
    occurrences,
    read_passages,
    simplified,
)

if TYPE_CHECKING:
    from tokenizers import Tokenizer


TEXT = "三月的雨，三月的风。"


def places(*answers: tuple[str, int | None], text: str = TEXT) -> tuple[tuple[int, int], ...]:
    spans = tuple((GoldSpan(answer, start),) for answer, start in answers)
    return answer_places(text, PassageQuestion("q", "?", spans))


def test_the_annotated_place_comes_first() -> None:
    assert places(("三月", 5)) == ((5, 7), (0, 2))


def test_a_wrong_or_absent_offset_is_repaired_by_finding_the_text() -> None:
    assert places(("风", 3)) == ((8, 9),)
    assert places(("风", -1)) == ((8, 9),)
    assert places(("风", None)) == ((8, 9),)


def test_blanks_around_an_answer_do_not_count() -> None:
    assert places((" Ada ", 3), text="by Ada at") == ((3, 6),) == places(("Ada", 3), text="by Ada at")
    assert places((" Ada ", 2), text="by Ada at") == ((3, 6),)


def test_the_answer_most_annotators_gave_counts() -> None:
    assert places(("雨", 3), ("风", 8), ("风", 8)) == ((8, 9),)
    assert places(("雪", 0), ("雪", 0), ("风", 8)) == ((8, 9),)  # what is not in the text cannot be learnt
    assert places(("雪", 0)) == ()


def test_yes_and_no_are_no_spans_unless_annotated_at_a_place() -> None:
    assert places(("no", -1), text="there is no bridge") == ()
    assert places(("YES", -1), ("YES", -1), ("bridge", 12), text="there is no bridge") == ()
    assert places(("no", 9), text="there is no bridge") == ((9, 11),)


def test_a_word_is_not_found_inside_another_if_it_stands_alone() -> None:
    assert occurrences("cats, a cat", "cat") == [(8, 11)]
    assert occurrences("12 of 112", "12") == [(0, 2)]
    assert occurrences("concatenate", "cat") == [(3, 6)]
    assert occurrences("在NBA打球", "NBA") == [(1, 4)]


def test_a_simplified_passage_keeps_its_offsets() -> None:
    text = "臺灣的鐵路於1891年通車。"
    question = PassageQuestion("q", "鐵路何時通車？", ((GoldSpan("鐵路", 3),), (GoldSpan("通車", None),)))
    (passage,) = simplified([Passage(text, (question,))])
    assert passage.text == "台湾的铁路于1891年通车。"
    (simple,) = passage.questions
    assert simple.text == "铁路何时通车？"
    assert [(span.text, span.start) for (span,) in simple.answers] == [("铁路", 3), ("通车", None)]


def test_answers_can_be_the_parts_of_one() -> None:
    one = PassageQuestion("a", "?", ((GoldSpan("雨", 3),),))
    two = PassageQuestion("b", "?", ((GoldSpan("雨", 3),), (GoldSpan("风", 8),)))
    (passage,) = as_parts([Passage(TEXT, (one, two))])
    assert [len(question.answers) for question in passage.questions] == [1, 1]
    assert [span.text for span in passage.questions[1].answers[0]] == ["雨", "风"]


FERRY = "渡船每天早上七点离开北岸，票价三元。"


def question(id: str, *answers: tuple[str, ...], **extra: object) -> PassageQuestion:
    return PassageQuestion(
        id, "票价多少？", tuple(tuple(GoldSpan(text) for text in answer) for answer in answers), dict(extra)
    )


def test_tokens_stand_where_the_answer_does(tokenizer: Tokenizer, data_file: Path) -> None:
    passages = list(read_passages(data_file))
    corpus = encode(passages, tokenizer)
    assert corpus.left_out == {}
    asked = [(passage, question) for passage in passages for question in passage.questions]
    assert len(corpus.questions) == len(asked)
    for encoded, (passage, given) in zip(corpus.questions, asked, strict=True):
        tokens = corpus.passages[encoded.passage]
        first, last = encoded.places[0]
        assert passage.text[tokens.starts[first] : tokens.ends[last - 1]] == given.answers[0][0].text


def test_what_no_span_answers_is_left_out_and_counted(tokenizer: Tokenizer) -> None:
    questions = (
        question("span", ("三元",)),
        question("several", ("三元", "北岸")),
        question("yes", ("YES",), ("YES",)),
        question("absent", ("四元",)),
        question("none", is_impossible=True),
        question("none as a string", ("",), is_impossible="true"),
    )
    corpus = encode([Passage(FERRY, questions)], tokenizer)
    assert corpus.left_out == {"several spans": 1, "yes or no": 1, "not in the passage": 1}
    assert [bool(encoded.places) for encoded in corpus.questions] == [True, False, False]


def test_one_kind_of_question_can_be_taken(tokenizer: Tokenizer) -> None:
    passage = Passage(FERRY, (question("a", ("三元",)), question("b", is_impossible=True)))
    assert len(encode([passage], tokenizer, take="answerable").questions) == 1
    assert encode([passage], tokenizer, take="unanswerable").questions[0].places == ()


def test_a_cap_draws_by_the_seed(tokenizer: Tokenizer) -> None:
    passages = [Passage(FERRY[:length], (question(str(length), ("船",)),)) for length in range(2, 18)]

    def kept(seed: int) -> list[int]:
        corpus = encode(passages, tokenizer, cap=5, seed=seed)
        assert corpus.left_out == {"over the cap": 11}
        return [len(passage.ids) for passage in corpus.passages]

    assert kept(1) == kept(1)
    assert len(kept(1)) == 5
    assert kept(1) != kept(2)


def test_a_question_is_cut_to_its_limit(tokenizer: Tokenizer) -> None:
    corpus = encode([Passage(FERRY, (question("a", ("三元",)),))], tokenizer, max_question_tokens=2)
    assert len(corpus.questions[0].ids) == 2


def test_passages_are_streamed_and_only_their_tokens_are_held(tokenizer: Tokenizer) -> None:
    class Watched(Passage, frozen=True, weakref=True):
        """A passage of which is known whether it is still held."""

    held: list[weakref.ref[Passage]] = []

    def coming() -> Iterator[Passage]:
        for number in range(3_000):
            passage = Watched(FERRY, (question("a", ("三元",)),), id=str(number))
            held.append(weakref.ref(passage))
            yield passage
        assert sum(each() is not None for each in held) < 1_000

    assert len(encode(coming(), tokenizer, cap=10).questions) == 10
