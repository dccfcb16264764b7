"""The tagger on models whose spans are known by construction."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from caveat.answerers.engine import Engine
from caveat.core.errors import InputError
from caveat.models.reader import Reader
from caveat.models.selection import Limit
from caveat.models.tagger import Tagger, TagResult, typed_spans
from caveat.models.windowed import ReadRequest


@pytest.fixture(scope="module")
def tagger(tagger_folder: Path) -> Tagger:
    return Tagger.load(tagger_folder, threads=1)


def spans(tagger: Tagger, text: str, question: str = "颜色？") -> list[tuple[str, str, int]]:
    (result,) = tagger.tag([ReadRequest(question, text)])
    assert all(text[span.start : span.end] == span.text for span in result.spans)
    assert all(0 < span.score <= 1 for span in result.spans)
    return [(span.kind, span.text, span.start) for span in result.spans]


def test_typed_spans_at_their_places(tagger: Tagger) -> None:
    assert tagger.kinds == ("condition", "coarse", "fine")
    # Of what begins in one place the widest comes first.
    assert spans(tagger, "颜色，大小：红，红蓝蓝。") == [
        ("condition", "颜色", 0),
        ("fine", "色", 1),
        ("coarse", "大小", 3),
        ("fine", "红", 6),
        ("fine", "红蓝蓝", 8),
    ]
    assert spans(tagger, "的。") == []


def test_blanks_stay_where_they_are(tagger: Tagger) -> None:
    assert spans(tagger, " \n红 \t蓝\n，") == [("fine", "红 \t蓝", 2)]


@given(st.text(st.sampled_from("颜色大小红蓝十的，。 \n\tÄ\u0301ﬁＡ１😀\u200d\ud800a"), max_size=150))
def test_offsets_are_into_the_text_as_it_was_given(tagger: Tagger, text: str) -> None:
    found = spans(tagger, text)
    starts = {start for kind, _, start in found if kind == "coarse"}
    assert starts >= {at for at, character in enumerate(text) if character == "大"}
    assert found == sorted(found, key=lambda span: span[2])


def test_clauses(tagger_folder: Path, tagger: Tagger) -> None:
    card = msgspec.structs.replace(tagger.card, clause_kinds=("condition",))
    clausal = Tagger(tagger_folder, card, tagger._scorer)
    text = "是，颜色的，红。"
    assert spans(tagger, text)[0] == ("condition", "颜色", 2)
    # As a whole clause it would lose 10 at 的, which is not an I; that is less than the 10 it has.
    assert spans(clausal, text) == [("condition", "颜色的", 2), ("fine", "色", 3), ("fine", "红", 6)]
    assert spans(clausal, "的颜，红。") == [("fine", "红", 3)]


def test_words_are_not_cut(make_tagger: Any) -> None:
    tags = {"red": ["B-answer"], "##s": ["I-answer"], "cat": ["B-answer"], "##a": ["B-answer"]}
    tagger = Tagger.load(make_tagger("english", [["answer"]], tags))
    assert spans(tagger, "The reds, a cat. red", "who") == [
        ("answer", "reds", 4),
        ("answer", "cat", 12),
        ("answer", "red", 17),
    ]
    # Neither the first piece of a word nor one in its middle is an answer.
    assert spans(tagger, "redo bad", "who") == []


@pytest.mark.parametrize(("question", "text"), [("", "红"), (" ", "红"), ("色", ""), ("色", "\n ")])
def test_nothing_to_read(tagger: Tagger, question: str, text: str) -> None:
    assert list(tagger.tag([ReadRequest(question, text)])) == [TagResult()]


def test_a_long_text_gives_what_its_parts_give(tagger: Tagger) -> None:
    part = "的颜色是红蓝，大小。"
    many = spans(tagger, part * 200)
    assert many == [(kind, text, at + 10 * n) for n in range(200) for kind, text, at in spans(tagger, part)]
    # A span longer than any window.
    text = "红" + "蓝" * 500 + "。"
    assert spans(tagger, text) == [("fine", text[:-1], 0)]


class EdgesAreWrong:
    """A network that finds a span of one token everywhere but within three tokens of a window's end."""

    def run(self, ids: NDArray[Any], mask: NDArray[Any], types: NDArray[Any]) -> tuple[NDArray[Any], ...]:
        logits = np.zeros((*ids.shape, 3), dtype=np.float32)
        logits[..., 0] = 5
        for row in range(len(ids)):
            first, last = np.flatnonzero(types[row])[[0, -2]]
            logits[row, first + 3 : last - 2, 1] = 10
        return (logits,)


@pytest.mark.parametrize("stride", [1, 7, 16, 20])
def test_a_token_is_decided_where_it_has_context(tagger_folder: Path, tagger: Tagger, stride: int) -> None:
    card = msgspec.structs.replace(tagger.card, layers=(("x",),), stride=stride)
    edged = Tagger(tagger_folder, card, EdgesAreWrong())
    for length in (10, 40, 41, 60, 100, 333):
        found = [start for _, _, start in spans(edged, "红" * length)]
        # Only at the ends of the text are tokens near an edge in every window.
        assert found == list(range(3, length - 3))


def test_only_some_windows_of_a_long_text(tagger_folder: Path) -> None:
    tagger = Tagger.load(tagger_folder, limit=Limit(least=1, few=1, share=0))
    text = "红的是。" * 100 + "颜色，" + "红的是。" * 100
    found = spans(tagger, text, "颜色？")
    assert ("condition", "颜色", 400) in found
    assert len(found) < 20


def test_many_requests_in_order(tagger: Tagger) -> None:
    texts = ["红" * (n % 70) + "，大" * (n % 3) for n in range(150)]
    results = tagger.tag(ReadRequest("色", text) for text in texts)
    for text, result in zip(texts, results, strict=True):
        assert [span.kind for span in result.spans] == ["fine"] * text.count("红") + ["coarse"] * text.count(
            "大"
        )


def test_a_temperature_on_the_card(tagger: Tagger) -> None:
    (scores,) = tagger.token_scores([ReadRequest("色", "红蓝，大。")])
    assert scores is not None
    cold, warm = (typed_spans(scores, tagger.card, temperature=t) for t in (1.0, 4.0))
    assert [span.text for span in cold] == [span.text for span in warm] == ["红蓝", "大"]
    assert all(a.score > b.score for a, b in zip(cold, warm, strict=True))


def test_models_for_something_else(tagger_folder: Path, reader_folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a model for 'reader', expected one for 'structure'"):
        Tagger.load(reader_folder)
    with pytest.raises(InputError, match="a model for 'structure', expected one for 'reader'"):
        Engine([Reader.load(tagger_folder)])
    with pytest.raises(InputError, match="expected the outputs start_logits and end_logits, found"):
        next(Reader.load(tagger_folder).read([ReadRequest("色", "红")]))
    folder = shutil.copytree(tagger_folder, tmp_path / "model")
    card = msgspec.json.decode((folder / "card.json").read_bytes())
    (folder / "card.json").write_bytes(msgspec.json.encode({**card, "layers": [["condition"]]}))
    with pytest.raises(InputError, match="has not the 3 columns"):
        next(Tagger.load(folder).tag([ReadRequest("色", "红")]))
    (folder / "model.onnx").write_bytes((reader_folder / "model.onnx").read_bytes())
    (folder / "card.json").write_bytes(
        msgspec.json.encode(
            {**card, "sha256": msgspec.json.decode((reader_folder / "card.json").read_bytes())["sha256"]}
        )
    )
    with pytest.raises(InputError, match="expected the output tag_logits, found"):
        next(Tagger.load(folder).tag([ReadRequest("色", "红")]))


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"layers": []}, "a tagger needs layers"),
        ({"layers": [[]]}, "a layer needs at least one kind"),
        ({"layers": [["a"], ["a", "b"]]}, "belongs to one layer"),
        ({"clause_kinds": ["colour"]}, "clause_kinds names 'colour', which is in no layer"),
    ],
)
def test_wrong_cards(tagger_folder: Path, tmp_path: Path, changes: dict[str, Any], problem: str) -> None:
    folder = shutil.copytree(tagger_folder, tmp_path / "model")
    card = msgspec.json.decode((folder / "card.json").read_bytes())
    (folder / "card.json").write_bytes(msgspec.json.encode({**card, **changes}))
    with pytest.raises(InputError, match=problem):
        Tagger.load(folder)
