"""Offsets into the original text, whatever the tokenizer does to it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

from caveat.core.errors import CaveatError
from caveat.models.encoding import (
    PairLayout,
    answer_characters,
    context_layout,
    encode_question,
    encode_text,
    load_tokenizer,
    pair_layout,
    pieces,
)


@pytest.fixture(scope="module")
def bert(reader_folder: Path) -> Tokenizer:
    return load_tokenizer(reader_folder / "tokenizer.json")


def byte_level() -> Tokenizer:
    """As RoBERTa: bytes, blanks in front of words, no segments."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {
        token: id for id, token in enumerate(["<s>", "<pad>", "</s>", *alphabet, "re", "red", "Ġred"])
    }
    merges = [("r", "e"), ("re", "d"), ("Ġ", "red")]
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0), trim_offsets=False)
    return tokenizer


def metaspace() -> Tokenizer:
    """As XLM-R: compatibility forms normalised, blanks are letters, a blank in front."""
    pieces = [
        ("<unk>", 0.0),
        ("▁", -2.0),
        *((c, -3.0) for c in "abcdeéfirt1红"),
        ("▁red", -1.0),
        ("fi", -1.0),
    ]
    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=0))
    tokenizer.normalizer = normalizers.NFKC()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    return tokenizer


TOKENIZERS = {"byte-level": byte_level(), "metaspace": metaspace()}

odd = st.text(
    st.one_of(
        st.sampled_from(
            "aeéÉİßﬁ①Ａ１　\u0301\u0338\u200d\ufe0f👩🏽🇩🇪红色龘𠀀\t\n\r\x00\x07\u00ad\ufeff\u202e[SEP]. "
        ),
        st.characters(exclude_categories=()),
    ),
    max_size=40,
)


@given(odd)
@example("[SEP] </s> <s>")
@example("e\u0301 e\u0301\u0301 ﬁ İİ")
@example("\ud800 half a pair \udfff")
@example("क्षि กำ 각")
def test_every_span_is_the_text_at_its_offsets(bert: Tokenizer, text: str) -> None:
    for tokenizer in (bert, *TOKENIZERS.values()):
        encoded = encode_text(tokenizer, text)
        assert encoded.text == text
        assert len(encoded) == len(encoded.starts) == len(encoded.ends)
        assert (encoded.starts >= 0).all()
        assert (encoded.ends <= len(text)).all()
        assert (encoded.starts <= encoded.ends).all()
        # They rise, so that a later token never ends a span before it began.
        assert (np.diff(encoded.starts) >= 0).all()
        assert (np.diff(encoded.ends) >= 0).all()
        for first in range(len(encoded)):
            start, end = answer_characters(encoded, first, min(first + 2, len(encoded) - 1))
            assert 0 <= start <= end <= len(text)
            assert text[start:end] == text[start:end].strip()


def spans(tokenizer: Tokenizer, text: str) -> list[str]:
    encoded = encode_text(tokenizer, text)
    return [text[start:end] for start, end in (answer_characters(encoded, i, i) for i in range(len(encoded)))]


def test_tokens_as_they_stand_in_the_text(bert: Tokenizer) -> None:
    assert spans(bert, "The  RED\tdog") == ["The", "RED", "dog"]
    assert spans(bert, "红色是大") == ["红", "色", "是", "大"]
    assert spans(bert, "龘Ω red") == ["龘", "Ω", "red"]
    # Accents are stripped for the model; the answer keeps them, composed or not.
    assert spans(bert, "DÉ réd") == ["D", "É", "réd"]
    assert spans(bert, "de\u0301 re\u0301d") == ["d", "e\u0301", "re\u0301d"]
    assert spans(bert, "👩🏽 red") == ["👩🏽", "red"]
    assert spans(byte_level(), "a red") == ["a", "red"]
    assert spans(metaspace(), "a red")[-1] == "red"


def test_words_that_look_like_special_tokens_are_words(bert: Tokenizer) -> None:
    ids = encode_text(bert, "red [SEP] [CLS] red").ids
    assert not {bert.token_to_id("[SEP]"), bert.token_to_id("[CLS]")} & set(ids.tolist())
    assert spans(bert, "[SEP]") == ["[", "S", "E", "P", "]"]


def test_a_question_keeps_its_beginning(bert: Tokenizer) -> None:
    ids = encode_question(bert, "color red blue", 2)
    assert [bert.id_to_token(id) for id in ids] == ["color", "red"]
    assert len(encode_question(bert, "", 2)) == 0


@given(st.text("ab \n", max_size=60), st.integers(2, 20))
def test_pieces_cover_the_text(text: str, size: int) -> None:
    cuts = pieces(text, size)
    assert "".join(text[a:b] for a, b in cuts) == text
    assert all(b - a <= size for a, b in cuts)
    assert all(a < b for a, b in cuts) or not text


def test_pieces_end_after_a_line_or_before_a_blank() -> None:
    assert pieces("aaa\nbbb ccc", 6) == [(0, 4), (4, 7), (7, 11)]
    assert pieces("red red red", 8) == [(0, 7), (7, 11)]
    assert pieces("红" * 10, 4) == [(0, 4), (4, 8), (8, 10)]


def test_a_text_in_pieces_has_the_tokens_of_the_whole(bert: Tokenizer) -> None:
    text = "The réd dog\tis 红色的。\nred a\n" * 6000
    assert len(pieces(text)) > 1
    for tokenizer in (bert, byte_level()):
        whole = tokenizer.encode(text, add_special_tokens=False)
        encoded = encode_text(tokenizer, text)
        assert encoded.ids.tolist() == whole.ids
        assert list(zip(encoded.starts.tolist(), encoded.ends.tolist(), strict=True)) == whole.offsets


def test_layouts(bert: Tokenizer) -> None:
    assert pair_layout(bert) == PairLayout((2,), (3,), (3,), 0, 1, 0)
    assert pair_layout(byte_level()) == PairLayout((0,), (2, 2), (2,), 0, 0, 1)
    assert pair_layout(byte_level()).specials == 4
    with pytest.raises(CaveatError, match="does not join"):
        pair_layout(metaspace())
    assert context_layout(bert) == PairLayout((2,), (), (3,), 0, 0, 0)
    assert context_layout(byte_level()) == PairLayout((0,), (), (2,), 0, 0, 1)


def test_a_token_of_the_pair_that_comes_last_is_asked_for() -> None:
    tokenizer = byte_level()
    # As XLNet, with a segment of its own for the last token.
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A </s> <s>:2", pair="$A </s> $B:1 </s>:1 <s>:2", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    with pytest.raises(CaveatError, match="does not join"):
        pair_layout(tokenizer)
    layout = pair_layout(tokenizer, last=True)
    assert layout == PairLayout((), (2,), (2, 0), 0, 1, 1, last_type=2)
    assert (layout.whole, pair_layout(byte_level()).whole) == (-1, 0)
    assert context_layout(tokenizer) == PairLayout((), (), (2, 0), 0, 0, 1, last_type=2)
