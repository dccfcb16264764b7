# ruff: noqa: E402
"""Checkpoints of transformers as model folders: tiny random ones, made on the fly, of eight architectures."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
pytest.importorskip("onnx")

from tokenizers import Tokenizer

from caveat.benchmarks.shared.passage import GoldSpan, Passage, PassageQuestion
from caveat.benchmarks.verbs import evaluate, predict
from caveat.core.errors import CaveatError, InputError
from caveat.models.card import read_card
from caveat.models.encoding import encode_question, encode_text
from caveat.models.judge import Judge
from caveat.models.ranker import Ranker
from caveat.models.reader import Reader
from caveat.models.session import JUDGE_OUTPUTS, Session
from caveat.models.tagger import Tagger
from caveat.models.windowed_model import ReadRequest
from caveat.models.windows import Window, collate
from caveat.training.export import sample_batch
from caveat.training.graph import INPUTS
from caveat.training.importing.importing import import_model
from caveat.training.kinds.reader.figures import Silence, has_null, probes_of
from tiny_checkpoints import PAIRS, SEGMENTED, SHAPES, write_checkpoint

# DeBERTa's module is one that torch would have written otherwise by now.
pytestmark = pytest.mark.filterwarnings("ignore:`torch.jit.script:DeprecationWarning")

READING = "AutoModelForQuestionAnswering"
CLASSIFYING = "AutoModelForSequenceClassification"
TAGGING = "AutoModelForTokenClassification"
VERDICTS = ["CONTRADICTION", "neutral", "Entailment"]
TAGS = ["B-PER", "I-PER", "O", "I-LOC", "B-LOC"]

Make = Callable[..., Path]


def labelled(names: list[str]) -> dict[str, Any]:
    """The names of a head's outputs, as a configuration has them."""
    return {"id2label": dict(enumerate(names)), "label2id": {name: at for at, name in enumerate(names)}}


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Make:
    made: dict[tuple[str, str, str], Path] = {}

    def make(shape: str, auto: str = READING, **changes: Any) -> Path:
        key = shape, auto, str(changes)
        if key not in made:
            made[key] = write_checkpoint(tmp_path_factory.mktemp(shape), shape, auto, **changes)
        return made[key]

    return make


def logits_of(source: Path, auto: str, shape: str, *texts: str) -> Any:
    """What transformers itself gives for a text or a pair, joined by the checkpoint's own tokenizer."""
    model = getattr(transformers, auto).from_pretrained(source).eval()
    joined = Tokenizer.from_file(str(source / "tokenizer.json")).encode(*texts)
    given = {"input_ids": joined.ids, "attention_mask": [1] * len(joined.ids)}
    if shape in SEGMENTED:
        given["token_type_ids"] = joined.type_ids
    with torch.inference_mode():
        found = model(**{name: torch.tensor([values]) for name, values in given.items()})
    return found.logits[0].numpy()


def best_span(start: Any, end: Any, longest: int) -> tuple[int, int]:
    """By trying them all."""
    pairs = [(i, j) for i in range(len(start)) for j in range(i, min(i + longest, len(start)))]
    return max(pairs, key=lambda pair: start[pair[0]] + end[pair[1]])


@pytest.mark.parametrize("kind", SHAPES)
def test_logits_and_spans_are_those_of_transformers(checkpoint: Make, tmp_path: Path, kind: str) -> None:
    source = checkpoint(kind)
    card = import_model(str(source), tmp_path / "model", threads=1)
    assert card.figures["export"]["same_spans"] == 100
    assert card.figures["export"]["largest_difference"] < 1e-4
    assert (card.window, card.precision) == (384 if kind == "xlnet" else 128, "fp32")

    model = transformers.AutoModelForQuestionAnswering.from_pretrained(source).eval()
    tokenizer = Tokenizer.from_file(str(source / "tokenizer.json"))
    session = Session(tmp_path / "model" / "model.onnx", threads=1)
    reader = Reader.load(tmp_path / "model", threads=1)
    segments = kind in SEGMENTED
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


@pytest.mark.parametrize("kind", ["bert", "roberta", "deberta-v2"])
def test_int8_is_near(checkpoint: Make, tmp_path: Path, kind: str) -> None:
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


def test_data_calibrates_and_measures(checkpoint: Make, data_file: Path, tmp_path: Path) -> None:
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


def test_the_embedded_width_is_refused_where_it_does_not_fit(checkpoint: Make, tmp_path: Path) -> None:
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


@pytest.mark.parametrize("shape", SHAPES)
def test_verdicts_are_those_of_transformers(checkpoint: Make, tmp_path: Path, shape: str) -> None:
    source = checkpoint(shape, CLASSIFYING, **labelled(VERDICTS))
    card = import_model(str(source), tmp_path / "model", threads=1)
    assert (card.task, card.figures["export"]["same_verdicts"]) == ("judge", 100)
    judge = Judge.load(tmp_path / "model", threads=1)
    # In data for inference the premise comes first.
    for (statement, premise), verdict in zip(PAIRS, judge.judge((b, a) for a, b in PAIRS), strict=True):
        no, neither, yes = np.exp(logits_of(source, CLASSIFYING, shape, premise, statement))
        assert verdict == pytest.approx((yes, no, neither) / (yes + no + neither), abs=1e-4)


@pytest.mark.parametrize("shape", SHAPES)
def test_ranks_are_those_of_transformers(checkpoint: Make, tmp_path: Path, shape: str) -> None:
    source = checkpoint(shape, CLASSIFYING, num_labels=1)
    card = import_model(str(source), tmp_path / "model", threads=1)
    assert (card.task, card.figures["export"]["same_order"]) == ("ranker", 100)
    scores = Ranker.load(tmp_path / "model", threads=1).score(ReadRequest(*pair) for pair in PAIRS)
    for pair, score in zip(PAIRS, scores, strict=True):
        assert score == pytest.approx(float(logits_of(source, CLASSIFYING, shape, *pair)[0]), abs=1e-4)


@pytest.mark.parametrize("shape", SHAPES)
def test_tags_are_those_of_transformers(checkpoint: Make, tmp_path: Path, shape: str) -> None:
    source = checkpoint(shape, TAGGING, **labelled(TAGS))
    card = import_model(str(source), tmp_path / "model", threads=1)
    assert (card.task, card.layers, card.max_question_tokens) == ("structure", (("PER", "LOC"),), 0)
    tagger = Tagger.load(tmp_path / "model", threads=1)
    texts = [text for _, text in PAIRS]
    # Whatever is asked: persons and places are the same.
    for text, scores in zip(texts, tagger.token_scores(ReadRequest("", text) for text in texts), strict=True):
        assert scores is not None
        theirs = logits_of(source, TAGGING, shape, text)
        own = theirs[:-2] if shape == "xlnet" else theirs[1:-1]
        assert scores.logits == pytest.approx(own[:, [2, 0, 1, 4, 3]], abs=1e-4)


def test_a_tagger_of_answers_reads_the_question(checkpoint: Make, tmp_path: Path) -> None:
    source = checkpoint("bert", TAGGING, **labelled(["O", "B", "I"]))
    card = import_model(str(source), tmp_path / "model", threads=1)
    assert card.layers == (("answer",),)
    question, text = PAIRS[0]
    (scores,) = Tagger.load(tmp_path / "model", threads=1).token_scores([ReadRequest(question, text)])
    assert scores is not None
    joined = Tokenizer.from_file(str(source / "tokenizer.json")).encode(question, text)
    own = [at for at, sequence in enumerate(joined.sequence_ids) if sequence == 1]
    assert scores.logits == pytest.approx(logits_of(source, TAGGING, "bert", question, text)[own], abs=1e-4)
    # As with others, unless it is told not to.
    card = import_model(str(source), tmp_path / "model", with_question=False, threads=1)
    assert card.max_question_tokens == 0


def test_xlnet_is_padded_on_the_left(checkpoint: Make, tmp_path: Path) -> None:
    import_model(str(checkpoint("xlnet", CLASSIFYING, **labelled(VERDICTS))), tmp_path / "model", threads=1)
    judge = Judge.load(tmp_path / "model", threads=1)
    tokenizer = Tokenizer.from_file(str(tmp_path / "model" / "tokenizer.json"))
    windows = []
    for number, (statement, premise) in enumerate(PAIRS[:2]):
        text = encode_text(tokenizer, premise)
        windows.append(Window(number, encode_question(tokenizer, statement, 64), text, 0, len(text)))
    session = Session(tmp_path / "model" / "model.onnx", outputs=JUDGE_OUTPUTS, threads=1)
    together = collate(windows, judge.layout)
    assert sorted(together.attention_mask[:, 0].tolist()) == [0, 1]
    assert together.attention_mask[:, -1].tolist() == [1, 1]
    apart = [session.run(*collate([window], judge.layout)[:3]) for window in windows]
    for output, scores in enumerate(session.run(*together[:3])):
        assert scores == pytest.approx([float(each[output][0]) for each in apart], abs=1e-4)


def test_two_labels_are_a_judge_that_leaves_open_or_contradicts(checkpoint: Make, tmp_path: Path) -> None:
    source = checkpoint("bert", CLASSIFYING, **labelled(["not_entailment", "entailment"]))
    import_model(str(source), tmp_path / "model", threads=1)
    (verdict,) = Judge.load(tmp_path / "model", threads=1).judge([PAIRS[0]])
    neither, yes = np.exp(logits_of(source, CLASSIFYING, "bert", *PAIRS[0]))
    assert verdict == pytest.approx((yes / (yes + neither), 0, neither / (yes + neither)), abs=1e-4)
    import_model(str(source), tmp_path / "model", labels=["entailment", "contradiction"], threads=1)
    (verdict,) = Judge.load(tmp_path / "model", threads=1).judge([PAIRS[0]])
    assert verdict == pytest.approx((neither / (yes + neither), yes / (yes + neither), 0), abs=1e-4)


@pytest.mark.parametrize("shape", ["bert", "xlnet"])
def test_int8_of_other_tasks_finds_nearly_the_same(checkpoint: Make, tmp_path: Path, shape: str) -> None:
    heads = {"judge": labelled(VERDICTS), "ranker": {"num_labels": 1}}
    for name, changes in heads.items():
        card = import_model(
            str(checkpoint(shape, CLASSIFYING, **changes)), tmp_path / name, int8=True, threads=1
        )
        figures = card.figures["export"]
        assert (card.task, card.precision) == (name, "int8")
        assert min(figures.get("same_verdicts", 100), figures.get("same_order", 100)) > 80


def test_the_files_that_were_read_are_on_the_card(checkpoint: Make, tmp_path: Path) -> None:
    import hashlib

    source = checkpoint("bert")
    card = import_model(str(source), tmp_path / "model", threads=1)
    assert card.source is not None
    assert card.source.name == source.name
    assert set(card.source.files) == {"config.json", "model.safetensors", "tokenizer.json"}
    weights = (source / "model.safetensors").read_bytes()
    assert card.source.files["model.safetensors"] == hashlib.sha256(weights).hexdigest()


@pytest.mark.parametrize(
    ("auto", "changes", "given", "sentence"),
    [
        (CLASSIFYING, labelled(["good", "bad"]), {}, "good, bad are not those of a judge"),
        (CLASSIFYING, {"num_labels": 3}, {}, "--labels contradiction,neutral,entailment"),
        (CLASSIFYING, {"num_labels": 3}, {"task": "ranker"}, "A ranker has one score for a pair"),
        (
            CLASSIFYING,
            {"num_labels": 3},
            {"labels": ["entailment"]},
            "--labels has 1 names, and .* has 3 outputs",
        ),
        (TAGGING, labelled(["O", "S-PER", "E-PER"]), {}, "O, S-PER, E-PER are not O, B and I"),
        (TAGGING, labelled(["O", "I-PER"]), {}, "a label I-PER and no B-PER"),
        (READING, {}, {"task": "tagger"}, "no weights for the tagging of tokens .* BertForQuestionAnswering"),
        (CLASSIFYING, {"num_labels": 1}, {"data": Path("dev.json")}, "--data calibrates readers"),
        (CLASSIFYING, {"num_labels": 1}, {"with_question": False}, "A ranker reads a question with its text"),
    ],
)
def test_labels_and_tasks_that_do_not_fit_are_told(
    checkpoint: Make, tmp_path: Path, auto: str, changes: dict[str, Any], given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(CaveatError, match=sentence):
        import_model(str(checkpoint("bert", auto, **changes)), tmp_path / "out", **given)
    assert not (tmp_path / "out").exists()


def test_a_tokenizer_that_is_missing_or_not_its_own_is_told(checkpoint: Make, tmp_path: Path) -> None:
    source = shutil.copytree(checkpoint("bert"), tmp_path / "source")
    shutil.copy(checkpoint("roberta") / "tokenizer.json", source)
    with pytest.raises(InputError, match="the tokenizer is not the checkpoint's"):
        import_model(str(source), tmp_path / "out")
    (source / "tokenizer.json").unlink()
    with pytest.raises(InputError, match="the checkpoint has no tokenizer"):
        import_model(str(source), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_int8_that_loses_much_is_told_and_leaves_what_was_there(
    checkpoint: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_model(str(checkpoint("bert")), tmp_path / "model", threads=1)
    monkeypatch.setattr("caveat.training.importing.importing._LEAST_SAME", 100.1)
    with pytest.raises(CaveatError, match=r"In int8 bert\d* loses too much: only .*% of the windows"):
        import_model(str(checkpoint("bert")), tmp_path / "model", int8=True, threads=1)
    assert read_card(tmp_path / "model").precision == "fp32"
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_what_cannot_be_exported_is_told(tmp_path: Path) -> None:
    config = transformers.BartConfig(
        vocab_size=50,
        d_model=16,
        encoder_layers=1,
        decoder_layers=1,
        num_labels=3,
        max_position_embeddings=32,
    )
    config.architectures = ["BartForSequenceClassification"]
    config.save_pretrained(tmp_path / "bart")
    with pytest.raises(CaveatError, match=r"has a decoder \(bart\)"):
        import_model(str(tmp_path / "bart"), tmp_path / "out")


def test_what_is_no_reader_is_told(
    encoder_folder: Path, reader_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(CaveatError, match="is a BertModel, and not a reader"):
        import_model(str(encoder_folder), tmp_path / "out")
    with pytest.raises(CaveatError, match="no weights for extractive question answering"):
        import_model(str(encoder_folder), tmp_path / "out", task="reader")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="the folder has no config"):
        import_model(str(tmp_path / "empty"), tmp_path / "out")
    (tmp_path / "empty" / "adapter_config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match="holds an adapter alone"):
        import_model(str(tmp_path / "empty"), tmp_path / "out")
    with pytest.raises(InputError, match="is a model of Caveat already"):
        import_model(str(reader_folder), tmp_path / "out")
    with pytest.raises(InputError, match="a checkpoint is a folder, not a file"):
        import_model(str(reader_folder / "card.json"), tmp_path / "out")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text(json.dumps({"model_type": "t9000"}), encoding="utf-8")
    with pytest.raises(CaveatError, match="cannot be loaded"):
        import_model(str(tmp_path / "broken"), tmp_path / "out")
    with pytest.raises(InputError, match="is a file, and a model is a folder"):
        import_model(str(encoder_folder), reader_folder / "card.json")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(CaveatError, match="without a network, copy the checkpoint's folder"):
        import_model("nobody/no-such-reader", tmp_path / "out")
    assert not (tmp_path / "out").exists()
