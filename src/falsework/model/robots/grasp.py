"""How a tool takes a part: where on it, how wide, how hard, and how much of that is spare."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

from falsework.model.arrays import Array, freeze
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.poses import is_rigid
from falsework.model.travel import MadeAnew

GripKind = Literal["pinch", "suction", "studs"]
GRIP_KINDS: tuple[GripKind, ...] = get_args(GripKind)


@dataclass(frozen=True, slots=True, eq=False)
class Grasp(MadeAnew):
    """A tool on a part. z of the tool point is the way the hand comes, fingers close along its y.

    `margin`: how many times the load that it must bear the grip could bear; a grasp below 1 slips.

    >>> import numpy as np
    >>> Grasp("keystone", "pinch", np.eye(4), 0.04, 0.06, 30.0, 2.5).margin
    2.5
    """

    part: str
    kind: GripKind
    T_part_tool: Array  # (4, 4) the tool point in the part's frame
    opening_m: float  # between the fingers while they hold; 0 for suction and studs
    open_m: float  # between them as the hand comes and leaves
    force_n: float  # the grip: squeeze of the fingers, pull of the cup, hold of the studs
    margin: float

    def __post_init__(self) -> None:
        freeze(self, T_part_tool=(4, 4))
        what = f"grasp of {shown(self.part)}"
        if self.kind not in GRIP_KINDS:
            raise BadInput(f"{what}: kind {shown(self.kind)}: {did_you_mean(self.kind, GRIP_KINDS)}")
        if not is_rigid(self.T_part_tool):
            raise BadInput(f"{what}: its pose is not a rotation and a translation of finite numbers")
        for name in ("opening_m", "open_m", "force_n", "margin"):
            if not 0 <= getattr(self, name) < math.inf:
                raise BadInput(f"{what}: {name}: found {shown(getattr(self, name))}, expected a number from 0 upwards")
