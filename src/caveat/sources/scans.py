"""Scanned pages and pictures as documents: their lines are recognised by RapidOCR and laid out as those of any PDF.

Runs in the process of the parsers. The models come with the package; nothing is fetched.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from functools import cache
from math import atan2, cos, hypot, sin
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

from caveat.core.errors import InputError, one_line
from caveat.core.limits import current_limits, over
from caveat.sources.pdf import Pdf, is_scanned, opened_pdf, outline_of, page_text
from caveat.sources.pdf_blocks import blocks_of_pages
from caveat.sources.pdf_text import BROKEN, PageText, Run

# Pages are drawn with so many dots a point: 166 an inch, so that a page is as large as the network takes it.
_DOTS = 2.3
_LONGEST_SIDE = 2000
_SMALLEST_SIDE = 24
# Lines below this confidence are said to be uncertain.
_CERTAIN = 0.85
# Heights that differ by less are those of one size of letters: boxes are as high as the letters that stand in them.
_SAME_SIZE = 0.25
# Boxes that are so much longer than high tell how a page is turned.
_LONG = 4.0
# Of the time that a file may take; what is left is for putting the pages together.
_SHARE_OF_TIME = 0.75
_SHOWN = 40
_MOST_SHOWN = 3

Point = tuple[float, float]


class Recognised(NamedTuple):
    """A line that was recognised: its text, the corners of its box from the upper left one on, its confidence."""

    text: str
    corners: tuple[Point, ...]
    confidence: float


def read_scanned_pdf(data: bytes) -> Pdf:
    """A PDF some of whose pages are pictures: these are recognised as long as there is time, the others read."""
    begin = perf_counter()
    pages: list[PageText] = []
    unread: list[int] = []
    lines: list[tuple[int, Recognised]] = []
    with opened_pdf(data) as opened:
        if len(opened) > current_limits().pages:
            raise over("pages", f"has {len(opened):,} pages")
        for number in range(len(opened)):
            page = page_text(opened, number)
            if is_scanned(opened, number, page):
                if perf_counter() - begin > _SHARE_OF_TIME * current_limits().seconds:
                    unread.append(number + 1)
                else:
                    found = _recognise(_drawn(opened, number))
                    lines += [(number + 1, line) for line in found]
                    page = laid_out(found, page.width, page.height, 1 / _DOTS)
            pages.append(page)
        title = " ".join(opened.get_metadata_value("Title").split())
        blocks, tables = blocks_of_pages(pages, outline_of(opened), title)
    return Pdf(title, blocks, tables, unread, uncertain(lines))


def read_picture(data: bytes) -> Pdf:
    """What stands on a picture, each picture of a file a page."""
    begin = perf_counter()
    pages: list[PageText] = []
    unread: list[int] = []
    lines: list[tuple[int, Recognised]] = []
    for number, picture in enumerate(_pictures(data), 1):
        if number > 1 and perf_counter() - begin > _SHARE_OF_TIME * current_limits().seconds:
            unread.append(number)
            continue
        found = _recognise(picture)
        lines += [(number, line) for line in found]
        pages.append(laid_out(found, picture.shape[1] / _DOTS, picture.shape[0] / _DOTS, 1 / _DOTS))
    blocks, tables = blocks_of_pages(pages)
    if len(pages) + len(unread) == 1:
        blocks = [block._replace(page=0, turns=()) for block in blocks]
    return Pdf("", blocks, tables, unread, uncertain(lines))


def laid_out(lines: Sequence[Recognised], width: float, height: float, scale: float) -> PageText:
    """Lines as the text of an upright page; what is turned by a few degrees is turned back."""
    turn = _turn_of(lines)
    boxes = [_upright(line.corners, turn) for line in lines]
    heights = [bottom - top for _, top, _, bottom in boxes]
    body = _usual(heights, [len(line.text) for line in lines])
    runs = []
    for line, (left, top, right, bottom), high in zip(lines, boxes, heights, strict=True):
        size = body if abs(high - body) <= _SAME_SIZE * body else high
        text = " ".join(line.text.split())
        # As PDFium marks the hyphen at a line end.
        if len(text) > 1 and text.endswith("-") and text[-2].isalpha():
            text = text[:-1] + BROKEN
        if text:
            edges = (scale * left, scale * top, scale * right, scale * bottom)
            runs.append(Run(text, edges[0], edges[1], edges[2], edges[3], round(scale * size, 1)))
    return PageText(width, height, runs, [])


def _turn_of(lines: Iterable[Recognised]) -> float:
    """By which angle most long lines are turned."""
    angles = [
        atan2(right[1] - left[1], right[0] - left[0])
        for left, right, low, *_ in (line.corners for line in lines)
        if hypot(right[0] - left[0], right[1] - left[1]) > _LONG * hypot(low[0] - right[0], low[1] - right[1])
    ]
    return median(angles) if angles else 0.0


def _upright(corners: Sequence[Point], turn: float) -> tuple[float, float, float, float]:
    """The left, top, right and bottom of a box that is turned back."""
    sine, cosine = sin(-turn), cos(-turn)
    across = sorted(x * cosine - y * sine for x, y in corners)
    down = sorted(x * sine + y * cosine for x, y in corners)
    return sum(across[:2]) / 2, sum(down[:2]) / 2, sum(across[2:]) / 2, sum(down[2:]) / 2


def _usual(sizes: Sequence[float], weights: Sequence[int]) -> float:
    """The size in the middle of all letters."""
    left = sum(weights) / 2
    for size, weight in sorted(zip(sizes, weights, strict=True)):
        left -= weight
        if left <= 0:
            return size
    return 0.0


def uncertain(lines: Sequence[tuple[int, Recognised]]) -> str:
    """What is to be said of how well lines were recognised, with their pages; the least certain ones are named."""
    if not lines:
        return ""
    doubtful = sorted(
        ((line.confidence, page, line.text) for page, line in lines if line.confidence < _CERTAIN)
    )
    share = round(100 * sum(line.confidence for _, line in lines) / len(lines))
    said = f"recognised {len(lines):,} line{'s' * (len(lines) > 1)} in pictures, confidence {share}%"
    if not doubtful:
        return said
    named = ", ".join(f"p. {page} “{one_line(text, _SHOWN)}”" for _, page, text in doubtful[:_MOST_SHOWN])
    return f"{said}; {len(doubtful):,} uncertain, check them: {named}"


def _drawn(opened: Any, number: int) -> Any:
    """A page as a picture, in blue, green and red."""
    with closing(opened[number]) as page:
        longest = max(page.get_size())
        scale = min(_DOTS, _LONGEST_SIDE / longest if longest else _DOTS)
        drawn = page.render(scale=scale).to_numpy()[:, :, :3]
        if scale == _DOTS:
            return drawn
        from PIL import Image

        # Of a poster; the boxes are counted in the dots of a page.
        size = (round(drawn.shape[1] * _DOTS / scale), round(drawn.shape[0] * _DOTS / scale))
        return _array(Image.fromarray(drawn).resize(size))


def _pictures(data: bytes) -> Iterator[Any]:
    """The pictures of a file, upright, no larger than the networks take them."""
    from PIL import Image, ImageOps, ImageSequence, UnidentifiedImageError

    most = current_limits()
    Image.MAX_IMAGE_PIXELS = None  # the limit is the one below
    try:
        with Image.open(io.BytesIO(data)) as opened:
            if (count := getattr(opened, "n_frames", 1)) > most.pages:
                raise over("pages", f"has {count:,} pictures")
            for frame in ImageSequence.Iterator(opened) if opened.format == "TIFF" else (opened,):
                if 3 * frame.width * frame.height > most.source_bytes:
                    raise over("source_bytes", f"has {frame.width:,} by {frame.height:,} dots")
                if opened.format == "JPEG":
                    frame.draft("RGB", (_LONGEST_SIDE, _LONGEST_SIDE))
                picture = _opaque(ImageOps.exif_transpose(frame) or frame)
                picture.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
                yield _array(picture)[:, :, ::-1]
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError) as error:
        raise InputError(f"cannot be read as a picture: {one_line(str(error), 200)}") from error


def _opaque(picture: Any) -> Any:
    """What has no colour at a place is white there, as paper is."""
    if picture.mode not in ("RGBA", "LA", "PA") and "transparency" not in picture.info:
        return picture.convert("RGB")
    from PIL import Image

    layer = picture.convert("RGBA")
    paper = Image.new("RGBA", layer.size, "white")
    return Image.alpha_composite(paper, layer).convert("RGB")


def _array(picture: Any) -> Any:
    import numpy as np

    return np.ascontiguousarray(np.asarray(picture))


def _recognise(picture: Any) -> list[Recognised]:
    if min(picture.shape[:2]) < _SMALLEST_SIDE:
        return []
    import numpy as np

    found = _engine()(np.ascontiguousarray(picture))
    if found.boxes is None or found.txts is None or found.scores is None:
        return []
    return [
        Recognised(text, tuple((float(x), float(y)) for x, y in box), float(score))
        for text, box, score in zip(found.txts, found.boxes, found.scores, strict=True)
    ]


@cache
def _engine() -> Any:
    from rapidocr import RapidOCR

    return RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.max_side_len": round(_LONGEST_SIDE * 1.1),
            # More processors than these win little on one page.
            "EngineConfig.onnxruntime.intra_op_num_threads": 2,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )
