# ruff: noqa: E402
"""Whole runs with a tiny encoder: they learn, they can be stopped and resumed, they can be loaded and drawn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("safetensors")

from caveat.core.errors import CaveatError
from caveat.training import log
from caveat.training.kinds.reader.data import read_passages
from caveat.training.kinds.reader.network import load_reader, predict
from caveat.training.kinds.reader.recipe import ReaderDataSet, ReaderRecipe, ReaderTuning
from caveat.training.loop import train_in_steps
from caveat.training.recipe import Phase


@pytest.fixture
def recipe(encoder_folder: Path, data_file: Path) -> ReaderRecipe:
    """Two phases over six questions: eight steps."""
    return ReaderRecipe(
        encoder=str(encoder_folder),
        data=(ReaderDataSet(path=data_file.name),),
        phases=(
            Phase(window=56, stride=12, batch_size=2, epochs=5 / 3),
            Phase(window=72, stride=20, batch_size=3, epochs=1.5),
        ),
        learning_rate=2e-3,
        max_question_tokens=24,
        windows_per_question=1,
        negatives=0.0,
        ema=0.9,
        freeze_embeddings=True,
        log_every=1,
        threads=1,
    )


def weights(folder: Path) -> dict[str, Any]:
    return dict(load_reader(folder / "model")[0].state_dict())


@pytest.mark.parametrize("stops", [[3], [5], [1, 4, 7], [8]])
def test_a_stopped_run_ends_as_one_that_was_not(
    recipe: ReaderRecipe, data_file: Path, check_resumed: Callable[..., Path], stops: list[int]
) -> None:
    folder = check_resumed(recipe, data_file.parent, stops)
    assert log.read(folder / "log.jsonl")[-1]["step"] == 8


def test_a_kill_between_checkpoints_costs_only_what_came_after(
    recipe: ReaderRecipe,
    data_file: Path,
    tmp_path: Path,
    without_pace: Callable[[Path], list[dict[str, Any]]],
) -> None:
    straight, killed = tmp_path / "straight", tmp_path / "killed"
    train_in_steps(recipe, straight, data_root=data_file.parent)

    def kill(step: int) -> bool:
        if step == 6:
            raise RuntimeError("killed")
        return False

    train_in_steps(recipe, killed, data_root=data_file.parent, stop=lambda step: step == 3)
    with pytest.raises(RuntimeError, match="killed"):
        train_in_steps(recipe, killed, data_root=data_file.parent, stop=kill)
    assert without_pace(killed)[-1]["step"] == 6
    train_in_steps(recipe, killed, data_root=data_file.parent)
    assert all(torch.equal(weights(straight)[name], tensor) for name, tensor in weights(killed).items())
    assert without_pace(straight) == without_pace(killed)


def test_a_few_samples_are_learnt_by_heart(recipe: ReaderRecipe, data_file: Path, tmp_path: Path) -> None:
    recipe = msgspec.structs.replace(
        recipe,
        phases=(Phase(window=80, stride=40, batch_size=6, epochs=150),),
        learning_rate=3e-3,
        dropout=0.0,
        attention_dropout=0.0,
        freeze_embeddings=False,
        tuning=ReaderTuning(
            path=data_file.name, metric="squad", every=75, window=80, stride=40, max_answer_tokens=12
        ),
        log_every=50,
    )
    scores = train_in_steps(recipe, tmp_path, data_root=data_file.parent)
    assert scores == {"exact_match": 100.0, "f1": 100.0, "questions": 6}
    reader, tokenizer, card = load_reader(tmp_path / "model")
    assert card.scores == scores
    passages = list(read_passages(data_file))
    gold = {q.id: q.answers[0][0].text for passage in passages for q in passage.questions}
    found = predict(reader, tokenizer, passages, window=80, stride=40, max_question_tokens=24)
    assert {prediction.id: prediction.text for prediction in found} == gold
    measured = [entry["step"] for entry in log.read(tmp_path / "log.jsonl") if "tuning" in entry]
    assert measured == [75]


def test_the_embedding_table_can_stay_as_it_is(recipe: ReaderRecipe, data_file: Path, tmp_path: Path) -> None:
    name = "encoder.embeddings.word_embeddings.weight"
    train_in_steps(recipe, tmp_path / "frozen", data_root=data_file.parent)
    free = msgspec.structs.replace(recipe, freeze_embeddings=False)
    train_in_steps(free, tmp_path / "free", data_root=data_file.parent)
    from transformers import AutoModel

    before = AutoModel.from_pretrained(recipe.encoder).get_input_embeddings().weight
    assert torch.equal(weights(tmp_path / "frozen")[name], before)
    assert not torch.equal(weights(tmp_path / "free")[name], before)


def test_the_learning_rate_rises_and_falls(recipe: ReaderRecipe, data_file: Path, tmp_path: Path) -> None:
    train_in_steps(msgspec.structs.replace(recipe, warmup=0.25), tmp_path, data_root=data_file.parent)
    rates = [entry["lr"] for entry in log.read(tmp_path / "log.jsonl") if "lr" in entry]
    # Eight steps, two of them rising; the first after them has the whole rate.
    expected = [1 / 2, 1, 1, 5 / 6, 4 / 6, 3 / 6, 2 / 6, 1 / 6]
    assert rates == pytest.approx([2e-3 * share for share in expected])


def test_a_folder_with_another_run_is_refused(recipe: ReaderRecipe, data_file: Path, tmp_path: Path) -> None:
    train_in_steps(recipe, tmp_path, data_root=data_file.parent, stop=lambda step: True)
    other = msgspec.structs.replace(recipe, learning_rate=1e-3, log_every=2)
    with pytest.raises(CaveatError, match=r"other settings \(learning_rate\)"):
        train_in_steps(other, tmp_path, data_root=data_file.parent)


def test_a_damaged_checkpoint_is_refused_and_half_a_line_of_the_log_is_not(
    recipe: ReaderRecipe, data_file: Path, tmp_path: Path
) -> None:
    train_in_steps(recipe, tmp_path, data_root=data_file.parent, stop=lambda step: step == 2)
    (checkpoint,) = tmp_path.glob("*.pt")
    sound = checkpoint.read_bytes()
    flipped = bytearray(sound)
    flipped[len(sound) // 2] ^= 1
    for damaged in (bytes(flipped), sound[:-100], b"", b"no checkpoint"):
        checkpoint.write_bytes(damaged)
        with pytest.raises(CaveatError, match=r"is damaged.*Take it away to begin again"):
            train_in_steps(recipe, tmp_path, data_root=data_file.parent)
    torch.save({"recipe": {}, "step": 1}, checkpoint)
    with pytest.raises(CaveatError, match=r"is no checkpoint of this run: .*Take it away to begin again"):
        train_in_steps(recipe, tmp_path, data_root=data_file.parent)
    checkpoint.write_bytes(sound)
    with (tmp_path / "log.jsonl").open("a") as out:
        out.write('{"step": 3, "lo')
    train_in_steps(recipe, tmp_path, data_root=data_file.parent)
    assert log.read(tmp_path / "log.jsonl")[-1]["step"] == 8


def test_a_window_wider_than_the_encoder_is_refused(
    recipe: ReaderRecipe, data_file: Path, tmp_path: Path
) -> None:
    wide = msgspec.structs.replace(recipe, phases=(Phase(window=200, stride=60, batch_size=2, epochs=1),))
    with pytest.raises(CaveatError, match="takes 96 tokens, the recipe wants windows of 200"):
        train_in_steps(wide, tmp_path, data_root=data_file.parent)


def test_a_log_can_be_drawn(recipe: ReaderRecipe, data_file: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    train_in_steps(recipe, tmp_path, data_root=data_file.parent)
    log.plot(tmp_path / "log.jsonl", tmp_path / "log.svg")
    assert "<svg" in (tmp_path / "log.svg").read_text(encoding="utf-8")


def test_a_folder_without_a_reader_is_told(tmp_path: Path) -> None:
    with pytest.raises(CaveatError, match="holds no trained reader"):
        load_reader(tmp_path)
