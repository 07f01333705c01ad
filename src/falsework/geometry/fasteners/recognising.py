"""Fasteners of an assembly, and what each of them holds together: from shapes and places, never from names.

A rod is a pin, and a headed one a screw, if other parts lie around it; a ring is a nut or a washer if a screw runs
through it. What lies around a rod is what it holds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.geometry.fasteners.profiles import FastenerKind, Profile, profile_of
from falsework.geometry.fasteners.slices import RAYS, sliced
from falsework.geometry.shapes.solids import bulk, outer_surface
from falsework.model.arrays import Array, frozen
from falsework.model.assembly import Assembly
from falsework.model.shapes import Mesh, Shape
from falsework.model.travel import MadeAnew

LOOKS = 9  # heights along a rod at which one looks around
CLOSE = (0.78, 1.35)  # a hole around a rod, by the rod's radius; the thread of an M3 nut reaches in to 0.82
AROUND = 0.8  # of the directions that must meet the hole
ENGAGED = 0.3  # of a pin's length lies in holes
SMALL = 0.5  # a fastener's volume by that of the largest part it holds, at most
IN_LINE, PARALLEL = 0.25, 0.999  # a screw in a ring: its offset by the hole's radius, the cosine between the axes
THREAD = (0.7, 1.4)  # a screw's radius by that of the ring's hole
THROUGH = 0.5  # of a ring's height that the screw must fill


@dataclass(frozen=True, slots=True, eq=False)
class Fastener(MadeAnew):
    """A part that holds others together.

    `axis` is a unit vector in the world, of a screw from its head to its tip; `point_m` lies on it; `radius_m` is that
    of a shank or a hole; `clamps` the parts that it goes through, or that the screw in it does.
    """

    part: str
    kind: FastenerKind
    axis: Array  # (3,)
    point_m: Array  # (3,)
    radius_m: float
    clamps: tuple[str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "axis", frozen(self.axis, (3,)))
        object.__setattr__(self, "point_m", frozen(self.point_m, (3,)))


def fasteners(assembly: Assembly) -> tuple[Fastener, ...]:
    """The screws, nuts, pins and washers among the parts, in part order.

    >>> from falsework import gallery
    >>> [(one.part, one.kind) for one in fasteners(gallery.make("mortise-and-tenon"))]
    [('peg', 'pin')]
    """
    meshes = [_in_the_world(part.shape, part.T_world_part) for part in assembly.parts if not part.is_brick]
    names = [part.name for part in assembly.parts if not part.is_brick]
    low = np.array([mesh.vertices.min(axis=0) for mesh in meshes]).reshape(-1, 3)
    high = np.array([mesh.vertices.max(axis=0) for mesh in meshes]).reshape(-1, 3)
    rods: dict[int, tuple[Profile, frozenset[int]]] = {}
    rings: dict[int, Profile] = {}
    for number, mesh in enumerate(meshes):
        beside = np.flatnonzero(((low <= high[number]) & (high >= low[number])).all(axis=1))
        near = [int(other) for other in beside if other != number]
        profile = profile_of(mesh) if near else None
        if profile is None:
            continue
        if profile.kind in ("nut", "washer"):
            rings[number] = profile
        elif held := _held(profile, {other: meshes[other] for other in near}):
            rods[number] = profile, held
    kept = {number: rod for number, rod in rods.items() if _is_small(rod, meshes, rings)}
    return _told(names, kept, rings)


def _told(
    names: list[str], rods: dict[int, tuple[Profile, frozenset[int]]], rings: dict[int, Profile]
) -> tuple[Fastener, ...]:
    screws = {number: rod for number, rod in rods.items() if rod[0].kind == "screw"}
    mates = {ring: [n for n, (screw, _) in screws.items() if _runs_through(screw, p)] for ring, p in rings.items()}
    known = set(rods) | {ring for ring, through in mates.items() if through}
    found = {number: (profile, held - known) for number, (profile, held) in rods.items()}
    for ring, through in mates.items():
        if through:
            found[ring] = rings[ring], frozenset().union(*(found[screw][1] for screw in through))
    return tuple(
        Fastener(names[n], p.kind, p.axis, p.point, p.radius, tuple(names[k] for k in sorted(held)))
        for n, (p, held) in sorted(found.items())
    )


def _in_the_world(shape: Shape, T_world_part: Array) -> Mesh:
    mesh = outer_surface(shape)
    return Mesh(mesh.vertices @ T_world_part[:3, :3].T + T_world_part[:3, 3], mesh.triangles)


def _held(rod: Profile, others: dict[int, Mesh]) -> frozenset[int]:
    """The parts with a hole in which the rod is; none where too little of a pin is in any."""
    heights = rod.low + (rod.high - rod.low) * (np.arange(LOOKS) + 0.5) / LOOKS
    engaged, held = np.zeros(LOOKS, dtype=bool), set()
    for number, other in others.items():
        slices = sliced(other, rod.point, rod.axis, heights)
        near = (slices.inner >= CLOSE[0] * rod.radius) & (slices.inner <= CLOSE[1] * rod.radius)
        around = (near.sum(axis=1) >= AROUND * RAYS) & ~slices.solid
        if around.any():
            held.add(number)
            engaged |= around
    needed = ENGAGED * LOOKS if rod.kind == "pin" else 1
    return frozenset(held) if engaged.sum() >= needed else frozenset()


def _is_small(rod: tuple[Profile, frozenset[int]], meshes: list[Mesh], rings: dict[int, Profile]) -> bool:
    """Whether it is small by what it holds; a screw that has but nuts and washers on it need not be."""
    profile, held = rod
    if held <= rings.keys():
        return profile.kind == "screw"
    return profile.volume <= SMALL * max(bulk(meshes[number]).volume_m3 for number in held)


def _runs_through(screw: Profile, ring: Profile) -> bool:
    """Whether a screw is in the hole of a ring, over enough of its height."""
    if abs(screw.axis @ ring.axis) < PARALLEL or not THREAD[0] <= screw.radius / ring.radius <= THREAD[1]:
        return False
    apart = ring.point - screw.point
    along = float(apart @ screw.axis)
    if np.linalg.norm(apart - along * screw.axis) > IN_LINE * ring.radius:
        return False
    turned = 1.0 if screw.axis @ ring.axis > 0 else -1.0
    ends = sorted(along + turned * end for end in (ring.low, ring.high))
    common = min(ends[1], screw.high) - max(ends[0], screw.low)
    return common >= THROUGH * (ends[1] - ends[0])
