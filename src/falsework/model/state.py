"""A state of an assembly under construction: which parts are there, and which of them are held."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Load
from falsework.model.errors import BadInput
from falsework.model.given import Names


@dataclass(frozen=True, slots=True)
class State:
    """Bit masks over `Assembly.bodies`; gravity and loads where they differ from the assembly's own.

    Fixed parts are always installed and never need holding. A held part is one a hand can put any wrench on. Gravity is
    in m/s², world axes.

    >>> from falsework import load
    >>> arch = load("examples/arch.yaml")
    >>> state = State.complete(arch, absent="keystone")
    >>> arch.named(state.free(arch))[4:7]
    ('stone-5', 'stone-7', 'stone-8')
    """

    installed: int
    held: int = 0
    gravity: tuple[float, float, float] | None = None
    loads: tuple[Load, ...] | None = None

    def __post_init__(self) -> None:
        if self.installed < 0 or self.held & ~self.installed:
            raise BadInput("a state can only hold parts that are installed")

    @staticmethod
    def complete(assembly: Assembly, held: int | Names = 0, absent: int | Names = 0) -> State:
        """Every part in place, but for `absent`; parts as bit masks or by name."""
        gone, in_hand = (given if isinstance(given, int) else assembly.mask(given) for given in (absent, held))
        if gone & assembly.fixed_mask():
            names = ", ".join(assembly.named(gone & assembly.fixed_mask()))
            raise BadInput(f"fixed parts cannot be absent: {names}")
        return State((1 << len(assembly.bodies)) - 1 & ~gone, in_hand)

    def gravity_of(self, assembly: Assembly) -> Array:
        return assembly.gravity if self.gravity is None else np.array(self.gravity)

    def loads_of(self, assembly: Assembly) -> tuple[Load, ...]:
        return assembly.loads if self.loads is None else self.loads

    def free(self, assembly: Assembly) -> int:
        """Parts that must find their own balance."""
        return self.installed & ~self.held & ~assembly.fixed_mask()
