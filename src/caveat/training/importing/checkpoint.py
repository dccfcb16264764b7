"""A checkpoint of transformers, from a folder or from the Hugging Face hub: its files, configuration and weights."""

from __future__ import annotations

import hashlib
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from caveat.core.errors import CaveatError, InputError
from caveat.models.card import CARD, CardSource
from caveat.training.encoders import load_tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer

CONFIG = "config.json"
_WEIGHTS, _OLDER_WEIGHTS = "*.safetensors", "pytorch_model*.bin"
_TOKENIZER = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model")
_FETCHED = (
    CONFIG,
    "*.index.json",
    "*_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "merges.txt",
)


class Checkpoint(msgspec.Struct, frozen=True):
    """The folder of a checkpoint, what a card says of where it came from, and its configuration."""

    folder: Path
    source: CardSource
    config: Any

    @property
    def architecture(self) -> str:
        """The class that it was saved by; empty where the configuration does not say."""
        return (self.config.architectures or [""])[0]


def open_checkpoint(source: str, fetch: Callable[[str], Path] | None = None) -> Checkpoint:
    """The checkpoint of a folder, or of a name on the Hugging Face hub, from where `fetch` brings it."""
    folder = Path(source)
    fetched = not folder.exists()
    if fetched:
        folder = (fetch or fetch_checkpoint)(source)
    _check_files(folder)
    from transformers import AutoConfig

    with _loading(source), _quietly():
        config = AutoConfig.from_pretrained(str(folder))
    if getattr(config, "is_encoder_decoder", False):
        raise CaveatError(
            f"{source} has a decoder ({config.model_type}), whose scores are not those of one pass over a text; "
            "only encoders (BERT, RoBERTa, DeBERTa, XLNet and their kin) are imported."
        )
    name = source if fetched else folder.resolve().name
    # The hub's client keeps a commit in a folder of its name.
    revision = folder.name if fetched and folder.parent.name == "snapshots" else ""
    return Checkpoint(folder, CardSource(name=name, revision=revision, files=_hashes(folder)), config)


def fetch_checkpoint(name: str) -> Path:
    """The folder in the hub's cache with the files of a checkpoint, which are downloaded where they are missing."""
    from huggingface_hub import snapshot_download
    from huggingface_hub.utils.tqdm import disable_progress_bars

    if not sys.stderr.isatty():
        disable_progress_bars()
    try:
        with _quietly():
            # Without those of other frameworks, and without what stands in folders.
            plain = [*_FETCHED, *_TOKENIZER, _WEIGHTS]
            folder = Path(snapshot_download(name, allow_patterns=plain, ignore_patterns=["*/*"]))
            if not any(folder.glob(_WEIGHTS)):
                older = snapshot_download(name, allow_patterns=[_OLDER_WEIGHTS], ignore_patterns=["*/*"])
                folder = Path(older)
    except Exception as error:  # whatever the hub's client raises without a network, or for no such name
        raise CaveatError(
            f"There is no folder {name} here, and the Hugging Face hub did not give a checkpoint of that name "
            f"({_reason(error)}); without a network, copy the checkpoint's folder to this machine and name that, "
            "with --from for `caveat models get`."
        ) from error
    return folder


def load_model(checkpoint: Checkpoint, auto: str, what: str) -> Any:
    """The model in float32 by a class of transformers, ready for inference; `what` it is for, for an error."""
    import transformers

    name = checkpoint.source.name
    with _loading(name), _quietly():
        model, loaded = getattr(transformers, auto).from_pretrained(
            str(checkpoint.folder), dtype="float32", output_loading_info=True
        )
    missing = sorted(key for key in loaded["missing_keys"] if not key.endswith("position_ids"))
    if missing:
        is_a = f": it is a {checkpoint.architecture}" if checkpoint.architecture else ""
        raise CaveatError(f"{name} has no weights for {what} ({missing[0]}){is_a}.")
    model.eval()
    return model


def tokenizer_of(checkpoint: Checkpoint, words: int) -> Tokenizer:
    """The checkpoint's tokenizer, for a model that knows so many words."""
    folder = checkpoint.folder
    if not any(next(folder.glob(pattern), None) for pattern in _TOKENIZER):
        raise InputError(
            "the checkpoint has no tokenizer: copy tokenizer.json, or vocab.txt, beside its weights",
            path=folder,
        )
    with _quietly():
        tokenizer = load_tokenizer(folder)
    highest = max(tokenizer.get_vocab(with_added_tokens=True).values(), default=-1)
    if highest >= words or highest < 4:
        raise InputError(
            f"the tokenizer is not the checkpoint's: it has {highest + 1:,} tokens, the model {words:,}",
            path=folder,
        )
    return tokenizer


def _check_files(folder: Path) -> None:
    if not folder.is_dir():
        raise InputError("a checkpoint is a folder, not a file", path=folder)
    if (folder / CONFIG).is_file():
        return
    if (folder / CARD).is_file():
        raise InputError("is a model of Caveat already: --model takes it as it is", path=folder)
    if (folder / "adapter_config.json").is_file():
        raise InputError(
            "holds an adapter alone, no whole checkpoint: merge it into its model first", path=folder
        )
    raise InputError("the folder has no config.json, so it is not a checkpoint of transformers", path=folder)


def _hashes(folder: Path) -> dict[str, str]:
    """The SHA-256 of every file that an import reads."""
    weights = _WEIGHTS if any(folder.glob(_WEIGHTS)) else _OLDER_WEIGHTS
    found = {path for pattern in (*_FETCHED, *_TOKENIZER, weights) for path in folder.glob(pattern)}
    digests = {}
    for path in sorted(found):
        with path.open("rb") as file:
            digests[path.name] = hashlib.file_digest(file, "sha256").hexdigest()
    return digests


@contextmanager
def _loading(name: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:  # OSError, ValueError, and whatever reads the weights
        raise CaveatError(f"The checkpoint in {name} cannot be loaded: {_reason(error)}") from error


@contextmanager
def _quietly() -> Iterator[None]:
    """Without a word of the libraries on standard error."""
    from transformers.utils import logging

    level = logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(level)


def _reason(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
