"""The registry of benchmarks: each has a command, and a command has the options that its benchmark takes."""

from __future__ import annotations

from inspect import signature
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from caveat import bench as benchmarks
from caveat.bench import BENCHMARKS, bench
from caveat.bench.measure import Measured
from caveat.cli.bench import app
from caveat.core.errors import UnknownNameError, UsageError
from caveat.core.loading import load


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The options that a benchmark gets; nothing is measured."""
    options: dict[str, Any] = {}

    def instead(home: str) -> Any:
        def run(**found: Any) -> Measured:
            options.update(found)
            return Measured(home, ("a",), ((1,),))

        run.__signature__ = signature(load(home))  # type: ignore[attr-defined]
        return run

    monkeypatch.setattr(benchmarks, "load", instead)
    return options


def test_every_benchmark_is_a_command() -> None:
    commands: Any = get_command(app)
    assert list(commands.commands) == list(BENCHMARKS)


@pytest.mark.parametrize("name", BENCHMARKS)
def test_what_a_command_gives_its_benchmark_takes(name: str, given: dict[str, Any]) -> None:
    """And what is not said on the command line is as in Python."""
    done = CliRunner().invoke(app, [name])
    assert done.exit_code == 0, done.exception
    own = {each.name: each.default for each in signature(load(BENCHMARKS[name])).parameters.values()}
    for option, value in given.items():
        if option not in ("watch", "filling"):
            assert (tuple(value) if isinstance(value, list) else value) == own[option], option


def test_options_by_language(given: dict[str, Any]) -> None:
    CliRunner().invoke(app, ["reader", "--en", "dev.json", "--model-en", "own", "--haystack", "python"])
    assert given["data"] == {"en": "dev.json"}
    assert given["models"] == {"en": "own"}
    assert given["peers"] == {"haystack": "python"}


def test_an_option_of_another_benchmark_is_refused() -> None:
    assert CliRunner().invoke(app, ["reading", "--repeats", "2"]).exit_code == 2
    with pytest.raises(UsageError, match="reading does not take repeats; it takes: megabytes"):
        bench("reading", repeats=2)


def test_none_is_not_given(given: dict[str, Any]) -> None:
    bench("metrics", repeats=None)
    assert set(given) == {"watch"}


def test_a_name_that_is_none() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'reader'"):
        bench("readers")
