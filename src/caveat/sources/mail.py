"""Letters (.eml): their head, their text, and what is attached. Runs in the process of the parsers."""

from __future__ import annotations

from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header
from email.message import EmailMessage
from email.policy import EmailPolicy
from html import escape
from typing import Any, cast

import msgspec

from caveat.core.errors import InputError
from caveat.sources.contents import Member, Piece, Pieces

_SHOWN = ("From", "To", "Cc", "Date")
_NAMELESS = "attachment"
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


def read_mail(data: bytes) -> Letter:
    """A letter with its head; of a text that is there twice the HTML, which has lists and tables."""
    policy: Any = _Policy(cut={})  # type: ignore[call-overload]
    message = message_from_bytes(data, policy=policy)
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
    attached = [_attached(each) for each in message.iter_attachments()]
    remark = f"headers that are too long were cut: {', '.join(policy.cut)}" if policy.cut else ""
    return Letter(Pieces(subject, pieces, remark), attached)


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
