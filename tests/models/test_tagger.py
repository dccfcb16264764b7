"""The tagger on models whose spans are known by construction."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import product
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
from caveat.models.decoding import Limits
from caveat.models.reader import Reader
from caveat.models.selection import Limit
from caveat.models.tagger import Tagger, TagResult, TokenTag, column_count, tag_spans, typed_spans
from caveat.models.windowed_model import ReadRequest


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
    card = msgspec.json.decode((folder / "card.json").read_bytes()) | {"checksum": ""}
    (folder / "card.json").write_bytes(msgspec.json.encode(card | {"layers": [["condition"]]}))
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
    (folder / "card.json").write_bytes(msgspec.json.encode({**card, "checksum": "", **changes}))
    with pytest.raises(InputError, match=problem):
        Tagger.load(folder)


# A tag is a column: 0 is O, 1 + 2k is B of the k-th kind, 2 + 2k its I.


def legal_spans(tags: tuple[int, ...], kinds: tuple[str, ...], limits: dict[str, Limits]) -> set | None:
    """The spans of a tagging, None if it is not legal."""
    spans: list[list[int]] = []
    for at, tag in enumerate(tags):
        kind = (tag - 1) // 2
        if tag and tag % 2:
            spans.append([kind, at, at])
        elif tag:
            if not spans or spans[-1][0] != kind or spans[-1][2] != at - 1 or tags[at - 1] == 0:
                return None
            spans[-1][2] = at
    for kind, first, last in spans:
        if (limit := limits.get(kinds[kind])) and not (limit.begin[first] and limit.end[last]):
            return None
    return {(kinds[kind], first, last) for kind, first, last in spans}


def every_tagging(
    logits: NDArray[np.float32], kinds: tuple[str, ...], limits: dict[str, Limits], temperature: float
) -> Iterator[tuple[float, set]]:
    scaled = logits.astype(np.float64) / temperature
    weights = np.exp(scaled) / np.exp(scaled).sum(axis=1, keepdims=True)
    for tags in product(range(weights.shape[1]), repeat=len(weights)):
        spans = legal_spans(tags, kinds, limits)
        if spans is not None:
            yield float(np.prod([weights[at, tag] for at, tag in enumerate(tags)])), spans


@st.composite
def problems(draw: st.DrawFn) -> tuple[NDArray[np.float32], tuple[str, ...], dict[str, Limits], float]:
    kinds = draw(st.sampled_from([("a",), ("a", "b")]))
    length = draw(st.integers(1, 7 if len(kinds) == 1 else 5))
    seed = draw(st.integers(0, 2**32 - 1))
    logits = np.random.default_rng(seed).normal(0, 2, (length, 1 + 2 * len(kinds))).astype(np.float32)
    masks = st.lists(st.booleans(), min_size=length, max_size=length).map(np.array)
    limited = draw(st.sampled_from([(), ("a",), kinds]))
    limits = {kind: Limits(draw(masks), draw(masks)) for kind in limited}
    return logits, kinds, limits, draw(st.sampled_from([1.0, 0.5, 3.0]))


@given(problems())
def test_the_best_of_all_taggings_and_the_share_of_each_span(problem: tuple) -> None:
    logits, kinds, limits, temperature = problem
    every = list(every_tagging(logits, kinds, limits, temperature))
    total = sum(weight for weight, _ in every)
    best = max(every, key=lambda tagging: tagging[0])[1]
    found = tag_spans(logits, [kinds], temperature=temperature, limits=limits)
    assert {tag[:3] for tag in found} == best
    for tag in found:
        share = sum(weight for weight, spans in every if tag[:3] in spans) / total
        assert tag.score == pytest.approx(share)


def columns(*rows: str) -> NDArray[np.float32]:
    """Scores of 5 for the named column (O, B, I, b, i), 0 for the others."""
    return np.array([[5.0 * (name == row) for name in "OBIbi"] for row in rows], dtype=np.float32)


def places(found: list[TokenTag]) -> list[tuple[str, int, int]]:
    return [(tag.kind, tag.first, tag.last) for tag in found]


def test_spans_of_two_kinds_side_by_side() -> None:
    found = tag_spans(columns("O", "B", "I", "B", "b", "i", "O"), [("x", "y")])
    assert places(found) == [("x", 1, 2), ("x", 3, 3), ("y", 4, 5)]
    assert all(tag.score > 0.9 for tag in found)


def test_an_inside_without_its_beginning_is_mended() -> None:
    # The first I becomes a B, or the span is given up, whichever is worth more: I I is worth a B that costs 5.
    assert places(tag_spans(columns("I", "I", "O"), [("x", "y")])) == [("x", 0, 1)]
    # One token alone gains nothing either way; silence is taken.
    assert places(tag_spans(columns("O", "i", "O"), [("x", "y")])) == []
    # A y goes on as a y.
    assert places(tag_spans(columns("b", "I", "i"), [("x", "y")])) == [("y", 0, 2)]


def test_layers_do_not_know_of_each_other() -> None:
    one = columns("B", "I", "I", "O")[:, :3]
    other = columns("O", "B", "I", "I")[:, :3]
    found = tag_spans(np.concatenate([one, other], axis=1), [("x",), ("y",)])
    assert places(found) == [("x", 0, 2), ("y", 1, 3)]
    assert column_count([("x",), ("y",)]) == 6
    assert column_count([("x", "y", "z")]) == 7


def test_limits_move_the_ends() -> None:
    logits = columns("O", "B", "I", "I", "O")[:, :3]
    begin, end = np.array([1, 0, 0, 1, 0], bool), np.array([0, 0, 0, 0, 1], bool)
    # From 1 to 3 is not allowed; 0 to 4 costs 5 at either end and gains 10 within.
    free = np.ones(5, bool)
    assert places(tag_spans(logits, [("x",)])) == [("x", 1, 3)]
    assert places(tag_spans(logits, [("x",)], limits={"x": Limits(begin, free)})) == [("x", 0, 3)]
    assert places(tag_spans(logits, [("x",)], limits={"x": Limits(free, end)})) == [("x", 1, 4)]
    assert places(tag_spans(logits, [("x",)], limits={"x": Limits(~free, end)})) == []
    # Another kind's limits are not its own.
    assert places(tag_spans(logits, [("x",)], limits={"y": Limits(~free, end)})) == [("x", 1, 3)]


def test_a_temperature_makes_unsure_and_changes_nothing_else() -> None:
    logits = np.random.default_rng(2).normal(0, 4, (60, 5)).astype(np.float32)
    cold, warm = (tag_spans(logits, [("x", "y")], temperature=t) for t in (0.2, 5.0))
    assert places(cold) == places(warm)
    assert np.mean([tag.score for tag in cold]) > 0.9 > 0.5 > np.mean([tag.score for tag in warm])


def test_a_long_text_and_an_empty_one() -> None:
    logits = np.tile(columns("O", "B", "I", "b"), (5000, 1))
    found = tag_spans(logits, [("x", "y")])
    assert len(found) == 10_000
    assert found[0].score == pytest.approx(found[5000].score, abs=0.02)
    assert tag_spans(np.zeros((0, 5), np.float32), [("x", "y")]) == []


def test_scores_that_are_certain_or_ruled_out() -> None:
    logits = np.array([[0, 2000, 0], [0, 0, 2000], [2000, 0, 0]], dtype=np.float32)
    (tag,) = tag_spans(logits, [("x",)])
    assert tag == TokenTag("x", 0, 1, 1.0)
