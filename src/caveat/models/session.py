"""ONNX Runtime on the processor: without its telemetry, one session a model, made when it is first run.

The only module that imports it. A tensor that two models have in common, such as frozen embeddings from the same
encoder, stands in one of them; the other borrows it when it is loaded: `borrowed.json` beside a graph names the tensor,
the folder of the model that holds it, and where.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from math import prod
from pathlib import Path
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from caveat.core.errors import InputError
from caveat.core.files import reason_of_system
from caveat.core.json_files import read_json

if TYPE_CHECKING:
    from numpy.typing import NDArray

BORROWED = "borrowed.json"
_MODEL = "model.onnx"


class Borrowed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A tensor of signed bytes, the model that has it, where it begins in that model's graph, and its SHA-256."""

    tensor: str
    model: str
    offset: int
    shape: tuple[int, ...]
    sha256: str


def read_borrowed(folder: Path) -> Borrowed | None:
    """What the model of a folder borrows; None where it has all that it needs."""
    path = folder / BORROWED
    if not path.is_file():
        return None
    found = read_json(path, Borrowed)
    if (
        not found.model
        or Path(found.model).name != found.model
        or found.offset < 0
        or any(size < 1 for size in found.shape)
    ):
        raise InputError("names no model beside its own, or no place in it", path=path)
    return found


def lend(borrowed: Borrowed, folder: Path) -> NDArray[np.int8]:
    """The tensor that the model of the folder borrows."""
    lender = folder.parent / borrowed.model / _MODEL
    size = prod(borrowed.shape)
    try:
        with lender.open("rb") as file:
            file.seek(borrowed.offset)
            found = file.read(size)
    except OSError as error:
        raise InputError(
            f"borrows from {borrowed.model}, which cannot be read: {reason_of_system(error)}",
            path=folder,
        ) from error
    if hashlib.sha256(found).hexdigest() != borrowed.sha256:
        raise InputError(f"borrows from {borrowed.model}, which has changed", path=folder)
    values: NDArray[Any] = np.frombuffer(found, dtype=np.int8)
    return values.reshape(borrowed.shape)


# What a reader's graph gives, [batch, length] each, a tagger's, [batch, length, columns], and a ranker's, [batch].
SPAN_OUTPUTS = ("start_logits", "end_logits")
TAG_OUTPUTS = ("tag_logits",)
RANK_OUTPUTS = ("rank_logits",)
# A judge's, [batch] each.
JUDGE_OUTPUTS = ("entailed_logits", "contradicted_logits", "open_logits")
# A joint reader's: of each token as start, end, evidence, answer and condition, [batch, length]; of the kinds of
# answer, [batch].
JOINT_OUTPUTS = (
    *SPAN_OUTPUTS,
    *("evidence_logits", "answer_logits", "condition_logits"),
    *("span_logits", "list_logits", "yes_logits", "no_logits", "none_logits"),
)
# What the graphs of older joint readers do not give.
_NEW = frozenset(("condition_logits",))

_NAMES = ("input_ids", "attention_mask", "token_type_ids")
_TYPES = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class Session:
    """A model's graph; making one is light, the first run loads it.

    There are two ways to use several cores: one batch with all threads (`run`), and several batches at the same time
    with a thread each (`run_beside`, from as many threads of the caller's). The second is faster where there are
    batches enough, as nothing ever waits for the slowest part of an operator. Each has its own copy of the weights,
    loaded when it is first used.
    """

    def __init__(
        self, model: Path, *, outputs: Sequence[str] = SPAN_OUTPUTS, threads: int | None = None
    ) -> None:
        self.model, self.outputs = model, tuple(outputs)
        self.threads = threads or available_cores()
        self._lock = Lock()
        # Batches that were read, and the seconds that they took together.
        self.batches, self.seconds = 0, 0.0
        # By the threads that each of them uses, and the process: threads do not come along into a forked one.
        self._sessions: dict[tuple[int, int], Any] = {}
        self._inputs: dict[str, type[Any]] = {}
        self._outputs: list[str] = []

    def run(
        self, input_ids: NDArray[Any], attention_mask: NDArray[Any], token_type_ids: NDArray[Any]
    ) -> tuple[NDArray[np.float32], ...]:
        """The outputs in the order of their names; inputs that the graph does not have are left out."""
        return self._run(self.threads, input_ids, attention_mask, token_type_ids)

    def run_beside(
        self, input_ids: NDArray[Any], attention_mask: NDArray[Any], token_type_ids: NDArray[Any]
    ) -> tuple[NDArray[np.float32], ...]:
        """The same in one thread, for a caller with `threads` of its own."""
        return self._run(1, input_ids, attention_mask, token_type_ids)

    def _run(self, threads: int, *arrays: NDArray[Any]) -> tuple[NDArray[np.float32], ...]:
        session = self._loaded(threads)
        given = dict(zip(_NAMES, arrays, strict=True))
        feed = {name: given[name].astype(type, copy=False) for name, type in self._inputs.items()}
        begin = perf_counter()
        try:
            found = session.run(self._outputs, feed)
        except Exception as error:  # onnxruntime's errors share no public base
            reason = str(error).strip().partition("\n")[0]
            raise InputError(
                f"ONNX Runtime cannot run the model; its card or tokenizer may not belong to it: {reason}",
                path=self.model,
            ) from error
        with self._lock:
            self.batches += 1
            self.seconds += perf_counter() - begin
        return tuple(logits.astype(np.float32, copy=False) for logits in found)

    def _loaded(self, threads: int) -> Any:
        key = threads, os.getpid()
        with self._lock:
            if key not in self._sessions:
                self._sessions[key] = self._load(threads)
            return self._sessions[key]

    def _load(self, threads: int) -> Any:
        onnxruntime = onnx_runtime()
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # Errors only: what the runtime thinks of the machine is not the user's concern.
        options.log_severity_level = 3
        # Batches come in many shapes; a plan of memory for each of them would be kept for ever.
        options.enable_mem_pattern = False
        borrowed = read_borrowed(self.model.parent)
        if borrowed is not None:
            values = onnxruntime.OrtValue.ortvalue_from_numpy(lend(borrowed, self.model.parent))
            options.add_external_initializers([borrowed.tensor], [values])
        try:
            # By path, so that weights beside the graph (external data) are memory-mapped.
            session = onnxruntime.InferenceSession(
                str(self.model), sess_options=options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # onnxruntime's errors share no public base
            reason = str(error).strip().partition("\n")[0]
            raise InputError(f"ONNX Runtime cannot load the model: {reason}", path=self.model) from error
        self._inputs = {node.name: _TYPES.get(node.type, np.int64) for node in session.get_inputs()}
        self._outputs = self._output_names([node.name for node in session.get_outputs()])
        if unknown := sorted(set(self._inputs) - set(_NAMES)):
            raise InputError(f"the graph wants inputs that Caveat does not give: {unknown}", path=self.model)
        return session

    def _output_names(self, names: list[str]) -> list[str]:
        if set(self.outputs) - _NEW <= set(names):
            return [name for name in self.outputs if name in names]
        # A reader from elsewhere may call its two by other names.
        if self.outputs == SPAN_OUTPUTS and len(names) == 2:
            return names
        raise InputError(
            f"expected the outputs {' and '.join(self.outputs)}, found {names}"
            if len(self.outputs) > 1
            else f"expected the output {self.outputs[0]}, found {names}",
            path=self.model,
        )


def available_cores(cgroup: Path = Path("/sys/fs/cgroup")) -> int:
    """The cores this process may use: its affinity, and the share that its container was given."""
    try:
        cores = len(os.sched_getaffinity(0))
    except AttributeError:  # not on Linux
        cores = os.cpu_count() or 1
    quota = _quota(cgroup)
    return cores if quota is None else max(1, min(cores, int(quota)))


def _quota(cgroup: Path) -> float | None:
    """The container's processor time in cores, by either version of control groups; None where unlimited."""
    try:
        quota, period = (cgroup / "cpu.max").read_text().split()
    except (OSError, ValueError):
        try:
            quota = (cgroup / "cpu" / "cpu.cfs_quota_us").read_text().strip()
            period = (cgroup / "cpu" / "cpu.cfs_period_us").read_text().strip()
        except OSError:
            return None
    try:
        share = int(quota) / int(period)
    except (ValueError, ZeroDivisionError):  # "max"
        return None
    return share if share > 0 else None


def onnx_runtime() -> Any:
    """The module `onnxruntime`, which sends nothing to its maker and writes nothing into the home folder.

    Since version 1.29 the import alone makes a lasting device id, a store of events and a thread that looks up the
    maker's collector, unless the environment says otherwise, which `caveat/__init__.py` sees to. What a program
    began that imported onnxruntime before it imported Caveat is stopped here.
    """
    import onnxruntime

    onnxruntime.disable_telemetry_events()
    return onnxruntime
