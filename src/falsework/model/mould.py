"""Parts that are no boxes on a stud grid: a number, and where studs and holes are, in any direction."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from falsework.model.arrays import Array, freeze
from falsework.model.shapes import Mesh
from falsework.model.travel import MadeAnew


def _none() -> Array:
    return np.zeros((0, 6))


@dataclass(frozen=True, slots=True, eq=False)
class Mould(MadeAnew):
    """What parts of one number share besides their solid: fittings by which they hold each other, and their looks.

    A fitting is six numbers in the part's frame: a point (m), then a unit vector. Of a stud or a pin it is the middle
    of its base and where it points; of a hole or a bore the middle of its mouth and which way that opens. A rod is an
    axle: its middle, and half of its length along its axis. Solids are filled where real parts are hollow, so that
    what else reaches into them says nothing.

    >>> Mould("4070", "Brick 1 x 1 with Headlight", studs=[[0, 0, 0, 0, 0, 1]]).studs.shape
    (1, 6)
    """

    number: str
    title: str = ""
    studs: Array = field(default_factory=_none)  # (n, 6)
    holes: Array = field(default_factory=_none)  # (n, 6) that take studs
    pins: Array = field(default_factory=_none)  # (n, 6)
    bores: Array = field(default_factory=_none)  # (n, 6) that take pins and axles
    rods: Array = field(default_factory=_none)  # (n, 6) middle, and half of an axle
    looks: Mesh | None = None  # what pictures show, in the part's frame; None: the solid and its studs

    def __post_init__(self) -> None:
        for name in FITTINGS:
            if not len(getattr(self, name)):
                object.__setattr__(self, name, _none())
        freeze(self, **dict.fromkeys(FITTINGS, (None, 6)))
        for name in ("studs", "holes", "pins", "bores"):
            rows = getattr(self, name)
            if not (np.isfinite(rows).all() and np.allclose((rows[:, 3:] ** 2).sum(axis=1), 1.0, atol=1e-6)):
                raise ValueError(f"{name}: expected finite points, each with a unit vector after it")

    @property
    def has_fittings(self) -> bool:
        return any(len(getattr(self, name)) for name in FITTINGS)


FITTINGS = ("studs", "holes", "pins", "bores", "rods")
