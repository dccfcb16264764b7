"""Skip connections as sums and norms of their own."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caveat.training.rewriting import split_norms

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
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
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
