"""A tool at an arm's flange: where it grips, what it is made of, how wide it opens and how hard it holds.

The tool point is where things are gripped: its z axis points out of the tool, towards what is gripped; fingers close
along its y axis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from falsework.model.arrays import Array, freeze
from falsework.model.errors import BadInput, shown
from falsework.model.poses import is_rigid
from falsework.model.travel import MadeAnew

ToolKind = Literal["parallel", "suction", "stud"]
TOOL_KINDS: tuple[ToolKind, ...] = ("parallel", "suction", "stud")


@dataclass(frozen=True, slots=True, eq=False)
class ToolBody(MadeAnew):
    """A convex piece of a tool: the hull of its corners in the flange's frame, which move as the tool opens.

    >>> ToolBody("finger", [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]], [0, 0.5, 0]).at(0.04)[0].tolist()
    [0.0, 0.02, 0.0]
    """

    name: str
    corners_m: Array  # (n, 3) with the tool closed
    travel: Array  # (3,) how far they move for each metre that it opens

    def __post_init__(self) -> None:
        freeze(self, corners_m=(None, 3), travel=(3,))
        if len(self.corners_m) < 1 or not (np.isfinite(self.corners_m).all() and np.isfinite(self.travel).all()):
            raise BadInput(f"body {shown(self.name)} of a tool: expected corners that are finite")

    def at(self, opening_m: float) -> Array:
        """(n, 3) its corners when the tool is open so far."""
        placed: Array = self.corners_m + opening_m * self.travel
        return placed


@dataclass(frozen=True, slots=True, eq=False)
class Tool(MadeAnew):
    """What an arm grips with.

    Kinds: `parallel`, two fingers that close along y; `suction`, a cup that holds along z; `stud`, a plate with holes
    that takes a brick by its studs and lets go by a turn.

    >>> from falsework import tool_named
    >>> tool_named("panda-hand").opening_m
    (0.0, 0.08)
    """

    name: str
    kind: ToolKind
    T_flange_tool: Array  # (4, 4) the tool point
    bodies: tuple[ToolBody, ...]
    opening_m: tuple[float, float] = (0.0, 0.0)  # least and greatest distance between the fingers
    force_n: tuple[float, float] = (0.0, 0.0)  # least and greatest grip; suction and studs: the most they hold along z
    pad_m: tuple[float, float] = (0.0, 0.0)  # the face that grips: along x and along z (fingers), or along x and y
    friction: float = 0.5  # of its pads
    mass_kg: float = 0.0
    sources: tuple[tuple[str, str], ...] = ()
    unverified: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "bodies", tuple(self.bodies))
        freeze(self, T_flange_tool=(4, 4))
        what = f"tool {shown(self.name)}"
        if self.kind not in TOOL_KINDS:
            raise BadInput(f"{what}: found the kind {shown(self.kind)}, expected one of: {', '.join(TOOL_KINDS)}")
        if not is_rigid(self.T_flange_tool):
            raise BadInput(f"{what}: the frame of its tool point is not a rotation and a translation")
        for name in ("opening_m", "force_n", "pad_m"):
            low, high = getattr(self, name)
            if not (0 <= low < math.inf and 0 <= high < math.inf) or (name != "pad_m" and low > high):
                raise BadInput(f"{what}: {name}: found {low} to {high}, expected a range from 0 upwards")
        if not (0 <= self.mass_kg < math.inf and 0 < self.friction < math.inf):
            raise BadInput(f"{what}: found a mass of {self.mass_kg} kg and a friction of {self.friction}")

    def refuse_opening(self, opening_m: float) -> None:
        """BadInput if it does not open so far."""
        low, high = self.opening_m
        if not low <= opening_m <= high:
            raise BadInput(f"tool {shown(self.name)}: found the opening {opening_m} m, expected {low} to {high}")
