from __future__ import annotations

import ast
import re
from pathlib import Path

import caveat.checks

from caveat.benchmarks.shared.rules import RULES


def rules_in_the_code() -> set[str]:
    """The first argument of every call of `….finding(…)` in the package."""
    found = set()
    for path in Path(next(iter(caveat.checks.__path__))).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "finding"
            ):
                rule = node.args[0]
                assert isinstance(rule, ast.Constant), f"{path.name}:{node.lineno}"
                found.add(rule.value)
    return found


def test_the_list_has_every_rule_and_no_other():
    assert rules_in_the_code() == set(RULES)


def test_names_are_kebab_case_and_sentences_are_sentences():
    for rule, sentence in RULES.items():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)+", rule)
        assert re.fullmatch(r"[A-Za-z_].*\.", sentence), rule
