"""`caveat adapt`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer

from caveat.cli.arguments import JsonFlag, known_language


class _Kind(StrEnum):
    SPAN = "span"
    NONE = "none"
    YES_NO = "yes-no"
    CONDITIONAL = "conditional"


def command(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE…", show_default=False, help="Files and folders to learn about."),
    ],
    teacher: Annotated[
        str,
        typer.Option(
            "--teacher",
            envvar="CAVEAT_LLM",
            help="The language model: URL#NAME of a server that speaks OpenAI's protocol.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The run's folder; a stopped run there goes on.")],
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", help="The reader to adapt; the embedded one of the language."),
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            "--language",
            metavar="en|zh",
            callback=known_language,
            help="Of the passages; that of most of the text.",
        ),
    ] = None,
    questions: Annotated[
        int, typer.Option("--questions", min=1, help="About how many questions to have written.")
    ] = 500,
    kinds: Annotated[
        list[_Kind] | None,
        typer.Option("--kind", help="A kind of question to have written; several may be. All of them."),
    ] = None,
    original: Annotated[
        list[str] | None,
        typer.Option(
            "--original",
            help="A file that the reader learnt from (SQuAD's or MRQA's format), against forgetting; several may be.",
        ),
    ] = None,
    share: Annotated[
        float, typer.Option("--share", help="The part that --original has in what is learnt from.")
    ] = 0.5,
    gold: Annotated[
        list[str] | None,
        typer.Option("--gold", help="Questions by people to compare on, before and after; several may be."),
    ] = None,
    only_questions: Annotated[
        bool, typer.Option("--only-questions", help="Write and check the questions, and train nothing.")
    ] = False,
    parallel: Annotated[int, typer.Option("--parallel", min=1, help="Requests under way at once.")] = 4,
    budget: Annotated[
        str | None,
        typer.Option("--budget", help="At most this many tokens (200k) or dollars ($2) of the teacher."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of the training run.")] = 1,
    overrides: Annotated[
        list[str] | None,
        typer.Option("--set", "-s", metavar="KEY=VALUE", help="Override a value of the reader's recipe."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Adapt the reader to your own documents: a language model asks and answers, the small reader learns.

    Every answer of the teacher's is found again in the passage, and every question answered a second time; what does
    not pass is dropped and counted. OUT/train.json and OUT/heldout.json are SQuAD files to look through; OUT/int8
    and OUT/fp32 are the model, of which the command names the one for --model. Killed and started again, it goes on
    where it was.

    Example: `caveat adapt handbook/ --teacher http://127.0.0.1:8080/v1#qwen --out adapted`
    """
    from caveat.cli.terminal import note, print_json, tracked
    from caveat.cli.train import stopped_by_signals
    from caveat.models.language_model.spending import budget_of
    from caveat.training.adaptation.adapt import adapt
    from caveat.training.adaptation.records import WANTED

    def through(items: Iterable[Any], what: str, total: int) -> Iterator[Any]:
        return tracked(items, what, total)

    # Only once there is training, whose step is to be finished: before that every line is kept, and a signal ends it.
    signals = cache(stopped_by_signals)

    def stop(step: int) -> bool:
        return signals()(step)

    result = adapt(
        list(sources),
        teacher,
        out,
        model=model,
        language=language,
        questions=questions,
        kinds=[kind.value for kind in kinds] if kinds else WANTED,
        original=original or (),
        share=share,
        gold=gold or (),
        seed=seed,
        parallel=parallel,
        budget=budget_of(budget) if budget else None,
        only_questions=only_questions,
        overrides=overrides or (),
        stop=stop,
        through=through,
        note=note,
    )
    if json:
        print_json(result)
        return
    if result.model:
        _print_figures(result.before, result.after)
        print(f"The model: {result.model}")
    else:
        print(f"The questions: {out / 'train.json'}, {out / 'heldout.json'}, {out / 'yes_no.jsonl'}")
    if result.tokens:
        note(f"{result.tokens:,} tokens of the teacher")


def _print_figures(before: dict[str, dict[str, float]], after: dict[str, dict[str, float]]) -> None:
    width = max(map(len, before))
    print(f"{'':{width}}  {'before EM':>10} {'F1':>6}  {'after EM':>10} {'F1':>6}")
    for name, old in before.items():
        new = after[name]
        print(
            f"{name:{width}}  {old['exact_match']:10.1f} {old['f1']:6.1f}  {new['exact_match']:10.1f} {new['f1']:6.1f}"
        )
