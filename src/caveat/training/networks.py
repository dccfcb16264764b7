"""What networks on an encoder share: heads, first weights, masking, the folder of a trained one, and how to begin."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, TypeVar

import msgspec
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from caveat.core.errors import CaveatError
from caveat.core.json_files import read_json, write_json
from caveat.models.card import MODEL
from caveat.models.embedded import embedded
from caveat.models.encoding import PairLayout
from caveat.training.encoders import load_encoder, load_tokenizer
from caveat.training.recipe import Settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_WEIGHTS = "model.safetensors"
# Where a network has the heads that only its training has; they are in checkpoints, and nowhere else.
COMPANIONS = "companions."

CardOf = TypeVar("CardOf", bound=msgspec.Struct)
# As the tokenizers of BERT and of RoBERTa call the mask.
_MASK_TOKENS = ("[MASK]", "<mask>")


class WithHeads(Protocol):
    """A network on an encoder, of which the heads are its own."""

    @property
    def heads(self) -> tuple[nn.Module, ...]:
        """Its fresh parts, in the order in which their first weights are drawn."""
        ...


Network = TypeVar("Network", bound=WithHeads)


class NetworkCard(msgspec.Struct, frozen=True):
    """What a saved network says about itself beside its weights."""

    recipe: dict[str, Any] = {}
    scores: dict[str, Any] = {}


def head(encoder: Any, columns: int) -> nn.Module:
    """A small network over an encoder's states with a number of scores for each token."""
    width = int(encoder.config.hidden_size)
    dropout = float(getattr(encoder.config, "hidden_dropout_prob", 0.1))
    return nn.Sequential(nn.Linear(width, width), nn.GELU(), nn.Dropout(dropout), nn.Linear(width, columns))


def states(
    encoder: Any,
    input_ids: Tensor,
    attention_mask: Tensor,
    token_type_ids: Tensor,
    *,
    embedded: Tensor | None = None,
) -> Tensor:
    """The encoder's last states, batch × length × width; segments only where it tells them apart.

    `embedded` are the tokens' vectors where some are not from the encoder's own table.
    """
    inputs = {"input_ids": input_ids} if embedded is None else {"inputs_embeds": embedded}
    inputs["attention_mask"] = attention_mask
    if getattr(encoder.config, "type_vocab_size", 0) > 1:
        inputs["token_type_ids"] = token_type_ids
    found: Tensor = encoder(**inputs).last_hidden_state
    return found


class EncoderSettings(TypedDict, total=False):
    """What of an encoder and its tokenizer may be replaced; None leaves it as it is."""

    dropout: float | None
    attention_dropout: float | None
    lower_case: bool | None
    encoder_layers: int


def encoder_settings(recipe: Settings) -> EncoderSettings:
    """What a recipe replaces."""
    return {
        "dropout": recipe.dropout,
        "attention_dropout": recipe.attention_dropout,
        "lower_case": recipe.lower_case,
        "encoder_layers": recipe.encoder_layers,
    }


def new_network(
    make: Callable[[Any], Network],
    name: str,
    *,
    dropout: float | None = None,
    attention_dropout: float | None = None,
    lower_case: bool | None = None,
    encoder_layers: int = 0,
) -> tuple[Network, Tokenizer]:
    """An encoder with fresh heads, initialised from torch's current seed, and its tokenizer.

    What is given replaces what encoder and tokenizer say themselves.
    """
    settings = {
        "hidden_dropout_prob": dropout,
        "attention_probs_dropout_prob": attention_dropout,
        "num_hidden_layers": encoder_layers or None,
    }
    encoder, tokenizer = load_encoder(
        name, lower_case=lower_case, settings={k: v for k, v in settings.items() if v is not None}
    )
    network = make(encoder)
    _draw_weights(network.heads, encoder)
    return network, tokenizer


def _draw_weights(heads: tuple[nn.Module, ...], encoder: Any) -> None:
    """First weights of fresh heads, from torch's current seed, spread as the encoder's own were."""
    spread = float(getattr(encoder.config, "initializer_range", 0.02))
    for each in heads:
        for layer in each.modules():
            if isinstance(layer, nn.Linear):
                nn.init.normal_(layer.weight, std=spread)
                nn.init.zeros_(layer.bias)
            elif isinstance(layer, nn.Embedding):
                nn.init.normal_(layer.weight, std=spread)


def save_network(
    folder: Path, network: nn.Module, tokenizer: Tokenizer, card: msgspec.Struct, name: str
) -> None:
    """Weights, the encoder's configuration, tokenizer and card, a file of this name, in a folder.

    A folder that has a card is whole: the card goes first and comes last.
    """
    (folder / name).unlink(missing_ok=True)
    save_weights(folder, network, tokenizer)
    write_json(folder / name, card)


def load_network(
    folder: Path, name: str, card: type[CardOf], make: Callable[[Any, CardOf], Network], what: str
) -> tuple[Network, Tokenizer, CardOf]:
    """A network that `save_network` wrote, ready for inference; `what` it is, for an error."""
    if not (folder / name).is_file():
        raise CaveatError(f"{folder} holds no trained {what}: {name} is missing.")
    found = read_json(folder / name, card)
    encoder, tokenizer = _saved_encoder(folder)
    network = make(encoder, found)
    load_weights(folder, network)
    return network, tokenizer, found


def save_weights(folder: Path, network: nn.Module, tokenizer: Tokenizer) -> None:
    """Weights, the encoder's configuration and the tokenizer in a folder."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    state = {
        name: tensor.detach().clone().contiguous()
        for name, tensor in network.state_dict().items()
        if not name.startswith(COMPANIONS)
    }
    save_file(state, str(folder / _WEIGHTS))
    encoder: Any = network.encoder
    encoder.config.save_pretrained(str(folder))
    tokenizer.save(str(folder / "tokenizer.json"))


def _saved_encoder(folder: Path) -> tuple[Any, Tokenizer]:
    """An encoder as a folder's configuration describes it, without its weights, and the tokenizer."""
    from transformers import AutoConfig, AutoModel

    encoder = AutoModel.from_config(AutoConfig.from_pretrained(str(folder)))
    if hasattr(encoder, "pooler"):
        encoder.pooler = None
    return encoder, load_tokenizer(folder)


def load_weights(folder: Path, network: Any) -> None:
    """Put the weights of a folder into a network, ready for inference."""
    from safetensors.torch import load_file

    network.load_state_dict(load_file(str(folder / _WEIGHTS)))
    network.eval()


class InTorch:
    """A network in torch where the runtime wants a session, so that both are used by the same code."""

    def __init__(self, network: nn.Module) -> None:
        self.network = network

    def run(
        self,
        input_ids: NDArray[np.int64],
        attention_mask: NDArray[np.int64],
        token_type_ids: NDArray[np.int64],
    ) -> tuple[NDArray[np.float32], ...]:
        """The scores of a batch, without dropout."""
        was_training = self.network.training
        self.network.eval()
        try:
            with torch.inference_mode():
                found = self.network(*map(torch.from_numpy, (input_ids, attention_mask, token_type_ids)))
        finally:
            self.network.train(was_training)
        return tuple(scores.numpy() for scores in (found if isinstance(found, tuple) else (found,)))


def check_windows(recipe: Settings, network: Any) -> None:
    """Raise if the encoder does not take windows as wide as the recipe's."""
    limit = getattr(network.encoder.config, "max_position_embeddings", None)
    widest = max(
        [phase.window for phase in recipe.phases] + ([recipe.tuning.window] if recipe.tuning else [])
    )
    if limit is not None and widest > limit:
        raise CaveatError(
            f"The encoder {recipe.encoder!r} takes {limit} tokens, the recipe wants windows of {widest}."
        )


def weights_of(folder: Path) -> dict[str, Tensor]:
    """The weights of a run's folder, or of the model/ in it: of its end or, where it has none, of its checkpoint.

    Those of a model folder are read back from its graph.

    A checkpoint gives the averaged weights where the run keeps an average, and only what the run trains: frozen
    tables are those of the encoder.
    """
    for model in (folder / "model" / "model.safetensors", folder / "model.safetensors"):
        if model.is_file():
            from safetensors.torch import load_file

            return dict(load_file(str(model)))
    checkpoint = folder / "checkpoint.pt"
    if not checkpoint.is_file() and (folder / MODEL).is_file():
        from caveat.training.encoders import ReadGraph

        return {name: torch.from_numpy(values) for name, values in ReadGraph(folder).weights.items()}
    if not checkpoint.is_file():
        raise CaveatError(f"{folder} holds neither a trained model nor a checkpoint to start from.")
    saved = torch.load(checkpoint, weights_only=True)
    weights: dict[str, Tensor] = saved["weights"]
    return dict(zip(weights, saved["average"], strict=True)) if saved["average"] else weights


def folders_of(start: str | Sequence[str]) -> list[Path]:
    """The folders that a recipe's `start` names: of runs, of models, or of embedded models by their names."""
    inside = embedded()
    return [inside.get(name, Path(name)) for name in ([start] if isinstance(start, str) else start)]


def begin_from(network: nn.Module, folder: Path, *others: Path, part: str = "") -> None:
    """Copy the weights of an earlier run into a network, or the mean of several runs' weights.

    `part` is a prefix, "encoder." for the encoder alone.
    """
    ours = network.state_dict()
    found: dict[str, list[Tensor]] = {}
    for each in (folder, *others):
        for name, value in weights_of(each).items():
            if name.startswith(part) and not name.startswith(COMPANIONS):
                found.setdefault(name, []).append(value)
    strange = sorted(
        name
        for name, values in found.items()
        if name not in ours or any(ours[name].shape != value.shape for value in values)
    )
    if strange or not found:
        raise CaveatError(
            f"{folder} was trained on another encoder or with other heads"
            + (f": {strange[0]} does not fit." if strange else ".")
        )
    # A checkpoint has no frozen tables; those of a finished run are the encoder's own, as they were.
    network.load_state_dict(
        {
            name: torch.stack(values).mean(0) if len(values) > 1 else values[0]
            for name, values in found.items()
        },
        strict=False,
    )


class Masking:
    """Replaces a share of the tokens, drawn anew for every batch, by the mask; special tokens stay."""

    def __init__(self, share: float, tokenizer: Tokenizer, layout: PairLayout) -> None:
        found = [id for name in _MASK_TOKENS if (id := tokenizer.token_to_id(name)) is not None]
        if not found:
            raise CaveatError("The encoder's tokenizer has no mask, so `masked` must be 0.")
        self._share, self._mask = share, found[0]
        self._kept = torch.tensor(sorted({*layout.before, *layout.between, *layout.after, layout.pad}))

    def __call__(self, input_ids: Tensor) -> Tensor:
        """The ids with some of them hidden, by torch's generator."""
        hidden = torch.rand(input_ids.shape) < self._share
        return input_ids.masked_fill(hidden & ~torch.isin(input_ids, self._kept), self._mask)


def masking_of(recipe: Settings, tokenizer: Tokenizer, layout: PairLayout) -> Callable[[Tensor], Tensor]:
    """What a recipe does to the ids of a batch: hide a share of them, or nothing."""
    return Masking(recipe.masked, tokenizer, layout) if recipe.masked else lambda input_ids: input_ids
