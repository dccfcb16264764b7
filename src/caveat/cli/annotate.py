"""`caveat annotate`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from caveat.cli.arguments import JsonFlag, Models, Threads

if TYPE_CHECKING:
    from caveat.annotation.agreement import AgreementReport
    from caveat.annotation.project import Project

app = typer.Typer(
    help="From raw text to a data set: several annotators, live checks, agreement, gold.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)


class _Task(StrEnum):
    CMQA = "cmqa"
    CMRC2018 = "cmrc2018"
    CONDITIONALQA = "conditionalqa"
    MULTISPAN = "multispan"
    SQUAD2 = "squad2"


class _Role(StrEnum):
    ANNOTATOR = "annotator"
    ADJUDICATOR = "adjudicator"


ProjectFile = Annotated[
    str, typer.Argument(metavar="PROJECT", show_default=False, help="The project's file, an SQLite database.")
]
Data = Annotated[
    str, typer.Option("--data", "-d", help="What is annotated: a data file, a text, or a folder of texts.")
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        "-f",
        help="What the file is: a format of `caveat convert --list`, label-studio, doccano, samples (one JSON a "
        "line) or text; else the task's own for JSON, and text for all others.",
    ),
]
Pages = Annotated[
    str | None, typer.Option("--documents", help="conditionalqa: the pages that the questions stand on.")
]
Split = Annotated[str | None, typer.Option("--split", help="The part of the data: train, dev, test …")]


@app.command()
def new(
    path: ProjectFile,
    task: Annotated[_Task, typer.Option("--task", "-t", help="What the data set is to be like.")],
    data: Data,
    format: Format = None,
    documents: Pages = None,
    split: Split = None,
    overlap: Annotated[
        int | None,
        typer.Option(
            "--overlap", min=1, help="How many answer each item blindly; else as the task's paper had it."
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Make a project; answers that the data has are left out (`caveat annotate import` takes them over).

    Example: `caveat annotate new garden.sqlite --task squad2 --data texts/`
    """
    from caveat.annotation.exchange import read_entries
    from caveat.annotation.project import Project
    from caveat.annotation.tasks import find_task

    entries = read_entries(find_task(task), data, format, documents, split)
    with Project.new(path, task.value, (entry.sample for entry in entries), overlap=overlap) as project:
        _print_status(project, json)


@app.command("import")
def import_file(
    path: ProjectFile,
    data: Data,
    format: Format = None,
    documents: Pages = None,
    split: Split = None,
    annotator: Annotated[
        str | None, typer.Option("--annotator", "-a", help="Whose work it is; else as the file says.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Add further texts, and what has been made of them: in a data file, in Label Studio or in doccano.

    Example: `caveat annotate import garden.sqlite --data export.json --format label-studio`
    """
    from caveat.annotation.exchange import import_works, read_entries
    from caveat.annotation.project import Project
    from caveat.cli.terminal import note
    from caveat.render.words import plural

    with Project.open(path) as project:
        before = len(project.items())
        works = import_works(project, read_entries(project.task, data, format, documents, split), annotator)
        added = len(project.items()) - before
        note(f"{plural(added, 'item')} added, {plural(works, 'work')} taken over.")
        _print_status(project, json)


@app.command()
def add(
    path: ProjectFile,
    names: Annotated[list[str], typer.Argument(metavar="NAME…", show_default=False, help="Who annotates.")],
    role: Annotated[
        _Role, typer.Option("--role", help="Annotators annotate; adjudicators decide between them.")
    ] = _Role.ANNOTATOR,
    new_token: Annotated[
        bool,
        typer.Option("--new-token", help="For those who are there already: the old token no longer holds."),
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Add annotators; the token of each is printed once, and only its hash is kept.

    Example: `caveat annotate add garden.sqlite Ada Bo`
    """
    from caveat.annotation.project import Project
    from caveat.cli.terminal import print_json, print_table

    with Project.open(path) as project:
        tokens = {
            name: project.new_token(name) if new_token else project.add_annotator(name, role.value)
            for name in names
        }
    if json:
        print_json(tokens)
    else:
        print_table("Tokens", ["annotator", "token"], tokens.items())


@app.command()
def annotators(path: ProjectFile, json: JsonFlag = False) -> None:
    """List who annotates, what they have and what they have done.

    Example: `caveat annotate annotators garden.sqlite`
    """
    from caveat.annotation.project import Project
    from caveat.cli.terminal import print_json, print_table

    with Project.open(path) as project:
        counts = project.status().annotators
        rows = [{"name": each.name, "role": each.role, **counts[each.name]} for each in project.annotators()]
    if json:
        print_json(rows)
    else:
        columns = ["name", "role", "open", "begun", "done"]
        print_table("Annotators", columns, [[row[column] for column in columns] for row in rows])


@app.command()
def release(
    path: ProjectFile, name: Annotated[str, typer.Argument(metavar="NAME", show_default=False)]
) -> None:
    """Give what someone has not begun to the others.

    Example: `caveat annotate release garden.sqlite Ada`
    """
    from caveat.annotation.project import Project
    from caveat.cli.terminal import note
    from caveat.render.words import plural

    with Project.open(path) as project:
        note(f"{plural(project.release(name), 'item')} given back.")


@app.command()
def serve(
    path: ProjectFile,
    host: Annotated[str, typer.Option("--host", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", "-p", min=0, max=65535, help="The port; 0 is any that is free.")
    ] = 8018,
) -> None:
    """Serve the page on which annotators work; each opens it with the token that `add` printed.

    Example: `caveat annotate serve garden.sqlite`
    """
    from caveat.cli.terminal import note
    from caveat.serve.start import serve_annotation

    try:
        serve_annotation(path, host, port, lambda address: note(f"listening on {address}, stop with Ctrl-C."))
    except KeyboardInterrupt:
        note("stopped.")


@app.command()
def status(path: ProjectFile, json: JsonFlag = False) -> None:
    """How far a project is.

    Example: `caveat annotate status garden.sqlite`
    """
    from caveat.annotation.project import Project

    with Project.open(path) as project:
        _print_status(project, json)


@app.command()
def verify(path: ProjectFile, json: JsonFlag = False) -> None:
    """Check that every row of a project is as it was written; exit code 1 and the rows where some are not.

    All other commands check this too, and go no further with a damaged file.

    Example: `caveat annotate verify garden.sqlite`
    """
    from caveat.annotation.store import damage_of
    from caveat.cli.terminal import note, print_json
    from caveat.render.words import plural

    damage = damage_of(path)
    if json:
        print_json(damage)
    else:
        for each in damage:
            print(each)
    if damage:
        note(f"{plural(len(damage), 'fault')} in {path}.")
        raise typer.Exit(1)
    note(f"{path} is as it was written.")


@app.command()
def decisions(
    path: ProjectFile,
    item: Annotated[str | None, typer.Option("--item", help="Only those on this item.")] = None,
    annotator: Annotated[
        str | None, typer.Option("--annotator", "-a", help="Only those of this person.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Every decision that was taken: who, when, and with --json what was there before and after.

    Example: `caveat annotate decisions garden.sqlite --item roses#1`
    """
    from caveat.annotation.project import Project
    from caveat.cli.terminal import print_json, print_table

    with Project.open(path) as project:
        found = project.decisions(item, annotator)
    if json:
        print_json(found)
        return
    rows = [
        (each.number, each.time, each.item, each.stage, each.annotator, each.action, _size(each.after))
        for each in found
    ]
    print_table("Decisions", ["", "time", "item", "stage", "annotator", "action", "spans, links"], rows)


def _people(report: AgreementReport) -> str:
    from caveat.render.words import plural

    return f"{plural(report.annotators, 'annotator')} on {plural(report.items, 'item')}"


def _size(work: object) -> str:
    return f"{len(getattr(work, 'spans', ()))}, {len(getattr(work, 'links', ()))}"


@app.command()
def agreement(
    path: ProjectFile,
    plot: Annotated[Path | None, typer.Option("--plot", help="Also draw it: .png, .svg or .pdf.")] = None,
    json: JsonFlag = False,
) -> None:
    """How far annotators agree: the paper's own measure, each kind of label, Krippendorff's alpha, each person.

    Example: `caveat annotate agreement garden.sqlite --plot agreement.svg`
    """
    from caveat.annotation.agreement import agreement as measure
    from caveat.annotation.project import Project
    from caveat.cli.terminal import note, print_json, print_scores, print_table

    with Project.open(path) as project:
        report = measure(project)
    if json:
        print_json(report)
    else:
        print_scores(f"{report.task}: agreement of {_people(report)}", report.paper)
        print_table("Kinds of label: mean F1 of the pairs", ["", "F1"], report.kinds.items())
        print_table("Krippendorff's alpha", ["", "alpha"], report.alpha.items())
        rows = [(pair.one, pair.other, pair.items, pair.f1) for pair in report.pairs]
        print_table("Pairs", ["annotator", "annotator", "items", "F1"], rows)
    if plot is not None:
        from caveat.render.report_plot import plot_agreement

        plot_agreement(report, plot)
        note(f"drawn: {plot}")


@app.command()
def adjudicate(
    path: ProjectFile,
    by: Annotated[
        str | None, typer.Option("--by", help="Who decides: an adjudicator of the project; needed to decide.")
    ] = None,
    item: Annotated[str | None, typer.Option("--item", help="Decide this item, as --take says.")] = None,
    take: Annotated[
        str | None, typer.Option("--take", help="Take the work of this annotator, on --item or on all.")
    ] = None,
    majority: Annotated[
        bool,
        typer.Option("--majority", help="Take what more than half of the annotators have; leave the rest."),
    ] = False,
    json: JsonFlag = False,
) -> None:
    """List the items on which annotators differ, or decide them; on the page they stand side by side.

    Example: `caveat annotate adjudicate garden.sqlite --by Judy --majority`
    """
    from caveat.annotation.agreement import decide, majority_work
    from caveat.annotation.project import Project
    from caveat.cli.terminal import note, print_json, print_table
    from caveat.core.errors import UsageError
    from caveat.render.words import plural

    if (take is not None or majority) and by is None:
        raise UsageError("Someone has to decide: --by names an adjudicator.")
    if item is not None and take is None:
        raise UsageError("--item goes with --take: whose work holds.")
    with Project.open(path) as project:
        if by is not None and (take is not None or majority):
            choose = majority_work if take is None else lambda found: found.works.get(take)
            note(f"{plural(decide(project, by, choose, item), 'item')} decided.")
        left = project.disagreements()
    if json:
        print_json(left)
    else:
        rows = [(each.item, ", ".join(each.works), majority_work(each) is not None) for each in left]
        print_table("Undecided", ["item", "annotators", "majority"], rows)


@app.command()
def export(
    path: ProjectFile,
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="FILE", help="Where to write it; .gz compresses.")
    ],
    format: Annotated[
        str | None,
        typer.Option(
            "--format", "-f", help="Any format that the task's data converts to, label-studio or doccano."
        ),
    ] = None,
    annotator: Annotated[
        str | None,
        typer.Option(
            "--annotator", "-a", help="The works of this person in place of gold: for `caveat agreement`."
        ),
    ] = None,
    split: Split = None,
    documents: Annotated[
        str | None, typer.Option("--documents", help="conditionalqa: also write the pages, to this file.")
    ] = None,
    interface: Annotated[
        Path | None, typer.Option("--interface", help="label-studio: also write the labelling interface.")
    ] = None,
    move_conditions: Annotated[
        bool,
        typer.Option(
            "--move-conditions",
            help="conditionalqa: for each condition one example more, whose scenario says it: a draft to be reworded.",
        ),
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Write what holds: what all agree on, or what was adjudicated. Label Studio's and doccano's have everyone's.

    Example: `caveat annotate export garden.sqlite --out garden.json`
    """
    from caveat.annotation.exchange import export as write
    from caveat.annotation.other_tools import labelling_config
    from caveat.annotation.project import Project
    from caveat.cli.terminal import named, note, print_json
    from caveat.core.files import writing
    from caveat.render.words import plural

    with Project.open(path) as project:
        done = write(
            project,
            out,
            format,
            annotator=annotator,
            split=split,
            documents=documents,
            move_conditions=move_conditions,
        )
        if interface is not None:
            with writing(interface) as stream:
                stream.write(labelling_config(project.task))
    if json and out != "-":
        print_json(done)
    written = f"{plural(done.items, 'item')} written to {named(out)} as {done.format}"
    note(f"{written}, {plural(done.without_gold, 'item')} without gold.")


@app.command()
def suggest(
    path: ProjectFile,
    show: Annotated[
        bool | None,
        typer.Option(
            "--show/--hide", help="Show annotators what is proposed, or not; it is hidden until shown."
        ),
    ] = None,
    model: Models = None,
    threads: Threads = None,
    json: JsonFlag = False,
) -> None:
    """Let the embedded models propose works: for the order by uncertainty, and, if shown, for annotators.

    With --show or --hide nothing is computed where there are proposals already. The effect is printed: what
    annotators said of them, how many of their works are the same, and how long an item took them.

    Example: `caveat annotate suggest garden.sqlite`
    """
    from caveat.annotation.project import Project
    from caveat.annotation.suggestions import effect
    from caveat.annotation.suggestions import suggest as propose
    from caveat.cli.terminal import note, print_json, print_scores, tracked
    from caveat.render.words import plural

    with Project.open(path) as project:
        if show is None or not project.proposed():
            from caveat.answerers.engine import load

            name = ", ".join(model) if model else "embedded models"
            count = propose(
                project,
                load(model, threads=threads),
                model=name,
                through=lambda items: tracked(items, "reading"),
            )
            note(f"{plural(count, 'suggestion')} kept.")
        if show is not None:
            project.show_suggestions(show)
        found = effect(project)
        note(f"suggestions are {'shown' if project.suggests else 'hidden'}.")
    if json:
        print_json(found)
    else:
        print_scores("Suggestions", {key: value for key, value in _figures(found).items() if value})


def _figures(found: object) -> dict[str, object]:
    import msgspec

    figures: dict[str, object] = msgspec.to_builtins(found)
    return figures


@app.command()
def train(
    path: ProjectFile,
    out: Annotated[Path, typer.Option("--out", "-o", help="The run's folder; a stopped run there goes on.")],
    overrides: Annotated[
        list[str] | None,
        typer.Option(
            "--set", "-s", metavar="KEY=VALUE", help="Override a value of the recipe: phases.0.epochs=2 …"
        ),
    ] = None,
) -> None:
    """Train a model on the gold of a project, from the embedded one; a fifth of the texts is held out.

    The files and the recipe that it is trained by are in the folder too: `caveat train` goes on with them.

    Example: `caveat annotate train garden.sqlite --out runs/garden`
    """
    from caveat.annotation.project import Project
    from caveat.cli.terminal import note, print_scores
    from caveat.training.annotated import train_on_project

    with Project.open(path) as project:
        result = train_on_project(project, out, overrides=overrides or (), note=note)
    for title, figures in result.tables.items():
        print_scores(title, figures)


def _print_status(project: Project, json: bool) -> None:
    from caveat.cli.terminal import print_json, print_scores, print_table

    found = project.status()
    if json:
        print_json(found)
        return
    counts = {
        "samples": found.samples,
        "items": found.items,
        "decisions": found.decisions,
        "disagreements": found.disagreements,
        "adjudicated": found.adjudicated,
        "gold": found.gold,
    }
    print_scores(f"{project.name} ({found.task})", counts | found.suggestions)
    rows = [(stage, *counts.values()) for stage, counts in found.stages.items()]
    print_table("Stages", ["", "wanted", "taken", "done"], rows)
