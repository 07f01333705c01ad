"""Studs that are in their holes only partly: dry friction between two bodies, as much as it takes to move them.

A grip is seven tendons from one body to the other, four along the studs and three across, each with its share of the
friction: whatever the relative motion, it starts when the force passes the grip, and ends when it falls below.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from falsework.engine.handles import OURS
from falsework.model.arrays import Array, freeze

FAR_M = 0.01  # length of the tendons: longer ones drift where bodies turn, shorter ones turn where bodies slide
# Where on the rectangle of studs, −1 to 1 in x and y, along which axis, and the share of the friction.
TENDONS = (
    *((x, y, 2, 1 / 4) for x in (-1, 1) for y in (-1, 1)),
    *((0, -1, 0, 1 / 2), (0, 1, 0, 1 / 2), (0, 0, 1, 1.0)),
)


@dataclass(frozen=True, slots=True, eq=False)
class Grip:
    """Between two parts: the rectangle of studs that are in holes, in the frame of the first, whose z is along them."""

    first: int
    second: int
    ends_m: Array  # (2, 3) opposite corners
    force_n: float  # along the studs, and across them

    def __post_init__(self) -> None:
        freeze(self, ends_m=(2, 3))


Place = Callable[[int, Array], tuple[Any, Array]]


def add_grip(spec: Any, grip: Grip, number: int, T_first_second: Array, place: Place, step_s: float) -> None:
    """`place` gives the engine's body of a part, and where a point of the part's frame is in the body's."""
    back = np.linalg.inv(T_first_second)
    middle, half = grip.ends_m.mean(axis=0), (grip.ends_m[1] - grip.ends_m[0]) / 2
    for count, (x, y, axis, share) in enumerate(TENDONS):
        here, name = middle + half * (x, y, 0.0), f"{OURS}grip {number} {count}"
        body, far = place(grip.first, here - FAR_M * np.eye(3)[axis])
        body.add_site(name=f"{name} far", pos=far)
        body, near = place(grip.second, back[:3, :3] @ here + back[:3, 3])
        body.add_site(name=f"{name} near", pos=near)
        tendon = spec.add_tendon(name=name, frictionloss=share * grip.force_n)
        tendon.solref_friction = (2.0 * step_s, 1.0)
        tendon.solimp_friction = (0.9999, 0.9999, 1e-3, 0.5, 2.0)
        tendon.wrap_site(f"{name} far")
        tendon.wrap_site(f"{name} near")


def let_go(model: Any, number: int) -> None:
    """End a grip in a scene that was made with it."""
    for count in range(len(TENDONS)):
        model.tendon_frictionloss[model.tendon(f"{OURS}grip {number} {count}").id] = 0.0
