"""The text of a page of a PDF, as PDFium finds it: runs of letters without a gap, with their boxes and fonts."""

from __future__ import annotations

import re
from contextlib import closing
from ctypes import byref, c_float, c_int, create_string_buffer
from math import hypot
from typing import Any, NamedTuple

_BOLD = re.compile(r"bold|black|heavy|semibd|demi|[-,]b\Z|cmbx|cmssbx|\bbx|medi\Z|HVB|-bf", re.IGNORECASE)
_FIXED = re.compile(r"mono|courier|consol|typewriter|cmtt|sftt|fixed|code", re.IGNORECASE)
_FIXED_PITCH, _FORCE_BOLD = 1, 1 << 18
_BOLD_WEIGHT = 600
# A wider gap than this share of the letters' height parts two runs; words are parted by less.
_GAP = 0.7
# Letters that overlap less than this share of their height stand on different lines.
_OVERLAP = 0.4
# Of a page with more letters than a page can show, only these are read.
_MOST_LETTERS = 200_000
# PDFium's mark for a hyphen at a line end; older versions had another.
_HYPHEN, _OLD_HYPHEN = 0xFFFE, 0x2
BROKEN = "\ufffe"
"""Stands for the hyphen of a word that was broken at a line end."""
# Letters that stand for others.
_SHOWN = {
    _HYPHEN: BROKEN,
    _OLD_HYPHEN: BROKEN,
    0xFB00: "ff",
    0xFB01: "fi",
    0xFB02: "fl",
    0xFB03: "ffi",
    0xFB04: "ffl",
    0xFB05: "st",
    0xFB06: "st",
    0xA0: " ",
    0xAD: BROKEN,
}
_SURROGATES = range(0xD800, 0xE000)
_MOST_RULES = 4000
_THIN = 2.0


Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


class Run(NamedTuple):
    """Letters beside each other; y goes down the page, `size` is that of the font in points."""

    text: str
    left: float
    top: float
    right: float
    bottom: float
    size: float
    bold: bool = False
    fixed: bool = False


class Rule(NamedTuple):
    """A line that is drawn, across or down the page."""

    left: float
    top: float
    right: float
    bottom: float


class PageText(NamedTuple):
    """A page: its width and height, its runs in the order in which they were written, its lines."""

    width: float
    height: float
    runs: list[Run]
    rules: list[Rule]


def read_page(page: Any) -> PageText:
    """The text of a page that PDFium has opened; what is not upright is turned, or left out if it is a stamp."""
    with closing(page.get_textpage()) as text:
        reader = _Reader(text)
        reader.read()
    turn = reader.usual_turn()
    left, bottom, right, top = page.get_mediabox()
    left, top, right, bottom = _turned((left, -top, right, -bottom), turn)
    return PageText(
        right - left,
        bottom - top,
        [_moved(run, left, top) for run, turned in reader.runs if turned == turn],
        [Rule(*_shifted(_turned(box, turn), left, top)) for box in _rules(page)],
    )


def _shifted(box: Box, left: float, top: float) -> Box:
    return box[0] - left, box[1] - top, box[2] - left, box[3] - top


def _moved(run: Run, left: float, top: float) -> Run:
    return Run(run.text, *_shifted(run[1:5], left, top), *run[5:])


def _turned(box: Box, turn: int) -> Box:
    """A box (left, top, right, bottom) after so many quarter turns that make its text upright."""
    left, top, right, bottom = box
    if turn == 1:  # letters go up the page
        return -bottom, left, -top, right
    if turn == 2:
        return -right, -bottom, -left, -top
    if turn == 3:
        return top, -right, bottom, -left
    return box


class _Reader:
    """PDFium's letters, one after the other, gathered as long as they follow each other."""

    def __init__(self, text: Any) -> None:
        import pypdfium2.raw as pdfium

        self._pdfium = pdfium
        self._text = text.raw
        self._count = min(text.count_chars(), _MOST_LETTERS)
        self.runs: list[tuple[Run, int]] = []
        self._letters: list[str] = []
        self._first = self._last = 0
        self._turn = 0
        self._name = create_string_buffer(128)

    def usual_turn(self) -> int:
        """How most letters of the page are turned."""
        counts = [0, 0, 0, 0]
        for run, turn in self.runs:
            if turn >= 0:
                counts[turn] += len(run.text)
        return counts.index(max(counts))

    def read(self) -> None:
        """Read the letters into `runs`."""
        pdfium, text = self._pdfium, self._text
        letter, box_of = pdfium.FPDFText_GetUnicode, pdfium.FPDFText_GetLooseCharBox
        rect = pdfium.FS_RECTF()
        place = byref(rect)
        blank = False
        high = 0
        letters = self._letters
        left = top = right = bottom = 0.0
        for index in range(self._count):
            code = letter(text, index)
            if code <= 32 and code != _OLD_HYPHEN:
                blank = True
                if letters and code in (10, 13):
                    self._end((left, top, right, bottom))
                continue
            if code >= 0xD800 and code in _SURROGATES:
                if code < 0xDC00:
                    high = code
                    continue
                code = 0x10000 + ((high & 0x3FF) << 10) + (code & 0x3FF)
            if not box_of(text, index, place):
                continue
            box = (rect.left, -rect.top, rect.right, -rect.bottom)
            if letters:
                start, head, end, foot = box if self._turn <= 0 else _turned(box, self._turn)
                em = bottom - top
                height = foot - head if foot - head < em else em
                overlap = (foot if foot < bottom else bottom) - (head if head > top else top)
                if overlap < _OVERLAP * height or not -0.5 * em < start - right < _GAP * max(em, 1.0):
                    self._end((left, top, right, bottom))
            shown = _SHOWN.get(code) or chr(code)
            if letters:
                if blank:
                    letters.append(" ")
                # A raised letter does not raise its line.
                if foot - head > em:
                    top, bottom = head, foot
                if end > right:
                    right = end
            else:
                self._turn = self._turn_at(index)
                left, top, right, bottom = box if self._turn <= 0 else _turned(box, self._turn)
                self._first = index
            letters.append(shown)
            self._last = index
            blank = False
        self._end((left, top, right, bottom))

    def _end(self, box: Box) -> None:
        text = " ".join("".join(self._letters).split())
        self._letters.clear()
        if not text:
            return
        sizes, bold, fixed = [], True, True
        for index in {self._first, self._last}:
            size, is_bold, is_fixed = self._style(index)
            if size:
                sizes.append(size)
                bold, fixed = bold and is_bold, fixed and is_fixed
        size = max(sizes, default=box[3] - box[1])
        self.runs.append((Run(text, *box, round(size, 1), bold, fixed), self._turn))

    def _turn_at(self, index: int) -> int:
        matrix = self._matrix(index)
        if abs(matrix.b) <= 0.1 * abs(matrix.a):
            return 0 if matrix.a >= 0 else 2
        if abs(matrix.a) <= 0.1 * abs(matrix.b):
            return 1 if matrix.b > 0 else 3
        return -1

    def _matrix(self, index: int) -> Any:
        matrix = self._pdfium.FS_MATRIX(1, 0, 0, 1, 0, 0)
        self._pdfium.FPDFText_GetMatrix(self._text, index, byref(matrix))
        return matrix

    def _style(self, index: int) -> tuple[float, bool, bool]:
        pdfium, text = self._pdfium, self._text
        if pdfium.FPDFText_IsGenerated(text, index) == 1:
            return 0.0, True, True
        matrix = self._matrix(index)
        size = pdfium.FPDFText_GetFontSize(text, index) * hypot(matrix.c, matrix.d)
        flags = c_int(0)
        pdfium.FPDFText_GetFontInfo(text, index, self._name, len(self._name), byref(flags))
        name = self._name.value.decode("utf-8", "replace").partition("+")[2] or self._name.value.decode(
            "utf-8", "replace"
        )
        heavy = pdfium.FPDFText_GetFontWeight(text, index) >= _BOLD_WEIGHT or bool(flags.value & _FORCE_BOLD)
        fixed = bool(flags.value & _FIXED_PITCH) or _FIXED.search(name) is not None
        return size, heavy or _BOLD.search(name) is not None, fixed


def _rules(page: Any) -> list[Box]:
    """The boxes of what is drawn as thin as a line; pages that are full of drawings have none."""
    import pypdfium2.raw as pdfium

    count = pdfium.FPDFPage_CountObjects(page.raw)
    if count > _MOST_RULES:
        return []
    found: list[Box] = []
    left, bottom, right, top = c_float(), c_float(), c_float(), c_float()
    for index in range(count):
        drawn = pdfium.FPDFPage_GetObject(page.raw, index)
        if pdfium.FPDFPageObj_GetType(drawn) != pdfium.FPDF_PAGEOBJ_PATH:
            continue
        if not pdfium.FPDFPageObj_GetBounds(drawn, byref(left), byref(bottom), byref(right), byref(top)):
            continue
        box = (left.value, -top.value, right.value, -bottom.value)
        width, height = box[2] - box[0], box[3] - box[1]
        if min(width, height) <= _THIN < max(width, height):
            found.append(box)
        elif width > 10 and height > 6 and _is_frame(drawn):
            found += [
                (box[0], box[1], box[2], box[1]),
                (box[0], box[3], box[2], box[3]),
                (box[0], box[1], box[0], box[3]),
                (box[2], box[1], box[2], box[3]),
            ]
    return found


def _is_frame(drawn: Any) -> bool:
    import pypdfium2.raw as pdfium

    return pdfium.FPDFPath_CountSegments(drawn) in (4, 5)
