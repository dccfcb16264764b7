"""A model folder of Caveat → a checkpoint of transformers with the very same weights, in float32.

What the weights were before they became integers does not matter here: all contenders get these.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from caveat.core.errors import InputError
from caveat.core.json_files import write_json
from caveat.models.card import MODEL, TOKENIZER, read_card
from caveat.models.encoding import load_tokenizer, pair_layout
from caveat.training.reading_back import ReadGraph

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["write_checkpoint"]

_TABLES = ("word_embeddings", "position_embeddings", "token_type_embeddings")
_LAYER = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "attention.output.LayerNorm",
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm",
)
# The heads by what the card says the model is, and the class that `contenders/` has for it.
_HEADS = {"reader": ("start.0", "start.3", "end.0", "end.3"), "ranker": ("pair.0", "pair.3")}
_CLASSES = {"reader": ("BertReader", "caveat_bert_reader"), "ranker": ("BertRanker", "caveat_bert_ranker")}


def write_checkpoint(model: Path, out: Path) -> None:
    """Write config.json, model.safetensors and the tokenizer, as `contenders/bert_models.py` loads them."""
    card = read_card(model)
    if card.task not in _HEADS:
        raise InputError(f"a {card.task} has no peers to be compared with", path=model)
    graph = _Graph(model, _HEADS[card.task])
    architecture, model_type = _CLASSES[card.task]
    layout = card.layout or pair_layout(load_tokenizer(model / TOKENIZER))
    words, positions, segments = (graph.weights[f"bert.embeddings.{table}.weight"] for table in _TABLES)
    write_json(
        out / "config.json",
        {
            "architectures": [architecture],
            "model_type": model_type,
            "vocab_size": len(words),
            "max_position_embeddings": len(positions),
            "type_vocab_size": len(segments),
            "hidden_size": words.shape[1],
            "intermediate_size": len(graph.weights["bert.encoder.layer.0.intermediate.dense.bias"]),
            "num_hidden_layers": graph.layers,
            "num_attention_heads": graph.heads,
            "layer_norm_eps": graph.epsilon,
            "hidden_act": "gelu",
            "pad_token_id": layout.pad,
            "separator_id": layout.between[0],
            "dtype": "float32",
        },
    )
    _write_safetensors(out / "model.safetensors", graph.weights)
    tokenizer = load_tokenizer(model / TOKENIZER)
    (out / TOKENIZER).write_bytes((model / TOKENIZER).read_bytes())
    write_json(
        out / "tokenizer_config.json",
        {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": len(positions),
            "model_input_names": ["input_ids", "token_type_ids", "attention_mask"],
            "pad_token": tokenizer.id_to_token(layout.pad),
        },
    )


class _Graph:
    """The weights of a BERT with heads by transformers' names, and its settings."""

    def __init__(self, folder: Path, heads: Sequence[str]) -> None:
        read = ReadGraph(folder)
        self.heads, self.epsilon, self.layers = read.heads, read.epsilon, 0
        self.weights = {
            f"bert.{name.removeprefix('encoder.')}" if name.startswith("encoder.") else name: weights
            for name, weights in read.weights.items()
        }
        while f"bert.encoder.layer.{self.layers}.output.dense.weight" in self.weights:
            self.layers += 1
        self._check(folder / MODEL, heads)

    def _check(self, path: Path, heads: Sequence[str]) -> None:
        wanted = {f"bert.embeddings.{table}.weight" for table in _TABLES}
        modules = ["bert.embeddings.LayerNorm", *heads]
        modules += [
            f"bert.encoder.layer.{layer}.{part}" for layer in range(max(1, self.layers)) for part in _LAYER
        ]
        wanted.update(f"{module}.{kind}" for module in modules for kind in ("weight", "bias"))
        if wrong := sorted(wanted ^ set(self.weights)):
            raise InputError(
                "not the graph of a BERT that `caveat train` exported, so that its weights cannot be compared "
                f"({wrong[0]})",
                path=path,
            )


def _write_safetensors(path: Path, weights: dict[str, NDArray[np.float32]]) -> None:
    """The length of the header, the header in JSON, the bytes of the arrays."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    end = 0
    for name, array in weights.items():
        header[name] = {"dtype": "F32", "shape": array.shape, "data_offsets": [end, end + array.nbytes]}
        end += array.nbytes
    text = json.dumps(header).encode("ascii")
    text += b" " * (-len(text) % 8)
    with path.open("wb") as out:
        out.write(len(text).to_bytes(8, "little") + text)
        for array in weights.values():
            out.write(np.ascontiguousarray(array, dtype="<f4").tobytes())
