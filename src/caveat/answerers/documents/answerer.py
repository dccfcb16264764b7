"""Answers from documents: retrieve, read, find parts and conditions, settle, calibrate; one path for every language.

What differs between languages is what there is for each (`Equipment`): a reader, a tagger for structured answers, and
whether conditions are read off the rules of a page.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import islice, tee
from pathlib import PurePath
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec

from caveat.answerers.contract import Asked, Through
from caveat.answerers.documents.excerpts import LARGE, LARGE_TOGETHER, Excerpt, excerpts_of, in_the_texts
from caveat.answerers.documents.places import name_of
from caveat.answerers.documents.retrieval import has_headings, page_requests, window_requests
from caveat.answerers.documents.sections import Sections
from caveat.answerers.documents.spans import items_of, possible_answers, span_answer
from caveat.answerers.documents.structure.finder import BestSpan, Structured, StructureFinder
from caveat.answerers.documents.whole_lists import whole_list
from caveat.answerers.kept import Kept
from caveat.core.errors import CaveatError, InputError, UsageError
from caveat.core.records import Document, Reply
from caveat.core.script import Language
from caveat.language.packs import pack
from caveat.models.judge import TASK as JUDGING
from caveat.models.judge import Judge
from caveat.models.probability import WEIGHED, Weighed, asked_of_pages
from caveat.models.queue import Windowed
from caveat.models.reader import Reader, ReadRequest, ReadResult
from caveat.models.tagger import TASK as TAGGING
from caveat.models.tagger import TaggedSpan, Tagger
from caveat.sources.outline import element_at

if TYPE_CHECKING:
    from caveat.answerers.documents.cases import Decided
    from caveat.answerers.documents.page import Page
    from caveat.answerers.documents.scenario import Judging
    from caveat.answerers.documents.verdict import Verdicts

__all__ = ["DocumentAnswerer", "Equipment", "PreparedDocument"]

AnyModel = TypeVar("AnyModel", bound=Windowed)
Item = TypeVar("Item")
Owner = TypeVar("Owner", bound=Hashable)
Made = TypeVar("Made")

_READING = "reader"
_MANY_LANGUAGES = "mul"
# A name of the question that the texts nowhere have changes the log-odds of none by so much, in English, where capitals
# tell names: fitted to ten sets, of questions on their own page, on another and with a name exchanged; without one of
# the sets it is 2.0 to 2.9.
_NAME_IS_ABSENT = 2.4
# Pages with their rules and words are kept until they have this many characters together, each at least so many.
_KEPT_CHARACTERS, _LEAST = 1 << 21, 1 << 11
# The kind of the spans that a reader finds.
_ANSWER = "answer"


class PreparedDocument:
    """A document and, once it is needed, its page: the rules, and the words of its elements."""

    def __init__(self, source: Document, pages: Kept[Page]) -> None:
        self.source = source
        self._pages = pages

    @property
    def page(self) -> Page:
        """The page, kept for the next question. What reads rules takes as long to import as a small model."""
        from caveat.answerers.documents.page import Page

        return self._pages.get(self, lambda: Page.of(self.source))

    @cached_property
    def sections(self) -> Sections:
        """The sections of a large text, which are searched before any of it is read."""
        return Sections(self.source)


class Equipment(NamedTuple):
    """What there is to answer with in a language."""

    reader: Reader
    finder: StructureFinder | None = None
    judge: Judge | None = None
    rules: bool = False
    lists: bool = False


class _Plan(NamedTuple):
    """A question, what answers it, and whether it is for yes or no, which needs no reader."""

    asked: Asked[PreparedDocument]
    equipment: Equipment
    yes_no: bool = False

    @property
    def documents(self) -> list[Document]:
        return [each.source for each in self.asked.sources]

    @property
    def queue(self) -> tuple[Reader, int] | None:
        """The reader, and how many spans of a text it is asked for."""
        return None if self.yes_no else (self.equipment.reader, max(self.asked.top, WEIGHED))


class DocumentAnswerer:
    """Readers, taggers for structured answers and judges of yes or no and of conditions, one for each language.

    A reader finds the passage in which a tagger then looks for all that answers the question: its parts, and the
    conditions under which they hold. Where there is no tagger but rules can be read, pages of rules are answered from
    with the conditions that they state; what a scenario settles of them is told by the judge, or by words alone. Yes or
    no is what a judge reads in the evidence; without one it is not asked for, and a reader answers.

    Without `retrieve` all of every text is read, and every span may be an answer, as the model by itself has it: for
    passages that were chosen beforehand.
    """

    def __init__(
        self,
        readers: Sequence[Reader] = (),
        taggers: Sequence[Tagger] = (),
        judges: Sequence[Judge] = (),
        *,
        retrieve: bool = True,
    ) -> None:
        expected = ((readers, _READING), (taggers, TAGGING), (judges, JUDGING))
        for model, task in ((model, task) for models, task in expected for model in models):
            if model.card.task != task:
                raise InputError(
                    f"a model for {model.card.task!r}, expected one for {task!r}", path=model.folder
                )
        self.readers, self.taggers, self.retrieve = tuple(readers), tuple(taggers), retrieve
        self.finders = {tagger: StructureFinder(tagger) for tagger in taggers}
        self.judges = tuple(judges)
        self._pages: Kept[Page] = Kept(_KEPT_CHARACTERS, lambda page: max(_LEAST, len(page.document.text)))

    def prepare(self, source: Document) -> PreparedDocument:
        """The document; its page is made when a question needs it. Readers keep the tokens of the last texts."""
        return PreparedDocument(source, self._pages)

    def answer(self, asked: Iterable[Asked[PreparedDocument]], *, through: Through = iter) -> Iterator[Reply]:
        """A reply for each question from its documents together, in order, as a stream.

        The windows of all go through one queue for each reader, the passages through one for each tagger. What was
        found goes `through`, document by document. Of large texts excerpts are read.
        """
        mine, theirs = tee(map(self.excerpted, asked))
        replies = self._answer((each for each, _ in theirs), through)
        for (_, excerpts), reply in zip(mine, replies, strict=True):
            yield in_the_texts(reply, excerpts)

    def excerpted(
        self, asked: Asked[PreparedDocument]
    ) -> tuple[Asked[PreparedDocument], Mapping[str, Excerpt]]:
        """The question on excerpts in the place of its large texts, unless all is to be read; they, by their names."""
        together = sum(len(each.source.text) for each in asked.sources)
        large = [
            each
            for each in asked.sources
            if len(each.source.text) > LARGE or (together > LARGE_TOGETHER and each.source.text)
        ]
        if not large or not self.retrieve or self.reader_for(asked.question.spoken).limit is None:
            return asked, {}
        excerpts = excerpts_of([each.sections for each in large], asked.question)
        instead = dict(zip(large, excerpts, strict=True))
        sources = tuple(
            self.prepare(instead[each].document) if each in instead else each for each in asked.sources
        )
        named = {name_of(excerpt.document): excerpt for excerpt in excerpts}
        return msgspec.structs.replace(asked, sources=sources), named

    def _answer(self, asked: Iterable[Asked[PreparedDocument]], through: Through) -> Iterator[Reply]:
        read = _dealt(map(self._plan, asked), lambda plan: plan.queue, partial(self._read, through=through))
        decided = ((plan, self._decided(plan, results or ())) for plan, results in read)
        for (plan, choices), structured in _dealt(decided, _finder, _structure):
            yield self._settled(plan, choices, structured)

    def depends(self, asked: Asked[PreparedDocument]) -> float | None:
        """How probable it is that yes or no depends on what the asker has not said; None if neither is the answer."""
        plan = self._plan(asked)
        if not plan.yes_no or not asked.sources:
            return None
        from caveat.answerers.documents.verdict import depends

        return depends(asked.question, [each.page for each in asked.sources], self._verdicts(plan.equipment))

    def all_spans(self, asked: Iterable[Asked[PreparedDocument]]) -> Iterator[tuple[TaggedSpan, ...]]:
        """Every span that answers each question in the one text that it is asked of, in the text's order, as a stream.

        Each tagger finds the kinds that it knows; without a tagger it is the reader's best span, item by item where it
        lists several things.
        """
        kinds = [kind for tagger in self.taggers for kind in tagger.kinds]
        if twice := sorted({kind for kind in kinds if kinds.count(kind) > 1}):
            raise UsageError(
                f"Two of the models find spans of the kind {twice[0]!r}; each kind is for one of them."
            )
        if not self.taggers:
            yield from self._listed(asked)
            return
        # Each tagger reads ahead as far as its queue is long; what the others have not had is kept that long.
        copies = tee((_whole(each)[0] for each in asked), len(self.taggers))
        results = [tagger.tag(copy) for tagger, copy in zip(self.taggers, copies, strict=True)]
        for found in zip(*results, strict=True):
            spans = (span for result in found for span in result.spans)
            yield tuple(sorted(spans, key=lambda span: (span.start, -span.end)))

    def reader_for(self, language: Language) -> Reader:
        """The reader of a language: its own, else one of many languages, else the only one there is."""
        if (own := _of_language(self.readers, language)) is not None:
            return own
        if len(self.readers) == 1:
            return self.readers[0]
        if not self.readers:
            raise CaveatError(
                "No model came with this installation; name a model folder with --model (docs/models.md says how "
                "to train or import one)."
            )
        there = ", ".join(f"{r.card.name} ({r.card.language})" for r in self.readers)
        raise CaveatError(f"There is no reader for the language {language!r}; the models are: {there}.")

    def tagger_for(self, language: Language) -> Tagger | None:
        """The tagger of a language: its own, else one of many languages; a language may have none."""
        return _of_language(self.taggers, language)

    def equipment(self, language: Language) -> Equipment:
        """What there is for a language; a tagger finds conditions too, so that no rules are read where there is one."""
        tagger = self.tagger_for(language)
        finder = None if tagger is None else self.finders[tagger]
        rules = finder is None and pack(language).rules is not None
        judge = _of_language(self.judges, language)
        return Equipment(self.reader_for(language), finder, judge, rules, pack(language).lists)

    def _judging(self, equipment: Equipment) -> Judging:
        """What tells what a scenario settles."""
        from caveat.answerers.documents.scenario import ScenarioJudge, WordsJudge

        return WordsJudge() if equipment.judge is None else ScenarioJudge(equipment.judge)

    def _verdicts(self, equipment: Equipment) -> Verdicts:
        from caveat.answerers.documents.verdict import Verdicts

        assert equipment.judge is not None  # the plan has seen to it
        return Verdicts(equipment.judge, self._judging(equipment))

    def _plan(self, asked: Asked[PreparedDocument]) -> _Plan:
        equipment = self.equipment(asked.question.spoken)
        if not asked.structure:
            equipment = Equipment(equipment.reader)
        yes_no = equipment.judge is not None and asked.parsed.wants_yes_or_no
        return _Plan(asked, equipment, yes_no)

    def _retrieved(self, plan: _Plan) -> Sequence[ReadRequest]:
        """Each document with the windows that are worth reading among those of all the documents."""
        reader, question = plan.equipment.reader, plan.asked.question.text
        if not self.retrieve:
            return _whole(plan.asked)
        if plan.equipment.rules and has_headings(plan.documents):
            return page_requests(reader, question, plan.documents)
        return window_requests(reader, question, plan.documents)

    def _read(
        self, queue: tuple[Reader, int], plans: Iterable[_Plan], *, through: Through
    ) -> Iterator[list[ReadResult]]:
        """For each question what the reader finds in each of its documents."""
        reader, count = queue
        mine, theirs = tee(plans)
        requests = (request for plan in theirs for request in self._retrieved(plan))
        read = iter(through(reader.read(requests, count=count)))
        for plan in mine:
            sources = plan.asked.sources
            found = zip(sources, islice(read, len(sources)), strict=True)
            yield [self._possible(plan, source, each) for source, each in found]

    def _possible(self, plan: _Plan, source: PreparedDocument, found: ReadResult) -> ReadResult:
        if not self.retrieve:
            return found
        question = plan.asked.question.text
        possible = possible_answers(found, source.source)
        if not plan.asked.structure or not possible.candidates:
            return possible
        from caveat.answerers.documents.named_quantities import with_named_quantities
        from caveat.answerers.documents.reranking import reranked

        return reranked(source.page, question, with_named_quantities(source.page, question, possible))

    def _decided(self, plan: _Plan, results: Sequence[ReadResult]) -> Decided:
        """The answers with their probabilities, of cases side by side the asker's own, except for passages alone."""
        from caveat.answerers.documents.cases import Decided, in_own_case
        from caveat.answerers.documents.pooling import pooled

        weighed = plan.equipment.reader.weigh(results)
        if not self.retrieve or not weighed.choices:
            return Decided(weighed)
        question = plan.asked.question
        weighed = pooled(question.text, weighed, [document.text for document in plan.documents])
        constant, weight, *_ = pack(question.spoken).page_weights
        change = constant - weight * _covered(plan, weighed) + _NAME_IS_ABSENT * _lacks_a_name(plan, weighed)
        return in_own_case(question, plan.documents, asked_of_pages(weighed, math.exp(change)))

    def _settled(self, plan: _Plan, decided: Decided, structured: Structured | None) -> Reply:
        """The reply with its conditions, less what the scenario settles, and calibrated probabilities."""
        question, sources, top = plan.asked.question, plan.asked.sources, plan.asked.top
        weighed = decided.weighed
        if plan.yes_no:
            from caveat.answerers.documents.verdict import verdict

            return verdict(question, [each.page for each in sources], self._verdicts(plan.equipment))
        if plan.equipment.rules:
            from caveat.answerers.documents.conditional import conditional_spans

            return conditional_spans(
                question,
                plan.documents,
                lambda number: sources[number].page,
                decided,
                top,
                self._judging(plan.equipment),
            )
        in_case = bool(weighed.choices) and decided.case_of(weighed.choices[0]) is not None
        lists = plan.equipment.lists and not in_case
        listed = whole_list(question.text, plan.documents, weighed) if lists else None
        if listed is not None and (structured is None or structured.answerable <= listed.share):
            return Reply(question, listed.answers, 1.0 - listed.probability, together=True)
        if structured is not None:
            return Reply(question, structured.answers, 1.0 - structured.answerable, together=True)
        answers = tuple(span_answer(choice, plan.documents) for choice in weighed.choices[:top])
        return Reply(question, answers, weighed.unanswerable)

    def _listed(self, asked: Iterable[Asked[PreparedDocument]]) -> Iterator[tuple[TaggedSpan, ...]]:
        """The items of the reader's best span."""
        plain = (msgspec.structs.replace(each, structure=False) for each in asked)
        plans = map(self._plan, plain)
        for plan, results in _dealt(plans, lambda plan: plan.queue, partial(self._read, through=iter)):
            text = plan.documents[0].text
            spans: list[TaggedSpan] = []
            for choice in plan.equipment.reader.weigh(results or ()).choices[:1]:
                best = choice.places[0][1]
                items = items_of(text, best.start, best.end, several=True)
                spans += (
                    TaggedSpan(_ANSWER, text[start:end], start, end, choice.probability)
                    for start, end in items or [(best.start, best.end)]
                )
            yield tuple(spans)


def _covered(plan: _Plan, weighed: Weighed) -> float:
    """The share of the question's words that the element of the best answer has, with the headings over it."""
    number, best = weighed.choices[0].places[0]
    page = plan.asked.sources[number].page
    at = element_at(page.document, best.start)
    return 0.0 if at is None else float(page.covered_by(plan.asked.question.text)[at])


def _lacks_a_name(plan: _Plan, weighed: Weighed) -> bool:
    """Whether the question has a name that no document has."""
    question = plan.asked.question
    if not pack(question.spoken).capitals_tell_names:
        return False
    from caveat.answerers.documents.names import absent_names

    nearest = plan.documents[weighed.choices[0].places[0][0]]
    return bool(absent_names(question.text, map(_with_titles, plan.documents), nearest.text))


def _with_titles(document: Document) -> str:
    """A text with what it is called; a file's folders say nothing of it."""
    return "\n".join((document.title, PurePath(document.url).stem, document.text))


def _whole(asked: Asked[PreparedDocument]) -> list[ReadRequest]:
    """All of each text, as the model by itself has it."""
    return [ReadRequest(asked.question.text, each.source.text) for each in asked.sources]


def _finder(read: tuple[_Plan, Decided]) -> StructureFinder | None:
    """What finds the parts of an answer; what a case of the asker's own says is the answer by itself."""
    plan, decided = read
    choices = decided.weighed.choices
    return plan.equipment.finder if choices and decided.case_of(choices[0]) is None else None


def _structure(finder: StructureFinder, read: Iterable[tuple[_Plan, Decided]]) -> Iterator[Structured | None]:
    """For each question the structured answers around the reader's best one, where they are the better reply."""

    def best(plan: _Plan, weighed: Weighed) -> BestSpan:
        number, span = weighed.choices[0].places[0]
        document = plan.documents[number]
        return BestSpan(plan.asked.question.text, document, span.start, span.end, 1.0 - weighed.unanswerable)

    return finder.answers(best(plan, decided.weighed) for plan, decided in read)


def _dealt(
    items: Iterable[Item],
    owner: Callable[[Item], Owner | None],
    make: Callable[[Owner, Iterable[Item]], Iterator[Made]],
) -> Iterator[tuple[Item, Made | None]]:
    """Every item, in order, with what its owner makes of it, each owner of all its items in one stream.

    An owner may read ahead; what it passes is kept for the others. None is made of an item without an owner.
    """
    coming = iter(items)
    waiting: deque[tuple[Item, Owner | None]] = deque()
    hands: dict[Owner, deque[Item]] = {}
    making: dict[Owner, Iterator[Made]] = {}

    def deal() -> bool:
        """Whether there was another item."""
        for item in coming:
            mine = owner(item)
            waiting.append((item, mine))
            if mine is not None:
                if mine not in hands:
                    hands[mine] = deque()
                    making[mine] = make(mine, hand(mine))
                hands[mine].append(item)
            return True
        return False

    def hand(mine: Owner) -> Iterator[Item]:
        while hands[mine] or deal():
            if hands[mine]:
                yield hands[mine].popleft()

    while waiting or deal():
        item, mine = waiting.popleft()
        yield item, None if mine is None else next(making[mine])


def _of_language(models: Sequence[AnyModel], language: Language) -> AnyModel | None:
    for wanted in (language, _MANY_LANGUAGES):
        for model in models:
            if model.card.language == wanted:
                return model
    return None
