"""Graphs rewritten to run faster with the same scores, by hand: ONNX Runtime's own optimiser has none of these.

Only the first token in the last layer where nothing else is read, skip connections as sums and norms of their own,
attention that looks at the mask only where a batch is padded.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from caveat.training.graph import Inputs, largest_difference, run_graph

__all__ = ["keep_first_token", "mask_if_padded", "split_norms"]

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
