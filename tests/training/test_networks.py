# ruff: noqa: E402
"""What runs begin with, an earlier run or several, and tokens that are hidden while a reader learns."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("safetensors")

import caveat.training.networks as masking_module
from caveat.core.errors import CaveatError, InputError
from caveat.models.encoding import pair_layout
from caveat.training.kinds.reader.export import load_run
from caveat.training.kinds.reader.network import load_reader, new_reader
from caveat.training.kinds.reader.recipe import ReaderDataSet, ReaderRecipe
from caveat.training.loop import train_in_steps
from caveat.training.networks import Masking, begin_from, weights_of
from caveat.training.recipe import Phase, load_recipe


@pytest.fixture
def masked_recipe(encoder_folder: Path, data_file: Path, monkeypatch: pytest.MonkeyPatch) -> ReaderRecipe:
    # The tests' tokenizer has no mask of its own.
    monkeypatch.setattr(masking_module, "_MASK_TOKENS", ("[UNK]",))
    return ReaderRecipe(
        encoder=str(encoder_folder),
        data=(ReaderDataSet(path=data_file.name),),
        phases=(Phase(window=72, stride=20, batch_size=3, epochs=2.0),),
        learning_rate=2e-3,
        max_question_tokens=24,
        masked=0.3,
        threads=1,
    )


def test_a_share_of_the_tokens_but_no_special_one(masked_recipe: ReaderRecipe) -> None:
    _, tokenizer = new_reader(masked_recipe.encoder)
    layout = pair_layout(tokenizer)
    special = {*layout.before, *layout.between, *layout.after, layout.pad}
    mask = tokenizer.token_to_id("[UNK]")
    word = next(id for id in range(tokenizer.get_vocab_size()) if id not in {*special, mask})
    ids = torch.full((40, 100), word)
    ids[:, 0], ids[:, 50], ids[:, 90:] = layout.before[0], layout.between[0], layout.pad
    torch.manual_seed(4)
    hidden = Masking(0.25, tokenizer, layout)(ids)
    changed = hidden != ids
    assert set(hidden[changed].tolist()) == {mask}
    assert not changed[:, [0, 50, *range(90, 100)]].any()
    # 88 tokens a row that may be hidden.
    assert 0.2 < changed.sum().item() / (40 * 88) < 0.3
    assert (ids == word).sum().item() == 40 * 88


def test_a_stopped_run_hides_the_same_when_it_goes_on(
    masked_recipe: ReaderRecipe, data_file: Path, tmp_path: Path
) -> None:
    train_in_steps(masked_recipe, tmp_path / "whole", data_root=data_file.parent)
    assert (
        train_in_steps(
            masked_recipe, tmp_path / "parts", data_root=data_file.parent, stop=lambda step: step == 2
        )
        is None
    )
    train_in_steps(masked_recipe, tmp_path / "parts", data_root=data_file.parent)
    whole, parts = weights_of(tmp_path / "whole"), weights_of(tmp_path / "parts")
    assert all(torch.equal(whole[name], parts[name]) for name in whole)


def test_it_changes_what_is_learnt(masked_recipe: ReaderRecipe, data_file: Path, tmp_path: Path) -> None:
    train_in_steps(masked_recipe, tmp_path / "masked", data_root=data_file.parent)
    train_in_steps(
        msgspec.structs.replace(masked_recipe, masked=0.0), tmp_path / "plain", data_root=data_file.parent
    )
    masked, plain = weights_of(tmp_path / "masked"), weights_of(tmp_path / "plain")
    assert any(not torch.equal(masked[name], plain[name]) for name in plain)


def test_a_tokenizer_without_a_mask(masked_recipe: ReaderRecipe) -> None:
    from tokenizers import Tokenizer, models

    _, tokenizer = new_reader(masked_recipe.encoder)
    with pytest.raises(CaveatError, match="has no mask"):
        Masking(0.1, Tokenizer(models.WordLevel({"a": 0}, unk_token="a")), pair_layout(tokenizer))


@pytest.mark.parametrize("share", ["-0.1", "1.0"])
def test_a_share_that_is_none(share: str) -> None:
    with pytest.raises(InputError, match="masked is a share"):
        load_recipe("reader-zh", [f"masked={share}"])


@pytest.fixture
def recipe(encoder_folder: Path, data_file: Path) -> ReaderRecipe:
    return ReaderRecipe(
        encoder=str(encoder_folder),
        data=(ReaderDataSet(path=data_file.name),),
        phases=(Phase(window=72, stride=20, batch_size=3, epochs=1.0),),
        learning_rate=2e-3,
        max_question_tokens=24,
        ema=0.9,
        freeze_embeddings=True,
        threads=1,
    )


def test_the_second_run_begins_where_the_first_ended(
    recipe: ReaderRecipe, data_file: Path, tmp_path: Path
) -> None:
    train_in_steps(recipe, tmp_path / "first", data_root=data_file.parent)
    # A rate of next to nothing leaves the weights where the run began.
    second = msgspec.structs.replace(recipe, start=str(tmp_path / "first"), learning_rate=1e-12)
    train_in_steps(second, tmp_path / "second", data_root=data_file.parent)
    first, then = weights_of(tmp_path / "first"), weights_of(tmp_path / "second")
    assert first.keys() == then.keys()
    assert all(torch.allclose(first[name], then[name], atol=1e-7) for name in first)


def test_a_stopped_run_gives_its_averaged_weights(
    recipe: ReaderRecipe, data_file: Path, tmp_path: Path
) -> None:
    train_in_steps(recipe, tmp_path / "whole", data_root=data_file.parent)
    at_its_end = load_reader(tmp_path / "whole" / "model")[0].state_dict()
    # The last checkpoint of the same run, as if it had been stopped there.
    (tmp_path / "stopped").mkdir()
    (tmp_path / "whole" / "checkpoint.pt").rename(tmp_path / "stopped" / "checkpoint.pt")
    reader, _ = new_reader(recipe.encoder)
    begin_from(reader, tmp_path / "stopped")
    ours = reader.state_dict()
    assert all(torch.equal(ours[name], at_its_end[name]) for name in at_its_end)


def test_only_the_encoder_can_be_taken(recipe: ReaderRecipe, data_file: Path, tmp_path: Path) -> None:
    train_in_steps(recipe, tmp_path, data_root=data_file.parent)
    trained = weights_of(tmp_path)
    reader, _ = new_reader(recipe.encoder)
    before = reader.start[0].weight.detach().clone()  # type: ignore[index]
    begin_from(reader, tmp_path, part="encoder.")
    name = "encoder.encoder.layer.0.output.dense.weight"
    assert torch.equal(reader.state_dict()[name], trained[name])
    assert torch.equal(reader.state_dict()["start.0.weight"], before)


def test_several_runs_are_averaged(recipe: ReaderRecipe, data_file: Path, tmp_path: Path) -> None:
    for number in (1, 2):
        train_in_steps(
            msgspec.structs.replace(recipe, seed=number), tmp_path / str(number), data_root=data_file.parent
        )
    # One ended, one did not: its checkpoint has no frozen tables.
    (tmp_path / "2" / "model" / "model.safetensors").unlink()
    first, second = weights_of(tmp_path / "1"), weights_of(tmp_path / "2")
    reader, _ = new_reader(recipe.encoder)
    begin_from(reader, tmp_path / "1", tmp_path / "2")
    ours = reader.state_dict()
    assert first.keys() > second.keys()
    for name, value in first.items():
        expected = (value + second[name]) / 2 if name in second else value
        assert torch.allclose(ours[name], expected, atol=1e-6)
    # As a recipe says it.
    both = msgspec.structs.replace(
        recipe, start=(str(tmp_path / "1"), str(tmp_path / "2")), learning_rate=1e-12
    )
    train_in_steps(both, tmp_path / "both", data_root=data_file.parent)
    assert torch.allclose(weights_of(tmp_path / "both")["start.0.weight"], ours["start.0.weight"], atol=1e-6)


def test_what_is_saved_may_be_the_mean_of_before_and_after(
    recipe: ReaderRecipe, data_file: Path, tmp_path: Path
) -> None:
    train_in_steps(recipe, tmp_path / "before", data_root=data_file.parent)
    more = msgspec.structs.replace(recipe, start=str(tmp_path / "before"), seed=2)
    train_in_steps(more, tmp_path / "after", data_root=data_file.parent)
    mean = msgspec.structs.replace(more, with_start=0.5)
    train_in_steps(mean, tmp_path / "mean", data_root=data_file.parent)
    before, after, both = (weights_of(tmp_path / name) for name in ("before", "after", "mean"))
    for name, value in both.items():
        assert torch.allclose(value, (before[name] + after[name]) / 2, atol=1e-6)
    # The same of a run that has not ended, and did not know of it.
    (tmp_path / "after" / "model" / "model.safetensors").unlink()
    (tmp_path / "after" / "model").rename(tmp_path / "elsewhere")
    ours = load_run(tmp_path / "after", mean).network.state_dict()
    assert all(torch.allclose(ours[name], value, atol=1e-6) for name, value in both.items())


def test_a_folder_without_weights_is_told(recipe: ReaderRecipe, data_file: Path, tmp_path: Path) -> None:
    lost = msgspec.structs.replace(recipe, start=str(tmp_path / "nowhere"))
    with pytest.raises(CaveatError, match="neither a trained model nor a checkpoint to start from"):
        train_in_steps(lost, tmp_path / "run", data_root=data_file.parent)


def test_weights_of_another_encoder_are_refused(recipe: ReaderRecipe, tmp_path: Path) -> None:
    torch.save({"weights": {"encoder.other": torch.zeros(2)}, "average": []}, tmp_path / "checkpoint.pt")
    reader, _ = new_reader(recipe.encoder)
    with pytest.raises(
        CaveatError, match=r"another encoder or with other heads: encoder\.other does not fit"
    ):
        begin_from(reader, tmp_path)
