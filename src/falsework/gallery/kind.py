"""What the gallery says about one kind of assembly: how to make it, and what is true of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, did_you_mean, shown

Value = int | float


@dataclass(frozen=True, slots=True)
class Parameter:
    """A number that shapes an assembly; a whole default makes it a whole number.

    >>> Parameter("stones", 9, "", "of the arch", 3, 99).checked("arch", 11)
    11
    """

    name: str
    default: Value
    unit: str
    meaning: str
    low: Value
    high: Value

    def checked(self, kind: str, value: object) -> Value:
        """`value` as this parameter takes it; anything else is bad input."""
        whole = isinstance(self.default, int)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and self.low <= value <= self.high:
            if not whole:
                return float(value)
            if value == int(value):
                return int(value)
        wanted = f"a {'whole ' if whole else ''}number from {self.low:g} to {self.high:g}"
        raise BadInput(f"{kind}: {self.name}: found {shown(value)}, expected {wanted}")


@dataclass(frozen=True, slots=True)
class Truth:
    """What is known of an assembly before anything is computed, and why.

    `stands` is about equilibrium: rigid blocks with the assembly's friction, bricks with their clutches. `coupled`
    is what coupled rigid-block analysis says, which also asks where the forces would come from; the same unless it
    is declared. `hands`: the fewest, the carrying one included, with which an order of single parts along straight
    paths builds it, bricks joined apart counting as one part, and `building` why. None: not known beforehand.

    >>> Truth(True, "by hand").stands
    True
    """

    stands: bool | None
    why: str
    coupled: bool | None = None
    hands: int | None = None
    building: str = ""
    unbuildable: str = ""  # why no order of single parts builds it


@dataclass(frozen=True, slots=True)
class Kind:
    """One entry of the gallery. `build` takes the parameters by name, after a generator if it is seeded.

    >>> from falsework.gallery import kind_named
    >>> [parameter.name for parameter in kind_named("semicircular-arch").parameters][:1]
    ['stones']
    """

    name: str
    description: str
    parameters: tuple[Parameter, ...]
    build: Callable[..., Assembly]
    truth: Callable[..., Truth]
    seeded: bool = False
    knob: str = ""  # the whole parameter that a structure's utilisation grows with, where there is one

    def values(self, given: Mapping[str, object]) -> dict[str, Value]:
        """Every parameter's value: the given one, else the default."""
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in given:
            if name not in known:
                hint = did_you_mean(name, known) if known else "it has none"
                raise BadInput(f"{self.name}: unknown parameter {shown(name)}; {hint}")
        return {name: one.checked(self.name, given.get(name, one.default)) for name, one in known.items()}


def always(truth: Truth) -> Callable[..., Truth]:
    """A truth that does not depend on the parameters."""

    def declared(**_: Value) -> Truth:
        return truth

    return declared
