"""The kinds of model that `caveat train` makes, by name: each owns its recipe, its training and what becomes of a run.

Those of the package are listed here by their places and imported when a recipe asks for one; those from outside are
entry points of the group "caveat.kinds".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from caveat.core.errors import CaveatError, UnknownNameError
from caveat.core.loading import entry_points_of, load, needs_extra

if TYPE_CHECKING:
    from torch import Tensor, nn

    from caveat.models.card import Card
    from caveat.training.export import ExportSettings


GROUP = "caveat.kinds"
# The folder here, and the name in it.
BUILT_IN = {
    "reader": "reader:KIND",
    "inoculation": "reader:INOCULATION",
    "tagger": "tagger:KIND",
    "ranker": "ranker:KIND",
    "judge": "judge:KIND",
    "joint": "joint:KIND",
    "conditionalqa": "conditional:KIND",
    "relation-network": "relations:NETWORK",
    "relations": "relations:FITTED",
    "lexical": "ranker:LEXICAL",
    "matching": "matching:KIND",
    "decision": "decision:KIND",
    "question-kind": "question_kind:KIND",
    "tables": "tables:KIND",
    "common-words": "common_words:KIND",
}

Note = Callable[[str], None]
Tables = dict[str, dict[str, Any]]
"""Tables of figures by their titles: a row a system, or a single row."""


class Method(Protocol):
    """What the training loop wants: a network, the batches it learns from, and how it is measured.

    Its constructor loads everything, and draws what is random from torch's current seed.
    """

    # Windows and steps of the whole run.
    windows: int
    steps: int

    @property
    def network(self) -> nn.Module:
        """An encoder, under `encoder`, with heads."""
        ...

    def batches_from(self, step: int) -> Iterator[Sequence[Any]]:
        """The batches of step `step` and all after it."""
        ...

    def loss(self, batch: Any) -> Tensor:
        """The loss of a batch, one of those above."""
        ...

    @property
    def every(self) -> int:
        """Steps between measurements on the way; 0 for none."""
        ...

    def measure(self, *, final: bool) -> dict[str, Any]:
        """The scores on tuning data, on a part of it unless it is the end; empty where there is none."""
        ...

    def shown(self, scores: dict[str, Any]) -> str:
        """Scores in a few words."""
        ...

    def described(self) -> dict[str, Any]:
        """For each data set, by its path, how much of it is used."""
        ...

    def save(self, folder: Path, scores: dict[str, Any]) -> None:
        """Write the network as it is, with its scores."""
        ...


class Fit(Protocol):
    """Fits a model in one go, without steps to stop at."""

    def __call__(self, recipe: Any, out: Path, *, data_root: Path, note: Note) -> Tables:
        """Write the model and its scores into the folder `out`, and return the tables of its figures."""
        ...


class Kind(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of model; it is fitted in one go (`fit`), or trained in steps with torch (`method`) and then exported.

    Its functions import what they need when they are called, so that a recipe is checked without torch.
    """

    name: str
    # The record that a recipe is read into. One for a run in steps extends `caveat.training.recipe.Settings`.
    recipe: type[msgspec.Struct]
    # What is wrong with the values of a recipe, a sentence each, beyond what is wrong with the settings of any run.
    problems: Callable[[Any], Iterable[str]]
    fit: Fit | None = None
    # The method for a recipe, whose paths start from the folder that is given.
    method: Callable[[Any, Path, Note], Method] | None = None
    # From a recipe and the folder of its run, ended or not, to model folders in a second one, by precision.
    export: Callable[[Any, Path, Path, ExportSettings], dict[str, Card]] | None = None
    # Whether it may be calibrated on other files than its recipe's tuning data.
    calibrates_on_files: bool = False
    # Modules of the extra "train" that it cannot do without.
    needs: tuple[str, ...] = ("torch", "transformers", "safetensors")


def kind_names() -> list[str]:
    """The names of all kinds, the package's own first."""
    return list(dict.fromkeys((*BUILT_IN, *entry_points_of(GROUP))))


def find_kind(name: str) -> Kind:
    """The kind of a name."""
    if name in BUILT_IN:
        found = load(f"{__name__}.{BUILT_IN[name]}")
    elif name in (points := entry_points_of(GROUP)):
        found = points[name].load()
    else:
        raise UnknownNameError("kind of recipe", name, kind_names())
    if not isinstance(found, Kind):
        raise CaveatError(
            f"The entry point {name!r} of {GROUP!r} is not a Kind, but a {type(found).__name__}."
        )
    return found


def check_installed(modules: Iterable[str], purpose: str = "Training") -> None:
    """Raise unless the modules, of the extra "train", are there; before anything is read."""
    for module in modules:
        if find_spec(module) is None:
            raise CaveatError(needs_extra(purpose, module, "train"))


def kind_of(recipe: Any) -> Kind:
    """The kind that a recipe is for."""
    return find_kind(recipe.kind)
