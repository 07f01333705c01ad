"""What can go wrong, and who is to blame.

    FalseworkError
    ├── BadInput            the question makes no sense: a file, a value, an option (exit 2)
    │   ├── BadFile         … and it came from this place of this file
    │   ├── BadPart         … and it is this field of this part
    │   └── Overlap         … two parts share space
    ├── MissingExtra        a room of the house is not installed here (exit 2)
    └── Undecided           time, budget or numerics ran out (exit 3)

"It falls" is a result, not an error. Messages say what came, what was allowed and what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

MOST_CHOICES = 20  # that a message lists


class FalseworkError(Exception):
    """Base of everything this package raises on purpose.

    >>> issubclass(BadInput, FalseworkError) and issubclass(Undecided, FalseworkError)
    True
    """

    def __reduce__(self) -> tuple[Any, ...]:
        """Errors travel between processes with all they say, whatever they were made from."""
        return _raised_elsewhere, (type(self), self.args, self.__dict__)


class BadInput(FalseworkError):
    """The question makes no sense.

    >>> import falsework
    >>> try:
    ...     falsework.check("examples/arch.yaml", absent="keystne")
    ... except falsework.BadInput as why:
    ...     print(why)
    there is no part 'keystne'; did you mean 'keystone'?
    """


class BadFile(BadInput):
    """A file says something it should not: which file, where in it, what was found, what was expected.

    >>> why = BadFile("a.yaml", "parts[3].mass_kg", "found -1, expected a positive number")
    >>> why.place, str(why)
    ('parts[3].mass_kg', 'a.yaml: parts[3].mass_kg: found -1, expected a positive number')
    """

    def __init__(self, path: object, place: str, problem: str) -> None:
        self.path, self.place, self.problem = str(path), place, problem
        super().__init__(": ".join(one_line(piece) for piece in (self.path, place, problem) if piece))


class BadPart(BadInput):
    """A part has a field that no part can have.

    >>> str(BadPart("stone", "mass_kg", -1, "a positive number"))
    "part 'stone': mass_kg: found -1, expected a positive number"
    """

    def __init__(self, part: str, field: str, found: object, expected: str) -> None:
        self.part, self.field, self.found, self.expected = part, field, found, expected
        super().__init__(f"part {shown(part)}: {field}: found {shown(found)}, expected {expected}")


class Overlap(BadInput):
    """Two parts share space: by how much, and how to accept it.

    `depth_m` is how deep, `allowed_m` what was accepted.

    >>> Overlap("a", "b", 0.002, 0.0).depth_m
    0.002
    """

    def __init__(self, first: str, second: str, depth_m: float, allowed_m: float) -> None:
        self.first, self.second, self.depth_m, self.allowed_m = first, second, depth_m, allowed_m
        super().__init__(
            f"parts {shown(first)} and {shown(second)} overlap by {depth_m:.3g} m, allowed {allowed_m:.3g} m; "
            f"move them apart or accept it with --allow-overlap {depth_m * 1.01:.3g}"
        )


class MissingExtra(FalseworkError):
    """An optional library is not installed.

    >>> str(MissingExtra("mujoco", "engine"))
    "this needs mujoco, which is not installed: pip install 'falsework[engine]'"
    """

    def __init__(self, library: str, extra: str) -> None:
        self.library, self.extra = library, extra
        super().__init__(f"this needs {library}, which is not installed: pip install 'falsework[{extra}]'")


class Undecided(FalseworkError):
    """Time, budget or numerics ran out before an answer was certain.

    >>> issubclass(Undecided, BadInput)  # nothing was wrong with the question
    False
    """


def one_line(text: object) -> str:
    """`text` on one line, whatever a file put in it: control characters become escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(text))


def shown(value: object, limit: int = 60) -> str:
    """A value as a message shows it: quoted, on one line, cut when long."""
    try:
        text = one_line(repr(value))
    except ValueError:  # an integer too long for Python to print
        text = f"a {type(value).__name__} too long to print"
    return text if len(text) <= limit else text[: limit - 1] + "…"


def did_you_mean(word: object, allowed: Iterable[str]) -> str:
    """The tail of a message about an unknown word: the nearest allowed one, or all of them, or some of very many."""
    choices = sorted(allowed)
    near = nearest(str(word), choices)
    if near is not None:
        return f"did you mean {near!r}?"
    more = f", … ({len(choices)} in all)" if len(choices) > MOST_CHOICES else ""
    return f"expected one of: {', '.join(choices[:MOST_CHOICES])}{more}"


def nearest(word: str, choices: Iterable[str]) -> str | None:
    """The word that was most likely meant: the nearest one, or the only one that begins so; None where none is near."""
    known = list(choices)
    near = difflib.get_close_matches(word, known, n=1)
    begun = [choice for choice in known if word and choice.lower().startswith(word.lower())]
    return near[0] if near else begun[0] if len(begun) == 1 else None


def _raised_elsewhere(kind: type[FalseworkError], args: tuple[Any, ...], told: dict[str, Any]) -> FalseworkError:
    error = kind.__new__(kind, *args)
    error.__dict__.update(told)
    return error
