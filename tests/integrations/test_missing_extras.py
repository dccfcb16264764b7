"""What is not installed is said, with the command that installs it."""

from __future__ import annotations

import subprocess
import sys

import pytest

WITHOUT = """
import sys
for name in sys.argv[1].split(","):
    sys.modules[name] = None
sys.argv[1:] = sys.argv[2:]
from caveat.cli.main import run
run()
"""


def without(modules: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT, modules, *arguments], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("module", "command", "extra"),
    [("fastapi", "serve", "serve"), ("prometheus_client", "serve", "serve"), ("mcp.server", "mcp", "mcp")],
)
def test_a_command_says_what_it_needs(module: str, command: str, extra: str) -> None:
    done = without(module, command)
    assert done.returncode == 1
    assert done.stderr == (
        f"caveat: `caveat {command}` needs {module}, of the extra `{extra}`: "
        f'pip install ".[{extra}]" in a clone of Caveat.\n'
    )


@pytest.mark.parametrize(("module", "extra"), [("haystack", "haystack"), ("langchain_core", "langchain")])
def test_a_component_says_what_it_needs(monkeypatch: pytest.MonkeyPatch, module: str, extra: str) -> None:
    from importlib import import_module

    for name in [name for name in sys.modules if name.partition(".")[0] == module]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, f"caveat.integrations.{extra}", raising=False)
    with pytest.raises(ModuleNotFoundError, match=rf'pip install "\.\[{extra}\]" in a clone'):
        import_module(f"caveat.integrations.{extra}")


def test_an_address_that_is_not_this_machines_needs_a_token() -> None:
    done = without("nothing", "serve", "--host", "0.0.0.0", "--port", "0")
    assert (done.returncode, "--token, or CAVEAT_TOKEN" in done.stderr) == (2, True)


def test_a_library_on_servers_says_what_it_needs() -> None:
    done = without("qdrant_client", "library", "list", "qdrant://host/shelf")
    assert done.returncode == 1
    assert done.stderr == (
        "caveat: A library at qdrant://host/shelf needs qdrant_client, of the extra `qdrant`: "
        'pip install ".[qdrant]" in a clone of Caveat.\n'
    )
