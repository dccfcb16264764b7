"""The training loop: stopped at any step and started again, it ends with the weights of a run that never stopped.

What is random is either drawn from the seed and the position in the run (windows, batches) or comes from torch's
generator (dropout), whose state is in the checkpoint.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import torch
from tokenizers import Tokenizer

from caveat.errors import CaveatError
from caveat.runtime.pairs import pair_layout
from caveat.training import log
from caveat.training.batch import collate
from caveat.training.corpus import Corpus, encode, read_passages
from caveat.training.places import as_parts, simplified
from caveat.training.plan import Plan
from caveat.training.reader import Reader, ReaderCard, new_reader, save_reader
from caveat.training.recipe import DataSet, Recipe
from caveat.training.run import Run
from caveat.training.start import begin_from
from caveat.training.tuning import measure, some_questions

__all__ = ["train"]


def train(
    recipe: Recipe,
    out: Path,
    *,
    data_root: Path = Path(),
    stop: Callable[[int], bool] = lambda step: False,
    note: Callable[[str], None] = lambda message: None,
) -> dict[str, Any] | None:
    """Train a reader into `out` (log.jsonl, checkpoint.pt, and at the end model/), or go on with a stopped run there.

    `stop` is asked after each step; where it says yes, a checkpoint is left and None returned. Otherwise the
    scores on the tuning file are returned, empty without one.
    """
    if recipe.threads:
        torch.set_num_threads(recipe.threads)
    torch.manual_seed(recipe.seed)
    reader, tokenizer = new_reader(
        recipe.encoder,
        dropout=recipe.dropout,
        attention_dropout=recipe.attention_dropout,
        lower_case=recipe.lower_case,
    )
    if recipe.start:
        begin_from(reader, Path(recipe.start))
    _check_windows(recipe, reader)
    corpora = [_corpus(data, recipe, tokenizer, data_root) for data in recipe.data]
    for data, corpus in zip(recipe.data, corpora, strict=True):
        left_out = ", ".join(f"{count:,} {reason}" for reason, count in corpus.left_out.items())
        note(
            f"{data.path}: {len(corpus.questions):,} questions"
            + (f" (left out: {left_out})" if left_out else "")
        )
    plan = Plan(recipe, corpora, pair_layout(tokenizer))
    tuning = recipe.tuning
    tuning_passages = list(read_passages(data_root / tuning.path, tuning.format)) if tuning else []

    out.mkdir(parents=True, exist_ok=True)
    checkpoint, log_file = out / "checkpoint.pt", out / "log.jsonl"
    run = Run(recipe, reader, plan.steps)
    if checkpoint.exists():
        run.restore(checkpoint)
        log.rewind(log_file, run.step)
        note(f"resumed at step {run.step:,} of {plan.steps:,}")
    else:
        log_file.unlink(missing_ok=True)
        log.append(log_file, {"step": 0, **_described(recipe, corpora, plan)})
        note(f"{plan.windows:,} windows in {plan.steps:,} steps")

    pace = _Pace()
    saved_at = time.monotonic()
    reader.train()
    for samples in plan.batches_from(run.step):
        pace.add(run.advance(collate(samples, plan.layout)), len(samples))
        if run.step % recipe.log_every == 0 or run.step == plan.steps:
            log.append(log_file, {"step": run.step, "lr": run.rate(run.step - 1), **pace.lap()})
        if tuning and tuning.every and run.step % tuning.every == 0 and run.step < plan.steps:
            with pace.paused(), run.averaged():
                some = some_questions(tuning_passages, tuning.questions)
                scores = measure(reader, tokenizer, some, tuning, recipe.max_question_tokens)
            log.append(log_file, {"step": run.step, "tuning": scores})
            note(f"step {run.step:,}: {_shown(scores)}")
        stopping = stop(run.step)
        if stopping or time.monotonic() - saved_at > 60 * recipe.checkpoint_minutes:
            run.save(checkpoint)
            saved_at = time.monotonic()
        if stopping:
            note(f"stopped at step {run.step:,} of {plan.steps:,}; the same command goes on from there")
            return None

    run.save(checkpoint)
    scores = {}
    with run.averaged():
        if tuning:
            some = some_questions(tuning_passages, tuning.final_questions)
            scores = measure(reader, tokenizer, some, tuning, recipe.max_question_tokens)
            log.append(log_file, {"step": run.step, "final": scores})
        card = ReaderCard(recipe=msgspec.to_builtins(recipe), scores=scores)
        save_reader(out / "model", reader, tokenizer, card)
    return scores


def _corpus(data: DataSet, recipe: Recipe, tokenizer: Tokenizer, root: Path) -> Corpus:
    passages = read_passages(root / data.path, data.format)
    if data.answers == "parts":
        passages = as_parts(passages)
    if data.simplify:
        passages = simplified(passages)
    corpus = encode(
        passages,
        tokenizer,
        take=data.take,
        cap=data.cap,
        seed=recipe.seed,
        max_question_tokens=recipe.max_question_tokens,
    )
    if not corpus.questions:
        raise CaveatError(f"{root / data.path} has no question that a reader can be trained on.")
    return corpus


def _check_windows(recipe: Recipe, reader: Reader) -> None:
    config: Any = reader.encoder.config
    limit = getattr(config, "max_position_embeddings", None)
    widest = max(
        [phase.window for phase in recipe.phases] + ([recipe.tuning.window] if recipe.tuning else [])
    )
    if limit is not None and widest > limit:
        raise CaveatError(
            f"The encoder {recipe.encoder!r} takes {limit} tokens, the recipe wants windows of {widest}."
        )


def _described(recipe: Recipe, corpora: list[Corpus], plan: Plan) -> dict[str, Any]:
    data = {
        data.path: {"questions": len(corpus.questions), "left_out": corpus.left_out}
        for data, corpus in zip(recipe.data, corpora, strict=True)
    }
    return {"steps": plan.steps, "windows": plan.windows, "data": data}


def _shown(scores: dict[str, Any]) -> str:
    return (
        f"exact match {scores['exact_match']:.1f}, F1 {scores['f1']:.1f} on {scores['questions']:,} questions"
    )


class _Pace:
    """Mean loss and windows a second since the last entry of the log."""

    def __init__(self) -> None:
        self._losses: list[float] = []
        self._windows = 0
        self._since = time.monotonic()

    def add(self, loss: float, windows: int) -> None:
        self._losses.append(loss)
        self._windows += windows

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Time that does not count."""
        begin = time.monotonic()
        yield
        self._since += time.monotonic() - begin

    def lap(self) -> dict[str, float]:
        now = time.monotonic()
        entry = {
            "loss": round(sum(self._losses) / len(self._losses), 4),
            "windows_per_second": round(self._windows / (now - self._since), 2),
        }
        self._losses, self._windows, self._since = [], 0, now
        return entry
