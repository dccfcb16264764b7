"""Who may look into whom: every import of the package goes to a room before its own, and there are no cycles.

Imports inside functions and under TYPE_CHECKING count as those at the top do.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "caveat"
ROOMS = (
    *(
        "core",
        "language",
        "sources",
        "models",
        "library",
        "answerers",
        "benchmarks",
        "annotation",
        "training",
    ),
    *("render", "serve", "integrations", "cluster", "bench", "cli"),
)
# Rooms in a room, and what stands beside them.
ANSWERERS = (
    *(
        "contract",
        "merge",
        "ranking",
        "documents",
        "prompted",
        "tables",
        "knowledge",
    ),
    *("spelling", "searching", "asking", "engine", "sheets"),
)
# Names of groups of entry points, which look like modules.
GROUPS = ("caveat.benchmarks", "caveat.kinds", "caveat.languages", "caveat.networks")
MOST_MODULES = 500
# The package itself offers names of all rooms; `python -m caveat` runs the command line.
ABOVE_ALL = ("__init__", "__main__")

# A module in a text, alone or with a name in it; and an import in a script that is handed to another process.
PATH = re.compile(r"caveat(?:\.\w+)+(?::\w+)?")
SCRIPTED = re.compile(r"(?:^|[\n;])\s*(?:from\s+(caveat[\w.]*)\s+import\s+([\w, ]+)|import\s+(caveat[\w.]*))")

Graph = Mapping[str, frozenset[str]]


def name_of(path: Path) -> str:
    """The module of a file: sources.html for sources/html.py, sources for sources/__init__.py."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def is_package(module: str) -> bool:
    return module == "__init__" or (PACKAGE / module.replace(".", "/")).is_dir()


def imported(tree: ast.AST, module: str, modules: frozenset[str]) -> Iterator[str]:
    """The modules of the package that a module imports, wherever it does so."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            before = (
                f"caveat.{module}.".split(".")[: -node.level - (not is_package(module))] if node.level else []
            )
            base = ".".join([*before, *filter(None, [node.module])])
            names = [f"{base}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and PATH.fullmatch(node.value):
            names = [node.value.partition(":")[0]]  # what a table of names says to import later
            if node.value in GROUPS:
                continue
        else:
            continue
        for name in names:
            if name == "caveat" or name.startswith("caveat."):
                yield longest_module(name.removeprefix("caveat").removeprefix("."), modules)


def longest_module(name: str, modules: frozenset[str]) -> str:
    """The module that a dotted name is, or is in; the package itself for a name that it offers."""
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name or "__init__"


@cache
def graph() -> Graph:
    paths = {name_of(path): path for path in PACKAGE.rglob("*.py")}
    modules = frozenset(paths)
    return {
        module: frozenset(imported(ast.parse(path.read_text(encoding="utf-8")), module, modules)) - {module}
        for module, path in paths.items()
    }


def cycles(imports: Graph) -> Iterator[list[str]]:
    """The groups of modules that import each other, by Tarjan's algorithm."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []

    def visit(module: str) -> Iterator[list[str]]:
        index[module] = low[module] = len(index)
        stack.append(module)
        for other in sorted(imports[module]):
            if other not in index:
                yield from visit(other)
                low[module] = min(low[module], low[other])
            elif other in stack:
                low[module] = min(low[module], index[other])
        if low[module] == index[module]:
            group = stack[stack.index(module) :]
            del stack[stack.index(module) :]
            if len(group) > 1:
                yield sorted(group)

    for module in sorted(imports):
        if module not in index:
            yield from visit(module)


def folders(parent: Path) -> set[str]:
    return {path.parent.name for path in parent.glob("*/*.py")}


def upwards(imports: Graph, order: tuple[str, ...], prefix: str = "") -> list[str]:
    """The imports from a room to one after it; a room's own `__init__` may look into all of its rooms."""
    place = {prefix + name: number for number, name in enumerate(order)}

    def room(module: str) -> str:
        parts = module.split(".")
        longer = ".".join(parts[: prefix.count(".") + 2])
        return longer if longer in place else ".".join(parts[: prefix.count(".") + 1])

    return [
        f"{module} -> {other}"
        for module, others in sorted(imports.items())
        for other in sorted(others)
        if place.get(room(other), -1) > place.get(room(module), len(order))
    ]


def test_the_folders_are_rooms() -> None:
    """Each has its place in the order; a room of the design may still be to come."""
    assert folders(PACKAGE) - set(ROOMS) == set()
    assert {path.stem for path in PACKAGE.glob("*.py")} == set(ABOVE_ALL)


def test_what_stands_with_the_answerers_has_its_place() -> None:
    here = PACKAGE / "answerers"
    assert (folders(here) | {path.stem for path in here.glob("*.py")}) - {"__init__", *ANSWERERS} == set()


def test_no_room_looks_into_one_after_it() -> None:
    assert upwards(graph(), ROOMS) == []


def test_no_answerer_looks_into_one_after_it() -> None:
    inside = {module: others for module, others in graph().items() if module.startswith("answerers.")}
    assert upwards(inside, ANSWERERS, "answerers.") == []


def test_nothing_inside_needs_the_package_as_a_whole() -> None:
    """`import caveat` is for those who use it: before render/, a name comes from its own module."""
    inside = ROOMS[: ROOMS.index("render")]
    assert [
        name for name, others in graph().items() if "__init__" in others and name.split(".")[0] in inside
    ] == []


def test_there_are_no_cycles() -> None:
    assert list(cycles(graph())) == []


def test_there_are_no_more_modules_than_before() -> None:
    """A new one pays for itself: small modules that one neighbour alone uses go into that neighbour."""
    assert len(graph()) <= MOST_MODULES


def test_scripts_in_texts_import_what_exists() -> None:
    """Scripts that are run in a process of their own are not seen by a checker of types."""
    missing = []
    for path in (*PACKAGE.rglob("*.py"), *(ROOT / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and path != Path(__file__):
                for source, names, whole in SCRIPTED.findall(node.value):
                    modules = [whole or source] if (whole or source) != "caveat" else []
                    if not whole and is_package((source or "x").removeprefix("caveat.")):
                        modules = [f"{source}.{name.split()[0]}" for name in names.split(",")]
                    missing += [f"{path.name}: {name}" for name in modules if not exists(name)]
    assert missing == []


def exists(name: str) -> bool:
    """Whether it is a module, or a name that a package's own file has."""
    module = name.removeprefix("caveat.")
    package, _, attribute = module.rpartition(".")
    own = PACKAGE / package.replace(".", "/") / "__init__.py"
    return module in graph() or (
        own.exists() and bool(re.search(rf"\b{attribute}\b", own.read_text("utf-8")))
    )


def test_the_page_on_the_architecture_names_the_rooms() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"^\|\s*`(\w+)/`\s*\|", text, re.MULTILINE)
    assert named == [room for room in ROOMS if room in folders(PACKAGE)]


@pytest.mark.parametrize(
    ("imports", "expected"),
    [
        ({"core.a": {"language.b"}, "language.b": set()}, ["core.a -> language.b"]),
        ({"cli.a": {"core.b"}, "core.b": set()}, []),
    ],
)
def test_an_import_upwards_is_found(imports: dict[str, set[str]], expected: list[str]) -> None:
    assert upwards({name: frozenset(others) for name, others in imports.items()}, ROOMS) == expected


def test_a_cycle_is_found() -> None:
    imports = {"a": frozenset("b"), "b": frozenset("c"), "c": frozenset("a"), "d": frozenset("a")}
    assert list(cycles(imports)) == [["a", "b", "c"]]


def test_every_way_to_import_is_seen() -> None:
    source = """
import caveat.core.files
from caveat.core import errors, records
from . import sibling
from .sibling import name
from ..core import files
if TYPE_CHECKING:
    from caveat.models.reader import Reader
def later():
    from caveat.cli.main import app
    importlib.import_module("caveat.serve.app")
    homes = {"name": "caveat.bench.registry:names", "said": "caveat answers"}
    import caveat
"""
    modules = frozenset(
        ("__init__", "core", "core.files", "core.errors", "core.records", "language.sibling", "language.here",
         "models.reader", "cli.main", "serve.app", "bench.registry")
    )  # fmt: skip
    found = set(imported(ast.parse(source), "language.here", modules))
    assert found == modules - {"core", "language.here"}
