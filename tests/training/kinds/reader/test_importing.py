# ruff: noqa: E402
"""Checkpoints of transformers as model folders: tiny random ones, made on the fly, of five architectures."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("onnx")

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from caveat.benchmarks.evaluate import evaluate
from caveat.benchmarks.predict import predict
from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.core.errors import CaveatError, InputError
from caveat.models.card import read_card
from caveat.models.reader import Reader
from caveat.models.session import Session
from caveat.models.windowed_model import ReadRequest
from caveat.training.export import sample_batch
from caveat.training.graph import INPUTS
from caveat.training.kinds.reader.figures import PROBES, Silence, has_null, probes_of
from caveat.training.kinds.reader.importing import import_model

# DeBERTa's module is one that torch would have written otherwise by now.
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script:DeprecationWarning")

PAIRS = [pair for probes in PROBES.values() for pair in probes]
SIZES = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    # Logits of a fresh model are all but equal; these are not.
    "initializer_range": 0.3,
}


def trained_tokenizer(kind: str) -> Tokenizer:
    """WordPiece, byte-level BPE or Unigram with the special tokens and the layout of its architecture."""
    texts = [text for pair in PAIRS for text in pair]
    bert = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    if kind in ("bert", "electra"):
        tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
        tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        trainer: Any = trainers.WordPieceTrainer(vocab_size=300, special_tokens=bert, show_progress=False)
        pair = "[CLS] $A [SEP] $B:1 [SEP]:1"
    elif kind == "roberta":
        tokenizer = Tokenizer(models.BPE(unk_token="<unk>"))
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        tokenizer.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=400,
            special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"],
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        pair = "<s> $A </s> </s> $B </s>"
    else:
        special = bert if kind == "deberta" else ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
        tokenizer = Tokenizer(models.Unigram())
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
        trainer = trainers.UnigramTrainer(
            vocab_size=300,
            special_tokens=special,
            unk_token="[UNK]" if kind == "deberta" else "<unk>",
            show_progress=False,
        )
        pair = "[CLS] $A [SEP] $B:1 [SEP]:1" if kind == "deberta" else "<s> $A </s> </s> $B </s>"
    tokenizer.train_from_iterator(texts, trainer)
    names = sorted({piece.split(":")[0] for piece in pair.split() if not piece.startswith("$")})
    first, last = pair.split()[0], pair.split()[2]
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{first} $A {last}",
        pair=pair,
        special_tokens=[(name, tokenizer.token_to_id(name)) for name in names],
    )
    return tokenizer


def configuration(kind: str, words: int) -> Any:
    if kind == "bert":
        return transformers.BertConfig(vocab_size=words, max_position_embeddings=128, **SIZES)
    if kind == "electra":
        return transformers.ElectraConfig(
            vocab_size=words, embedding_size=16, max_position_embeddings=128, **SIZES
        )
    if kind == "roberta":
        return transformers.RobertaConfig(
            vocab_size=words, max_position_embeddings=130, type_vocab_size=1, pad_token_id=1, **SIZES
        )
    if kind == "xlm-r":
        return transformers.XLMRobertaConfig(
            vocab_size=words, max_position_embeddings=130, type_vocab_size=1, pad_token_id=1, **SIZES
        )
    return transformers.DebertaV2Config(
        vocab_size=words,
        max_position_embeddings=128,
        type_vocab_size=0,
        relative_attention=True,
        max_relative_positions=-1,
        position_buckets=16,
        pos_att_type=["p2c", "c2p"],
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        position_biased_input=False,
        **SIZES,
    )


KINDS = ["bert", "electra", "roberta", "xlm-r", "deberta"]


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    made: dict[str, Path] = {}

    def make(kind: str) -> Path:
        if kind not in made:
            torch.manual_seed(7)
            tokenizer = trained_tokenizer(kind)
            folder = made[kind] = tmp_path_factory.mktemp(kind)
            config = configuration(kind, tokenizer.get_vocab_size())
            transformers.AutoModelForQuestionAnswering.from_config(config).save_pretrained(folder)
            tokenizer.save(str(folder / "tokenizer.json"))
        return made[kind]

    return make


def best_span(start: Any, end: Any, longest: int) -> tuple[int, int]:
    """By trying them all."""
    pairs = [(i, j) for i in range(len(start)) for j in range(i, min(i + longest, len(start)))]
    return max(pairs, key=lambda pair: start[pair[0]] + end[pair[1]])


@pytest.mark.parametrize("kind", KINDS)
def test_logits_and_spans_are_those_of_transformers(
    checkpoint: Callable[[str], Path], tmp_path: Path, kind: str
) -> None:
    source = checkpoint(kind)
    card = import_model(str(source), tmp_path / "model", threads=1)
    assert card.figures["export"]["same_spans"] == 100
    assert card.figures["export"]["largest_difference"] < 1e-4
    assert (card.window, card.precision) == (128, "fp32")

    model = transformers.AutoModelForQuestionAnswering.from_pretrained(source).eval()
    tokenizer = Tokenizer.from_file(str(source / "tokenizer.json"))
    session = Session(tmp_path / "model" / "model.onnx", threads=1)
    reader = Reader.load(tmp_path / "model", threads=1)
    segments = kind in ("bert", "electra")
    for question, text in PAIRS:
        # Joined by the checkpoint's own tokenizer, not by ours.
        pair = tokenizer.encode(question, text)
        ids, types = torch.tensor([pair.ids]), torch.tensor([pair.type_ids])
        mask = torch.ones_like(ids)
        with torch.inference_mode():
            found = model(
                input_ids=ids, attention_mask=mask, **({"token_type_ids": types} if segments else {})
            )
        theirs = found.start_logits[0].numpy(), found.end_logits[0].numpy()
        ours = [logits[0] for logits in session.run(ids.numpy(), mask.numpy(), types.numpy())]
        for a, b in zip(ours, theirs, strict=True):
            assert np.abs(a - b).max() < 1e-4
        context = [i for i, sequence in enumerate(pair.sequence_ids) if sequence == 1]
        first, last = best_span(theirs[0][context], theirs[1][context], 30)
        start, end = pair.offsets[context[first]][0], pair.offsets[context[last]][1]
        (result,) = reader.read([ReadRequest(question, text)], count=1)
        assert result.candidates[0].text == text[start:end].strip()


@pytest.mark.parametrize("kind", ["bert", "roberta", "deberta"])
def test_int8_is_near(checkpoint: Callable[[str], Path], tmp_path: Path, kind: str) -> None:
    exact = import_model(str(checkpoint(kind)), tmp_path / "fp32", threads=1)
    small = import_model(str(checkpoint(kind)), tmp_path / "int8", int8=True, threads=1)
    assert (exact.precision, small.precision) == ("fp32", "int8")
    tokenizer = Tokenizer.from_file(str(tmp_path / "int8" / "tokenizer.json"))
    batch = [tensor.numpy() for tensor in sample_batch(tokenizer, None, INPUTS, PAIRS)]
    (start, _), (near, _) = (
        Session(tmp_path / name / "model.onnx", threads=1).run(*batch) for name in ("fp32", "int8")
    )
    real = batch[1] == 1
    assert np.sqrt(((start - near)[real] ** 2).mean()) < 0.15 * start[real].std()
    sizes = [(tmp_path / name / "model.onnx").stat().st_size for name in ("int8", "fp32")]
    assert sizes[0] < sizes[1]


def test_data_calibrates_and_measures(
    checkpoint: Callable[[str], Path], data_file: Path, tmp_path: Path
) -> None:
    card = import_model(
        str(checkpoint("bert")), tmp_path / "model", data=data_file, language="en", licence="CC0", threads=1
    )
    assert card == read_card(tmp_path / "model")
    assert (card.language, card.licence, card.name) == ("en", "CC0", "model")
    assert card.expected_calibration_error is not None
    assert card.temperature != 1.0
    assert card.data[0].questions == 6
    predict("squad", data_file, tmp_path / "mine.json", model=tmp_path / "model")
    assert evaluate("squad", data_file, tmp_path / "mine.json").scores == card.figures["squad"]


def test_the_embedded_width_is_refused_where_it_does_not_fit(
    checkpoint: Callable[[str], Path], tmp_path: Path
) -> None:
    with pytest.raises(CaveatError, match="at most 128 tokens, not of 256"):
        import_model(str(checkpoint("roberta")), tmp_path / "model", window=256)
    assert not (tmp_path / "model").exists()


def test_no_answer_is_recognised(reader_folder: Path) -> None:
    # The reader by construction knows: a word of the question must stand in the text.
    def passage(text: str, question: str, answer: str) -> Passage:
        answers = ((GoldSpan(answer),),) if answer else ()
        return Passage(text, (PassageQuestion(question, question, answers),))

    knows = [passage("color red", "color", "red"), passage("size ten", "size", "ten")]
    reader = Reader.load(reader_folder)
    assert has_null(reader, knows)
    # All that is given as unanswerable it answers.
    wrong = [passage("color red", "color", "red"), passage("name ten", "name", "")]
    assert not has_null(reader, wrong)


@pytest.mark.parametrize(
    ("right", "wrong", "expected"),
    [(0.1, 0.9, True), (0.6, 0.9, False), (0.1, 0.4, False), (0.5, 0.5, False)],
)
def test_the_rule_for_no_answer(right: float, wrong: float, expected: bool) -> None:
    assert Silence(right, wrong).means_no_answer is expected


def test_wrong_texts_are_the_unanswerable_questions_or_other_questions_texts() -> None:
    def passage(name: str, *answered: bool) -> Passage:
        questions = tuple(
            PassageQuestion(f"{name}{i}", f"{name}{i}?", ((GoldSpan(name),),) if yes else ())
            for i, yes in enumerate(answered)
        )
        return Passage(name, questions)

    assert probes_of([passage("a", True, True), passage("b", True)]) == (
        [("a0?", "a"), ("a1?", "a"), ("b0?", "b")],
        [("a0?", "b"), ("b0?", "a")],
    )
    assert probes_of([passage("a", True, False)]) == ([("a0?", "a")], [("a1?", "a")])
    assert probes_of([passage("a", True)])[1] == []


def test_what_is_no_reader_is_told(
    encoder_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CaveatError, match="no weights for extractive question answering"):
        import_model(str(encoder_folder), tmp_path / "out")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="the folder has no config"):
        import_model(str(tmp_path / "empty"), tmp_path / "out")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text(json.dumps({"model_type": "t9000"}), encoding="utf-8")
    with pytest.raises(CaveatError, match="cannot be loaded"):
        import_model(str(tmp_path / "broken"), tmp_path / "out")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(CaveatError, match="Without a network, copy the checkpoint's folder"):
        import_model("nobody/no-such-reader", tmp_path / "out")
    assert not (tmp_path / "out").exists()
