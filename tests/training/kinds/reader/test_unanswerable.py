"""Questions asked of the passage that is most like the right one and does not answer them."""

from __future__ import annotations

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.training.kinds.reader.figures import unanswerable_requests

TEXTS = [
    "the old bridge is long and it was built of stone",
    "the new bridge is long and it was built of iron in spring",
    "a cat sleeps",
]


def asked(text: str, *golds: str) -> tuple[PassageQuestion, ...]:
    return (PassageQuestion(text, text, tuple((GoldSpan(gold),) for gold in golds)),)


@pytest.fixture
def by_words() -> Tokenizer:
    words = sorted({word for text in TEXTS for word in text.split()})
    tokenizer = Tokenizer(
        models.WordLevel({"?": 0} | {word: n for n, word in enumerate(words, 1)}, unk_token="?")
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer


def test_the_passage_that_shares_most_and_has_no_gold_answer_is_asked(by_words: Tokenizer) -> None:
    passages = [Passage(TEXTS[0], asked("what was the bridge built of", "stone")), *map(Passage, TEXTS[1:])]
    (request,) = unanswerable_requests(passages, by_words, 10)
    assert (request.question, request.text) == ("what was the bridge built of", TEXTS[1])


def test_a_passage_with_the_answers_text_anywhere_is_passed_over(by_words: Tokenizer) -> None:
    passages = [Passage(TEXTS[0], asked("is the bridge long", "Long")), *map(Passage, TEXTS[1:])]
    (request,) = unanswerable_requests(passages, by_words, 10)
    assert request.text == TEXTS[2]


def test_a_question_that_every_passage_answers_is_left_out(by_words: Tokenizer) -> None:
    passages = [Passage(TEXTS[0], asked("which letter", "t")), *map(Passage, TEXTS[1:])]
    assert list(unanswerable_requests(passages, by_words, 10)) == []


def test_questions_are_spread_over_the_file(by_words: Tokenizer) -> None:
    passages = [Passage(f"{TEXTS[n % 3]} {n}", asked(f"question {n}", f"{n} {n}")) for n in range(90)]
    numbers = [int(request.question.split()[1]) for request in unanswerable_requests(passages, by_words, 9)]
    assert numbers == list(range(0, 90, 10))
