"""A project's file: nothing lost, nothing overwritten, whoever writes and whatever is killed."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from caveat.annotation.project import NotAssignedError, NothingToDoError, Project, StaleError
from caveat.annotation.records import Sample, Span, Work
from caveat.core.errors import CaveatError, InputError, UsageError

CONTEXT = "Roses need sun. In shade they bloom less."


def samples(count: int) -> list[Sample]:
    return [Sample(f"s{n}", CONTEXT, question="What do roses need?") for n in range(count)]


def work(start: int = 0, end: int = 5, note: str = "") -> Work:
    return Work("What do roses need?", spans=(Span("1", "answer", start, end),), note=note)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project.new(tmp_path / "roses.sqlite", "multispan", samples(3), overlap=2) as project:
        for name in ("Ada", "Bo", "Cy"):
            project.add_annotator(name)
        project.add_annotator("Judy", "adjudicator")
        yield project


def begin(project: Project, annotator: str) -> str:
    """The first item of someone."""
    return project.queue(annotator)[0].item


def test_what_is_saved_is_there_after_opening_again(project: Project) -> None:
    item = begin(project, "Ada")
    assert project.save(item, "Ada", "annotate", work(), version=0, request="r1").version == 1
    project.close()
    with Project.open(project.path) as again:
        assert again.work(item, "Ada", "annotate") == (work(), 1)
        assert again.task.name == "multispan"


def test_two_tabs_do_not_overwrite_each_other(project: Project) -> None:
    item = begin(project, "Ada")
    project.save(item, "Ada", "annotate", work(0, 5), version=0, request="first tab")
    with pytest.raises(StaleError) as raised:
        project.save(item, "Ada", "annotate", work(6, 10), version=0, request="second tab")
    assert (raised.value.work, raised.value.version) == (work(0, 5), 1)
    assert project.work(item, "Ada", "annotate") == (work(0, 5), 1)


def test_a_request_that_comes_twice_is_saved_once(project: Project) -> None:
    item = begin(project, "Ada")
    first = project.save(item, "Ada", "annotate", work(), version=0, request="r")
    assert project.save(item, "Ada", "annotate", work(), version=0, request="r") == first
    assert len(project.decisions(item)) == 1


def test_undo_and_redo_have_no_limit_and_overwrite_nothing(project: Project) -> None:
    item = begin(project, "Ada")
    states = [work(note=str(number)) for number in range(30)]
    for number, state in enumerate(states):
        project.save(item, "Ada", "annotate", state, version=number, request=str(number))
    back = [project.undo(item, "Ada", "annotate").work for _ in states]
    assert back == [*reversed(states[:-1]), None]
    with pytest.raises(NothingToDoError, match="undo"):
        project.undo(item, "Ada", "annotate")
    assert [project.redo(item, "Ada", "annotate").work for _ in states] == states
    with pytest.raises(NothingToDoError, match="redo"):
        project.redo(item, "Ada", "annotate")
    kept = project.decisions(item)
    assert [decision.after for decision in kept[:30]] == states
    assert [decision.before for decision in kept] == [None, *(decision.after for decision in kept[:-1])]
    assert [decision.action for decision in kept] == ["save"] * 30 + ["undo"] * 30 + ["redo"] * 30
    assert {decision.annotator for decision in kept} == {"Ada"}


def test_what_was_undone_and_replaced_is_still_among_the_decisions(project: Project) -> None:
    item = begin(project, "Ada")
    for number, note in enumerate(("a", "b")):
        project.save(item, "Ada", "annotate", work(note=note), version=number, request=note)
    project.undo(item, "Ada", "annotate")
    project.save(item, "Ada", "annotate", work(note="c"), version=3, request="c")
    assert project.undo(item, "Ada", "annotate").work == work(note="a")
    assert project.redo(item, "Ada", "annotate").work == work(note="c")
    assert work(note="b") in [decision.after for decision in project.decisions(item)]


def test_undo_of_a_stale_tab_is_refused(project: Project) -> None:
    item = begin(project, "Ada")
    project.save(item, "Ada", "annotate", work(), version=0, request="r")
    with pytest.raises(StaleError):
        project.undo(item, "Ada", "annotate", version=0)


def test_a_decision_cannot_be_changed_even_by_hand(project: Project) -> None:
    item = begin(project, "Ada")
    project.save(item, "Ada", "annotate", work(), version=0, request="r")
    for statement in ("UPDATE decisions SET annotator = 'Bo'", "DELETE FROM decisions"):
        with pytest.raises(CaveatError, match="decisions are"), project._store.writing() as database:
            database.execute(statement)
    assert [decision.annotator for decision in project.decisions()] == ["Ada"]


def test_each_sees_only_their_own(project: Project) -> None:
    item = begin(project, "Ada")
    project.save(item, "Ada", "annotate", work(), version=0, request="r")
    assert begin(project, "Bo") == item
    assert project.work(item, "Bo", "annotate") == (Work("What do roses need?"), 0)
    with pytest.raises(NotAssignedError):
        project.work(item, "Cy", "annotate")


def test_an_item_has_as_many_people_as_it_wants(project: Project) -> None:
    assert [given.item for given in project.queue("Ada")] == ["s0", "s1", "s2"]
    assert [given.item for given in project.queue("Bo")] == ["s0", "s1", "s2"]
    assert project.queue("Cy") == ()
    assert project.release("Bo") == 3
    assert [given.item for given in project.queue("Cy")] == ["s0", "s1", "s2"]


def test_who_adjudicates_decides_and_others_do_not(project: Project) -> None:
    for name, end in (("Ada", 5), ("Bo", 10)):
        item = begin(project, name)
        project.save(item, name, "annotate", work(0, end), version=0, request=name)
        project.done(item, name, "annotate")
    (found,) = project.disagreements()
    assert found.works == {"Ada": work(0, 5), "Bo": work(0, 10)}
    assert project.gold() == ()
    with pytest.raises(NotAssignedError):
        project.adjudicate(item, "Ada", work(0, 5), version=0, request="g")
    project.adjudicate(item, "Judy", work(0, 5), version=0, request="g")
    assert project.disagreements() == ()
    assert [gold.work for gold in project.gold()] == [work(0, 5)]
    assert project.disagreements(decided=True)[0].gold == work(0, 5)
    assert project.status().adjudicated == 1


def test_what_all_agree_on_is_gold(project: Project) -> None:
    for name in ("Ada", "Bo"):
        item = begin(project, name)
        project.save(item, name, "annotate", work(), version=0, request=name)
        assert project.gold() == ()
        project.done(item, name, "annotate")
    assert [gold.item for gold in project.gold()] == [item]


def test_a_token_is_told_once_and_can_be_replaced(project: Project) -> None:
    old = project.add_annotator("Dee")
    assert project.annotator(old).name == "Dee"  # type: ignore[union-attr]
    new = project.new_token("Dee")
    assert project.annotator(old) is None
    assert project.annotator(new) is not None
    raw = b"".join(path.read_bytes() for path in project.path.parent.iterdir())
    assert old.encode() not in raw
    assert new.encode() not in raw


@pytest.mark.parametrize(
    "wrong",
    [
        Work(spans=(Span("1", "answer", 3, 3),)),
        Work(spans=(Span("1", "answer", 0, 1000),)),
        Work(spans=(Span("1", "evidence", 0, 5),)),
        Work(spans=(Span("1", "answer", 0, 5), Span("1", "answer", 6, 7))),
        Work(verdict="yes"),
        Work(question_type="who"),
    ],
)
def test_what_cannot_be_a_work_is_not_kept(project: Project, wrong: Work) -> None:
    item = begin(project, "Ada")
    with pytest.raises(InputError):
        project.save(item, "Ada", "annotate", wrong, version=0, request="r")
    assert project.decisions() == []


def test_other_files_are_no_projects(tmp_path: Path) -> None:
    for name, content in (
        ("text", b"no database at all, but long enough to have a header" * 9),
        ("empty", b""),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match="no project"):
            Project.open(tmp_path / name)
        with pytest.raises(InputError, match="already"):
            Project.new(tmp_path / name, "multispan", samples(1))
        assert (tmp_path / name).read_bytes() == content
    with pytest.raises(InputError, match="not there"):
        Project.open(tmp_path / "absent")


def test_a_project_without_text_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no text"):
        Project.new(tmp_path / "p", "multispan", [])
    assert list(tmp_path.iterdir()) == []


WRITER = """
import sys
from caveat.annotation.project import Project
from caveat.annotation.records import Span, Work

path, name = sys.argv[1:]
project = Project.open(path)
item = project.queue(name)[0].item
_, version = project.work(item, name, "annotate")
print("begun", flush=True)
while True:
    work = Work(note=f"{name} {version}", spans=(Span("1", "answer", 0, 5),))
    version = project.save(item, name, "annotate", work, version=version, request=f"{name} {version}").version
    print(version, flush=True)
"""


@pytest.mark.slow
def test_every_acknowledged_decision_outlives_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "p.sqlite"
    project = Project.new(path, "multispan", samples(1))
    project.add_annotator("Ada")
    project.close()
    acknowledged = 0
    for round_ in range(20):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path), "Ada"], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        for _ in range(1 + 3 * (round_ % 5)):
            acknowledged = int(process.stdout.readline())
        process.kill()
        acknowledged = max([acknowledged, *map(int, _whole_lines(process.communicate()[0]))])
        with Project.open(path) as again:
            work, version = again.work("s0", "Ada", "annotate")
            # What was written and not yet acknowledged may be there too, and is then whole.
            assert acknowledged <= version <= acknowledged + 1
            assert work is not None
            assert work.note == f"Ada {version - 1}"
            assert [decision.after.note for decision in again.decisions() if decision.after] == [
                f"Ada {number}" for number in range(version)
            ]
            assert again._store._connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            acknowledged = version


def _whole_lines(text: str) -> list[str]:
    return text.split("\n")[:-1]


def test_twenty_threads_lose_nothing(tmp_path: Path) -> None:
    with Project.new(tmp_path / "p.sqlite", "multispan", samples(1), overlap=20) as project:
        _write_at_once(project, rounds=15)


def _write_at_once(project: Project, rounds: int) -> None:
    names = [f"a{number}" for number in range(20)]
    for name in names:
        project.add_annotator(name)
    failed: list[Exception] = []

    def annotate(name: str) -> None:
        try:
            item = project.queue(name)[0].item
            for number in range(rounds):
                work = Work(note=f"{name} {number}")
                project.save(item, name, "annotate", work, version=number, request=str(number))
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=annotate, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    for name in names:
        notes = [decision.after.note for decision in project.decisions(annotator=name) if decision.after]
        assert notes == [f"{name} {number}" for number in range(rounds)]


PROCESS = """
import sys
from caveat.annotation.project import Project
from caveat.annotation.records import Work

path, name, rounds = sys.argv[1:]
project = Project.open(path)
item = project.queue(name)[0].item
for number in range(int(rounds)):
    work = Work(note=f"{name} {number}")
    project.save(item, name, "annotate", work, version=number, request=str(number))
    project.status()
"""


def test_processes_wait_for_each_other(tmp_path: Path) -> None:
    path = tmp_path / "p.sqlite"
    names = [f"a{number}" for number in range(6)]
    with Project.new(path, "multispan", samples(1), overlap=6) as project:
        for name in names:
            project.add_annotator(name)
        running = [
            subprocess.Popen(
                [sys.executable, "-c", PROCESS, str(path), name, "20"], stderr=subprocess.PIPE, text=True
            )
            for name in names
        ]
        assert [process.communicate()[1] for process in running] == [""] * len(names)
        for name in names:
            notes = [decision.after.note for decision in project.decisions(annotator=name) if decision.after]
            assert notes == [f"{name} {number}" for number in range(20)]
