"""sentence-transformers' CrossEncoder with its own defaults: batches of 32, sorted by length; the rest is cut off."""

from __future__ import annotations

from collections.abc import Sequence

import bert_models
import torch
from request_lines import Answer, Settings, serve
from sentence_transformers import CrossEncoder

__all__ = ["load"]


def load(settings: Settings) -> Answer:
    """The model in float32; a score is a logit, as Caveat's is."""
    torch.set_num_threads(settings["threads"])
    bert_models.register()
    model = CrossEncoder(
        settings["model"], device="cpu", max_length=settings["window"], activation_fn=torch.nn.Identity()
    )

    def answer(pairs: Sequence[tuple[str, str]]) -> list[str]:
        scores = model.predict([list(pair) for pair in pairs], show_progress_bar=False)
        return [repr(float(score)) for score in scores]

    return answer


if __name__ == "__main__":
    serve(load, ["sentence-transformers", "transformers", "torch"])
