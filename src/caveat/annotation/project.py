"""A project: samples, the people who annotate them, and every decision that they took."""

from __future__ import annotations

import hashlib
import secrets
import sqlite3
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from caveat.annotation import assignment, history
from caveat.annotation.assignment import Order
from caveat.annotation.history import Current, Whose
from caveat.annotation.labels import labels
from caveat.annotation.records import (
    Action,
    Annotator,
    Assignment,
    Decision,
    Disagreement,
    Gold,
    Outcome,
    Remark,
    Role,
    Sample,
    Saved,
    Stage,
    State,
    Suggestion,
    Task,
    Work,
)
from caveat.annotation.rules import asker_answers, checked, remarks
from caveat.annotation.store import Store
from caveat.annotation.tasks import GOLD, find_task, with_overlap
from caveat.core.errors import CaveatError, InputError, UsageError
from caveat.core.files import PathLike
from caveat.language.question_types import question_type

__all__ = ["NotAssignedError", "NothingToDoError", "Project", "StaleError", "Status"]

# How many items someone has before them at once: few, so that those who are quick take more of the rest.
_BATCH = 10
# The owner of what is decided between annotators: whoever adjudicates goes on from there.
_NOBODY = ""


class StaleError(CaveatError):
    """The work has been changed since it was read, in another tab: nothing was written."""

    def __init__(self, work: Work | None, version: int) -> None:
        self.work, self.version = work, version
        super().__init__(f"The work was changed elsewhere: it is at version {version} now.")


class NotAssignedError(CaveatError):
    """Someone has nothing to do with an item."""


class NothingToDoError(CaveatError):
    """There is nothing to undo, or to do again."""


class Status(msgspec.Struct, frozen=True):
    """How far a project is."""

    task: str
    samples: int
    items: int
    decisions: int
    # For each stage the works that are wanted, taken and done; for each annotator those open, begun and done.
    stages: dict[str, dict[str, int]]
    annotators: dict[str, dict[str, int]]
    disagreements: int
    adjudicated: int
    gold: int
    suggestions: dict[str, int]


Record = TypeVar("Record")


class Project:
    """One file; many threads and processes may use it at once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        with store.reading() as database:
            self._meta: dict[str, str] = dict(database.execute("SELECT name, value FROM meta").fetchall())
        self.task = msgspec.json.decode(self._meta["task"], type=Task)

    @classmethod
    def new(
        cls,
        path: PathLike,
        task: str | Task,
        samples: Iterable[Sample],
        *,
        overlap: int | None = None,
        stages: tuple[Stage, ...] | None = None,
    ) -> Project:
        """Make a project; `overlap` people give each answer blindly, or as many as the task's paper had."""
        chosen = find_task(task) if isinstance(task, str) else task
        if overlap is not None:
            chosen = with_overlap(chosen, overlap)
        if stages is not None:
            chosen = msgspec.structs.replace(chosen, stages=stages)
        store = Store.new(path)
        try:
            with store.writing() as database:
                database.execute(
                    "INSERT INTO meta VALUES ('task', ?)", (msgspec.json.encode(chosen).decode(),)
                )
                if not _add_samples(database, chosen, samples):
                    raise UsageError("There is no text to annotate.")
        except BaseException:
            store.remove()
            raise
        return cls(store)

    @classmethod
    def open(cls, path: PathLike) -> Project:
        """The project in a file."""
        return cls(Store.open(path))

    def close(self) -> None:
        """Give the file back."""
        self._store.close()

    def __enter__(self) -> Project:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    @property
    def name(self) -> str:
        """The name of its file without the ending."""
        return self._store.path.stem

    @property
    def path(self) -> Path:
        """Where its file is."""
        return self._store.path

    def add_samples(self, samples: Iterable[Sample]) -> int:
        """Add further texts; those that are there already are passed over."""
        with self._store.writing() as database:
            return _add_samples(database, self.task, samples)

    def samples(self) -> tuple[Sample, ...]:
        """What is annotated, in order."""
        return tuple(self._all("SELECT record FROM samples ORDER BY position", Sample))

    def items(self) -> tuple[str, ...]:
        """The ids of all items: one a sample or, where questions are written, one a question."""
        return tuple(self.samples_by_item())

    def samples_by_item(self) -> dict[str, Sample]:
        """Each item with what it is about, in the order of the samples."""
        with self._store.reading() as database:
            rows = database.execute(
                "SELECT items.id, samples.record FROM items JOIN samples ON samples.id = items.sample"
                " ORDER BY samples.position, items.turn"
            ).fetchall()
        return {item: msgspec.json.decode(raw, type=Sample) for item, raw in rows}

    def sample(self, item: str) -> Sample:
        """What an item is about."""
        with self._store.reading() as database:
            return _sample(database, item)

    # People.

    def add_annotator(self, name: str, role: Role = "annotator") -> str:
        """Add someone; the token by which they are known is told once, and only its hash is kept."""
        if not name.strip() or name != name.strip():
            raise UsageError("An annotator's name is a word or two, without blanks around them.")
        with self._store.writing() as database:
            if database.execute("SELECT 1 FROM annotators WHERE name = ?", (name,)).fetchone():
                raise UsageError(f"There is an annotator {name!r} already.")
            return _add_annotator(database, name, role)

    def new_token(self, name: str) -> str:
        """Another token for someone who has lost theirs; the old one no longer holds."""
        token = secrets.token_urlsafe(24)
        with self._store.writing() as database:
            changed = database.execute(
                "UPDATE annotators SET token = ? WHERE name = ?", (_hash(token), name)
            ).rowcount
            if not changed:
                raise UsageError(f"There is no annotator {name!r}.")
        return token

    def annotator(self, token: str) -> Annotator | None:
        """Who has this token."""
        with self._store.reading() as database:
            found = database.execute(
                "SELECT name, role FROM annotators WHERE token = ?", (_hash(token),)
            ).fetchone()
        return None if found is None else Annotator(*found)

    def annotators(self) -> tuple[Annotator, ...]:
        """Everyone, in the order in which they came."""
        with self._store.reading() as database:
            return tuple(
                Annotator(*row)
                for row in database.execute("SELECT name, role FROM annotators ORDER BY position")
            )

    # What each is to do.

    def queue(self, annotator: str) -> tuple[Assignment, ...]:
        """What someone has and is to do, in the order in which they got it; what is free is given out here."""
        with self._store.writing() as database:
            if _role(database, annotator) == "annotator":
                (waiting,) = database.execute(
                    "SELECT COUNT(*) FROM assignments WHERE annotator = ? AND state != 'done'", (annotator,)
                ).fetchone()
                if waiting < _BATCH:
                    assignment.claim(database, annotator, _BATCH - waiting, history.now())
            return tuple(
                Assignment(*row)
                for row in database.execute(
                    "SELECT item, stage, state FROM assignments WHERE annotator = ? ORDER BY position",
                    (annotator,),
                )
            )

    def next(self, annotator: str, by: Order = "order") -> Assignment | None:
        """What someone should do now: what they have begun, then what comes first, or what a model is least sure of."""
        if by == "uncertainty":
            with self._store.writing() as database:
                if _role(database, annotator) == "annotator":
                    assignment.claim(database, annotator, 1, history.now(), by)
        waiting = [given for given in self.queue(annotator) if given.state != "done"]
        unsure = self._uncertainties() if by == "uncertainty" else {}
        return min(
            waiting,
            key=lambda given: (given.state != "begun", -unsure.get(given.item, -1.0)),
            default=None,
        )

    def _uncertainties(self) -> dict[str, float]:
        with self._store.reading() as database:
            return dict(database.execute("SELECT item, uncertainty FROM suggestions").fetchall())

    def assigned(self, item: str, annotator: str) -> Assignment | None:
        """What someone has to do with an item; of several stages the last."""
        with self._store.reading() as database:
            found = database.execute(
                "SELECT item, stage, state FROM assignments WHERE item = ? AND annotator = ?"
                " ORDER BY position DESC",
                (item, annotator),
            ).fetchone()
        return None if found is None else Assignment(*found)

    def release(self, annotator: str) -> int:
        """Give what someone has not begun to others; how many items that is."""
        with self._store.writing() as database:
            return assignment.release(database, annotator)

    def further_question(self, item: str, annotator: str) -> str:
        """A further item on the passage of an item, for whoever writes its questions."""
        with self._store.writing() as database:
            sample = _sample(database, item)
            stage = assignment.applicable(self.task, sample)[0]
            if not stage.writes_question:
                raise UsageError("The questions of this sample are given.")
            _require(database, item, annotator, stage.name)
            (last,) = database.execute(
                "SELECT MAX(turn) FROM items WHERE sample = ?", (sample.id,)
            ).fetchone()
            further = _add_item(database, sample, last + 1)
            assignment.open_stage(database, further, stage)
            assignment.take(database, further, stage.name, annotator, history.now())
            return further

    # Their work.

    def work(self, item: str, annotator: str, stage: str) -> tuple[Work | None, int]:
        """What someone has on an item and its version; where they have nothing, what they begin from."""
        with self._store.reading() as database:
            whose = self._whose(database, item, annotator, stage)
            current = history.current(database, whose)
            if current.work is not None or stage == GOLD:
                return current.work, current.version
            return self._beginning(database, item, stage), current.version

    def save(self, item: str, annotator: str, stage: str, work: Work, *, version: int, request: str) -> Saved:
        """Keep a work; it is on disk when this returns. The same request twice is saved once."""
        with self._store.writing() as database:
            whose = self._whose(database, item, annotator, stage)
            if (before := history.answered(database, whose, annotator, request)) is not None:
                return before
            current = history.current(database, whose)
            _refuse_stale(current, version)
            if stage != GOLD and not self._stage(stage).writes_question:
                given = self._beginning(database, item, stage)
                work = msgspec.structs.replace(work, question=given.question, scenario=given.scenario)
            checked(self.task, _sample(database, item), work)
            _begun(database, whose)
            return history.decide(database, whose, annotator, work, current, request)

    def undo(
        self, item: str, annotator: str, stage: str, *, version: int | None = None, request: str | None = None
    ) -> Saved:
        """Back to the work before the one that is shown, as a new decision."""
        return self._move("undo", history.parent, item, annotator, stage, version, request)

    def redo(
        self, item: str, annotator: str, stage: str, *, version: int | None = None, request: str | None = None
    ) -> Saved:
        """Forward again to the work that was undone last, as a new decision."""
        return self._move("redo", history.child, item, annotator, stage, version, request)

    def _move(
        self,
        action: Literal["undo", "redo"],
        target: Callable[[sqlite3.Connection, Whose, int], int | None],
        item: str,
        annotator: str,
        stage: str,
        version: int | None,
        request: str | None,
    ) -> Saved:
        request = request or uuid.uuid4().hex
        with self._store.writing() as database:
            whose = self._whose(database, item, annotator, stage)
            if (again := history.answered(database, whose, annotator, request)) is not None:
                return again
            current = history.current(database, whose)
            _refuse_stale(current, version)
            number = target(database, whose, current.shown)
            if number is None:
                raise NothingToDoError(f"There is nothing to {action}.")
            return history.show(database, whose, annotator, action, number, current, request)

    def done(self, item: str, annotator: str, stage: str, done: bool = True) -> None:
        """Say that someone is through with an item, or is not after all; the next stage opens once all are."""
        if stage == GOLD:
            raise UsageError("What is adjudicated is decided when it is saved.")
        with self._store.writing() as database:
            whose = self._whose(database, item, annotator, stage)
            current = history.current(database, whose)
            if current.work is None:
                if not done:
                    return
                # To leave what one began from as it is, is a decision too: most often of who revises.
                work = self._beginning(database, item, stage)
                history.decide(database, whose, annotator, work, current, uuid.uuid4().hex)
                current = history.current(database, whose)
            _set_state(database, whose, "done" if done else "begun")
            action: Action = "done" if done else "reopen"
            change = (current.work, current.work)
            history.add(database, whose, annotator, action, change, uuid.uuid4().hex, current.version)
            if done:
                self._open_next(database, item, stage)

    def enter(self, sample: Sample, works: Iterable[tuple[str, Work]]) -> None:
        """Take over what was annotated elsewhere: each work is done, by someone of that name."""
        with self._store.writing() as database:
            _add_samples(database, self.task, [sample])
            stage = assignment.applicable(self.task, sample)[-1]
            for name, work in works:
                if not database.execute("SELECT 1 FROM annotators WHERE name = ?", (name,)).fetchone():
                    _add_annotator(database, name, "annotator")
                checked(self.task, sample, work)
                whose = Whose(sample.id, stage.name, name)
                assignment.give(database, *whose, history.now())
                before = history.current(database, whose)
                history.decide(database, whose, name, work, before, uuid.uuid4().hex)
                _set_state(database, whose, "done")

    def _open_next(self, database: sqlite3.Connection, item: str, stage: str) -> None:
        stages = assignment.applicable(self.task, _sample(database, item))
        further = assignment.following(stages, stage)
        if further is None:
            return
        done = _done(database, item, stage)
        (wanted,) = database.execute(
            "SELECT wanted FROM openings WHERE item = ? AND stage = ?", (item, stage)
        ).fetchone()
        if len(done) >= wanted and next(iter(done.values())).question.strip():
            assignment.open_stage(database, item, further)

    def remarks(self, item: str, annotator: str, stage: str, work: Work) -> tuple[Remark, ...]:
        """The live checks of a work, with what the same person has on the passage's other questions."""
        with self._store.reading() as database:
            sample = _sample(database, item)
            rows = database.execute(
                "SELECT states.work FROM states JOIN items ON items.id = states.item"
                " WHERE items.sample = ? AND states.item != ? AND states.stage = ? AND states.owner = ?",
                (sample.id, item, stage, annotator),
            )
            others = [other for (raw,) in rows if (other := history.decoded(raw)) is not None]
        return remarks(self.task, sample, work, others, None if stage == GOLD else self._stage(stage))

    def decisions(self, item: str | None = None, annotator: str | None = None) -> list[Decision]:
        """Every decision, or those on one item or of one annotator, in the order in which they were taken."""
        with self._store.reading() as database:
            return history.decisions(database, item, annotator)

    # What they agree on.

    def works(self, stage: str | None = None) -> dict[str, dict[str, Work]]:
        """Item → annotator → the work that each is done with, of the last stage or of this one."""
        found: dict[str, dict[str, Work]] = {}
        with self._store.reading() as database:
            rows = database.execute(
                "SELECT item, assignments.annotator, work FROM assignments"
                " JOIN states USING (item, stage) WHERE states.owner = assignments.annotator"
                " AND assignments.state = 'done' AND stage = ? ORDER BY assignments.position",
                (stage or self.task.stages[-1].name,),
            )
            for item, annotator, raw in rows:
                if (work := history.decoded(raw)) is not None:
                    found.setdefault(item, {})[annotator] = work
        return found

    def answers(self) -> dict[str, dict[str, Work]]:
        """Item → annotator → what each answers: the question's writer, as revised, first, then those who are blind.

        Who wrote a question without being asked for an answer (ConditionalQA) is not among them.
        """
        blind = self.works()
        writing = [stage.name for stage in self.task.stages if stage.writes_question]
        if not writing or not asker_answers(self.task):
            return blind
        found: dict[str, dict[str, Work]] = {}
        for stage in reversed(writing):
            for item, works in self.works(stage).items():
                found.setdefault(item, works)
        return {
            item: {**found.get(item, {}), **blind.get(item, {})}
            for item in self.items()
            if item in found or item in blind
        }

    def disagreements(self, decided: bool = False) -> tuple[Disagreement, ...]:
        """The items on which answers differ; those that were adjudicated only where `decided`."""
        found = []
        golds = self._adjudicated()
        for item, works in self.answers().items():
            if item in golds and not decided:
                continue
            if len({labels(work) for work in works.values()}) > 1:
                work, version = golds.get(item, (None, 0))
                found.append(Disagreement(item, works, work, version))
        return tuple(found)

    def adjudicate(self, item: str, adjudicator: str, work: Work, *, version: int, request: str) -> Saved:
        """Decide what holds for an item, whoever annotated it."""
        return self.save(item, adjudicator, GOLD, work, version=version, request=request)

    def _adjudicated(self) -> dict[str, tuple[Work, int]]:
        with self._store.reading() as database:
            rows = database.execute(
                "SELECT item, work, version FROM states WHERE stage = ? AND work IS NOT NULL", (GOLD,)
            )
            return {item: (msgspec.json.decode(raw, type=Work), version) for item, raw, version in rows}

    def gold(self) -> tuple[Gold, ...]:
        """What holds: what was adjudicated; else what all who were wanted agree on.

        Where the task has one answer a question and its writer gave one, the blind answers stand beside it, as CMRC
        has them.
        """
        golds, found = self._adjudicated(), []
        answers = self.answers()
        complete = self._complete()
        for item, sample in self.samples_by_item().items():
            if item in golds:
                found.append(Gold(item, sample, golds[item][0]))
            elif item in complete and item in answers:
                first, *others = answers[item].values()
                if not first.question.strip():
                    continue
                if sample.question is None and asker_answers(self.task):
                    found.append(Gold(item, sample, first, tuple(others)))
                elif len({labels(work) for work in (first, *others)}) == 1:
                    found.append(Gold(item, sample, first))
        return tuple(found)

    def _complete(self) -> set[str]:
        """The items that are done in all their stages."""
        with self._store.reading() as database:
            wanting = database.execute(
                "SELECT item FROM openings WHERE wanted > (SELECT COUNT(*) FROM assignments"
                " WHERE assignments.item = openings.item AND assignments.stage = openings.stage AND state = 'done')"
            )
            return set(self._ids(database)) - {item for (item,) in wanting}

    @staticmethod
    def _ids(database: sqlite3.Connection) -> list[str]:
        return [id for (id,) in database.execute("SELECT id FROM items")]

    # What models propose.

    @property
    def suggests(self) -> bool:
        """Whether annotators are shown what models propose; not unless someone says so."""
        with self._store.reading() as database:
            return (database.execute("SELECT value FROM meta WHERE name = 'suggests'").fetchone() or ("",))[
                0
            ] == "yes"

    def show_suggestions(self, shown: bool) -> None:
        """Show annotators what models propose, or no longer."""
        with self._store.writing() as database:
            database.execute(
                "INSERT OR REPLACE INTO meta VALUES ('suggests', ?)", ("yes" if shown else "no",)
            )

    def keep_suggestions(self, suggestions: Mapping[str, Suggestion]) -> None:
        """Keep what a model proposes for items."""
        with self._store.writing() as database:
            database.executemany(
                "INSERT OR REPLACE INTO suggestions VALUES (?, ?, ?)",
                [(item, msgspec.json.encode(one), one.uncertainty) for item, one in suggestions.items()],
            )

    def suggestion(self, item: str) -> Suggestion | None:
        """What a model proposes for an item, where annotators are to see it."""
        return self.proposed().get(item) if self.suggests else None

    def proposed(self) -> dict[str, Suggestion]:
        """Item → what a model proposes, shown or not."""
        with self._store.reading() as database:
            return {
                item: msgspec.json.decode(raw, type=Suggestion)
                for item, raw in database.execute("SELECT item, record FROM suggestions")
            }

    def record_suggestion(self, item: str, annotator: str, outcome: Outcome) -> None:
        """Keep what someone did with a suggestion; their last word counts."""
        with self._store.writing() as database:
            database.execute(
                "INSERT OR REPLACE INTO outcomes VALUES (?, ?, ?, ?)",
                (item, annotator, outcome, history.now()),
            )

    def outcomes(self) -> dict[tuple[str, str], Outcome]:
        """What each did with the suggestion for each item."""
        with self._store.reading() as database:
            rows = database.execute("SELECT item, annotator, outcome FROM outcomes").fetchall()
        return {(item, annotator): outcome for item, annotator, outcome in rows}

    def status(self) -> Status:
        """How far the project is."""
        with self._store.reading() as database:

            def one(query: str) -> int:
                return int(database.execute(query).fetchone()[0])

            samples, items = one("SELECT COUNT(*) FROM samples"), one("SELECT COUNT(*) FROM items")
            decisions = one("SELECT COUNT(*) FROM decisions")
            stages = {stage.name: {"wanted": 0, "taken": 0, "done": 0} for stage in self.task.stages}
            for name, wanted, taken in database.execute(
                "SELECT stage, SUM(wanted), SUM(taken) FROM openings GROUP BY stage"
            ):
                stages[name] |= {"wanted": wanted, "taken": taken}
            people: dict[str, dict[str, int]] = {
                name: {"open": 0, "begun": 0, "done": 0}
                for (name,) in database.execute("SELECT name FROM annotators ORDER BY position")
            }
            for name, stage, state, count in database.execute(
                "SELECT annotator, stage, state, COUNT(*) FROM assignments GROUP BY annotator, stage, state"
            ):
                people[name][state] += count
                if state == "done":
                    stages[stage]["done"] += count
        return Status(
            self.task.name,
            samples,
            items,
            decisions,
            stages,
            people,
            len(self.disagreements()),
            len(self._adjudicated()),
            len(self.gold()),
            dict(Counter(self.outcomes().values())),
        )

    def _all(self, query: str, record: type[Record]) -> Iterator[Record]:
        with self._store.reading() as database:
            rows = database.execute(query).fetchall()
        return (msgspec.json.decode(raw, type=record) for (raw,) in rows)

    def _stage(self, name: str) -> Stage:
        for stage in self.task.stages:
            if stage.name == name:
                return stage
        raise UsageError(f"The task {self.task.name} has no stage {name!r}.")

    def _whose(self, database: sqlite3.Connection, item: str, annotator: str, stage: str) -> Whose:
        """Whose work it is, if this person may touch it."""
        if stage == GOLD:
            _sample(database, item)
            if _role(database, annotator) != "adjudicator":
                raise NotAssignedError(f"{annotator} does not decide between annotators.")
            return Whose(item, stage, _NOBODY)
        _require(database, item, annotator, stage)
        return Whose(item, stage, annotator)

    def _beginning(self, database: sqlite3.Connection, item: str, stage: str) -> Work:
        """What someone begins from: the sample's own question, that of the stage before, or its whole work."""
        sample = _sample(database, item)
        stages = assignment.applicable(self.task, sample)
        this = next(known for known in stages if known.name == stage)
        before = assignment.stage_before(stages, stage)
        if before is not None and this.sees != "nothing":
            found = next(iter(_done(database, item, before.name).values()), Work())
            if this.sees == "work":
                return found
            return Work(found.question, found.question_type, scenario=found.scenario)
        question = sample.question or ""
        kind = question_type(question) if self.task.question_types and question else None
        return Work(question, kind, scenario=sample.scenario)


def _add_samples(database: sqlite3.Connection, task: Task, samples: Iterable[Sample]) -> int:
    added = 0
    for sample in samples:
        if not sample.context.strip():
            raise InputError("has no text", id=sample.id)
        if task.question == "given" and sample.question is None:
            raise InputError(f"has no question, and for {task.name} questions are given", id=sample.id)
        if database.execute("SELECT 1 FROM samples WHERE id = ?", (sample.id,)).fetchone():
            continue
        database.execute(
            "INSERT INTO samples (id, record) VALUES (?, ?)", (sample.id, msgspec.json.encode(sample))
        )
        item = _add_item(database, sample, 1 if sample.question is None else 0)
        assignment.open_stage(database, item, assignment.applicable(task, sample)[0])
        added += 1
    return added


def _add_annotator(database: sqlite3.Connection, name: str, role: Role) -> str:
    token = secrets.token_urlsafe(24)
    database.execute(
        "INSERT INTO annotators (name, role, token) VALUES (?, ?, ?)", (name, role, _hash(token))
    )
    return token


def _add_item(database: sqlite3.Connection, sample: Sample, turn: int) -> str:
    """An item of a sample: the sample itself, or the question of this number on it."""
    item = f"{sample.id}#{turn}" if turn else sample.id
    database.execute("INSERT INTO items (id, sample, turn) VALUES (?, ?, ?)", (item, sample.id, turn))
    return item


def _sample(database: sqlite3.Connection, item: str) -> Sample:
    found = database.execute(
        "SELECT record FROM samples JOIN items ON items.sample = samples.id WHERE items.id = ?", (item,)
    ).fetchone()
    if found is None:
        raise UsageError(f"There is no item {item!r}.")
    return msgspec.json.decode(found[0], type=Sample)


def _role(database: sqlite3.Connection, annotator: str) -> Any:
    found = database.execute("SELECT role FROM annotators WHERE name = ?", (annotator,)).fetchone()
    if found is None:
        raise UsageError(f"There is no annotator {annotator!r}.")
    return found[0]


def _require(database: sqlite3.Connection, item: str, annotator: str, stage: str) -> None:
    if not database.execute(
        "SELECT 1 FROM assignments WHERE item = ? AND annotator = ? AND stage = ?", (item, annotator, stage)
    ).fetchone():
        raise NotAssignedError(f"{annotator} has nothing to do with {item} in the stage {stage}.")


def _begun(database: sqlite3.Connection, whose: Whose) -> None:
    database.execute(
        "UPDATE assignments SET state = 'begun' WHERE item = ? AND stage = ? AND annotator = ? AND state = 'open'",
        whose,
    )


def _set_state(database: sqlite3.Connection, whose: Whose, state: State) -> None:
    database.execute(
        "UPDATE assignments SET state = ? WHERE item = ? AND stage = ? AND annotator = ?", (state, *whose)
    )


def _refuse_stale(current: Current, version: int | None) -> None:
    if version is not None and version != current.version:
        raise StaleError(current.work, current.version)


def _done(database: sqlite3.Connection, item: str, stage: str) -> dict[str, Work]:
    """What those who are done with an item in a stage made of it, the first first."""
    rows = database.execute(
        "SELECT annotator, work FROM assignments JOIN states USING (item, stage)"
        " WHERE owner = annotator AND item = ? AND stage = ? AND state = 'done' ORDER BY position",
        (item, stage),
    )
    return {annotator: work for annotator, raw in rows if (work := history.decoded(raw)) is not None}


def _hash(token: str) -> str:
    # Tokens are 192 random bits: there is nothing to guess, and no salt is needed.
    return hashlib.sha256(token.encode()).hexdigest()
