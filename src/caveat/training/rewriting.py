"""Graphs rewritten to run faster with the same scores, by hand: ONNX Runtime's own optimiser has none of these.

Only the first token in the last layer where nothing else is read, skip connections as sums and norms of their own,
attention that looks at the mask only where a batch is padded.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from caveat.training.graph import Inputs, largest_difference, run_graph

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "keep_first_token",
    "mask_if_padded",
    "quantise",
    "quantise_columns",
    "quantise_rows",
    "split_norms",
]

# A float32 graph → int8: every weight matrix and every embedding table, no calibration data needed.
#
# Weights have a scale for each output column, activations one for each token: before a product a token's vector is
# divided by its own largest value, which makes the integer scale a constant. A single scale for the whole tensor,
# as dynamic quantisation has it, must fit the largest value of all, and makes the answer to a question depend on what
# else is in its batch. docs/models.md has the measurements.
#
# Weights use 7 of the 8 bits. Processors with AVX2 but without VNNI add pairs of products in 16 bits, and
# 2 × 255 × 64 fits; with 8 bits the sums can saturate.

# ONNX Runtime's own operators; the product of integers with its scales is one of them.
_CONTRIB = "com.microsoft"
_WEIGHT_RANGE = 64
# Below this many columns a product is not worth its conversions, and the last layer's scores stay exact.
_LEAST_COLUMNS = 16
# Smaller tables (segments) weigh nothing.
_LEAST_ROWS = 16
# GELU is never below -0.17: with a token's largest value, or 0.68 if that is more, as 1, nothing is below -0.25.
_GELU = frozenset({"BiasGelu", "FastGelu", "Gelu"})
_GELU_LEAST, _GELU_FLOOR = -0.25, 0.68
# A token of nothing but zeros has no largest value to divide by.
_FLOOR = 1e-6


def quantise(source: Path, target: Path) -> None:
    """Read a float32 graph, write it with int8 weights."""
    import onnx

    model = onnx.load(str(source))
    graph = model.graph
    writer = _Writer(graph)
    nodes: list[Any] = []
    for node in graph.node:
        if node.op_type == "MatMul" and writer.is_matrix(node.input[1]):
            nodes.extend(writer.product(node))
        elif node.op_type == "Gather" and writer.is_table(node.input[0]):
            nodes.extend(writer.look_up(node))
        else:
            nodes.append(node)
    del graph.node[:]
    graph.node.extend(nodes)
    writer.drop_unused()
    if all(opset.domain != _CONTRIB for opset in model.opset_import):
        model.opset_import.append(onnx.helper.make_opsetid(_CONTRIB, 1))
    onnx.save(model, str(target))


def quantise_columns(weight: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Integers from -64 to 64 and a scale for each column."""
    return _scaled(weight, 0, _WEIGHT_RANGE)


def quantise_rows(table: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Integers from -127 to 127 and a scale for each row; only looked up, so all 8 bits can be used."""
    return _scaled(table, 1, 127)


def _scaled(
    values: NDArray[np.float32], axis: int, most: int
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    scale = np.abs(values).max(axis=axis, keepdims=True) / np.float32(most)
    scale[scale == 0] = 1
    return np.rint(values / scale).astype(np.int8), scale.astype(np.float32)


class _Writer:
    """New nodes and constants for a graph; what several nodes share is made once."""

    def __init__(self, graph: Any) -> None:
        from onnx import numpy_helper

        self._graph = graph
        self._weights = {tensor.name: tensor for tensor in graph.initializer}
        self._array = numpy_helper.to_array
        self._tensor = numpy_helper.from_array
        self._made_by = {output: node.op_type for node in graph.node for output in node.output}
        self._activations: dict[str, tuple[str, str, str, str]] = {}
        self._constants: set[str] = set()

    def is_matrix(self, name: str) -> bool:
        """Whether a product's second factor is a weight matrix worth quantising."""
        shape = self._shape(name)
        return len(shape) == 2 and shape[1] >= _LEAST_COLUMNS

    def is_table(self, name: str) -> bool:
        """Whether what is looked up in is an embedding table."""
        shape = self._shape(name)
        return len(shape) == 2 and shape[0] >= _LEAST_ROWS

    def product(self, node: Any) -> Iterable[Any]:
        """`x @ W` over integers, put back to scale by column and by token."""
        x, weight = node.input
        out = node.output[0]
        made: list[Any] = []
        if x not in self._activations:
            made.extend(self._quantised(x))
        integers, step, zero, by_token = self._activations[x]
        columns, scale = quantise_columns(self._array(self._weights[weight]))
        factors = [
            integers,
            self._constant(f"{weight}_int8", columns),
            step,
            self._constant(f"{weight}_scale", scale[0]),
            zero,
            self._constant("weight_zero", np.array(0, dtype=np.int8)),
        ]
        return [
            *made,
            _node("MatMulIntegerToFloat", factors, f"{out}_even", domain=_CONTRIB),
            _node("Mul", [f"{out}_even", by_token], out),
        ]

    def look_up(self, node: Any) -> Iterable[Any]:
        """A row of integers, and its scale."""
        table, ids = node.input
        out = node.output[0]
        rows, row_scale = quantise_rows(self._array(self._weights[table]))
        name = self._constant(f"{table}_int8", rows)
        scale = self._constant(f"{table}_scale", row_scale)
        return [
            _node("Gather", [name, ids], f"{out}_int8"),
            _node("Gather", [scale, ids], f"{out}_scale"),
            _node("Cast", [f"{out}_int8"], f"{out}_whole", to=1),
            _node("Mul", [f"{out}_whole", f"{out}_scale"], out),
        ]

    def drop_unused(self) -> None:
        """Take the float32 weights away."""
        used = {name for node in self._graph.node for name in node.input}
        kept = [tensor for tensor in self._graph.initializer if tensor.name in used]
        del self._graph.initializer[:]
        self._graph.initializer.extend(kept)

    def _quantised(self, x: str) -> Iterable[Any]:
        """A tensor of activations with a scale for each token, as unsigned integers."""
        gelu = self._made_by.get(x) in _GELU
        least = _GELU_LEAST if gelu else -1.0
        kind = "gelu" if gelu else "even"
        step = np.float32((1.0 - least) / 255)
        scale = self._constant(f"{kind}_step", np.array(step))
        zero = self._constant(f"{kind}_zero", np.array(round(-least / step), dtype=np.uint8))
        floor = self._constant(f"{kind}_floor", np.array(_GELU_FLOOR if gelu else _FLOOR, dtype=np.float32))
        self._activations[x] = (f"{x}_uint8", scale, zero, f"{x}_most")
        size = x if gelu else f"{x}_size"
        return [
            *([] if gelu else [_node("Abs", [x], size)]),
            _node("ReduceMax", [size], f"{x}_largest", axes=[-1], keepdims=1),
            _node("Max", [f"{x}_largest", floor], f"{x}_most"),
            _node("Div", [x, f"{x}_most"], f"{x}_even"),
            _node("QuantizeLinear", [f"{x}_even", scale, zero], f"{x}_uint8"),
        ]

    def _shape(self, name: str) -> list[int]:
        tensor = self._weights.get(name)
        return list(tensor.dims) if tensor is not None and tensor.data_type == 1 else []

    def _constant(self, name: str, value: NDArray[Any]) -> str:
        if name not in self._constants:
            self._constants.add(name)
            self._weights[name] = self._tensor(value, name)
            self._graph.initializer.append(self._weights[name])
        return name


def _node(operator: str, inputs: list[str], output: str, **attributes: Any) -> Any:
    from onnx import helper

    return helper.make_node(operator, inputs, [output], name=f"{output}_{operator}", **attributes)


_ATTENTION, _SKIP = "MultiHeadAttention", "SkipLayerNormalization"
_MASK_INPUT, _MASK, _WHOLE = 4, "attention_mask", "attention_whole"
_TOLERANCE = 1e-4


def keep_first_token(path: Path, inputs: Sequence[str], outputs: Sequence[str], sample: Inputs) -> bool:
    """Rewrite a graph that is read at its first token only, so that its last layer computes nothing for the others.

    Keys and values are those of all tokens, the query, and everything behind the attention, that of the first. Of a
    layer's weights five sixths lie there, so that a network of four layers is a fifth faster. Gives whether it was
    rewritten: not where its layers are not as expected or its scores would change.
    """
    expected = run_graph(path, inputs, sample, outputs)
    narrow = path.with_suffix(".narrow")
    try:
        if not _rewrite(path, narrow):
            return False
        if largest_difference(run_graph(narrow, inputs, sample, outputs), expected, sample[1]) > _TOLERANCE:
            return False
        narrow.replace(path)
    except Exception as error:  # an attention that takes no shorter query
        logging.getLogger(__name__).debug("last layer left whole: %s", error)
        return False
    finally:
        narrow.unlink(missing_ok=True)
    return True


def _rewrite(source: Path, target: Path) -> bool:
    import onnx

    model = onnx.load(str(source))
    graph = model.graph
    attention = next((node for node in reversed(graph.node) if node.op_type == _ATTENTION), None)
    if attention is None:
        return False
    made_by = {output: node for node in graph.node for output in node.output}
    query = made_by.get(attention.input[0])
    if query is None or query.op_type != "MatMul":
        return False
    states = query.input[0]
    skip = next((node for node in _behind(graph, attention) if node.op_type == _SKIP), None)
    if skip is None or states not in skip.input[:2]:
        return False
    first = f"{states}_first"
    query.input[0] = first
    skip.input[list(skip.input).index(states)] = first
    place = list(graph.node).index(query)
    graph.node.insert(place, _first(graph, states, first))
    # Shapes that were inferred are those of all tokens.
    del graph.value_info[:]
    onnx.save(model, str(target))
    return True


def _behind(graph: Any, node: Any) -> list[Any]:
    """The node that takes another's output, and the one that takes its output."""
    found = []
    for _ in range(2):
        node = next((other for other in graph.node if node.output[0] in other.input), None)
        if node is None:
            break
        found.append(node)
    return found


def _first(graph: Any, states: str, first: str) -> Any:
    """The first token of [batch, length, width], as a text of one."""
    from onnx import helper, numpy_helper

    limits = {}
    for name, value in (("start", 0), ("end", 1), ("axis", 1)):
        limits[name] = f"{first}_{name}"
        graph.initializer.append(numpy_helper.from_array(np.array([value], dtype=np.int64), limits[name]))
    return helper.make_node("Slice", [states, *limits.values()], [first], name=first)


def split_norms(path: Path) -> int:
    """Make skip connections sums and layer norms of their own; how many there were. Weights stay as they are.

    ONNX Runtime has one operator for both, and on a processor it is the slower way: its code is not vectorised, while
    that of a sum and of a norm is. A reader of four or six layers is a tenth faster without it, in one thread.
    """
    import onnx

    model = onnx.load(str(path))
    nodes = list(model.graph.node)
    # Some have the sum itself, or what they counted, as further outputs, which somebody may read.
    found = [node for node in nodes if node.op_type == _SKIP and sum(map(bool, node.output)) == 1]
    if found:
        del model.graph.node[:]
        for node in nodes:
            model.graph.node.extend(_apart(node) if node in found else [node])
        onnx.save(model, str(path))
    return len(found)


def _apart(node: Any) -> Iterator[Any]:
    """The bias of the product that the connection skips, where there is one; the sum; its norm."""
    from onnx import helper

    given, skipped, gain, shift, *bias = node.input
    out = node.output[0]
    if bias:
        yield helper.make_node("Add", [given, bias[0]], [f"{out}_biased"], name=f"{out}_biased")
        given = f"{out}_biased"
    yield helper.make_node("Add", [given, skipped], [f"{out}_sum"], name=f"{out}_sum")
    settings = {one.name: helper.get_attribute_value(one) for one in node.attribute}
    yield helper.make_node(
        "LayerNormalization", [f"{out}_sum", gain, shift], [out], name=f"{out}_norm", axis=-1, **settings
    )


def mask_if_padded(path: Path) -> int:
    """Let attention look at the mask only where a batch is padded; in how many places. Weights stay as they are.

    Without a mask ONNX Runtime computes attention block by block, weights and sums together, which is faster; most
    batches are of windows of one length, or of one window.
    """
    import onnx
    from onnx import TensorProto, helper

    model = onnx.load(str(path))
    graph = model.graph
    found = [node for node in graph.node if node.op_type == _ATTENTION and _is_masked(node)]
    if not found or all(value.name != _MASK for value in graph.input):
        return 0
    nodes = [
        helper.make_node("ReduceMin", [_MASK], [f"{_WHOLE}_least"], name=f"{_WHOLE}_least", keepdims=0),
        helper.make_node("Cast", [f"{_WHOLE}_least"], [_WHOLE], name=_WHOLE, to=TensorProto.BOOL),
    ]
    nodes.extend(_either(node) if node in found else node for node in graph.node)
    del graph.node[:]
    graph.node.extend(nodes)
    onnx.save(model, str(path))
    return len(found)


def _is_masked(node: Any) -> bool:
    given = list(node.input[_MASK_INPUT:])
    # What comes behind the mask, a bias for each pair of tokens or earlier keys, is attention of another kind.
    return bool(given and given[0]) and not any(given[1:]) and len(node.output) == 1


def _either(node: Any) -> Any:
    """The attention with its mask, and the same without, whichever the batch asks for."""
    from onnx import TensorProto, helper

    branches = {}
    for branch, inputs in (
        ("then_branch", node.input[:_MASK_INPUT]),
        ("else_branch", node.input[: _MASK_INPUT + 1]),
    ):
        out = f"{node.output[0]}_{branch}"
        settings = {one.name: helper.get_attribute_value(one) for one in node.attribute}
        attention = helper.make_node(
            node.op_type, list(inputs), [out], name=out, domain=node.domain, **settings
        )
        value = helper.make_tensor_value_info(out, TensorProto.FLOAT, None)
        branches[branch] = helper.make_graph([attention], out, [], [value])
    return helper.make_node("If", [_WHOLE], list(node.output), name=node.name, **branches)
