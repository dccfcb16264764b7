"""Arguments that several commands share, and the check that none is written over what another reads or writes."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Annotated

import typer

from caveat.cli.commands import completing, data_names, model_names, tasks
from caveat.core.errors import UsageError

# As declared by the folders here; what else is installed is not looked at before a name is needed.
_TASKS = ", ".join(tasks())
_DATA_SETS = ", ".join(data_names()[len(tasks()) :])


def known_language(value: str | None) -> str | None:
    """The code of a language, if there is a pack for it."""
    from caveat.core.languages import languages

    if value is not None and value not in (known := languages()):
        raise typer.BadParameter(f"is {', '.join(known[:-1])} or {known[-1]}.")
    return value


def _be_quiet(wanted: bool) -> bool:
    from caveat.cli import terminal

    terminal.silence(wanted)
    return wanted


DataName = Annotated[
    str,
    typer.Argument(
        metavar="TASK",
        show_default=False,
        autocompletion=completing(data_names),
        help=f"A task ({_TASKS}) or other data ({_DATA_SETS}).",
    ),
]
TaskName = Annotated[
    str,
    typer.Argument(
        metavar="TASK",
        show_default=False,
        autocompletion=completing(tasks),
        help=f"A benchmark: {_TASKS}.",
    ),
]
JsonFlag = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on standard output and nothing else there.")
]
Documents = Annotated[
    str | None,
    typer.Option("--documents", help="What the data refers to: documents, abstracts, evidence, answer key …"),
]
TableFile = Annotated[
    str | None, typer.Option("--tables", help="nlpcc-tbqa: the tables, where the data names them by id.")
]
Private = Annotated[
    bool, typer.Option("--private", help="Fetch addresses of this machine and of private networks too.")
]
Strict = Annotated[
    bool, typer.Option("--strict", help="Stop where a file of a folder cannot be read; else it is listed.")
]
Language = Annotated[
    str | None,
    typer.Option(
        "--language", metavar="en|zh", callback=known_language, help="Else the question's script tells."
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        callback=_be_quiet,
        help="No notes and no progress on standard error; errors are still said.",
    ),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        "--ray",
        metavar="ADDRESS",
        help="Work on a Ray cluster (extra `ray`): HOST:PORT, auto for the one of this machine, or local for its own "
        "processors.",
    ),
]
Kb = Annotated[
    str | None, typer.Option("--kb", help="nlpcc-kbqa: the triples, `subject ||| predicate ||| object`.")
]
Mentions = Annotated[str | None, typer.Option("--mentions", help="nlpcc-kbqa: the mention list.")]
ServedFolder = Annotated[
    str | None,
    typer.Argument(
        metavar="DIR",
        show_default=False,
        help="A library, its folder or address, or a folder of sources, to answer from.",
    ),
]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        "-m",
        autocompletion=completing(model_names, files=True),
        help="A model's name or folder, instead of the embedded ones; or a language model, openai:URL#NAME.",
    ),
]
LanguageModelBudget = Annotated[
    str | None,
    typer.Option(
        "--budget",
        metavar="TOKENS|$N",
        help="The most that a language model may be used for: 200k tokens, or $2 (CAVEAT_LLM_PRICES).",
    ),
]
Threads = Annotated[
    int | None, typer.Option("--threads", min=1, help="Processor cores to use; all that there are.")
]


def refuse_clashes(outputs: Mapping[str, object], inputs: Iterable[object] = ()) -> None:
    """Raise if two of the outputs (option → path, None if not given) are one, or one is among the inputs."""
    from caveat.core.files import is_device

    places: dict[str, str] = {}
    for option, path in outputs.items():
        if path is None or is_device(str(path)):
            continue  # anything may be written to /dev/null, and twice
        place = _place(str(path))
        if place in places:
            where = "standard output" if place == "-" else path
            raise UsageError(f"{places[place]} and {option} would both write to {where}.")
        if place != "-" and place in {_place(str(given)) for given in inputs if given is not None}:
            raise UsageError(f"{option} would overwrite {path}, which is read.")
        places[place] = option


def _place(path: str) -> str:
    return path if path == "-" else os.path.realpath(path)
