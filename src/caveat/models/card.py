"""A model folder and its card: what the model is, how it is run, what it was measured at and must not be used for.

A folder holds `model.onnx` (int64 inputs `input_ids`, `attention_mask` and, where the encoder has segments,
`token_type_ids`, each [batch, length]; a reader's float outputs are `start_logits` and `end_logits` of the same shape,
a tagger's is `tag_logits`, [batch, length, columns], a ranker's `rank_logits`, [batch], a judge's `entailed_logits`,
`contradicted_logits` and `open_logits`, [batch] each),
`tokenizer.json` (which lower-cases, or not, by itself) and `card.json`.
"""

from __future__ import annotations

import hashlib
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

import msgspec

from caveat.core.errors import InputError
from caveat.core.files import PathLike, reason_of_system, writing
from caveat.core.json_files import decode, read_json_text
from caveat.models.encoding import PairLayout
from caveat.models.session import BORROWED

CARD, MODEL, TOKENIZER = "card.json", "model.onnx", "tokenizer.json"
_NAMED = (TOKENIZER, BORROWED, "relations.json")

# Beside the question a window needs room for a context worth reading.
_LEAST_CONTEXT = 8
# Attention takes the square of the window: this many tokens are a gigabyte a head.
_LONGEST_WINDOW = 16_384


class CardData(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """A data set that went into a model, and the terms it came with."""

    name: str
    licence: str
    use: Literal["training", "tuning", "measuring"] = "training"
    questions: int | None = None


class CardSource(msgspec.Struct, frozen=True, kw_only=True):
    """The checkpoint that a model was imported from: its name, the commit on the hub, and the hash of every file."""

    name: str
    revision: str = ""
    files: dict[str, str] = {}


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """card.json; a field that is not known here is refused, so that a misspelt one is not taken for absent."""

    name: str
    # "reader", "structure" for a tagger of spans, "ranker" for one of pairs, or "judge" for three verdicts on a pair.
    task: str
    # The code of a language, or "mul" for a model of many languages.
    language: str
    encoder: str
    licence: str
    not_for: tuple[str, ...] = ()
    # Tokens of a window, special ones and question included, and how far the next window moves.
    window: int = 384
    stride: int = 128
    max_answer_tokens: int = 30
    # A longer question keeps its beginning, as in training; 0 for a tagger that reads the text alone.
    max_question_tokens: int = 64
    # What tokenizer.json does; said here for people.
    lower_case: bool = False
    # "cls": the scores of the token of the whole pair, the first or XLNet's last, are those of "no answer"; "none": the
    # model always answers.
    null: Literal["cls", "none"] = "cls"
    # A tagger's kinds of span: those of one layer never overlap each other. A layer's columns are O, then B and I
    # of each kind.
    layers: tuple[tuple[str, ...], ...] = ()
    # Kinds whose spans begin and end at punctuation only.
    clause_kinds: tuple[str, ...] = ()
    # A reader's, in log-odds of a span: what its sentence's having less of the question than the text's best, by one,
    # tells against it (`SentenceOverlap`).
    lacking: float = 0.0
    # How many neighbours on each side a ranker of sentences reads with each of them.
    neighbours: int = 0
    # None: as tokenizer.json's post-processor says.
    layout: PairLayout | None = None
    temperature: float = 1.0
    # Log-odds against "no answer" below which a question counts as not answered.
    threshold: float = 0.0
    expected_calibration_error: float | None = None
    data: tuple[CardData, ...] = ()
    recipe: dict[str, Any] = {}
    # Of a model that was imported.
    source: CardSource | None = None
    figures: dict[str, Any] = {}
    precision: str = "fp32"
    # Of model.onnx, and by name of every other file that the model is made of: tokenizer, weights beside the graph.
    sha256: str = ""
    files: dict[str, str] = {}
    # Of the rest of the card, however it is laid out; cards of before have none.
    checksum: str = ""

    @property
    def none_at(self) -> float | None:
        """The log-odds of "no answer" itself; None for a model that always answers."""
        return self.threshold if self.null == "cls" else None


def read_card(folder: PathLike) -> Card:
    """The card of a model folder, checked; the model's own bytes are checked when it is loaded."""
    folder = Path(folder)
    if not folder.is_dir():
        raise InputError("there is no such model folder", path=folder)
    if not (folder / CARD).is_file():
        raise InputError(f"the folder has no {CARD}, so it is not a model of Caveat", path=folder)
    for name in (MODEL, TOKENIZER):
        if not (folder / name).is_file():
            raise InputError(f"the model folder has no {name}", path=folder)
    data = read_json_text(folder / CARD)
    raw: Any = decode(data, object, path=folder / CARD)
    _refuse_unknown(raw, folder / CARD)
    card = decode(data, Card, path=folder / CARD)
    if card.checksum and card.checksum != _checksum(raw):
        raise InputError(
            "is not as it was written (its checksum differs): copied in part, or edited. A card that is edited on "
            "purpose must lose its `checksum`",
            path=folder / CARD,
        )
    _check(card, folder / CARD)
    return card


def _refuse_unknown(raw: Any, path: Path) -> None:
    """Raise where a card, one of its data sets or its layout has a field that there is not."""
    if not isinstance(raw, dict):
        return
    data = raw.get("data")
    records = [
        (raw, Card),
        *((entry, CardData) for entry in (data if isinstance(data, list) else ())),
        (raw.get("layout"), PairLayout),
        (raw.get("source"), CardSource),
    ]
    for record, type in records:
        known = type.__struct_fields__
        for name in record if isinstance(record, dict) else ():
            if name not in known:
                nearest = get_close_matches(name, known, n=1, cutoff=0.0)[0]
                problem = (
                    f"has a field {name!r}, which is not known here: the nearest that is known is {nearest!r}"
                )
                raise InputError(problem, path=path)


def _checksum(raw: dict[str, Any]) -> str:
    """SHA-256 of what a card says, in the order of its fields' names, without the checksum itself."""
    said = {name: value for name, value in raw.items() if name != "checksum"}
    return hashlib.sha256(msgspec.json.encode(said, order="sorted")).hexdigest()


def write_card(folder: PathLike, card: Card) -> Card:
    """Write card.json with its checksum and those of the files of the model; gives back the card as written."""
    folder = Path(folder)
    _check(card, folder / CARD)
    files = {name: _hash(folder / name) for name in _parts(folder)}
    card = msgspec.structs.replace(card, sha256=hash_model(folder), files=files)
    card = msgspec.structs.replace(card, checksum=_checksum(msgspec.json.decode(msgspec.json.encode(card))))
    with writing(folder / CARD) as out:
        out.write(msgspec.json.format(msgspec.json.encode(card), indent=2).decode("utf-8") + "\n")
    return card


def hash_model(folder: PathLike) -> str:
    """SHA-256 of model.onnx, as on the card."""
    return _hash(Path(folder) / MODEL)


def check_model(folder: PathLike, card: Card) -> None:
    """Raise unless the files are those that the card was written for; that they are is remembered until one changes."""
    folder = Path(folder)
    digests = {MODEL: card.sha256, **card.files}
    state = tuple((name, digest, _state(folder / name)) for name, digest in digests.items())
    if _sound.get(folder) == state:
        return
    for name, digest in digests.items():
        if _hash(folder / name) != digest.lower():
            raise InputError(
                f"not the file that {CARD} was written for (its SHA-256 differs): copied in part, or replaced",
                path=folder / name,
            )
    for name in _parts(folder):
        # Cards of before said nothing of tokenizers, and relations may be laid beside a tagger later.
        if name not in digests and (name not in _NAMED or (bool(card.files) and name == TOKENIZER)):
            raise InputError(f"is part of the model, but {CARD} has no hash of it", path=folder / name)
    _sound[folder] = state


_sound: dict[Path, object] = {}


def _parts(folder: Path) -> list[str]:
    """The files that a model is made of, beside its graph and card: those of fixed names, and the graph's weights."""
    graph = _read(folder / MODEL)
    try:
        names = sorted(path.name for path in folder.iterdir() if path.is_file())
    except OSError as error:
        raise InputError(f"cannot be read: {reason_of_system(error)}", path=folder) from error
    # A graph names the files of its weights in plain bytes.
    return [
        name for name in names if name not in (CARD, MODEL) and (name in _NAMED or name.encode() in graph)
    ]


def _state(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError as error:
        raise InputError(f"cannot be read: {reason_of_system(error)}", path=path) from error
    return found.st_mtime_ns, found.st_size


def _hash(path: Path) -> str:
    return hashlib.sha256(_read(path)).hexdigest()


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read: {reason_of_system(error)}", path=path) from error


def _check(card: Card, path: Path) -> None:
    def need(holds: bool, problem: str) -> None:
        if not holds:
            raise InputError(problem, path=path)

    for name in ("stride", "max_answer_tokens", "max_question_tokens"):
        least = 0 if name == "max_question_tokens" and card.task == "structure" else 1
        need(getattr(card, name) >= least, f"{name} must be above {least - 1}, got {getattr(card, name)}")
    room = card.window - card.max_question_tokens - (card.layout.specials if card.layout else 0)
    need(
        room >= _LEAST_CONTEXT,
        f"a window of {card.window} tokens leaves no room beside {card.max_question_tokens} of the question",
    )
    for name in card.files:
        plain = name not in ("", ".", "..") and not set(name) & set("/\\\0")
        need(plain, f"files names {name!r}, which is no file of the folder")
    need(card.window <= _LONGEST_WINDOW, f"a window of {card.window:,} tokens is longer than any encoder's")
    need(card.neighbours >= 0, f"neighbours must not be below 0, got {card.neighbours}")
    need(card.temperature > 0, f"temperature must be above 0, got {card.temperature}")
    whole = card.layout is None or card.layout.before or len(card.layout.after) > 1
    need(bool(whole), "layout.before, or the end of layout.after, needs the token of “no answer”")
    need(all(card.layers), "a layer needs at least one kind of span")
    kinds = [kind for layer in card.layers for kind in layer]
    need(len(set(kinds)) == len(kinds), "every kind of span belongs to one layer")
    if strange := sorted(set(card.clause_kinds) - set(kinds)):
        need(False, f"clause_kinds names {strange[0]!r}, which is in no layer")
    need(card.task != "structure" or bool(kinds), "a tagger needs layers")
