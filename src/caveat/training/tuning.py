"""Measuring a reader on a tuning file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from tokenizers import Tokenizer

from caveat.benchmarks.cmrc2018 import metric as cmrc
from caveat.benchmarks.shared import extractive_metric as extractive
from caveat.benchmarks.shared.passage import Passage, gold_texts, questions_of
from caveat.training.kinds.reader.predict import predict
from caveat.training.kinds.reader.reader import Reader
from caveat.training.recipe import Tuning

__all__ = ["measure", "some_questions"]


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
    reader: Reader,
    tokenizer: Tokenizer,
    passages: Sequence[Passage],
    tuning: Tuning,
    max_question_tokens: int,
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
    )
    gold = {question.id: gold_texts(question) for _, question in questions_of(passages)}
    has_null = any(not question.answerable for _, question in questions_of(passages))
    predicted = {p.id: p.text_above(0.0) if has_null else p.text for p in predictions}
    score = cmrc.score if tuning.metric == "cmrc2018" else extractive.score
    scores = score(gold, predicted).scores
    return {"exact_match": scores["exact_match"], "f1": scores["f1"], "questions": len(gold)}
