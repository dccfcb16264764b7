"""A few examples of another domain: how they are taken, and the table of what they do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("safetensors")

from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion, questions_of
from caveat.cli.train import command
from caveat.core.errors import CaveatError
from caveat.training.kinds.reader.inoculation import bridged, divide, first_examples
from caveat.training.kinds.reader.recipe import ReaderDataSet, ReaderRecipe, ReaderTuning
from caveat.training.loop import train_in_steps
from caveat.training.recipe import Phase, load_recipe

app = typer.Typer()
app.command()(command)


def passages(sizes: list[int]) -> list[Passage]:
    """Passages with so many answerable questions each, and one unanswerable."""
    return [
        Passage(
            "Noon.",
            (
                PassageQuestion(f"{number}-none", f"Why {number}?"),
                *(
                    PassageQuestion(f"{number}-{at}", f"When {number}?", ((GoldSpan("Noon", 0),),))
                    for at in range(size)
                ),
            ),
        )
        for number, size in enumerate(sizes)
    ]


@given(st.lists(st.integers(0, 4), min_size=1, max_size=12), st.integers(0, 9), st.integers(0, 5))
def test_what_is_measured_is_not_trained_on(sizes: list[int], count: int, seed: int) -> None:
    pool, rest = divide(passages(sizes), count, seed)
    ids = [{q.id for _, q in questions_of(part)} for part in (pool, rest)]
    assert not ids[0] & ids[1]
    assert len(pool) + len(rest) == len(sizes)
    if sum(sizes) >= count:
        assert sum(q.answerable for _, q in questions_of(pool)) >= count


@pytest.mark.parametrize("seed", range(5))
def test_a_question_that_is_asked_of_many_passages_is_on_one_side(seed: int) -> None:
    def asked(*texts: str) -> Passage:
        return Passage(
            "Noon.", tuple(PassageQuestion(text, text, ((GoldSpan("Noon", 0),),)) for text in texts)
        )

    pool, rest = divide([asked("When?"), asked("Where?", "when?"), asked("WHEN?"), asked("Who?")], 1, seed)
    texts = [{q.text.casefold() for _, q in questions_of(part)} for part in (pool, rest)]
    assert not texts[0] & texts[1]
    assert texts[1]


def test_few_examples_are_among_more() -> None:
    pool = passages([2, 3])
    few, more = ([q.id for _, q in questions_of(first_examples(pool, count))] for count in (1, 4))
    assert few == ["0-0"]
    assert more == ["0-0", "0-1", "1-0", "1-1"]
    with pytest.raises(CaveatError, match="has 5 answerable questions, 6 examples are wanted"):
        first_examples(pool, 6)


def test_a_gap_is_bridged_by_its_share() -> None:
    assert bridged((40.0, 80.0), 50.0) == pytest.approx(25.0)
    assert bridged((40.0, 80.0), 80.0) == pytest.approx(100.0)
    assert bridged((40.0, 80.0), 30.0) == pytest.approx(-25.0)
    assert bridged((80.0, 80.0), 90.0) is None


def test_a_table_is_printed(short: dict[str, Any], data_file: Path, tmp_path: Path) -> None:
    articles = json.loads(data_file.read_text("utf-8"))["data"]
    for name, part in (("zh.json", articles[:2]), ("en.json", articles[2:])):
        (tmp_path / name).write_text(json.dumps({"data": part}), encoding="utf-8")
    recipe = ReaderRecipe(
        data=(ReaderDataSet(path="zh.json"),),
        phases=(Phase(window=64, stride=24, batch_size=4, epochs=1.0),),
        tuning=ReaderTuning(path="zh.json", metric="squad", every=0, window=64, stride=24),
        max_question_tokens=24,
        **short,
    )
    train_in_steps(recipe, tmp_path / "run", data_root=tmp_path)
    ran = CliRunner().invoke(
        app,
        [
            "mrqa-inoculation", "--out", str(tmp_path / "out"), "--data-root", str(tmp_path),
            "--set", f"run={tmp_path / 'run'}", "--set", 'data=[{path="en.json", name="English"}]',
            "--set", "examples=[0, 1]", "--set", "threads=1",
        ],
        catch_exceptions=False,
    )  # fmt: skip
    assert ran.exit_code == 0
    assert "English" in ran.stdout
    assert "0 examples" in ran.stdout
    assert "1 examples" in ran.stdout
    assert json.loads((tmp_path / "out" / "0" / "examples-1.json").read_text("utf-8"))["data"]


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("examples=[]", "examples are numbers"),
        ("run=''", "folder of a finished run"),
        ("epochs=0", "above 0"),
    ],
)
def test_a_wrong_value_is_told(override: str, message: str) -> None:
    with pytest.raises(CaveatError, match=message):
        load_recipe("mrqa-inoculation", [override])
