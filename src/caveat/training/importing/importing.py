"""Any reader, judge, ranker or tagger of transformers → a model folder, with the scores that transformers gives."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec

from caveat.benchmarks.shared.passage import Passage, questions_of
from caveat.core.errors import CaveatError, InputError, UsageError
from caveat.models.calibration import calibrate
from caveat.models.card import CARD, MODEL, TOKENIZER, Card, CardData, write_card
from caveat.models.embedded import kept_folder, public_model
from caveat.models.reader import Reader
from caveat.models.session import Session
from caveat.training.importing.checkpoint import Checkpoint, load_model, open_checkpoint, tokenizer_of
from caveat.training.importing.tasks import (
    RANKER,
    READER,
    TAGGER,
    Columns,
    ImportTask,
    labels_of,
    layout_of,
    reads_text_alone,
    task_of,
)
from caveat.training.kinds import check_installed
from caveat.training.kinds.reader.figures import (
    PROBES,
    figures_of,
    has_null,
    outcomes_of,
    read_all,
    shifted,
)

Format = Literal["squad", "mrqa", "cmrc2018"]
Task = Literal["reader", "judge", "ranker", "tagger"]

_WINDOW = 384
# Of a question, and of a statement that is judged, no more than this many tokens are read.
_QUESTION = 64
# This many questions of the data are read by both, for the loss of the export.
_COMPARED = 64
# By as much the scores of windows of any length may differ in float32; what an export fixed to one length differs more.
_TOLERANCE = 1e-2
# In per cent: an int8 model that finds less of what float32 finds has lost too much.
_LEAST_SAME = 60.0


def import_model(
    source: str,
    out: Path,
    *,
    task: Task | None = None,
    labels: Sequence[str] = (),
    with_question: bool | None = None,
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
    """Export a checkpoint of transformers, a folder or a name on the Hugging Face hub, into the model folder `out`.

    What it is for is told by its configuration unless `task` says it, what its outputs are by their names unless
    `labels` gives others, in order. A tagger reads the text alone unless its labels are B, I and O, or as
    `with_question` has it.

    Whether a reader has a "no answer" is found out by asking it (`has_null`). With a data file it is calibrated and
    measured on that; without, its temperature stays 1 and its threshold 0.
    """
    check_installed(("torch", "transformers", "safetensors", "onnx"), "Importing")
    if out.exists() and not out.is_dir():
        raise InputError("is a file, and a model is a folder", path=out)
    checkpoint = open_checkpoint(source)
    kind = task_of(checkpoint, task)
    if data and kind is not READER:
        raise UsageError(
            f"--data calibrates readers, and {source} is imported as a {kind.name}; leave it out."
        )
    passages = _passages(data, format) if data else []
    model = load_model(checkpoint, kind.auto, kind.what)
    tokenizer = tokenizer_of(checkpoint, model.get_input_embeddings().num_embeddings)
    columns = _columns(kind, checkpoint, labels)
    alone = reads_text_alone(kind, columns) if with_question is None else not with_question
    if alone and kind is not TAGGER:
        raise UsageError(f"A {kind.name} reads a question with its text; only a tagger can do without.")
    width = _width(model, source, window)
    card = Card(
        name=out.resolve().name,
        task=kind.card,
        language=language,
        encoder=checkpoint.source.name,
        licence=licence,
        window=width,
        stride=min(stride, width // 2),
        max_answer_tokens=max_answer_tokens,
        max_question_tokens=0 if alone else min(_QUESTION, width // 3),
        null="cls" if kind is READER else "none",
        layers=columns.layers,
        layout=layout_of(kind, tokenizer, alone),
        source=checkpoint.source,
    )
    out.resolve().parent.mkdir(parents=True, exist_ok=True)
    # The model appears when all of it is complete and was compared; what was in its place before stays until then.
    with tempfile.TemporaryDirectory(dir=out.resolve().parent, prefix=f".{card.name}-") as place:
        folder = Path(place)
        card = _exported(
            kind, model, columns, tokenizer, folder, card, int8, _pairs(kind, language, passages)
        )
        note(f"{out}: {card.figures['export'][kind.same]:.1f}% {kind.same_words}")
        if kind is READER:
            card = _read(folder, card, data, format, passages, threads, note)
        _move(folder, out)
    return card


def _columns(kind: ImportTask, checkpoint: Checkpoint, labels: Sequence[str]) -> Columns:
    own = labels_of(checkpoint)
    if labels and len(labels) != len(own):
        raise UsageError(
            f"--labels has {len(labels)} names, and {checkpoint.source.name} has {len(own)} outputs."
        )
    return kind.columns(labels or own)


def _exported(
    kind: ImportTask,
    model: Any,
    columns: Columns,
    tokenizer: Any,
    folder: Path,
    card: Card,
    int8: bool,
    pairs: Sequence[tuple[str, str]],
) -> Card:
    """Write the model folder, and the card with what the export has cost."""
    from caveat.training.export import export_model, lower_cases
    from caveat.training.graph import inputs_of
    from caveat.training.importing.head import Head, compare

    head = Head(model, kind.outputs, columns.numbers).eval()
    inputs = inputs_of(model.config)
    card = msgspec.structs.replace(card, lower_case=lower_cases(tokenizer))
    # What a head for pairs reads at the last token is left whole.
    first_token_only = kind.head == RANKER.head and card.layout is not None and card.layout.whole == 0
    try:
        card = export_model(
            head,
            model,
            tokenizer,
            folder,
            card,
            inputs=inputs,
            outputs=kind.outputs,
            precision="int8" if int8 else "fp32",
            first_token_only=first_token_only,
        )
    except (
        RuntimeError,
        TypeError,
        ValueError,
    ) as error:  # what torch raises of a model that it cannot trace
        reason = str(error).strip().partition("\n")[0]
        raise CaveatError(
            f"{card.encoder} ({model.config.model_type}) cannot be exported: {reason}"
        ) from error
    session = Session(folder / MODEL, outputs=kind.outputs)
    figures = compare(kind, folder, card, session, head, inputs, pairs)
    if not int8 and not figures["largest_difference"] <= _TOLERANCE:
        raise CaveatError(
            f"The exported graph of {card.encoder} gives other scores for texts of other lengths (by "
            f"{figures['largest_difference']:.3g}): {model.config.model_type} cannot be exported."
        )
    if int8 and figures[kind.same] < _LEAST_SAME:
        raise CaveatError(
            f"In int8 {card.encoder} loses too much: only {figures[kind.same]:.0f}% {kind.same_words}. "
            "Import it in float32, which is the default of `caveat models import` and --fp32 of `caveat models get`."
        )
    return write_card(folder, msgspec.structs.replace(card, figures={"export": figures}))


def _pairs(kind: ImportTask, language: str, passages: Sequence[Passage]) -> list[tuple[str, str]]:
    """Questions on their texts, for readers; for all others each with a text that does not answer it as well."""
    if passages:
        return [(question.text, passage.text) for passage, question in questions_of(passages)][:_COMPARED]
    known = [PROBES[language]] if language in PROBES else list(PROBES.values())
    right = [pair for pairs in known for pair in pairs]
    if kind is READER:
        return right
    return [pair for two in zip(right, shifted(right), strict=True) for pair in two]


def _move(folder: Path, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    # The card last: without it the folder is no model.
    (out / CARD).unlink(missing_ok=True)
    for name in (MODEL, TOKENIZER, CARD):
        os.replace(folder / name, out / name)


def _read(
    folder: Path,
    card: Card,
    data: Path | None,
    format: Format,
    passages: Sequence[Passage],
    threads: int | None,
    note: Callable[[str], None],
) -> Card:
    """The card of a reader that was asked whether it has a "no answer", and calibrated where there is data."""
    reader = Reader.load(folder, threads=threads)
    null: Literal["cls", "none"] = "cls" if has_null(reader, passages) else "none"
    place = "first" if reader.layout.whole == 0 else "last"
    note(f"it has a “no answer”, at its {place} token" if null == "cls" else "it has no “no answer”")
    card = write_card(folder, msgspec.structs.replace(card, null=null))
    if data is None:
        return card
    task, questions = _benchmark(format, passages), len(list(questions_of(passages)))
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
        **card.figures,
        task: figures_of(Reader.load(folder), answered),
        "calibration": {"questions": fitted.questions},
    }
    return write_card(folder, msgspec.structs.replace(card, figures=figures))


def _passages(data: Path, format: Format) -> list[Passage]:
    from caveat.benchmarks.cmrc2018 import format as cmrc
    from caveat.training.kinds.reader.data import read_passages

    found = list(cmrc.read_passages(data) if format == "cmrc2018" else read_passages(data, format))
    if not any(passage.questions for passage in found):
        raise InputError("the file has no questions", path=data)
    return found


def _benchmark(format: Format, passages: Sequence[Passage]) -> str:
    if format != "squad":
        return format
    return "squad" if all(question.answerable for _, question in questions_of(passages)) else "squad2"


def _width(model: Any, source: str, wanted: int | None) -> int:
    """The tokens of a window: as many as are wanted, else the usual number or what the model takes."""
    limit = _longest(model)
    if wanted and wanted > limit:
        raise CaveatError(f"{source} takes windows of at most {limit} tokens, not of {wanted}.")
    return wanted or min(_WINDOW, limit)


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


def get_model(
    name: str,
    *,
    int8: bool = True,
    source: str | None = None,
    threads: int | None = None,
    note: Callable[[str], None] = lambda message: None,
) -> tuple[Path, Card]:
    """Fetch a public model and keep it in the user's data folder; its folder there, and its card.

    `source` is a folder with the checkpoint's files, where there is no network to fetch them from.
    """
    model = public_model(name)
    folder = kept_folder() / model.name
    card = import_model(
        source or model.hub,
        folder,
        task=model.task,
        int8=int8,
        language=model.language,
        licence=model.licence,
        threads=threads,
        note=note,
    )
    return folder, card
