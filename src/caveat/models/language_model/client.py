"""A client of OpenAI's protocol: prompts in, texts or records out, in parallel, each asked for once.

What a server has (JSON by schema, log-probabilities) is found out by its first answers. Whatever goes wrong with one
prompt is said in its completion (`problem`); what would go wrong with all of them is raised.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from pathlib import Path
from threading import Lock, Semaphore, Thread
from typing import Any, Generic, Literal, TypeVar

import msgspec

from caveat.core.errors import UsageError
from caveat.models.language_model.cache import Cache, default_folder
from caveat.models.language_model.endpoint import Endpoint, endpoint_of
from caveat.models.language_model.json_answers import NotJsonError, decoded, schema_of, without_thoughts
from caveat.models.language_model.spending import Budget, Spending, Tokens, prices_of_environment
from caveat.models.language_model.transport import (
    UNSUPPORTED,
    EndpointError,
    RefusedError,
    StatusError,
    Transport,
)

__all__ = ["Client", "Completion", "Message", "Prompt", "TokenProbability", "number_of_environment"]

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


class Message(msgspec.Struct, frozen=True):
    """What is said to a model, or by it."""

    role: Literal["system", "user", "assistant"]
    content: str


class Prompt(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """What a model is asked. With a `schema` its answer is to be that record as JSON.

    `version` is that of the file that the prompt is from; `sample` tells apart several answers to the same prompt, at
    a temperature above 0.
    """

    messages: tuple[Message, ...]
    schema: type[T] | None = None
    version: str = ""
    max_tokens: int = 512
    temperature: float = 0.0
    sample: int = 0


class TokenProbability(msgspec.Struct, frozen=True):
    """A token of a completion, and the natural logarithm of its probability."""

    text: str
    logprob: float


class Completion(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """What a model wrote. `parsed` is there where a schema was asked for and no problem was met."""

    text: str = ""
    parsed: T | None = None
    tokens: Tokens = Tokens()
    logprobs: tuple[TokenProbability, ...] = ()
    cached: bool = False
    problem: str = ""


class _Written(msgspec.Struct, frozen=True):
    """What the server gave for one request, as the cache keeps it."""

    text: str
    finish: str = ""
    tokens: Tokens = Tokens()
    logprobs: tuple[TokenProbability, ...] = ()


class _Features(msgspec.Struct, frozen=True):
    """What a server is asked for beside a text; what it does not have is left out from then on."""

    shape: Literal["json_schema", "json_object", "none"] = "json_schema"
    logprobs: bool = True
    seed: bool = True
    temperature: bool = True
    # Newer models of OpenAI know the limit by another name only.
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"

    def less(self, reason: str) -> _Features | None:
        """Without what the reason names, or else one thing less; None where nothing is left to do without."""
        said = reason.casefold()
        for name, words in _NAMED.items():
            if getattr(self, name) != _LESS[name] and any(word in said for word in words):
                return self._lowered(name)
        for name in ("logprobs", "shape", "seed"):
            if getattr(self, name) != _LESS[name]:
                return self._lowered(name)
        return None

    def _lowered(self, name: str) -> _Features:
        between = name == "shape" and self.shape == "json_schema"
        return msgspec.structs.replace(self, **{name: "json_object" if between else _LESS[name]})


_LESS: dict[str, Any] = {
    "limit": "max_completion_tokens",
    "shape": "none",
    "logprobs": False,
    "seed": False,
    "temperature": False,
}
# How the servers' errors name what they do not have.
_NAMED: dict[str, tuple[str, ...]] = {
    "limit": ("max_completion_tokens",),
    "shape": ("response_format", "schema", "grammar"),
    "logprobs": ("logprob", "logits_all"),
    "seed": ("seed",),
    "temperature": ("temperature",),
}


def _names_a_feature(status: int, reason: str) -> bool:
    """Whether an error says that the server does not have what was asked for, so that asking again is of no use."""
    said = reason.casefold()
    return status in UNSUPPORTED and any(word in said for words in _NAMED.values() for word in words)


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
        folder = default_folder() / "language-models" if cache == "default" else cache
        self._cache = None if folder is None else Cache(folder)
        self._features = _Features()
        # Whether it is known what the server has, without a schema and with one.
        self._known: set[bool] = set()
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

    def _repaired(self, prompt: Prompt[T], before: _Written, first: Completion[T]) -> Completion[T]:
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

    def _read(self, prompt: Prompt[T], written: _Written, cached: bool) -> Completion[T]:
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

    def _written(self, prompt: Prompt[T]) -> tuple[_Written | None, bool]:
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
                found = msgspec.json.decode(kept, type=_Written)
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

    def _asked(self, prompt: Prompt[T], schema: dict[str, Any] | None) -> _Written:
        if (schema is not None) in self._known:
            return self._sent(prompt, schema, self._features)
        with self._finding_out:
            features = self._features
            while True:
                try:
                    written = self._sent(prompt, schema, features)
                except StatusError as error:
                    less = features.less(error.reason)
                    told = error.status != 500 or _names_a_feature(error.status, error.reason)
                    if error.status not in UNSUPPORTED or less is None or not told:
                        raise
                    features = less
                else:
                    self._features = features
                    self._known.add(schema is not None)
                    return written

    def _sent(self, prompt: Prompt[T], schema: dict[str, Any] | None, features: _Features) -> _Written:
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
        if features.logprobs:
            body["logprobs"] = True
        return _written_of(self._transport.post(_PATH, body, final=_names_a_feature))


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


class _SaidToken(msgspec.Struct, frozen=True):
    token: str = ""
    logprob: float = 0.0


class _SaidTokens(msgspec.Struct, frozen=True):
    content: list[_SaidToken] | None = None


class _SaidMessage(msgspec.Struct, frozen=True):
    content: str | None = None
    refusal: str | None = None


class _SaidChoice(msgspec.Struct, frozen=True):
    message: _SaidMessage = _SaidMessage()
    finish_reason: str | None = None
    logprobs: _SaidTokens | None = None


class _SaidUsage(msgspec.Struct, frozen=True):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class _Said(msgspec.Struct, frozen=True):
    """A server's answer, as far as it is of interest."""

    choices: list[_SaidChoice]
    usage: _SaidUsage | None = None


def _written_of(answer: Any) -> _Written:
    try:
        said = msgspec.convert(answer, _Said)
        choice = said.choices[0]
    except (msgspec.ValidationError, IndexError):
        raise EndpointError("The server answers, but not with a completion of OpenAI's protocol.") from None
    usage = said.usage or _SaidUsage()
    refused = choice.message.refusal or choice.finish_reason == "content_filter"
    given = (choice.logprobs.content if choice.logprobs else None) or ()
    return _Written(
        "" if refused else (choice.message.content or ""),
        "refusal" if refused else (choice.finish_reason or ""),
        Tokens(usage.prompt_tokens, usage.completion_tokens),
        tuple(TokenProbability(each.token, each.logprob) for each in given),
    )
