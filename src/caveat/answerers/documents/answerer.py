"""Answers from documents: search, read, candidates, one decision, conditions; one path for every language.

What differs between languages is what there is for each (`Equipment`): a reader, a tagger for structured answers, and
whether conditions are read off the rules of a page.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import islice, tee
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import msgspec

from caveat.answerers.contract import Asked
from caveat.answerers.documents.retrieval import (
    LARGE,
    LARGE_TOGETHER,
    Excerpt,
    excerpts_of,
    in_the_texts,
    page_requests,
    window_requests,
)
from caveat.answerers.documents.sections import Sections
from caveat.answerers.documents.spans import items_of, name_of, possible_answers
from caveat.answerers.documents.structure.finder import BestSpan, Structured, StructureFinder
from caveat.core.cache import LimitedCache
from caveat.core.errors import CaveatError, InputError, UsageError
from caveat.core.languages import Language
from caveat.core.records import Document, Reply
from caveat.core.spreading import Through
from caveat.language.packs import pack
from caveat.models.joint import TASK as JOINT
from caveat.models.joint import JointReader, TextReading
from caveat.models.judge import TASK as JUDGING
from caveat.models.judge import Judge
from caveat.models.probability import WEIGHED
from caveat.models.reader import Reader, ReadResult
from caveat.models.tagger import TASK as TAGGING
from caveat.models.tagger import TaggedSpan, Tagger
from caveat.models.windowed_model import ReadRequest, Windowed

if TYPE_CHECKING:
    from caveat.answerers.documents.candidates import Proposals
    from caveat.answerers.documents.decision import Decided, DecisionWeights
    from caveat.answerers.documents.page import Page
    from caveat.answerers.documents.scenario import Judging

AnyModel = TypeVar("AnyModel", bound=Windowed)
Item = TypeVar("Item")
Owner = TypeVar("Owner", bound=Hashable)
Made = TypeVar("Made")

_READING = "reader"
_MANY_LANGUAGES = "mul"
# Pages with their rules and words are kept until they have this many characters together, each at least so many.
_KEPT_CHARACTERS, _LEAST = 1 << 21, 1 << 11
# The kind of the spans that a reader finds.
_ANSWER = "answer"


class PreparedDocument:
    """A document and, once it is needed, its page: the rules, and the words of its elements."""

    def __init__(self, source: Document, pages: LimitedCache[Page]) -> None:
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
    """What there is to answer with in a language: with a joint reader and its weights everything is decided at once."""

    reader: Reader
    finder: StructureFinder | None = None
    judge: Judge | None = None
    rules: bool = False
    joint: JointReader | None = None
    weights: DecisionWeights | None = None


class _Plan:
    """A question, and what answers it."""

    def __init__(self, asked: Asked[PreparedDocument], equipment: Equipment) -> None:
        self.asked, self.equipment = asked, equipment

    @cached_property
    def judging(self) -> Judging:
        """What tells what the scenario settles: one for all of the question, so that each pair is judged once."""
        return _judging(self.equipment)

    @property
    def documents(self) -> list[Document]:
        return [each.source for each in self.asked.sources]

    @property
    def queue(self) -> tuple[Equipment, int]:
        """What reads, and how many spans of a text it is asked for."""
        return self.equipment, max(self.asked.top, WEIGHED)


class DocumentAnswerer:
    """Readers, taggers for structured answers, and judges of conditions, one for each language.

    A joint reader proposes spans, lists, yes and no, and its decision weighs them (`candidates`, `decision`). Any other
    reader finds spans, with the probabilities of its own card. Where rules can be read off a page, answers come with
    the conditions that it states; what a scenario settles of them is told by the judge, the joint reader, or by words
    alone. Around the best answer a tagger looks for all that answers the question: its parts and their conditions.

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
        expected = ((readers, (_READING, JOINT)), (taggers, (TAGGING,)), (judges, (JUDGING,)))
        for model, tasks in ((model, tasks) for models, tasks in expected for model in models):
            if model.card.task not in tasks:
                raise InputError(
                    f"a model for {model.card.task!r}, expected one for {tasks[0]!r}", path=model.folder
                )
        self.readers, self.taggers, self.retrieve = tuple(readers), tuple(taggers), retrieve
        self.finders = {tagger: StructureFinder(tagger) for tagger in taggers}
        self.judges = tuple(judges)
        self._pages: LimitedCache[Page] = LimitedCache(
            _KEPT_CHARACTERS, lambda page: max(_LEAST, len(page.document.text))
        )

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
        for (plan, each), structured in _dealt(decided, _finder, _structure):
            yield self._reply(plan, each, structured)

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
        from caveat.answerers.documents.decision import weights_beside

        tagger = self.tagger_for(language)
        finder = None if tagger is None else self.finders[tagger]
        reader = self.reader_for(language)
        joint = reader if isinstance(reader, JointReader) else None
        weights = None if joint is None else weights_beside(joint.folder)
        judge = _of_language(self.judges, language)
        return Equipment(reader, finder, judge, pack(language).rules is not None, joint, weights)

    def proposals(
        self, asked: Iterable[Asked[PreparedDocument]], often: Mapping[str, float]
    ) -> Iterator[Proposals]:
        """What may answer each question, with features, before anything is decided: what a decision is fitted to.

        `often` is how often questions have each word.
        """
        from caveat.answerers.documents.decision import DecisionWeights

        weights = DecisionWeights({}, {}, dict(often))
        for plan in map(self._plan, asked):
            own = plan.equipment._replace(weights=weights)
            readings = next(self._read((own, WEIGHED), [plan], through=iter))
            yield self._proposed(plan, readings, weights)

    def judging(self, language: Language) -> Judging:
        """What tells what a scenario settles in a language."""
        return _judging(self.equipment(language))

    def _plan(self, asked: Asked[PreparedDocument]) -> _Plan:
        equipment = self.equipment(asked.question.spoken)
        if not asked.structure or not self.retrieve:
            equipment = Equipment(equipment.reader)
        return _Plan(asked, equipment)

    def _read(
        self, queue: tuple[Equipment, int], plans: Iterable[_Plan], *, through: Through
    ) -> Iterator[list[TextReading]]:
        """For each question what the reader finds in each of its documents."""
        equipment, count = queue
        mine, theirs = tee(plans)
        reader, joint = equipment.reader, equipment.joint

        decides = joint is not None and equipment.weights is not None
        chosen = page_requests if decides else window_requests

        def requests() -> Iterator[ReadRequest]:
            for plan in theirs:
                if self.retrieve:
                    yield from chosen(reader, plan.asked.question, plan.documents)
                else:
                    yield from _whole(plan.asked)

        if joint is not None and decides:
            found = joint.read_whole(requests(), count=count)
        else:
            found = (TextReading(spans=each.candidates) for each in reader.read(requests(), count=count))
        read = iter(through(found))
        for plan in mine:
            yield list(islice(read, len(plan.asked.sources)))

    def _proposed(self, plan: _Plan, readings: Sequence[TextReading], weights: DecisionWeights) -> Proposals:
        from caveat.answerers.documents.candidates import proposals

        pages = [each.page for each in plan.asked.sources]
        return proposals(plan.asked.question, pages, readings, weights.asked, plan.judging)

    def _decided(self, plan: _Plan, readings: Sequence[TextReading]) -> Decided:
        """The candidates with their probabilities."""
        from caveat.answerers.documents.amounts import pooled
        from caveat.answerers.documents.decision import Decided, decided

        weights = plan.equipment.weights
        if weights is not None and plan.asked.sources:
            return decided(self._proposed(plan, readings, weights), weights)
        spans = [ReadResult(each.spans) for each in readings]
        if not self.retrieve:
            return Decided(plan.equipment.reader.weigh(spans))
        possible = [
            possible_answers(each, document) for each, document in zip(spans, plan.documents, strict=True)
        ]
        weighed = plan.equipment.reader.weigh(possible)
        return Decided(pooled(plan.asked.question.text, weighed, [each.text for each in plan.documents]))

    def _reply(self, plan: _Plan, decided: Decided, structured: Structured | None) -> Reply:
        from caveat.answerers.documents.replies import reply

        pages = (
            [each.page for each in plan.asked.sources] if plan.equipment.rules or decided.proposals else []
        )
        return reply(plan.asked, plan.documents, pages, decided, structured, plan.judging)

    def _listed(self, asked: Iterable[Asked[PreparedDocument]]) -> Iterator[tuple[TaggedSpan, ...]]:
        """The items of the reader's best span."""
        plain = (msgspec.structs.replace(each, structure=False) for each in asked)
        plans = map(self._plan, plain)
        for plan, results in _dealt(plans, lambda plan: plan.queue, partial(self._read, through=iter)):
            text = plan.documents[0].text
            spans: list[TaggedSpan] = []
            found = [ReadResult(each.spans) for each in results or ()]
            for choice in plan.equipment.reader.weigh(found).choices[:1]:
                best = choice.places[0][1]
                items = items_of(text, best.start, best.end, several=True)
                spans += (
                    TaggedSpan(_ANSWER, text[start:end], start, end, choice.probability)
                    for start, end in items or [(best.start, best.end)]
                )
            yield tuple(spans)


def _judging(equipment: Equipment) -> Judging:
    """What tells what a scenario settles."""
    from caveat.answerers.documents.scenario import PremiseFirst, ScenarioJudge, WordsJudge

    trained = PremiseFirst(equipment.judge) if equipment.judge else equipment.joint
    return WordsJudge() if trained is None else ScenarioJudge(trained)


def _whole(asked: Asked[PreparedDocument]) -> list[ReadRequest]:
    """All of each text, as the model by itself has it."""
    return [ReadRequest(asked.question.text, each.source.text) for each in asked.sources]


def _finder(read: tuple[_Plan, Decided]) -> StructureFinder | None:
    """What finds the parts of an answer, where several are asked for and no list of the page was chosen."""
    plan, decided = read
    listed = decided.best is not None and decided.best.kind == "list"
    several = decided.several or plan.asked.parsed.wants_several
    return plan.equipment.finder if several and not listed and decided.weighed.choices else None


def _structure(finder: StructureFinder, read: Iterable[tuple[_Plan, Decided]]) -> Iterator[Structured | None]:
    """For each question the structured answers around the reader's best one, where they are the better reply."""

    def best(plan: _Plan, decided: Decided) -> BestSpan:
        number, span = decided.weighed.choices[0].places[0]
        document = plan.documents[number]
        answerable = 1.0 - decided.weighed.unanswerable
        return BestSpan(plan.asked.question.text, document, span.start, span.end, answerable)

    return finder.answers(best(plan, decided) for plan, decided in read)


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
