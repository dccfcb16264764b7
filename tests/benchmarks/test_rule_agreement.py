"""The measurements: on a page and a rule text written here by hand, and on the real data."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from caveat.benchmarks.conditionalqa import format as conditionalqa
from caveat.benchmarks.conditionalqa import rule_agreement as measure
from caveat.benchmarks.conditionalqa.format import ConditionalAnswer, ConditionalDocument, ConditionalQuestion
from caveat.benchmarks.sharc import format as sharc
from caveat.benchmarks.sharc.format import FollowUp, SharcUtterance

CONTENTS = (
    "<h1>Boats</h1>",
    "<p>You can row if:</p>",
    "<li>you are well</li>",
    "<li>you own a boat</li>",
    "<p>You must be over 18.</p>",
    "<p>The lake is blue.</p>",
    "<h1>Tea</h1>",
    "<p>Tea costs £2 if you sit outside.</p>",
)
QUESTION = ConditionalQuestion(
    "q",
    "https://boats.example",
    "",
    "Can I row?",
    answers=(
        ConditionalAnswer("yes", (CONTENTS[3], CONTENTS[4], CONTENTS[5])),
        ConditionalAnswer("£2", (CONTENTS[7],)),
        ConditionalAnswer("no"),
    ),
    evidences=(CONTENTS[1], CONTENTS[3], CONTENTS[4], CONTENTS[7]),
)


def test_conditions_found_on_a_page() -> None:
    found = measure.found_in_documents(
        [ConditionalDocument("Boats", "https://boats.example", CONTENTS)], [QUESTION]
    )
    # "yes" is held by elements 1 and 7, "£2" by 7; element 5 is in no rule.
    said, governing, anywhere = found["said"], found["governing"], found["anywhere"]
    assert (said.answers, said.conditions, said.found, said.offered) == (2, 4, 2, 4)
    assert (governing.found, governing.offered) == (3, 5)
    assert (anywhere.found, anywhere.offered) == (3, 8)
    assert governing.recall == 0.75
    assert governing.offered_an_answer == 2.5


def test_conditions_found_among_evidences() -> None:
    found = measure.found_in_evidences([QUESTION])
    # The list has one item among the evidences; the demand and the price have their own condition.
    assert (found.answers, found.conditions, found.found, found.offered) == (1, 3, 3, 3)


def utterance(scenario: str, answer: str, *evidence: FollowUp) -> SharcUtterance:
    text = "You can row if you own a boat and you are over 18."
    return SharcUtterance("u", "t", "", text, "Can I row?", scenario, (), evidence, answer)


def test_questions_and_judgements_beside_those_of_annotators() -> None:
    utterances = [
        utterance("", "Do you own a boat?"),
        utterance("I am 20.", "Do you own the boat?", FollowUp("Are you 18 or over?", "Yes")),
        utterance("I like tea.", "Is it a big lake?"),
    ]
    agreement = measure.agreement_with_sharc(utterances)
    # Articles do not count, so "own a boat" and "own the boat" are one question; "over 18" is four words of five.
    assert (agreement.texts, agreement.questions, agreement.asked) == (1, 3, 3)
    assert agreement.equal == pytest.approx(1 / 3)
    assert agreement.near == pytest.approx(2 / 3)
    judged = measure.judged_on_sharc(utterances)
    assert (judged.pairs, judged.accuracy) == (3, 1.0)
    assert judged.always_open == pytest.approx(2 / 3)
    assert judged.precision["entailed"] == judged.recall["open"] == 1.0


def test_the_command_says_what_it_needs(tmp_path: Path) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "caveat.answerers.documents.conditions", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)

    assert run().returncode == 2
    missing = run("--sharc", "nowhere.json")
    assert missing.returncode == 1
    assert "nowhere.json" in missing.stderr
    assert "Traceback" not in missing.stderr


@pytest.mark.shared
def test_the_real_data(shared: Path) -> None:
    folder = shared / "data" / "conditionalqa"
    found = measure.found_in_documents(
        conditionalqa.read_documents(folder / "documents.json"), conditionalqa.read(folder / "dev_part.json")
    )
    assert found["governing"].conditions == 115
    assert found["governing"].recall >= 0.78
    assert found["governing"].offered_an_answer <= 8
    utterances = sharc.read(folder / "sharc_dev.json.gz")
    agreement = measure.agreement_with_sharc(utterances)
    assert agreement.near_where_asked >= 0.48
    judged = measure.judged_on_sharc(utterances)
    assert judged.accuracy > judged.always_open + 0.05
    assert min(judged.precision["entailed"], judged.precision["contradicted"]) >= 0.75
