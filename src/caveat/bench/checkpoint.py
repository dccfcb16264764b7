"""A model folder of Caveat → a checkpoint of transformers with the very same weights, in float32.

The graph's names say which weight is whose: a product, norm or look-up of the module `encoder.layer.0.output.dense`
has an output `/model/encoder/layer.0/output/dense/…`. Integers are multiplied with their scales, as the graph
itself does. What the weights were before they became integers does not matter here: all contenders get these.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from caveat.core.errors import CaveatError, InputError
from caveat.core.json_files import write_json
from caveat.models.card import MODEL, TOKENIZER, read_card
from caveat.models.encoding import load_tokenizer, pair_layout

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["write_checkpoint"]

_OUTPUT = re.compile(r"/model/(.+)/[^/]+")
_PRODUCTS = ("MatMul", "MatMulIntegerToFloat")
_NORMS = ("LayerNormalization", "SkipLayerNormalization")
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
    """Write config.json, model.safetensors and the tokenizer, as `contenders/bert_reader.py` and its like load them."""
    card = read_card(model)
    if card.task not in _HEADS:
        raise InputError(f"a {card.task} has no peers to be compared with", path=model)
    graph = _Graph(model / MODEL, _HEADS[card.task])
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
    """The weights of a BERT with heads by transformers' names, and its settings, as the graph's nodes have them."""

    def __init__(self, path: Path, heads: Sequence[str]) -> None:
        try:
            import onnx
        except ImportError:
            raise CaveatError("Comparing with other readers needs onnx: pip install onnx") from None
        graph = onnx.load(str(path)).graph
        self._arrays = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}
        self.weights: dict[str, NDArray[np.float32]] = {}
        self.heads, self.epsilon, self.layers = 0, 0.0, 0
        for node in _nodes(graph):
            self._take(node, {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute})
        while f"bert.encoder.layer.{self.layers}.output.dense.weight" in self.weights:
            self.layers += 1
        self._check(path, heads)

    def _take(self, node: Any, settings: dict[str, Any]) -> None:
        inputs, output = list(node.input), node.output[0]
        if node.op_type in _PRODUCTS and inputs[1] in self._arrays:
            scale = inputs[3] if node.op_type != "MatMul" else None
            self._keep(output, "weight", self._scaled(inputs[1], scale).T)
        elif node.op_type == "Gather" and inputs[0] in self._arrays and output.endswith("_int8"):
            self._keep(output, "weight", self._scaled(inputs[0], f"{inputs[0].removesuffix('_int8')}_scale"))
        elif node.op_type == "Gather" and inputs[0] in self._arrays and not output.endswith("_scale"):
            self._keep(output, "weight", self._arrays[inputs[0]])
        elif node.op_type in _NORMS:
            # A skip connection's sum takes two inputs, and the bias of the product that is one of them comes last.
            weight, bias, *of_product = inputs[1 if node.op_type == _NORMS[0] else 2 :]
            self._keep(output, "weight", self._arrays[weight])
            self._keep(output, "bias", self._arrays[bias])
            if of_product:
                self._keep(inputs[0], "bias", self._arrays[of_product[0]])
            self.epsilon = float(f"{settings['epsilon']:.6g}")  # a float32
        elif node.op_type == "MultiHeadAttention":
            self.heads = settings["num_heads"]
            for value, bias in zip(inputs[:3], np.split(self._arrays[inputs[3]], 3), strict=True):
                self._keep(value, "bias", bias)
        elif node.op_type in ("Add", "BiasGelu"):
            for value, other in (inputs, inputs[::-1]):
                if value in self._arrays and _module(other):
                    self._keep(other, "bias", self._arrays[value])

    def _scaled(self, name: str, scale: str | None) -> NDArray[Any]:
        array = self._arrays[name]
        return array if scale is None else array.astype(np.float32) * self._arrays[scale]

    def _keep(self, value: str, kind: str, array: NDArray[Any]) -> None:
        if (module := _module(value)) and array.dtype == np.float32:
            self.weights[f"{module}.{kind}"] = array

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


def _module(value: str) -> str | None:
    """The module that made a value of the graph, by the name it has in `contenders/bert_reader.py`."""
    if not (match := _OUTPUT.fullmatch(value)):
        return None
    names: list[str] = []
    for name in match[1].split("/"):
        # A part of a sequence repeats its name: start/start.0
        if names and name.startswith(f"{names[-1]}."):
            names.pop()
        names.append(name)
    return ".".join(names if names[0] != "encoder" else ["bert", *names[1:]])


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


def _nodes(graph: Any) -> Iterator[Any]:
    """All nodes; of one that stands twice, in the branches of a choice, both have the same weights."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _nodes(attribute.g)
