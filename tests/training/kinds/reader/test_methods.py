# ruff: noqa: E402
"""Whole runs with each of the methods: stopped and resumed, exported; and what is refused before them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("safetensors")
pytest.importorskip("onnx")

import caveat.training.networks as networks
from caveat.core.errors import CaveatError, InputError
from caveat.models.card import read_card
from caveat.models.reader import Reader
from caveat.models.session import Session
from caveat.models.windowed_model import ReadRequest
from caveat.training.export import sample_batch
from caveat.training.graph import INPUTS
from caveat.training.kinds.reader.network import load_reader
from caveat.training.kinds.reader.recipe import (
    Adversarial,
    Auxiliary,
    Distillation,
    Experts,
    Feeding,
    Frozen,
    Inference,
    InferenceSet,
    MaskedWords,
    Ranking,
    ReaderDataSet,
    ReaderRecipe,
    ReaderTuning,
    Sampling,
    Usefulness,
)
from caveat.training.loop import train_in_steps
from caveat.training.networks import weights_of
from caveat.training.recipe import Phase, load_recipe
from caveat.training.train import export_run

PAIRS = [("谁组织集市？", "蓝山镇的集市由周明组织。"), ("when?", "the mill was built in 1820 by ada finch.")]
JUDGEMENTS = [
    {"premise": "The mill was built in 1820.", "hypothesis": "The mill was built.", "label": "entailment"},
    {"premise": "The bakery closes at noon.", "hypothesis": "It closes at six.", "label": "contradiction"},
    {"premise": "The bakery opens at six.", "hypothesis": "Ada built the mill.", "label": "neutral"},
    {"premise": "The mill is by Ada Finch.", "hypothesis": "Ada is a mill.", "label": "not_entailment"},
]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory, data_file: Path) -> Path:
    """Two data sets, one in Chinese and one in English, and a file of judgements."""
    folder = tmp_path_factory.mktemp("sets")
    articles = json.loads(data_file.read_text("utf-8"))["data"]
    for name, part in (("zh.json", articles[:2]), ("en.json", articles[2:]), ("all.json", articles)):
        (folder / name).write_text(json.dumps({"data": part}), encoding="utf-8")
    lines = "".join(json.dumps(each) + "\n" for each in JUDGEMENTS)
    (folder / "judgements.jsonl").write_text(lines, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def plain(short: dict[str, Any]) -> ReaderRecipe:
    """Two sets with windows so narrow that some do not have the answer."""
    return ReaderRecipe(
        data=(ReaderDataSet(path="zh.json"), ReaderDataSet(path="en.json")),
        phases=(Phase(window=40, stride=8, batch_size=4, epochs=2.0),),
        tuning=ReaderTuning(
            path="all.json", metric="squad", every=0, window=40, stride=8, max_answer_tokens=12
        ),
        max_question_tokens=24,
        negatives=0.5,
        **short,
    )


METHODS: dict[str, dict[str, Any]] = {
    "multitask": {"negatives": 0.0, "no_answer": False},
    "auxiliary": {
        "auxiliary": Auxiliary(
            ranking=Ranking(),
            masked=MaskedWords(windows=2, share=0.3),
            inference=Inference(data=(InferenceSet(path="judgements.jsonl"),), batch_size=2, window=64),
        )
    },
    "adversarial": {"adversarial": Adversarial(weight=0.1)},
    "reversal": {"adversarial": Adversarial(confusion="reversal", layers=0)},
    "usefulness": {"sampling": Sampling(usefulness=Usefulness(every=2, windows=2))},
    "feeding": {"feeding": Feeding(order="sets", attention_over_attention=True)},
    "experts": {
        "experts": Experts(count=3, width=8),
        "auxiliary": Auxiliary(
            inference=Inference(data=(InferenceSet(path="judgements.jsonl"),), every=2, window=64)
        ),
    },
    "frozen": {"frozen": Frozen(width=16), "freeze_embeddings": False},
    "all at once": {
        "feeding": Feeding(attention_over_attention=True),
        "experts": Experts(count=2),
        "adversarial": Adversarial(),
        "auxiliary": Auxiliary(ranking=Ranking()),
        "sampling": Sampling(usefulness=Usefulness(every=3, windows=2)),
    },
}


@pytest.fixture(autouse=True)
def _mask(monkeypatch: pytest.MonkeyPatch) -> None:
    # The tests' tokenizer has no mask of its own.
    monkeypatch.setattr(networks, "_MASK_TOKENS", ("[UNK]",))


def with_method(recipe: ReaderRecipe, name: str) -> ReaderRecipe:
    return msgspec.structs.replace(recipe, **METHODS[name])


@pytest.mark.parametrize("name", METHODS)
def test_a_stopped_run_ends_as_one_that_was_not(
    name: str, plain: ReaderRecipe, root: Path, check_resumed: Callable[..., Path]
) -> None:
    folder = check_resumed(with_method(plain, name), root, [1, 4])
    # What only training has is in the checkpoint, and not in the model.
    assert not any(part.startswith("companions.") for part in weights_of(folder))
    load_reader(folder / "model")


@pytest.mark.parametrize("name", ["feeding", "experts", "frozen"])
def test_what_is_part_of_the_reader_is_exported_with_it(
    name: str, plain: ReaderRecipe, root: Path, tmp_path: Path
) -> None:
    recipe = with_method(plain, name)
    train_in_steps(recipe, tmp_path, data_root=root)
    export_run(recipe, tmp_path, tmp_path, data_root=root, threads=1)
    reader, tokenizer, _ = load_reader(tmp_path / "model")
    session, small = (Session(tmp_path / each / "model.onnx", threads=1) for each in ("fp32", "int8"))
    for pairs in (PAIRS, PAIRS[1:], [PAIRS[0], (PAIRS[1][0], PAIRS[1][1] * 2)]):
        batch = sample_batch(tokenizer, None, INPUTS, pairs)
        with torch.inference_mode():
            expected = reader(*batch)
        found = session.run(*(tensor.numpy() for tensor in batch))
        real = batch[1].numpy() == 1
        rounded = small.run(*(tensor.numpy() for tensor in batch))
        for ours, near, theirs in zip(found, rounded, expected, strict=True):
            exact = theirs.numpy()[real]
            assert np.allclose(ours[real], exact, atol=1e-3)
            assert np.sqrt(((near[real] - exact) ** 2).mean()) < 0.2 * exact.std()


def test_an_unfinished_run_is_exported_without_its_companions(
    plain: ReaderRecipe, root: Path, tmp_path: Path
) -> None:
    recipe = with_method(plain, "auxiliary")
    train_in_steps(recipe, tmp_path, data_root=root, stop=lambda step: step == 2)
    cards = export_run(recipe, tmp_path, tmp_path, data_root=root, precisions=["fp32"], threads=1)
    assert "judgements.jsonl" in {data.name for data in cards["fp32"].data}
    # A later run may begin with it, with other companions or none.
    later = msgspec.structs.replace(plain, start=str(tmp_path), seed=2)
    train_in_steps(later, tmp_path / "later", data_root=root)


def test_a_reader_that_always_answers_says_so_on_its_card(
    plain: ReaderRecipe, root: Path, tmp_path: Path
) -> None:
    recipe = with_method(plain, "multitask")
    train_in_steps(recipe, tmp_path, data_root=root)
    export_run(recipe, tmp_path, tmp_path, data_root=root, precisions=["fp32"], threads=1)
    assert read_card(tmp_path / "fp32").null == "none"
    (result,) = Reader.load(tmp_path / "fp32").read([ReadRequest("When?", "The mill was built in 1820.")])
    assert result.candidates


def test_the_frozen_encoder_stays_as_it_is(plain: ReaderRecipe, root: Path, tmp_path: Path) -> None:
    from transformers import AutoModel

    train_in_steps(with_method(plain, "frozen"), tmp_path, data_root=root)
    before = AutoModel.from_pretrained(plain.encoder).state_dict()
    after = weights_of(tmp_path / "model")
    kept = [name for name in before if not name.startswith("pooler.")]
    assert kept
    assert all(torch.equal(before[name], after[f"encoder.{name}"]) for name in kept)


def test_a_small_reader_learns_from_one_that_is_taught(
    plain: ReaderRecipe, root: Path, tmp_path: Path, check_resumed: Callable[..., Path]
) -> None:
    train_in_steps(plain, tmp_path / "teacher", data_root=root)
    export_run(
        plain, tmp_path / "teacher", tmp_path / "teacher", data_root=root, precisions=["fp32"], threads=1
    )
    taught = msgspec.structs.replace(
        plain, distillation=Distillation(teachers=(str(tmp_path / "teacher" / "fp32"),)), seed=5
    )
    check_resumed(taught, root, [2])


@pytest.mark.parametrize("broken", ["en.json", "judgements.jsonl", "lines.jsonl"])
def test_a_broken_line_stops_a_run_before_its_first_step(
    broken: str, plain: ReaderRecipe, root: Path, tmp_path: Path
) -> None:
    for file in root.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    header = json.dumps({"header": {"dataset": "lines"}})
    context = json.dumps({"context": "Noon is at twelve.", "qas": []})
    (tmp_path / "lines.jsonl").write_text(f"{header}\n{context}\n", encoding="utf-8")
    with (tmp_path / broken).open("a", encoding="utf-8") as out:
        out.write('{"premise": \n')
    data = (*plain.data, ReaderDataSet(path="lines.jsonl")) if broken == "lines.jsonl" else plain.data
    recipe = msgspec.structs.replace(with_method(plain, "auxiliary"), data=data)
    number = {"en.json": 1, "judgements.jsonl": 5, "lines.jsonl": 3}[broken]
    with pytest.raises(InputError, match=rf"{broken}.*line {number}"):
        train_in_steps(recipe, tmp_path / "run", data_root=tmp_path)
    assert not (tmp_path / "run" / "log.jsonl").exists()


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["no_answer=false"], "windows without the answer"),
        (["negatives=0", "auxiliary={ranking={}}"], "needs windows without the answer"),
        (["adversarial={}", 'data=[{path="x.json"}]'], "at least two data sets"),
        (["sampling={usefulness={}}", 'feeding={order="sets"}'], "mixes data sets"),
        (["experts={count=1}"], "at least two"),
        (["distillation={teachers=[]}"], "at least one teacher"),
        (["auxiliary={masked={share=0.0}}"], "share between 0 and 1"),
        (["auxiliary={ranking={weight=0.0}}"], "weight must be above 0"),
        (["auxiliary={masked={}}", "frozen={}"], "leaves as it is"),
        (['auxiliary={inference={data=[{path="x"}], window=50}}'], "leaves no room"),
        (["adversarial={wight=1}"], "no recipe key in adversarial 'wight'"),
    ],
)
def test_what_does_not_fit_together_is_told(overrides: list[str], message: str) -> None:
    with pytest.raises(CaveatError, match=message):
        load_recipe("reader-en", overrides)
