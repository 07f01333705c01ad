"""Sweeps: `new:KIND{n=3..40,seed=0..99}` over the gallery, `mu=0.3,0.5` over options."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from falsework.batch.inputs.sources import MadeSource
from falsework.gallery import kind_named
from falsework.model.errors import BadInput, did_you_mean, shown

GALLERY = "new:"
MOST_VALUES = 10_000_000  # of one sweep
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})(?:\.\.({_NUMBER}))?")
Options = dict[str, Any]  # by the name that the command line has, without dashes


def gallery_sweep(text: str) -> Iterator[MadeSource]:
    """Every assembly that `new:KIND{name=FIRST..LAST,…}` stands for, the last parameter fastest.

    A value is a number, several with | between them, or a range FIRST..LAST[..STEP] that has both its ends. Where a
    kind has no parameter n, n is its first.

    >>> [source.name for source in gallery_sweep("new:random-bricks{bricks=2|5,seed=0..1}")][:3]
    ['new:random-bricks{bricks=2,seed=0}', 'new:random-bricks{bricks=2,seed=1}', 'new:random-bricks{bricks=5,seed=0}']
    """
    found = re.fullmatch(r"new:([\w-]+)(?:\{(.*)\})?", text, re.DOTALL)
    if found is None:
        hint = "; quote it, or the shell takes the braces apart" if "=" in text else ""
        raise BadInput(f"found {shown(text)}, expected new:KIND or new:KIND{{n=3..40,seed=0..99}}{hint}")
    kind = kind_named(found[1])
    known = {one.name: one for one in kind.parameters}
    names, ranges = [], []
    for word in filter(None, (found[2] or "").split(",")):
        name, equals, values = word.partition("=")
        if not equals:
            raise BadInput(f"{text}: found {shown(word)}, expected NAME=VALUE or NAME=FIRST..LAST")
        if name == "n" and name not in known and known:
            name = kind.parameters[0].name
        if name not in known and not (name == "seed" and kind.seeded):
            raise BadInput(
                f"{text}: unknown parameter {shown(name)}; {did_you_mean(name, _settable(known, kind.seeded))}"
            )
        names.append(name)
        ranges.append(_values(text, values))
        for value in (ranges[-1][0], ranges[-1][-1]):  # what is between two values that a kind takes, it takes too
            if name == "seed":
                if value != int(value) or value < 0:
                    raise BadInput(f"{text}: seed: found {value:g}, expected a whole number that is 0 or more")
            else:
                known[name].checked(kind.name, value)
    if len(set(names)) < len(names):
        raise BadInput(f"{text}: a parameter is given twice")
    for chosen in itertools.product(*ranges):
        yield MadeSource(kind.name, tuple(zip(names, chosen, strict=True)))


def _settable(known: Mapping[str, object], seeded: bool) -> list[str]:
    return [*known, *(["seed"] if seeded else [])]


class _Range(Sequence[float]):
    """Numbers from first to last; none of them is stored."""

    def __init__(self, first: float, step: float, count: int) -> None:
        self._first, self._step, self._count = first, step, count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: Any) -> Any:
        if not -self._count <= place < self._count:
            raise IndexError(place)
        value = self._first + self._step * (place % self._count)
        return int(value) if value == int(value) else round(value, 12)


def _values(text: str, given: str) -> Sequence[float]:
    """The numbers that a word stands for."""
    found = _RANGE.fullmatch(given)
    if found is None:
        try:
            numbers = [float(one) for one in given.split("|")]
        except ValueError:
            numbers = [float("nan")]
        if not all(abs(number) < 1e300 for number in numbers):
            raise BadInput(f"{text}: found {shown(given)}, expected a number, 3|5 or 3..40")
        return [int(number) if number == int(number) else number for number in numbers]
    first, last, step = float(found[1]), float(found[2]), float(found[3] or 1)
    if step <= 0 or last < first:
        raise BadInput(f"{text}: found {shown(given)}, expected FIRST..LAST or FIRST..LAST..STEP, upwards")
    count = int((last - first) / step + 1e-9) + 1
    if count > MOST_VALUES:
        raise BadInput(f"{text}: {given} are {count:,} values, the limit is {MOST_VALUES:,}")
    return _Range(first, step, count)


def option_sweep(given: Mapping[str, Any] | Sequence[str]) -> list[Options]:
    """Every choice of options that `--set` stands for: one of each, all together.

    A word is NAME=VALUE[,VALUE…]; values that have commas themselves are parted by semicolons.

    >>> option_sweep(["mu=0.3,0.5", "cone=8"])
    [{'cone': '8', 'mu': '0.3'}, {'cone': '8', 'mu': '0.5'}]
    """
    chosen: dict[str, list[Any]] = {}
    pairs = given.items() if isinstance(given, Mapping) else map(_pair, given)
    for name, values in pairs:
        word = name.lstrip("-").replace("_", "-")
        if word in chosen:
            raise BadInput(f"--set {word}: it is given twice; NAME=VALUE,VALUE tries both")
        chosen[word] = list(values) if isinstance(values, list | tuple) else [values]
    names = sorted(chosen)
    return [plain(dict(zip(names, values, strict=True))) for values in itertools.product(*map(chosen.get, names))]  # type: ignore[arg-type]


def _pair(word: str) -> tuple[str, list[str]]:
    name, equals, values = word.partition("=")
    if not name or not equals:
        raise BadInput(f"--set: found {shown(word)}, expected NAME=VALUE or NAME=VALUE,VALUE")
    parts = values.split(";") if ";" in values else values.split(",")
    kept = [one.strip() for one in parts if one.strip()]
    return name, kept or [""]


def plain(options: Mapping[str, Any]) -> Options:
    """Options as the command line would have them, in one order: what means the same is written the same way.

    >>> plain({"mu": 0.5, "regrasp": True, "allow_overlap": None})
    {'mu': '0.5', 'regrasp': True}
    """
    return {
        name.replace("_", "-"): _plain(name, value)
        for name, value in sorted(options.items())
        if value is not None and value is not False
    }


def _plain(name: str, value: Any) -> Any:
    if value is True or isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list | tuple):
        return [str(one) for one in value]
    raise BadInput(f"option {name}: found {shown(value)}, expected a number, a word or a list of them")
