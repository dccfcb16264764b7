"""What the server tells those who run it: a log on standard error, and spans for OpenTelemetry where they are wanted.

The log has faults alone, or a line for each request, for a person or as JSON. What was asked and what was answered are
in none of them.
"""

from __future__ import annotations

import logging
import sys
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, TextIO

from caveat.core.errors import CaveatError, UsageError, one_line
from caveat.core.loading import needs_extra

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


class Spans:
    """What is timed, told to a tracer of OpenTelemetry's; to none nothing is told."""

    def __init__(self, tracer: Any = None) -> None:
        self._tracer = tracer

    def of(self, name: str) -> AbstractContextManager[object]:
        """A span of what is done inside, in the one that is open."""
        if self._tracer is None:
            return nullcontext()
        span: AbstractContextManager[object] = self._tracer.start_as_current_span(name)
        return span


NO_SPANS = Spans()


def spans_to(endpoint: str) -> Spans:
    """Spans that are sent to a collector, by OTLP over HTTP, such as http://127.0.0.1:4318/v1/traces."""
    if not endpoint.startswith(("http://", "https://")):
        raise UsageError(f"--traces takes the address of a collector, http://…; got {endpoint!r}.")
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ModuleNotFoundError as error:
        raise CaveatError(needs_extra("--traces", "OpenTelemetry", "traces")) from error
    provider = TracerProvider(resource=Resource.create({"service.name": "caveat"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
    return Spans(provider.get_tracer("caveat"))
