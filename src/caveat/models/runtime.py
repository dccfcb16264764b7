"""ONNX Runtime without its telemetry: the only module that imports it."""

from __future__ import annotations

from typing import Any

__all__ = ["onnx_runtime"]


def onnx_runtime() -> Any:
    """The module `onnxruntime`, which sends nothing to its maker and writes nothing into the home folder.

    Since version 1.29 the import alone makes a lasting device id, a store of events and a thread that looks up the
    maker's collector, unless the environment says otherwise, which `caveat/__init__.py` sees to. What a program
    began that imported onnxruntime before it imported Caveat is stopped here.
    """
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    return onnxruntime
