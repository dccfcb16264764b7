"""Published figures that come with the package: those of a paper's systems on the sets that it reports."""

from __future__ import annotations

from importlib.resources import files

import msgspec

from caveat.benchmarks.shared.score_board import Published

PAPER = "paper"
"""What stands for these figures where a folder of leaderboards could be named."""

_Groups = dict[str, dict[str, float]]


class PublishedFigures(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where figures are from, and system → set → group of questions → measure → score (0–100)."""

    source: str
    systems: dict[str, dict[str, _Groups]]

    def entries(self) -> list[Published]:
        """The systems as a report has them; `total` is all questions of a set."""
        return [
            Published(
                name,
                "",
                {set: groups.get("total", {}) for set, groups in sets.items()},
                {
                    set: {group: found for group, found in groups.items() if group != "total"}
                    for set, groups in sets.items()
                },
            )
            for name, sets in self.systems.items()
        ]


def figures_in(path: str) -> PublishedFigures:
    """The figures of a file among the benchmarks, by its path from their folder."""
    data = files("caveat").joinpath("benchmarks", *path.split("/")).read_bytes()
    return msgspec.toml.decode(data, type=PublishedFigures)
