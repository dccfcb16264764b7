"""The API as a client sees it: each route, and that it says what the function behind it says."""

from __future__ import annotations

import base64
import io
import json
import re
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from caveat.answerers.engine import Engine
from caveat.benchmarks.verbs import evaluate, evaluate_official
from caveat.core.answers import Answer, Condition
from caveat.core.records import Document, Question, Reply, from_json, to_json
from caveat.models.embedded import list_models
from caveat.render.answer_tree import answer_tree, with_tree
from caveat.serve.bodies import ShownReply
from caveat.sources.gather import parse_source

TEXT = "The dog. color red. size ten."
GOLD = json.dumps(
    {
        "data": [
            {"paragraphs": [{"context": "color red", "qas": [{"id": "a", "question": "color", "answers": [
                {"text": "red", "answer_start": 6}]}]}]}
        ]
    }
)  # fmt: skip


def ask(client: httpx.Client, question: str, *sources: dict[str, Any], **more: Any) -> dict[str, Any]:
    response = client.post("/ask", json={"question": question, "sources": sources, **more})
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/json"
    return dict(response.json())


def test_a_text_is_asked_as_the_engine_is(client: httpx.Client, engine: Engine, tmp_path: Path) -> None:
    answered = client.post(
        "/ask", json={"question": "color?", "sources": [{"name": "dog.txt", "text": TEXT}]}
    )
    (read,) = parse_source(TEXT.encode(), "dog.txt", tmp_path)
    assert from_json(answered.content, Reply) == engine.ask("color?", read.source)
    assert answered.json()["answers"][0]["text"] == "red"


def test_places_point_into_the_documents_that_come_along(client: httpx.Client) -> None:
    sources = [
        {"name": "page.html", "base64": base64.b64encode(b"<h1>Dog</h1><p>color red. size ten.").decode()},
        {"name": "other.md", "text": "# Cats\n\nname blue\n"},
    ]
    reply = ask(client, "color?", *sources, documents=True)
    place = reply["answers"][0]["place"]
    assert place["source"] == "page.html"
    assert set(reply["documents"]) == {"page.html", "other.md"}
    assert reply["documents"]["page.html"]["text"][place["start"] : place["end"]] == "red"
    assert not {"documents", "tree"} & set(ask(client, "color?", *sources))


def test_the_tree_that_the_page_draws_comes_with_the_documents(client: httpx.Client) -> None:
    reply = ask(client, "color?", {"name": "dog.txt", "text": TEXT}, documents=True)
    shown = from_json(json.dumps(reply), ShownReply)
    assert shown.tree == answer_tree(shown, shown.documents, shown.tables)
    (branch, *_) = reply["tree"]["branches"]
    assert branch["answers"][0]["text"] == "red"
    (mark,) = (each for each in reply["tree"]["marks"]["dog.txt"] if each["label"] == "1")
    assert TEXT[mark["start"] : mark["end"]] == "red"


def test_tables_and_triples_are_asked_too(client: httpx.Client) -> None:
    rows = {"type": "table", "headers": ["town", "people"], "rows": [["Aville", "120"], ["Betown", "75"]]}
    reply = ask(client, "How many people live in Betown?", {"name": "towns", "table": rows}, documents=True)
    assert reply["answers"][0]["text"] == "75"
    assert reply["answers"][0]["place"]["source"] == "towns"
    assert reply["tables"]["towns"]["rows"][1] == ["Betown", "75"]
    csv = {"name": "towns.csv", "text": "town,people\nAville,120\nBetown,75\n"}
    assert ask(client, "How many people live in Aville?", csv)["answers"][0]["text"] == "120"
    triples = {"name": "facts.kb", "text": "Aville ||| mayor ||| Ann Oak\n"}
    for _ in range(2):
        reply = ask(client, "Who is the mayor of Aville?", triples)
        assert reply["answers"][0]["text"] == "Ann Oak"
        assert reply["answers"][0]["place"] == {"source": "facts.kb"}


def test_what_is_said_of_a_source_is_in_the_reply(client: httpx.Client) -> None:
    headless = {"name": "numbers.csv", "text": "1,2\n3,4\n5,6\n"}
    reply = ask(client, "color?", headless, {"name": "a.txt", "text": TEXT})
    assert reply["remarks"] == [
        {
            "source": "numbers.csv",
            "text": "no row names the columns, so they are called column 1, column 2 and so on",
        }
    ]


def test_an_archive_is_asked_file_by_file(client: httpx.Client) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("dog.txt", TEXT)
        archive.writestr("dog.xyz", b"\0\1")
    source = {"name": "all.zip", "base64": base64.b64encode(packed.getvalue()).decode()}
    reply = ask(client, "color?", source, documents=True)
    assert reply["answers"][0]["place"]["source"] == "all.zip/dog.txt"
    assert reply["documents"]["all.zip/dog.txt"]["text"] == TEXT
    assert [remark["source"] for remark in reply["unread"]] == ["all.zip/dog.xyz"]


@pytest.mark.parametrize("flat", [False, True])
def test_options_are_those_of_the_command(client: httpx.Client, engine: Engine, flat: bool) -> None:
    more = {"top": 1, "flat": flat, "scenario": "I have a dog.", "language": "en"}
    reply = ask(client, "color?", {"name": "x", "text": TEXT}, **more)
    question = Question("color?", "I have a dog.", "en")
    expected = engine.ask(question, Document(TEXT, url="x"), top=1, structure=not flat)
    assert [answer["text"] for answer in reply["answers"]] == [answer.text for answer in expected.answers]
    assert reply["question"] == {"text": "color?", "scenario": "I have a dog.", "language": "en"}


def test_clients_at_once_get_the_answers_of_one(client: httpx.Client) -> None:
    texts = [f"color {word}. size {size}." for word in ("red", "blue", "green") for size in ("ten", "dark")]
    asked = [(question, text) for text in texts for question in ("color?", "size?", "颜")]

    def reply(each: tuple[str, str]) -> dict[str, Any]:
        return ask(client, each[0], {"name": "x", "text": each[1]})

    alone = [reply(each) for each in asked]
    with ThreadPoolExecutor(16) as pool:
        together = list(pool.map(reply, asked * 4))
    assert together == alone * 4
    assert [one["answers"][0]["text"] for one in alone[:2]] == ["red", "ten"]


def test_progress_comes_as_events(client: httpx.Client) -> None:
    body = {"question": "color?", "sources": [{"name": "x", "text": TEXT}]}
    response = client.post("/ask", json=body, headers={"Accept": "text/event-stream"})
    assert response.headers["content-type"].startswith("text/event-stream")
    events = [
        (
            event.split("\n")[0].removeprefix("event: "),
            json.loads(event.split("\n")[1].removeprefix("data: ")),
        )
        for event in response.text.strip().split("\n\n")
    ]
    assert [name for name, _ in events] == ["progress", "progress", "reply"]
    assert events[0][1] == {"stage": "read", "of": 1}
    assert events[-1][1] == client.post("/ask", json=body).json()
    failed = client.post("/ask", json={"question": "color?"}, headers={"Accept": "text/event-stream"})
    assert failed.text.startswith('event: error\ndata: {"error":"There is no source')


def test_a_condition_is_settled(client: httpx.Client) -> None:
    smoker = Condition("you smoke", question="Do you smoke?", wanted=False)
    reply = Reply(
        Question("May I come in?"),
        (Answer("yes", "yes", 0.6, conditions=(smoker,)), Answer("no", "no", 0.3, otherwise=True)),
        0.1,
    )
    for condition in ("Do you smoke?", msgspec.to_builtins(smoker)):
        for answer in (True, False):
            body = {"reply": json.loads(to_json(reply)), "condition": condition, "answer": answer}
            settled = client.post("/settle", json=body)
            assert from_json(settled.content, Reply) == reply.settle(smoker, answer)
    given = json.loads(to_json(with_tree(reply, {})))
    left = client.post("/settle", json={"reply": given, "condition": "Do you smoke?", "answer": False}).json()
    assert left["tree"]["branches"][0]["met"]
    assert left["tree"]["branches"][0]["conditions"][0]["state"] == "no"
    wrong = client.post(
        "/settle", json={"reply": json.loads(to_json(reply)), "condition": "x", "answer": True}
    )
    assert (wrong.status_code, wrong.json()) == (422, {"error": "no open condition of the reply asks 'x'"})


@pytest.mark.parametrize("official", [False, True])
def test_predictions_are_scored(client: httpx.Client, tmp_path: Path, official: bool) -> None:
    for name, text in (("gold", GOLD), ("pred", '{"a": "red", "b": "x"}')):
        (tmp_path / name).write_text(text)
    function = evaluate_official if official else evaluate
    scored = function("squad", tmp_path / "gold", tmp_path / "pred")
    body = {"gold": GOLD, "pred": '{"a": "red", "b": "x"}', "official": official}
    response = client.post("/eval/squad", json=body)
    assert response.json() == {**scored.scores, "unknown": len(scored.unknown)}
    assert response.json()["exact_match"] == 100.0
    with_details = client.post("/eval/squad", json={**body, "details": True}).json()
    assert with_details["details"][0]["id"] == "a"


def test_scoring_names_no_file_of_the_server(client: httpx.Client) -> None:
    response = client.post("/eval/squad", json={"gold": '{"data": 1}', "pred": "{}"})
    assert response.status_code == 422
    assert response.json()["error"].startswith("gold, line 1, ")
    unknown = client.post("/eval/squat", json={"gold": "{}", "pred": "{}"})
    assert unknown.status_code == 404
    assert "Did you mean 'squad'?" in unknown.json()["error"]


def test_models_are_listed_without_paths(client: httpx.Client) -> None:
    listed = client.get("/models").json()
    assert [model["card"]["name"] for model in listed] == [model.card.name for model in list_models()]
    assert all("/" not in model["folder"] for model in listed)


def test_health(client: httpx.Client) -> None:
    assert client.get("/health").json()["status"] == "ok"


def test_metrics_are_what_prometheus_reads(client: httpx.Client) -> None:
    from prometheus_client.parser import text_string_to_metric_families

    ask(client, "color?", {"name": "x", "text": TEXT})
    client.get("/nowhere")
    families = {family.name: family for family in text_string_to_metric_families(client.get("/metrics").text)}
    counts = {
        (sample.labels["route"], sample.labels["status"]): sample.value
        for sample in families["caveat_requests"].samples
        if sample.name.endswith("_total")
    }
    assert counts["/ask", "200"] >= 1
    assert counts["none", "404"] >= 1
    stages = {sample.labels.get("stage") for sample in families["caveat_stage_seconds"].samples}
    assert {"read", "wait", "answer"} <= stages
    assert families["caveat_waiting"].samples[0].value == 0
    assert families["process_resident_memory_bytes"].samples[0].value > 1e6


def test_openapi_describes_every_body(client: httpx.Client) -> None:
    described = client.get("/openapi.json").json()
    schemas = described["components"]["schemas"]
    text = json.dumps(described)
    references = {part.split('"')[0] for part in text.split('"#/components/schemas/')[1:]}
    assert references <= set(schemas)
    body = described["paths"]["/ask"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert body == {"$ref": "#/components/schemas/AskBody"}
    assert schemas["AskBody"]["required"] == ["question"]
    assert set(schemas["AskBody"]["properties"]) == {field.name for field in _fields("AskBody")}


def _fields(name: str) -> tuple[msgspec.structs.FieldInfo, ...]:
    from caveat.serve import bodies

    return msgspec.structs.fields(getattr(bodies, name))


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_asked(client: httpx.Client) -> None:
    broken = {"name": "broken.pdf", "text": "%PDF-1.7 and nothing else"}
    body = {"question": "color?", "sources": [broken, {"name": "x", "text": "color green"}]}
    reply = client.post("/ask", json=body).json()
    assert reply["answers"][0]["text"] == "green"
    assert [remark["source"] for remark in reply["unread"]] == ["broken.pdf"]
    response = client.post("/ask", json={**body, "sources": [broken]})
    assert (response.status_code, "broken.pdf" in response.json()["error"]) == (422, True)


def test_a_question_goes_on_from_the_one_before(client: httpx.Client) -> None:
    ferry = {"name": "ferry.txt", "text": "The ferry leaves at 7:45 in winter. It leaves at 6:30 in summer."}
    body = {"sources": [ferry], "before": "When does the ferry leave in winter?", "documents": True}
    reply = client.post("/ask", json={**body, "question": "And in summer?"}).json()
    assert reply["question"]["text"] == "When does the ferry leave in summer?"
    assert reply["follow_up"] == {"question": "When does the ferry leave in summer?"}
    told = client.post("/ask", json={**body, "question": "I am 34 years old."}).json()
    assert told["question"] == {"text": body["before"], "scenario": "I am 34 years old."}
    assert told["follow_up"] == {"question": body["before"], "told": "I am 34 years old.", "keeps": True}
    assert "follow_up" not in client.post("/ask", json={**body, "question": "Who owns the ferry?"}).json()


def test_the_page_comes_in_few_files_that_browsers_keep(client: httpx.Client) -> None:
    page = client.get("/")
    addresses = re.findall(r'(?:href|src)="(static/page-[^"]+)"', page.text)
    assert [address.rpartition(".")[2] for address in addresses] == ["css", "js"]
    for address in addresses:
        sent = client.get(f"/{address}")
        assert "immutable" in sent.headers["cache-control"]
        assert sent.headers["content-encoding"] == "gzip"
        plain = client.get(f"/{address}", headers={"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers
        assert plain.text == sent.text
    assert not re.search(r"^(import|export) ", sent.text, re.MULTILINE)


def test_the_routes_can_be_read_as_a_page(client: httpx.Client) -> None:
    page = client.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "<code>POST /ask</code>" in page.text
    links = set(re.findall(r'href="#(\w+)"', page.text))
    assert "AskBody" in links
    assert links <= set(re.findall(r'id="(\w+)"', page.text))
    assert not re.search(r'(?:src|href)="https?:', page.text)
