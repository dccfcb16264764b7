from __future__ import annotations

import msgspec

from caveat.benchmarks.shared.count_tables import Table, Tables, mean, ranked, share, shares, summary


def test_mean_and_share_of_nothing_are_none() -> None:
    assert mean([]) is None
    assert share(0, 0) is None


def test_mean_and_share() -> None:
    assert mean(iter([1, 2, 6])) == 3.0
    assert share(1, 8) == 12.5


def test_summary_has_number_mean_median_and_maximum() -> None:
    assert summary("lengths", [4, 1, 1, 10]) == ("lengths", 4, 4.0, 2.5, 10)
    assert summary("lengths", [7]) == ("lengths", 1, 7.0, 7.0, 7)


def test_summary_of_nothing() -> None:
    assert summary("lengths", []) == ("lengths", 0, None, None, None)


def test_shares_are_of_the_whole_and_not_of_the_rows() -> None:
    assert shares([("a", 1), ("b", 2)], 4) == (("a", 1, 25.0), ("b", 2, 50.0))
    assert shares([("a", 0)], 0) == (("a", 0, None),)


def test_ranked_breaks_ties_by_name() -> None:
    assert ranked({"b": 1, "c": 3, "a": 1}) == [("c", 3), ("a", 1), ("b", 1)]


def test_headline_counts_are_shown_in_words() -> None:
    counted = Tables("squad", {"questions": 2, "wrong_offsets": 0, "mean_length": None})
    assert counted.counts_shown() == [("questions", 2), ("wrong offsets", 0), ("mean length", None)]


def test_tables_become_json() -> None:
    counted = Tables("squad", {"questions": 2}, (Table("T", ("", "n"), (("a", 1), ("b", None))),))
    assert msgspec.json.decode(msgspec.json.encode(counted)) == {
        "task": "squad",
        "counts": {"questions": 2},
        "tables": [{"name": "T", "columns": ["", "n"], "rows": [["a", 1], ["b", None]]}],
        "histograms": [],
    }
