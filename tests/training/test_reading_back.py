# ruff: noqa: E402
"""What an exported graph gives back is what was exported, up to the steps of its integers."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
onnx = pytest.importorskip("onnx")

from caveat.core.errors import CaveatError
from caveat.models.card import Card, CardData
from caveat.models.embedded import embedded
from caveat.models.session import SPAN_OUTPUTS
from caveat.training.cards import card_of_run
from caveat.training.encoders import ReadGraph
from caveat.training.export import Precision, export_network
from caveat.training.kinds.reader.network import ReaderNetwork, new_reader
from caveat.training.kinds.reader.recipe import ReaderDataSet, ReaderRecipe
from caveat.training.networks import begin_from, folders_of
from caveat.training.recipe import Phase

CARD = Card(name="small", task="reader", language="en", encoder="small", licence="none")


def _tell_apart(reader: ReaderNetwork) -> None:
    """Fresh biases and gains are all alike: one could stand in the place of another."""
    for parameter in reader.parameters():
        if parameter.ndim == 1:
            torch.nn.init.normal_(parameter, mean=0.5, std=0.1)


# A column has 64 steps from 0 to its largest value, which is below 1 in a fresh network; half of one is lost.
@pytest.mark.parametrize(("precision", "lost"), [("fp32", 1e-6), ("int8", 0.5 / 64)])
def test_every_weight_comes_back(
    encoder_folder: Path, tmp_path: Path, precision: Precision, lost: float
) -> None:
    torch.manual_seed(1)
    reader, tokenizer = new_reader(str(encoder_folder))
    _tell_apart(reader)
    export_network(reader, SPAN_OUTPUTS, tokenizer, tmp_path, CARD, precision=precision)
    found = ReadGraph(tmp_path).weights
    assert found.keys() == reader.state_dict().keys()
    for name, value in reader.state_dict().items():
        largest = max(1.0, float(value.abs().max()))
        assert torch.allclose(torch.from_numpy(found[name]), value, atol=lost * largest), name


def test_a_run_begins_with_a_model_folder(encoder_folder: Path, tmp_path: Path) -> None:
    torch.manual_seed(1)
    exported, tokenizer = new_reader(str(encoder_folder))
    _tell_apart(exported)
    export_network(exported, SPAN_OUTPUTS, tokenizer, tmp_path, CARD, precision="fp32")
    torch.manual_seed(2)
    reader, _ = new_reader(str(encoder_folder))
    begin_from(reader, tmp_path)
    assert torch.allclose(
        reader.state_dict()["end.3.weight"], exported.state_dict()["end.3.weight"], atol=1e-6
    )


def test_a_run_may_begin_with_an_embedded_model(tmp_path: Path) -> None:
    inside = embedded()
    assert folders_of(["reader-en", str(tmp_path)]) == [inside["reader-en"], tmp_path]


def test_another_program_s_graph_is_refused(encoder_folder: Path, tmp_path: Path) -> None:
    value = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1])
    graph = onnx.helper.make_graph([onnx.helper.make_node("Identity", ["x"], ["y"])], "one", [value], [value])
    onnx.save(onnx.helper.make_model(graph), str(tmp_path / "model.onnx"))
    reader, _ = new_reader(str(encoder_folder))
    with pytest.raises(CaveatError, match="another encoder or with other heads"):
        begin_from(reader, tmp_path)


def test_the_card_names_what_the_model_that_it_began_with_had_learnt(
    encoder_folder: Path, tmp_path: Path
) -> None:
    reader, tokenizer = new_reader(str(encoder_folder))
    learnt = (CardData(name="Ferries", licence="CC0"), CardData(name="Mills", licence="CC0", use="tuning"))
    began = msgspec.structs.replace(CARD, data=learnt)
    export_network(reader, SPAN_OUTPUTS, tokenizer, tmp_path / "first", began, precision="fp32")
    recipe = ReaderRecipe(
        encoder=str(encoder_folder),
        start=str(tmp_path / "first"),
        data=(ReaderDataSet(path="bakeries.json", name="Bakeries", licence="CC0"),),
        phases=(Phase(window=48, stride=16, batch_size=2, epochs=1.0),),
    )
    card = card_of_run(recipe, tmp_path, tokenizer, task="reader", steps=1, of=1, tuning_questions=0)
    assert [data.name for data in card.data] == ["Bakeries", "Ferries"]


def test_a_joint_reader_comes_back_with_all_its_heads(joint_model: Path) -> None:
    expected = torch.load(joint_model / "torch.pt", weights_only=True)
    found = ReadGraph(joint_model).weights
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert torch.allclose(torch.from_numpy(found[name]), value, atol=1e-6), name


def test_a_model_folder_is_an_encoder(joint_model: Path, encoder_folder: Path, tmp_path: Path) -> None:
    expected = torch.load(joint_model / "torch.pt", weights_only=True)
    # Another kind takes the encoder alone, whose files need not be there.
    reader, tokenizer = new_reader(str(joint_model), dropout=0.0)
    own, _ = new_reader(str(encoder_folder), dropout=0.0)
    assert reader.state_dict().keys() == own.state_dict().keys()
    for name, value in expected.items():
        if name.startswith("encoder."):
            assert torch.allclose(reader.state_dict()[name], value, atol=1e-6), name
    begin_from(own, joint_model, part="encoder.")
    ids = torch.tensor([tokenizer.encode("the mill", "when").ids])
    args = ids, torch.ones_like(ids), torch.zeros_like(ids)
    given, wanted = (
        each.eval().encoder(input_ids=args[0], attention_mask=args[1], token_type_ids=args[2])
        for each in (reader, own)
    )
    assert torch.allclose(given.last_hidden_state, wanted.last_hidden_state, atol=1e-5)
    recipe = ReaderRecipe(
        encoder=str(joint_model),
        data=(ReaderDataSet(path="bakeries.json"),),
        phases=(Phase(window=48, stride=16, batch_size=2, epochs=1.0),),
    )
    card = card_of_run(recipe, tmp_path, tokenizer, task="reader", steps=1, of=1, tuning_questions=0)
    assert card.encoder == "small"
