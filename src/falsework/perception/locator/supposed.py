"""A brick that may lie somewhere, and what the pixels say about it."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from falsework.model.arrays import Array
from falsework.model.catalogue import BrickType
from falsework.model.perception.findings import Brick, Extent
from falsework.perception.locator.aligning import Aligned
from falsework.perception.locator.solids import footprint

_FITS_PX = 0.5  # an outline that misses by less fits


@dataclass(slots=True)
class Supposed:
    """A brick that may lie there, and what the pixels say about it."""

    kind: BrickType
    label: int
    T_base_brick: Array  # (4, 4)
    aligned: Aligned
    shows: npt.NDArray[np.int64]  # pixels, numbered over all views
    against: float
    hidden: float
    dim: float  # in the shade, or of the floor's colour: they may show it or not
    total: float  # pixels it would have alone
    off_m: float  # depth of its top, observed less drawn
    corners_m: Array = field(init=False)  # (4, 2) of its footprint
    middle_m: tuple[float, float] = field(init=False)  # of its footprint
    yaw: float = field(init=False)  # rad

    def __post_init__(self) -> None:
        self.corners_m = footprint(self.kind, self.T_base_brick)
        x, y = (self.corners_m[0] + self.corners_m[2]) / 2
        self.middle_m = float(x), float(y)
        self.yaw = math.atan2(self.T_base_brick[1, 0], self.T_base_brick[0, 0])

    @property
    def bottom_m(self) -> float:
        return float(self.T_base_brick[2, 3])

    @property
    def top_m(self) -> float:
        return self.bottom_m + self.kind.size_m[2]

    @property
    def worth(self) -> float:
        return len(self.shows) - 2.0 * self.against

    @property
    def dim_share(self) -> float:
        """Of the pixels that are not hidden, nor at its rim."""
        return self.dim / max(self.dim + self.against + len(self.shows), 1.0)

    @property
    def misfit(self) -> float:
        """What of its outline is beside the picture's, in pixels."""
        return self.aligned.points * max(0.0, self.aligned.miss_px**2 - _FITS_PX**2) if self.aligned.points else 0.0

    @property
    def extent(self) -> Extent:
        """The room that it takes up, studs included, as high as it is seen."""
        length, width, height = self.kind.size_m
        return Extent(
            self.T_base_brick, (length, width, height + self.kind.measures.stud_height_m + max(-self.off_m, 0.0))
        )

    def as_brick(self, color: str) -> Brick:
        return Brick(self.kind, color, self.T_base_brick)


def same_place(one: Supposed, other: Supposed, pitches: float, degrees: float) -> bool:
    """Whether two of one kind lie at nearly one place, by any turn that does not show."""
    level = 0.5 * one.kind.measures.stud_height_m  # a loose brick lies a stud's height above a pressed one
    if one.kind != other.kind or one.label != other.label or abs(one.bottom_m - other.bottom_m) > level:
        return False
    reach = pitches * one.kind.measures.pitch_m
    if abs(one.middle_m[0] - other.middle_m[0]) > reach or abs(one.middle_m[1] - other.middle_m[1]) > reach:
        return False
    every = 360.0 if one.kind.family == "slope" else 90.0 if one.kind.length == one.kind.width else 180.0
    return abs((math.degrees(other.yaw - one.yaw) + every / 2) % every - every / 2) < degrees
