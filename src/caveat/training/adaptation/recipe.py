"""The recipe of an adaptation: the embedded reader's own, from its weights, on the generated questions."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from caveat.benchmarks.squad import format as squad
from caveat.benchmarks.verbs import evaluate, predict
from caveat.core.errors import CaveatError
from caveat.core.files import PathLike
from caveat.core.languages import Language
from caveat.language.packs.zh import CHINESE
from caveat.models.card import Card, read_card
from caveat.models.embedded import find
from caveat.models.joint import TASK as JOINT
from caveat.training.encoders import locate
from caveat.training.kinds.joint.recipe import JointDataSet, JointRecipe, JointTuning
from caveat.training.kinds.reader.data import read_passages
from caveat.training.kinds.reader.recipe import ReaderDataSet, ReaderRecipe, ReaderTuning
from caveat.training.recipe import Phase, load_recipe

if TYPE_CHECKING:
    from caveat.training.export import Precision


# A quarter of the rate that the reader was made with: it is to learn some hundred questions, and to forget nothing.
_RATE = 6e-5
_EPOCHS = 2.0
# With fewer questions a run teaches nothing that could be measured.
_FEWEST = 20
# For the model's card.
_WRITTEN, _OWN = "questions by a language model", "the user's own"


def check_recipe(model: str, language: Language, overrides: Sequence[str]) -> None:
    """Raise unless the reader's recipe takes the overrides and its encoder is there: before anybody is asked."""
    locate(_shipped(model, language, overrides).encoder)


def _shipped(model: str, language: Language, overrides: Sequence[str]) -> ReaderRecipe | JointRecipe:
    """The reader's own recipe; with its start, so that what needs one can be overridden.

    A joint reader is its own encoder: nothing has to be fetched.
    """
    folder = find(model)
    if read_card(folder).task == JOINT:
        shipped = load_recipe(f"joint-{language}", (f"start={folder}", f"encoder={folder}", *overrides))
        assert isinstance(shipped, JointRecipe)
        return shipped
    reader = load_recipe(f"reader-{language}", (f"start={folder}", *overrides))
    assert isinstance(reader, ReaderRecipe)
    return reader


def recipe_of(
    model: str,
    language: Language,
    folder: Path,
    original: Sequence[PathLike],
    share: float,
    seed: int,
    overrides: Sequence[str],
) -> ReaderRecipe | JointRecipe:
    """Train.json of the folder and, of each original file, as much as makes `share` of all with the others."""
    generated = sum(len(passage.questions) for passage in squad.read_passages(folder / "train.json"))
    if generated < _FEWEST:
        raise CaveatError(
            f"Only {generated} questions are left to learn from, and {_FEWEST} is the least: take more passages "
            "(--questions), or a better teacher; judged.jsonl says why the others were dropped."
        )
    shipped = _shipped(model, language, overrides)
    of_each = round(generated * share / (1 - share) / max(1, len(original)))
    card = read_card(find(model))
    changed = {override.partition("=")[0].split(".")[0] for override in overrides}
    values = {
        "seed": seed,
        "learning_rate": _RATE,
        "warmup": 0.1,
        "ema": 0.0,
        "phases": (Phase(window=384, stride=128, batch_size=16, epochs=_EPOCHS),),
    }
    learnt = original if of_each else ()
    own: dict[str, Any] = (
        _for_joint(folder, learnt, of_each, language, card)
        if isinstance(shipped, JointRecipe)
        else _for_reader(folder, learnt, of_each, language, card)
    )
    return msgspec.structs.replace(
        shipped,
        **{name: value for name, value in values.items() if name not in changed},
        **own,
        card=msgspec.structs.replace(shipped.card, name=f"{card.name}-adapted"),
    )


def _for_reader(
    folder: Path, original: Sequence[PathLike], of_each: int, language: Language, card: Card
) -> dict[str, Any]:
    """What a plain reader learns from, and is measured on."""
    data = (
        ReaderDataSet(path=str(folder / "train.json"), name=_WRITTEN, licence=_OWN),
        *(ReaderDataSet(path=str(path), cap=of_each, name=Path(path).name) for path in original),
    )
    return {"data": data, "tuning": tuning_of(folder / "heldout.json", language, card)}


def _for_joint(
    folder: Path, original: Sequence[PathLike], of_each: int, language: Language, card: Card
) -> dict[str, Any]:
    """The same of a joint reader, all of whose heads go on learning: spans, silence and evidence."""
    how = tuning_of(folder / "heldout.json", language, card)
    data = [JointDataSet(path=str(folder / "train.json"), format="squad", name=_WRITTEN, licence=_OWN)]
    for path in map(Path, original):
        count = sum(len(passage.questions) for passage in read_passages(path))
        format: Literal["squad", "mrqa"] = "mrqa" if ".jsonl" in path.suffixes else "squad"
        weight = min(1.0, of_each / max(1, count))
        data.append(JointDataSet(path=str(path), format=format, weight=weight, name=path.name))
    tuning = JointTuning(
        files=(JointDataSet(path=how.path, format="squad", name=how.name),),
        metric=how.metric,
        window=how.window,
        stride=how.stride,
        max_answer_tokens=how.max_answer_tokens,
    )
    return {"data": tuple(data), "tuning": tuning, "fold": -1}


def tuning_of(data: Path, language: Language, card: Card) -> ReaderTuning:
    """A file of questions as what a reader like the card's is measured on, by the file's own task.

    CMRC's measure knows no question without an answer, SQuAD's does.
    """
    chinese = language == CHINESE and ".jsonl" not in data.suffixes
    return ReaderTuning(
        path=str(data),
        name="questions by a language model, held out",
        metric="cmrc2018" if chinese and _all_answerable(data) else "squad",
        every=0,
        window=card.window,
        stride=card.stride,
        max_answer_tokens=card.max_answer_tokens,
    )


def _all_answerable(data: Path) -> bool:
    return all(question.answerable for passage in squad.read_passages(data) for question in passage.questions)


# What models score on a file of questions, and by that how exactly an adapted reader's weights are kept.

# Points of F1 that int8 may lose: it is a quarter of the size and faster by half.
_MOST_LOST = 0.5


def scored(data: Path, models: Sequence[Path], language: Language) -> list[dict[str, float]]:
    """Exact match and F1 of each model on a file, by the file's own task."""
    task = _task_of(data, language, read_card(models[0]))
    return [_figures(task, data, model) for model in models]


def _task_of(data: Path, language: Language, card: Card) -> str:
    """The task of a file of questions, as an export of a reader tells it."""
    from caveat.training.kinds.reader.data import read_passages
    from caveat.training.kinds.reader.export import task_of

    tuning = tuning_of(data, language, card)
    return task_of(tuning, list(read_passages(data, tuning.format)))


def _figures(task: str, data: Path, model: Path) -> dict[str, float]:
    with tempfile.TemporaryDirectory() as folder:
        answers = Path(folder) / "answers.json"
        predict(task, data, answers, model=model)
        scores = evaluate(task, data, answers).scores
    exact = scores["exact_match"] if "exact_match" in scores else scores["exact"]
    return {"exact_match": float(exact), "f1": float(scores["f1"])}


def chosen_precision(f1: Mapping[Precision, float]) -> Precision:
    """int8, but for a model that loses by it what it has learnt, given the F1 of both on held-out questions.

    A run from an int8 model moves its weights by less than one of their steps, and rounding them again brings many of
    them back to where they were.
    """
    return "int8" if f1["fp32"] - f1["int8"] <= _MOST_LOST else "fp32"
