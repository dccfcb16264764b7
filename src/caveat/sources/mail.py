"""Letters (.eml) and mailboxes (.mbox): heads, texts, and what is attached. Runs in the process of the parsers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header
from email.message import EmailMessage
from email.policy import EmailPolicy
from html import escape
from itertools import groupby
from typing import Any, Literal, NamedTuple, cast

import msgspec

from caveat.core.errors import InputError
from caveat.core.limits import current_limits, over
from caveat.sources.contents import Member, Piece, Pieces

_SHOWN = ("From", "To", "Cc", "Date")
_NAMELESS = "attachment"
# A letter of a mailbox begins after an empty line; "From " inside of one is written ">From ".
_LETTER_BEGINS = re.compile(rb"\n(?:\n)?From [^\n]*\d{4}[^\n]*\n(?=[\w-]+:)")
_REPLY = re.compile(
    r"\A(?:\s*(?:re|aw|sv|fwd?|wg|回复|答复|转发|回覆)\s*(?:\[\d+\])?\s*[:：])+\s*", re.IGNORECASE
)
# Characters of a header: of one that is only decoded, and of one that is parsed, which takes the square of them. No
# other is looked at.
_LONGEST_DECODED, _LONGEST_PARSED = 64_000, 2_000
_LONGEST = {
    **dict.fromkeys(("subject", "from", "to", "cc"), _LONGEST_DECODED),
    **dict.fromkeys(
        ("date", "content-type", "content-disposition", "content-transfer-encoding"), _LONGEST_PARSED
    ),
}


class _Policy(EmailPolicy):
    """How headers are read: none is longer than it may be, and of people and subjects no grammar is needed."""

    # The names of those that were cut.
    cut: dict[str, None] = {}  # noqa: RUF012 each letter has its own

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        most = _LONGEST.get(name.lower())
        if most is not None and len(value) > most:
            self.cut[name] = None
            value = value[:most].rpartition(" ")[0] or value[:most]
        return name, value

    def header_fetch_parse(self, name: str, value: str) -> Any:
        if _LONGEST.get(name.lower()) == _LONGEST_DECODED:
            return _decoded(value)
        try:
            return super().header_fetch_parse(name, value)
        except Exception:  # its parser is as deep as comments are inside of one another
            return _decoded(value)


def _decoded(value: str) -> str:
    """A header as text: words in other encodings decoded, and bytes beyond ASCII taken for UTF-8."""
    text = "".join(value.splitlines()).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    try:
        return "".join(
            part if isinstance(part, str) else part.decode(charset or "raw-unicode-escape", "replace")
            for part, charset in decode_header(text)
        )
    except (MessageError, LookupError, ValueError):
        return text


class Letter(msgspec.Struct, frozen=True):
    """The text of a letter, and the files that are attached to it."""

    pieces: Pieces
    attached: list[Member]


class _Message(NamedTuple):
    """A letter, read: its subject, its head as HTML, its text and how that is marked up, and what is attached."""

    subject: str
    head: str
    markup: Literal["html", "plain text"]
    text: str
    attached: list[Member]
    cut: tuple[str, ...]


def read_mail(data: bytes) -> Letter:
    """A letter with its head; of a text that is there twice the HTML, which has lists and tables."""
    message = _message(data, ("html", "plain"))
    pieces = [Piece("html", f"<h1>{escape(message.subject)}</h1>{message.head}")]
    if message.text:
        parted = message.text if message.markup == "html" else _without_quoted(message.text, ())
        pieces.append(Piece(message.markup, parted))
    return Letter(Pieces(message.subject, pieces, _of_cut(message.cut)), message.attached)


def read_mailbox(data: bytes) -> Letter:
    """The letters of a mailbox, those of one subject below each other; what a letter quotes of these stands once."""
    messages: list[_Message] = []
    unread = 0
    for part in _LETTER_BEGINS.split(b"\n" + data.replace(b"\r\n", b"\n"))[1:]:
        if len(messages) >= current_limits().pages:
            raise over("pages", f"holds more than {len(messages):,} letters")
        try:
            messages.append(_message(part.replace(b"\n>From ", b"\nFrom "), ("plain", "html")))
        except InputError:
            unread += 1
    if not messages:
        raise InputError("cannot be read as a mailbox: no letter in it has a head")
    threads: dict[str, list[_Message]] = {}
    for message in messages:
        threads.setdefault(_REPLY.sub("", message.subject).casefold(), []).append(message)
    pieces: list[Piece] = []
    for thread in threads.values():
        subject = _REPLY.sub("", thread[0].subject) or thread[0].subject
        pieces.append(Piece("html", f"<h1>{escape(subject)}</h1>"))
        before: list[str] = []
        for message in thread:
            text = message.text
            if message.markup == "plain text":
                text = _without_quoted(text, before)
                before.append(_letters(text))
            pieces += (Piece("html", message.head), Piece(message.markup, text))
    attached = [
        msgspec.structs.replace(each, name=f"{number}/{each.name}")
        for number, message in enumerate(messages, 1)
        for each in message.attached
    ]
    cut = tuple(dict.fromkeys(name for message in messages for name in message.cut))
    left = f"{unread:,} letter{'s' * (unread > 1)} in it cannot be read" if unread else ""
    remark = "; ".join(filter(None, (_of_cut(cut), left)))
    return Letter(Pieces("", [piece for piece in pieces if piece.text.strip()], remark), attached)


def _message(data: bytes, kinds: tuple[Literal["html", "plain"], ...]) -> _Message:
    policy: Any = _Policy(cut={})  # type: ignore[call-overload]
    message = message_from_bytes(data, policy=policy)
    if not message.keys() or (message.get("From") is None and message.get("Subject") is None):
        raise InputError("cannot be read as a letter: it has no head")
    head = "".join(
        f"<p>{name}: {escape(_line(value))}</p>"
        for name in _SHOWN
        if (value := message.get(name)) is not None
    )
    body = message.get_body(kinds)
    markup: Literal["html", "plain text"] = (
        "html" if body is not None and body.get_content_type() == "text/html" else "plain text"
    )
    text = "" if body is None else _text(cast(EmailMessage, body))
    attached = [_attached(each) for each in message.iter_attachments()]
    return _Message(_line(message.get("Subject")), head, markup, text, attached, tuple(policy.cut))


def _of_cut(headers: tuple[str, ...]) -> str:
    return f"headers that are too long were cut: {', '.join(headers)}" if headers else ""


def _without_quoted(text: str, before: Sequence[str]) -> str:
    """A text in which what is quoted stands in paragraphs of its own, without what stands in the letters before."""
    parts: list[str] = []
    for is_quoted, lines in groupby(text.splitlines(), key=lambda line: line.lstrip().startswith(">")):
        part = "\n".join(lines)
        if is_quoted:
            letters = _letters(part)
            if letters and any(letters in other for other in before):
                continue
        parts.append(part.strip("\n"))
    return "\n\n".join(filter(str.strip, parts)) + "\n" if any(map(str.strip, parts)) else ""


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def _line(value: object) -> str:
    return " ".join(str(value or "").split())


def _text(part: EmailMessage) -> str:
    try:
        content = part.get_content()
    except (LookupError, UnicodeError):  # an encoding that nobody knows
        content = (part.get_payload(decode=True) or b"").decode("utf-8", "replace")  # type: ignore[union-attr]
    return str(content)


def _attached(part: EmailMessage) -> Member:
    name = _line(part.get_filename()) or _NAMELESS
    # Only a name: whatever folder it says is not ours.
    name = name.replace("\\", "/").rpartition("/")[2].lstrip(".") or _NAMELESS
    if part.get_content_maintype() == "message":
        return Member(name, problem="is a letter inside of a letter: save it by itself and ask again")
    content = part.get_payload(decode=True)
    return Member(name, content if isinstance(content, bytes) else b"")
