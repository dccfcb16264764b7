# ruff: noqa: E402
"""Whole runs of a judge with a tiny encoder: learnt by heart, exported, calibrated, and used."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("safetensors")
pytest.importorskip("onnx")

from caveat.core.errors import CaveatError, InputError
from caveat.models.card import Card, read_card
from caveat.models.judge import Judge, Verdict, premise_of, yes_no_premise
from caveat.training import log
from caveat.training.kinds.judge.data import JudgeDataSet, JudgeRecipe, JudgeTuning, Statement, problems_of
from caveat.training.kinds.judge.export import fit_verdict_temperature
from caveat.training.kinds.judge.method import (
    LABELS,
    Judging,
    figures_by_group,
    judge_in_torch,
    load_judge,
    new_judge,
    scores_of,
)
from caveat.training.loop import train_in_steps
from caveat.training.recipe import Described, Phase, load_recipe
from caveat.training.train import export_run

# The tokenizer of the tests knows the letters of its own texts only.
SAID = [
    ("the mill closes", [("does it close?", "Yes")], []),
    ("the mill opens", [("does it close?", "No")], []),
    ("the bakery was built in 1820", [("was it built?", "Yes")], ["does it close?"]),
    ("ada was not at the mill", [("was it ada?", "No")], ["was it built?"]),
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dialogues")

    def turns(asked: list[tuple[str, str]]) -> list[dict[str, str]]:
        return [{"follow_up_question": text, "follow_up_answer": answer} for text, answer in asked]

    utterances = [
        {
            "utterance_id": str(number),
            "tree_id": "t",
            "source_url": "u",
            "snippet": f"rule {number}",
            "question": "when?",
            "scenario": scenario,
            "history": turns([(text, "Yes") for text in asked]),
            "evidence": turns(settled),
            "answer": "Yes",
        }
        for number, (scenario, settled, asked) in enumerate(SAID)
    ]
    (folder / "dialogues.json").write_text(json.dumps(utterances))
    return folder


@pytest.fixture(scope="module")
def recipe(encoder_folder: Path) -> JudgeRecipe:
    return JudgeRecipe(
        encoder=str(encoder_folder),
        data=(JudgeDataSet(path="dialogues.json", format="sharc", name="dialogues", licence="CC0"),),
        phases=(Phase(window=64, stride=16, batch_size=6, epochs=120),),
        tuning=JudgeTuning(
            path="dialogues.json", format="sharc", every=60, window=64, stride=16, name="same"
        ),
        card=Described(name="tiny", language="en", licence="CC0"),
        learning_rate=3e-3,
        dropout=0.0,
        attention_dropout=0.0,
        max_question_tokens=40,
        ema=0.5,
        log_every=40,
        threads=1,
    )


@pytest.fixture(scope="module")
def run(recipe: JudgeRecipe, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    train_in_steps(recipe, folder, data_root=root)
    return folder


@pytest.fixture(scope="module")
def cards(recipe: JudgeRecipe, run: Path, root: Path) -> dict[str, Card]:
    return export_run(recipe, run, run, data_root=root, threads=1)


PAIRS = [
    (premise_of("when?", "the mill closes"), "does it close?"),
    (premise_of("when?", "the mill opens"), "does it close?"),
    (premise_of("when?", "the bakery was built in 1820"), "does it close?"),
]


def test_verdicts_learnt_by_heart(run: Path, cards: dict[str, Card]) -> None:
    final = log.read(run / "log.jsonl")[-1]["final"]
    assert final["accuracy"] == 100
    assert final["dialogues conditions"]["questions"] == 6
    for precision in ("fp32", "int8"):
        card = cards[precision]
        assert card == read_card(run / precision)
        assert (card.task, card.null) == ("judge", "none")
        assert card.figures["judge"]["accuracy"] == 100
        assert card.figures["judge"]["dialogues conditions"]["majority_accuracy"] == pytest.approx(100 / 3)
        assert card.figures["export"]["same_answers"] == 100
        verdicts = Judge.load(run / precision, threads=1).judge(PAIRS)
        assert [max(range(3), key=verdict.__getitem__) for verdict in verdicts] == [0, 1, 2]
        assert all(sum(verdict) == pytest.approx(1) for verdict in verdicts)


def test_torch_and_the_graph_agree(run: Path, recipe: JudgeRecipe, cards: dict[str, Card]) -> None:
    network, tokenizer, card = load_judge(run / "model")
    assert card.scores["accuracy"] == 100
    ours = judge_in_torch(network, tokenizer, recipe).judge(PAIRS)
    graph = Judge.load(run / "fp32", threads=1)
    # The graph's verdicts are tempered by its card.
    tempered = [torch.tensor(verdict).log() / graph.card.temperature for verdict in ours]
    expected = [each.softmax(0).tolist() for each in tempered]
    assert [list(each) for each in graph.judge(PAIRS)] == [pytest.approx(each, abs=1e-4) for each in expected]


def test_nothing_to_read_and_too_much(run: Path, cards: dict[str, Card]) -> None:
    judge = Judge.load(run / "int8", threads=1)
    assert judge.judge([("", "does it close?"), ("the mill closes", " ")]) == [Verdict(0.0, 0.0, 1.0)] * 2
    assert judge.judge([]) == []
    long = judge.judge([(PAIRS[0][0], "does it close? " * 30)])
    assert sum(long[0]) == pytest.approx(1)


def test_other_models_are_refused(run: Path, cards: dict[str, Card], tmp_path: Path) -> None:
    from caveat.models.ranker import Ranker

    with pytest.raises(InputError, match="the model is a judge, not a ranker"):
        Ranker.load(run / "int8")
    with pytest.raises(CaveatError, match="holds no trained judge"):
        load_judge(tmp_path)


def test_what_is_held_out_is_not_trained_on(recipe: JudgeRecipe, root: Path, tmp_path: Path) -> None:
    held = msgspec.structs.replace(
        recipe,
        data=(msgspec.structs.replace(recipe.data[0], held_out=True),),
        fold=Statement("", "", "open", "condition", "rule 0").fold(5),
        phases=(Phase(window=64, stride=16, batch_size=6, epochs=1),),
        tuning=JudgeTuning(window=64, stride=16, every=0),
    )
    notes: list[str] = []
    train_in_steps(held, tmp_path, data_root=root, note=notes.append)
    first, last = log.read(tmp_path / "log.jsonl")[0], log.read(tmp_path / "log.jsonl")[-1]
    counts = first["data"]["dialogues.json"]
    assert counts["questions"] + counts["left_out"]["held out"] == 6
    assert last["final"]["questions"] == counts["left_out"]["held out"] > 0


def test_rare_labels_weigh_more(recipe: JudgeRecipe, root: Path) -> None:
    def weights(balance: float) -> list[float]:
        some = msgspec.structs.replace(recipe, balance=balance)
        found: list[float] = Judging(some, root, lambda message: None)._weights.tolist()
        return found

    # Two statements of each label.
    assert weights(0.5) == pytest.approx([1, 1, 1])
    uneven = msgspec.structs.replace(
        recipe, data=(msgspec.structs.replace(recipe.data[0], held_out=True),), fold=0, balance=1.0
    )
    folds = [Statement("", "", "open", "condition", f"rule {n}").fold(5) for n in range(4)]
    uneven = msgspec.structs.replace(uneven, fold=folds[1])
    found = Judging(uneven, root, lambda message: None)._weights
    # Without the dialogues of that fold, as many of each label as are left weigh the same together.
    kept = [SAID[n] for n in range(4) if folds[n] != folds[1]]
    counts = [
        sum(answer == "Yes" for _, settled, _ in kept for _, answer in settled),
        sum(answer == "No" for _, settled, _ in kept for _, answer in settled),
        sum(len(asked) for _, _, asked in kept),
    ]
    products = [weight * count for weight, count in zip(found.tolist(), counts, strict=True) if count]
    assert products == pytest.approx([products[0]] * len(products))


def test_the_shipped_recipe_and_wrong_ones() -> None:
    shipped = load_recipe("judge-en")
    assert isinstance(shipped, JudgeRecipe)
    assert shipped.max_question_tokens < shipped.phases[0].window
    with pytest.raises(InputError, match="fold must be from 0 to below folds"):
        load_recipe("judge-en", ["fold=7"])
    with pytest.raises(InputError, match="smoothing is a share"):
        load_recipe("judge-en", ["smoothing=1"])
    with pytest.raises(InputError, match="balance must be from 0 to 1"):
        load_recipe("judge-en", ["balance=2"])
    with pytest.raises(InputError, match="tuning needs a path"):
        load_recipe("judge-en", ["fold=-1", "tuning.path="])
    assert list(problems_of(shipped)) == []


def test_scores_by_hand() -> None:
    scores = scores_of(["entailed", "open", "open", "contradicted"], ["entailed", "open", "entailed", "open"])
    # F1: entailed 2/3, open 2·1/(2+2), contradicted 0.
    assert scores["accuracy"] == 50
    assert [scores[f"{label}_f1"] for label in LABELS] == pytest.approx([200 / 3, 0.0, 50.0])
    assert scores["macro_f1"] == pytest.approx((200 / 3 + 50) / 3)
    one = Statement("q I am 34.", "Are you over 18?", "entailed", "condition", "u", "I am 34.")
    figures = figures_by_group([("some", [one])], [["open"]])["some"]
    floors = figures["by_words_accuracy"], figures["majority_accuracy"]
    assert (figures["accuracy"], *floors, figures["contradicted_f1"]) == (0, 100, 100, None)


def test_a_sharp_judge_that_errs_is_made_softer() -> None:
    sharp = [Verdict(0.98, 0.01, 0.01)] * 10
    temperature, error = fit_verdict_temperature(sharp, [0] * 7 + [1] * 3)
    assert temperature > 1.5
    assert error < 0.1


def test_premises_keep_the_question_first() -> None:
    assert premise_of(" Can I? ", "I am\n34. ") == "Can I? I am 34."
    assert yes_no_premise("Can I?", "") == "answer: Can I?"


def test_a_fresh_judge_is_drawn_by_the_seed(encoder_folder: Path) -> None:
    torch.manual_seed(5)
    one = new_judge(str(encoder_folder))[0].verdict[0].weight
    torch.manual_seed(5)
    assert torch.equal(one, new_judge(str(encoder_folder))[0].verdict[0].weight)
