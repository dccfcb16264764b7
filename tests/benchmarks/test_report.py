"""A report's figures, worked out by hand: four sets, two systems, and leaderboards in CodaLab's layout."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import caveat
from caveat.benchmarks.registry import task
from caveat.benchmarks.report import Report, pearson, ranks, report
from caveat.core.errors import CaveatError, InputError, UnknownNameError, UsageError

GOLD = {
    "SQuAD_dev.jsonl.gz": {"s1": ["red"], "s2": ["old mill"]},
    "TriviaQA-web.jsonl": {"t1": ["tea"]},
    "DuoRC.ParaphraseRC.jsonl": {"d1": ["a boat"], "d2": ["rain"]},
    "test/BioASQ.jsonl": {"b1": ["iron"]},
}
# Per question: s1 100, s2 "mill" of "old mill" 66.67 (P 1, R 1/2); t1 0; d1 100, d2 0.
FIRST = {
    "SQuAD.json": {"s1": "red", "s2": "mill"},
    "TriviaQA.json.gz": {"t1": "milk"},
    "DuoRC.json": {"d1": "boat", "d2": "snow"},
    "test/BioASQ.json": {"b1": "iron"},
}
SECOND = {"SQuAD.json": {"s1": "red", "s9": "?"}, "DROP.json": {"x": "1"}}


def write(folder: Path, files: dict[str, Any]) -> Path:
    for name, value in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return folder


def mrqa(answers: dict[str, list[str]]) -> bytes:
    qas = [{"qid": qid, "question": "?", "answers": golds} for qid, golds in answers.items()]
    return f'{{"header": {{}}}}\n{json.dumps({"context": "…", "qas": qas})}\n'.encode()


def submission(description: str, scores: dict[str, float | None], **more: str) -> dict[str, Any]:
    return {"submission": {"description": description, **more}, "bundle": {}, "scores": scores}


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return write(tmp_path / "gold", {name: mrqa(answers) for name, answers in GOLD.items()})


@pytest.fixture
def systems(tmp_path: Path) -> dict[str, Path]:
    return {"first": write(tmp_path / "first", FIRST), "second": write(tmp_path / "second", SECOND)}


@pytest.fixture
def boards(tmp_path: Path) -> Path:
    dev, test = ["BioASQ", "DROP", "DuoRC.ParaphraseRC", "RACE", "RelationExtraction", "TextbookQA"], ["QAST"]
    whole = {f"{name}_f1": 10.0 * number for number, name in enumerate(dev, 1)}
    return write(
        tmp_path / "boards",
        {
            "ood-dev-results.json": {
                "leaderboard": [
                    submission("\t Loud  XLNet (Hill)", {**whole, "DROP_em": 11.0}),
                    submission("Quiet (Dale)", dict.fromkeys(whole)),
                ]
            },
            "ood-test-results.json.gz": {
                "leaderboard": [
                    submission("Loud XLNet (Hill)", {f"{name}_f1": 50.0 for name in test}),
                    submission("Soft (Moor)", {"QAST_f1": 40.0}, encoder="its own"),
                ]
            },
        },
    )


def rows(made: Report, name: str) -> dict[str, tuple[Any, ...]]:
    (table,) = [table for table in made.tables if table.name == name]
    return {str(row[0]): row[1:] for row in table.rows}


def columns(made: Report, name: str) -> tuple[str, ...]:
    return next(table.columns for table in made.tables if table.name == name)


def test_the_described_sets_are_those_of_the_shared_task() -> None:
    sets = task("mrqa").sets
    assert sets is not None
    found = sets()
    assert [len(found.keys_of(split)) for split in found.splits] == [6, 6, 6, 6, 12]
    assert {split.name for split in found.splits} >= {*found.scatter.across, *found.scatter.up}
    assert {len(one.traits) for one in found.sets.values()} == {4}


@pytest.mark.parametrize(
    ("stem", "folder", "key"),
    [
        ("SQuAD", "", "SQuAD dev"),
        ("SQuAD_dev", "", "SQuAD dev"),
        ("BioASQ", "", "BioASQ dev"),
        ("BioASQ", "test", "BioASQ test"),
        ("BioASQ-test", "", "BioASQ test"),
        ("QAST", "", "QAST test"),
        ("NaturalQuestionsShort", "dev", "NaturalQuestions dev"),
        ("DuoRC.ParaphraseRC", "ood-test", "DuoRC test"),
        ("my-own", "", "my-own"),
    ],
)
def test_a_file_is_known_by_any_of_its_names(stem: str, folder: str, key: str) -> None:
    sets = task("mrqa").sets
    assert sets is not None
    assert sets().key(stem, folder) == key


def test_averages_weigh_sets_alike_and_say_what_is_missing(gold: Path, systems: dict[str, Path]) -> None:
    made = report("mrqa", gold, systems, resamples=0)
    # (83.33 + 0) / 2 for the first; of the second one of two questions is right, and it has one set.
    assert rows(made, "Macro-averaged F1") == {
        "first": ("41.67 (2 of 6)", "50.00 (1 of 6)", "100.00 (1 of 6)", "100.00 (1 of 12)"),
        "second": ("50.00 (1 of 6)", None, None, None),
    }
    average = made.averages["first"]["in-domain dev"]
    assert (average.value, average.sets, average.of) == (pytest.approx(125 / 3), 2, 6)
    assert "second has no predictions for DuoRC dev, TriviaQA dev, BioASQ test." in made.remarks
    assert "second has predictions without gold data, left out: DROP dev." in made.remarks
    assert "second has no prediction for 1 of the questions of SQuAD dev." in made.remarks
    assert any(
        remark.startswith("There is gold data for 2 of the 6 sets of in-domain dev")
        for remark in made.remarks
    )
    assert made.axes == ("in-domain dev", "all held-out test")
    assert [(point.system, point.complete) for point in made.points] == [("first", False)]


def test_sets_are_grouped_by_their_traits(gold: Path, systems: dict[str, Path]) -> None:
    made = report("mrqa", gold, {"first": systems["first"]}, resamples=0)
    name = "F1 by source and dependence, in-domain dev"
    found = dict(zip(columns(made, name)[1:], rows(made, name)["first"], strict=True))
    assert found["questions: crowdsourced (3)"] == "83.33 (1 of 3)"
    assert found["questions: trivia (1)"] == 0.0
    assert found["contexts: news articles (1)"] is None
    assert found["question and context: dependent (2)"] == "83.33 (1 of 2)"
    assert found["question and context: independent (4)"] == "0.00 (1 of 4)"


def test_the_sets_of_the_paper_s_fourth_table() -> None:
    sets = task("mrqa").sets
    assert sets is not None
    kinds: dict[str, list[str]] = {}
    for name, found in sets().sets.items():
        if found.group != "I":
            kinds.setdefault(found.traits["kind of context"], []).append(name)
    assert kinds == {
        "others": ["BioASQ", "DuoRC", "ComplexWebQuestions", "MCTest", "QAST"],
        "Wikipedia": ["DROP", "RelationExtraction", "QAMR", "TREC"],
        "education": ["RACE", "TextbookQA", "BioProcess"],
    }


def test_the_improvement_is_over_the_baseline(tmp_path: Path) -> None:
    split_two = ["BioASQ", "DROP", "DuoRC.ParaphraseRC", "RACE", "RelationExtraction", "TextbookQA"]
    split_three = ["BioProcess", "ComplexWebQuestions", "MCTest", "QAMR", "QAST", "TREC"]

    def scores(two: float, three: float) -> dict[str, float]:
        return {f"{name}_f1": two for name in split_two} | {f"{name}_f1": three for name in split_three}

    entries = [
        submission("D-NET (Hill)", scores(60.0, 80.0)),
        submission("BERT large baseline (Organizers)", scores(50.0, 60.0)),
        submission("Half (Dale)", {"QAST_f1": 40.0}),
    ]
    place = write(tmp_path / "boards", {"ood-test-results.json": {"leaderboard": entries}})
    made = report("mrqa", published=place)
    assert columns(made, "Macro-averaged F1") == (
        "system", "Split II test (6)", "Split III test (6)", "all held-out test (12)",
        "over BERT large baseline (Organizers) †",
    )  # fmt: skip
    # 70 and 55 over all twelve; who has one set of them only has no improvement.
    assert rows(made, "Macro-averaged F1") == {
        "D-NET (Hill) †": (60.0, 80.0, 70.0, 15.0),
        "BERT large baseline (Organizers) †": (50.0, 60.0, 55.0, 0.0),
        "Half (Dale) †": (None, "40.00 (1 of 6)", "40.00 (1 of 12)", None),
    }
    by_encoder = rows(made, "Macro-averaged F1 by encoder")
    assert by_encoder["XLNet and ERNIE 2.0, an ensemble"] == (1, 60.0, 80.0, 70.0)


def test_every_set_has_its_exact_match_and_f1(gold: Path, systems: dict[str, Path]) -> None:
    made = report("mrqa", gold, systems, resamples=0)
    name = "Scores on in-domain dev"
    assert columns(made, name) == ("system", "SQuAD EM", "SQuAD F1", "TriviaQA EM", "TriviaQA F1")
    assert rows(made, name)["first"] == (50.0, pytest.approx(250 / 3), 0.0, 0.0)


def test_two_systems_are_compared_where_both_have_predictions(gold: Path, systems: dict[str, Path]) -> None:
    made = report("mrqa", gold, systems, resamples=4000, seed=3)
    (one,) = made.comparisons
    assert (one.first, one.second, one.set, one.questions) == ("first", "second", "SQuAD dev", 2)
    # s2 alone differs, by 66.67 and 0: a quarter of the resamples has it twice, a quarter not at all.
    assert one.difference == pytest.approx(100 / 3)
    assert (one.low, one.high) == (0.0, pytest.approx(200 / 3))
    assert one.p == pytest.approx(0.5, abs=0.05)
    assert made.comparisons == report("mrqa", gold, systems, resamples=4000, seed=3).comparisons


def test_an_average_is_compared_over_the_sets_that_both_have(gold: Path, systems: dict[str, Path]) -> None:
    write(systems["second"], {"TriviaQA.json": {"t1": "tea"}})
    made = report("mrqa", gold, systems, resamples=100)
    last = made.comparisons[-1]
    assert (last.set, last.split, last.questions) == ("", "in-domain dev (2 of 6)", 3)
    assert last.difference == pytest.approx((100 / 3 - 100) / 2)


def test_published_scores_stand_beside(gold: Path, systems: dict[str, Path], boards: Path) -> None:
    made = report(
        "mrqa", gold, systems, published=boards, encoders={"first": "XLNet"}, official=True, resamples=0
    )
    averages = rows(made, "Macro-averaged F1")
    assert list(averages) == ["first", "second", "Loud XLNet (Hill) †", "Soft (Moor) †"]
    # (10 + 20 + 30 + 40 + 50 + 60) / 6
    assert averages["Loud XLNet (Hill) †"] == (None, 35.0, None, "50.00 (1 of 6)", "50.00 (1 of 12)")
    # The one average of XLNet that is over all sets stands for it.
    assert rows(made, "Macro-averaged F1 by encoder") == {
        "XLNet": (
            2,
            "41.67 (incomplete)",
            35.0,
            "100.00 (incomplete)",
            "50.00 (incomplete)",
            "75.00 (incomplete)",
        ),
        "its own": (1, None, None, None, "40.00 (incomplete)", "40.00 (incomplete)"),
    }
    assert "Submissions without any published score, left out: Quiet (Dale)." in made.remarks
    assert "Not in the table by encoder, since theirs is not said: second." in made.remarks


def test_published_scores_may_stand_alone(boards: Path) -> None:
    made = report("mrqa", published=boards)
    assert [system.name for system in made.systems] == ["Loud XLNet (Hill)", "Soft (Moor)"]
    assert made.axes is None
    assert made.comparisons == ()


def test_a_set_of_ones_own_is_scored_but_not_averaged(gold: Path, systems: dict[str, Path]) -> None:
    write(gold, {"mine.jsonl": mrqa({"m1": ["x"]})})
    write(systems["first"], {"mine.json": {"m1": "x"}})
    made = report("mrqa", gold, {"first": systems["first"]})
    assert rows(made, "Scores on other sets") == {"first": (100.0, 100.0)}
    assert "In no average, since the benchmark does not have them: mine." in made.remarks


def squad2(answers: dict[str, list[str]]) -> dict[str, Any]:
    qas = [
        {"id": id, "question": "?", "answers": [{"text": text, "answer_start": 0} for text in golds]}
        for id, golds in answers.items()
    ]
    return {"data": [{"title": "", "paragraphs": [{"context": "x y", "qas": qas}]}]}


def test_any_task_is_reported_by_the_groups_of_its_scorer(tmp_path: Path) -> None:
    data = write(
        tmp_path / "data", {"one.json": squad2({"a": ["x"], "b": []}), "two.json": squad2({"c": ["y"]})}
    )
    good = write(tmp_path / "good", {"one.json": {"a": "x", "b": ""}, "two.json": {"c": "y"}})
    bad = write(tmp_path / "bad", {"one.json": {"a": "x", "b": "y"}, "two.json": {"c": "x"}})
    made = report("squad2", data, {"good": good, "bad": bad}, resamples=10)
    assert rows(made, "Macro-averaged F1") == {"good": (100.0,), "bad": (25.0,)}
    assert rows(made, "all sets: no answer")["bad"] == (0.0, 0.0)
    compared = {(one.set, one.group, one.split): one.difference for one in made.comparisons}
    assert compared == {
        ("one", "", ""): 50.0,
        ("one", "has_answer", ""): 0.0,
        ("one", "no_answer", ""): 100.0,
        ("two", "", ""): 100.0,
        ("two", "has_answer", ""): 100.0,
        ("", "", "all sets"): 75.0,
    }
    assert list(made.bars) == [
        *("one", "one: has answer", "one: no answer", "two", "two: has answer"),
    ]


def test_one_file_is_one_set(tmp_path: Path) -> None:
    write(tmp_path, {"dev.json": squad2({"a": ["x"]}), "mine.json": {"a": "x"}})
    made = caveat.report(
        "squad", tmp_path / "dev.json", {"mine": tmp_path / "mine.json"}, measure="exact_match"
    )
    assert rows(made, "Scores on dev") == {"mine": (100.0, 100.0)}
    assert made.measure == "exact_match"


def test_what_is_no_mean_over_questions_is_not_resampled(tmp_path: Path) -> None:
    """CMQA's F1 sums over all samples first."""
    examples = Path(__file__).resolve().parents[2] / "examples" / "cmqa"
    both = {"one": examples / "predictions.jsonl", "other": examples / "second_annotator.jsonl"}
    made = report("cmqa", examples / "gold.jsonl", both)
    assert made.comparisons == ()
    assert "F1 on gold is no mean over questions: no difference is judged there." in made.remarks


def test_a_broken_file_is_named(gold: Path, systems: dict[str, Path]) -> None:
    write(systems["first"], {"SQuAD.json": b'{"s1": 7}'})
    with pytest.raises(InputError, match=r"SQuAD\.json.*expected `str`"):
        report("mrqa", gold, systems)


def test_two_files_for_one_set_are_refused(gold: Path, systems: dict[str, Path]) -> None:
    write(systems["first"], {"squad-dev.json": {}})
    with pytest.raises(InputError, match="are both SQuAD dev"):
        report("mrqa", gold, systems)


def test_what_cannot_be_reported_is_said(
    gold: Path, systems: dict[str, Path], boards: Path, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="there is no such file or folder"):
        report("mrqa", tmp_path / "nowhere", systems)
    with pytest.raises(InputError, match="has no prediction file for"):
        report("mrqa", gold, {"empty": write(tmp_path / "empty", {"QAMR.json": {}})})
    with pytest.raises(InputError, match="has no leaderboard"):
        report("mrqa", published=gold / "test")
    with pytest.raises(InputError, match="leaderboard"):
        report("mrqa", published=write(tmp_path / "wrong", {"ood-dev-results.json": {}}))
    with pytest.raises(UsageError, match="needs gold data with predictions"):
        report("mrqa", gold)
    with pytest.raises(UsageError, match=r"has no published leaderboards.* nor figures of its paper"):
        report("squad", published=boards)
    with pytest.raises(UsageError, match="its paper's figures are --published paper"):
        report("cmrc2018", published=boards)
    with pytest.raises(UsageError, match="give yours another name"):
        report("mrqa", gold, {"Soft (Moor)": systems["first"]}, published=boards)
    with pytest.raises(UnknownNameError, match="There is no system 'third'"):
        report("mrqa", gold, systems, encoders={"third": "BERT"})
    with pytest.raises(UnknownNameError, match="There is no measure 'bleu'"):
        report("mrqa", gold, systems, measure="bleu")
    assert issubclass(InputError, CaveatError)


def test_the_figures_of_a_paper_come_with_the_package() -> None:
    made = report("conditionalqa", published="paper")
    assert rows(made, "Scores on test")["FiD †"] == (44.4, 50.8, 35.0, 40.6)
    assert rows(made, "test: conditional")["DocHopper †"] == (42.0, 46.4, 3.1, 3.8)
    # Of the majority there are figures for yes and no alone.
    assert rows(made, "test: yesno")["majority †"] == (62.2, 62.2, 42.8, 42.8)
    assert "majority †" not in rows(made, "Scores on test")
    assert "† is from Table 2 of ConditionalQA's paper." in made.remarks
    cmrc = rows(report("cmrc2018", published="paper"), "Scores on each set")
    assert cmrc["Z-Reader (ZhuiYi) †"] == (79.776, 92.696, 74.178, 88.145, 13.889, 37.422)
    assert cmrc["Human performance †"] == (None, None, 92.4, 97.914, 90.382, 95.248)


def test_own_scores_stand_beside_the_paper_s(tmp_path: Path) -> None:
    files = {
        "mine.json": [{"id": "1", "url": "u", "scenario": "s", "question": "q", "answers": [["yes", []]]}],
        "pred.json": [{"id": "1", "answers": [["yes", []]]}],
    }
    place = write(tmp_path, files)
    made = report(
        "conditionalqa", place / "mine.json", {"ours": place / "pred.json"}, published="paper", resamples=0
    )
    found = rows(made, "Scores on each set")
    assert found["ours"] == (100.0, 100.0, 100.0, 100.0, None, None, None, None)
    # Nothing is averaged over a set of one's own and the paper's.
    assert "Macro-averaged F1" not in [table.name for table in made.tables]


def test_correlations_by_hand() -> None:
    # Deviations -1, 0, 1 and -2, 1, 1: 3 of √(2 · 6).
    assert pearson([1, 2, 3], [1, 4, 4]) == pytest.approx(3 / 12**0.5)
    assert pearson([1, 1], [1, 2]) == 0.0
    assert ranks([10.0, 30.0, 30.0, 20.0]) == [1.0, 3.5, 3.5, 2.0]
