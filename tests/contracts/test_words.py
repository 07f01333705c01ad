"""A word of the interface means one thing: `seconds` is a span that is simulated, `timeout_s` time to compute."""

from __future__ import annotations

import ast
import functools
from pathlib import Path

import falsework

SOURCE = Path(falsework.__file__).parent
SIMULATE = {"collapse", "brickworld", "engine", "bench"}  # rooms in which time passes


def named(tree: ast.Module) -> set[str]:
    """Parameters of functions and fields of classes."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    arguments = [one.arg for node in functions for one in (*node.args.args, *node.args.kwonlyargs)]
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    fields = [field for node in classes for field in node.body if isinstance(field, ast.AnnAssign)]
    return {*arguments, *(field.target.id for field in fields if isinstance(field.target, ast.Name))}


@functools.cache
def words() -> dict[Path, set[str]]:
    files = sorted(SOURCE.rglob("*.py"))
    return {file.relative_to(SOURCE): named(ast.parse(file.read_text(encoding="utf-8"))) for file in files}


def rooms_that_say(word: str) -> set[str]:
    return {file.parts[0] for file, said in words().items() if word in said}


def test_seconds_are_simulated_and_nothing_else() -> None:
    last = {"studio", "robots", "execution"}  # a page, an arm's way and a build say how long they last
    assert rooms_that_say("seconds") <= SIMULATE | last
    assert {"verdicts", "statics", "planning"} <= rooms_that_say("timeout_s")


def test_a_time_budget_has_one_name() -> None:
    for other in ("timeout", "time_limit", "time_limit_s", "max_seconds", "budget_s"):
        assert rooms_that_say(other) == set()
