"""Subtitles (.srt, .vtt) as text: what is said, in paragraphs, without numbers and times."""

from __future__ import annotations

import re
from html import unescape

from caveat.core.records import Document
from caveat.sources.outline import Block, assemble

__all__ = ["read_subtitles"]

_STAMP = r"(?:(\d{1,3}):)?(\d{1,2}):(\d{2})[.,](\d{1,3})"
_TIMES = re.compile(rf"\s*{_STAMP}[ \t]+-->[ \t]+{_STAMP}.*")
_BLOCK = re.compile(r"\n[ \t]*\n+")
_SPEAKER = re.compile(r"<v(?:\.[\w.]+)?[ \t]+([^<>]{1,80})>")
_TAGS = re.compile(r"</?[a-zA-Z][^<>]{0,200}>|<[\d:.]+>|\{\\[^{}]{0,80}\}")
_SENTENCE_END = (".", "!", "?", "。", "！", "？", "…", "”", '"')
# A pause of so many seconds parts what is said; so does the end of a sentence, once a paragraph is long enough.
_PAUSE = 4.0
_LONG = 400


def read_subtitles(text: str) -> Document:
    """What is said, a paragraph for each part without a pause or a change of the speaker."""
    said: list[str] = []
    blocks: list[Block] = []
    before = 0.0

    def end() -> None:
        if said:
            blocks.append(Block("p", 0, " ".join(said)))
            said.clear()

    for cue in _BLOCK.split(text.replace("\r\n", "\n").replace("\r", "\n")):
        lines = cue.split("\n")
        at = next((index for index, line in enumerate(lines[:3]) if _TIMES.match(line)), None)
        if at is None:
            continue  # the head of the file, notes and styles
        times = _TIMES.match(lines[at])
        words = " ".join(lines[at + 1 :])
        speaker = _SPEAKER.search(words)
        words = " ".join(unescape(_TAGS.sub("", words)).split())
        if times is None or not words:
            continue
        begin = _seconds(times.groups()[:4])
        is_long = sum(map(len, said)) > _LONG and said[-1].endswith(_SENTENCE_END)
        if speaker is not None or begin - before > _PAUSE or is_long:
            end()
        # What rolls over the screen stands in it twice.
        if not said or words != said[-1]:
            said.append(f"{speaker[1]}: {words}" if speaker is not None else words)
        before = _seconds(times.groups()[4:])
    end()
    return assemble(blocks)


def _seconds(parts: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, fraction = (part or "0" for part in parts)
    return 3600 * int(hours) + 60 * int(minutes) + float(f"{int(seconds)}.{fraction}")
