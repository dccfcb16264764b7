"""Questions and judgements beside ShARC's: on a rule text written here by hand, and on the real data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.sharc import data_set
from caveat.benchmarks.sharc.data_set import FollowUp, SharcUtterance


def utterance(scenario: str, answer: str, *evidence: FollowUp) -> SharcUtterance:
    text = "You can row if you own a boat and you are over 18."
    return SharcUtterance("u", "t", "", text, "Can I row?", scenario, (), evidence, answer)


def test_questions_and_judgements_beside_those_of_annotators() -> None:
    utterances = [
        utterance("", "Do you own a boat?"),
        utterance("I am 20.", "Do you own the boat?", FollowUp("Are you 18 or over?", "Yes")),
        utterance("I like tea.", "Is it a big lake?"),
    ]
    agreement = data_set.question_agreement(utterances)
    # Articles do not count, so "own a boat" and "own the boat" are one question; "over 18" is four words of five.
    assert (agreement.texts, agreement.questions, agreement.asked) == (1, 3, 3)
    assert agreement.equal == pytest.approx(1 / 3)
    assert agreement.near == pytest.approx(2 / 3)
    judged = data_set.judgement_agreement(utterances)
    assert (judged.pairs, judged.accuracy) == (3, 1.0)
    assert judged.always_open == pytest.approx(2 / 3)
    assert judged.precision["entailed"] == judged.recall["open"] == 1.0


def test_what_is_not_there(tmp_path: Path, caveat: Any) -> None:
    missing = caveat("analyse", "sharc", "--gold", "nowhere.json")
    assert missing.returncode == 1
    assert "nowhere.json" in missing.stderr
    assert "Traceback" not in missing.stderr


@pytest.mark.shared
def test_the_real_data(shared: Path) -> None:
    utterances = data_set.read(shared / "data" / "conditionalqa" / "sharc_dev.json.gz")
    agreement = data_set.question_agreement(utterances)
    assert agreement.near_where_asked >= 0.48
    judged = data_set.judgement_agreement(utterances)
    assert judged.accuracy > judged.always_open + 0.05
    assert min(judged.precision["entailed"], judged.precision["contradicted"]) >= 0.75
