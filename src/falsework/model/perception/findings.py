"""What was seen: bricks with their poses, or why nothing is said; never a guess."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from falsework.model.arrays import Array, freeze
from falsework.model.catalogue import BrickType
from falsework.model.errors import BadInput
from falsework.model.poses import is_rigid
from falsework.model.travel import MadeAnew


@dataclass(frozen=True, slots=True, eq=False)
class Plate(MadeAnew):
    """A baseplate that lies where the cell says: what cameras are registered on.

    >>> from falsework.model.catalogue import brick_type
    >>> Plate(brick_type("duplo:baseplate_12x12"), np.eye(4)).kind.length
    12
    """

    kind: BrickType
    T_base_plate: Array  # (4, 4) of the catalogue's frame: its minimum corner, z up
    color: str | None = None

    def __post_init__(self) -> None:
        freeze(self, T_base_plate=(4, 4))
        if not is_rigid(self.T_base_plate) or self.T_base_plate[2, 2] < 0.999:
            raise BadInput("T_base_plate: found a plate that does not lie flat, expected one with its z axis up")


@dataclass(frozen=True, slots=True, eq=False)
class Workplace(MadeAnew):
    """What bricks lie on, in the base's frame: a table, and baseplates on it.

    >>> Workplace(table_m=0.0).plates
    ()
    """

    table_m: float | None = 0.0  # height of the table's top; None: there are only plates
    plates: tuple[Plate, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "plates", tuple(self.plates))
        if self.table_m is None and not self.plates:
            raise BadInput("a workplace needs a table or a baseplate, found neither")


@dataclass(frozen=True, slots=True, eq=False)
class Brick(MadeAnew):
    """A kind, a colour and a pose: what somebody supposes to lie there.

    >>> from falsework.model.catalogue import brick_type
    >>> Brick(brick_type("duplo:brick_2x2"), "red", np.eye(4)).middle_m.tolist()
    [0.016, 0.016, 0.0]
    """

    kind: BrickType
    color: str
    T_base_brick: Array  # (4, 4) of the catalogue's frame: minimum corner, z up

    def __post_init__(self) -> None:
        freeze(self, T_base_brick=(4, 4))

    @property
    def middle_m(self) -> Array:
        """(3,) the middle of its underside, in the base's frame."""
        length, width, _ = self.kind.size_m
        middle: Array = self.T_base_brick[:3, :3] @ np.array([length / 2, width / 2, 0.0]) + self.T_base_brick[:3, 3]
        return middle

    @property
    def yaw(self) -> float:
        """About z, in rad."""
        return float(np.arctan2(self.T_base_brick[1, 0], self.T_base_brick[0, 0]))


@dataclass(frozen=True, slots=True, eq=False)
class Located(Brick):
    """A brick that was found. Its yaw is that of the least turn among those that look alike: −90° to 90°, for
    square kinds −45° to 45°.
    """

    covariance: Array = field(default_factory=lambda: np.zeros((3, 3)))  # of x, y (m) of its middle and yaw (rad)
    seen: float = 1.0  # pixels that show it, as a share of those that would if nothing stood before it
    identity: int = -1  # of the same brick in later frames, where it is tracked

    def __post_init__(self) -> None:
        Brick.__post_init__(self)
        freeze(self, covariance=(3, 3))


@dataclass(frozen=True, slots=True, eq=False)
class Refused(MadeAnew):
    """Something lies there of which nothing is said: why, what it might be, and what would decide it."""

    why: str
    where_m: Array  # (3,) about its middle, in the base's frame
    rivals: tuple[tuple[Brick, ...], ...] = ()  # each a set of bricks that explains the picture as well
    decide: str = ""  # a view or a nudge that would tell them apart

    def __post_init__(self) -> None:
        freeze(self, where_m=(3,))
        object.__setattr__(self, "rivals", tuple(tuple(one) for one in self.rivals))


@dataclass(frozen=True, slots=True, eq=False)
class Sight(MadeAnew):
    """All that was made of frames of one moment."""

    found: tuple[Located, ...]
    refused: tuple[Refused, ...]
    T_base_cam: Array  # (n, 4, 4) where the cameras are, by what they see
    registered: tuple[bool, ...]  # whether a plate told so; otherwise only the table levelled it

    def __post_init__(self) -> None:
        freeze(self, T_base_cam=(None, 4, 4))
        object.__setattr__(self, "found", tuple(self.found))
        object.__setattr__(self, "refused", tuple(self.refused))
