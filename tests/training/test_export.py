# ruff: noqa: E402
"""Readers as model folders: the same logits, the same answers, honest cards."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("safetensors")
onnx = pytest.importorskip("onnx")

from caveat.benchmarks.verbs import evaluate, predict
from caveat.core.errors import CaveatError
from caveat.models.card import Card, read_card
from caveat.models.reader import Reader
from caveat.models.session import SPAN_OUTPUTS, Session
from caveat.training.export import export_network, lower_cases, sample_batch
from caveat.training.graph import INPUTS
from caveat.training.kinds.reader import network as in_torch
from caveat.training.kinds.reader.data import read_passages
from caveat.training.kinds.reader.export import load_run
from caveat.training.kinds.reader.network import load_reader, new_reader
from caveat.training.kinds.reader.recipe import ReaderDataSet, ReaderRecipe, ReaderTuning
from caveat.training.loop import train_in_steps
from caveat.training.recipe import Described, Phase
from caveat.training.rewriting import quantise_columns, quantise_rows
from caveat.training.train import export_run

PAIRS = [("谁组织集市？", "蓝山镇的集市由周明组织。"), ("when?", "the mill was built in 1820 by ada finch.")]


@pytest.fixture(scope="module")
def recipe(encoder_folder: Path, data_file: Path) -> ReaderRecipe:
    """A few steps, enough for logits that differ from token to token."""
    return ReaderRecipe(
        encoder=str(encoder_folder),
        data=(ReaderDataSet(path=data_file.name, name="facts", licence="CC0"),),
        phases=(Phase(window=80, stride=40, batch_size=6, epochs=30),),
        tuning=ReaderTuning(
            path=data_file.name,
            metric="squad",
            every=0,
            window=80,
            stride=40,
            max_answer_tokens=12,
            name="facts",
        ),
        card=Described(name="tiny", language="en", licence="CC0", not_for=("anything",)),
        learning_rate=3e-3,
        dropout=0.0,
        attention_dropout=0.0,
        max_question_tokens=24,
        negatives=0.0,
        ema=0.5,
        freeze_embeddings=True,
        threads=1,
    )


@pytest.fixture(scope="module")
def run(recipe: ReaderRecipe, data_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    train_in_steps(recipe, folder, data_root=data_file.parent)
    return folder


@pytest.fixture(scope="module")
def cards(recipe: ReaderRecipe, run: Path, data_file: Path) -> dict[str, Card]:
    return export_run(recipe, run, run, data_root=data_file.parent, threads=1)


def test_the_graph_has_torch_s_logits_for_any_batch_and_length(run: Path, tmp_path: Path) -> None:
    reader, tokenizer, _ = load_reader(run / "model")
    card = Card(
        name="a", task="reader", language="mul", encoder="b", licence="c", window=80, max_question_tokens=24
    )
    export_network(reader, SPAN_OUTPUTS, tokenizer, tmp_path, card, precision="fp32")
    session = Session(tmp_path / "model.onnx", threads=1)
    for pairs in (PAIRS, PAIRS[:1], [*PAIRS, *PAIRS, ("谁？", "周明")]):
        batch = sample_batch(tokenizer, None, INPUTS, pairs)
        with torch.inference_mode():
            expected = [logits.numpy() for logits in reader(*batch)]
        found = session.run(*(tensor.numpy() for tensor in batch))
        real = batch[1].numpy() == 1
        for ours, theirs in zip(found, expected, strict=True):
            assert np.abs(ours - theirs)[real].max() < 1e-4
    assert sorted(path.name for path in tmp_path.iterdir()) == ["card.json", "model.onnx", "tokenizer.json"]
    assert read_card(tmp_path).precision == "fp32"


def test_attention_is_fused_and_norms_are_apart(cards: dict[str, Card], run: Path) -> None:
    operators = [node.op_type for node in onnx.load(str(run / "fp32" / "model.onnx")).graph.node]
    assert operators.count("If") == 2  # attention with a mask, and without
    assert operators.count("LayerNormalization") == 5  # that of the embeddings, and two a layer
    assert "SkipLayerNormalization" not in operators
    assert "Softmax" not in operators


def test_int8_is_near_and_small(cards: dict[str, Card], run: Path) -> None:
    graph = onnx.load(str(run / "int8" / "model.onnx")).graph
    tensors = {tensor.name: tensor for tensor in graph.initializer}
    heavy = [t for t in tensors.values() if np.prod(t.dims) >= 512]
    # Every matrix and table is of integers; two layers of six matrices, two heads, two tables.
    assert {t.data_type for t in heavy} == {onnx.TensorProto.INT8}
    assert len(heavy) == 16
    _, tokenizer, _ = load_reader(run / "model")
    batch = [tensor.numpy() for tensor in sample_batch(tokenizer, None, INPUTS, PAIRS)]
    exact = Session(run / "fp32" / "model.onnx", threads=1).run(*batch)
    near = Session(run / "int8" / "model.onnx", threads=1).run(*batch)
    spread = float(exact[0].std())
    for a, b in zip(exact, near, strict=True):
        assert np.sqrt(((a - b)[batch[1] == 1] ** 2).mean()) < 0.1 * spread


def test_int8_does_not_depend_on_the_rest_of_the_batch(cards: dict[str, Card], run: Path) -> None:
    _, tokenizer, _ = load_reader(run / "model")
    session = Session(run / "int8" / "model.onnx", threads=1)
    alone = [tensor.numpy() for tensor in sample_batch(tokenizer, None, INPUTS, PAIRS[:1])]
    together = [tensor.numpy() for tensor in sample_batch(tokenizer, None, INPUTS, PAIRS)]
    length = alone[0].shape[1]
    for a, b in zip(session.run(*alone), session.run(*together), strict=True):
        assert np.abs(a[0] - b[0, :length]).max() < 1e-4


def test_quantised_values_are_within_half_a_step() -> None:
    values = np.array([[0.5, -2.0, 0.0], [-1.0, 0.015, 0.0]], dtype=np.float32)
    columns, scale = quantise_columns(values)
    assert columns.tolist() == [[32, -64, 0], [-64, 0, 0]]
    assert scale.ravel().tolist() == [1 / 64, 2 / 64, 1.0]
    rows, row_scale = quantise_rows(values)
    assert np.abs(rows * row_scale - values).max() <= row_scale.max() / 2
    assert rows.min() == -127


def test_the_card_tells_what_the_model_is(cards: dict[str, Card], run: Path, recipe: ReaderRecipe) -> None:
    card = read_card(run / "int8")
    assert card == cards["int8"]
    assert (card.name, card.language, card.licence, card.precision) == ("tiny", "en", "CC0", "int8")
    assert card.not_for == ("anything",)
    assert (card.window, card.stride, card.max_answer_tokens, card.max_question_tokens) == (80, 40, 12, 24)
    assert card.lower_case
    training, tuning = card.data
    assert (training.name, training.licence, training.use, training.questions) == (
        "facts",
        "CC0",
        "training",
        6,
    )
    assert (tuning.name, tuning.use, tuning.questions) == ("facts", "tuning", 6)
    assert card.recipe["learning_rate"] == recipe.learning_rate
    assert card.figures["training"] == {"steps": 30, "of": 30}
    assert card.expected_calibration_error is not None
    assert 0 <= card.expected_calibration_error <= 1


@pytest.mark.parametrize("precision", ["int8", "fp32"])
def test_the_card_s_figures_are_those_of_predict_and_eval(
    cards: dict[str, Card], run: Path, data_file: Path, tmp_path: Path, precision: str
) -> None:
    predict("squad", data_file, tmp_path / "mine.json", model=run / precision)
    scores = evaluate("squad", data_file, tmp_path / "mine.json").scores
    assert cards[precision].figures["squad"] == scores
    assert scores["total"] == 6


def test_the_loss_against_torch_is_measured(cards: dict[str, Card], run: Path, data_file: Path) -> None:
    reader, tokenizer, _ = load_reader(run / "model")
    found = in_torch.predict(
        reader,
        tokenizer,
        read_passages(data_file),
        window=80,
        stride=40,
        max_answer_tokens=12,
        max_question_tokens=24,
    )
    texts = {prediction.id: prediction.text for prediction in found}
    loss = cards["fp32"].figures["export"]
    assert loss["questions"] == len(texts) == 6
    assert (loss["same_answers"], loss["f1_lost"]) == (100.0, 0.0)
    lost = cards["int8"].figures["export"]
    assert lost["f1_lost"] == pytest.approx(lost["f1_in_torch"] - lost["f1"])


def test_an_unfinished_run_is_exported_with_its_averaged_weights(
    recipe: ReaderRecipe, data_file: Path, tmp_path: Path
) -> None:
    train_in_steps(recipe, tmp_path, data_root=data_file.parent, stop=lambda step: step == 4)
    trained = load_run(tmp_path, recipe)
    assert (trained.steps, trained.of) == (4, 30)
    saved = torch.load(tmp_path / "checkpoint.pt", weights_only=True)
    parameters = dict(trained.network.named_parameters())
    for name, average in zip(saved["weights"], saved["average"], strict=True):
        assert torch.equal(parameters[name], average)
    short = msgspec.structs.replace(recipe, tuning=None)
    cards = export_run(short, tmp_path, tmp_path / "out", precisions=["int8"])
    assert list(cards) == ["int8"]
    assert cards["int8"].figures == {"training": {"steps": 4, "of": 30}}
    assert cards["int8"].expected_calibration_error is None
    assert Reader.load(tmp_path / "out" / "int8").card.window == 80


def test_names_and_licences_do_not_make_it_another_run(
    recipe: ReaderRecipe, data_file: Path, tmp_path: Path
) -> None:
    train_in_steps(recipe, tmp_path, data_root=data_file.parent, stop=lambda step: step == 1)
    renamed = msgspec.structs.replace(recipe, data=(ReaderDataSet(path=data_file.name),), card=Described())
    assert load_run(tmp_path, renamed).steps == 1


def test_a_folder_without_a_run(recipe: ReaderRecipe, tmp_path: Path) -> None:
    with pytest.raises(CaveatError, match="neither a trained model nor a checkpoint"):
        load_run(tmp_path, recipe)


def test_an_encoder_without_segments(tmp_path: Path, encoder_folder: Path) -> None:
    from transformers import AutoConfig, AutoModel
    from transformers.models.bert import BertModel

    config = AutoConfig.from_pretrained(encoder_folder, type_vocab_size=1)
    BertModel(config).save_pretrained(tmp_path / "encoder")
    (tmp_path / "encoder" / "tokenizer.json").write_bytes((encoder_folder / "tokenizer.json").read_bytes())
    assert AutoModel.from_pretrained(tmp_path / "encoder").config.type_vocab_size == 1
    reader, tokenizer = new_reader(str(tmp_path / "encoder"))
    card = Card(
        name="a", task="reader", language="mul", encoder="b", licence="c", window=80, max_question_tokens=24
    )
    export_network(reader, SPAN_OUTPUTS, tokenizer, tmp_path / "out", card, precision="int8")
    graph = onnx.load(str(tmp_path / "out" / "model.onnx")).graph
    assert [node.name for node in graph.input] == ["input_ids", "attention_mask"]


def test_lower_case_is_told_by_the_tokenizer(encoder_folder: Path) -> None:
    assert lower_cases(new_reader(str(encoder_folder), lower_case=True)[1])
    assert not lower_cases(new_reader(str(encoder_folder), lower_case=False)[1])
