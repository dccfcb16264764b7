"""`caveat models`, as a user would type it."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import caveat.models.embedded as models
from caveat.cli.models import app
from caveat.core.errors import CaveatError, InputError

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def run(*arguments: object) -> tuple[str, str]:
    done = CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.stdout, done.stderr


@pytest.fixture
def inside(reader_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with one model in it."""
    shutil.copytree(reader_folder, tmp_path / "package" / "tiny")
    real = models.embedded
    for module in ("caveat.models.embedded", "caveat.models.embedded"):
        monkeypatch.setattr(f"{module}.embedded", lambda: real(tmp_path / "package"))
    return tmp_path / "package"


@pytest.mark.usefixtures("inside")
def test_list() -> None:
    out, _ = run("list")
    assert "tiny" in out
    assert "Apache-2.0" in out
    (model,) = json.loads(run("list", "--json")[0])
    assert model["card"]["name"] == "tiny"
    assert model["bytes"] > 0


def test_an_installation_without_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caveat.models.embedded.embedded", dict)
    assert run("list") == ("", "caveat: no model came with this installation.\n")
    assert run("list", "--json")[0] == "[]\n"


@pytest.mark.usefixtures("inside")
def test_show_by_name() -> None:
    out, _ = run("show", "tiny")
    for text in ("48 tokens, moving by 16", "the first token's scores", "not calibrated", "4.000"):
        assert text in out


def test_show_a_folder_with_everything_on_its_card(reader_folder: Path, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(reader_folder, folder)
    card = json.loads((folder / "card.json").read_text("utf-8"))
    card |= {
        "checksum": "",
        "not_for": ["decisions"],
        "null": "none",
        "expected_calibration_error": 0.0312,
        "data": [{"name": "facts", "licence": "CC0", "questions": 1234}],
        "figures": {"squad": {"exact_match": 61.25, "f1": 70.5, "total": 8}},
    }
    (folder / "card.json").write_text(json.dumps(card), encoding="utf-8")
    out, _ = run("show", folder)
    for text in ("decisions", "it always answers", "0.031", "facts", "1,234", "CC0", "squad", "61.25"):
        assert text in out
    assert json.loads(run("show", folder, "--json")[0])["card"]["figures"] == card["figures"]


def test_what_is_no_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a model of Caveat"):
        run("show", tmp_path)
    with pytest.raises(CaveatError, match="There is no model 'nothing'"):
        run("show", "nothing")


@pytest.mark.torch
def test_import_makes_a_folder_that_can_be_shown_and_asked(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("onnx")
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    from caveat.models.reader import Reader
    from caveat.models.windowed_model import ReadRequest

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "who", "built", "the", "mill", "ada", "finch"]
    tokenizer = Tokenizer(models.WordLevel({word: id for id, word in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    torch.manual_seed(5)
    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
    )
    source, out = tmp_path / "checkpoint", tmp_path / "model"
    transformers.BertForQuestionAnswering(config).save_pretrained(source)
    tokenizer.save(str(source / "tokenizer.json"))
    shown, notes = run("import", source, "--out", out, "--int8", "--language", "en")
    assert "int8" in shown
    assert "same best span as in torch" in notes
    text = "ada finch built the mill"
    (result,) = Reader.load(out).read([ReadRequest("who built the mill", text)])
    assert all(text[found.start : found.end] == found.text for found in result.candidates)


def test_public_models_are_listed_with_their_licences() -> None:
    out, _ = run("get")
    for text in ("deberta-v3-large-squad2", "CC BY 4.0", "judge", "bge-reranker-base", "MIT", "large, 434 M"):
        assert text in out
    models = json.loads(run("get", "--json")[0])
    assert {model["task"] for model in models} == {"reader", "judge", "ranker"}
    assert len({model["name"] for model in models}) == len({model["hub"] for model in models}) == len(models)
    for model in models:
        assert all(model[key] for key in ("hub", "language", "size", "parameters", "licence"))


def test_a_public_model_that_is_not_fetched_says_how(inside: Path) -> None:
    with pytest.raises(CaveatError, match=r"`caveat models get nli-deberta-v3-base` fetches it"):
        run("show", "nli-deberta-v3-base")
    with pytest.raises(CaveatError, match="There are: tiny"):
        run("show", "nli-deberta")


def test_a_fetched_model_is_listed_and_found_by_name(
    inside: Path, reader_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAVEAT_MODELS", str(tmp_path / "data" / "models"))
    shutil.copytree(reader_folder, tmp_path / "data" / "models" / "bought")
    # What an import that was killed leaves is no model.
    shutil.copytree(reader_folder, tmp_path / "data" / "models" / ".bought-1a2b")
    folders = [Path(model["folder"]).name for model in json.loads(run("list", "--json")[0])]
    assert folders == ["tiny", "bought"]
    assert json.loads(run("show", "bought", "--json")[0])["folder"] == str(tmp_path / "data/models/bought")


@pytest.mark.torch
def test_get_fetches_imports_and_keeps_a_model(
    caveat: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("torch", "transformers", "onnx"):
        pytest.importorskip(module)
    from tiny_checkpoints import write_checkpoint

    commit = "0123456789abcdef0123456789abcdef01234567"
    # The cache of the hub's client, as a download leaves it.
    repository = tmp_path / "hub" / "models--cross-encoder--nli-deberta-v3-base"
    names = ["contradiction", "entailment", "neutral"]
    labels = {"id2label": dict(enumerate(names)), "label2id": {name: at for at, name in enumerate(names)}}
    write_checkpoint(
        repository / "snapshots" / commit, "deberta-v2", "AutoModelForSequenceClassification", **labels
    )
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit, encoding="utf-8")
    for name, value in (
        ("HF_HUB_CACHE", tmp_path / "hub"),
        ("HF_HUB_OFFLINE", "1"),
        ("CAVEAT_MODELS", tmp_path / "data" / "models"),
    ):
        monkeypatch.setenv(name, str(value))
    done = caveat("models", "get", "nli-deberta-v3-base", "--json")
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    card = shown["card"]
    assert (card["task"], card["language"], card["precision"]) == ("judge", "en", "int8")
    assert card["licence"] == "Apache-2.0"
    assert (card["source"]["name"], card["source"]["revision"]) == (
        "cross-encoder/nli-deberta-v3-base",
        commit,
    )
    assert set(card["source"]["files"]) == {"config.json", "model.safetensors", "tokenizer.json"}
    assert shown["folder"] == str(tmp_path / "data" / "models" / "nli-deberta-v3-base")
    assert models.find("nli-deberta-v3-base") == Path(shown["folder"])
    # Another one, which is neither in the cache nor to be had.
    done = caveat("models", "get", "bge-reranker-base")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "the Hugging Face hub did not give a checkpoint of that name" in done.stderr
    assert sorted(path.name for path in (tmp_path / "data" / "models").iterdir()) == ["nli-deberta-v3-base"]
    done = caveat("models", "get", "nli-bert")
    assert done.returncode == 2
    assert "nli-deberta-v3-base" in done.stderr


def test_nothing_on_a_card_reaches_the_terminal_as_a_command(reader_folder: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(reader_folder, tmp_path / "model")
    card = json.loads((folder / "card.json").read_text("utf-8"))
    card |= {
        "checksum": "",
        "name": "a\x1b[31mb",
        "licence": "x\u202ey",
        "figures": {"s\x1b]0;t\x07": {"f\x1b[1m": 1.0}},
    }
    (folder / "card.json").write_text(json.dumps(card), encoding="utf-8")
    out, _ = run("show", folder)
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert r"a\x1b[31mb" in out
