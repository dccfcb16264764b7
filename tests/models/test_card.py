"""Model folders and their cards."""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from caveat.core.errors import CaveatError, InputError
from caveat.models.card import Card, CardData, check_model, hash_model, read_card, write_card
from caveat.models.embedded import embedded, find, show_model
from caveat.models.encoding import PairLayout
from caveat.models.reader import Reader
from caveat.models.windowed_model import ReadRequest


@pytest.fixture
def folder(reader_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(reader_folder, tmp_path / "model"))


def change(folder: Path, **changes: object) -> None:
    """Edit a card on purpose: it loses its checksum."""
    card = msgspec.json.decode((folder / "card.json").read_bytes())
    (folder / "card.json").write_bytes(msgspec.json.encode({**card, "checksum": "", **changes}))


def test_written_and_read_again(folder: Path) -> None:
    card = Card(
        name="full",
        task="reader",
        language="zh",
        encoder="some-encoder",
        licence="research only",
        not_for=("medical decisions",),
        layout=PairLayout((0,), (2, 2), (2,), 0, 0, 1),
        temperature=1.5,
        threshold=-0.25,
        expected_calibration_error=0.03,
        data=(CardData(name="CMRC 2018", licence="CC BY-SA 4.0", questions=10_142),),
        recipe={"learning_rate": 3e-4},
        figures={"cmrc2018 trial": {"f1": 73.0}},
        precision="int8",
    )
    written = write_card(folder, card)
    assert len(written.sha256) == 64
    assert read_card(folder) == written
    assert (folder / "card.json").read_text().count("\n") > 30  # for people too


@pytest.mark.parametrize(
    ("changes", "name", "nearest"),
    [
        ({"temprature": 2.0}, "temprature", "temperature"),
        ({"Threshold": 2.0}, "Threshold", "threshold"),
        ({"data": [{"name": "facts", "license": "CC0"}]}, "license", "licence"),
        ({"layout": {"befor": [1]}}, "befor", "before"),
    ],
)
def test_an_unknown_field_is_not_taken_for_absent(
    folder: Path, changes: dict[str, object], name: str, nearest: str
) -> None:
    change(folder, **changes)
    with pytest.raises(InputError, match=f"card.json: has a field '{name}', .* known is '{nearest}'"):
        read_card(folder)


def test_a_card_that_was_changed_is_refused(folder: Path) -> None:
    sound = (folder / "card.json").read_text()
    written = read_card(folder)
    assert len(written.checksum) == 64
    (folder / "card.json").write_text(sound.replace('"stride": 16', '"stride": 24'))
    with pytest.raises(InputError, match=r"card\.json: is not as it was written \(its checksum differs\)"):
        read_card(folder)
    with pytest.raises(InputError, match="its checksum differs"):
        show_model(folder)
    # The same content, laid out otherwise, and in another order.
    card = msgspec.json.decode(sound)
    (folder / "card.json").write_bytes(msgspec.json.encode(dict(reversed(card.items()))))
    assert read_card(folder) == written


def test_a_card_without_a_checksum_is_taken_as_it_is(folder: Path) -> None:
    card = msgspec.json.decode((folder / "card.json").read_bytes())
    del card["checksum"]
    (folder / "card.json").write_bytes(msgspec.json.encode({**card, "temperature": 1.5}))
    assert (read_card(folder).temperature, read_card(folder).checksum) == (1.5, "")
    assert write_card(folder, read_card(folder)).checksum != ""


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"temperature": 0}, "temperature must be above 0"),
        ({"stride": 0}, "stride must be above 0"),
        ({"window": 20}, "leaves no room"),
        ({"null": "last"}, "nvalid enum value 'last'"),
        ({"window": "wide"}, "xpected `int`, got `str`"),
    ],
)
def test_wrong_values(folder: Path, changes: dict[str, object], problem: str) -> None:
    change(folder, **changes)
    with pytest.raises(InputError, match=problem) as caught:
        read_card(folder)
    assert "card.json" in str(caught.value)


def test_missing_pieces(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such model folder"):
        read_card(tmp_path / "nowhere")
    (folder / "tokenizer.json").unlink()
    with pytest.raises(InputError, match=r"has no tokenizer\.json"):
        read_card(folder)
    (folder / "card.json").unlink()
    for look in (read_card, find, Reader.load):
        with pytest.raises(InputError, match=r"has no card\.json"):
            look(folder)


def read_something(folder: Path) -> None:
    list(Reader.load(folder).read([ReadRequest("color", "color red")]))


def test_another_model_than_the_cards(folder: Path) -> None:
    with (folder / "model.onnx").open("ab") as file:
        file.write(b"\0")
    read_card(folder)  # light: the bytes are looked at when they are needed
    with pytest.raises(InputError, match="SHA-256 differs"):
        read_something(folder)


def test_another_tokenizer_than_the_cards(folder: Path) -> None:
    path = folder / "tokenizer.json"
    path.write_text(path.read_text().replace('"red"', '"der"'))
    with pytest.raises(InputError, match=r"tokenizer\.json: not the file that card\.json was written for"):
        read_something(folder)


def test_weights_beside_the_graph_are_hashed(folder: Path) -> None:
    import onnx

    model = onnx.load(str(folder / "model.onnx"))
    onnx.save(
        model, str(folder / "model.onnx"), save_as_external_data=True, location="w.bin", size_threshold=0
    )
    change(folder, sha256=hash_model(folder))
    with pytest.raises(InputError, match=r"w\.bin: is part of the model, but card\.json has no hash of it"):
        check_model(folder, read_card(folder))
    card = write_card(folder, read_card(folder))
    assert set(card.files) == {"tokenizer.json", "w.bin"}
    check_model(folder, read_card(folder))
    data = bytearray((folder / "w.bin").read_bytes())
    data[0] ^= 1
    (folder / "w.bin").write_bytes(data)
    with pytest.raises(InputError, match=r"w\.bin: not the file that card\.json was written for"):
        check_model(folder, read_card(folder))


def test_a_folder_is_hashed_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read_something(folder)
    monkeypatch.setattr("caveat.models.card._hash", None)
    read_something(folder)


@pytest.mark.parametrize("name", ["../tokenizer.json", "/etc/passwd", "..", "a\\b"])
def test_a_card_that_leads_out_of_its_folder(folder: Path, name: str) -> None:
    change(folder, files={name: "0" * 64})
    with pytest.raises(InputError, match="which is no file of the folder"):
        read_card(folder)


def test_a_card_that_does_not_fit_its_model(folder: Path) -> None:
    change(folder, window=1_000_000)
    with pytest.raises(InputError, match="longer than any encoder's"):
        read_card(folder)
    change(folder, window=48, layout=msgspec.to_builtins(PairLayout((10**6,), (2,), (2,), 0, 0, 1)))
    with pytest.raises(InputError, match="ONNX Runtime cannot run the model; its card or tokenizer"):
        read_something(folder)


def test_broken_files(folder: Path) -> None:
    (folder / "tokenizer.json").write_text("{}")
    write_card(folder, read_card(folder))
    with pytest.raises(InputError, match="not a tokenizer"):
        read_something(folder)


def test_a_model_that_is_no_model(folder: Path) -> None:
    (folder / "model.onnx").write_bytes(b"not a graph")
    write_card(folder, read_card(folder))
    with pytest.raises(InputError, match="ONNX Runtime cannot load the model"):
        read_something(folder)


def test_a_graph_of_another_kind(folder: Path) -> None:
    import onnx
    from onnx import TensorProto, helper

    value = helper.make_tensor_value_info("pixels", TensorProto.FLOAT, [1])
    scores = helper.make_tensor_value_info("scores", TensorProto.FLOAT, [1])
    graph = helper.make_graph([helper.make_node("Abs", ["pixels"], ["scores"])], "g", [value], [scores])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(folder / "model.onnx"))
    write_card(folder, read_card(folder))
    with pytest.raises(InputError, match="expected the outputs start_logits and end_logits"):
        read_something(folder)


def test_find_and_embedded(reader_folder: Path, tmp_path: Path) -> None:
    assert embedded(reader_folder.parent) == {"tiny": reader_folder}
    assert find(reader_folder) == find(str(reader_folder)) == reader_folder
    for name, folder in embedded().items():
        assert find(name) == folder
        assert read_card(folder).name == name
    with pytest.raises(
        CaveatError, match=r"There is no model 'reader-xx', inside the package, fetched or as a folder"
    ):
        find("reader-xx")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="a model is a folder"):
        find(tmp_path / "file")
