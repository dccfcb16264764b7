"""Models are trained: `caveat train`, and `caveat adapt` to documents of one's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from caveat.cli.arguments import JsonFlag, RayAddress, known_language
from caveat.cli.commands import completing, recipes

if TYPE_CHECKING:
    from caveat.training.export import Precision


class _Exported(StrEnum):
    INT8 = "int8"
    FP32 = "fp32"
    BOTH = "both"
    NONE = "none"


_PRECISIONS: dict[_Exported, tuple[Precision, ...]] = {
    _Exported.INT8: ("int8",),
    _Exported.FP32: ("fp32",),
    _Exported.BOTH: ("int8", "fp32"),
    _Exported.NONE: (),
}


class _Kind(StrEnum):
    SPAN = "span"
    NONE = "none"
    YES_NO = "yes-no"
    CONDITIONAL = "conditional"


def command(
    recipe: Annotated[
        str,
        typer.Argument(
            metavar="RECIPE",
            show_default=False,
            autocompletion=completing(recipes, files=True),
            help="A shipped recipe's name, or a TOML file.",
        ),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="The run's folder; a stopped run there goes on.")],
    overrides: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            "-s",
            metavar="KEY=VALUE",
            help="Override a value: phases.0.epochs=2, seed=7 …; KEY= takes the recipe's value away.",
        ),
    ] = None,
    data_root: Annotated[
        Path,
        typer.Option(
            "--data-root", envvar="CAVEAT_DATA", help="The folder that the recipe's paths start from."
        ),
    ] = Path(),
    plot: Annotated[
        Path | None,
        typer.Option("--plot", help="Draw the log when the run ends or stops: .png, .svg or .pdf."),
    ] = None,
    precision: Annotated[
        _Exported,
        typer.Option("--precision", help="What to export: model folders OUT/int8 and OUT/fp32, or none."),
    ] = _Exported.BOTH,
    export_only: Annotated[
        bool,
        typer.Option("--export-only", help="Train no further: export the run as it is, finished or not."),
    ] = False,
    compared: Annotated[
        int,
        typer.Option("--compared", min=0, help="Questions that torch answers too, for the loss; 0: all."),
    ] = 300,
    ray: RayAddress = None,
    workers: Annotated[int, typer.Option("--workers", min=1, help="--ray: how many share each batch.")] = 2,
) -> None:
    """Train a model by a recipe, calibrate it and export it; killed and started again, it goes on where it was.

    Example: `caveat train reader-zh --data-root data --out runs/reader-zh`
    """
    from functools import partial

    from caveat.cli.terminal import note, print_scores
    from caveat.cluster.work import train_on_ray
    from caveat.core.errors import UsageError
    from caveat.training.kinds import kind_of
    from caveat.training.recipe import load_recipe
    from caveat.training.train import export_run, train

    settings = load_recipe(recipe, overrides or ())
    fitted = kind_of(settings).fit is not None
    if fitted and (export_only or plot):
        raise UsageError(f"The recipe {recipe} is fitted in one go: --export-only and --plot are not for it.")
    precisions = _PRECISIONS[precision]
    if export_only:
        if precisions:
            export_run(
                settings, out, data_root=data_root, precisions=precisions, compared=compared, note=note
            )
    else:
        result = train(
            settings,
            out,
            data_root=data_root,
            precisions=precisions,
            compared=compared,
            stop=_never if fitted or ray else stopped_by_signals(),
            note=note,
            in_steps=None if ray is None else partial(train_on_ray, address=ray, workers=workers),
        )
        for title, figures in result.tables.items():
            print_scores(title, figures)
    if plot:
        from caveat.training.log import plot as draw

        draw(out / "log.jsonl", plot)
        note(f"drawn: {plot}")


def _never(step: int) -> bool:
    return False


def stopped_by_signals() -> Callable[[int], bool]:
    """Whether Ctrl-C or a polite kill came: the run then ends after its step; a second one ends it at once."""
    import signal

    came = []

    def receive(number: int, frame: object) -> None:
        came.append(number)
        signal.signal(number, signal.SIG_DFL)

    signal.signal(signal.SIGINT, receive)
    signal.signal(signal.SIGTERM, receive)
    return lambda step: bool(came)


def adapt_command(
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
    from caveat.models.language_model.spending import budget_of
    from caveat.training.adaptation.adapt import adapt
    from caveat.training.adaptation.teaching import WANTED

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
