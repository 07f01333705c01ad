"""A value in a file that knows where it stands, so that complaints can name the place.

`Node` walks parsed JSON or YAML. Each getter returns a plain, checked value or raises `BadFile` such as
`bridge.yaml: blocks[3].pos: found 'left', expected 3 numbers`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from falsework.formats.basics.limits import MAX_COORDINATE, MAX_PARTS, within
from falsework.model.arrays import Array
from falsework.model.errors import BadFile, BadInput, did_you_mean, shown

MAX_NAME = 1000  # characters, as the model has it


class Node:
    """One value of a parsed file; its place is spelled out only when something is wrong with it."""

    __slots__ = ("key", "parent", "path", "value")

    def __init__(self, path: Path, value: Any, parent: Node | None = None, key: str | int = "") -> None:
        self.path, self.value, self.parent, self.key = path, value, parent, key

    @property
    def place(self) -> str:
        """Where it stands: `parts[3].pose[0]`, empty for the whole file."""
        if self.parent is None:
            return str(self.key)
        above = self.parent.place
        if isinstance(self.key, int):
            return f"{above}[{self.key}]"
        return f"{above}.{self.key}" if above else self.key

    def wrong(self, problem: str) -> BadFile:
        """The complaint that this value has this problem."""
        return BadFile(self.path, self.place, problem)

    def expected(self, wanted: str) -> BadFile:
        """The complaint that something else stands here than was wanted."""
        return self.wrong(f"found {described(self.value)}, expected {wanted}")

    @contextmanager
    def blamed(self) -> Iterator[None]:
        """Whatever the model refuses meanwhile is this value's fault."""
        try:
            yield
        except BadFile:
            raise
        except (BadInput, ValueError) as why:
            raise self.wrong(str(why)) from why

    # Mappings

    def mapping(self) -> dict[str, Any]:
        if not isinstance(self.value, dict):
            raise self.expected("a mapping")
        return self.value

    def only(self, allowed: Iterable[str]) -> None:
        """Refuse keys that mean nothing here."""
        known = set(allowed)
        for key in self.mapping():
            if key not in known:
                raise self.wrong(f"unknown key {shown(key)}; {did_you_mean(key, known)}")

    def __getitem__(self, key: str) -> Node:
        mapping = self.mapping()
        if mapping.get(key) is None:
            raise self.wrong(f"there is no {shown(key)}, which is needed here")
        return Node(self.path, mapping[key], self, key)

    def get(self, key: str) -> Node | None:
        """The value under `key`, None where there is none or it is null."""
        value = self.mapping().get(key)
        return None if value is None else Node(self.path, value, self, key)

    def members(self) -> list[tuple[str, Node]]:
        """Keys and values of a mapping, in the file's order."""
        return [(key, Node(self.path, value, self, key)) for key, value in self.mapping().items()]

    # Lists

    def elements(self, limit: int = MAX_PARTS) -> list[Node]:
        """The values of a list, in order."""
        if not isinstance(self.value, list):
            raise self.expected("a list")
        within(self.path, self.place, "entries", len(self.value), limit)
        return [Node(self.path, value, self, number) for number, value in enumerate(self.value)]

    def names(self) -> tuple[str, ...]:
        """A list of parts' names, each once."""
        names = tuple(element.name() for element in self.elements())
        if len(set(names)) < len(names):
            raise self.wrong("names a part twice")
        return names

    def numbers(self, count: int, limit: float = MAX_COORDINATE) -> list[float]:
        """A list of so many finite numbers."""
        if not isinstance(self.value, list) or len(self.value) != count:
            raise self.expected(f"{count} numbers")
        return [element.number(-limit, limit) for element in self.elements()]

    def wholes(self, count: int, low: int, high: int) -> list[int]:
        """A list of so many whole numbers."""
        if not isinstance(self.value, list) or len(self.value) != count:
            raise self.expected(f"{count} whole numbers")
        return [element.whole(low, high) for element in self.elements()]

    def table(self, columns: int, limit: float = MAX_COORDINATE) -> Array:
        """A list of rows of so many finite numbers, as an array (rows, columns)."""
        if not isinstance(self.value, list) or not self.value:
            raise self.expected(f"a list of rows of {columns} numbers")
        for number, row in enumerate(self.value):
            plain = isinstance(row, list) and len(row) == columns
            if not plain or not all(type(v) in (int, float) and -limit <= v <= limit for v in row):
                Node(self.path, row, self, number).numbers(columns, limit)
        return np.array(self.value, dtype=np.float64)

    # Scalars

    def text(self) -> str:
        if not isinstance(self.value, str):
            raise self.expected("text")
        return self.value

    def word(self, allowed: tuple[Any, ...]) -> Any:
        """One of the words that are allowed here."""
        value = self.text()
        if value not in allowed:
            raise self.wrong(f"found {shown(value)}; {did_you_mean(value, allowed)}")
        return value

    def name(self) -> str:
        """A part's name: printable text that is not empty; a whole number counts as its digits."""
        if type(self.value) is int:
            return str(self.value)
        if not isinstance(self.value, str) or not 0 < len(self.value) <= MAX_NAME or not self.value.isprintable():
            raise self.expected(f"a name of 1 to {MAX_NAME} printable characters (quote one that looks like a number)")
        return self.value

    def key_name(self) -> str:
        """The key it stands under, as a part's name."""
        return Node(self.path, self.key, self.parent, self.key).name()

    def flag(self) -> bool:
        if not isinstance(self.value, bool):
            raise self.expected("true or false")
        return self.value

    def number(self, low: float = -MAX_COORDINATE, high: float = MAX_COORDINATE) -> float:
        """A finite number from `low` to `high`."""
        if type(self.value) not in (int, float) or not low <= self.value <= high:  # rejects NaN too
            raise self.expected(f"a number from {low:g} to {high:g}")
        return float(self.value)

    def positive(self) -> float:
        """A number above zero."""
        if type(self.value) not in (int, float) or not 0 < self.value <= MAX_COORDINATE:
            raise self.expected(f"a number above 0, at most {MAX_COORDINATE:g}")
        return float(self.value)

    def whole(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`; 3.0 counts as one."""
        value = self.value
        if type(value) is float and value.is_integer():
            value = int(value)
        if type(value) is not int or not low <= value <= high:
            raise self.expected(f"a whole number from {low} to {high}")
        return int(value)


def described(value: object) -> str:
    """What a complaint calls a value that a file holds."""
    match value:
        case dict():
            return "a mapping"
        case list():
            return f"a list of {len(value)}"
        case None:
            return "nothing"
        case str():
            return shown(value[:100])
    return shown(value)
