"""What a training run says of itself on a model's card, and the network that it left."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
import torch
from tokenizers import Tokenizer
from torch import nn

from caveat.core.errors import CaveatError
from caveat.models.card import CARD, Card, CardData, read_card
from caveat.models.embedded import embedded
from caveat.training import log
from caveat.training.encoders import is_model, locate
from caveat.training.export import ExportSettings, export_network, lower_cases, model_folders
from caveat.training.loop import Run
from caveat.training.networks import begin_from, folders_of
from caveat.training.recipe import Settings

Network = TypeVar("Network", bound=nn.Module)


class Trained(NamedTuple, Generic[Network]):
    """The network of a run with its tokenizer, and how far the run had come: `steps` of `of`."""

    network: Network
    tokenizer: Tokenizer
    steps: int
    of: int

    def card(self, recipe: Settings, run_folder: Path, task: str, tuning_questions: int, **more: Any) -> Card:
        """Its card before anything is measured (see `card_of_run`)."""
        return card_of_run(
            recipe,
            run_folder,
            self.tokenizer,
            task=task,
            steps=self.steps,
            of=self.of,
            tuning_questions=tuning_questions,
            **more,
        )

    def export(
        self,
        outputs: Sequence[str],
        out: Path,
        settings: ExportSettings,
        card: Card,
        measure: Callable[[Path, Card], tuple[Card, str]] | None,
        *,
        first_token_only: bool = False,
    ) -> dict[str, Card]:
        """Its model folders in `out`, by precision (see `model_folders`)."""
        return model_folders(
            out,
            settings,
            lambda folder, precision: export_network(
                self.network,
                outputs,
                self.tokenizer,
                folder,
                card,
                precision=precision,
                first_token_only=first_token_only,
            ),
            measure,
        )


def network_of_run(
    folder: Path,
    recipe: Settings,
    *,
    load: Callable[[Path], tuple[Network, Tokenizer]],
    new: Callable[[], tuple[Network, Tokenizer]],
) -> Trained[Network]:
    """A finished run's network or, where it has not ended, that of its last checkpoint, with averaged weights."""
    log_file = folder / "log.jsonl"
    planned = int(log.read(log_file)[0]["steps"]) if log_file.is_file() else 0
    if (folder / "model").is_dir():
        network, tokenizer = load(folder / "model")
        return Trained(network, tokenizer, planned, planned)
    checkpoint = folder / "checkpoint.pt"
    if not checkpoint.is_file():
        raise CaveatError(f"{folder} holds neither a trained model nor a checkpoint.")
    network, tokenizer = new()
    if recipe.with_start:
        begin_from(network, *folders_of(recipe.start))
    steps = int(torch.load(checkpoint, weights_only=True, mmap=True)["recipe"]["steps"])
    run = Run(recipe, network, steps)
    run.restore(checkpoint)
    run.keep_average()
    network.eval()
    return Trained(network, tokenizer, run.step, steps)


def card_of_run(
    recipe: Settings,
    run_folder: Path,
    tokenizer: Tokenizer,
    *,
    task: str,
    steps: int,
    of: int,
    tuning_questions: int,
    **more: Any,
) -> Card:
    """The card of a run's model, as far as it is known before anything is measured; `more` are the task's own keys."""
    shape = recipe.tuning or max(recipe.phases, key=lambda phase: phase.window)
    return Card(
        name=recipe.card.name or run_folder.resolve().name,
        task=task,
        language=recipe.card.language,
        encoder=_encoder(recipe.encoder),
        licence=recipe.card.licence,
        not_for=recipe.card.not_for,
        window=shape.window,
        stride=shape.stride,
        max_question_tokens=recipe.max_question_tokens,
        lower_case=lower_cases(tokenizer),
        data=tuple(_data(recipe, run_folder, tuning_questions)),
        recipe=_settings(recipe),
        figures={"training": {"steps": steps, "of": of}},
        **more,
    )


def _encoder(name: str) -> str:
    """What a card calls an encoder; that of a model folder is called what the model's card calls it."""
    source = locate(name) if name in embedded() else name
    if is_model(source):
        return read_card(source).encoder
    return Path(name).name if Path(name).is_dir() else name


def card_in_torch(recipe: Settings, task: str, **more: Any) -> Card:
    """What a model of the runtime needs to know where the network itself is in the place of an exported graph."""
    shape = recipe.tuning or max(recipe.phases, key=lambda phase: phase.window)
    return Card(
        name="in torch",
        task=task,
        language=recipe.card.language,
        encoder=recipe.encoder,
        licence=recipe.card.licence,
        window=shape.window,
        stride=shape.stride,
        max_question_tokens=recipe.max_question_tokens,
        **more,
    )


def _settings(recipe: Settings) -> dict[str, Any]:
    """The recipe as JSON has it, without what stands on the card itself."""
    settings: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(recipe))
    del settings["card"]
    if recipe.start:
        settings["start"] = [folder.name for folder in folders_of(recipe.start)]
    return settings


def _data(recipe: Settings, run_folder: Path, tuning_questions: int) -> list[CardData]:
    """What the model has learnt from, that of the models it began with included, and what it was tuned on."""
    log_file = run_folder / "log.jsonl"
    described = log.read(log_file)[0].get("data", {}) if log_file.is_file() else {}
    data = [
        CardData(
            name=entry.name or entry.path,
            licence=entry.licence,
            questions=described.get(_logged_as(entry), {}).get("questions"),
        )
        for entry in recipe.data
        # One that was left out altogether is not in the model.
        if described.get(_logged_as(entry), {}).get("questions") != 0
    ]
    known = {entry.name for entry in data}
    data += [
        entry
        for folder in folders_of(recipe.start or ())
        if (folder / CARD).is_file()
        for entry in read_card(folder).data
        if entry.use == "training" and entry.name not in known
    ]
    if (tuning := recipe.tuning) and tuning_questions:
        data.append(
            CardData(
                name=tuning.name or tuning.path or "the part held out of the training data",
                licence=tuning.licence,
                use="tuning",
                questions=tuning_questions,
            )
        )
    return data


def _logged_as(entry: Any) -> str:
    """What the log calls a data set of a recipe."""
    return str(getattr(entry, "key", entry.path))
