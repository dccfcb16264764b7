"""A graph whose attention looks at the mask only where a batch is padded.

Without a mask ONNX Runtime computes attention block by block, weights and sums together, which is faster; most batches
are of windows of one length, or of one window.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

__all__ = ["mask_if_padded"]

_ATTENTION, _MASK_INPUT = "MultiHeadAttention", 4
_MASK, _WHOLE = "attention_mask", "attention_whole"


def mask_if_padded(path: Path) -> int:
    """Rewrite a graph in place; in how many places. Its weights stay as they are."""
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
