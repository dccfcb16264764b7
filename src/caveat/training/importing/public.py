"""`caveat models get`: a public model of the catalogue, fetched, imported and kept under its name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from caveat.models.card import Card
from caveat.models.embedded import kept_folder, public_model
from caveat.training.importing.importing import import_model


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
