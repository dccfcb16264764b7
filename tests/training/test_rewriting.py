"""Graphs rewritten to run faster: sums and norms apart, attention without a mask where nothing is padded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

from caveat.models.session import onnx_runtime
from caveat.training.rewriting import mask_if_padded, split_norms

onnx = pytest.importorskip("onnx", reason="writes graphs, which needs onnx (extra train)")


def graph(path: Path, *, bias: bool, outputs: int = 1) -> None:
    """A skip connection over [1, 2, 4]: the sum, with a bias or without, its norm, a gain and a shift."""
    from onnx import TensorProto, helper, numpy_helper

    weights = {"gain": [1, 2, 3, 4], "shift": [0, 0, 1, 1], "bias": [1, 0, 0, -1]}
    tensors = [
        numpy_helper.from_array(np.array(value, dtype=np.float32), name) for name, value in weights.items()
    ]
    inputs = ["x", "skip", "gain", "shift", *(["bias"] if bias else [])]
    names = ["y", "", "", "sum"][: 1 if outputs == 1 else 4]
    node = helper.make_node("SkipLayerNormalization", inputs, names, domain="com.microsoft", epsilon=1e-12)
    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 2, 4]) for name in ("x", "skip")]
    made = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 2, 4])
        for name in (("y",) if outputs == 1 else ("y", "sum"))
    ]
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(
        helper.make_graph([node], "one", values, made, tensors), opset_imports=opsets, ir_version=8
    )
    onnx.save(model, str(path))


def run(path: Path) -> list[np.ndarray]:
    session = onnx_runtime().InferenceSession(str(path), providers=["CPUExecutionProvider"])
    x = np.array([[[1, 2, 3, 5], [0, 0, 1, 0]]], dtype=np.float32)
    skip = np.array([[[1, 1, -1, 2], [2, 0, 3, 0]]], dtype=np.float32)
    return list(session.run(None, {"x": x, "skip": skip}))


@pytest.mark.parametrize("bias", [True, False])
def test_the_sum_and_its_norm_give_the_same(tmp_path: Path, bias: bool) -> None:
    path = tmp_path / "model.onnx"
    graph(path, bias=bias)
    before = run(path)
    assert split_norms(path) == 1
    kinds = [node.op_type for node in onnx.load(str(path)).graph.node]
    assert kinds == ["Add"] * (2 if bias else 1) + ["LayerNormalization"]
    np.testing.assert_allclose(run(path)[0], before[0], atol=1e-5)
    assert split_norms(path) == 0


def test_a_connection_whose_sum_is_read_stays(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    graph(path, bias=False, outputs=2)
    before = path.read_bytes()
    assert split_norms(path) == 0
    assert path.read_bytes() == before


def attention_graph(path: Path, mask: str = "attention_mask") -> None:
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


def run_attention(path: Path, mask: list[list[int]]) -> np.ndarray:
    session = onnx_runtime().InferenceSession(str(path), providers=["CPUExecutionProvider"])
    x = np.arange(2 * 3 * 4, dtype=np.float32).reshape(2, 3, 4) / 10
    (y,) = session.run(None, {"x": x, "attention_mask": np.array(mask, dtype=np.int64)})
    return np.asarray(y)


@pytest.mark.parametrize("mask", [[[1, 1, 1], [1, 1, 1]], [[1, 1, 1], [1, 1, 0]], [[1, 0, 0], [1, 1, 0]]])
def test_padded_or_not_the_attention_is_the_same(tmp_path: Path, mask: list[list[int]]) -> None:
    path = tmp_path / "model.onnx"
    attention_graph(path)
    before = run_attention(path, mask)
    assert mask_if_padded(path) == 1
    assert "If" in [node.op_type for node in onnx.load(str(path)).graph.node]
    np.testing.assert_allclose(run_attention(path, mask), before, atol=1e-6)
    assert mask_if_padded(path) == 0


def test_a_graph_without_our_mask_stays(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    attention_graph(path, mask="other")
    before = path.read_bytes()
    assert mask_if_padded(path) == 0
    assert path.read_bytes() == before
