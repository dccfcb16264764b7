"""A project: samples, the people who annotate them, and every decision that they took."""

from __future__ import annotations

import sqlite3
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

from caveat.annotation import assignment, history, rules
from caveat.annotation.assignment import Order
from caveat.annotation.history import Current, Whose
from caveat.annotation.records import (
    Action,
    Annotator,
    Assignment,
    Decision,
    Disagreement,
    Entry,
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
from caveat.annotation.rules import checked, remarks
from caveat.annotation.schema import decoded_row
from caveat.annotation.store import Store
from caveat.annotation.tasks import GOLD, blind_stage, find_task, snippet_of, union_of, with_overlap
from caveat.core.errors import CaveatError, InputError, UsageError
from caveat.core.files import PathLike
from caveat.language.question_types import question_type

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
        self.task = decoded_row(self._meta["task"], Task)

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

        def fill(database: sqlite3.Connection) -> None:
            database.execute("INSERT INTO meta VALUES ('task', ?)", (msgspec.json.encode(chosen).decode(),))
            if not _add_samples(database, chosen, samples):
                raise UsageError("There is no text to annotate.")

        return cls(Store.new(path, fill))

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
        return {item: decoded_row(raw, Sample) for item, raw in rows}

    def sample(self, item: str) -> Sample:
        """What an item is about."""
        with self._store.reading() as database:
            return _sample(database, item)

    def shown(self, item: str, stage: str) -> Sample:
        """What an item is about, as far as those who take this step may see it."""
        sample = self.sample(item)
        return snippet_of(sample) if stage != GOLD and self._stage(stage).shows == "snippet" else sample

    # People.

    def add_annotator(self, name: str, role: Role = "annotator") -> str:
        """Add someone; the token by which they are known is told once, and only its hash is kept."""
        with self._store.writing() as database:
            return assignment.add_annotator(database, name, role)

    def new_token(self, name: str) -> str:
        """Another token for someone who has lost theirs; the old one no longer holds."""
        with self._store.writing() as database:
            return assignment.renew_token(database, name)

    def annotator(self, token: str) -> Annotator | None:
        """Who has this token."""
        with self._store.reading() as database:
            return assignment.annotator_with(database, token)

    def annotators(self) -> tuple[Annotator, ...]:
        """Everyone, in the order in which they came."""
        with self._store.reading() as database:
            return assignment.annotators(database)

    # What each is to do.

    def queue(self, annotator: str) -> tuple[Assignment, ...]:
        """What someone has and is to do, in the order in which they got it; what is free is given out here."""
        with self._store.writing() as database:
            if assignment.role_of(database, annotator) == "annotator":
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
        unsure: dict[str, float] = {}
        if by == "uncertainty":
            with self._store.writing() as database:
                unsure = self._claim_least_certain(database, annotator)
        waiting = [given for given in self.queue(annotator) if given.state != "done"]
        return min(
            waiting,
            key=lambda given: (given.state != "begun", -unsure.get(given.item, -1.0)),
            default=None,
        )

    def _claim_least_certain(self, database: sqlite3.Connection, annotator: str) -> dict[str, float]:
        """Give someone the item that a model is least sure of, unless theirs has one; how unsure it is of theirs."""
        own = (
            "SELECT item, uncertainty FROM assignments JOIN suggestions USING (item)"
            " WHERE annotator = ? AND state != 'done'"
        )
        theirs = dict(database.execute(own, (annotator,)).fetchall())
        best = assignment.least_certain(database, annotator)
        is_annotator = assignment.role_of(database, annotator) == "annotator"
        if is_annotator and best is not None and best > max(theirs.values(), default=-1.0):
            assignment.claim(database, annotator, 1, history.now(), "uncertainty")
            theirs = dict(database.execute(own, (annotator,)).fetchall())
        return theirs

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

    def enter(self, entries: Iterable[Entry]) -> int:
        """Take over what was annotated elsewhere, all of it or, where something is wrong, nothing; how many works.

        Each work is done, by someone of the name that it comes with.
        """
        count = 0
        with self._store.writing() as database:
            for sample, works in ((entry.sample, entry.works) for entry in entries):
                _add_samples(database, self.task, [sample])
                if works and _sample(database, sample.id).context != sample.context:
                    raise InputError("is another text in the project", id=sample.id)
                stage = blind_stage(assignment.applicable(self.task, sample))
                for name, work in works:
                    checked(self.task, sample, work)
                    if not assignment.is_annotator(database, name):
                        assignment.add_annotator(database, name, "annotator")
                    whose = Whose(sample.id, stage.name, name)
                    assignment.give(database, *whose, history.now())
                    before = history.current(database, whose)
                    saved = history.decide(database, whose, name, work, before, uuid.uuid4().hex)
                    _set_state(database, whose, "done")
                    history.add(database, whose, name, "done", (work, work), uuid.uuid4().hex, saved.version)
                    count += 1
        return count

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

    def works(self, stage: str) -> dict[str, dict[str, Work]]:
        """Item → annotator → the work that each is done with in a stage."""
        with self._store.reading() as database:
            rows = database.execute(
                "SELECT item, annotator, work FROM assignments JOIN states USING (item, stage)"
                " WHERE owner = annotator AND state = 'done' AND stage = ? AND work IS NOT NULL"
                " ORDER BY assignments.position",
                (stage,),
            ).fetchall()
        found: dict[str, dict[str, Work]] = {}
        for item, annotator, raw in rows:
            found.setdefault(item, {})[annotator] = decoded_row(raw, Work)
        return found

    def answers(self) -> dict[str, dict[str, Work]]:
        """Item → annotator → what each answers: the question's writer, as revised, first, then those who are blind."""
        return rules.answers(self.task, {stage.name: self.works(stage.name) for stage in self.task.stages})

    def disagreements(self, decided: bool = False) -> tuple[Disagreement, ...]:
        """The items on which answers differ; those that were adjudicated only where `decided`."""
        return tuple(rules.disagreements(self.answers(), self._decided(), decided))

    def adjudicate(self, item: str, adjudicator: str, work: Work, *, version: int, request: str) -> Saved:
        """Decide what holds for an item, whoever annotated it."""
        return self.save(item, adjudicator, GOLD, work, version=version, request=request)

    def _adjudicated(self) -> dict[str, tuple[Work, int]]:
        with self._store.reading() as database:
            rows = database.execute(
                "SELECT item, work, version FROM states WHERE stage = ? AND work IS NOT NULL", (GOLD,)
            )
            return {item: (decoded_row(raw, Work), version) for item, raw, version in rows}

    def _decided(self) -> dict[str, tuple[Work, int]]:
        """What was adjudicated, or else what the union of the answers was revised to."""
        names = [stage.name for stage in self.task.stages if stage.sees == "union"]
        revised = {
            item: (next(iter(works.values())), 0)
            for name in names
            for item, works in self.works(name).items()
        }
        return revised | self._adjudicated()

    def gold(self) -> tuple[Gold, ...]:
        """What holds: what was adjudicated, or what answers together were revised to; else what all agree on.

        Where the task has one answer a question and its writer gave one, the blind answers stand beside it, as CMRC
        has them.
        """
        return tuple(self._golds(self.answers(), self._decided()))

    def _golds(self, answers: rules.Works, adjudicated: dict[str, tuple[Work, int]]) -> Iterator[Gold]:
        return rules.golds(self.task, self.samples_by_item(), answers, adjudicated, self._complete())

    def _complete(self) -> set[str]:
        """The items that are done in all their stages."""
        with self._store.reading() as database:
            wanting = database.execute(
                "SELECT item FROM openings WHERE wanted > (SELECT COUNT(*) FROM assignments"
                " WHERE assignments.item = openings.item AND assignments.stage = openings.stage AND state = 'done')"
            )
            ids = {id for (id,) in database.execute("SELECT id FROM items")}
            return ids - {item for (item,) in wanting}

    # What models propose.

    @property
    def suggests(self) -> bool:
        """Whether annotators are shown what models propose; not unless someone says so."""
        with self._store.reading() as database:
            found = database.execute("SELECT value FROM meta WHERE name = 'suggests'").fetchone()
        return found is not None and found[0] == "yes"

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
        if not self.suggests:
            return None
        with self._store.reading() as database:
            found = database.execute("SELECT record FROM suggestions WHERE item = ?", (item,)).fetchone()
        return None if found is None else decoded_row(found[0], Suggestion)

    def proposed(self) -> dict[str, Suggestion]:
        """Item → what a model proposes, shown or not."""
        with self._store.reading() as database:
            return {
                item: decoded_row(raw, Suggestion)
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
            annotators = {
                known.name: {"open": 0, "begun": 0, "done": 0} for known in assignment.annotators(database)
            }
            for name, stage, state, count in database.execute(
                "SELECT annotator, stage, state, COUNT(*) FROM assignments GROUP BY annotator, stage, state"
            ):
                annotators[name][state] += count
                if state == "done":
                    stages[stage]["done"] += count
        answers, decided = self.answers(), self._decided()
        return Status(
            self.task.name,
            samples,
            items,
            decisions,
            stages,
            annotators,
            sum(1 for _ in rules.disagreements(answers, decided, decided=False)),
            len(self._adjudicated()),
            sum(1 for _ in self._golds(answers, decided)),
            dict(Counter(self.outcomes().values())),
        )

    def _all(self, query: str, record: type[Record]) -> Iterator[Record]:
        with self._store.reading() as database:
            rows = database.execute(query).fetchall()
        return (decoded_row(raw, record) for (raw,) in rows)

    def _stage(self, name: str) -> Stage:
        for stage in self.task.stages:
            if stage.name == name:
                return stage
        raise UsageError(f"The task {self.task.name} has no stage {name!r}.")

    def _whose(self, database: sqlite3.Connection, item: str, annotator: str, stage: str) -> Whose:
        """Whose work it is, if this person may touch it."""
        if stage == GOLD:
            _sample(database, item)
            if assignment.role_of(database, annotator) != "adjudicator":
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
            works = list(_done(database, item, before.name).values())
            if this.sees == "union" and works:
                return union_of(works)
            found = next(iter(works), Work())
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
    return decoded_row(found[0], Sample)


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
