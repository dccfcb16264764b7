"""Caveat's reader through its public API."""

from __future__ import annotations

from collections.abc import Sequence

from request_lines import Answer, Settings, serve

import caveat


def load(settings: Settings) -> Answer:
    """An engine with one model; window and longest answer are those on its card."""
    engine = caveat.load(settings["model"], threads=settings["threads"])

    def answer(pairs: Sequence[tuple[str, str]]) -> list[str]:
        asked = ((question, caveat.Document(text)) for question, text in pairs)
        # Spans alone, as the others give.
        replies = engine.ask_many(asked, structure=False)
        return [reply.answers[0].text if reply.answers else "" for reply in replies]

    return answer


if __name__ == "__main__":
    serve(load, ["caveat", "onnxruntime"])
