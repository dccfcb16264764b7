# ruff: noqa: E402
"""Tokens that are hidden while a reader learns."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

import caveat.training.networks as masking_module
from caveat.core.errors import CaveatError, InputError
from caveat.models.encoding import pair_layout
from caveat.training.kinds.reader.network import new_reader
from caveat.training.kinds.reader.recipe import ReaderDataSet, ReaderRecipe
from caveat.training.loop import train_in_steps
from caveat.training.networks import Masking, weights_of
from caveat.training.recipe import Phase, load_recipe


@pytest.fixture
def recipe(encoder_folder: Path, data_file: Path, monkeypatch: pytest.MonkeyPatch) -> ReaderRecipe:
    # The tests' tokenizer has no mask of its own.
    monkeypatch.setattr(masking_module, "_NAMES", ("[UNK]",))
    return ReaderRecipe(
        encoder=str(encoder_folder),
        data=(ReaderDataSet(path=data_file.name),),
        phases=(Phase(window=72, stride=20, batch_size=3, epochs=2.0),),
        learning_rate=2e-3,
        max_question_tokens=24,
        masked=0.3,
        threads=1,
    )


def test_a_share_of_the_tokens_but_no_special_one(recipe: ReaderRecipe) -> None:
    _, tokenizer = new_reader(recipe.encoder)
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
    recipe: ReaderRecipe, data_file: Path, tmp_path: Path
) -> None:
    train_in_steps(recipe, tmp_path / "whole", data_root=data_file.parent)
    assert (
        train_in_steps(recipe, tmp_path / "parts", data_root=data_file.parent, stop=lambda step: step == 2)
        is None
    )
    train_in_steps(recipe, tmp_path / "parts", data_root=data_file.parent)
    whole, parts = weights_of(tmp_path / "whole"), weights_of(tmp_path / "parts")
    assert all(torch.equal(whole[name], parts[name]) for name in whole)


def test_it_changes_what_is_learnt(recipe: ReaderRecipe, data_file: Path, tmp_path: Path) -> None:
    train_in_steps(recipe, tmp_path / "masked", data_root=data_file.parent)
    train_in_steps(
        msgspec.structs.replace(recipe, masked=0.0), tmp_path / "plain", data_root=data_file.parent
    )
    masked, plain = weights_of(tmp_path / "masked"), weights_of(tmp_path / "plain")
    assert any(not torch.equal(masked[name], plain[name]) for name in plain)


def test_a_tokenizer_without_a_mask(recipe: ReaderRecipe) -> None:
    from tokenizers import Tokenizer, models

    _, tokenizer = new_reader(recipe.encoder)
    with pytest.raises(CaveatError, match="has no mask"):
        Masking(0.1, Tokenizer(models.WordLevel({"a": 0}, unk_token="a")), pair_layout(tokenizer))


@pytest.mark.parametrize("share", ["-0.1", "1.0"])
def test_a_share_that_is_none(share: str) -> None:
    with pytest.raises(InputError, match="masked is a share"):
        load_recipe("reader-zh", [f"masked={share}"])
