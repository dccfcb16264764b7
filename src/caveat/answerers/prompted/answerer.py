"""Answers from documents by a language model beside the embedded reader: the same contract, the same reply.

What the model says is used only where it stands in the source; else the embedded reader's reply is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import tee
from typing import Any, NamedTuple

import msgspec

from caveat.answerers.contract import Asked
from caveat.answerers.documents.answerer import DocumentAnswerer, PreparedDocument
from caveat.answerers.documents.retrieval import in_the_texts
from caveat.answerers.prompted.confidence import Asking, Tuned, features, prefers_model, read_tuned, sureness
from caveat.answerers.prompted.passages import MOST_TOKENS, TOKENS_VARIABLE, Shown, shown_passages
from caveat.answerers.prompted.reading import (
    Checked,
    Example,
    Quoted,
    Reading,
    UnfoundError,
    checked,
    reading_of,
    reading_prompt,
    span_prompt,
)
from caveat.core.answers import Answer
from caveat.core.errors import one_line
from caveat.core.records import Document, Question, Remark, Reply
from caveat.core.spreading import Through
from caveat.models.language_model.client import Client, number_of_environment
from caveat.models.language_model.completions import Completion, Prompt
from caveat.models.probability import answer_key

# Samples beside the first answer are taken at this temperature: enough to waver where a model is not sure.
_TEMPERATURE = 0.7
_LONGEST_SHOWN = 80
Said = Reading | Quoted


class Judged(NamedTuple):
    """A question answered by both: the embedded reader's reply, the model's answers if they can be used, and what is
    known of them; `problem` says why they cannot be."""

    asked: Asked[PreparedDocument]
    embedded: Reply
    found: Checked | None
    known: dict[str, float]
    problem: str = ""
    withheld: int = 0


class Used:
    """How many questions a model was asked, and what became of its answers."""

    def __init__(self) -> None:
        self.asked = self.used = self.dropped = self.failed = self.withheld = 0

    def count(self, judged: Judged, taken: bool) -> None:
        """One more answer, whether it was taken, and why not."""
        self.asked += 1
        self.used += taken
        self.withheld += judged.withheld
        if judged.found is None:
            unfound = judged.problem.startswith(_UNFOUND)
            self.dropped += unfound
            self.failed += not unfound

    @property
    def closing(self) -> str:
        """The counts in one sentence."""
        said = [f"{self.used:,} of {self.asked:,} answers are the language model's"]
        if self.dropped:
            said.append(f"{self.dropped:,} of its answers did not stand in the source and were dropped")
        if self.failed:
            said.append(f"{self.failed:,} could not be had")
        if self.withheld:
            said.append(f"{self.withheld:,} sentences that speak to a language model were not shown to it")
        return "; ".join(said) + "."


_UNFOUND = "does not stand in the source: "


class _Waiting(NamedTuple):
    asked: Asked[PreparedDocument]
    embedded: Reply
    shown: Shown
    prompts: int


class PromptedAnswerer:
    """A language model and the embedded models that find its passages, stand in for it, and are weighed beside it."""

    def __init__(
        self,
        embedded: DocumentAnswerer,
        client: Client,
        *,
        card: Tuned | None = None,
        examples: Sequence[Example] = (),
        most_tokens: int | None = None,
    ) -> None:
        self.embedded, self.client, self.used = embedded, client, Used()
        self._card = card
        self.examples = tuple(examples)
        self._most_tokens = most_tokens or int(number_of_environment(TOKENS_VARIABLE, MOST_TOKENS))

    @property
    def closing(self) -> str:
        """What was sent and what became of it, for the end of a run."""
        return f"{self.client.closing} {self.used.closing}"

    def prepare(self, source: Document) -> PreparedDocument:
        """As the embedded answerer does."""
        return self.embedded.prepare(source)

    def answer(self, asked: Iterable[Asked[PreparedDocument]], *, through: Through = iter) -> Iterator[Reply]:
        """A reply for each question from its documents together, in order; requests are sent in parallel.

        Of large texts excerpts are shown.
        """
        mine, theirs = tee(map(self.embedded.excerpted, asked))
        judged = self.judge((each for each, _ in theirs), through=through)
        for (_, excerpts), each in zip(mine, judged, strict=True):
            yield in_the_texts(self.decided(each)[0], excerpts)

    def decided(self, judged: Judged) -> tuple[Reply, bool]:
        """The reply of whichever is believed, and whether that is the model."""
        card = self._card_for(judged.asked)
        taken = judged.found is not None and prefers_model(card, judged.known)
        self.used.count(judged, taken)
        return self._remarked(self.reply_of_model(judged) if taken else judged.embedded, judged), taken

    def judge(self, asked: Iterable[Asked[PreparedDocument]], *, through: Through = iter) -> Iterator[Judged]:
        """What both say to each question, in order."""
        waiting: deque[_Waiting] = deque()

        def prompts() -> Iterator[Prompt[Any]]:
            mine, theirs = tee(asked)
            for each, reply in zip(mine, self.embedded.answer(theirs, through=through), strict=True):
                shown = self._shown(each, reply)
                made = self._prompts(each, shown) if shown.sentences else []
                waiting.append(_Waiting(each, reply, shown, len(made)))
                yield from made

        completions = self.client.complete_many(prompts())
        for first in completions:
            # Those without a passage have no prompt.
            while not waiting[0].prompts:
                yield _unasked(waiting.popleft())
            head = waiting.popleft()
            said = [first, *(next(completions) for _ in range(head.prompts - 1))]
            yield self._judged(head, said)
        yield from map(_unasked, waiting)

    def _card_for(self, asked: Asked[PreparedDocument]) -> Tuned:
        return self._card or self._cards["reading" if asked.structure else "span"]

    @cached_property
    def _cards(self) -> dict[Asking, Tuned]:
        kinds: tuple[Asking, ...] = ("reading", "span")
        return {kind: read_tuned(self.client.endpoint, kind) for kind in kinds}

    def _shown(self, asked: Asked[PreparedDocument], reply: Reply) -> Shown:
        documents = [each.source for each in asked.sources]
        reader = self.embedded.reader_for(asked.question.spoken)
        return shown_passages(asked.question.text, documents, reply, reader, most_tokens=self._most_tokens)

    def _prompts(self, asked: Asked[PreparedDocument], shown: Shown) -> list[Prompt[Any]]:
        def made(sample: int, temperature: float) -> Prompt[Any]:
            if asked.structure:
                return reading_prompt(asked.question, shown, sample=sample, temperature=temperature)
            return span_prompt(asked.question, shown, self.examples, sample=sample, temperature=temperature)

        return [
            made(0, 0.0),
            *(made(sample, _TEMPERATURE) for sample in range(1, self._card_for(asked).samples + 1)),
        ]

    def _judged(self, head: _Waiting, said: Sequence[Completion[Said]]) -> Judged:
        documents = [each.source for each in head.asked.sources]
        question, embedded = head.asked.question, head.embedded

        def read(completion: Completion[Said]) -> Checked:
            assert completion.parsed is not None
            return checked(reading_of(completion.parsed), head.shown, documents, question)

        withheld = len(head.shown.withheld)
        if said[0].parsed is None:
            return Judged(head.asked, embedded, None, {}, said[0].problem, withheld)
        try:
            found = read(said[0])
        except UnfoundError as error:
            return Judged(head.asked, embedded, None, {}, f"{_UNFOUND}{error}", withheld)
        others = [_same(found, other) for other in map(_quietly(read), said[1:]) if other is not None]
        best = embedded.answers[0].score if embedded.answered else embedded.unanswerable
        known = features(
            agrees=_agrees(found, embedded),
            none=not found.answers,
            logprob=sureness(said[0].logprobs),
            samples=sum(others) / len(others) if others else None,
            embedded=best,
        )
        return Judged(head.asked, embedded, found, known, "", withheld)

    def reply_of_model(self, judged: Judged) -> Reply:
        """The model's answers with their probability; what is left of it is shared as the embedded reader has it."""
        assert judged.found is not None
        probability = min(max(self._card_for(judged.asked).model.probability(judged.known), 0.01), 0.99)
        embedded, answers, top = judged.embedded, judged.found.answers, judged.asked.top
        if not answers:
            return _none(embedded, probability)
        scored = [msgspec.structs.replace(each, score=probability) for each in answers]
        if judged.found.together:
            return Reply(embedded.question, tuple(scored), 1 - probability, together=True)
        first = scored[0]
        if first.kind in ("yes", "no"):
            return _sided(embedded.question, first, _silent(embedded))
        same = [each for each in embedded.answers if _overlap(first, each)]
        first = msgspec.structs.replace(first, evidence=same[0].evidence if same else first.evidence)
        others = [] if embedded.together else [each for each in embedded.answers if each not in same]
        rest = sum(each.score for each in others) + embedded.unanswerable
        share = (1 - probability) / rest if rest else 0.0
        behind = [
            msgspec.structs.replace(each, score=min(each.score * share, probability)) for each in others
        ]
        unanswerable = embedded.unanswerable * share if rest else 1 - probability
        return Reply(embedded.question, (first, *behind)[:top], min(1.0, unanswerable))

    def _remarked(self, reply: Reply, judged: Judged) -> Reply:
        """The reply with what is to be said of the model's own answer."""
        said = []
        if judged.problem:
            said.append(f"its answer was not used: {one_line(judged.problem, _LONGEST_SHOWN * 2)}")
        if judged.found is not None and judged.found.unfound:
            lost = one_line(judged.found.unfound[0], _LONGEST_SHOWN)
            said.append(f"part of its answer was not used: {_UNFOUND}{lost}")
        if judged.withheld:
            said.append(f"sentences that speak to a language model were not shown to it: {judged.withheld}")
        if not said:
            return reply
        name = self.client.endpoint.name
        return msgspec.structs.replace(
            reply, remarks=(*reply.remarks, *(Remark(name, each) for each in said))
        )


def _unasked(head: _Waiting) -> Judged:
    return Judged(head.asked, head.embedded, None, {}, "", len(head.shown.withheld))


def _quietly(read: Callable[[Completion[Said]], Checked]) -> Callable[[Completion[Said]], Checked | None]:
    def tried(completion: Completion[Said]) -> Checked | None:
        try:
            return read(completion) if completion.parsed is not None else None
        except UnfoundError:
            return None

    return tried


def _none(embedded: Reply, probability: float) -> Reply:
    """No answer, with this probability; the embedded reader's share the rest."""
    some = 1 - embedded.unanswerable
    share = (1 - probability) / some if some > 0 else 0.0
    answers = tuple(
        msgspec.structs.replace(each, score=min(1.0, each.score * share)) for each in embedded.answers
    )
    return msgspec.structs.replace(embedded, answers=answers, unanswerable=probability if answers else 1.0)


def _sided(question: Question, first: Answer, silent: float) -> Reply:
    """Yes and no; what the first leaves is shared by the other and by none, as far as the page may be silent."""
    rest = 1 - first.score
    other = Answer(
        "no" if first.kind == "yes" else "yes",
        "no" if first.kind == "yes" else "yes",
        min(first.score, rest * (1 - silent)),
        otherwise=bool(first.conditions),
    )
    return Reply(question, (first, other), max(0.0, 1 - first.score - other.score))


def _silent(embedded: Reply) -> float:
    """How probable none is to the embedded models, beside what is not the best answer."""
    left = 1 - (embedded.answers[0].score if embedded.answers else 0.0)
    return min(1.0, embedded.unanswerable / left) if left > 0 else 0.5


def _agrees(found: Checked, embedded: Reply) -> bool:
    if not found.answers or not embedded.answered:
        return not found.answers and not embedded.answered
    return _overlap(found.answers[0], embedded.answers[0])


def _same(found: Checked, other: Checked) -> bool:
    if not found.answers or not other.answers:
        return not found.answers and not other.answers
    return _overlap(found.answers[0], other.answers[0])


def _overlap(one: Answer, other: Answer) -> bool:
    """Whether two answers are the same, or stand in the same place."""
    if one.kind in ("yes", "no") or other.kind in ("yes", "no"):
        return one.kind == other.kind
    if answer_key(one.text) == answer_key(other.text):
        return True
    a, b = one.place, other.place
    if a is None or b is None or a.start is None or b.start is None or a.end is None or b.end is None:
        return False
    return a.source == b.source and a.start < b.end and b.start < a.end
