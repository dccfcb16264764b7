"""Fonts for a picture: what the default font lacks comes from an installed Chinese one, or is escaped."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

__all__ = ["Lettering", "choose_lettering"]

_DEFAULT = "DejaVu Sans"  # matplotlib brings it along

# Families with Chinese characters, as Linux, macOS and Windows have them.
_CHINESE = (
    "Noto Sans CJK SC",
    "Noto Sans SC",
    "Source Han Sans SC",
    "Source Han Sans CN",
    "PingFang SC",
    "Hiragino Sans GB",
    "Heiti SC",
    "STHeiti",
    "Microsoft YaHei",
    "SimHei",
    "SimSun",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Droid Sans Fallback",
    "Noto Sans CJK JP",
    "Noto Sans CJK TC",
    "Noto Serif CJK SC",
    "AR PL UMing CN",
    "Arial Unicode MS",
)


class Lettering(msgspec.Struct, frozen=True):
    """Font families, tried in turn for each character, and the characters that they have between them."""

    families: tuple[str, ...]
    characters: frozenset[int]

    def legible(self, text: str) -> str:
        """The text on one line, with `\\u4e00` where no font has the character."""
        return "".join(
            character if ord(character) in self.characters else _escaped(character)
            for character in " ".join(text.split())
        )


def choose_lettering(texts: Iterable[str]) -> Lettering:
    """The default font, and the first installed Chinese one that adds characters these texts need."""
    from matplotlib.font_manager import fontManager

    families, characters = [_DEFAULT], _characters(_DEFAULT)
    wanted = {ord(character) for text in texts for character in text if not character.isspace()}
    if wanted - characters:
        installed = {font.name for font in fontManager.ttflist}
        for family in _CHINESE:
            if family in installed and wanted & (found := _characters(family)) - characters:
                families.append(family)
                characters |= found
                break
    return Lettering(tuple(families), characters)


def _characters(family: str) -> frozenset[int]:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    return frozenset(get_font(findfont(FontProperties(family=[family]))).get_charmap())


def _escaped(character: str) -> str:
    return character.encode("ascii", "backslashreplace").decode("ascii")
