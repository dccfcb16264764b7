"""Spans for OpenTelemetry: of a request, and of each stage of it; nothing unless somebody wants them."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from caveat.core.errors import CaveatError, UsageError
from caveat.core.extras import needs_extra


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
