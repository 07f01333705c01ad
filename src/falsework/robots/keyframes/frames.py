"""A keyframe: one arm with one grasp at one part's place, how it gets there and away, and what must not be there.

Where the part cannot be taken by that grasp where it waits, a transfer comes between: it is put down on the table to be
taken anew, or given from hand to hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from falsework.model.arrays import Array
from falsework.model.robots.grasp import Grasp
from falsework.model.robots.tilting import UPRIGHT, Stance


@dataclass(frozen=True, slots=True, eq=False)
class Pick:
    """How an arm takes a part up with a grasp where it waits; masks are bits of the site."""

    feeder: str
    T_world_part: Array  # (4, 4)
    coming: Array  # (k, n) joints from above to the grasp, the hand open
    lifting: Array  # (k, n) from the grasp up, the part in the hand
    blockers: int  # what must not be there
    before: Transfer | None = None  # by which the part came to be where it is taken up


@dataclass(frozen=True, slots=True, eq=False)
class Transfer:
    """How an arm brings a part from where it waits to where it is taken by another grasp, or by another arm.

    `put`: it is put down on the table, and the hand goes away before the other comes. `give`: it is held in the air
    until the other hand holds it too; then this one goes away.
    """

    kind: Literal["put", "give"]
    arm: int
    grasp: Grasp
    pick: Pick  # where the part waits
    T_world_part: Array  # (4, 4) where it is put down, or held
    going: (
        Array  # (k, n) joints along the straight end of the way there, the part in the hand; one row where it is free
    )
    leaving: Array  # (k, n) from there straight back, the hand open
    blockers: int  # what must not be there, of all of this


@dataclass(frozen=True, slots=True, eq=False)
class Piecing:
    """How two arms put two bricks together in the air: one holds the lower, the other presses the upper on.

    Then the first lets go, and the other has both in its hand.
    """

    arm: int  # that holds the lower one
    part: int  # the lower one
    grasp: Grasp
    pick: Pick  # where it waits
    T_world_part: Array  # (4, 4) where it is held
    q: Array  # (n,) joints there
    leaving: Array  # (k, n) from there straight back, the hand open
    coming: Array  # (k, n) joints of the other arm, which brings the upper one from above
    T_world_upper: Array  # (4, 4) where that is then
    blockers: int  # what must not be there, of all of this


@dataclass(frozen=True, slots=True, eq=False)
class Keyframe:
    """An arm that places, holds and leaves a part with one grasp and one branch of its joints.

    Or, `in_place`, takes hold of one that is there already: then it comes with its fingers open, without the part.
    Masks are bits of the site: what must not be there while it comes, stays and leaves.
    """

    number: int
    part: int
    arm: int
    grasp: Grasp
    coming: Array  # (k, n) joints along the end of the part's path, the part in the hand
    leaving: Array  # (k, n) from there straight back, the hand open
    T_world_part: Array  # (k, 4, 4) the part as it comes
    blocks_coming: int
    blocks_staying: int
    blocks_leaving: int
    picks: tuple[Pick, ...]
    turned: Stance = UPRIGHT  # how the turntable stands
    lower: int | None = None  # the part that comes with it, hanging from it
    piecings: tuple[Piecing, ...] = ()  # by which the two were put together
    in_place: bool = False  # it does not bring the part

    @property
    def q(self) -> Array:
        """(n,) joints at the place."""
        joints: Array = self.coming[-1]
        return joints
