"""Workflows, templates and the changelog: what a parser takes, and what they say of one another."""

from __future__ import annotations

import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
RELEASE = runpy.run_path(str(ROOT / ".ci" / "release.py"))
VERSION = RELEASE["version_of"]((ROOT / "pyproject.toml").read_text("utf-8"))


def parsed(name: str) -> dict[str, Any]:
    yaml = pytest.importorskip("yaml", reason="a parser of YAML is not installed")
    found: dict[str, Any] = yaml.safe_load((ROOT / ".github" / name).read_text("utf-8"))
    return found


def commands(job: dict[str, Any]) -> list[str]:
    return [step["run"] for step in job["steps"] if "run" in step]


def test_the_first_job_runs_the_quick_tests_without_torch() -> None:
    jobs = parsed("workflows/ci.yml")["jobs"]
    name, first = next(iter(jobs.items()))
    assert commands(first)[-1] == 'pytest -m "not slow" -n 2'
    assert not [command for command in commands(first) if "torch" in command or "train" in command]
    assert jobs["gate"]["needs"] == name


@pytest.mark.parametrize("workflow", ["ci", "docs", "release"])
def test_a_workflow_waits_for_jobs_that_exist_and_may_do_nothing_unless_it_says_so(workflow: str) -> None:
    found = parsed(f"workflows/{workflow}.yml")
    assert found["permissions"] == {"contents": "read"}
    for job in found["jobs"].values():
        needs = job.get("needs", [])
        assert {needs} if isinstance(needs, str) else set(needs) <= set(found["jobs"])
        assert job["timeout-minutes"] <= 60


def scripts() -> Iterator[str]:
    for workflow in ("ci", "docs", "release"):
        for job in parsed(f"workflows/{workflow}.yml")["jobs"].values():
            for command in commands(job):
                yield from (word for word in command.split() if word.startswith(".ci/"))


def test_the_scripts_that_workflows_run_are_there() -> None:
    assert {ROOT / script for script in scripts()} <= set((ROOT / ".ci").iterdir())


@pytest.mark.parametrize("name", ["wrong_answer", "fault", "idea"])
def test_a_template_asks_for_something(name: str) -> None:
    found = parsed(f"ISSUE_TEMPLATE/{name}.yml")
    assert found["name"]
    assert found["description"]
    ids = [field["id"] for field in found["body"]]
    assert len(set(ids)) == len(ids) > 0
    assert any(field.get("validations", {}).get("required") for field in found["body"])


def test_notes_of_a_release_are_its_section_of_the_changelog() -> None:
    newer, older = "## [1.2.0] - 2026-05-01\n\n### Added\n- A.\n\n", "## [1.1.0] - 2026-01-01\n- B.\n"
    changelog = f"# Changelog\n\n## [Unreleased]\n\n{newer}{older}"
    assert RELEASE["notes_of"]("1.2.0", changelog) == "### Added\n- A.\n"
    assert RELEASE["notes_of"]("1.1.0", changelog) == "- B.\n"
    for version in ("1.3.0", "1.2"):
        with pytest.raises(SystemExit, match=r"no heading `## \[1\..* - YYYY-MM-DD`"):
            RELEASE["notes_of"](version, changelog)


def test_the_changelog_has_what_is_unreleased_and_the_version() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert "\n## [Unreleased]\n" in changelog
    assert f"\n## [{VERSION}]" in changelog


@pytest.mark.parametrize("name", ["compose.yaml", "kubernetes.yaml"])
def test_files_for_containers_name_the_version(name: str) -> None:
    text = (ROOT / "deploy" / name).read_text("utf-8")
    assert f"image: caveat:{VERSION}\n" in text
    assert text.count("image: caveat:") == text.count(f"image: caveat:{VERSION}\n")
