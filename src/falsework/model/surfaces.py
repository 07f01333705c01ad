"""Surfaces that a part's triangles stand for: planes, cylinders, cones, spheres, tori and threads, as data.

A tessellated surface has its corners on the true one. What is known of the true one, from a file that says so or from
the triangles themselves (`geometry/surfaces/recognition.py`), is a `Primitive`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from falsework.model.arrays import Array, Ints, freeze, freeze_ints
from falsework.model.travel import MadeAnew

PrimitiveKind = Literal["plane", "cylinder", "cone", "sphere", "torus", "thread"]


@dataclass(frozen=True, slots=True, eq=False)
class Primitive(MadeAnew):
    """One surface of a part, in the part's frame, m and rad, with the triangles that stand for it.

    plane     `point` on it, `axis` its normal, out of the material
    cylinder  `point` on its axis, `radius_m`
    cone      `point` its apex, `axis` from the apex into the cone, `half_angle_rad`
    sphere    `point` its centre, `radius_m`
    torus     `point` its centre, `axis` through its hole, `ring_m` the radius of the circle in its middle, `radius_m`
              that of its tube
    thread    a flank: it climbs `pitch_m` along the axis a turn (negative: a left-hand thread) and `slope` for each
              metre of radius. From `point` on its axis turns are measured as `geometry/surfaces/helicoids.py` says

    `convex`: the material is inside, as that of a shaft is; outside it of a hole. Of a thread: its normals go up the
    axis.

    >>> Primitive("sphere", (0, 0, 1), (0, 0, 1), np.arange(80), radius_m=0.5).kind
    'sphere'
    """

    kind: PrimitiveKind
    point: Array  # (3,)
    axis: Array  # (3,) unit
    triangles: Ints  # (k,) numbers of the triangles of the part's surface
    radius_m: float = 0.0
    half_angle_rad: float = 0.0
    ring_m: float = 0.0
    pitch_m: float = 0.0
    slope: float = 0.0
    convex: bool = True

    def __post_init__(self) -> None:
        freeze(self, point=(3,), axis=(3,))
        freeze_ints(self, triangles=(None,))
        if not abs(float(np.linalg.norm(self.axis)) - 1) <= 1e-6:
            raise ValueError(f"expected an axis of length one, found {self.axis.tolist()}")
        if self.kind in ("cylinder", "sphere", "torus") and not self.radius_m > 0:
            raise ValueError(f"expected a radius above 0, found {self.radius_m}")
        if self.kind == "cone" and not 0 < self.half_angle_rad < 0.5 * np.pi:
            raise ValueError(f"expected a half angle between 0 and a right angle, found {self.half_angle_rad}")
