"""Surfaces that a triangulation stands for: what CAD files say of faces, and what is recognised in meshes.

Triangles are inscribed or cut across; a primitive says where the surface truly is. All is in the part's frame.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from falsework.model.arrays import Array, Ints, freeze, freeze_ints
from falsework.model.travel import MadeAnew

PrimitiveKind = Literal["plane", "cylinder", "cone", "sphere", "torus"]
UNIT = 1e-6  # how far the length of an axis may be from one


@dataclass(frozen=True, slots=True, eq=False)
class Primitive(MadeAnew):
    """One analytic surface, unbounded: the triangles that belong to it say how far it reaches, and which side is out.

    | kind | origin_m | axis | radius_m | minor_radius_m | half_angle |
    |---|---|---|---|---|---|
    | plane | a point of it | normal, either way | | | |
    | cylinder | a point of the axis | along the axis | of the cylinder | | |
    | cone | the apex | from the apex into the cone | | | between axis and surface, rad |
    | sphere | the centre | any | of the sphere | | |
    | torus | the centre | normal of the ring's plane | of the ring | of the tube | |

    Lengths in m, in the part's frame.

    >>> Primitive("cylinder", [0, 0, 0], [0, 0, 1], radius_m=0.005).radius_m
    0.005
    """

    kind: PrimitiveKind
    origin_m: Array  # (3,)
    axis: Array  # (3,) unit
    radius_m: float = 0.0
    minor_radius_m: float = 0.0
    half_angle: float = 0.0

    def __post_init__(self) -> None:
        freeze(self, origin_m=(3,), axis=(3,))
        if not (np.isfinite(self.origin_m).all() and abs(float(np.linalg.norm(self.axis)) - 1.0) <= UNIT):
            raise ValueError(f"expected a finite origin and an axis of length one, found {self.axis.tolist()}")
        needed = {
            "plane": (),
            "cylinder": (self.radius_m,),
            "cone": (self.half_angle,),
            "sphere": (self.radius_m,),
            "torus": (self.radius_m, self.minor_radius_m),
        }
        if self.kind not in needed:
            raise ValueError(f"expected one of {', '.join(needed)}, found {self.kind!r}")
        if not all(0 < size < math.inf for size in needed[self.kind]) or not self.half_angle < math.pi / 2:
            raise ValueError(f"expected a {self.kind} of positive radii, of a half angle below a right one")


@dataclass(frozen=True, slots=True, eq=False)
class Primitives(MadeAnew):
    """Which surface each triangle of a mesh stands for.

    >>> Primitives((Primitive("plane", [0, 0, 0], [0, 0, 1]),), [0, 0, -1]).of_triangle.tolist()
    [0, 0, -1]
    """

    all: tuple[Primitive, ...]
    of_triangle: Ints  # (m,) index into `all`; −1 where none is known

    def __post_init__(self) -> None:
        object.__setattr__(self, "all", tuple(self.all))
        freeze_ints(self, of_triangle=(None,))
        if self.of_triangle.min(initial=0) < -1 or self.of_triangle.max(initial=-1) >= len(self.all):
            raise ValueError(f"expected numbers of {len(self.all)} primitives, or -1")

    def chosen(self, triangles: Ints) -> Primitives:
        """The same for some triangles, by their numbers (k,) and in that order; −1 is a triangle that is new."""
        known = np.append(self.of_triangle, -1)  # which −1 picks
        return Primitives(self.all, known[triangles])
