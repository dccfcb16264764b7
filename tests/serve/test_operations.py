"""What whoever runs the server sees of it: lines of a log, figures of models and of what is kept, spans."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from threading import Thread
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from caveat.core.errors import CaveatError, UsageError
from caveat.serve.application import application
from caveat.serve.logs import LOGGER, LogKind, Spans, spans_to, write_logs

BODY = {"question": "color", "sources": [{"name": "a.txt", "text": "the color red"}]}


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """A stream for the log; as it was afterwards."""
    before = LOGGER.handlers[:], LOGGER.propagate, LOGGER.level
    yield io.StringIO()
    LOGGER.handlers[:], LOGGER.propagate = before[:2]
    LOGGER.setLevel(before[2])


def test_a_line_of_json_a_request_without_what_was_asked(serving: Any, engine: Any, log: io.StringIO) -> None:
    write_logs(LogKind.JSON, log)
    with serving(engine) as client:
        assert client.post("/ask", json=BODY).status_code == 200
        client.get("/none")
    first, second = map(json.loads, log.getvalue().splitlines())
    assert {key: first[key] for key in ("level", "method", "route", "status")} == {
        "level": "info",
        "method": "POST",
        "route": "/ask",
        "status": 200,
    }
    assert first["seconds"] > 0
    assert second["status"] == 404
    assert "color" not in log.getvalue()


def test_by_default_only_faults_are_written(serving: Any, engine: Any, log: io.StringIO) -> None:
    write_logs(LogKind.FAULTS, log)
    with serving(engine) as client:
        client.get("/health")
    assert log.getvalue() == ""
    try:
        raise ValueError("broken")
    except ValueError:
        LOGGER.exception("GET %s failed", "/x")
    assert log.getvalue().startswith("caveat: GET /x failed\nTraceback")


def test_models_and_what_is_kept_are_counted(serving: Any, engine: Any) -> None:
    def figure(client: httpx.Client, name: str, **labels: str) -> float:
        text = client.get("/metrics").text
        families = {family.name: family for family in text_string_to_metric_families(text)}
        return sum(
            sample.value
            for sample in families[name].samples
            if all(sample.labels.get(key) == value for key, value in labels.items())
        )

    with serving(engine) as client:
        before = figure(client, "caveat_model_batches", model="tiny")
        client.post("/ask", json=BODY)
        made = figure(client, "caveat_kept_lookups", what="requests", outcome="made")
        found = figure(client, "caveat_kept_lookups", what="requests", outcome="found")
        client.post("/ask", json=BODY)
        assert figure(client, "caveat_model_batches", model="tiny") == before + 2
        assert figure(client, "caveat_model_seconds", model="tiny") > 0
        assert figure(client, "caveat_kept_lookups", what="requests", outcome="made") == made
        assert figure(client, "caveat_kept_lookups", what="requests", outcome="found") == found + 1
        assert figure(client, "caveat_kept_values", what="requests") == 1


def test_spans_of_a_request_and_its_stages(engine: Any) -> None:
    trace = pytest.importorskip("opentelemetry.sdk.trace", reason="the extra `traces` is not installed")
    export = pytest.importorskip("opentelemetry.sdk.trace.export")
    memory = pytest.importorskip("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    exporter = memory.InMemorySpanExporter()
    provider = trace.TracerProvider()
    provider.add_span_processor(export.SimpleSpanProcessor(exporter))
    api = application(engine, spans=Spans(provider.get_tracer("test")))

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(api)
        async with (
            api.router.lifespan_context(api),
            httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client,
        ):
            return await client.post("/ask", json=BODY)

    import asyncio

    assert asyncio.run(ask()).status_code == 200
    spans = {span.name: span for span in exporter.get_finished_spans()}
    assert set(spans) == {"request", "read", "answer"}
    assert spans["read"].parent.span_id == spans["request"].context.span_id


def test_spans_reach_a_collector(serving: Any, engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(
        "opentelemetry.exporter.otlp.proto.http.trace_exporter", reason="the extra `traces` is not installed"
    )
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    monkeypatch.setenv("OTEL_BSP_SCHEDULE_DELAY", "50")  # milliseconds
    names: Queue[str] = Queue()

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            self.send_response(200)
            self.end_headers()
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                (service,) = (each for each in resource.resource.attributes if each.key == "service.name")
                for scope in resource.scope_spans:
                    for span in scope.spans:
                        names.put(f"{service.value.string_value} {self.path} {span.name}")

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as collector:
        Thread(target=collector.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{collector.server_port}/v1/traces"
        with serving(engine, spans=spans_to(address)) as client:
            assert client.post("/ask", json=BODY).status_code == 200
            told = {names.get(timeout=30) for _ in range(3)}
        collector.shutdown()
    assert told == {f"caveat /v1/traces {stage}" for stage in ("request", "read", "answer")}


def test_an_address_that_is_none_is_a_sentence() -> None:
    with pytest.raises(UsageError, match="takes the address of a collector"):
        spans_to("collector:4318")


def test_without_the_extra_a_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(
        __import__("sys").modules, "opentelemetry.exporter.otlp.proto.http.trace_exporter", None
    )
    with pytest.raises(CaveatError, match="--traces needs OpenTelemetry, of the extra `traces`"):
        spans_to("http://127.0.0.1:4318/v1/traces")
