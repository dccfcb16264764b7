"""What the server did and does, as Prometheus reads it: requests, stages, who waits, models, what is kept, memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from caveat.core.cache import LimitedCache
    from caveat.models.session import Session

_SECONDS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
_TOGETHER = (1, 2, 4, 8, 16, 32, 64)
# A client may call its method anything.
_METHODS = frozenset(("DELETE", "GET", "HEAD", "POST", "PUT"))


class Metrics:
    """Of one application, beside others in the same process."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "caveat_requests",
            "Requests that were answered.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._stages = Histogram(
            "caveat_stage_seconds",
            "How long a stage of a request took: read (its sources), wait (in line), answer, score, index.",
            ("stage",),
            buckets=_SECONDS,
            registry=self._registry,
        )
        self._together = Histogram(
            "caveat_questions_together",
            "Questions that were answered together.",
            buckets=_TOGETHER,
            registry=self._registry,
        )
        ProcessCollector(registry=self._registry)

    def count(self, method: str, route: str, status: int) -> None:
        """A request that was answered."""
        self._requests.labels(method if method in _METHODS else "other", route, str(status)).inc()

    def took(self, stage: str, seconds: float) -> None:
        """How long a stage took."""
        self._stages.labels(stage).observe(seconds)

    def answered_together(self, questions: int) -> None:
        """How many questions went to the engine at once."""
        self._together.observe(questions)

    def watch(self, name: str, what: str, value: Callable[[], float]) -> None:
        """A figure that is looked up when it is asked for."""
        Gauge(f"caveat_{name}", what, registry=self._registry).set_function(value)

    def watch_models(self, models: Iterable[tuple[str, Session]]) -> None:
        """Batches and seconds of each model, by its name."""
        self._registry.register(_Models(tuple(models)))

    def watch_kept(self, kept: Mapping[str, LimitedCache[Any]]) -> None:
        """How often what was asked for was kept from before, by what is kept."""
        self._registry.register(_KeptValues(dict(kept)))

    @contextmanager
    def timing(self, stage: str) -> Iterator[None]:
        """Time what is done inside."""
        start = perf_counter()
        try:
            yield
        finally:
            self.took(stage, perf_counter() - start)

    def text(self) -> bytes:
        """All of it."""
        return generate_latest(self._registry)


class _Models(Collector):
    """Looked up when it is asked for: a model counts for itself."""

    def __init__(self, models: tuple[tuple[str, Session], ...]) -> None:
        self._models = models

    def collect(self) -> Iterator[Metric]:
        batches = CounterMetricFamily(
            "caveat_model_batches", "Batches that a model has read.", labels=("model",)
        )
        seconds = CounterMetricFamily(
            "caveat_model_seconds", "Seconds that a model has read for.", labels=("model",)
        )
        for name, session in self._models:
            batches.add_metric((name,), session.batches)
            seconds.add_metric((name,), session.seconds)
        yield from (batches, seconds)


class _KeptValues(Collector):
    """The same of what is kept for the next question."""

    def __init__(self, kept: dict[str, LimitedCache[Any]]) -> None:
        self._kept = kept

    def collect(self) -> Iterator[Metric]:
        looked = CounterMetricFamily(
            "caveat_kept_lookups",
            "How often something kept was asked for, and was there (found) or had to be made (made).",
            labels=("what", "outcome"),
        )
        values = GaugeMetricFamily("caveat_kept_values", "What is kept at the moment.", labels=("what",))
        for what, kept in self._kept.items():
            looked.add_metric((what, "found"), kept.found)
            looked.add_metric((what, "made"), kept.made)
            values.add_metric((what,), len(kept))
        yield from (looked, values)
