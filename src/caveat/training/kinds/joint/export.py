"""From a joint reader's training run to model folders; the card has the figures that the run was measured at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from torch import Tensor, nn

from caveat.models.card import Card
from caveat.models.session import JOINT_OUTPUTS
from caveat.training import log
from caveat.training.cards import Trained, network_of_run
from caveat.training.export import ExportSettings
from caveat.training.kinds.joint.network import JointNetwork, load_joint, new_joint
from caveat.training.kinds.joint.recipe import JointRecipe
from caveat.training.networks import encoder_settings

__all__ = ["TASK", "export_joint"]

TASK = "joint"


class _Outputs(nn.Module):
    """A joint reader with one output a verdict, as a graph has them."""

    def __init__(self, network: JointNetwork) -> None:
        super().__init__()
        self.network, self.encoder = network, network.encoder

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor
    ) -> tuple[Tensor, ...]:
        start, end, verdict, evidence, answer = self.network(input_ids, attention_mask, token_type_ids)
        return start, end, evidence, answer, *verdict.unbind(-1)


def export_joint(
    recipe: JointRecipe, run_folder: Path, out: Path, settings: ExportSettings
) -> dict[str, Card]:
    """Write `out`/int8 and `out`/fp32, model folders of a finished or unfinished run, and return their cards."""
    trained = network_of_run(
        run_folder,
        recipe,
        load=lambda model: load_joint(model)[:2],
        new=lambda: new_joint(recipe.encoder, **encoder_settings(recipe)),
    )
    final: dict[str, Any] = next(
        (entry["final"] for entry in log.read(run_folder / "log.jsonl") if "final" in entry), {}
    )
    measured = sum(each["questions"] for each in final.values())
    card = trained.card(recipe, run_folder, TASK, tuning_questions=measured)
    card = msgspec.structs.replace(card, figures={**card.figures, **({"joint": final} if final else {})})
    flat = Trained(_Outputs(trained.network), trained.tokenizer, trained.steps, trained.of)
    return flat.export(JOINT_OUTPUTS, out, settings, card, None)
