"""A project's file that was damaged, was made by an earlier version, was never finished, or meets a full disk."""

from __future__ import annotations

import random
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from caveat.annotation import schema
from caveat.annotation.project import Project
from caveat.annotation.records import Sample, Span, Suggestion, Work
from caveat.annotation.store import damage_of
from caveat.cli.main import app
from caveat.core.errors import CaveatError, InputError

VERSION_1 = Path(__file__).with_name("version_1.sql")
CONTEXT = "Roses need sun. In shade they bloom less."
ROSES = "What do roses need?"
Times = Callable[[str, int], int]
Script = Callable[..., str]


def samples(count: int) -> list[Sample]:
    return [Sample(f"s{number}", CONTEXT, question=ROSES) for number in range(count)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A project with rows in every table."""
    work = Work(ROSES, spans=(Span("1", "answer", 0, 5),))
    with Project.new(tmp_path / "roses.sqlite", "multispan", samples(4)) as project:
        project.add_annotator("Ada")
        for item, stage, _ in ((each.item, each.stage, each.state) for each in project.queue("Ada")):
            project.save(item, "Ada", stage, work, version=0, request=item)
            project.done(item, "Ada", stage)
        project.keep_suggestions({"s0": Suggestion(work, "tiny", 0.25)})
        project.record_suggestion("s0", "Ada", "accepted")
    return tmp_path / "roses.sqlite"


def changed_behind_its_back(path: Path, statement: str) -> None:
    """Change a row as a bad disk does: its checksum stays that of before."""
    with sqlite3.connect(path) as connection:
        table = statement.split()[1]
        (before,) = connection.execute(f"SELECT checksum FROM {table} WHERE {_where(statement)}").fetchone()
        connection.create_function("row_checksum", -1, lambda *values: before, deterministic=True)
        connection.execute("DROP TRIGGER decisions_stay")
        connection.execute(statement)
        connection.execute(
            "CREATE TRIGGER decisions_stay BEFORE UPDATE ON decisions"
            " BEGIN SELECT RAISE(ABORT, 'decisions are not changed'); END"
        )
    connection.close()


def _where(statement: str) -> str:
    return statement.partition(" WHERE ")[2]


@pytest.mark.parametrize(
    ("statement", "row"),
    [
        ("UPDATE meta SET value = value || ' ' WHERE name = 'task'", "meta, row task"),
        (
            "UPDATE samples SET record = replace(record, 'sun', 'fun') WHERE position = 2",
            "samples, row 2",
        ),
        ("UPDATE items SET turn = 1 WHERE position = 3", "items, row 3"),
        ("UPDATE annotators SET role = 'adjudicator' WHERE position = 1", "annotators, row 1"),
        ("UPDATE openings SET wanted = 3 WHERE item = 's1'", "openings, row s1, annotate"),
        ("UPDATE assignments SET state = 'open' WHERE position = 1", "assignments, row 1"),
        ("UPDATE states SET work = NULL WHERE item = 's2'", "states, row s2, annotate, Ada"),
        ("UPDATE decisions SET after = before WHERE number = 5", "decisions, row 5"),
        ("UPDATE suggestions SET uncertainty = 0.5 WHERE item = 's0'", "suggestions, row s0"),
        ("UPDATE outcomes SET outcome = 'refused' WHERE item = 's0'", "outcomes, row s0, Ada"),
    ],
)
def test_a_changed_row_is_named_and_never_read(path: Path, statement: str, row: str) -> None:
    assert damage_of(path) == []
    changed_behind_its_back(path, statement)
    assert [str(each) for each in damage_of(path)] == [f"{row}: its checksum is not that of its values"]
    with pytest.raises(InputError, match=rf"is damaged \({row}: .*caveat annotate verify"):
        Project.open(path)


def test_text_that_is_none_any_more_is_named(path: Path) -> None:
    data = path.read_bytes()
    assert data.count(b"accepted") == 1
    path.write_bytes(data.replace(b"accepted", b"acc\xffpted"))
    assert [(each.table, each.row) for each in damage_of(path)] == [("outcomes", "s0, Ada")]


def test_a_row_that_is_gone_is_missed(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM states WHERE item = 's1'")
        connection.execute("DROP TRIGGER decisions_are_kept")
        connection.execute("DELETE FROM decisions WHERE number = 8")
    connection.close()
    assert [str(each) for each in damage_of(path)] == [
        "the definition of the trigger decisions_are_kept is damaged",
        "7 decisions are there, and 8 were taken",
        "decisions, row 3: its state is missing",
        "decisions, row 4: its state is missing",
    ]


def test_the_command_says_which_rows(path: Path) -> None:
    whole = CliRunner().invoke(app, ["annotate", "verify", str(path)])
    assert (whole.exit_code, whole.stdout) == (0, "")
    changed_behind_its_back(path, "UPDATE items SET turn = 1 WHERE position = 3")
    damaged = CliRunner().invoke(app, ["annotate", "verify", str(path), "--json"])
    assert damaged.exit_code == 1
    assert '"table":"items","row":"3"' in damaged.stdout.replace(" ", "").replace("\n", "")
    status = CliRunner().invoke(app, ["annotate", "status", str(path)])
    assert isinstance(status.exception, InputError)


def test_flipped_bits_are_said_or_change_nothing(path: Path, times: Times) -> None:
    """`CAVEAT_TEST_FLIPS=1000` is the long run."""

    def read() -> object:
        with Project.open(path) as project:
            return (
                project.samples(),
                project.decisions(),
                project.status(),
                project.gold(),
                project.proposed(),
            )

    data, right, chance, said = path.read_bytes(), read(), random.Random(17), 0
    for _ in range(times("flips", 60)):
        flipped = bytearray(data)
        flipped[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        for ending in ("-wal", "-shm"):
            Path(f"{path}{ending}").unlink(missing_ok=True)
        path.write_bytes(flipped)
        try:
            assert read() == right
        except CaveatError:
            said += 1
    assert said


def test_a_project_of_the_first_version_is_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "old.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript(VERSION_1.read_text(encoding="utf-8"))
        connection.execute(f"PRAGMA application_id = {schema.APPLICATION}")
        connection.execute("PRAGMA user_version = 1")
        rows = {
            table: connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()
            for table in ("meta", "samples", "annotators", "assignments", "states", "decisions")
        }
    connection.close()
    with Project.open(path) as project:
        assert [each.action for each in project.decisions()] == [
            "save",
            "save",
            "undo",
            "done",
            "save",
            "done",
        ]
        assert [gold.item for gold in project.gold()] == ["s0"]
        work = Work(ROSES, spans=(Span("1", "answer", 6, 10),))
        project.save("s1", "Bo", "annotate", work, version=0, request="after")
        assert project.decisions()[-1].number == 7
    assert damage_of(path) == []
    with sqlite3.connect(path) as connection:
        for table, before in rows.items():
            after = connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()
            kept = [row[:-1] for row in after if table != "decisions" or row[0] < 7]
            if table not in ("assignments", "states"):  # which the new work has changed
                assert kept == before
        with pytest.raises(sqlite3.DatabaseError, match="decisions are kept"):
            connection.execute("DELETE FROM decisions")
    connection.close()


def test_what_an_earlier_version_left_unfinished_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "roses.sqlite"
    connection = schema.connect(path)
    schema.create(connection)
    connection.close()
    with pytest.raises(InputError, match="never finished: `caveat annotate new` makes it anew"):
        Project.open(path)
    with Project.new(path, "multispan", samples(2)) as project:
        assert len(project.samples()) == 2


# Forks, since the import takes longer than what is killed.
KILLED = """
import os, random, signal, sys, time
from pathlib import Path
from caveat.annotation.project import Project
from caveat.annotation.records import Sample

samples = [Sample(f"s{number}", "Roses need sun. " * 5, question="What?") for number in range(200)]

def make(path):
    with Project.new(path, "multispan", samples) as project:
        return len(project.samples())

begin = time.perf_counter()
make(Path(sys.argv[2], "timed.sqlite"))
took, chance, absent = time.perf_counter() - begin, random.Random(5), 0
for number in range(int(sys.argv[1])):
    path = Path(sys.argv[2], str(number), "roses.sqlite")
    path.parent.mkdir()
    child = os.fork()
    if not child:
        make(path)
        os._exit(0)
    time.sleep(chance.uniform(0, took))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if path.exists():
        with Project.open(path) as project:
            assert len(project.samples()) == 200
    else:
        absent += 1
        assert make(path) == 200
    assert [each.name for each in path.parent.iterdir()] == ["roses.sqlite"]
print(absent)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals of POSIX")
def test_a_project_is_made_whole_or_not_at_all(tmp_path: Path, times: Times, script: Script) -> None:
    assert int(script(KILLED, times("kills", 12), tmp_path)) > 0, "none was killed on its way"


FULL = """
import resource, signal, sys
from pathlib import Path
from caveat.annotation.project import Project
from caveat.annotation.records import Sample
from caveat.core.errors import CaveatError

path = Path(sys.argv[1])
samples = [Sample(f"s{number}", "Roses need sun. " * 50, question="What?") for number in range(400)]
Project.new(path, "multispan", samples[:2]).close()
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
project = Project.open(path)
for action in (lambda: project.add_samples(samples), lambda: Project.new(path.with_name("b"), "multispan", samples)):
    try:
        action()
    except CaveatError as error:
        print(error)
print(len(project.samples()), project.add_samples(samples[:5]), sorted(each.name for each in path.parent.iterdir()))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of POSIX")
def test_a_disk_without_room_is_said_and_loses_nothing(tmp_path: Path, script: Script) -> None:
    first, second, rest = script(FULL, tmp_path / "a").splitlines()
    assert first.startswith(f"{tmp_path / 'a'}: ")
    assert second.startswith(f"{tmp_path / 'b'}: ")
    assert rest == "2 3 ['a', 'a-shm', 'a-wal']"


def test_a_full_database_is_a_sentence(path: Path) -> None:
    with Project.open(path) as project:
        database = project._store._connection
        (pages,) = database.execute("PRAGMA page_count").fetchone()
        database.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(CaveatError, match="the disk is full: nothing of this was kept"):
            project.add_samples(Sample(f"t{number}", CONTEXT * 50, question=ROSES) for number in range(50))
        assert len(project.samples()) == 4
    assert damage_of(path) == []
