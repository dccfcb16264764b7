"""Calendars and chats as tables."""

from __future__ import annotations

import json

import pytest

from caveat.core.errors import InputError
from caveat.sources.dated_entries import read_chat
from caveat.sources.read import parse_file

CALENDAR = """BEGIN:VCALENDAR
VERSION:2.0
BEGIN:VTIMEZONE
BEGIN:STANDARD
DTSTART:19701025T030000
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
SUMMARY:Regatta\\, first race
DTSTART;TZID=Europe/London:20260904T093000
DTEND:20260904T120000Z
LOCATION:Heron
  Lake
DESCRIPTION:Bring a jacket.\\nBoats are ready.
ORGANIZER;CN="Ann Bell":mailto:ann@club.example
BEGIN:VALARM
DESCRIPTION:Reminder
END:VALARM
END:VEVENT
BEGIN:VEVENT
SUMMARY:Cleaning
DTSTART;VALUE=DATE:20260910
RRULE:FREQ=WEEKLY;BYDAY=TH
END:VEVENT
END:VCALENDAR
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_calendar(end: str) -> None:
    (read,) = parse_file(CALENDAR.replace("\n", end).encode(), "club.ics").tables
    assert read.table.headers == ("event", "begins", "ends", "place", "description", "organiser", "repeats")
    assert read.table.rows == (
        (
            "Regatta, first race",
            "2026-09-04 09:30",
            "2026-09-04 12:00 UTC",
            "Heron Lake",
            "Bring a jacket. Boats are ready.",
            "Ann Bell",
            "",
        ),
        ("Cleaning", "2026-09-10", "", "", "", "", "FREQ=WEEKLY, BYDAY=TH"),
    )
    with pytest.raises(InputError, match="holds no events"):
        parse_file(b"BEGIN:VCALENDAR\nEND:VCALENDAR\n", "club.ics")


CHATS = (
    "[04/09/2026, 10:12:33] Ann: The gate is open.\n"
    "[04/09/2026, 10:13:00] Lan: Thanks!\nSee you\n[04/09/2026, 10:14:01] Ann: Yes",
    "04/09/2026, 10:12 - Chats are encrypted.\n04/09/2026, 10:12 - Ann: The gate is open.\n"
    "04/09/2026, 10:13 - Lan: Thanks!\nSee you\n04/09/2026, 10:14 - Ann: Yes",
)


@pytest.mark.parametrize("text", CHATS)
def test_a_chat_is_a_text_and_a_table(text: str) -> None:
    contents = parse_file(text.encode(), "chat.txt")
    assert contents.document is not None
    assert contents.document.text == text
    (read,) = contents.tables
    assert read.table.headers == ("date", "time", "sender", "message")
    assert [(row[2], row[3]) for row in read.table.rows] == [
        ("Ann", "The gate is open."),
        ("Lan", "Thanks! See you"),
        ("Ann", "Yes"),
    ]
    assert read_chat("On 04/09/2026, 10:12 - Ann: hello\n" * 5, "a") is None
    assert read_chat("It costs 5.\n" * 20 + CHATS[0], "a") is None


def test_a_channel_of_slack() -> None:
    messages = [
        {"type": "message", "user": "U1", "text": "Keys are at <https://a.example|the desk>", "ts": "1788516753.1",
         "user_profile": {"real_name": "Ann Bell"}},
        {"type": "message", "user": "U2", "text": "Thanks <@U1> &amp; all", "ts": "1788516813.2"},
    ]  # fmt: skip
    (read,) = parse_file(json.dumps(messages).encode(), "2026-09-04.json").tables
    assert read.table.headers == ("time (UTC)", "sender", "message")
    assert read.table.rows == (
        ("2026-09-04 10:12", "Ann Bell", "Keys are at the desk"),
        ("2026-09-04 10:13", "U2", "Thanks Ann Bell & all"),
    )
