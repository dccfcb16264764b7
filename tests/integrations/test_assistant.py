"""The tools as an assistant uses them: the real client of the protocol, over standard input and output."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from caveat.answerers.engine import Engine
from caveat.core.answers import Answer, Condition
from caveat.core.records import Question, Reply, to_json
from caveat.integrations.assistant import assistant
from caveat.models.reader import Reader


@pytest.fixture(scope="module")
def engine(reader_folder: Path) -> Engine:
    return Engine([Reader.load(reader_folder)])


def called(engine: Engine, tool: str, **arguments: Any) -> Any:
    """What a tool gives, over a transport in memory."""

    async def call() -> Any:
        async with Client(assistant(engine)) as client:
            return await client.call_tool(tool, arguments)

    return asyncio.run(call())


def test_texts_that_the_assistant_gives_are_asked(engine: Engine) -> None:
    result = called(engine, "ask", question="color?", sources={"dog.txt": "The dog. color red."})
    assert not result.is_error
    answer = result.structured_content["answers"][0]
    assert (answer["text"], answer["place"]["source"]) == ("red", "dog.txt")


def test_a_condition_is_settled(engine: Engine) -> None:
    smoker = Condition("you smoke", question="Do you smoke?")
    reply = Reply(Question("May I?"), (Answer("yes", "yes", 0.9, conditions=(smoker,)),), 0.1)
    raw = json.loads(to_json(reply))
    settled = called(engine, "settle", reply=raw, condition="Do you smoke?", answer=True)
    assert settled.structured_content == json.loads(to_json(reply.settle(smoker, True)))
    assert "conditions" not in settled.structured_content["answers"][0]


@pytest.mark.parametrize(
    ("tool", "arguments", "problem"),
    [
        ("ask", {"question": "color?"}, "There is no library"),
        ("ask", {"question": " ", "sources": {"x": "color red"}}, "The question is empty."),
        ("ask", {"question": "a" * 2001, "sources": {"x": "color red"}}, "2,001 characters"),
        ("ask", {"question": "color?", "sources": {"/etc/passwd": " "}}, "/etc/passwd: is empty"),
        ("search", {"question": "color?"}, "There is no library"),
        ("settle", {"reply": {"question": 5}, "condition": "x", "answer": True}, "This is no reply"),
    ],
)
def test_what_cannot_be_done_is_said(
    engine: Engine, tool: str, arguments: dict[str, Any], problem: str
) -> None:
    result = called(engine, tool, **arguments)
    assert result.is_error
    assert problem in result.content[0].text
    assert "Traceback" not in result.content[0].text


def test_as_an_assistant_starts_it(tmp_path: Path, reader_folder: Path) -> None:
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "dog.md").write_text("# Dogs\n\nThe dog. color red.\n")
    arguments = ["-m", "caveat", "mcp", str(texts), "--model", str(reader_folder)]
    parameters = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))

    async def conversation() -> tuple[set[str], Any, Any]:
        async with Client(stdio_client(parameters)) as client:
            tools = await client.list_tools()
            found = await client.call_tool("search", {"question": "dog color"})
            reply = await client.call_tool("ask", {"question": "dog color?"})
            return {tool.name for tool in tools.tools}, found, reply

    tools, found, reply = asyncio.run(conversation())
    assert tools == {"ask", "settle", "search"}
    assert "color red" in found.content[0].text
    assert reply.structured_content["answers"][0]["text"] == "red"
