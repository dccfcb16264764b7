"""What has a time: calendars (.ics) and exports of chats (WhatsApp, Slack) as tables, subtitles (.srt, .vtt) as a text.

A row is an event or a message.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import unescape
from typing import Any

from caveat.core.errors import InputError
from caveat.core.records import Document
from caveat.sources.grid import RawTable
from caveat.sources.outline import Block, assemble

# RFC 5545: a property, its parameters, its value; a line that begins with a blank goes on.
_PROPERTY = re.compile(r"([\w-]+)((?:;[^:;\"]*(?:\"[^\"]*\")?)*):(.*)")
_FOLD = re.compile(r"\r?\n[ \t]")
_ESCAPE = re.compile(r"\\([nN,;\\])")
_TIME = re.compile(r"(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?")
_COLUMNS = {
    "SUMMARY": "event",
    "DTSTART": "begins",
    "DTEND": "ends",
    "DUE": "due",
    "LOCATION": "place",
    "DESCRIPTION": "description",
    "ORGANIZER": "organiser",
    "ATTENDEE": "attendees",
    "STATUS": "status",
    "RRULE": "repeats",
}
_NAMED = re.compile(r";CN=(\"[^\"]*\"|[^;:]*)", re.IGNORECASE)
_ENTRIES = frozenset(("VEVENT", "VTODO", "VJOURNAL"))


def read_calendar(text: str, name: str) -> RawTable:
    """The events and tasks of a calendar, times as they are written: with their zone, not moved into another."""
    entries: list[dict[str, list[str]]] = []
    inside: list[str] = []
    for line in _FOLD.sub("", text).splitlines():
        found = _PROPERTY.fullmatch(line)
        if found is None:
            continue
        key, parameters, value = found[1].upper(), found[2], found[3]
        if key == "BEGIN":
            inside.append(value.strip().upper())
            if inside[-1] in _ENTRIES:
                entries.append({})
        elif key == "END":
            del inside[-1:]
        elif inside and inside[-1] in _ENTRIES and key in _COLUMNS:
            entries[-1].setdefault(_COLUMNS[key], []).append(_shown(key, parameters, value))
    if not entries:
        raise InputError("holds no events")
    columns = [column for column in _COLUMNS.values() if any(column in entry for entry in entries)]
    rows = [["; ".join(filter(None, entry.get(column, ()))) for column in columns] for entry in entries]
    return RawTable(name, [columns, *rows], 1)


def _shown(key: str, parameters: str, value: str) -> str:
    if key in ("DTSTART", "DTEND", "DUE"):
        found = _TIME.match(value)
        if found is None:
            return value
        year, month, day, hour, minute, universal = found.groups()
        if hour is None:
            return f"{year}-{month}-{day}"
        return f"{year}-{month}-{day} {hour}:{minute}{' UTC' * bool(universal)}"
    if key in ("ORGANIZER", "ATTENDEE"):
        said = _NAMED.search(parameters)
        return said[1].strip('"') if said else re.sub(r"(?i)\Amailto:", "", value)
    plain = _ESCAPE.sub(lambda escape: " " if escape[1] in "nN" else escape[1], value)
    return " ".join(plain.replace(";", ", ").split()) if key == "RRULE" else " ".join(plain.split())


# "[04/09/2026, 10:12:33] Ann: text" of iPhones, "04/09/2026, 10:12 - Ann: text" of others; in any order of the date.
_MESSAGE = re.compile(
    r"[\u200e\u200f]?\[?(?P<date>\d{1,4}[./-]\d{1,2}[./-]\d{1,4}),?[ \u202f](?P<time>\d{1,2}[:.]\d\d(?:[:.]\d\d)?"
    r"(?:[ \u202f\xa0]?[AaPp]\.?[Mm]\.?)?)(?:\][ ]|[ ]-[ ])[\u200e\u200f]?(?:(?P<sender>[^:\n]{1,60}):[ ])?(?P<text>.*)"
)
_LOOKED_AT, _FEWEST = 50, 3


def read_chat(text: str, name: str) -> RawTable | None:
    """The messages of a chat of WhatsApp; nothing where a text is none."""
    lines = text.splitlines()
    first = [line for line in lines[:_LOOKED_AT] if line.strip()]
    if sum(_MESSAGE.match(line) is not None for line in first) < max(_FEWEST, len(first) // 3):
        return None
    rows: list[list[str]] = []
    for line in lines:
        found = _MESSAGE.match(line)
        if found is not None:
            rows.append([found["date"], found["time"], found["sender"] or "", found["text"].strip()])
        elif rows and line.strip():  # a message of several lines
            rows[-1][3] += f" {line.strip()}"
    rows = [row for row in rows if row[2]]  # what the program says has no sender
    return RawTable(name, [["date", "time", "sender", "message"], *rows], 1) if rows else None


_REFERENCE = re.compile(r"<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>")
_REAL_NAMES = ("real_name", "display_name", "name", "first_name")


def read_slack(value: Any, name: str) -> RawTable | None:
    """The messages of a channel as Slack exports them; nothing where a list of objects is none."""
    if not isinstance(value, list) or not value or not all(map(_is_message, value[:_LOOKED_AT])):
        return None
    people = {each.get("user", ""): _name_of(each) for each in value if isinstance(each, dict)}
    rows = [
        [_time_of(each["ts"]), _name_of(each), _plain(str(each["text"]), people)]
        for each in value
        if _is_message(each)
    ]
    return RawTable(name, [["time (UTC)", "sender", "message"], *rows], 1)


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "message" and {"ts", "text"} <= value.keys()


def _name_of(message: dict[str, Any]) -> str:
    profile = message.get("user_profile")
    names = [profile.get(key) for key in _REAL_NAMES] if isinstance(profile, dict) else []
    return next((str(each) for each in (*names, message.get("username"), message.get("user")) if each), "")


def _time_of(stamp: Any) -> str:
    try:
        return datetime.fromtimestamp(float(stamp), UTC).strftime("%Y-%m-%d %H:%M")
    except (TypeError, ValueError, OverflowError, OSError):
        return str(stamp)


def _plain(text: str, people: dict[str, str]) -> str:
    """A message without the marks of Slack: people and channels by their names, links by what they show."""

    def shown(found: re.Match[str]) -> str:
        mark, target, label = found.groups()
        return label or (people.get(target) or target if mark == "@" else target)

    plain = _REFERENCE.sub(shown, text)
    return " ".join(plain.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&").split())


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
