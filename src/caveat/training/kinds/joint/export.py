"""From a joint reader's training run to model folders: export, calibration of its spans, the figures on the card."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from torch import Tensor, nn

from caveat.benchmarks.shared.passage import Passage
from caveat.benchmarks.squad import format as squad
from caveat.models.calibration import calibrate
from caveat.models.card import Card, write_card
from caveat.models.reader import Reader
from caveat.models.session import JOINT_OUTPUTS
from caveat.models.windowed_model import ReadRequest
from caveat.training import log
from caveat.training.cards import Trained, network_of_run
from caveat.training.export import ExportSettings, without_unreachable
from caveat.training.kinds.joint.network import JointNetwork, SpansOnly, load_joint, new_joint
from caveat.training.kinds.joint.recipe import JointRecipe, JointTuning
from caveat.training.kinds.reader.data import read_passages
from caveat.training.kinds.reader.export import compared_with_torch
from caveat.training.kinds.reader.figures import (
    figures_of,
    outcomes_of,
    read_all,
    silence_of,
    unanswerable_requests,
)
from caveat.training.kinds.reader.method import some_questions
from caveat.training.kinds.reader.network import Prediction, predict
from caveat.training.networks import encoder_settings

TASK = "joint"


class JointOutputs(nn.Module):
    """A joint reader with one output a verdict, as a graph has them."""

    def __init__(self, network: JointNetwork) -> None:
        super().__init__()
        self.network, self.encoder = network, network.encoder

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor
    ) -> tuple[Tensor, ...]:
        start, end, verdict, *tokens = self.network(input_ids, attention_mask, token_type_ids)
        return start, end, *tokens, *verdict.unbind(-1)


def export_joint(
    recipe: JointRecipe, run_folder: Path, out: Path, settings: ExportSettings
) -> dict[str, Card]:
    """Write `out`/int8 and `out`/fp32, model folders of a finished or unfinished run, and return their cards.

    The cards have the figures that the run was measured at. Temperature and threshold of its spans, for use without a
    decision, are fitted as a reader's are: on `settings.compared` questions of the tuning files of spans, which are
    answered in torch as well, and on as many that are put to a passage which does not answer them.
    """
    trained = network_of_run(
        run_folder,
        recipe,
        load=lambda model: load_joint(model)[:2],
        new=lambda: new_joint(recipe.encoder, **encoder_settings(recipe)),
    )
    trained = trained._replace(tokenizer=without_unreachable(trained.network, trained.tokenizer))
    final: dict[str, Any] = next(
        (entry["final"] for entry in log.read(run_folder / "log.jsonl") if "final" in entry), {}
    )
    measured = sum(each["questions"] for each in final.values())
    tuning = recipe.tuning
    card = trained.card(
        recipe,
        run_folder,
        TASK,
        tuning_questions=measured,
        max_answer_tokens=tuning.max_answer_tokens if tuning else 30,
    )
    card = msgspec.structs.replace(card, figures={**card.figures, **({"joint": final} if final else {})})
    flat = Trained(JointOutputs(trained.network), trained.tokenizer, trained.steps, trained.of)
    passages = _passages_of_spans(tuning, settings.data_root) if tuning else []
    if tuning is None or not passages:
        return flat.export(JOINT_OUTPUTS, out, settings, card, None)
    chosen = some_questions(passages, settings.compared)
    count = sum(len(passage.questions) for passage in chosen)
    foreign = list(unanswerable_requests(passages, trained.tokenizer, count))
    reference = _in_torch(trained, chosen, tuning, recipe.max_question_tokens)

    def measure(folder: Path, exported: Card) -> tuple[Card, str]:
        calibrated = _calibrated(folder, exported, tuning, chosen, foreign, reference, settings.threads)
        return calibrated, _shown(calibrated)

    return flat.export(JOINT_OUTPUTS, out, settings, card, measure)


def _passages_of_spans(tuning: JointTuning, root: Path) -> list[Passage]:
    """The passages of all tuning files of spans, their questions numbered: ids of two files may be the same."""
    passages: list[Passage] = []
    count = 0
    for data in tuning.files:
        if data.format != "squad" and data.format != "mrqa":
            continue
        for passage in read_passages(root / data.path, data.format):
            numbered = tuple(
                msgspec.structs.replace(question, id=str(count + at))
                for at, question in enumerate(passage.questions)
            )
            count += len(numbered)
            passages.append(msgspec.structs.replace(passage, questions=numbered))
    return passages


def _in_torch(
    trained: Trained[JointNetwork], passages: Sequence[Passage], tuning: JointTuning, longest: int
) -> dict[str, Prediction]:
    spans: Any = SpansOnly(trained.network)
    found = predict(
        spans,
        trained.tokenizer,
        passages,
        window=tuning.window,
        stride=tuning.stride,
        max_answer_tokens=tuning.max_answer_tokens,
        max_question_tokens=longest,
        n_best=1,
    )
    return {prediction.id: prediction for prediction in found}


def _calibrated(
    folder: Path,
    card: Card,
    tuning: JointTuning,
    passages: Sequence[Passage],
    foreign: Sequence[ReadRequest],
    reference: Mapping[str, Prediction],
    threads: int | None,
) -> Card:
    """The card with temperature, threshold and the figures of spans, written to the folder."""
    reader = Reader.load(folder, threads=threads)
    answerable = all(question.answerable for passage in passages for question in passage.questions)
    task = "cmrc2018" if tuning.metric == "cmrc2018" else "squad" if answerable else "squad2"
    with tempfile.TemporaryDirectory() as place:
        data = Path(place) / "questions.json"
        squad.write(data, passages)
        answered = read_all(reader, task, data)
        outcomes = outcomes_of([answered], reader.read(foreign))
        fitted = calibrate(outcomes)
        card = msgspec.structs.replace(
            card,
            temperature=fitted.temperature,
            threshold=fitted.threshold,
            expected_calibration_error=fitted.expected_calibration_error,
        )
        write_card(folder, card)
        reader = Reader.load(folder, threads=threads)
        silent_below = card.threshold if task == "squad2" else None
        in_torch = {
            id: found.text if silent_below is None else found.text_above(silent_below)
            for id, found in reference.items()
        }
        figures = {
            **card.figures,
            task: figures_of(reader, answered),
            "calibration": {
                "questions": fitted.questions,
                **silence_of(outcomes, fitted.threshold),
            },
            "export": compared_with_torch(answered, answered.texts(reader), in_torch),
        }
    return write_card(folder, msgspec.structs.replace(card, figures=figures))


def _shown(card: Card) -> str:
    export, calibration = card.figures["export"], card.figures["calibration"]
    return (
        f"F1 {export['f1']:.2f} on {export['questions']:,} questions, {export['f1_lost']:+.2f} lost against torch; "
        f"calibration error {card.expected_calibration_error:.3f} on {calibration['questions']:,}"
    )
