"""The process of the parsers: takes one file after the other from standard input, writes what is in it.

Both ways go frames: eight bytes that say how long it is, then msgpack, or the bytes of the file.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from threading import Thread
from time import sleep
from typing import Any, BinaryIO, Literal, NamedTuple

import msgspec

from caveat.core.errors import CaveatError, InputError, fault_of
from caveat.core.limits import Limits, limits, over
from caveat.core.loading import extra_command, load


class Parser(NamedTuple):
    """What parses a kind of file, with which package, and how that is installed where it is missing."""

    home: str
    files: str
    package: str
    install: str = ""


PARSERS = {
    "pdf": Parser("caveat.sources.pdf:read_pdf", "PDF files", "pypdfium2", "pip install pypdfium2"),
    "scanned pdf": Parser("caveat.sources.scans:read_scanned_pdf", "scans", "rapidocr", extra_command("ocr")),
    "picture": Parser("caveat.sources.scans:read_picture", "pictures", "rapidocr", extra_command("ocr")),
    "spreadsheet": Parser(
        "caveat.sources.spreadsheet:read_spreadsheet",
        "spreadsheets",
        "python_calamine",
        "pip install python-calamine",
    ),
    "word": Parser("caveat.sources.office:read_word", "Word files", "zipfile"),
    "slides": Parser("caveat.sources.office:read_slides", "PowerPoint files", "zipfile"),
    "open document": Parser(
        "caveat.sources.open_document:read_open_document", "OpenDocument texts", "zipfile"
    ),
    "epub": Parser("caveat.sources.open_document:read_epub", "EPUB books", "zipfile"),
    "archive": Parser("caveat.sources.office_parts:read_archive", "zip archives", "zipfile"),
    "mail": Parser("caveat.sources.mail:read_mail", "letters", "email"),
    "mailbox": Parser("caveat.sources.mail:read_mailbox", "mailboxes", "email"),
    "rtf": Parser("caveat.sources.rich_text:read_rtf", "RTF files", "striprtf", "pip install striprtf"),
    "org": Parser("caveat.sources.text_markups:read_org", "Org", "html"),
    "asciidoc": Parser("caveat.sources.text_markups:read_asciidoc", "AsciiDoc", "html"),
    "wiki": Parser("caveat.sources.text_markups:read_wiki", "wiki text", "html"),
    "latex": Parser("caveat.sources.latex:read_latex", "LaTeX", "html"),
    "restructured": Parser(
        "caveat.sources.rich_text:read_restructured",
        "reStructuredText",
        "docutils",
        extra_command("rst"),
    ),
}
"""Each gets the bytes of a file and returns plain records."""
TOO_LARGE = 75
"""The exit code that says that the memory was used up."""

_LENGTH = 8
_LOOK_SECONDS = 0.05


class Order(msgspec.Struct, frozen=True):
    """A file to parse, which comes in the next frame, with the limits of whoever asks."""

    parser: str
    limits: Limits


class Outcome(msgspec.Struct, frozen=True):
    """What is in a file, or what is wrong: with the file, with its size in memory, or with something else."""

    kind: Literal["read", "input", "memory", "other"]
    value: msgspec.Raw = msgspec.Raw(b"\xc0")
    problem: str = ""


def read_frame(stream: BinaryIO, most: int | None = None) -> bytes:
    """The next frame; EOFError where there is none, or a longer one than `most`."""
    head = stream.read(_LENGTH)
    length = int.from_bytes(head, "little")
    if len(head) < _LENGTH or (most is not None and length > most):
        raise EOFError
    content = stream.read(length)
    if len(content) < length:
        raise EOFError
    return content


def write_frame(stream: BinaryIO, content: bytes) -> None:
    """Write a frame and send it."""
    stream.write(len(content).to_bytes(_LENGTH, "little"))
    stream.write(content)
    stream.flush()


def outcome_of(order: Order, data: bytes) -> Outcome:
    """Parse a file; whatever is raised over it is told in words."""
    with limits(**msgspec.structs.asdict(order.limits)):
        try:
            return Outcome("read", msgspec.Raw(msgspec.msgpack.encode(_parser(order.parser)(data))))
        except InputError as error:
            return Outcome("input", problem=error.problem)
        except CaveatError as error:
            return Outcome("other", problem=str(error))
        except MemoryError:
            return Outcome("memory", problem=too_large(order.limits))
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # a panic of a library in Rust is no Exception
            return Outcome("input", problem=fault_of(error))


def too_large(most: Limits) -> str:
    """The sentence about a file that takes more memory than it may."""
    return over("memory_bytes", f"takes more than {most.memory_bytes:,} bytes of memory to read").problem


def _parser(name: str) -> Callable[[bytes], Any]:
    parser: Callable[[bytes], Any] = load(PARSERS[name].home)
    return parser


def main() -> None:
    """Parse until nothing comes any more."""
    orders, outcomes = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    # What a library prints is no outcome.
    os.dup2(2, 1)
    # An interrupt from the keyboard is for who asked.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    guard = MemoryGuard()
    decoder = msgspec.msgpack.Decoder(Order)
    write_frame(outcomes, b"")
    with suppress(EOFError, OSError):
        while True:
            order = decoder.decode(read_frame(orders))
            _end_after(order.limits.seconds)
            guard.set(order.parser, order.limits.memory_bytes)
            outcome = outcome_of(order, read_frame(orders))
            _end_after(0)
            write_frame(outcomes, msgspec.msgpack.encode(outcome))
    os._exit(0)


def _end_after(seconds: int) -> None:
    """End this process then, whatever it does, even if nobody is left who would; 0 for never."""
    if hasattr(signal, "alarm"):
        signal.alarm(seconds and seconds + 1)


class MemoryGuard:
    """Keeps the memory of this process below a limit, over what it has with its packages alone.

    Linux refuses memory beyond it, which the parsers see as a MemoryError. macOS has the call but does not obey it:
    there a thread looks, and ends the process. Windows has neither.
    """

    def __init__(self) -> None:
        self._alone: dict[str, int] = {}
        self._most: int | None = None

    def set(self, parser: str, most: int) -> None:
        """So many bytes for this parser from now on."""
        if sys.platform == "win32":
            return
        refuses = sys.platform == "linux"
        if parser not in self._alone:
            if refuses:
                _refuse_beyond(None)
            with suppress(ImportError):  # the parser says so
                import_module(PARSERS[parser].package)
                _parser(parser)
            self._alone[parser] = _address_bytes() if refuses else _peak_bytes()
        (_refuse_beyond if refuses else self.look)(self._alone[parser] + most)

    def look(self, most: int) -> None:
        """Have a thread look whether more is used."""
        begun, self._most = self._most is not None, most
        if not begun:
            Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while self._most is not None:
            if _peak_bytes() > self._most:
                os._exit(TOO_LARGE)
            sleep(_LOOK_SECONDS)


if sys.platform != "win32":
    import resource

    def _refuse_beyond(most: int | None) -> None:
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        soft = hard if most is None else most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))

    def _address_bytes() -> int:
        with open("/proc/self/statm", "rb") as sizes:
            return int(sizes.read().split()[0]) * resource.getpagesize()

    def _peak_bytes() -> int:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
