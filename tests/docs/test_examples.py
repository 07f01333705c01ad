"""What docstrings show is so: every public class and function has an example, and it runs."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import sys
from pathlib import Path

import pytest

import falsework
from tests.docs.public import Public, documented, public, rooms
from tests.docs.shown import ROOT

pytest.importorskip("mujoco")
pytest.importorskip("numba")


@pytest.mark.parametrize("one", documented(), ids=str)
def test_the_example_of_everything_public_gives_what_it_shows(one: Public, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    thing = inspect.unwrap(one.thing)
    names = dict(vars(sys.modules[thing.__module__]))
    runner = doctest.DocTestRunner(verbose=False)
    told: list[str] = []
    for found in doctest.DocTestFinder().find(thing, one.name, module=False, globs=names):
        runner.run(found, out=told.append)
    assert runner.tries > 0, f"{one} shows no example"
    assert runner.failures == 0, "".join(told)


def test_the_example_of_the_package_gives_what_it_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    failed, tried = doctest.testmod(falsework)
    assert tried > 0 and failed == 0


@pytest.mark.parametrize("room", rooms())
def test_every_room_says_what_is_public_and_has_it(room: str) -> None:
    names = importlib.import_module(room).__all__
    assert len(names) > 0 and len(set(names)) == len(names)
    assert set(names) <= set(dir(importlib.import_module(room)))
    for one in public():
        if one.room == room:
            assert one.thing is not None


@pytest.mark.parametrize("room", rooms())
def test_type_checkers_see_the_names_that_are_looked_up_later(room: str) -> None:
    source = Path(str(importlib.import_module(room).__file__)).read_text(encoding="utf-8")
    if "exports(" not in source:
        return
    seen: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING":
            imported = [alias for line in node.body if isinstance(line, ast.ImportFrom) for alias in line.names]
            given = [line.targets[0] for line in node.body if isinstance(line, ast.Assign)]
            seen = {alias.asname for alias in imported if alias.asname} | {getattr(name, "id", "") for name in given}
    assert seen == set(importlib.import_module(room).__all__)


@pytest.mark.parametrize("room", rooms())
def test_no_public_name_is_hidden_by_a_module_of_the_same_name(room: str) -> None:
    package = importlib.import_module(room)
    modules = {path.stem for path in Path(str(package.__file__)).parent.iterdir()}
    hidden = {name for name in package.__all__ if name in modules and inspect.ismodule(getattr(package, name))}
    assert hidden <= {"batch", "bench", "collapse"}  # rooms that can be called
    assert all(callable(getattr(package, name)) for name in hidden)
