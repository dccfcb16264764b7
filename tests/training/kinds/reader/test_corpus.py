"""Data sets as tokens: what is taken, what is left out, and that tokens stand where the answer does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("tokenizers")

from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.training.kinds.reader.data import encode, read_passages

if TYPE_CHECKING:
    from tokenizers import Tokenizer

TEXT = "渡船每天早上七点离开北岸，票价三元。"


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
    corpus = encode([Passage(TEXT, questions)], tokenizer)
    assert corpus.left_out == {"several spans": 1, "yes or no": 1, "not in the passage": 1}
    assert [bool(encoded.places) for encoded in corpus.questions] == [True, False, False]


def test_one_kind_of_question_can_be_taken(tokenizer: Tokenizer) -> None:
    passage = Passage(TEXT, (question("a", ("三元",)), question("b", is_impossible=True)))
    assert len(encode([passage], tokenizer, take="answerable").questions) == 1
    assert encode([passage], tokenizer, take="unanswerable").questions[0].places == ()


def test_a_cap_draws_by_the_seed(tokenizer: Tokenizer) -> None:
    passages = [Passage(TEXT[:length], (question(str(length), ("船",)),)) for length in range(2, 18)]

    def kept(seed: int) -> list[int]:
        corpus = encode(passages, tokenizer, cap=5, seed=seed)
        assert corpus.left_out == {"over the cap": 11}
        return [len(passage.ids) for passage in corpus.passages]

    assert kept(1) == kept(1)
    assert len(kept(1)) == 5
    assert kept(1) != kept(2)


def test_a_question_is_cut_to_its_limit(tokenizer: Tokenizer) -> None:
    corpus = encode([Passage(TEXT, (question("a", ("三元",)),))], tokenizer, max_question_tokens=2)
    assert len(corpus.questions[0].ids) == 2
