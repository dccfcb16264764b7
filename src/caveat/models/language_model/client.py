"""A client of OpenAI's protocol: prompts in, texts or records out, in parallel, each asked for once.

What a server has (JSON by schema, log-probabilities) is found out by its first answers. Whatever goes wrong with one
prompt is said in its completion (`problem`); what would go wrong with all of them is raised.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from threading import Lock, Semaphore, Thread
from typing import Any, Literal, TypeVar

import msgspec

from caveat.core.cache import DiskCache, cache_folder
from caveat.core.errors import UsageError
from caveat.models.language_model.completions import (
    Completion,
    Features,
    Message,
    NotJsonError,
    Prompt,
    Written,
    decoded,
    names_a_feature,
    schema_of,
    without_thoughts,
    written_of,
)
from caveat.models.language_model.endpoint import Endpoint, endpoint_of, is_endpoint, named_endpoint
from caveat.models.language_model.spending import Budget, Spending, Tokens, budget_of, prices_of_environment
from caveat.models.language_model.transport import (
    UNSUPPORTED,
    EndpointError,
    RefusedError,
    StatusError,
    Transport,
)

T = TypeVar("T")

_PATH = "/chat/completions"
PARALLEL = 4
"""Requests under way at once, unless told otherwise: what small servers take, and within most limits of hosted ones."""
TIMEOUT = 300.0
"""Seconds until a request is given up, unless told otherwise: a busy processor may take minutes for a long prompt."""
PARALLEL_VARIABLE, TIMEOUT_VARIABLE = "CAVEAT_LLM_PARALLEL", "CAVEAT_LLM_TIMEOUT"
# Prompts that are taken ahead of the one whose completion is handed on, for each request under way.
_AHEAD = 4
# A token is hardly ever fewer than two bytes of a text; with this no budget is overrun by what was not foreseen.
_BYTES_A_TOKEN = 2
_REPAIR = (
    "That is not the JSON object that was asked for ({fault}). Write the JSON object again, "
    "complete and correct, and nothing else."
)
SPENT = "the budget is spent"
# Models that think before they write need more than what they write.
_ROOM_TO_THINK = 2_048


class Client:
    """Asks one endpoint; threads may share it. Nothing is sent before a prompt is given."""

    def __init__(
        self,
        endpoint: Endpoint | str,
        *,
        parallel: int | None = None,
        timeout: float | None = None,
        attempts: int = 5,
        budget: Budget | None = None,
        cache: Path | Literal["default"] | None = "default",
        transport: Transport | None = None,
    ) -> None:
        self.endpoint = endpoint_of(endpoint) if isinstance(endpoint, str) else endpoint
        self.parallel = parallel or int(number_of_environment(PARALLEL_VARIABLE, PARALLEL))
        timeout = timeout or number_of_environment(TIMEOUT_VARIABLE, TIMEOUT)
        self.spending = Spending(budget, prices_of_environment())
        self._transport = transport or Transport(self.endpoint, timeout=timeout, attempts=attempts)
        folder = cache_folder() / "language-models" if cache == "default" else cache
        self._cache = None if folder is None else DiskCache(folder)
        self._features = Features()
        # For what, a schema or log-probabilities, it is known whether the server has it.
        self._known: set[tuple[bool, bool]] = set()
        self._finding_out = Lock()

    @property
    def retries(self) -> int:
        """Requests that had to be sent again."""
        return self._transport.retries

    @property
    def closing(self) -> str:
        """What was sent, in one sentence for the end of a run."""
        spent = self.spending
        said = [f"{spent.requests:,} request{'' if spent.requests == 1 else 's'} to {self.endpoint.name}"]
        if self.retries:
            said.append(f"{self.retries:,} sent again")
        if spent.from_cache:
            said.append(f"{spent.from_cache:,} answered from the cache")
        said.append(f"{spent.tokens.prompt:,} tokens in and {spent.tokens.completion:,} out")
        if spent.dollars is not None:
            said.append(f"${spent.dollars:.4f}")
        if spent.refused:
            said.append(f"{spent.refused:,} not sent since the budget is spent")
        return ", ".join(said) + "."

    def complete(self, prompt: Prompt[T]) -> Completion[T]:
        """The completion of one prompt; raises where none can be had, since the server cannot be asked at all."""
        try:
            return self._completed(prompt)
        except RefusedError:
            raise
        except EndpointError as error:
            return Completion(problem=str(error).rstrip("."))

    def complete_many(self, prompts: Iterable[Prompt[T]]) -> Iterator[Completion[T]]:
        """A completion a prompt, in order, as a stream; at most `parallel` requests are under way."""
        turn = Semaphore(self.parallel)
        under_way: deque[Future[Completion[T]]] = deque()

        def work(prompt: Prompt[T], future: Future[Completion[T]]) -> None:
            with turn:
                if not future.set_running_or_notify_cancel():
                    return
                try:
                    future.set_result(self.complete(prompt))
                except BaseException as error:
                    future.set_exception(error)

        try:
            for prompt in prompts:
                future: Future[Completion[T]] = Future()
                # A thread of its own that nobody waits for: an interrupted run ends at once.
                Thread(target=work, args=(prompt, future), daemon=True).start()
                under_way.append(future)
                if len(under_way) >= _AHEAD * self.parallel:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            for future in under_way:
                future.cancel()

    def _completed(self, prompt: Prompt[T]) -> Completion[T]:
        written, cached = self._written(prompt)
        if written is None:
            return Completion(problem=SPENT)
        first = self._read(prompt, written, cached)
        cut_off = written.finish == "length"
        if not first.problem or prompt.schema is None or not (written.text or cut_off):
            return first
        return self._repaired(prompt, written, first)

    def _repaired(self, prompt: Prompt[T], before: Written, first: Completion[T]) -> Completion[T]:
        """A second try where the first was no JSON: with more room where it was cut off, else with what was wrong."""
        if before.finish == "length":
            again = msgspec.structs.replace(prompt, max_tokens=max(2 * prompt.max_tokens, _ROOM_TO_THINK))
        else:
            said = (
                Message("assistant", before.text),
                Message("user", _REPAIR.format(fault=first.problem)),
            )
            again = msgspec.structs.replace(prompt, messages=(*prompt.messages, *said))
        written, cached = self._written(again)
        if written is None:
            return first
        second = self._read(again, written, cached)
        return msgspec.structs.replace(second, tokens=first.tokens + second.tokens)

    def _read(self, prompt: Prompt[T], written: Written, cached: bool) -> Completion[T]:
        text = without_thoughts(written.text)
        parsed, problem = None, ""
        if not text:
            problem = "nothing was written" if written.finish != "refusal" else "the model refuses"
        elif prompt.schema is not None:
            try:
                parsed = decoded(text, prompt.schema)
            except NotJsonError as error:
                problem = "it was cut off" if written.finish == "length" else str(error)
        return Completion(
            text=text,
            parsed=parsed,
            tokens=written.tokens,
            logprobs=written.logprobs,
            cached=cached,
            problem=problem,
        )

    def _written(self, prompt: Prompt[T]) -> tuple[Written | None, bool]:
        """What the model writes, and whether it is from the cache; None where there is no budget for it."""
        schema = None if prompt.schema is None else schema_of(prompt.schema)
        key = [
            str(self.endpoint),
            prompt.version,
            prompt.messages,
            schema,
            [prompt.max_tokens, prompt.temperature, prompt.sample],
        ]
        kept = None if self._cache is None else self._cache.get(key)
        if kept is not None:
            try:
                found = msgspec.json.decode(kept, type=Written)
            except msgspec.MsgspecError:
                pass
            else:
                self.spending.count(from_cache=True)
                return found, True
        most = Tokens(_at_most(prompt.messages), prompt.max_tokens)
        if not self.spending.reserve(most):
            return None, False
        used = Tokens()
        try:
            written = self._asked(prompt, schema)
            used = written.tokens if written.tokens.total else most
        finally:
            self.spending.settle(most, used)
        self.spending.count(from_cache=False)
        if self._cache is not None and written.text:
            self._cache.put(key, msgspec.json.encode(written))
        return written, False

    def _asked(self, prompt: Prompt[T], schema: dict[str, Any] | None) -> Written:
        asking_for = schema is not None, prompt.logprobs
        if asking_for in self._known:
            return self._sent(prompt, schema, self._features)
        with self._finding_out:
            features = self._features
            while True:
                try:
                    written = self._sent(prompt, schema, features)
                except StatusError as error:
                    less = features.less(error.reason)
                    told = error.status != 500 or names_a_feature(error.status, error.reason)
                    if error.status not in UNSUPPORTED or less is None or not told:
                        raise
                    features = less
                else:
                    self._features = features
                    self._known.add(asking_for)
                    return written

    def _sent(self, prompt: Prompt[T], schema: dict[str, Any] | None, features: Features) -> Written:
        body: dict[str, Any] = {
            "model": self.endpoint.name,
            "messages": prompt.messages,
            features.limit: prompt.max_tokens,
        }
        if features.temperature:
            body["temperature"] = prompt.temperature
        if features.seed:
            body["seed"] = prompt.sample
        if schema is not None and features.shape == "json_schema":
            named = {"name": "answer", "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        elif schema is not None and features.shape == "json_object":
            body["response_format"] = {"type": "json_object", "schema": schema}
        if prompt.logprobs and features.logprobs:
            body["logprobs"] = True
        return written_of(self._transport.post(_PATH, body, final=names_a_feature))


def number_of_environment(variable: str, default: float) -> float:
    """What a variable says, a number from 1, or the default where it is not set."""
    given = os.environ.get(variable, "").strip()
    try:
        value = float(given) if given else default
    except ValueError:
        value = 0.0
    if not value >= 1:
        raise UsageError(f"{variable} is a number from 1, got {given!r}.")
    return value


def _at_most(messages: Iterable[Message]) -> int:
    """Tokens that the messages hardly have more of."""
    return sum(len(message.content.encode("utf-8")) // _BYTES_A_TOKEN + 8 for message in messages)


def client_among(
    models: Sequence[str | Path],
    budget: str | Budget | None = None,
    *,
    otherwise: Endpoint | None = None,
) -> tuple[list[str | Path], Client | None]:
    """The names without that of a language model, and what asks it; `otherwise` is the one where none is named."""
    endpoints = [named_endpoint(str(name)) for name in models if is_endpoint(name)]
    if not endpoints and otherwise is not None:
        endpoints = [otherwise]
    if len(endpoints) > 1:
        raise UsageError("Only one language model can be asked at once.")
    others = [name for name in models if not is_endpoint(name)]
    if not endpoints:
        if budget is not None:
            raise UsageError("A budget is for a language model: --model openai:URL#NAME names one.")
        return others, None
    return others, Client(endpoints[0], budget=budget_of(budget) if isinstance(budget, str) else budget)
