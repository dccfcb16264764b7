"""Letters (.eml): their head, their text, and what is attached. Runs in the process of the parsers."""

from __future__ import annotations

from email import message_from_bytes, policy
from email.message import EmailMessage
from html import escape
from typing import cast

import msgspec

from caveat.core.errors import InputError
from caveat.sources.contents import Member, Piece, Pieces

__all__ = ["Letter", "read_mail"]

_SHOWN = ("From", "To", "Cc", "Date")
_NAMELESS = "attachment"


class Letter(msgspec.Struct, frozen=True):
    """The text of a letter, and the files that are attached to it."""

    pieces: Pieces
    attached: list[Member]


def read_mail(data: bytes) -> Letter:
    """A letter with its head; of a text that is there twice the HTML, which has lists and tables."""
    message = message_from_bytes(data, policy=policy.default)
    if not message.keys() or (message.get("From") is None and message.get("Subject") is None):
        raise InputError("cannot be read as a letter: it has no head")
    subject = _line(message.get("Subject"))
    head = "".join(
        f"<p>{name}: {escape(_line(value))}</p>"
        for name in _SHOWN
        if (value := message.get(name)) is not None
    )
    pieces = [Piece("html", f"<h1>{escape(subject)}</h1>{head}")]
    body = message.get_body(("html", "plain"))
    if body is not None:
        markup = "html" if body.get_content_type() == "text/html" else "plain text"
        pieces.append(Piece("html" if markup == "html" else "plain text", _text(cast(EmailMessage, body))))
    return Letter(Pieces(subject, pieces), [_attached(each) for each in message.iter_attachments()])


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
