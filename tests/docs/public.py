"""What is public: the names that the package and its rooms say are."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from dataclasses import dataclass
from typing import Any

import falsework


@dataclass(frozen=True, slots=True)
class Public:
    """A name, and what it names."""

    room: str
    name: str

    @property
    def thing(self) -> Any:
        return getattr(importlib.import_module(self.room), self.name)

    def __str__(self) -> str:
        return f"{self.room}.{self.name}"


def rooms() -> tuple[str, ...]:
    """The package and its rooms."""
    return ("falsework", *(f"falsework.{one.name}" for one in pkgutil.iter_modules(falsework.__path__) if one.ispkg))


def public() -> list[Public]:
    """Every public name, in every room that has it."""
    return [Public(room, name) for room in rooms() for name in importlib.import_module(room).__all__]


def documented() -> list[Public]:
    """Every public class and function, once."""
    things = {}
    for one in public():
        thing = inspect.unwrap(one.thing)
        if inspect.isclass(thing) or inspect.isfunction(thing):
            things.setdefault(thing, one)
    return list(things.values())
