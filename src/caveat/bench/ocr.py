"""Text in pictures: pages of known text, drawn, turned, blurred and stained, and what is recognised of them."""

from __future__ import annotations

from io import BytesIO
from time import process_time
from typing import Any

from caveat.bench.measure import Measured, Watch
from caveat.core.errors import CaveatError, UsageError
from caveat.core.languages import count_han
from caveat.core.limits import limits
from caveat.core.loading import load, needs_extra
from caveat.sources.parser_process import is_installed

_ENGLISH = (
    "Rules of the boat house",
    "Members may borrow a rowing boat for three hours at a time. The deposit is 25 euros, and it is paid back as soon "
    "as the boat has been cleaned and put back on its rack. Whoever damages an oar pays half of its price.",
    "Guests row only together with a member who has passed the safety test. Children under the age of twelve wear a "
    "life jacket at all times, even while they wait on the pontoon.",
    "Opening hours",
    "From April to September the gate is open from 7.30 a.m. to 9 p.m.; in winter it closes at 5 p.m. Keys are handed "
    "out by the warden (room 4, telephone 0164-220318) against a signature.",
    "When the wind reaches force 6, or when the red flag is shown, no boat leaves the harbour. The warden decides, and "
    "there is no refund of the fee of £12.50 for that day.",
)
_CHINESE = (
    "游船码头管理规定",
    "会员每次可以借用一条划艇三个小时，押金为二百五十元。归还时船只清洗干净并放回架上的，押金当场退还；"
    "损坏船桨的，按原价的一半赔偿。",
    "访客必须由通过安全考试的会员陪同才能下水。未满十二周岁的儿童在码头等候时也要穿好救生衣。",
    "开放时间",
    "四月至九月每天上午7点30分开门，晚上9点关门；冬季下午5点关门。钥匙由管理员（4号房间，电话0164-220318）登记后发放。",
    "风力达到六级或者挂出红旗时，任何船只不得离港。是否停航由管理员决定，当天的费用12.50元不予退还。",
)
# A page as a scanner gives it at 150 dots an inch.
_WIDTH, _HEIGHT, _MARGIN = 1240, 1754, 130
_TITLE, _BODY, _LEADING = 40, 25, 1.5
_BLUR, _NOISE, _PAPER, _INK = 1.1, 22.0, 235, 40
_SEED = 11
_SECONDS = 600


def bench_ocr(*, font: str | None = None, watch: Watch = lambda items, _: items) -> Measured:
    """Recognise a page of English, and one of Chinese where a font has its characters, in four states of each."""
    if not is_installed("picture"):
        raise CaveatError(needs_extra("This benchmark", "rapidocr", "ocr"))
    texts = {"English": _ENGLISH, **({"Chinese": _CHINESE} if font is not None else {})}
    work = [(language, state) for language in texts for state in _STATES]
    rows = []
    for language, state in watch(work, len(work)):
        wrong, letters, seconds, confidence = _measured(_drawn(texts[language], font), state, texts[language])
        rows.append((language, state, round(100 * wrong / letters, 2), round(seconds, 2), confidence))
    return Measured(
        "Text in pictures",
        ("text", "state of the page", "character errors in 100", "processor seconds a page", "remark"),
        tuple(rows),
        (f"pages of {_WIDTH} by {_HEIGHT} dots; blanks of Chinese text are not compared",),
    )


_STATES = ("as drawn", "turned by 2 degrees", "blurred", "turned, blurred, grey and noisy")


def _measured(page: Any, state: str, text: tuple[str, ...]) -> tuple[int, int, float, str]:
    # In this process, so that its processor time can be told.
    read = load("caveat.sources.scans:read_picture")
    data = BytesIO()
    _worn(page, state).save(data, "PNG")
    begin = process_time()
    with limits(seconds=_SECONDS):
        found = read(data.getvalue())
    seconds = process_time() - begin
    wanted, given = "\n".join(text), "\n".join(block.text for block in found.blocks)
    wanted, given = _compared(wanted), _compared(given)
    return edits_between(wanted, given), len(wanted), seconds, found.remark


def _compared(text: str) -> str:
    return "".join(text.split()) if count_han(text) else " ".join(text.split())


def edits_between(one: str, other: str) -> int:
    """The fewest characters to put in, take out or change that make one text the other."""
    above = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        corner, above[0] = above[0], row
        for column, against in enumerate(other, 1):
            best = min(above[column] + 1, above[column - 1] + 1, corner + (letter != against))
            corner, above[column] = above[column], best
    return above[-1]


def _drawn(text: tuple[str, ...], font: str | None) -> Any:
    """The text on a page; the shorter paragraphs are headings."""
    from PIL import Image, ImageDraw, ImageFont

    page = Image.new("L", (_WIDTH, _HEIGHT), 255)
    pen = ImageDraw.Draw(page)
    down = float(_MARGIN)
    for paragraph in text:
        size = _TITLE if len(paragraph) < _TITLE else _BODY
        try:
            face: Any = ImageFont.load_default(size) if font is None else ImageFont.truetype(font, size)
        except OSError as error:
            raise UsageError(f"{font} cannot be read as a font: {error}") from error
        for line in _wrapped(
            paragraph, lambda words, face=face: bool(face.getlength(words) > _WIDTH - 2 * _MARGIN)
        ):
            pen.text((_MARGIN, down), line, font=face, fill=0)
            down += _LEADING * size
        down += _BODY
    return page


def _wrapped(paragraph: str, is_too_long: Any) -> list[str]:
    """The lines of a paragraph: broken at blanks, in Chinese anywhere."""
    parts = list(paragraph) if count_han(paragraph) else [f"{word} " for word in paragraph.split()]
    lines = [""]
    for part in parts:
        if is_too_long((lines[-1] + part).rstrip()):
            lines.append("")
        lines[-1] += part
    return lines


def _worn(page: Any, state: str) -> Any:
    """The page as a scanner or a telephone may give it."""
    import numpy as np
    from PIL import Image, ImageFilter

    if "turned" in state:
        page = page.rotate(2, resample=Image.Resampling.BICUBIC, fillcolor=255)
    if "blurred" in state:
        page = page.filter(ImageFilter.GaussianBlur(_BLUR))
    if "noisy" not in state:
        return page
    grey = _INK + np.asarray(page, dtype=np.float32) * ((_PAPER - _INK) / 255)
    grey += np.random.default_rng(_SEED).normal(0, _NOISE, grey.shape).astype(np.float32)
    return Image.fromarray(grey.clip(0, 255).astype(np.uint8))
