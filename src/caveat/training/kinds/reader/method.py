"""The method that trains an extractive reader: the answer's first and last token in a window, or the null position."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import torch
from tokenizers import Tokenizer
from torch import Tensor

from caveat.benchmarks.cmrc2018 import task as cmrc
from caveat.benchmarks.shared import extractive_metric as extractive
from caveat.benchmarks.shared.passage import Passage, gold_texts, questions_of
from caveat.core.errors import CaveatError
from caveat.training.kinds.reader.assembly import companions_of, reader_for, teaching_of
from caveat.training.kinds.reader.companions import Reading
from caveat.training.kinds.reader.data import Corpus, as_parts, encode, read_passages, simplified
from caveat.training.kinds.reader.network import (
    CARD,
    MeanOfReaders,
    ReaderNetwork,
    predict,
)
from caveat.training.kinds.reader.recipe import ReaderDataSet, ReaderRecipe, ReaderTuning
from caveat.training.kinds.reader.samples import (
    Batch,
    Plan,
    Sample,
    Sampler,
    UsefulnessMeter,
    batches_by_usefulness,
    collate,
)
from caveat.training.kinds.reader.synthetic import exchanged, read_verbalised, recurring
from caveat.training.method import NetworkMethod


def some_questions(passages: Sequence[Passage], count: int) -> list[Passage]:
    """About `count` questions on passages spread evenly over the file; 0 means all."""
    total = sum(len(passage.questions) for passage in passages)
    if not count or total <= count:
        return list(passages)
    chosen: list[Passage] = []
    seen = taken = 0
    for passage in passages:
        questions = []
        for question in passage.questions:
            # The n-th question is taken when n × count / total passes the next whole number.
            seen += 1
            if seen * count // total > taken:
                taken += 1
                questions.append(question)
        if questions:
            chosen.append(msgspec.structs.replace(passage, questions=tuple(questions)))
    return chosen


def measure(
    reader: ReaderNetwork | MeanOfReaders,
    tokenizer: Tokenizer,
    passages: Sequence[Passage],
    tuning: ReaderTuning,
    max_question_tokens: int,
    *,
    no_answer: bool = True,
) -> dict[str, Any]:
    """Exact match and F1; questions without an answer are right where the reader prefers none (threshold 0)."""
    predictions = predict(
        reader,
        tokenizer,
        passages,
        window=tuning.window,
        stride=tuning.stride,
        max_answer_tokens=tuning.max_answer_tokens,
        max_question_tokens=max_question_tokens,
        batch_size=tuning.batch_size,
        n_best=1,
        no_answer=no_answer,
    )
    gold = {question.id: gold_texts(question) for _, question in questions_of(passages)}
    has_null = no_answer and any(not question.answerable for _, question in questions_of(passages))
    predicted = {p.id: p.text_above(0.0) if has_null else p.text for p in predictions}
    score = cmrc.score if tuning.metric == "cmrc2018" else extractive.score
    scores = score(gold, predicted).scores
    return {"exact_match": scores["exact_match"], "f1": scores["f1"], "questions": len(gold)}


class Step(Sequence[Sample]):
    """The windows of a step, and its number."""

    def __init__(self, number: int, samples: Sequence[Sample]) -> None:
        self.number, self.samples = number, samples

    def __getitem__(self, at: Any) -> Any:
        """A window, or some of them as a part of the step."""
        return Step(self.number, self.samples[at]) if isinstance(at, slice) else self.samples[at]

    def __len__(self) -> int:
        """How many windows there are."""
        return len(self.samples)


class Extractive(NetworkMethod[ReaderRecipe, ReaderNetwork, Sample]):
    """A reader, its windows, and its measurement on the tuning file."""

    card_file = CARD

    def __init__(self, recipe: ReaderRecipe, data_root: Path, note: Callable[[str], None]) -> None:
        super().__init__(recipe, reader_for(recipe), part="")
        self._corpora = [_corpus(data, recipe, self._tokenizer, data_root) for data in recipe.data]
        for data, corpus in zip(recipe.data, self._corpora, strict=True):
            self._use(data.key, len(corpus.questions), corpus.left_out, note)
        self._plan = Plan(recipe, self._corpora, self._layout)
        self.windows, self.steps = self._plan.windows, self._plan.steps
        tuning = recipe.tuning
        self._passages = list(read_passages(data_root / tuning.path, tuning.format)) if tuning else []
        self._companions = companions_of(recipe, self.network, self._tokenizer, data_root, note)
        self._teaching = teaching_of(recipe, self._layout)
        self._meter = self._usefulness(data_root) if recipe.usefulness else None

    def batches_from(self, step: int) -> Iterator[Step]:
        """The batches of step `step` and all after it."""
        drawn = (
            batches_by_usefulness(self._plan, self._meter, step)
            if self._meter
            else self._plan.batches_from(step)
        )
        return (Step(number, batch) for number, batch in enumerate(drawn, step))

    def loss(self, batch: Step) -> Tensor:
        """The loss of a batch."""
        tensors = collate(batch.samples, self._layout, no_answer=self.recipe.no_answer)
        masked = tensors._replace(input_ids=self._masking(tensors.input_ids))
        states = self.network.states(*masked[:3])
        starts, ends = self.network.scores(states)
        loss = span_loss(starts, ends, tensors)
        if self._teaching and self.recipe.distillation:
            share = self.recipe.distillation.share
            soft = self._teaching.loss(batch.samples, tensors, starts, ends)
            loss = (1 - share) * loss + share * soft
        reading = Reading(batch.number, batch.samples, tensors, states)
        for companion in self._companions:
            loss = loss + companion.loss(reading)
        return loss

    def _usefulness(self, data_root: Path) -> UsefulnessMeter:
        """Measures against the windows of the targets, cut as those of the widest phase."""
        recipe, table = self.recipe, self.recipe.usefulness
        assert table is not None
        targets = [ReaderDataSet(path=path) for path in table.targets]
        if not targets and recipe.tuning:
            targets = [ReaderDataSet(path=recipe.tuning.path, format=recipe.tuning.format)]
        corpora = [(_corpus(data, recipe, self._tokenizer, data_root), 1.0) for data in targets]
        phase = max(recipe.phases, key=lambda each: each.window)
        sampler = Sampler(
            corpora,
            self._layout.specials,
            window=phase.window,
            stride=phase.stride,
            target=recipe.target,
        )

        def loss(samples: Sequence[Sample]) -> Tensor:
            tensors = collate(samples, self._layout, no_answer=recipe.no_answer)
            starts, ends = self.network(*tensors[:3])
            return span_loss(starts, ends, tensors)

        kept = self.network.companions["usefulness"]
        return UsefulnessMeter(self.network, kept, sampler.epoch("targets"), loss, table)

    def measure(self, *, final: bool) -> dict[str, Any]:
        """Exact match and F1 on the tuning file."""
        tuning = self.recipe.tuning
        if tuning is None:
            return {}
        some = some_questions(self._passages, tuning.final_questions if final else tuning.questions)
        return measure(
            self.network,
            self._tokenizer,
            some,
            tuning,
            self.recipe.max_question_tokens,
            no_answer=self.recipe.no_answer,
        )

    def shown(self, scores: dict[str, Any]) -> str:
        """Scores in a few words."""
        return (
            f"exact match {scores['exact_match']:.1f}, F1 {scores['f1']:.1f} "
            f"on {scores['questions']:,} questions"
        )


def span_loss(start_scores: Tensor, end_scores: Tensor, batch: Batch) -> Tensor:
    """Cross-entropy of start and end over the allowed positions, the mean of the two."""
    low = torch.finfo(start_scores.dtype).min
    loss = torch.nn.functional.cross_entropy
    start = loss(start_scores.masked_fill(~batch.allowed, low), batch.starts)
    end = loss(end_scores.masked_fill(~batch.allowed, low), batch.ends)
    return (start + end) / 2


def _corpus(data: ReaderDataSet, recipe: ReaderRecipe, tokenizer: Tokenizer, root: Path) -> Corpus:
    if data.format == "kbqa":
        passages = read_verbalised(root / data.path, root / data.triples, recipe.seed)
    else:
        passages = read_passages(root / data.path, data.format)
    if data.answers == "parts":
        passages = as_parts(passages)
    if data.simplify:
        passages = simplified(passages)
    if data.questions == "recurring":
        passages = recurring(passages, recipe.seed)
    elif data.questions == "exchanged":
        passages = exchanged(passages, recipe.seed)
    corpus = encode(
        passages,
        tokenizer,
        take=data.take if recipe.no_answer else "answerable",
        cap=data.cap,
        seed=recipe.seed,
        max_question_tokens=recipe.max_question_tokens,
        with_texts=recipe.distillation is not None,
    )
    if not corpus.questions:
        raise CaveatError(f"{root / data.path} has no question that a reader can be trained on.")
    return corpus
