# ruff: noqa: E402
"""A reader that is adapted by a teacher that does as it is told, to the end and in pieces."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tiny_models import tiny_card

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

from typer.testing import CliRunner

from caveat.benchmarks.shared.passage import GoldSpan, PassageQuestion
from caveat.benchmarks.shared.passage import Passage as SquadPassage
from caveat.benchmarks.squad import format as squad
from caveat.cli.main import app
from caveat.core.errors import CaveatError, UsageError
from caveat.models.card import read_card
from caveat.models.joint import JointReader, load_reader
from caveat.models.language_model.spending import Budget
from caveat.models.session import SPAN_OUTPUTS
from caveat.models.windowed_model import ReadRequest
from caveat.training.adaptation.adapt import adapt
from caveat.training.adaptation.recipe import chosen_precision, recipe_of
from caveat.training.encoders import PACKAGED, Packaged
from caveat.training.export import export_network
from caveat.training.kinds.joint.recipe import JointRecipe
from caveat.training.kinds.reader.network import new_reader
from caveat.training.log import locked_run

_TOWNS = ["Osk", "Marlow", "Tarn", "Bree", "Hale", "Wick", "Looe", "Deal", "Rye", "Hythe", "Ely", "Ware"]


def page(number: int, town: str) -> str:
    return (
        f"## {town}\n\nThe market of {town} opens at {number + 6} in the morning beside the old stone bridge. "
        f"Visitors pay {number + 2} crowns for a stall, and children carry baskets of apples without charge. "
        "Musicians play near the fountain until the evening bell rings over the harbour.\n"
    )


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    for number, town in enumerate(_TOWNS):
        (folder / f"{town}.md").write_text(page(number, town), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def starting(encoder_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An untrained reader's model folder."""
    torch.manual_seed(1)
    reader, tokenizer = new_reader(str(encoder_folder))
    folder = tmp_path_factory.mktemp("starting")
    sizes = {"window": 80, "stride": 32, "max_question_tokens": 24}
    card = tiny_card(name="small", language="en", encoder="small", licence="none", temperature=1.7, **sizes)
    export_network(reader, SPAN_OUTPUTS, tokenizer, folder, card, precision="fp32")
    return folder


def teach(body: dict[str, Any]) -> str:
    """A teacher that knows its pages: three right questions, one that quotes what is not there, one of yes or no."""
    said = body["messages"][-1]["content"]
    town = next(town for town in _TOWNS if f"market of {town}" in said)
    number = _TOWNS.index(town)
    if "Question:" in said:
        asked = said.partition("Question:")[2]
        if "steers" in asked:
            return json.dumps({"kind": "none", "quotation": ""})
        if "Do musicians" in asked:
            return json.dumps({"kind": "yes", "quotation": "Musicians play near the fountain"})
        hour = f"{number + 6} in the morning"
        return json.dumps({"kind": "span", "quotation": hour if "hour" in asked else f"{number + 2} crowns"})
    return json.dumps(
        {
            "questions": [
                {
                    "kind": "span",
                    "question": f"At what hour do they sell in {town}?",
                    "quotation": f"{number + 6} in the morning",
                },
                {
                    "kind": "span",
                    "question": f"What does a place cost in {town}?",
                    "quotation": f"{number + 2} crowns",
                },
                {"kind": "none", "question": f"Who steers the ships of {town}?", "quotation": ""},
                {"kind": "span", "question": f"Who rules {town}?", "quotation": "the green duke"},
                {
                    "kind": "yes",
                    "question": f"Do musicians perform in {town}?",
                    "quotation": "Musicians play near the fountain",
                },
            ]
        }
    )


def settings(encoder_folder: Path) -> list[str]:
    return [
        f"encoder={encoder_folder}",
        "phases=[{window=80,stride=32,batch_size=4,epochs=1.0}]",
        "max_question_tokens=24",
        "threads=1",
    ]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAVEAT_CACHE", str(tmp_path / "cache"))


def test_from_pages_to_a_model(
    endpoint: Any,
    pages: Path,
    starting: Path,
    encoder_folder: Path,
    tmp_path: Path,
    without_pace: Callable[[Path], list[dict[str, Any]]],
) -> None:
    endpoint.does(teach)
    said: list[str] = []
    out = tmp_path / "adapted"
    done = adapt(
        str(pages),
        f"{endpoint.url}#tiny",
        out,
        model=starting,
        questions=72,
        overrides=settings(encoder_folder),
        note=said.append,
    )
    assert (done.passages, done.written) == (12, 60)
    # An untrained reader may be sure of an answer where there is none, and some of those then go.
    assert done.kept["span"] == 24
    assert done.kept["yes"] == 12
    assert done.dropped["quotation not in the passage"] == 12
    kept = [*squad.read_passages(out / "train.json"), *squad.read_passages(out / "heldout.json")]
    for passage in kept:
        for question in passage.questions:
            for ((span),) in question.answers:
                assert passage.text[span.start : span.end] == span.text
    lines = (out / "yes_no.jsonl").read_text(encoding="utf-8").splitlines()
    assert {json.loads(line)["label"] for line in lines} == {"yes"}
    card = read_card(done.model)
    assert card.temperature == 1.7  # few held-out questions: the probabilities of the starting model
    assert card.name == "small-adapted"
    assert done.before.keys() == done.after.keys() == {"heldout.json"}
    assert any("nothing holds the reader" in sentence for sentence in said)
    asked = len(endpoint.bodies)
    # As a kill leaves it in the middle of an export.
    (out / "int8" / ".export-left").mkdir()
    logged = without_pace(out / "run")
    again = adapt(
        str(pages),
        f"{endpoint.url}#tiny",
        out,
        model=starting,
        questions=72,
        overrides=settings(encoder_folder),
    )
    assert len(endpoint.bodies) == asked
    assert (again.kept, again.after) == (done.kept, done.after)
    assert without_pace(out / "run") == logged
    assert list(out.rglob(".*")) == []


def test_a_joint_reader_keeps_its_heads_and_its_decision(
    endpoint: Any, pages: Path, joint_model: Path, tmp_path: Path
) -> None:
    endpoint.does(teach)
    # No encoder is named: it is read back from the model itself.
    overrides = [each for each in settings(Path()) if not each.startswith("encoder=")]
    out = tmp_path / "adapted"
    done = adapt(
        str(pages), f"{endpoint.url}#tiny", out, model=joint_model, questions=72, overrides=overrides
    )
    card = read_card(done.model)
    assert (card.task, card.name, card.encoder) == ("joint", "small-joint-adapted", "small")
    assert card.temperature == 1.7
    assert (Path(done.model) / "decision.json").read_bytes() == (joint_model / "decision.json").read_bytes()
    reader = load_reader(done.model, threads=1)
    assert isinstance(reader, JointReader)
    (read,) = reader.read_whole([ReadRequest("What does a place cost?", page(3, "Bree"))])
    assert read.windows
    assert done.before.keys() == done.after.keys() == {"heldout.json"}


def test_what_a_joint_reader_learns_from(joint_model: Path, tmp_path: Path) -> None:
    spans = [PassageQuestion(str(n), f"q{n}", ((GoldSpan("one", 0),),)) for n in range(20)]
    for name, count in (("train", 20), ("heldout", 1), ("original", 20)):
        squad.write(tmp_path / f"{name}.json", [SquadPassage("one", tuple(spans[:count]))], {})
    original = tmp_path / "original.json"
    recipe = recipe_of(str(joint_model), "en", tmp_path, [original], 0.2, 1, [])
    assert isinstance(recipe, JointRecipe)
    assert recipe.start == recipe.encoder == str(joint_model)
    # A fifth of what is read: 5 of the 20 questions of the original file beside 20 of one's own.
    assert [(Path(data.path).name, data.weight) for data in recipe.data] == [
        ("train.json", 1.0),
        ("original.json", 0.25),
    ]
    assert recipe.tuning is not None
    assert [Path(data.path).name for data in recipe.tuning.files] == ["heldout.json"]
    assert (recipe.tuning.window, recipe.tuning.stride) == (80, 32)


def test_a_stopped_run_goes_on_and_asks_nothing_twice(
    endpoint: Any, pages: Path, starting: Path, tmp_path: Path
) -> None:
    usage = {"prompt_tokens": 1_500, "completion_tokens": 500, "total_tokens": 2_000}
    endpoint.does(lambda body: {**endpoint.completion(teach(body)), "usage": usage})
    out = tmp_path / "adapted"
    given: dict[str, Any] = {"model": starting, "questions": 72, "only_questions": True, "parallel": 1}
    first = adapt(str(pages), f"{endpoint.url}#tiny", out, budget=Budget(tokens=20_000), **given)
    assert first.stopped
    assert 0 < first.written < 60
    # As after a power cut in the middle of a line.
    with (out / "generated.jsonl").open("ab") as stream:
        stream.write(b'{"passage": "Osk.md:0", "ques')
    whole = adapt(str(pages), f"{endpoint.url}#tiny", out, **given)
    straight = adapt(str(pages), f"{endpoint.url}#tiny", tmp_path / "straight", **given)
    assert not whole.stopped
    assert (whole.kept, whole.dropped) == (straight.kept, straight.dropped)
    for name in ("train.json", "heldout.json", "yes_no.jsonl"):
        assert (out / name).read_bytes() == (tmp_path / "straight" / name).read_bytes()


# Killed at random moments, the run goes on in the same folder until it ends; forks, since imports take longer.
KILLED = """
import os, random, signal, sys, time
from pathlib import Path
import onnxruntime
import caveat.models.reader
from caveat.training.adaptation.adapt import adapt

kills, pages, teacher, starting, folder = int(sys.argv[1]), *sys.argv[2:5], Path(sys.argv[5])

def run(out):
    child = os.fork()
    if not child:
        adapt(pages, teacher, out, model=starting, questions=72, only_questions=True, parallel=1)
        os._exit(0)
    return child

begin = time.perf_counter()
assert os.waitpid(run(folder / "straight"), 0)[1] == 0
took, chance, killed = time.perf_counter() - begin, random.Random(3), 0
os.environ["CAVEAT_CACHE"] = str(folder / "another cache")
for _ in range(kills):
    child = run(folder / "killed")
    time.sleep(chance.uniform(0, 0.5 * took))
    os.kill(child, signal.SIGKILL)
    killed += os.waitpid(child, 0)[1] != 0
assert os.waitpid(run(folder / "killed"), 0)[1] == 0
names = [sorted(each.name for each in (folder / out).iterdir()) for out in ("straight", "killed")]
assert names[0] == names[1], names
for name in names[0]:
    assert (folder / "straight" / name).read_bytes() == (folder / "killed" / name).read_bytes(), name
print(killed)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")
def test_killed_at_random_moments_it_writes_what_a_straight_run_does(
    endpoint: Any,
    pages: Path,
    starting: Path,
    tmp_path: Path,
    times: Callable[[str, int], int],
    script: Callable[..., str],
) -> None:
    endpoint.does(teach)
    runs = tmp_path / "runs"
    runs.mkdir()
    assert int(script(KILLED, times("kills", 4), pages, f"{endpoint.url}#tiny", starting, runs)) > 0


def test_other_settings_do_not_go_on_in_the_folder(
    endpoint: Any, pages: Path, starting: Path, tmp_path: Path
) -> None:
    endpoint.does(teach)
    out = tmp_path / "adapted"
    adapt(str(pages), f"{endpoint.url}#tiny", out, model=starting, questions=6, only_questions=True)
    with pytest.raises(UsageError, match="holds a run with questions 6, not 60"):
        adapt(str(pages), f"{endpoint.url}#tiny", out, model=starting, questions=60, only_questions=True)


def test_a_second_run_in_the_folder_is_refused(
    endpoint: Any, pages: Path, starting: Path, tmp_path: Path
) -> None:
    endpoint.does(teach)
    given = (str(pages), f"{endpoint.url}#tiny", tmp_path / "adapted")
    with locked_run(tmp_path / "adapted"), pytest.raises(CaveatError, match="written by another process"):
        adapt(*given, model=starting, questions=6, only_questions=True)
    assert endpoint.bodies == []


def test_a_teacher_that_writes_nonsense_leaves_nothing_to_learn_from(
    endpoint: Any, pages: Path, starting: Path, encoder_folder: Path, tmp_path: Path
) -> None:
    endpoint.does("I would rather not.")
    given = (str(pages), f"{endpoint.url}#tiny", tmp_path / "adapted")
    with pytest.raises(CaveatError, match="Only 0 questions are left to learn from"):
        adapt(*given, model=starting, questions=12, overrides=settings(encoder_folder))


def test_what_training_needs_is_missed_before_the_teacher_is_asked(
    endpoint: Any, pages: Path, starting: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = (str(pages), f"{endpoint.url}#tiny", tmp_path / "adapted")
    monkeypatch.setitem(PACKAGED, "absent", Packaged("no_such_module", "", "pip install absent"))
    for override, sentence in (("encoder=absent", "pip install absent"), ("no_such_key=1", "no_such_key")):
        with pytest.raises(CaveatError, match=sentence):
            adapt(*given, model=starting, questions=12, overrides=[override])
    assert endpoint.bodies == []


@pytest.mark.parametrize(
    ("int8", "fp32", "chosen"), [(60.0, 60.4, "int8"), (61.0, 60.0, "int8"), (41.0, 47.0, "fp32")]
)
def test_the_larger_model_where_rounding_undoes_what_was_learnt(
    int8: float, fp32: float, chosen: str
) -> None:
    assert chosen_precision({"int8": int8, "fp32": fp32}) == chosen


def test_what_is_learnt_may_be_averaged_with_what_was_known(starting: Path, tmp_path: Path) -> None:
    spans = [PassageQuestion(str(n), f"What is {n}?", ((GoldSpan("one", 0),),)) for n in range(20)]
    squad.write(tmp_path / "train.json", [SquadPassage("one", tuple(spans))], {})
    squad.write(tmp_path / "heldout.json", [SquadPassage("one", tuple(spans[:1]))], {})
    recipe = recipe_of(str(starting), "en", tmp_path, (), 0.5, 1, ["with_start=0.5"])
    assert (recipe.start, recipe.with_start) == (str(starting), 0.5)


def test_pages_without_text(endpoint: Any, tmp_path: Path, starting: Path) -> None:
    (tmp_path / "short.md").write_text("# Hello\n\nShort.\n", encoding="utf-8")
    with pytest.raises(CaveatError, match="There is no passage to ask about"):
        adapt(
            str(tmp_path / "short.md"), f"{endpoint.url}#tiny", tmp_path / "out", model=starting, questions=6
        )


def test_the_command(endpoint: Any, pages: Path, starting: Path, tmp_path: Path, handlers: None) -> None:
    endpoint.does(teach)
    done = CliRunner().invoke(
        app,
        [
            *("adapt", str(pages), "--teacher", f"{endpoint.url}#tiny", "--out", str(tmp_path / "out")),
            *("--model", str(starting), "--questions", "12", "--only-questions"),
        ],
    )
    assert done.exit_code == 0, done.output
    assert "The questions: " in done.stdout
