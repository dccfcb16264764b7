"""Which annotated conditions are found: on a page written here by hand, and on the real data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from caveat.benchmarks.conditionalqa import analysis
from caveat.benchmarks.conditionalqa import format as conditionalqa
from caveat.benchmarks.conditionalqa.format import ConditionalAnswer, ConditionalDocument, ConditionalQuestion

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
    found = analysis.found_in_documents(
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
    found = analysis.found_in_evidences([QUESTION])
    # The list has one item among the evidences; the demand and the price have their own condition.
    assert (found.answers, found.conditions, found.found, found.offered) == (1, 3, 3, 3)


def test_as_typed(tmp_path: Path, caveat: Any) -> None:
    conditionalqa.write(tmp_path / "gold.json", [QUESTION])
    page = ConditionalDocument("Boats", "https://boats.example", CONTENTS)
    conditionalqa.write_documents(tmp_path / "documents.json", [page])
    done = caveat(
        "analyse", "conditionalqa", "--gold", "gold.json", "--documents", "documents.json", "--json"
    )
    assert json.loads(done.stdout)["conditions"]["governing"]["recall"] == 0.75
    done = caveat("analyse", "conditionalqa", "--gold", "gold.json", "--json")
    assert json.loads(done.stdout)["conditions"]["evidences"]["found"] == 3
    assert "recall" in caveat("analyse", "conditionalqa", "--gold", "gold.json").stdout
    done = caveat("analyse", "conditionalqa", "--gold", "gold.json", "--documents", "nowhere.json")
    assert done.returncode == 1
    assert "nowhere.json" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.shared
def test_the_real_data(shared: Path) -> None:
    folder = shared / "data" / "conditionalqa"
    found = analysis.found_in_documents(
        conditionalqa.read_documents(folder / "documents.json"), conditionalqa.read(folder / "dev_part.json")
    )
    assert found["governing"].conditions == 115
    assert found["governing"].recall >= 0.78
    assert found["governing"].offered_an_answer <= 8
