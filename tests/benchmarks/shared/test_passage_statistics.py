from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.benchmarks.shared.passage_task import count_passages
from caveat.language.words import segments_with_offsets


def asked(text: str, *answers: tuple[GoldSpan, ...], **extra: object) -> PassageQuestion:
    return PassageQuestion(text, text, answers, dict(extra))


# Ten tokens: The cat sat . It is on the mat .
CAT = Passage(
    "The cat sat. It is on the mat.",
    (
        asked("Where is the cat?", (GoldSpan("on the mat", 19),), (GoldSpan("the mat", 22),)),
        asked("Who barked?"),
        asked("Who sat?", (GoldSpan("cat", 5),)),  # it stands at 4
        asked("Who ran?", (GoldSpan("dog", 4),)),  # it stands nowhere
        asked("Did what?", (GoldSpan("sat"),)),
    ),
    article=0,
)
# Eleven: 小 明 有 3 只 猫 和 2 条 狗 。
PETS = Passage(
    "小明有3只猫和2条狗。",
    (
        asked("有几只猫？", (GoldSpan("3只猫", 3), GoldSpan("2条狗", 7))),
        asked("他有鸟吗？", (GoldSpan("NO", -1),), (GoldSpan("", -1),)),
        asked("谁？", (GoldSpan("猫", 5),), (GoldSpan("", -1),), is_impossible="true"),
    ),
    article=1,
)


def test_counts() -> None:
    assert count_passages("squad2", [CAT, PETS]).counts == {
        "articles": 2,
        "passages": 2,
        "questions": 8,
        "answers": 7,  # 2 + 1 + 1 + 1 of the cat, 1 + 1 of the pets: one of two spans, and NO
        "unanswerable": 2,
        "yes_no": 1,
        "multi_span": 1,
        "without_offset": 1,
        "wrong_offsets": 2,
        "answers_not_found": 1,
    }


def test_tables() -> None:
    counted = count_passages("squad2", [CAT, PETS])
    assert counted.task == "squad2"
    tables = {table.name: table.rows for table in counted.tables}
    assert tables["Lengths in tokens"] == (
        ("passages", 2, 10.5, 10.5, 11),
        # 5, 3, 3, 3, 3 and 5, 5, 2
        ("questions", 8, 29 / 8, 3.0, 5),
        # 3, 2, 1, 1, 1 and 3, 3, 1: NO is no span
        ("answer spans", 8, 15 / 8, 1.5, 3),
    )
    assert tables["How many of each"] == (
        ("questions per passage", 2, 4.0, 4.0, 5),
        ("answers per answerable question", 6, 7 / 6, 1.0, 2),
    )
    assert tables["Questions by kind of answer"] == (
        ("one span", 4, 50.0),
        ("several spans", 1, 12.5),
        ("yes or no", 1, 12.5),
        ("unanswerable", 2, 25.0),
    )


def test_histograms() -> None:
    drawn = {
        histogram.name: histogram.counts for histogram in count_passages("squad2", [CAT, PETS]).histograms
    }
    assert drawn["Passages by length"] == {"10": 1, "11": 1}
    assert drawn["Answer spans by length"] == {"1": 4, "2": 1, "3": 3}
    assert drawn["Questions by kind of answer"]["unanswerable"] == 2


def test_a_quoted_no_is_a_span() -> None:
    passage = Passage("She said no.", (asked("What did she say?", (GoldSpan("no", 9),)),))
    counts = count_passages("squad", [passage]).counts
    assert (counts["yes_no"], counts["wrong_offsets"]) == (0, 0)


def test_a_negative_offset_does_not_count_from_the_end() -> None:
    passage = Passage("a b", (asked("Which?", (GoldSpan("b", -1),)),))
    assert "a b"[-1:] == "b"
    assert count_passages("squad", [passage]).counts["wrong_offsets"] == 1


def test_an_empty_file() -> None:
    counted = count_passages("cmrc2018", iter(()))
    assert counted.counts["questions"] == 0
    assert counted.tables[0].rows[0] == ("passages", 0, None, None, None)
    assert counted.tables[2].rows[0] == ("one span", 0, None)


@given(st.text(st.characters(max_codepoint=127)))
def test_lengths_are_those_of_the_segments(text: str) -> None:
    counted = count_passages("squad", [Passage(text)])
    assert counted.tables[0].rows[0][4] == len(segments_with_offsets(text))
