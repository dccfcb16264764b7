"""The command line: each command is a thin layer over a plain function of the same name."""

from __future__ import annotations

import io
import os
import signal
import sys
import warnings
from typing import Annotated, TextIO

import typer

from caveat.cli import (
    annotate,
    ask,
    bench,
    config,
    convert,
    describe,
    evaluate,
    library,
    models,
    predict,
    report,
    search,
    serve,
    train,
)
from caveat.cli.commands import Commands, in_words
from caveat.core.errors import CaveatError, UsageError, one_line
from caveat.core.guessing import GuessedEncodingWarning

app = typer.Typer(
    name="caveat",
    cls=Commands,
    help="Question answering that says under which conditions an answer holds; "
    "and the published metrics of ten QA benchmarks.\n\n"
    "Files may be gzipped anywhere; - is standard input or output.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode="markdown",
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"caveat {version('caveat')}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave."),
    ] = False,
) -> None:
    if context.invoked_subcommand in config.COMMANDS:
        context.default_map = config.defaults()


_ASK, _SOURCES = "Ask", "Sources and libraries"
_DATA, _MODELS, _SERVE = "Data and scores", "Models and training", "Serve"

app.command("ask", rich_help_panel=_ASK)(ask.command)
app.command("search", rich_help_panel=_ASK)(search.search_command)
app.command("config", rich_help_panel=_ASK)(config.command)
app.command("text", rich_help_panel=_SOURCES)(search.text_command)
app.command("index", rich_help_panel=_SOURCES)(library.index_command)
app.add_typer(library.app, name="library", rich_help_panel=_SOURCES)
app.add_typer(library.cache_app, name="cache", rich_help_panel=_SOURCES)
app.command("predict", rich_help_panel=_DATA)(predict.command)
app.command("eval", rich_help_panel=_DATA)(evaluate.eval_command)
app.command("report", rich_help_panel=_DATA)(report.command)
app.command("analyse", rich_help_panel=_DATA)(evaluate.analyse_command)
app.command("floors", rich_help_panel=_DATA)(evaluate.floors_command)
app.command("stats", rich_help_panel=_DATA)(describe.stats_command)
app.command("check", rich_help_panel=_DATA)(describe.check_command)
app.command("convert", rich_help_panel=_DATA)(convert.convert_command)
app.command("prepare", rich_help_panel=_DATA)(convert.prepare_command)
app.command("repartition", rich_help_panel=_DATA)(convert.repartition_command)
app.command("agreement", rich_help_panel=_DATA)(describe.agreement_command)
app.add_typer(annotate.app, name="annotate", rich_help_panel=_DATA)
app.add_typer(models.app, name="models", rich_help_panel=_MODELS)
app.command("train", rich_help_panel=_MODELS)(train.command)
app.command("adapt", rich_help_panel=_MODELS)(train.adapt_command)
app.add_typer(bench.app, name="bench", rich_help_panel=_MODELS)
app.command("serve", rich_help_panel=_SERVE)(serve.serve_command)
app.command("mcp", rich_help_panel=_SERVE)(serve.mcp_command)
in_words(app)


def run() -> None:
    """Run the command line; what could not be done is one sentence on standard error."""
    _set_up_streams()
    warnings.showwarning = _show_warning
    # A polite kill ends as Ctrl-C does: through the code that takes half-written files away.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        try:
            app()
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except UsageError as error:
        _fail(str(error), 2)
    except CaveatError as error:
        _fail(str(error), 1)
    except SystemExit as leaving:
        if isinstance(leaving.__context__, BrokenPipeError):
            _leave_closed_pipe()
        if leaving.code == 130:  # typer has turned Ctrl-C into this
            _fail("interrupted", 130)
        raise
    except BrokenPipeError:
        _leave_closed_pipe()
    except KeyboardInterrupt:
        _fail("interrupted", 130)
    except MemoryError:
        _fail("out of memory", 1)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _fail(one_line(where + (error.strerror or str(error)).lower(), 1000), 1)


def _set_up_streams() -> None:
    """UTF-8 for whatever reads our output, as files have; a terminal keeps its encoding."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="backslashreplace")


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """What the package warns of is a note; warnings of others are for those who program."""
    if category is GuessedEncodingWarning:
        print(f"caveat: {one_line(str(message), 2000)}.", file=sys.stderr)


def _leave_closed_pipe() -> None:
    """The reader of our output has gone (`caveat stats … | head`): nothing is wrong."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(0)


def _fail(message: str, code: int) -> None:
    print(f"caveat: {message}", file=sys.stderr)
    sys.exit(code)
