# ruff: noqa: E402
"""Whole runs of a tagger with a tiny encoder: learnt, stopped and resumed, exported, measured, predicted with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("safetensors")
onnx = pytest.importorskip("onnx")

from caveat.benchmarks.cmqa import format as cmqa
from caveat.benchmarks.verbs import evaluate, predict
from caveat.core.errors import CaveatError
from caveat.models.card import Card, read_card
from caveat.models.tagger import Tagger
from caveat.models.windowed_model import ReadRequest
from caveat.training import log
from caveat.training.kinds.reader.network import CARD, new_reader
from caveat.training.kinds.tagger.data import SpanDataSet, SpanTuning, TaggerRecipe
from caveat.training.kinds.tagger.method import UNLABELLED, load_tagger, tag_loss, tagger_in_torch
from caveat.training.loop import train_in_steps
from caveat.training.networks import NetworkCard, save_network, weights_of
from caveat.training.recipe import Described, Phase
from caveat.training.sampling import fold_of
from caveat.training.train import export_run

# Context, question, and the spans of each kind; the first condition holds a fine answer.
SAMPLES = [
    ("早上七点，渡船离开北岸。", "渡船几点离开？", ["早上七点"], ["渡船离开"], ["七点"]),
    ("集市在蓝山镇举行，由周明组织。", "谁组织集市？", [], ["蓝山镇"], ["周明"]),
    ("每周三，票价三元，每天七点。", "票价多少？", ["每周三"], [], ["三元", "七点"]),
    ("周明在北岸，集市由周三组织。", "谁组织集市？", [], ["集市"], ["周三"]),
]


def cmqa_line(sample: tuple[str, str, list[str], list[str], list[str]]) -> dict[str, Any]:
    context, question, *kinds = sample
    spans = {
        kind: [[text, [context.index(text), context.index(text) + len(text)]] for text in texts]
        for kind, texts in zip(("condition", "coarse", "fine"), kinds, strict=True)
    }
    return {"context": context, "question": question, **spans}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tagged")
    lines = [json.dumps(cmqa_line(sample), ensure_ascii=False) for sample in SAMPLES]
    (folder / "cmqa.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    words = ["the", "mill", "and", "the", "bakery", "by", "ada"]
    examples = [
        {
            "id": "a",
            "question": ["what", "?"],
            "context": words,
            "label": ["O", "B", "O", "B", "I", "O", "O"],
        },
        {"id": "b", "question": ["who", "?"], "context": words, "label": ["O"] * 6 + ["B"]},
    ]
    (folder / "multispan.json").write_text(json.dumps({"data": examples}), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def recipe(short: dict[str, Any]) -> TaggerRecipe:
    """Two phases over four samples: seven steps."""
    return TaggerRecipe(
        layers=(("condition",), ("coarse", "fine")),
        data=(SpanDataSet(path="cmqa.jsonl", format="cmqa", name="samples", licence="CC0"),),
        phases=(
            Phase(window=40, stride=12, batch_size=2, epochs=2),
            Phase(window=48, stride=16, batch_size=1, epochs=0.75),
        ),
        card=Described(name="tiny", language="zh", licence="CC0"),
        max_question_tokens=16,
        **short,
    )


@pytest.fixture(scope="module")
def by_heart(recipe: TaggerRecipe, thorough: dict[str, Any]) -> TaggerRecipe:
    return msgspec.structs.replace(
        recipe,
        **thorough,
        phases=(Phase(window=48, stride=24, batch_size=4, epochs=150),),
        freeze_embeddings=False,
        log_every=50,
        tuning=SpanTuning(metric="cmqa", path="cmqa.jsonl", every=75, window=48, stride=24, name="the same"),
    )


@pytest.mark.parametrize("stops", [[3], [1, 4, 6], [7]])
def test_a_stopped_run_ends_as_one_that_was_not(
    recipe: TaggerRecipe, root: Path, check_resumed: Callable[..., Path], stops: list[int]
) -> None:
    folder = check_resumed(recipe, root, stops)
    assert log.read(folder / "log.jsonl")[-1]["step"] == 7


def test_a_few_samples_are_learnt_by_heart(run: Path) -> None:
    entries = log.read(run / "log.jsonl")
    final = entries[-1]["final"]
    exact = {"exact_match": 100.0, "f1": 100.0}
    assert final == {**exact, "condition": exact, "coarse": exact, "fine": exact, "questions": 4}
    assert [entry["step"] for entry in entries if "tuning" in entry] == [75]
    assert load_tagger(run / "model")[2].scores == final


def test_the_graph_finds_the_same_spans_as_torch(
    cards: dict[str, Card], by_heart: TaggerRecipe, run: Path
) -> None:
    network, tokenizer, _ = load_tagger(run / "model")
    in_torch = tagger_in_torch(network, tokenizer, by_heart)
    exported = Tagger.load(run / "fp32", threads=1)
    requests = [ReadRequest(question, context) for context, question, *_ in SAMPLES]
    requests += [
        ReadRequest("票价多少？", "渡船每天早上七点离开，每周三票价三元。" * 9),
        ReadRequest("谁？", "周明，Ada。"),
    ]
    for ours, theirs in zip(exported.token_scores(requests), in_torch.token_scores(requests), strict=True):
        assert ours is not None
        assert theirs is not None
        assert np.abs(ours.logits - theirs.logits).max() < 1e-4
    for mine, other in zip(exported.tag(requests), in_torch.tag(requests), strict=True):
        assert [(s.kind, s.start, s.end) for s in mine.spans] == [
            (s.kind, s.start, s.end) for s in other.spans
        ]
    assert cards["fp32"].figures["export"]["same_answers"] == 100.0


@given(text=st.text(st.sampled_from("ab 早上七点，\t\n\u0301ÄﬁＡ１😀\u200d。"), max_size=80))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_span_is_a_slice_of_its_text(cards: dict[str, Card], run: Path, text: str) -> None:
    (result,) = Tagger.load(run / "int8", threads=1).tag([ReadRequest("渡船几点离开？", text)])
    for span in result.spans:
        assert span.text == text[span.start : span.end] != ""
        assert 0 < span.score <= 1


def test_the_card_tells_what_the_model_is(cards: dict[str, Card], run: Path) -> None:
    for precision in ("int8", "fp32"):
        card = read_card(run / precision)
        assert card == cards[precision]
        assert (card.task, card.name, card.precision) == ("structure", "tiny", precision)
        assert card.layers == (("condition",), ("coarse", "fine"))
        assert (card.window, card.stride, card.max_question_tokens) == (48, 24, 16)
        assert [(data.name, data.use, data.questions) for data in card.data] == [
            ("samples", "training", 4),
            ("the same", "tuning", 4),
        ]
        assert card.recipe["kind"] == "tagger"
        assert card.figures["training"] == {"steps": 150, "of": 150}
        assert card.figures["calibration"] == {"questions": 4, "spans": 10}
        assert card.expected_calibration_error is not None
        assert card.expected_calibration_error < 0.1
    tensors = onnx.load(str(run / "int8" / "model.onnx")).graph.initializer
    assert {t.data_type for t in tensors if np.prod(t.dims) >= 512} == {onnx.TensorProto.INT8}


@pytest.mark.parametrize("precision", ["int8", "fp32"])
def test_the_card_s_figures_are_those_of_predict_and_eval(
    cards: dict[str, Card], run: Path, root: Path, tmp_path: Path, precision: str
) -> None:
    out = tmp_path / "mine.jsonl"
    done = predict("cmqa", root / "cmqa.jsonl", out, model=[run / precision])
    assert (done.questions, done.unanswered) == (4, 0)
    scores = evaluate("cmqa", root / "cmqa.jsonl", out).scores
    assert cards[precision].figures["cmqa"] == scores
    assert scores["all"]["f1"] == 100


def test_a_fold_is_held_out_measured_and_written(recipe: TaggerRecipe, root: Path, tmp_path: Path) -> None:
    folds = [fold_of(context, 2) for context, *_ in SAMPLES]
    assert set(folds) == {0, 1}
    said: list[str] = []
    holding = msgspec.structs.replace(
        recipe,
        data=(SpanDataSet(path="cmqa.jsonl", format="cmqa", held_out=True),),
        tuning=SpanTuning(metric="cmqa", window=48, stride=24),
        folds=2,
        fold=1,
    )
    scores = train_in_steps(holding, tmp_path, data_root=root, note=said.append)
    held = folds.count(1)
    assert scores is not None
    assert scores["questions"] == held
    assert any(f"{4 - held} questions (left out: {held} held out)" in line for line in said)
    cards = export_run(holding, tmp_path, tmp_path, data_root=root, precisions=["fp32"], threads=1)
    written = [sample for _, sample in cmqa.read(tmp_path / "held-out.jsonl")]
    assert [sample.context for sample in written] == [
        context for (context, *_), fold in zip(SAMPLES, folds, strict=True) if fold == 1
    ]
    out = tmp_path / "mine.jsonl"
    predict("cmqa", tmp_path / "held-out.jsonl", out, model=[tmp_path / "fp32"])
    assert cards["fp32"].figures["cmqa"] == evaluate("cmqa", tmp_path / "held-out.jsonl", out).scores
    # Without a fold everything is trained on, and nothing measured.
    whole = msgspec.structs.replace(holding, fold=-1)
    assert train_in_steps(whole, tmp_path / "whole", data_root=root) == {}
    cards = export_run(whole, tmp_path / "whole", tmp_path / "whole", data_root=root, precisions=["fp32"])
    assert cards["fp32"].expected_calibration_error is None
    assert [data.questions for data in cards["fp32"].data] == [4]


def test_three_models_of_one_kind_each(recipe: TaggerRecipe, root: Path, tmp_path: Path) -> None:
    both = (*recipe.data, SpanDataSet(path="multispan.json", format="multispan", span_kind="fine"))
    for kind in ("condition", "fine"):
        alone = msgspec.structs.replace(recipe, layers=((kind,),), clause_kinds=("condition",), data=both)
        train_in_steps(alone, tmp_path / kind, data_root=root)
        card = export_run(alone, tmp_path / kind, tmp_path / kind, data_root=root, precisions=["fp32"])[
            "fp32"
        ]
        # What has no span of the kind is left out.
        assert card.clause_kinds == (("condition",) if kind == "condition" else ())
        assert [data.questions for data in card.data] == ([4] if kind == "condition" else [4, 2])
    models = [tmp_path / kind / "fp32" for kind in ("condition", "fine")]
    done = predict("cmqa", root / "cmqa.jsonl", tmp_path / "out.jsonl", model=models)
    assert done.questions == 4
    assert not any(sample.coarse for _, sample in cmqa.read(tmp_path / "out.jsonl"))
    with pytest.raises(CaveatError, match="Two of the models find spans of the kind 'fine'"):
        predict("cmqa", root / "cmqa.jsonl", tmp_path / "out.jsonl", model=[models[1]] * 2)


def test_multispanqa(recipe: TaggerRecipe, root: Path, tmp_path: Path) -> None:
    english = msgspec.structs.replace(
        recipe,
        layers=(("answer",),),
        data=(SpanDataSet(path="multispan.json", format="multispan", span_kind="answer"),),
        phases=(Phase(window=48, stride=24, batch_size=2, epochs=120),),
        tuning=SpanTuning(metric="multispan", path="multispan.json", every=0, window=48, stride=24),
        learning_rate=3e-3,
        dropout=0.0,
        freeze_embeddings=False,
        ema=0.0,
    )
    scores = train_in_steps(english, tmp_path, data_root=root)
    assert scores is not None
    assert (scores["exact"]["f1"], scores["partial"]["f1"], scores["questions"]) == (100, 100, 2)
    cards = export_run(english, tmp_path, tmp_path, data_root=root, precisions=["fp32"], threads=1)
    assert cards["fp32"].figures["multispan"]["exact"]["f1"] == 100
    predict("multispan", root / "multispan.json", tmp_path / "out.json", model=tmp_path / "fp32")
    assert json.loads((tmp_path / "out.json").read_text()) == {"a": ["mill", "the bakery"], "b": ["ada"]}


def test_a_tagger_begins_with_a_reader_s_encoder(recipe: TaggerRecipe, root: Path, tmp_path: Path) -> None:
    torch.manual_seed(8)
    reader, tokenizer = new_reader(recipe.encoder)
    with torch.no_grad():
        for parameter in reader.parameters():
            parameter.add_(0.01)
    save_network(tmp_path / "reader" / "model", reader, tokenizer, NetworkCard(), CARD)
    begun = msgspec.structs.replace(recipe, start=str(tmp_path / "reader"), learning_rate=1e-12)
    train_in_steps(begun, tmp_path / "run", data_root=root)
    theirs, ours = weights_of(tmp_path / "reader"), weights_of(tmp_path / "run")
    encoder = [name for name in ours if name.startswith("encoder.")]
    assert len(encoder) == len(ours) - 4
    assert all(torch.allclose(theirs[name], ours[name], atol=1e-7) for name in encoder)


def test_an_unfinished_run_is_exported_and_another_recipe_refused(
    recipe: TaggerRecipe, root: Path, tmp_path: Path
) -> None:
    train_in_steps(recipe, tmp_path, data_root=root, stop=lambda step: step == 4)
    cards = export_run(recipe, tmp_path, tmp_path / "out", data_root=root, precisions=["int8"])
    assert cards["int8"].figures["training"] == {"steps": 4, "of": 7}
    other = msgspec.structs.replace(recipe, layers=(("condition", "coarse", "fine"),))
    with pytest.raises(CaveatError, match=r"other settings \(layers\)"):
        train_in_steps(other, tmp_path, data_root=root)


def test_the_loss_is_of_labelled_tokens_alone() -> None:
    layers = (("a",), ("b", "c"))
    scores = torch.zeros(1, 3, 8)
    labels = torch.full((2, 1, 3), UNLABELLED)
    assert tag_loss(scores, labels, layers) == 0
    # One token of three columns, two of five, all equal: ln 3 + ln 5.
    labels[0, 0, 1] = 2
    labels[1, 0, :2] = torch.tensor([0, 4])
    assert float(tag_loss(scores, labels, layers)) == pytest.approx(np.log(3) + np.log(5))
    scores[0, 1, 2] = 50.0
    assert float(tag_loss(scores, labels, layers)) == pytest.approx(np.log(5))


def test_a_log_of_a_tagger_can_be_drawn(cards: dict[str, Card], run: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    log.plot(run / "log.jsonl", tmp_path / "log.svg")
    assert "<svg" in (tmp_path / "log.svg").read_text(encoding="utf-8")
