"""The files for containers are what their parsers take, name things that are there, and say that nobody ran them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from caveat.cli.main import app

yaml = pytest.importorskip("yaml", reason="a parser of YAML is not installed")
DEPLOY = Path(__file__).resolve().parents[2] / "deploy"


@pytest.mark.parametrize("name", ["compose.yaml", "kubernetes.yaml"])
def test_they_say_that_only_a_parser_has_seen_them(name: str) -> None:
    assert (DEPLOY / name).read_text("utf-8").startswith("# Checked by a parser only")


def commands() -> Iterator[list[str]]:
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    for service in compose["services"].values():
        yield service["command"]
    for document in manifests():
        if document["kind"] == "Deployment":
            for container in document["spec"]["template"]["spec"]["containers"]:
                yield container["args"]


def manifests() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text("utf-8")))


def test_our_commands_in_them_are_parsed_by_ours() -> None:
    ours = [command[1:] for command in commands() if command[0] == "caveat"]
    assert len(ours) == 2
    for name, *arguments in ours:
        command = get_command(app).commands[name]  # type: ignore[attr-defined]
        parsed = command.make_context(name, list(arguments)).params
        assert parsed["host"] == "0.0.0.0"
        assert parsed["log"] == "json"


def test_what_a_compose_file_refers_to_is_in_it() -> None:
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    for service in compose["services"].values():
        assert set(service.get("depends_on", ())) <= set(compose["services"])
        for volume in service.get("volumes", ()):
            assert volume.partition(":")[0] in compose["volumes"]


def test_what_a_manifest_refers_to_is_in_it() -> None:
    found = manifests()
    named = {(each["kind"], each["metadata"]["name"]) for each in found}
    assert len(named) == len(found)
    for each in found:
        if each["kind"] == "Deployment":
            labels = each["spec"]["template"]["metadata"]["labels"]
            assert each["spec"]["selector"]["matchLabels"] == labels
            pod = each["spec"]["template"]["spec"]
            volumes = {volume["name"]: volume for volume in pod["volumes"]}
            for container in pod["containers"]:
                assert {mount["name"] for mount in container["volumeMounts"]} <= set(volumes)
            for volume in volumes.values():
                claim = volume.get("persistentVolumeClaim")
                assert claim is None or ("PersistentVolumeClaim", claim["claimName"]) in named
        if each["kind"] == "Service":
            pods = [other["spec"]["template"] for other in found if other["kind"] == "Deployment"]
            assert any(each["spec"]["selector"] == pod["metadata"]["labels"] for pod in pods)
