"""Possible heads and lists of answers."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caveat.answerers.documents.structure.features import COLUMNS, CONDITION, describe, find_candidates
from caveat.answerers.documents.structure.spans import KINDS, Span, lay_out

#           0         1         2
#           0123456789012345678901
CONTEXT = "若缺水，可浇水、喷雾和滴灌等补水法。或换土。"
DRY, WATER, SPRAY, DRIP = (
    Span("condition", 1, 3),
    Span("fine", 5, 7),
    Span("fine", 8, 10),
    Span("fine", 11, 13),
)
METHOD, SOIL = Span("coarse", 14, 17), Span("fine", 19, 21)
SPANS = [DRY, WATER, SPRAY, DRIP, METHOD, SOIL]


def test_heads_are_the_nearest_before_and_after() -> None:
    layout = lay_out(CONTEXT, SPANS)
    candidates = find_candidates(layout)
    assert [layout.spans[index] for index in candidates.answers] == [WATER, SPRAY, DRIP, METHOD, SOIL]
    before, after = COLUMNS.index((CONDITION, -1)), COLUMNS.index((1, 0))
    assert candidates.heads[:, before].tolist() == [0] * 5
    # The method stands behind the first three; a coarse answer has no coarse head; for the soil it stands before.
    assert candidates.heads[:, after].tolist() == [4, 4, 4, -1, -1]
    assert candidates.heads[4, COLUMNS.index((1, -1))] == 4
    assert candidates.valid[:, 0].all()
    assert (candidates.valid[:, 1:] == (candidates.heads[:, 1:] >= 0)).all()


def test_items_of_a_list_are_joined_by_little() -> None:
    candidates = find_candidates(lay_out(CONTEXT, SPANS))
    # The soil stands in another sentence.
    assert candidates.run.tolist() == [0, 0, 0, 1, 2]
    assert (candidates.first.tolist(), candidates.last.tolist()) == ([0, 3, 4], [2, 3, 4])


def test_conditions_alone_have_no_candidates() -> None:
    candidates = find_candidates(lay_out(CONTEXT, [DRY]))
    assert (
        len(candidates.answers) == len(candidates.run) == len(candidates.first) == len(candidates.last) == 0
    )


@st.composite
def marked(draw: st.DrawFn) -> tuple[str, list[Span]]:
    context = draw(st.text("甲乙丙、，。和等\n ", min_size=1, max_size=60))
    spans = []
    for _ in range(draw(st.integers(0, 12))):
        start = draw(st.integers(0, len(context) - 1))
        end = draw(st.integers(start + 1, min(len(context), start + 12)))
        spans.append(Span(draw(st.sampled_from(KINDS)), start, end))
    return context, spans


@given(marked())
def test_heads_are_those_that_a_search_finds(sample: tuple[str, list[Span]]) -> None:
    layout = lay_out(*sample)
    candidates = find_candidates(layout)
    for answer, row in zip(candidates.answers.tolist(), candidates.heads.tolist(), strict=True):
        for (kind, place), head in zip(COLUMNS, row, strict=True):
            rank = {"condition": 0, "coarse": 1, "fine": 2}
            of_kind = [i for i, span in enumerate(layout.spans) if rank[span.kind] == kind]
            before = [i for i in of_kind if layout.start[i] <= layout.start[answer]]
            after = [i for i in of_kind if layout.start[i] > layout.start[answer]]
            found = after[:1] if place == 0 else before[place:][:1] if len(before) >= -place else []
            allowed = 0 <= kind < rank[layout.spans[answer].kind]
            assert head == (found[0] if found and allowed else -1)


@given(marked(), st.text("甲乙丙", max_size=5))
def test_every_feature_has_one_code_below_its_size(sample: tuple[str, list[Span]], question: str) -> None:
    layout = lay_out(*sample)
    candidates = find_candidates(layout)
    features = describe(layout, candidates, question)
    assert len({feature.name for feature in features}) == len(features)
    for feature in features:
        assert feature.codes.shape == candidates.heads.shape
        assert ((feature.codes >= 0) & (feature.codes < feature.size)).all(), feature.name
        if feature.words is not None:
            assert feature.of is not None
            assert len(feature.words) == len(layout.spans)
            assert ((feature.of >= -1) & (feature.of < len(layout.spans))).all()
