"""The annotation API: each route finds out who asks, calls the project, and answers with a record."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException

from caveat.annotation.agreement import AgreementReport, agreement
from caveat.annotation.project import NotAssignedError, StaleError, Status
from caveat.annotation.records import Annotator, Assignment, Disagreement, Work
from caveat.annotation.tasks import GOLD
from caveat.core.errors import CaveatError, InputError, UsageError
from caveat.serve.annotate.bodies import (
    Changed,
    CheckBody,
    Checked,
    Contested,
    DoneBody,
    Further,
    Item,
    MoveBody,
    OutcomeBody,
    Overview,
    SaveBody,
    Stale,
    Undecided,
)
from caveat.serve.bodies import Health
from caveat.serve.guard import Guard, bearer_of
from caveat.serve.routes import Route, add_page, add_routes, fault, json_response, record_of, version

if TYPE_CHECKING:
    from caveat.annotation.project import Project

# The project takes one write at a time; more threads would only wait.
_THREADS = 4
_STATIC = Path(__file__).parent / "static"

Result = TypeVar("Result")


def annotation_application(project: Project, *, address: str = "127.0.0.1") -> FastAPI:
    """The API and the page of a project; everything but the page's files asks for an annotator's token."""
    service = _Service(project)
    api = FastAPI(
        title="Caveat: annotation",
        version=version(),
        docs_url=None,
        redoc_url=None,
        lifespan=service.lifespan,
    )
    api.add_middleware(Guard, address=address, admits=lambda token: project.annotator(token) is not None)
    add_routes(api, service.routes())
    api.add_exception_handler(CaveatError, service.failed)
    add_page(api, _STATIC)
    return api


class _Service:
    def __init__(self, project: Project) -> None:
        self._project = project
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="caveat-annotation")

    def routes(self) -> Iterator[Route]:
        item = "/api/items/{item:path}"
        yield "GET", "/api/project", self.project, None, Overview
        yield "GET", "/api/queue", self.queue, None, list[Assignment]
        yield "GET", "/api/next", self.next, None, Assignment | None
        yield "POST", f"{item}/undo", self.undo, MoveBody, Changed
        yield "POST", f"{item}/redo", self.redo, MoveBody, Changed
        yield "POST", f"{item}/done", self.done, DoneBody, Assignment
        yield "POST", f"{item}/check", self.check, CheckBody, Checked
        yield "POST", f"{item}/suggestion", self.outcome, OutcomeBody, OutcomeBody
        yield "POST", f"{item}/questions", self.further, None, Further
        yield "GET", item, self.item, None, Item
        yield "PUT", item, self.save, SaveBody, Changed
        yield "GET", "/api/disagreements", self.disagreements, None, list[Undecided]
        yield "GET", "/api/gold/{item:path}", self.contested, None, Contested
        yield "PUT", "/api/gold/{item:path}", self.adjudicate, SaveBody, Changed
        yield "GET", "/api/agreement", self.agreement, None, AgreementReport
        yield "GET", "/api/status", self.status, None, Status
        yield "GET", "/health", self.health, None, Health

    @asynccontextmanager
    async def lifespan(self, api: FastAPI) -> AsyncIterator[None]:
        yield
        self._threads.shutdown()

    async def project(self, request: Request) -> Response:
        """The project, and who asks."""
        me = await self._who(request)
        status = await self._apart(self._project.status)
        counts = {"samples": status.samples, "items": status.items, **status.annotators.get(me.name, {})}
        if me.role == "adjudicator":
            counts |= {"disagreements": status.disagreements, "adjudicated": status.adjudicated}
        unsure = bool(await self._apart(self._project.proposed))
        return json_response(Overview(self._project.name, self._project.task, me, unsure, counts))

    async def queue(self, request: Request) -> Response:
        """What the annotator has to do, and has done."""
        me = await self._who(request)
        return json_response(await self._apart(self._project.queue, me.name))

    async def next(self, request: Request, by: str = "order") -> Response:
        """What the annotator should do now."""
        me = await self._who(request)
        if by not in ("order", "uncertainty"):
            raise UsageError("What comes next is chosen by `order` or by `uncertainty`.")
        return json_response(await self._apart(self._project.next, me.name, by))

    async def item(self, request: Request, item: str) -> Response:
        """An item, with the annotator's own work on it."""
        me, given = await self._assigned(request, item)
        return json_response(await self._apart(self._view, me.name, given))

    def _view(self, name: str, given: Assignment) -> Item:
        project = self._project
        work, version = project.work(given.item, name, given.stage)
        work = work or Work()
        return Item(
            given.item,
            project.shown(given.item, given.stage),
            next(stage for stage in project.task.stages if stage.name == given.stage),
            given.state,
            work,
            version,
            project.remarks(given.item, name, given.stage, work),
            project.suggestion(given.item),
        )

    async def save(self, request: Request, item: str) -> Response:
        """Save a work; it is on disk when this is answered."""
        me, given = await self._assigned(request, item)
        body = await record_of(request, SaveBody)
        return json_response(await self._apart(self._save, me.name, given.item, given.stage, body))

    def _save(self, name: str, item: str, stage: str, body: SaveBody) -> Changed:
        saved = self._project.save(item, name, stage, body.work, version=body.version, request=body.request)
        return self._changed(name, item, stage, saved.version, saved.work)

    def _changed(self, name: str, item: str, stage: str, version: int, work: Work | None) -> Changed:
        if work is None:  # all of it was undone: what they began from
            work = self._project.work(item, name, stage)[0] or Work()
        return Changed(version, work, self._project.remarks(item, name, stage, work))

    async def undo(self, request: Request, item: str) -> Response:
        """One step back."""
        return await self._move(request, item, self._project.undo)

    async def redo(self, request: Request, item: str) -> Response:
        """One step forward again."""
        return await self._move(request, item, self._project.redo)

    async def _move(self, request: Request, item: str, step: Callable[..., Any]) -> Response:
        me, given = await self._assigned(request, item)
        body = await record_of(request, MoveBody)

        def moved() -> Changed:
            saved = step(given.item, me.name, given.stage, version=body.version, request=body.request)
            return self._changed(me.name, given.item, given.stage, saved.version, saved.work)

        return json_response(await self._apart(moved))

    async def done(self, request: Request, item: str) -> Response:
        """Say that the annotator is through with the item, or is not after all."""
        me, given = await self._assigned(request, item)
        body = await record_of(request, DoneBody)

        def marked() -> Assignment | None:
            self._project.done(given.item, me.name, given.stage, body.done)
            return self._project.assigned(given.item, me.name)

        return json_response(await self._apart(marked))

    async def check(self, request: Request, item: str) -> Response:
        """What the rules say of a work that is not saved."""
        me = await self._who(request)
        body = await record_of(request, CheckBody)
        stage = GOLD if me.role == "adjudicator" else (await self._assigned(request, item))[1].stage
        return json_response(
            Checked(await self._apart(self._project.remarks, item, me.name, stage, body.work))
        )

    async def outcome(self, request: Request, item: str) -> Response:
        """Keep what the annotator did with a suggestion."""
        me, given = await self._assigned(request, item)
        body = await record_of(request, OutcomeBody)
        await self._apart(self._project.record_suggestion, given.item, me.name, body.outcome)
        return json_response(body)

    async def further(self, request: Request, item: str) -> Response:
        """A further question on the passage."""
        me, given = await self._assigned(request, item)
        return json_response(Further(await self._apart(self._project.further_question, given.item, me.name)))

    async def disagreements(self, request: Request) -> Response:
        """The items that annotators see differently."""
        await self._adjudicator(request)
        found = await self._apart(self._project.disagreements, True)
        return json_response(
            [Undecided(each.item, tuple(each.works), each.gold is not None) for each in found]
        )

    async def contested(self, request: Request, item: str) -> Response:
        """The works on an item side by side, and what holds so far."""
        me = await self._adjudicator(request)
        return json_response(await self._apart(self._contested, me.name, item))

    def _contested(self, name: str, item: str) -> Contested:
        found = {each.item: each for each in self._project.disagreements(True)}.get(item)
        if found is None:
            works = self._project.answers().get(item)
            if works is None:
                raise HTTPException(404, "Nobody is through with an item of this name.")
            found = Disagreement(item, works, *self._project.work(item, name, GOLD))
        remarks = () if found.gold is None else self._project.remarks(item, name, GOLD, found.gold)
        return Contested(item, self._project.sample(item), found.works, found.gold, found.version, remarks)

    async def adjudicate(self, request: Request, item: str) -> Response:
        """Decide what holds for an item."""
        me = await self._adjudicator(request)
        body = await record_of(request, SaveBody)
        return json_response(await self._apart(self._save, me.name, item, GOLD, body))

    async def agreement(self, request: Request) -> Response:
        """How far annotators agree."""
        await self._adjudicator(request)
        try:
            return json_response(await self._apart(agreement, self._project))
        except CaveatError as error:  # too early: there is nothing to compare
            raise HTTPException(422, str(error)) from None

    async def status(self, request: Request) -> Response:
        """How far the project is."""
        await self._adjudicator(request)
        return json_response(await self._apart(self._project.status))

    async def health(self) -> Response:
        """Whether the server is there."""
        return json_response(Health("ok", version(), False))

    async def _who(self, request: Request) -> Annotator:
        found = await self._apart(self._project.annotator, bearer_of(request.headers) or "")
        if found is None:  # the token was taken back meanwhile
            raise HTTPException(401, "The token is not known any more.")
        return found

    async def _adjudicator(self, request: Request) -> Annotator:
        me = await self._who(request)
        if me.role != "adjudicator":
            raise HTTPException(403, "Only who adjudicates sees the work of others.")
        return me

    async def _assigned(self, request: Request, item: str) -> tuple[Annotator, Assignment]:
        me = await self._who(request)
        given = await self._apart(self._project.assigned, item, me.name)
        if given is None:
            raise HTTPException(404, "There is no item of this name among yours.")
        return me, given

    async def failed(self, request: Request, error: Exception) -> Response:
        """A work that cannot be saved is told apart from a file that cannot be written just now."""
        if isinstance(error, StaleError):
            return json_response(Stale(str(error), error.work or Work(), error.version), 409)
        if isinstance(error, NotAssignedError):
            return fault(404, "There is no item of this name among yours.")
        refused = isinstance(error, (InputError, UsageError)) or type(error) is not CaveatError
        sentence = str(error).replace(str(self._project.path), "the project")
        return fault(422 if refused else 503, sentence)

    async def _apart(self, function: Callable[..., Result], *arguments: Any) -> Result:
        """In a thread, so that others are attended to while the disk is waited for."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(function, *arguments))
