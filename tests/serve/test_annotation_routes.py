"""The annotation API: who may see and change what, and that nothing is overwritten."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from caveat.annotation.project import Project
from caveat.annotation.records import Sample, Span, Suggestion, Work

Serving = Callable[..., Any]
TEXT = "If the lamp blinks, press the left button. Else wait."


def sample(id: str = "lamp", **fields: Any) -> Sample:
    return Sample(id, TEXT, **{"question": "What do I do?", **fields})


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.new(tmp_path / "lamps.project", "cmqa", [sample(), sample("tea/1 #?")], overlap=2) as made:
        yield made


@pytest.fixture
def client(annotating: Serving, project: Project) -> Iterator[httpx.Client]:
    with annotating(project) as running:
        yield running


class Person:
    """Someone with a token."""

    def __init__(self, client: httpx.Client, token: str) -> None:
        self.client, self.headers = client, {"Authorization": f"Bearer {token}"}

    def ask(self, method: str, path: str, body: Any = None, status: int = 200) -> Any:
        content = None if body is None else json.dumps(body)
        response = self.client.request(method, path, content=content, headers=self.headers)
        assert response.status_code == status, response.text
        return response.json()

    def save(
        self, item: str, spans: list[dict[str, Any]], version: int, request: str, status: int = 200
    ) -> Any:
        body = {"work": {"spans": spans}, "version": version, "request": request}
        return self.ask("PUT", f"/api/items/{item}", body, status)


@pytest.fixture
def ada(client: httpx.Client, project: Project) -> Person:
    person = Person(client, project.add_annotator("Ada"))
    person.ask("GET", "/api/queue")
    return person


@pytest.fixture
def judge(client: httpx.Client, project: Project) -> Person:
    return Person(client, project.add_annotator("Judge", "adjudicator"))


def span(id: str, kind: str, words: str) -> dict[str, Any]:
    start = TEXT.index(words)
    return {"id": id, "kind": kind, "start": start, "end": start + len(words)}


PRESS = span("s1", "coarse", "press the left button")
BLINKS = span("s2", "condition", "If the lamp blinks")


def test_the_project_and_the_queue(ada: Person) -> None:
    found = ada.ask("GET", "/api/project")
    assert (found["name"], found["me"]) == ("lamps", {"name": "Ada", "role": "annotator"})
    assert [kind["key"] for kind in found["task"]["kinds"]] == ["c", "a", "f"]
    queue = ada.ask("GET", "/api/queue")
    assert [entry["item"] for entry in queue] == ["lamp", "tea/1 #?"]
    assert ada.ask("GET", "/api/next")["item"] == "lamp"
    assert "uncertainty" in ada.ask("GET", "/api/next?by=luck", status=422)["error"]


def test_a_work_is_saved_checked_and_seen_again(ada: Person) -> None:
    before = ada.ask("GET", "/api/items/lamp")
    assert (before["version"], before["state"], before["work"]["spans"]) == (0, "open", [])
    saved = ada.save("lamp", [PRESS], 0, "r1")
    assert saved["version"] == 1
    assert saved["work"]["question"] == "What do I do?"
    touching = {"id": "s3", "kind": "coarse", "start": PRESS["end"], "end": PRESS["end"] + 1}
    remarks = ada.ask("POST", "/api/items/lamp/check", {"work": {"spans": [PRESS, touching]}})["remarks"]
    assert [(remark["rule"], remark["spans"]) for remark in remarks] == [("touching-spans", ["s1", "s3"])]
    after = ada.ask("GET", "/api/items/lamp")
    assert (after["version"], after["state"], after["work"]["spans"]) == (1, "begun", [PRESS])


def test_names_of_items_are_escaped(ada: Person) -> None:
    path = "tea%2F1%20%23%3F"
    assert ada.ask("GET", f"/api/items/{path}")["item"] == "tea/1 #?"
    assert ada.save(path, [PRESS], 0, "r1")["version"] == 1
    assert ada.ask("POST", f"/api/items/{path}/done", {})["state"] == "done"


def test_a_request_that_comes_twice_is_saved_once(ada: Person, project: Project) -> None:
    assert ada.save("lamp", [PRESS], 0, "r1") == ada.save("lamp", [PRESS], 0, "r1")
    assert len(list(project.decisions("lamp"))) == 1


def test_two_tabs_do_not_overwrite_each_other(ada: Person) -> None:
    ada.save("lamp", [PRESS], 0, "r1")
    told = ada.save("lamp", [BLINKS], 0, "r2", 409)
    assert (told["version"], told["work"]["spans"]) == (1, [PRESS])
    assert ada.save("lamp", [BLINKS], told["version"], "r3")["version"] == 2


def test_undo_and_redo(ada: Person) -> None:
    ada.save("lamp", [PRESS], 0, "r1")
    ada.save("lamp", [PRESS, BLINKS], 1, "r2")
    move = {"version": 2, "request": "u1"}
    undone = ada.ask("POST", "/api/items/lamp/undo", move)
    assert (undone["version"], undone["work"]["spans"]) == (3, [PRESS])
    assert ada.ask("POST", "/api/items/lamp/undo", move) == undone
    assert ada.ask("POST", "/api/items/lamp/undo", {**move, "request": "u2"}, 409)["version"] == 3
    empty = ada.ask("POST", "/api/items/lamp/undo", {"version": 3, "request": "u3"})
    assert (empty["work"]["spans"], empty["work"]["question"]) == ([], "What do I do?")
    told = ada.ask("POST", "/api/items/lamp/undo", {"version": 4, "request": "u4"}, 422)
    assert told["error"] == "There is nothing to undo."
    again = ada.ask("POST", "/api/items/lamp/redo", {"version": 4, "request": "u5"})
    assert again["work"]["spans"] == [PRESS]


def test_annotators_see_only_their_own(ada: Person, client: httpx.Client, project: Project) -> None:
    ada.save("lamp", [PRESS], 0, "r1")
    bo = Person(client, project.add_annotator("Bo"))
    bo.ask("GET", "/api/queue")
    assert bo.ask("GET", "/api/items/lamp")["work"]["spans"] == []
    for path in ("/api/disagreements", "/api/gold/lamp", "/api/agreement", "/api/status"):
        assert bo.ask("GET", path, status=403) == {"error": "Only who adjudicates sees the work of others."}
    bo.ask("PUT", "/api/gold/lamp", {"work": {}, "version": 0, "request": "r"}, 403)
    cyd = Person(client, project.add_annotator("Cyd"))
    assert cyd.ask("GET", "/api/queue") == []
    assert (
        cyd.ask("GET", "/api/items/lamp", status=404)["error"] == "There is no item of this name among yours."
    )
    cyd.save("lamp", [PRESS], 0, "r9", 404)


def test_disagreements_are_decided(
    ada: Person, judge: Person, client: httpx.Client, project: Project
) -> None:
    bo = Person(client, project.add_annotator("Bo"))
    bo.ask("GET", "/api/queue")
    assert "two annotators" in judge.ask("GET", "/api/agreement", status=422)["error"]
    for person, spans in ((ada, [PRESS]), (bo, [PRESS, BLINKS])):
        person.save("lamp", spans, 0, f"r{len(spans)}")
        person.ask("POST", "/api/items/lamp/done", {})
    assert judge.ask("GET", "/api/disagreements") == [
        {"item": "lamp", "annotators": ["Ada", "Bo"], "decided": False}
    ]
    found = judge.ask("GET", "/api/gold/lamp")
    assert [len(found["works"][name]["spans"]) for name in ("Ada", "Bo")] == [1, 2]
    body = {"work": found["works"]["Bo"], "version": found["version"], "request": "g1"}
    assert judge.ask("PUT", "/api/gold/lamp", body)["version"] == 1
    assert judge.ask("PUT", "/api/gold/lamp", {**body, "request": "g2"}, 409)["version"] == 1
    assert judge.ask("GET", "/api/disagreements")[0]["decided"]
    assert [len(gold.work.spans) for gold in project.gold()] == [2]
    assert judge.ask("GET", "/api/status")["adjudicated"] == 1
    assert judge.ask("GET", "/api/agreement")["kinds"]["coarse"] == 100
    judge.ask("GET", "/api/gold/nowhere", status=404)


def test_a_suggestion_is_shown_only_where_it_is_wanted(ada: Person, project: Project) -> None:
    work = Work("What do I do?", spans=(Span("m", "coarse", 20, 41),))
    project.keep_suggestions({"lamp": Suggestion(work, "tagger", 0.4)})
    assert ada.ask("GET", "/api/items/lamp")["suggestion"] is None
    project.show_suggestions(True)
    assert ada.ask("GET", "/api/items/lamp")["suggestion"]["model"] == "tagger"
    ada.ask("POST", "/api/items/lamp/suggestion", {"outcome": "changed"})
    assert project.outcomes() == {("lamp", "Ada"): "changed"}
    ada.ask("POST", "/api/items/lamp/suggestion", {"outcome": "liked"}, 400)


def test_a_passage_gets_a_further_question(annotating: Serving, tmp_path: Path) -> None:
    with (
        Project.new(tmp_path / "p", "cmrc2018", [sample(question=None)]) as project,
        annotating(project) as client,
    ):
        ada = Person(client, project.add_annotator("Ada"))
        assert [entry["item"] for entry in ada.ask("GET", "/api/queue")] == ["lamp#1"]
        assert ada.ask("POST", "/api/items/lamp%231/questions") == {"item": "lamp#2"}
        assert [entry["item"] for entry in ada.ask("GET", "/api/queue")] == ["lamp#1", "lamp#2"]


@pytest.mark.parametrize(
    ("body", "status", "problem"),
    [
        (b"{", 400, "broken JSON"),
        (b'{"work": {}, "version": 0}', 400, "request"),
        (b'{"work": {}, "version": 0, "request": ""}', 400, "length >= 1"),
        (b'{"work": {"verdict": "maybe"}, "version": 0, "request": "r"}', 400, "maybe"),
        (b'{"work": {"verdict": "yes"}, "version": 0, "request": "r"}', 422, "yes is no answer in cmqa"),
        (b'{"work": {"question": "\\ud800"}, "version": 0, "request": "r"}', 400, "surrogate"),
        (
            b'{"work": {"spans": [{"id": "s", "kind": "coarse", "start": 50, "end": 99}]}, "version": 0,'
            b' "request": "r"}',
            422,
            "is no piece of the text",
        ),
    ],
)
def test_what_is_no_work_is_refused(ada: Person, body: bytes, status: int, problem: str) -> None:
    response = ada.client.put("/api/items/lamp", content=body, headers=ada.headers)
    assert (response.status_code, problem in response.json()["error"]) == (status, True), response.text
    assert ada.ask("GET", "/api/items/lamp")["version"] == 0


def test_strangers_get_the_page_and_nothing_else(client: httpx.Client, project: Project) -> None:
    assert client.get("/").text.startswith("<!doctype html>")
    for name in ("annotate/page.js", "annotate/words.json", "tokens.css"):
        assert client.get(f"/static/{name}").status_code == 200
    for token in ("", "Bearer", "Bearer wrong", "Basic x", "Bearer " + "é" * 9):
        headers = {"Authorization": token.encode("latin-1")}
        for path in ("/api/project", "/api/queue", "/api/items/lamp", "/openapi.json"):
            assert client.get(path, headers=headers).status_code == 401
    token = project.add_annotator("Ada")
    evil = {"Authorization": f"Bearer {token}", "Origin": "https://evil.example"}
    assert client.get("/api/project", headers=evil).status_code == 403
    lost = {"Authorization": f"Bearer {token}"}
    assert client.get("/api/project", headers=lost).status_code == 200
    project.new_token("Ada")
    assert client.get("/api/project", headers=lost).status_code == 401


def test_every_route_is_described(ada: Person) -> None:
    described = ada.ask("GET", "/openapi.json")
    assert {"SaveBody", "Item", "Contested"} <= described["components"]["schemas"].keys()
    assert "/api/items/{item}/undo" in described["paths"]


def test_a_file_that_cannot_be_written_is_no_fault_of_the_work(
    ada: Person, monkeypatch: pytest.MonkeyPatch, project: Project
) -> None:
    from caveat.core.errors import CaveatError

    def full(*arguments: Any, **options: Any) -> Any:
        raise CaveatError(f"{project.path}: database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(project, "save", full)
        told = ada.save("lamp", [PRESS], 0, "r1", 503)
    assert told == {"error": "the project: database or disk is full"}
    assert ada.save("lamp", [PRESS], 0, "r1")["version"] == 1
