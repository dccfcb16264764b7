"""From a reader's training run to model folders: export, calibration and figures on the tuning data, the card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from caveat.benchmarks.mrqa import format as mrqa
from caveat.benchmarks.shared.passage import Passage, questions_of
from caveat.benchmarks.shared.scores import Scored
from caveat.models.calibration import calibrate
from caveat.models.card import Card, CardData, write_card
from caveat.models.reader import Reader
from caveat.models.session import SPAN_OUTPUTS
from caveat.models.windowed_model import ReadRequest
from caveat.training.cards import Trained, network_of_run
from caveat.training.export import ExportSettings
from caveat.training.kinds.reader.assembly import reader_for
from caveat.training.kinds.reader.data import read_passages
from caveat.training.kinds.reader.figures import (
    Answered,
    figures_of,
    fit_overlap_weight,
    outcomes_of,
    read_all,
    score_texts,
    silence_of,
    unanswerable_requests,
)
from caveat.training.kinds.reader.method import some_questions
from caveat.training.kinds.reader.network import Prediction, ReaderNetwork, load_reader, predict
from caveat.training.kinds.reader.recipe import ReaderRecipe, ReaderTuning

# This many of the tuning questions are also asked of a passage that does not answer them.
_UNANSWERABLE = 1_000


def export_reader(
    recipe: ReaderRecipe, run_folder: Path, out: Path, settings: ExportSettings
) -> dict[str, Card]:
    """Write `out`/int8 and `out`/fp32, model folders of a finished or unfinished run, and return their cards.

    Temperature and threshold are fitted on the recipe's tuning file, with some of its questions asked also of
    passages that do not answer them, or, where given, on the files of `settings.calibration`; on the tuning file
    also what a sentence's lack of the question's words weighs. The figures are of the tuning file; some of its
    questions are answered in torch as well, for what the export has cost.
    """
    trained = load_run(run_folder, recipe)
    tuning = recipe.tuning
    passages = list(read_passages(settings.data_root / tuning.path, tuning.format)) if tuning else []
    task = task_of(tuning, passages) if tuning else ""
    card = trained.card(
        recipe,
        run_folder,
        "reader",
        tuning_questions=sum(len(passage.questions) for passage in passages),
        max_answer_tokens=tuning.max_answer_tokens if tuning else 30,
        null="cls" if recipe.no_answer else "none",
    )
    card = msgspec.structs.replace(card, data=(*card.data, *_inference_data(recipe)))
    reference: dict[str, Prediction] = {}
    if tuning:
        names = _submission_ids(task, settings.data_root / tuning.path)
        found = _in_torch(trained, some_questions(passages, settings.compared), recipe)
        reference = {names.get(id, id): prediction for id, prediction in found.items()}

    def measure(folder: Path, exported: Card) -> tuple[Card, str]:
        assert tuning is not None
        measured = _measured(
            folder,
            exported,
            task,
            settings.data_root / tuning.path,
            reference,
            settings.calibration,
            list(unanswerable_requests(passages, trained.tokenizer, _UNANSWERABLE)),
            settings.threads,
        )
        return measured, _shown(measured, task)

    return trained.export(SPAN_OUTPUTS, out, settings, card, measure if tuning else None)


def _inference_data(recipe: ReaderRecipe) -> list[CardData]:
    """What a second task learnt from: it is in the encoder's weights too."""
    inference = recipe.auxiliary.inference if recipe.auxiliary else None
    return [
        CardData(name=each.name or each.path, licence=each.licence)
        for each in (inference.data if inference else ())
    ]


def load_run(folder: Path, recipe: ReaderRecipe) -> Trained[ReaderNetwork]:
    """A finished run's reader or, where it has not ended, that of its last checkpoint, with averaged weights."""
    return network_of_run(
        folder, recipe, load=lambda model: load_reader(model)[:2], new=lambda: reader_for(recipe)
    )


def task_of(tuning: ReaderTuning, passages: Sequence[Passage]) -> str:
    """The task whose `caveat predict` and `caveat eval` measure a tuning file."""
    if tuning.metric == "cmrc2018":
        return "cmrc2018"
    if tuning.format == "mrqa" or (tuning.format is None and ".jsonl" in Path(tuning.path).suffixes):
        return "mrqa"
    return "squad" if all(question.answerable for _, question in questions_of(passages)) else "squad2"


def _measured(
    folder: Path,
    card: Card,
    task: str,
    data: Path,
    reference: Mapping[str, Prediction],
    calibration: Sequence[tuple[str, Path]],
    unanswerable: Sequence[ReadRequest],
    threads: int | None,
) -> Card:
    """The card with temperature, threshold and figures, written to the folder."""
    reader = Reader.load(folder, threads=threads)
    plain = read_all(reader, task, data)
    answered = plain
    if lacking := fit_overlap_weight(reader, plain):
        card = write_card(folder, msgspec.structs.replace(card, lacking=lacking))
        reader = Reader.load(folder, threads=threads)
        answered = read_all(reader, task, data)
    others = [read_all(reader, other, path) for other, path in calibration]
    has_null = card.null == "cls"
    outcomes = outcomes_of(others or [answered], reader.read(unanswerable) if has_null and not others else ())
    fitted = calibrate(outcomes, has_null=has_null)
    card = msgspec.structs.replace(
        card,
        temperature=fitted.temperature,
        threshold=fitted.threshold,
        expected_calibration_error=fitted.expected_calibration_error,
    )
    write_card(folder, card)
    reader = Reader.load(folder, threads=threads)
    figures = {**card.figures, task: figures_of(reader, answered)}
    silence = silence_of(outcomes, fitted.threshold) if has_null else {}
    figures["calibration"] = {"questions": fitted.questions, **silence}
    # In squad2 both are silent below the same threshold; the other tasks' questions all have answers.
    in_torch = {
        id: prediction.text_above(card.threshold) if task == "squad2" else prediction.text
        for id, prediction in reference.items()
    }
    # What sentences lack is told by words, in torch as elsewhere: the export costs nothing there.
    figures["export"] = compared_with_torch(plain, plain.texts(reader), in_torch)
    return write_card(folder, msgspec.structs.replace(card, figures=figures))


def compared_with_torch(
    answered: Answered, texts: Mapping[str, str], reference: Mapping[str, str]
) -> dict[str, Any]:
    """What the export has cost, on the questions that torch has answered too."""
    in_torch = _mean(score_texts(answered.task, answered.data, reference), reference, "f1")
    exported = _mean(score_texts(answered.task, answered.data, texts), reference, "f1")
    same = sum(texts[id] == text for id, text in reference.items())
    return {
        "questions": len(reference),
        "same_answers": 100 * same / len(reference),
        "f1_in_torch": in_torch,
        "f1": exported,
        "f1_lost": in_torch - exported,
    }


def _mean(scored: Scored, ids: Mapping[str, str], figure: str) -> float:
    values = [float(detail[figure]) for detail in scored.details if detail["id"] in ids]
    return sum(values) / len(values)


def _in_torch(
    trained: Trained[ReaderNetwork], passages: Sequence[Passage], recipe: ReaderRecipe
) -> dict[str, Prediction]:
    tuning = recipe.tuning
    assert tuning is not None
    found = predict(
        trained.network,
        trained.tokenizer,
        passages,
        window=tuning.window,
        stride=tuning.stride,
        max_answer_tokens=tuning.max_answer_tokens,
        max_question_tokens=recipe.max_question_tokens,
        batch_size=tuning.batch_size,
        n_best=1,
        no_answer=recipe.no_answer,
    )
    return {prediction.id: prediction for prediction in found}


def _shown(card: Card, task: str) -> str:
    scores, export = card.figures[task], card.figures["export"]
    return (
        f"exact match {scores['exact_match']:.2f}, F1 {scores['f1']:.2f} on {scores['total']:,} questions; "
        f"F1 {export['f1_lost']:+.2f} lost against torch on {export['questions']:,}; "
        f"calibration error {card.expected_calibration_error:.3f}"
    )


def _submission_ids(task: str, path: Path) -> dict[str, str]:
    """The ids under which a benchmark wants its answers, by the questions' own, where the two differ."""
    if task != "mrqa":
        return {}
    questions = (question for context in mrqa.read(path) for question in context.questions)
    return {str(question.extra.get("id", question.qid)): question.qid for question in questions}
