"""Any extractive reader of transformers → a model folder, with the answers that transformers itself gives."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from caveat.benchmarks.shared.passage import Passage, questions_of
from caveat.core.errors import CaveatError, InputError
from caveat.models import encoding
from caveat.models.calibration import calibrate
from caveat.models.card import MODEL, TOKENIZER, Card, CardData, write_card
from caveat.models.decoding import best_spans
from caveat.models.encoding import pair_layout
from caveat.models.reader import Reader
from caveat.models.session import Session
from caveat.models.windows import Window, collate, windows
from caveat.training.encoders import load_tokenizer
from caveat.training.kinds import check_installed
from caveat.training.kinds.reader.figures import PROBES, figures_of, has_null, outcomes_of, read_all

if TYPE_CHECKING:
    from tokenizers import Tokenizer

__all__ = ["compare", "import_model", "load_checkpoint"]

Format = Literal["squad", "mrqa", "cmrc2018"]

_WINDOW = 384
# This many windows of the data are read by both, for the loss of the export.
_COMPARED = 64


def import_model(
    source: str,
    out: Path,
    *,
    int8: bool = False,
    data: Path | None = None,
    format: Format = "squad",
    language: str = "mul",
    licence: str = "unstated",
    window: int | None = None,
    stride: int = 128,
    max_answer_tokens: int = 30,
    threads: int | None = None,
    note: Callable[[str], None] = lambda message: None,
) -> Card:
    """Export a checkpoint of transformers for extractive question answering into the model folder `out`.

    Whether it has a "no answer" is found out by asking it (`null_answer`). With a data file it
    is calibrated and measured on that; without, its temperature stays 1 and its threshold 0.
    """
    check_installed(("torch", "transformers", "safetensors", "onnx"), "Importing")
    from caveat.training.export import export_model, lower_cases
    from caveat.training.graph import inputs_of

    passages = _passages(data, format) if data else []
    model, tokenizer = load_checkpoint(source)
    limit = _longest(model)
    width = window or min(_WINDOW, limit)
    if width > limit:
        raise CaveatError(f"{source} takes windows of at most {limit} tokens, not of {width}.")
    card = Card(
        name=out.resolve().name,
        task="reader",
        language=language,
        encoder=source if not Path(source).is_dir() else Path(source).resolve().name,
        licence=licence,
        window=width,
        stride=min(stride, width // 2),
        max_answer_tokens=max_answer_tokens,
        max_question_tokens=min(64, width // 3),
        lower_case=lower_cases(tokenizer),
    )
    inputs = inputs_of(model.config)
    precision: Literal["int8", "fp32"] = "int8" if int8 else "fp32"
    card = export_model(model, model, tokenizer, out, card, inputs=inputs, precision=precision)
    figures: dict[str, Any] = {"export": compare(model, out, card, passages)}
    note(f"{out}: {figures['export']['same_spans']:.1f}% of the windows have the same best span as in torch")

    reader = Reader.load(out, threads=threads)
    null: Literal["cls", "none"] = "cls" if has_null(reader, passages) else "none"
    note("it has a “no answer”, at its first token" if null == "cls" else "it has no “no answer”")
    card = write_card(out, msgspec.structs.replace(card, null=null))
    if data:
        card = _calibrated(
            out, card, _task(format, passages), data, len(list(questions_of(passages))), threads
        )
        figures.update(card.figures)
    return write_card(out, msgspec.structs.replace(card, figures=figures))


def load_checkpoint(source: str) -> tuple[Any, Tokenizer]:
    """Model and tokenizer of a folder, or of a name on the Hugging Face hub."""
    folder = Path(source)
    if folder.is_dir() and not (folder / "config.json").is_file():
        raise InputError(
            "the folder has no config.json, so it is not a checkpoint of transformers", path=folder
        )
    try:
        model, loaded = _from_pretrained(source)
    except Exception as error:  # OSError, ValueError, and whatever the hub's client raises without a network
        reason = str(error).strip().partition("\n")[0]
        if folder.is_dir():
            raise CaveatError(f"The checkpoint in {source} cannot be loaded: {reason}") from error
        raise CaveatError(
            f"There is no folder {source}, and the Hugging Face hub did not give a checkpoint of that name. "
            f"Without a network, copy the checkpoint's folder here and name that. ({reason})"
        ) from error
    if missing := sorted(key for key in loaded["missing_keys"] if "qa_outputs" in key):
        raise CaveatError(
            f"{source} is no reader: it has no weights for extractive question answering ({missing[0]})."
        )
    model.eval()
    return model, load_tokenizer(source)


def _from_pretrained(source: str) -> tuple[Any, dict[str, Any]]:
    """The model, and which of its weights the checkpoint lacks, without a word on standard error."""
    from transformers import AutoModelForQuestionAnswering
    from transformers.utils import logging

    level = logging.get_verbosity()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return AutoModelForQuestionAnswering.from_pretrained(
                source, dtype="float32", output_loading_info=True
            )
    finally:
        logging.set_verbosity(level)


def compare(model: Any, folder: Path, card: Card, passages: Sequence[Passage] = ()) -> dict[str, Any]:
    """How far the folder's logits are from torch's, and how often the best span of a window is the same."""
    import torch

    from caveat.training.graph import inputs_of

    tokenizer = encoding.load_tokenizer(folder / TOKENIZER)
    layout = card.layout or pair_layout(tokenizer)
    session = Session(folder / MODEL)
    inputs = inputs_of(model.config)
    largest = 0.0
    same = count = 0
    for window in islice(_windows(tokenizer, card, layout.specials, passages), _COMPARED):
        batch = collate([window], layout)
        given = batch._asdict()
        with torch.inference_mode():
            found = model(**{name: torch.from_numpy(given[name]) for name in inputs})
        theirs = found.start_logits[0].numpy(), found.end_logits[0].numpy()
        starts, ends = session.run(batch.input_ids, batch.attention_mask, batch.token_type_ids)
        ours = starts[0], ends[0]
        context = slice(batch.context[0], batch.context[0] + window.last - window.first)
        largest = max(largest, *(float(abs(a - b).max()) for a, b in zip(ours, theirs, strict=True)))
        best = [
            best_spans(start[context], end[context], card.max_answer_tokens, 1)[0][:2]
            for start, end in (ours, theirs)
        ]
        same += best[0] == best[1]
        count += 1
    return {"windows": count, "same_spans": 100 * same / count, "largest_difference": largest}


def _windows(
    tokenizer: Tokenizer, card: Card, specials: int, passages: Sequence[Passage]
) -> Iterator[Window]:
    pairs = [(question.text, passage.text) for passage, question in questions_of(passages)]
    for question, text in pairs or [pair for probes in PROBES.values() for pair in probes]:
        ids = encoding.encode_question(tokenizer, question, card.max_question_tokens)
        encoded = encoding.encode_text(tokenizer, text)
        for first, last in windows(len(encoded), card.window - specials - len(ids), card.stride):
            yield Window(0, ids, encoded, first, last)


def _calibrated(folder: Path, card: Card, task: str, data: Path, questions: int, threads: int | None) -> Card:
    answered = read_all(Reader.load(folder, threads=threads), task, data)
    fitted = calibrate(outcomes_of([answered]), has_null=card.null == "cls")
    card = msgspec.structs.replace(
        card,
        temperature=fitted.temperature,
        threshold=fitted.threshold,
        expected_calibration_error=fitted.expected_calibration_error,
        data=(CardData(name=data.name, licence="unstated", use="tuning", questions=questions),),
    )
    write_card(folder, card)
    figures = {
        task: figures_of(Reader.load(folder), answered),
        "calibration": {"questions": fitted.questions},
    }
    return msgspec.structs.replace(card, figures=figures)


def _passages(data: Path, format: Format) -> list[Passage]:
    from caveat.benchmarks.cmrc2018 import format as cmrc
    from caveat.training.kinds.reader.data import read_passages

    found = list(cmrc.read_passages(data) if format == "cmrc2018" else read_passages(data, format))
    if not any(passage.questions for passage in found):
        raise InputError("the file has no questions", path=data)
    return found


def _task(format: Format, passages: Sequence[Passage]) -> str:
    if format != "squad":
        return format
    return "squad" if all(question.answerable for _, question in questions_of(passages)) else "squad2"


def _longest(model: Any) -> int:
    """The tokens of the longest window that the model takes."""
    limit = getattr(model.config, "max_position_embeddings", None) or 0
    if limit <= 0:
        return _WINDOW
    # RoBERTa and its kin count positions from the padding's id on.
    for name, module in model.named_modules():
        if name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None:
            return int(limit) - int(module.padding_idx) - 1
    return int(limit)
