"""An exported graph → the weights of the network that it was made of, by torch's names.

A model folder is what is kept of a run; by this another run can begin with it. Of int8 weights the steps between two
integers are lost, which is what the export has cost already.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from caveat.core.errors import CaveatError
from caveat.models.borrowed import lend, read_borrowed
from caveat.models.card import MODEL

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["weights_in_graph"]

# As the export calls what it has traced, in the names of weights and in those of nodes.
_NAMED, _TRACED = "model.", "/model/"
_INT8, _SCALE = "_int8", "_scale"
_PRODUCTS = ("MatMul", "MatMulIntegerToFloat")
_PRODUCT = "/MatMul_output_0"
_ATTENTION = "MultiHeadAttention"


def weights_in_graph(folder: Path) -> dict[str, NDArray[np.float32]]:
    """The weights of a model folder's graph by the names that they have in the network."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(str(folder / MODEL), load_external_data=False).graph
    borrowed = read_borrowed(folder)
    tensors: dict[str, NDArray[Any]] = {
        tensor.name: lend(borrowed, folder)
        if borrowed and tensor.name == borrowed.tensor
        else numpy_helper.to_array(tensor)
        for tensor in graph.initializer
    }
    found: dict[str, NDArray[Any]] = {}
    for name in tensors:
        if name.startswith(_NAMED) and not name.endswith(_SCALE):
            found[name.removeprefix(_NAMED).removesuffix(_INT8)] = _whole(name, tensors)
    for node in _nodes(graph):
        if node.op_type in _PRODUCTS and node.input[1] in tensors and (module := _module(node.output[0])):
            found[f"{module}.weight"] = _whole(node.input[1], tensors).T
        elif node.op_type == _ATTENTION and node.input[3] in tensors:
            parts = np.split(tensors[node.input[3]], 3)
            for product, bias in zip(node.input[:3], parts, strict=True):
                found[f"{_module(product)}.bias"] = bias
    if not found:
        raise CaveatError(f"{folder} has a graph that was not exported by `caveat train`.")
    return {name: np.array(values, dtype=np.float32, order="C") for name, values in found.items()}


def _nodes(graph: Any) -> Iterator[Any]:
    """All nodes, those of branches too."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _nodes(attribute.g)


def _whole(name: str, tensors: dict[str, NDArray[Any]]) -> NDArray[Any]:
    """A tensor, times its scale where it has one: of each row of a table, of each column of a matrix."""
    scale = tensors.get(name.removesuffix(_INT8) + _SCALE) if name.endswith(_INT8) else None
    return tensors[name] if scale is None else tensors[name] * scale


def _module(output: str) -> str:
    """The module whose product a node's output is, by its path in the traced network; nothing if it is another's."""
    path = output.removesuffix("_even")
    if not (path.startswith(_TRACED) and path.endswith(_PRODUCT)):
        return ""
    parts = path.removeprefix(_TRACED).removesuffix(_PRODUCT).split("/")
    # A chain of layers is in the path by its own name and again in those of its parts: start/start.0.
    own = [
        part for part, after in zip(parts, [*parts[1:], ""], strict=True) if after.rpartition(".")[0] != part
    ]
    return ".".join(own)
