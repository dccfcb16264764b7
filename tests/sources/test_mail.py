"""Letters whose headers were made to take long, and headers as mail programs write them."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

import pytest

from caveat.core.errors import InputError
from caveat.sources.mail import Letter, read_mail
from caveat.sources.read import parse_file

Headers = Callable[[int], bytes]
# Headers of about so many bytes.
LONG: dict[str, tuple[str, Headers]] = {
    "encoded words": ("Subject", lambda size: b"Subject: " + b"=?utf-8?B?5L2g5aW9?= " * (size // 21)),
    "quotes": ("To", lambda size: b"Subject: x\nTo: " + b'"a' * (size // 2)),
    "comments": ("To", lambda size: b"Subject: x\nTo: " + b"(" * size),
    "people": ("To", lambda size: b"Subject: x\nTo: " + b"Ann B <a@example.org>, " * (size // 23)),
    "folded lines": ("Subject", lambda size: b"Subject: x\n" + b" word\n" * (size // 6) + b" x"),
    "parameters": (
        "Content-Type",
        lambda size: b"Subject: x\nContent-Type: text/plain" + b"; a=b" * (size // 5),
    ),
    "comments of a type": (
        "Content-Type",
        lambda size: b"Subject: x\nContent-Type: text/plain " + b"(" * size,
    ),
}


def letter(head: bytes) -> Letter:
    return read_mail(head + b"\nFrom: a@example.org\n\nIt costs 5.\n")


@pytest.mark.parametrize("name", LONG)
def test_a_header_that_is_too_long_is_cut_which_is_said(name: str) -> None:
    header, head = LONG[name]
    read = letter(head(650_000))
    assert read.pieces.remark == f"headers that are too long were cut: {header}"
    assert len(read.pieces.pieces[0].text) < 64_000 * 6
    assert read.pieces.pieces[1].text == "It costs 5.\n"


@pytest.mark.parametrize("name", LONG)
def test_time_grows_with_the_length_of_headers_at_most(name: str) -> None:
    """Eight times the length takes at most some twenty times as long, twice as much as it may and more."""
    _, head = LONG[name]
    times = []
    for size in (80_000, 640_000):
        data = head(size)
        begin = process_time()
        for _ in range(3):
            letter(data)
        times.append(process_time() - begin)
    assert times[1] < 20 * times[0] + 0.5


def test_a_header_below_the_limit_is_whole() -> None:
    people = [b"Person %d <p%d@example.org>" % (number, number) for number in range(800)]
    read = letter(b"Subject: x\nTo: " + b",\n ".join(people))
    assert read.pieces.remark == ""
    assert "Person 799 &lt;p799@example.org&gt;" in read.pieces.pieces[0].text


@pytest.mark.parametrize(
    ("header", "shown"),
    [
        (b"=?utf-8?B?5L2g5aW9?= <lan@example.org>", "你好 <lan@example.org>"),
        (b"=?utf-8?B?5L2g5aW9?=\n <lan@example.org>", "你好 <lan@example.org>"),
        # A character that is parted between two words.
        (b"=?utf-8?B?5L2g5Q==?=\n =?utf-8?B?pb0=?=", "你好"),
        (b"=?gb2312?B?xOO6ww==?= =?iso-8859-1?Q?caf=E9_au_lait?=", "你好café au lait"),
        (b"The fees\n of the club", "The fees of the club"),
        ("费用 fees".encode(), "费用 fees"),
        ("费用 ".encode() + b"=?utf-8?B?5L2g5aW9?=", "费用 你好"),
        (b"=?no-such-charset?B?5L2g?=", "=?no-such-charset?B?5L2g?="),
        (b"=?utf-8?B?a?=", "=?utf-8?B?a?="),
        (b"caf\xe9", "caf\N{REPLACEMENT CHARACTER}"),
    ],
)
def test_headers_as_they_are_shown(header: bytes, shown: str) -> None:
    assert letter(b"Subject: " + header).pieces.title == shown


MAILBOX = b"""From ann@example.org Fri Sep  4 10:00:00 2026
From: Ann <ann@example.org>
Subject: The key
Message-ID: <1@example.org>

The key hangs in room 4.
It costs 5.

From lan@example.org Fri Sep  4 11:00:00 2026
From: Lan <lan@example.org>
Subject: Re: The key

On Friday Ann wrote:
> The key hangs in room 4.
Thanks. And the boat?
> Boats cost 10.
>From May on?

From bo@example.org Sat Sep  5 11:00:00 2026
From: Bo <bo@example.org>
Subject: Regatta
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="b"

--b
Content-Type: text/plain

See below.
--b
Content-Type: text/csv
Content-Disposition: attachment; filename="fees.csv"

Crew,Fee
Junior,6
--b--
"""


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_a_mailbox_by_subjects(end: bytes) -> None:
    contents = parse_file(MAILBOX.replace(b"\n", end), "box.mbox")
    assert contents.document is not None
    assert [(each.tag, " ".join(each.text.split())) for each in contents.document.elements] == [
        ("h1", "The key"),
        ("p", "From: Ann <ann@example.org>"),
        ("p", "The key hangs in room 4."),
        ("p", "It costs 5."),
        ("p", "From: Lan <lan@example.org>"),
        ("p", "On Friday Ann wrote:"),
        ("p", "Thanks. And the boat?"),
        ("p", "> Boats cost 10."),
        ("p", "From May on?"),
        ("h1", "Regatta"),
        ("p", "From: Bo <bo@example.org>"),
        ("p", "See below."),
    ]
    assert [member.name for member in contents.members] == ["3/fees.csv"]
    with pytest.raises(InputError, match="cannot be read as a mailbox"):
        parse_file(b"The key hangs in room 4.", "box.mbox")
