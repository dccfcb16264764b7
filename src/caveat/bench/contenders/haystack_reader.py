"""Haystack's extractive reader, which takes one question at a time."""

from __future__ import annotations

from collections.abc import Sequence

import bert_models
import torch
from haystack import Document
from haystack.utils import ComponentDevice
from haystack_integrations.components.readers.transformers import TransformersExtractiveReader
from request_lines import Answer, Settings, serve

__all__ = ["load"]

# Windows of a batch; without a limit all of a long text are one.
_BATCH = 16


def load(settings: Settings) -> Answer:
    """The component with its own defaults, but for the windows and "no answer", which no question here has."""
    torch.set_num_threads(settings["threads"])
    bert_models.register()
    reader = TransformersExtractiveReader(
        model=settings["model"],
        device=ComponentDevice.from_str("cpu"),
        token=None,
        max_seq_length=settings["window"],
        stride=settings["overlap"],
        max_batch_size=_BATCH,
        no_answer=False,
    )
    reader.warm_up()

    def answer(pairs: Sequence[tuple[str, str]]) -> list[str]:
        texts = []
        for question, text in pairs:
            answers = reader.run(query=question, documents=[Document(content=text)])["answers"]
            texts.append(answers[0].data if answers else "")
        return texts

    return answer


if __name__ == "__main__":
    serve(load, ["haystack-ai", "transformers-haystack", "transformers", "torch"])
