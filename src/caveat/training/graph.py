"""A network in torch → an ONNX graph: traced, and the encoder's layers fused into ONNX Runtime's own operators."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from caveat.core.errors import CaveatError
from caveat.models.session import SPAN_OUTPUTS, onnx_runtime

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_OPSET = 17
# Fused operators add in another order; more than this is another graph.
_TOLERANCE = 1e-3

Inputs = Sequence[Tensor]


class _Positional(nn.Module):
    """A model whose inputs are given by position, with nothing but logits as its outputs."""

    def __init__(self, model: Any, inputs: Sequence[str], outputs: Sequence[str]) -> None:
        super().__init__()
        self.model, self.inputs, self.outputs = model, tuple(inputs), tuple(outputs)

    def forward(self, *given: Tensor) -> tuple[Tensor, ...]:
        found = self.model(**dict(zip(self.inputs, given, strict=True)))
        if isinstance(found, Tensor):
            return (found,)
        if isinstance(found, tuple):
            return found[: len(self.outputs)]
        return tuple(getattr(found, name) for name in self.outputs)


def inputs_of(config: Any) -> tuple[str, ...]:
    """The inputs that an encoder has: segments only where it tells two of them apart."""
    # XLNet counts no segments: it only sees whether two tokens are in the same one.
    segments = (
        2 if getattr(config, "model_type", "") == "xlnet" else getattr(config, "type_vocab_size", 0) or 0
    )
    return INPUTS if segments > 1 else INPUTS[:2]


def write_graph(
    model: nn.Module,
    encoder: Any,
    path: Path,
    *,
    inputs: Sequence[str],
    sample: Inputs,
    outputs: Sequence[str] = SPAN_OUTPUTS,
) -> float:
    """Write the graph of a model in float32 and return by how much its logits differ from torch's on `sample`.

    `model` takes the inputs by name and returns the outputs, in their order or by name, each [batch, length], with
    columns after that, or [batch]; `encoder` is its transformers part. `sample` is a batch of windows, the tensors in
    the order of `inputs`, some of them padded.
    """
    was_training = model.training
    model.eval()
    try:
        with _eager(encoder), torch.inference_mode():
            plain = _Positional(model, inputs, outputs)
            expected = [logits.numpy() for logits in plain(*sample)]
            _trace(plain, path, inputs, dict(zip(outputs, expected, strict=True)), sample)
    finally:
        model.train(was_training)
    difference = largest_difference(run_graph(path, inputs, sample, outputs), expected, sample[1])
    if not difference <= _TOLERANCE:
        raise CaveatError(
            f"The exported graph gives other logits than the model does (by {difference:.3g}): "
            "this architecture cannot be exported."
        )
    fused = path.with_suffix(".fused")
    try:
        _fuse(path, fused, encoder.config)
        after = largest_difference(run_graph(fused, inputs, sample, outputs), expected, sample[1])
        if after <= _TOLERANCE:
            fused.replace(path)
            difference = after
    except Exception as error:  # an architecture that the fusions do not know stays as it was traced
        logging.getLogger(__name__).debug("not fused: %s", error)
    finally:
        fused.unlink(missing_ok=True)
    return difference


def run_graph(
    path: Path, inputs: Sequence[str], sample: Inputs, outputs: Sequence[str] = SPAN_OUTPUTS
) -> list[Any]:
    """The logits that a graph gives."""
    onnxruntime = onnx_runtime()
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    feed = {name: tensor.numpy() for name, tensor in zip(inputs, sample, strict=True)}
    return list(session.run(list(outputs), feed))


def largest_difference(found: Sequence[Any], expected: Sequence[Any], mask: Tensor) -> float:
    """The largest difference of logits, output by output, where there are tokens, or of all where they are of pairs."""
    real = mask.numpy() == 1
    differences = [abs(a - b) for a, b in zip(found, expected, strict=True)]
    return max(float((each[real] if each.ndim > 1 else each).max()) for each in differences)


def _trace(
    model: nn.Module, path: Path, inputs: Sequence[str], outputs: Mapping[str, Any], sample: Inputs
) -> None:
    axes = {0: "batch", 1: "length"}
    axes_of = {name: axes if logits.ndim > 1 else {0: "batch"} for name, logits in outputs.items()}
    # Tracing warns of every shape that it takes for constant, and that it will go away one day.
    with warnings.catch_warnings(), _quiet("torch.onnx"):
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model,
            tuple(sample),
            str(path),
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_axes={**dict.fromkeys(inputs, axes), **axes_of},
            opset_version=_OPSET,
            dynamo=False,
        )


def _fuse(source: Path, target: Path, config: Any) -> None:
    """Attention, layer norms and activations as one operator each.

    The projections stay products of their own, so that they can be quantised with a scale for each token.
    """
    with _quiet("onnxruntime"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        onnx_runtime()
        from onnxruntime.transformers.fusion_options import FusionOptions
        from onnxruntime.transformers.optimizer import optimize_model

        options = FusionOptions("bert")
        options.enable_embed_layer_norm = False
        options.use_multi_head_attention = True
        fused = optimize_model(
            str(source),
            model_type="bert",
            num_heads=int(config.num_attention_heads),
            hidden_size=int(config.hidden_size),
            optimization_options=options,
            opt_level=1,
            use_gpu=False,
        )
        fused.save_model_to_file(str(target))


@contextmanager
def _eager(encoder: Any) -> Iterator[None]:
    """Attention written out, which is what the fusions recognise, as long as the context lasts."""
    kept = getattr(encoder.config, "_attn_implementation", None)
    try:
        encoder.set_attn_implementation("eager")
    except (AttributeError, ValueError):  # some architectures have but one
        kept = None
    try:
        yield
    finally:
        if kept not in (None, "eager"):
            encoder.set_attn_implementation(kept)


@contextmanager
def _quiet(name: str) -> Iterator[None]:
    """What a library tells of its work is not for the user; some of it goes through the root logger."""
    loggers = [logging.getLogger(name), logging.getLogger()]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
