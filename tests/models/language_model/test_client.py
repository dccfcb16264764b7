"""The client of a language model against a server that misbehaves in every way."""

from __future__ import annotations

import json
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from caveat.core.errors import CaveatError, UsageError
from caveat.models.language_model.client import Client
from caveat.models.language_model.completions import Message, Prompt
from caveat.models.language_model.endpoint import endpoint_of
from caveat.models.language_model.spending import Budget, Tokens
from caveat.models.language_model.transport import RefusedError, Transport


class Colour(msgspec.Struct, frozen=True):
    colour: str
    sure: bool = False


RED = '{"colour": "red", "sure": true}'


def asking(text: str = "What colour is it?", **options: Any) -> Prompt[Colour]:
    return Prompt(messages=(Message("user", text),), schema=Colour, **options)


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def client(endpoint: Any, waits: list[float]) -> Client:
    there = endpoint_of(endpoint.name)
    return Client(there, transport=Transport(there, timeout=0.3, sleep=waits.append))


def test_an_answer_comes_as_text_record_and_tokens(endpoint: Any, client: Client) -> None:
    endpoint.does(RED)
    completion = client.complete(asking())
    assert completion.parsed == Colour("red", True)
    assert completion.text == RED
    assert completion.tokens == client.spending.tokens == Tokens(10, 5)
    body = endpoint.bodies[0]
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("tiny", 0.0, 512)
    assert body["messages"] == [{"role": "user", "content": "What colour is it?"}]
    assert body["response_format"]["json_schema"]["schema"] == {
        "type": "object",
        "properties": {"colour": {"type": "string"}, "sure": {"type": "boolean"}},
        "required": ["colour", "sure"],
        "additionalProperties": False,
    }


def test_log_probabilities_are_those_of_the_tokens(endpoint: Any, client: Client) -> None:
    said = {"content": [{"token": '{"', "logprob": -0.5}, {"token": "red", "logprob": -0.25}]}
    endpoint.does(endpoint.completion(RED, logprobs=said))
    assert [(each.text, each.logprob) for each in client.complete(asking()).logprobs] == [
        ('{"', -0.5),
        ("red", -0.25),
    ]


@pytest.mark.parametrize(
    "written",
    [
        f"```json\n{RED}\n```",
        f"Of course! Here it is: {RED} I hope that helps {{you}}.",
        '{"colour": "red", "sure": true,}',
        f"<think>is it {{blue}}?</think>{RED}",
        '{"sure": 1} ' + RED,
    ],
)
def test_json_is_found_in_what_is_written_around_it(endpoint: Any, client: Client, written: str) -> None:
    endpoint.does(written)
    assert client.complete(asking()).parsed == Colour("red", True)
    assert len(endpoint.bodies) == 1


def test_what_is_no_json_is_asked_for_again_once(endpoint: Any, client: Client) -> None:
    endpoint.does('{"colour": ', RED)
    completion = client.complete(asking())
    assert completion.parsed == Colour("red", True)
    assert completion.tokens == Tokens(20, 10)
    assert endpoint.bodies[1]["messages"][1] == {"role": "assistant", "content": '{"colour": '}
    endpoint.does("La couleur est rouge.")
    completion = client.complete(asking("And now?"))
    assert completion.parsed is None
    assert completion.problem == "there is no JSON object in it"
    assert len(endpoint.bodies) == 2


def test_what_was_cut_off_gets_more_room_once(endpoint: Any, client: Client) -> None:
    endpoint.does(endpoint.completion('{"colour": "re', finish_reason="length"), RED)
    assert client.complete(asking()).parsed == Colour("red", True)
    assert [body["max_tokens"] for body in endpoint.bodies] == [512, 2048]


def test_a_refusal_is_a_problem_and_is_not_kept(endpoint: Any, client: Client) -> None:
    refusal = endpoint.completion(None)
    refusal["choices"][0]["message"]["refusal"] = "I must not."
    endpoint.does(refusal, endpoint.completion(None, finish_reason="content_filter"), RED)
    assert client.complete(asking()).problem == "the model refuses"
    assert client.complete(asking()).problem == "the model refuses"
    assert client.complete(asking()).parsed == Colour("red", True)


def test_features_that_a_server_does_not_have_are_left_out_from_then_on(
    endpoint: Any, client: Client
) -> None:
    def without(body: dict[str, Any]) -> Any:
        if body.get("response_format", {}).get("type") == "json_schema":
            return 422, "response_format.type: Input should be 'text' or 'json_object'"
        if body.get("logprobs"):
            return 500, "logprobs is not supported for models created with logits_all=False"
        return RED

    endpoint.does(without)
    assert client.complete(asking(logprobs=True)).parsed == Colour("red", True)
    assert len(endpoint.bodies) == 3
    assert client.complete(asking("Again?", logprobs=True)).parsed == Colour("red", True)
    assert len(endpoint.bodies) == 4
    assert endpoint.bodies[3]["response_format"]["type"] == "json_object"
    assert "logprobs" not in endpoint.bodies[3]


def test_log_probabilities_are_asked_for_where_they_are_needed(endpoint: Any, client: Client) -> None:
    endpoint.does(lambda body: (400, "logprobs is not supported") if "logprobs" in body else RED)
    assert client.complete(asking()).parsed == Colour("red", True)
    # What was found out without them says nothing about a server that is asked for them.
    assert client.complete(asking("Again?", logprobs=True)).parsed == Colour("red", True)
    assert ["logprobs" in body for body in endpoint.bodies] == [False, True, False]


def test_the_limit_by_its_newer_name(endpoint: Any, client: Client) -> None:
    endpoint.does(
        lambda body: (
            (400, "Unsupported parameter: use 'max_completion_tokens' instead.")
            if "max_tokens" in body
            else RED
        )
    )
    assert client.complete(asking(max_tokens=7)).parsed == Colour("red", True)
    assert endpoint.bodies[1]["max_completion_tokens"] == 7


@pytest.mark.parametrize("fault", [429, 500, 503, "hang up", "cut off"])
def test_what_may_go_well_later_is_tried_again(
    endpoint: Any, client: Client, waits: list[float], fault: Any
) -> None:
    endpoint.does(fault, fault, RED)
    assert client.complete(asking()).parsed == Colour("red", True)
    assert client.retries == 2
    assert len(waits) == 2
    assert waits[1] > waits[0]


def test_a_server_that_asks_for_patience_gets_it(endpoint: Any, client: Client, waits: list[float]) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    endpoint.does((429, "slow down", 7), (503, "slow down", later), (429, "slow down", "nonsense"), RED)
    assert client.complete(asking()).parsed == Colour("red", True)
    assert 6 < waits[0] <= 7
    assert 20 < waits[1] <= 30


def test_one_prompt_that_fails_does_not_end_the_others(endpoint: Any, client: Client) -> None:
    def answer(body: dict[str, Any]) -> Any:
        return (400, "the prompt is too long") if "long" in body["messages"][0]["content"] else RED

    endpoint.does(RED)
    client.complete(asking("First?"))
    endpoint.does(answer)
    found = list(client.complete_many([asking("a"), asking("long"), asking("b")]))
    assert [each.parsed is not None for each in found] == [True, False, True]
    assert "the prompt is too long" in found[1].problem


def test_a_slow_server_is_given_up(endpoint: Any, client: Client) -> None:
    endpoint.does("slow 2")
    assert "has not answered within 0.3 s" in client.complete(asking()).problem
    assert len(endpoint.bodies) == 2


def test_nobody_there_is_said_at_once(endpoint: Any, waits: list[float]) -> None:
    endpoint.close()
    there = endpoint_of(endpoint.name)
    client = Client(there, transport=Transport(there, sleep=waits.append))
    with pytest.raises(RefusedError, match="cannot be reached"):
        client.complete(asking())
    with pytest.raises(RefusedError, match="cannot be reached"):
        list(client.complete_many([asking()]))
    assert waits == []


@pytest.mark.parametrize("status", [401, 403, 404, 302])
def test_what_no_prompt_gets_past_is_raised(endpoint: Any, client: Client, status: int) -> None:
    endpoint.does(status)
    with pytest.raises(RefusedError):
        list(client.complete_many([asking("a"), asking("b")]))


@pytest.mark.parametrize("answer", [{}, {"choices": []}, {"choices": "none"}, [], None])
def test_another_protocol_is_a_problem(endpoint: Any, client: Client, answer: Any) -> None:
    endpoint.does({"no": "choices"} if answer is None else answer)
    assert "not with a completion" in client.complete(asking()).problem


def test_completions_come_in_order_with_a_limit_on_requests_at_once(endpoint: Any) -> None:
    client = Client(endpoint.name, parallel=3)
    together = threading.Barrier(3, timeout=30)

    def answer(body: dict[str, Any]) -> Any:
        if body["messages"][0]["content"] != "first":
            together.wait()
        return json.dumps({"colour": body["messages"][0]["content"], "sure": True})

    endpoint.does(answer)
    client.complete(asking("first"))
    names = [str(number) for number in range(12)]
    found = client.complete_many(asking(name) for name in names)
    assert [each.parsed and each.parsed.colour for each in found] == names
    assert endpoint.most_at_once == 3


def test_an_answer_is_asked_for_once_and_then_kept(endpoint: Any) -> None:
    endpoint.does(RED)
    Client(endpoint.name).complete(asking())
    again = Client(endpoint.name)
    completion = again.complete(asking())
    assert completion.parsed == Colour("red", True)
    assert completion.cached
    assert (again.spending.requests, again.spending.from_cache) == (0, 1)
    assert again.spending.tokens == Tokens()
    assert len(endpoint.bodies) == 1


@pytest.mark.parametrize(
    "other",
    [
        asking("Another question?"),
        asking(version="2"),
        asking(temperature=0.5),
        asking(sample=1),
        asking(max_tokens=9),
    ],
)
def test_another_prompt_is_not_answered_from_the_cache(endpoint: Any, other: Prompt[Colour]) -> None:
    endpoint.does(RED)
    client = Client(endpoint.name)
    client.complete(asking())
    client.complete(other)
    assert len(endpoint.bodies) == 2


def test_a_damaged_file_of_the_cache_is_as_good_as_none(endpoint: Any, tmp_path: Path) -> None:
    endpoint.does(RED)
    Client(endpoint.name, cache=tmp_path / "here").complete(asking())
    (kept,) = (tmp_path / "here").rglob("*.json")
    kept.write_text('{"text": ')
    assert Client(endpoint.name, cache=tmp_path / "here").complete(asking()).parsed == Colour("red", True)
    assert len(endpoint.bodies) == 2
    assert kept.read_text() != '{"text": '


def test_nothing_is_kept_where_no_cache_is_wanted(endpoint: Any, tmp_path: Path) -> None:
    endpoint.does(RED)
    client = Client(endpoint.name, cache=None)
    client.complete(asking())
    client.complete(asking())
    assert len(endpoint.bodies) == 2
    assert not (tmp_path / "cache").exists()


def test_a_budget_is_never_overrun(endpoint: Any) -> None:
    endpoint.does(RED)
    client = Client(endpoint.name, budget=Budget(tokens=100), parallel=4)
    found = list(client.complete_many(asking(str(number), max_tokens=20) for number in range(20)))
    assert client.spending.tokens.total <= 100
    assert 0 < len(endpoint.bodies) < 20
    assert found[-1].problem == "the budget is spent"
    assert client.spending.refused == sum(each.problem != "" for each in found)


def test_a_budget_in_dollars(endpoint: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAVEAT_LLM_PRICES", "100000,200000")
    endpoint.does(RED)
    client = Client(endpoint.name, budget=Budget(dollars=8.0))
    assert client.complete(asking("a", max_tokens=20)).parsed
    assert client.spending.dollars == pytest.approx(10 * 0.1 + 5 * 0.2)
    assert client.complete(asking("b", max_tokens=40)).problem == "the budget is spent"


def test_the_key_is_sent_and_never_said(
    endpoint: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("CAVEAT_LLM_KEY", "sk-very-secret")
    endpoint.does((401, "the key sk-very-secret is wrong"))
    with pytest.raises(CaveatError) as raised:
        Client(endpoint.name).complete(asking())
    assert endpoint.headers[0]["Authorization"] == "Bearer sk-very-secret"
    assert "secret" not in str(raised.value)
    assert raised.value.__cause__ is None
    assert "secret" not in "".join(capsys.readouterr())


def test_the_key_of_openai_goes_to_openai_alone(endpoint: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    endpoint.does(RED)
    Client(endpoint.name).complete(asking())
    assert "Authorization" not in endpoint.headers[0]
    assert endpoint_of("openai:https://api.openai.com/v1#gpt").key == "sk-very-secret"


def test_construction_sends_nothing(endpoint: Any) -> None:
    Client(endpoint.name)
    assert endpoint.bodies == []


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("openai:http://127.0.0.1:8080/v1#a", "http://127.0.0.1:8080/v1"),
        ("http://127.0.0.1:8080#a", "http://127.0.0.1:8080/v1"),
        ("openai:https://host/api/v1/chat/completions#a", "https://host/api/v1"),
        ("openai:http://[::1]:8080/#a", "http://[::1]:8080/v1"),
    ],
)
def test_where_a_model_is(text: str, url: str) -> None:
    assert endpoint_of(text).url == url
    assert endpoint_of(text).name == "a"
    assert endpoint_of(str(endpoint_of(text))) == endpoint_of(text)


@pytest.mark.parametrize(
    "text",
    ["openai:", "openai:http://host/v1", "openai:ftp://host#a", "openai:http://#a", "openai:http://h:x/#a"],
)
def test_what_is_no_endpoint(text: str) -> None:
    with pytest.raises(UsageError):
        endpoint_of(text)


@pytest.mark.parametrize(
    "text", ["openai:https://me:secret@host/v1#a", "openai:https://host/v1?key=secret#a"]
)
def test_a_key_in_the_address_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(UsageError) as raised:
        endpoint_of(text)
    assert "secret" not in str(raised.value)
