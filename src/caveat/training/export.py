"""A network in torch → model folders: model.onnx in float32 or int8, tokenizer.json and card.json."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import torch
from tokenizers import Tokenizer
from torch import Tensor, nn

from caveat.core.errors import CaveatError
from caveat.core.json_files import write_json
from caveat.models.card import CARD, MODEL, TOKENIZER, Card, read_card, write_card
from caveat.models.encoding import PairLayout, encode_question, encode_text, pair_layout
from caveat.models.session import BORROWED, SPAN_OUTPUTS, Borrowed, lend, read_borrowed
from caveat.models.windows import Window, collate
from caveat.training.graph import inputs_of, write_graph
from caveat.training.log import EXPORTING, locked_run
from caveat.training.rewriting import keep_first_token, mask_if_padded, quantise, split_norms

Precision = Literal["fp32", "int8"]
PRECISIONS: tuple[Precision, ...] = ("int8", "fp32")

# One ONNX file holds no more.
_MOST_BYTES = 2**31
# Of different lengths, so that one of them is padded.
_SAMPLE = (
    ("Who keeps the light?", "The light on the northern pier is kept by two sisters, who climb 96 steps."),
    ("渡船几点离开？", "渡船每天早上七点离开北岸。"),
)


def _silent(message: str) -> None:
    """Say nothing."""


class ExportSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What is exported of a run, and how it is measured.

    The recipe's files are under `data_root`; `compared` of the tuning questions, 0 for all, are answered in torch too.
    """

    data_root: Path = Path()
    precisions: Sequence[Precision] = PRECISIONS
    compared: int = 300
    # Files to calibrate on instead of the tuning data: task and path.
    calibration: Sequence[tuple[str, Path]] = ()
    threads: int | None = None
    note: Callable[[str], None] = _silent


def model_folders(
    out: Path,
    settings: ExportSettings,
    export: Callable[[Path, Precision], Card],
    measure: Callable[[Path, Card], tuple[Card, str]] | None,
) -> dict[str, Card]:
    """Write `out`/int8 and `out`/fp32, and return their cards.

    `measure` gives the card with the figures of a folder, and these in a few words; without it nothing is measured.
    """
    cards: dict[str, Card] = {}
    for precision in settings.precisions:
        folder = out / precision
        written = export(folder, precision)
        settings.note(f"{folder}: {(folder / MODEL).stat().st_size / 1e6:.1f} MB")
        if measure is not None:
            written, shown = measure(folder, written)
            settings.note(f"{folder}: {shown}")
        cards[precision] = written
    return cards


def export_network(
    network: Any,
    outputs: Sequence[str],
    tokenizer: Tokenizer,
    folder: Path,
    card: Card,
    *,
    precision: Precision,
    first_token_only: bool = False,
) -> Card:
    """Write the model folder of a trained network; gives back the card as written, with the graph's hash."""
    inputs = inputs_of(network.encoder.config)
    # Our networks leave segments out by themselves where their encoder has none, but always take them.
    model = network if len(inputs) == 3 else _WithoutSegments(network)
    return export_model(
        model,
        network.encoder,
        tokenizer,
        folder,
        card,
        inputs=inputs,
        outputs=outputs,
        precision=precision,
        first_token_only=first_token_only,
    )


def export_model(
    model: nn.Module,
    encoder: Any,
    tokenizer: Tokenizer,
    folder: Path,
    card: Card,
    *,
    inputs: Sequence[str],
    outputs: Sequence[str] = SPAN_OUTPUTS,
    precision: Precision,
    first_token_only: bool = False,
) -> Card:
    """Write the model folder of any model that takes `inputs` by name and gives `outputs`.

    With `first_token_only` what the last layer computes for other tokens, which nothing reads, is left out.

    The folder's files appear when all of them are complete; others with these names are replaced.
    """
    _check_size(model)
    sample = sample_batch(tokenizer, card.layout, inputs, longest=min(64, card.max_question_tokens))
    with locked_run(folder), tempfile.TemporaryDirectory(dir=folder, prefix=EXPORTING) as place:
        part = Path(place)
        plain = part / ("float32.onnx" if precision == "int8" else MODEL)
        write_graph(model, encoder, plain, inputs=inputs, outputs=outputs, sample=sample)
        if first_token_only:
            keep_first_token(plain, inputs, outputs, sample)
        split_norms(plain)
        if precision == "int8":
            quantise(plain, part / MODEL)
        mask_if_padded(part / MODEL)
        tokenizer.save(str(part / TOKENIZER))
        card = write_card(part, msgspec.structs.replace(card, precision=precision))
        # The card last: without it the folder is no model.
        (folder / CARD).unlink(missing_ok=True)
        for name in (MODEL, TOKENIZER, CARD):
            os.replace(part / name, folder / name)
    return card


def sample_batch(
    tokenizer: Tokenizer,
    layout: PairLayout | None,
    inputs: Sequence[str],
    pairs: Sequence[tuple[str, str]] = _SAMPLE,
    longest: int = 64,
) -> list[Tensor]:
    """Questions and short texts as one batch of windows, joined as at run time."""
    windows = []
    for number, (question, text) in enumerate(pairs):
        encoded = encode_text(tokenizer, text)
        windows.append(
            Window(number, encode_question(tokenizer, question, longest), encoded, 0, len(encoded))
        )
    batch = collate(windows, layout or pair_layout(tokenizer))._asdict()
    return [torch.from_numpy(batch[name]) for name in inputs]


def lower_cases(tokenizer: Tokenizer) -> bool:
    """Whether the tokenizer makes no difference between capitals and small letters."""
    ids = [tokenizer.encode(text, add_special_tokens=False).ids for text in ("Answer", "answer")]
    return bool(ids[0] == ids[1])


class _WithoutSegments(nn.Module):
    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Any:
        return self.network(input_ids, attention_mask, attention_mask)


def _check_size(model: nn.Module) -> None:
    size = sum(4 * parameter.numel() for parameter in model.parameters())
    if size >= _MOST_BYTES:
        raise CaveatError(
            f"The model has {size / 1e9:.1f} GB of weights in float32; an ONNX file holds at most 2 GB."
        )


def borrow(folder: Path, lender: Path) -> Card:
    """Take the largest tensor of signed bytes out of the folder's graph; the lender, beside it, has the same.

    Gives the card, with the hash of the smaller graph.
    """
    import onnx

    graph = onnx.load(str(folder / MODEL))
    tensors = [tensor for tensor in graph.graph.initializer if tensor.data_type == onnx.TensorProto.INT8]
    if not tensors:
        raise CaveatError(f"{folder} has no tensor of signed bytes to borrow; export it as int8.")
    largest: Any = max(tensors, key=lambda tensor: len(tensor.raw_data))
    values = largest.raw_data
    offset = (lender / MODEL).read_bytes().find(values)
    if offset < 0:
        raise CaveatError(
            f"{lender} does not have {largest.name} of {folder}: one was trained with embeddings of its own."
        )
    largest.ClearField("raw_data")
    largest.data_location = onnx.TensorProto.EXTERNAL
    for key, value in (("location", lender.name), ("offset", "0"), ("length", str(len(values)))):
        entry = largest.external_data.add()
        entry.key, entry.value = key, value
    (folder / MODEL).write_bytes(graph.SerializeToString())
    found = Borrowed(
        largest.name, lender.name, offset, tuple(largest.dims), hashlib.sha256(values).hexdigest()
    )
    write_json(folder / BORROWED, msgspec.to_builtins(found))
    return write_card(folder, read_card(folder))


def own_again(folder: Path) -> Card:
    """Write the tensor that the folder's model borrows into its own graph, so that its lender may be replaced.

    The lender must still be beside it as it was. Gives the card, with the hash of the whole graph.
    """
    import onnx

    borrowed = read_borrowed(folder)
    if borrowed is None:
        raise CaveatError(f"{folder} borrows nothing.")
    values = lend(borrowed, folder)
    model = onnx.load(str(folder / MODEL), load_external_data=False)
    held = [tensor for tensor in model.graph.initializer if tensor.name == borrowed.tensor]
    if not held:
        raise CaveatError(f"{folder} borrows {borrowed.tensor}, which its graph does not have.")
    held[0].CopyFrom(onnx.numpy_helper.from_array(values, borrowed.tensor))
    with tempfile.TemporaryDirectory(dir=folder, prefix=EXPORTING) as place:
        part = Path(place)
        for other in folder.iterdir():
            if other.is_file() and other.name not in (MODEL, CARD, BORROWED):
                shutil.copy(other, part)
        (part / MODEL).write_bytes(model.SerializeToString())
        card = write_card(part, read_card(folder))
        # The card last: without it the folder is no model.
        (folder / CARD).unlink()
        os.replace(part / MODEL, folder / MODEL)
        (folder / BORROWED).unlink()
        os.replace(part / CARD, folder / CARD)
    return card
