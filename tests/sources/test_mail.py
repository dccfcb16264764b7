"""Letters whose headers were made to take long, and headers as mail programs write them."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

import pytest

from caveat.sources.mail import Letter, read_mail

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
