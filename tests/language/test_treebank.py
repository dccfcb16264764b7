from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from caveat.language.words import treebank_words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain words only", "plain words only"),
        ("", ""),
        ("3.14 and 1,000 at 10:30", "3.14 and 1,000 at 10:30"),
        ("I can't, they'll; it's", "I ca n't , they 'll ; it 's"),
        ('say "yes" now', "say `` yes '' now"),
        ('"yes"', "`` yes ''"),
        ('a\t"b"', "a '' b ''"),  # only a blank makes a quote open
        ("(test) 5%", "( test ) 5 %"),
        ("a.b stays. The end.", "a.b stays. The end ."),
        ("the end.)", "the end . )"),
        ("wait... no", "wait ... no"),
        ("a,,b", "a , ,b"),
        ("cannot gonna wanna wannabe", "can not gon na wan na wannabe"),
        ("d'ye more'n", "d 'ye more 'n"),
        ("'tis", "' tis"),
        ("cannot'tis", "can not 't is"),
        ("'hello' 's", "' hello ' 's"),
        ("x's';", "x 's ' ;"),
        ("x's')", "x's ' )"),
        ("“a” ‘b’ «c»", "“ a ” ‘ b ’ « c »"),
        ("a—b a--b a-b", "a — b a -- b a-b"),
        ("```", "`` `"),
    ],
)
def test_examples(text: str, expected: str) -> None:
    assert treebank_words(text) == expected.split()


def test_each_call_gives_a_list_of_its_own() -> None:
    treebank_words("it's").append("changed")
    assert treebank_words("it's") == ["it", "'s"]


@pytest.fixture(scope="module")
def reference() -> Callable[[str], list[str]]:
    tokenize = pytest.importorskip("nltk.tokenize")
    return lambda text: list(tokenize.word_tokenize(text, preserve_line=True))


MARKS = list("\"'`.,:;-()[]{}<>«»“”‘’„–—―‒?!*@#$%&…/\\+=|~^_ \t\n\r\u3000\xa0")
LETTERS = [*"ax5é中Snsmdt", "12", "re", "ve", "ll", "''", "``", "--", "..", "  "]
CONTRACTED = ["n't", "N'T", "'LL", "cannot", "CanNot", "gonna", "wanna", "gimme", "gotta", "lemme", "d'ye"]
CONTRACTED += ["more'n", "'tis", "'twas", "'s", "'Re"]


@given(st.lists(st.sampled_from(MARKS + LETTERS + CONTRACTED), max_size=14).map("".join))
def test_equals_nltk(reference: Callable[[str], list[str]], text: str) -> None:
    assert treebank_words(text) == reference(text)


@given(st.text(alphabet="'\". a5,s)`", max_size=10))
def test_equals_nltk_on_few_characters(reference: Callable[[str], list[str]], text: str) -> None:
    assert treebank_words(text) == reference(text)


RIMS = ["'", "a", "s", " ", "cannot", "\u0301", "²", "½", "‿", "Ⓐ", "\u200d", "ſ", "\x1c", "."]


@given(st.lists(st.sampled_from(RIMS), max_size=8))
def test_equals_nltk_on_the_rims_of_unicode(reference: Callable[[str], list[str]], parts: list[str]) -> None:
    # Before it had this module NLTK took what is part of a word from Python's `re`.
    pytest.importorskip("nltk.redos")
    assert treebank_words("".join(parts)) == reference("".join(parts))
