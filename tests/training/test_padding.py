"""Attention that looks at the mask only where a batch is padded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caveat.training.rewriting import mask_if_padded

onnx = pytest.importorskip("onnx", reason="writes graphs, which needs onnx (extra train)")


def graph(path: Path, mask: str = "attention_mask") -> None:
    """Two heads of two columns over [batch, length, 4], the tokens of each row counted from the mask."""
    from onnx import TensorProto, helper, numpy_helper

    bias = numpy_helper.from_array(np.linspace(-1, 1, 12, dtype=np.float32), "bias")
    nodes = [
        helper.make_node("Cast", [mask], ["whole"], to=TensorProto.INT32),
        helper.make_node("ReduceSum", ["whole", "along"], ["lengths"], keepdims=0),
        helper.make_node(
            "MultiHeadAttention",
            ["x", "x", "x", "bias", "lengths"],
            ["y"],
            name="attend",
            domain="com.microsoft",
            num_heads=2,
        ),
    ]
    along = numpy_helper.from_array(np.array([1], dtype=np.int64), "along")
    inputs = [
        helper.make_tensor_value_info("x", TensorProto.FLOAT, ["batch", "length", 4]),
        helper.make_tensor_value_info(mask, TensorProto.INT64, ["batch", "length"]),
    ]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["batch", "length", 4])]
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    made = helper.make_graph(nodes, "one", inputs, outputs, [bias, along])
    onnx.save(helper.make_model(made, opset_imports=opsets, ir_version=8), str(path))


def run(path: Path, mask: list[list[int]]) -> np.ndarray:
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    x = np.arange(2 * 3 * 4, dtype=np.float32).reshape(2, 3, 4) / 10
    (y,) = session.run(None, {"x": x, "attention_mask": np.array(mask, dtype=np.int64)})
    return np.asarray(y)


@pytest.mark.parametrize("mask", [[[1, 1, 1], [1, 1, 1]], [[1, 1, 1], [1, 1, 0]], [[1, 0, 0], [1, 1, 0]]])
def test_padded_or_not_the_attention_is_the_same(tmp_path: Path, mask: list[list[int]]) -> None:
    path = tmp_path / "model.onnx"
    graph(path)
    before = run(path, mask)
    assert mask_if_padded(path) == 1
    assert "If" in [node.op_type for node in onnx.load(str(path)).graph.node]
    np.testing.assert_allclose(run(path, mask), before, atol=1e-6)
    assert mask_if_padded(path) == 0


def test_a_graph_without_our_mask_stays(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    graph(path, mask="other")
    before = path.read_bytes()
    assert mask_if_padded(path) == 0
    assert path.read_bytes() == before
