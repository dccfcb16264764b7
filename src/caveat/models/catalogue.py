"""Public models that `caveat models get` fetches by name: a short list, with what each is for and its licence."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from caveat.core.errors import UnknownNameError
from caveat.core.json_files import read_json


class PublicModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A model on the Hugging Face hub; `parameters` are millions."""

    name: str
    hub: str
    task: Literal["reader", "judge", "ranker", "tagger"]
    # "mul" for a model of many languages.
    language: str
    size: Literal["small", "base", "large"]
    parameters: int
    licence: str


@cache
def public_models() -> dict[str, PublicModel]:
    """All of them, by name."""
    found = read_json(Path(__file__).with_name("catalogue.json"), list[PublicModel])
    return {model.name: model for model in found}


def public_model(name: str) -> PublicModel:
    """The model of this name, ours or the hub's."""
    for model in public_models().values():
        if name in (model.name, model.hub):
            return model
    raise UnknownNameError("public model", name, list(public_models()))
