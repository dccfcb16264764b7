"""The server's log on standard error: faults alone, or a line for each request, for a person or as JSON.

What was asked and what was answered are in none of them.
"""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime
from enum import StrEnum
from typing import TextIO

from caveat.core.errors import one_line

LOGGER = logging.getLogger("caveat.serve")
_LONGEST = 4000


class LogKind(StrEnum):
    """What the lines are: `faults` writes only what went wrong."""

    FAULTS = "faults"
    TEXT = "text"
    JSON = "json"


def write_logs(kind: LogKind, stream: TextIO | None = None) -> None:
    """Send the log to standard error, in place of where it went."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(_Json() if kind is LogKind.JSON else _Text())
    LOGGER.handlers[:] = [handler]
    LOGGER.propagate = False
    LOGGER.setLevel(logging.ERROR if kind is LogKind.FAULTS else logging.INFO)


def log_request(method: str, route: str, status: int, seconds: float) -> None:
    """A request that was answered, by the route's own name."""
    fields = {"method": method, "route": route, "status": status, "seconds": round(seconds, 4)}
    LOGGER.info("%s %s %d", method, route, status, extra={"fields": fields})


class _Json(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            entry["fault"] = self.formatException(record.exc_info)
        # Here: the command names the kinds of log, and must not wait for what writes them.
        from caveat.core.json_files import encode

        return encode(entry)


class _Text(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        said = one_line(record.getMessage(), _LONGEST)
        seconds = getattr(record, "fields", {}).get("seconds")
        line = f"caveat: {said}" + ("" if seconds is None else f" {seconds:.3f} s")
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line
