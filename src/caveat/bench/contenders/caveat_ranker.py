"""Caveat's ranker, the cross-encoder alone."""

from __future__ import annotations

from collections.abc import Sequence

from request_lines import Answer, Settings, serve

from caveat.models.ranker import Ranker
from caveat.models.windowed_model import ReadRequest


def load(settings: Settings) -> Answer:
    """The ranker of a model folder; windows are those on its card."""
    ranker = Ranker.load(settings["model"], threads=settings["threads"])

    def answer(pairs: Sequence[tuple[str, str]]) -> list[str]:
        requests = (ReadRequest(question, text) for question, text in pairs)
        return [repr(score) for score in ranker.score(requests)]

    return answer


if __name__ == "__main__":
    serve(load, ["caveat", "onnxruntime"])
