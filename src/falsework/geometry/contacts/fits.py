"""Shafts in holes, and other parts that share a little space: how they fit.

A shaft and a hole are a convex and a hollow cylinder about one axis that are beside each other along it. Their radii
are those of the true surfaces, which a file says or which are recognised, whatever facets stand for them.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import product
from typing import NamedTuple

import numpy as np

from falsework.geometry.contacts.grid_contacts import grid_groups
from falsework.geometry.contacts.keeping import kept_of
from falsework.geometry.contacts.overlap import sharings
from falsework.geometry.contacts.repeats import distinct
from falsework.geometry.shapes.placed_solids import Scene, scene
from falsework.geometry.shapes.solids import outer_surface
from falsework.geometry.surfaces.recognition import primitives_of
from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly
from falsework.model.fits import Fit
from falsework.model.part import Part
from falsework.model.shapes import BrickShape, Shape

ROUNDED = 1 + 1e-3  # depths are found by halving, and by other sums than distances of faces
PARALLEL = 2e-2  # rad between axes of a shaft and a hole
ALIKE = 5e-2  # of the radius of a hole: a shaft that is thinner or thicker by more is none of it
BESIDE = 1e-3  # of it: how far axes may be apart, beside the play


def fitted_scene(assembly: Assembly, groups: Ints) -> Scene:
    """The scene of an assembly in which faces of parts that share space touch as deep as these reach.

    Of pairs that are one pair, moved, it has the first: whoever finds something there owes `with_repeats`.
    """
    return _fitted_scene(assembly, np.asarray(groups, dtype=np.int64).tobytes())


@lru_cache(maxsize=2)  # all finders ask for the same, and remember what they found by it
def _fitted_scene(assembly: Assembly, groups_of: bytes) -> Scene:
    groups = np.frombuffer(groups_of, dtype=np.int64)
    placed = distinct(assembly, scene(assembly, groups))
    depths = {(one.first, one.second): one.depth_m for one in sharings(assembly, groups)}
    if not depths:
        return placed
    sunk = [ROUNDED * depths.get((a, b), 0.0) for a, b in placed.body[placed.pairs].tolist()]
    return replace(placed, sinks_m=np.maximum(placed.sinks_m, sunk))


def fits(assembly: Assembly) -> tuple[Fit, ...]:
    """How parts fit that enter each other, sorted by bodies: of each pair the tightest shaft and hole."""
    return kept_of(assembly, "fits", lambda: _fits(assembly))


def _fits(assembly: Assembly) -> tuple[Fit, ...]:
    groups = grid_groups(assembly)
    if not (groups < 0).any():
        return ()
    placed = scene(assembly, groups)
    names = [body.name for body in assembly.bodies]
    found: dict[tuple[int, int], Fit] = {}
    for (one, other), gap in zip(placed.body[placed.pairs].tolist(), placed.gaps_m.tolist(), strict=True):
        tightest = _tightest(assembly.bodies[one], assembly.bodies[other])
        if tightest is not None:
            play, diameter = tightest
            kind = "nominal" if abs(play) <= 2 * gap else "loose" if play > 0 else "press"
            found[one, other] = Fit(names[one], names[other], kind, play, diameter)  # type: ignore[arg-type]
    for sharing in sharings(assembly, groups):
        pair = sharing.first, sharing.second
        if pair not in found:
            found[pair] = Fit(names[pair[0]], names[pair[1]], "overlap", -sharing.depth_m)
    return tuple(found[pair] for pair in sorted(found))


class _Cylinder(NamedTuple):
    """One cylinder of a part, in the world."""

    point: Array  # (3,) on the axis
    axis: Array  # (3,) unit
    radius_m: float
    convex: bool
    ends: tuple[float, float]  # along the axis, from the point


def _tightest(one: Part, other: Part) -> tuple[float, float] | None:
    """The least play of a shaft of one in a hole of the other, and the diameter of that hole; None without any."""
    plays = []
    for first, second in product(_cylinders(one), _cylinders(other)):
        if first.convex != second.convex:
            shaft, hole = (first, second) if first.convex else (second, first)
            if _is_in(shaft, hole):
                plays.append((2 * (hole.radius_m - shaft.radius_m), 2 * hole.radius_m))
    return min(plays, default=None)


def _is_in(shaft: _Cylinder, hole: _Cylinder) -> bool:
    """Whether a shaft is in a hole."""
    play = abs(hole.radius_m - shaft.radius_m)
    if play > ALIKE * hole.radius_m or np.linalg.norm(np.cross(shaft.axis, hole.axis)) > PARALLEL:
        return False
    apart = shaft.point - hole.point
    along = float(apart @ hole.axis)
    sideways = float(np.linalg.norm(apart - along * hole.axis))
    if sideways > play + BESIDE * hole.radius_m:
        return False
    ends = sorted(along + end * float(np.sign(shaft.axis @ hole.axis)) for end in shaft.ends)
    return min(ends[1], hole.ends[1]) > max(ends[0], hole.ends[0])


def _cylinders(part: Part) -> list[_Cylinder]:
    """The cylinders of a part where it stands."""
    turn, shift = part.T_world_part[:3, :3], part.T_world_part[:3, 3]
    return [one._replace(point=turn @ one.point + shift, axis=turn @ one.axis) for one in _own_cylinders(part.shape)]


@lru_cache(maxsize=4096)
def _own_cylinders(shape: Shape) -> tuple[_Cylinder, ...]:
    """The same in the part's frame."""
    if isinstance(shape, BrickShape):
        return ()
    mesh = outer_surface(shape)
    found = []
    for surface in primitives_of(shape):
        if surface.kind == "cylinder":
            along = (mesh.vertices[mesh.triangles[surface.triangles]] - surface.point) @ surface.axis
            ends = float(along.min()), float(along.max())
            found.append(_Cylinder(surface.point, surface.axis, surface.radius_m, surface.convex, ends))
    return tuple(found)
