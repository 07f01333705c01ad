"""Contacts of parts that no convex pieces fill: points of either surface that are inside the other.

The engine knows convex bodies only. A part whose pieces would be rougher than itself (a grooved ring, a thread) touches
by its surface instead: its corners, and points along its edges, are looked up in the distances of the other part, and
those of the other in its own. Each point that is inside makes a contact along the normal of what it has entered.
Corners on faces are found exactly, crossing edges to within the step between points of an edge.

Facets of a curved face lie before it or behind it, so parts that touch are drawn a little in each other. As deep as a
pair was at the beginning is touching: nothing is pushed away by how it was drawn.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from falsework.engine.contact import ContactSettings
from falsework.engine.library import mujoco
from falsework.geometry.distance.surface import Surface
from falsework.geometry.shapes.planes import cross, plane_axes
from falsework.model.arrays import Array, Ints

STEP = 1 / 32  # of a part's size, between points of an edge
BENT = 1e-3  # sine: faces that turn less at an edge go on straight there
LEAST = 1e-5  # of friction: what the engine takes for none
DEEPEST = 0.05  # of the smaller part's size: points that are deeper have come in elsewhere


class Body(NamedTuple):
    """One body that may meet others by its surface."""

    number: int  # of the engine
    geom: int  # that its contacts are told by
    still: bool
    rough: bool
    surface: Surface | None  # None: all that is below a plane
    height_m: float  # of that plane, in the world
    friction: float


class Found(NamedTuple):
    """Contacts, normals from the first geom into the second."""

    geoms: Ints  # (k, 2)
    points: Array  # (k, 3) world
    normals: Array  # (k, 3)
    depths: Array  # (k,) m
    friction: Array  # (k,)

    @staticmethod
    def joined(several: list[Found]) -> Found:
        nothing = Found(np.zeros((0, 2), np.int64), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), np.zeros(0))
        return Found(*(np.concatenate(arrays) for arrays in zip(nothing, *several, strict=True)))

    def deeper(self, drawn_m: float) -> Found:
        """Those that are as deep as that, how much deeper they are."""
        kept = self.depths >= (1 - 1e-9) * drawn_m
        left = self.depths[kept] - drawn_m
        return Found(self.geoms[kept], self.points[kept], self.normals[kept], left, self.friction[kept])


class SurfaceContacts:
    """The contacts of the rough bodies of a scene with all others."""

    def __init__(self, bodies: list[Body], settings: ContactSettings) -> None:
        self._settings = settings
        self._pairs = [
            (one, other)
            for k, one in enumerate(bodies)
            for other in bodies[k + 1 :]
            if (one.rough or other.rough) and not (one.still and other.still)
        ]
        self._drawn_m: list[float] | None = None  # how deep each pair was at the beginning

    def __len__(self) -> int:
        return len(self._pairs)

    def add(self, model: Any, data: Any) -> None:
        """Put them beside those that the engine has found, after its look at positions."""
        pairs = [Found.joined(_between(data, *pair)) for pair in self._pairs]
        if self._drawn_m is None:
            self._drawn_m = [float(found.depths.max(initial=0.0)) for found in pairs]
        deeper = [found.deeper(drawn) for found, drawn in zip(pairs, self._drawn_m, strict=True)]
        self._write(model, data, Found.joined(deeper))
        mujoco().mj_makeConstraint(model, data)
        mujoco().mj_island(model, data)
        mujoco().mj_projectConstraint(model, data)
        mujoco().mj_fwdVelocity(model, data)

    def _write(self, model: Any, data: Any, found: Found) -> None:
        first, blank = data.ncon, mujoco().MjContact()
        for _ in range(len(found.depths)):
            if mujoco().mj_addContact(model, data, blank):
                raise MemoryError("the engine has no room for more contacts")
        rows, contact = slice(first, data.ncon), data.contact
        usual = self._settings.geom(1.0)
        contact.dist[rows] = -found.depths
        contact.pos[rows] = found.points
        one, other = plane_axes(found.normals)
        contact.frame[rows] = np.concatenate([found.normals, one, other], axis=1)
        contact.friction[rows] = np.maximum(found.friction[:, None] * [1, 1, 0, 0, 0], LEAST)
        contact.dim[rows] = np.where(found.friction > 0, 3, 1)
        contact.solref[rows], contact.solimp[rows] = usual["solref"], usual["solimp"]
        contact.geom[rows] = found.geoms
        contact.geom1[rows], contact.geom2[rows] = found.geoms.T
        for name in ("flex", "elem", "vert"):
            getattr(contact, name)[rows] = -1


def _between(data: Any, one: Body, other: Body) -> list[Found]:
    """The contacts of two bodies: points of each in the other."""
    if one.surface is None or other.surface is None:
        return [_below(data, *((one, other) if one.surface is None else (other, one)))]
    middle = [data.xpos[body.number] + data.xmat[body.number].reshape(3, 3) @ _middle(body) for body in (one, other)]
    reach = 0.5 * (one.surface.size_m + other.surface.size_m)
    if float(np.linalg.norm(middle[0] - middle[1])) > reach:
        return []
    return [_inside(data, one, other), _inside(data, other, one)]


def _middle(body: Body) -> Array:
    assert body.surface is not None
    low, high = body.surface.box
    return 0.5 * (low + high)


def _below(data: Any, floor: Body, body: Body) -> Found:
    """Points of a body below a plane."""
    assert body.surface is not None, "two planes stand still"
    points = _in_world(data, body, touching_points(body.surface))
    depths = floor.height_m - points[:, 2]
    rows = np.flatnonzero(depths > 0)
    up = np.broadcast_to([0.0, 0.0, 1.0], (len(rows), 3))
    return _found(floor, body, points[rows], up, depths[rows], floor.friction)


def _inside(data: Any, solid: Body, body: Body) -> Found:
    """Points of a body that are inside another."""
    assert solid.surface is not None
    assert body.surface is not None
    points = _in_world(data, body, touching_points(body.surface))
    turn, place = data.xmat[solid.number].reshape(3, 3), data.xpos[solid.number]
    local = (points - place) @ turn
    low, high = solid.surface.box
    rows = np.flatnonzero(((local > low) & (local < high)).all(axis=1))
    if not len(rows):
        return _found(solid, body, points[rows], points[rows], np.zeros(0), solid.friction)
    deepest = DEEPEST * min(solid.surface.size_m, body.surface.size_m)
    near = solid.surface.signed(local[rows], deepest)
    entered = (near.distances < 0) & (near.faces >= 0)
    normals = solid.surface.normals(near)[entered] @ turn.T
    rows = rows[entered]
    return _found(solid, body, points[rows], normals, -near.distances[entered], max(solid.friction, body.friction))


def _found(solid: Body, body: Body, points: Array, normals: Array, depths: Array, friction: float) -> Found:
    """Contacts midway between a point and what it has entered."""
    geoms = np.broadcast_to([solid.geom, body.geom], (len(points), 2))
    middles = points + 0.5 * depths[:, None] * normals
    return Found(geoms, middles, normals, depths, np.full(len(points), friction))


def _in_world(data: Any, body: Body, points: Array) -> Array:
    placed: Array = points @ data.xmat[body.number].reshape(3, 3).T + data.xpos[body.number]
    return placed


@lru_cache(maxsize=4096)
def touching_points(surface: Surface) -> Array:
    """(n, 3) the corners of a surface, and points along its edges; none inside flat faces.

    >>> from falsework.model.shapes import box
    >>> len(touching_points(surface_of(box((1, 1, 1))))) > 8
    True
    """
    used, ends = _bent_edges(surface)
    starts, ways = surface.vertices[ends[:, 0]], surface.vertices[ends[:, 1]] - surface.vertices[ends[:, 0]]
    counts = np.ceil(np.linalg.norm(ways, axis=1) / (STEP * surface.size_m)).astype(np.int64)
    edge = np.repeat(np.arange(len(ends)), counts - 1)
    number = np.arange(len(edge)) - np.repeat(np.cumsum(counts - 1) - (counts - 1), counts - 1) + 1
    along: Array = starts[edge] + (number / counts[edge])[:, None] * ways[edge]
    return np.concatenate([surface.vertices[used], along])


def _bent_edges(surface: Surface) -> tuple[Ints, Ints]:
    """Corners at which faces bend, and the edges (k, 2) along which they do."""
    faces = surface.faces
    halves = np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2)
    owners = np.repeat(np.arange(len(faces)), 3)
    order = np.lexsort(np.sort(halves, axis=1).T)
    sorted_ends, owners = np.sort(halves, axis=1)[order], owners[order]
    _, first, count = np.unique(sorted_ends, axis=0, return_index=True, return_counts=True)
    second = np.minimum(first + 1, len(owners) - 1)
    normals = surface.face_normals
    turn = cross(normals[owners[first]], normals[owners[second]])
    bent = (count != 2) | (np.linalg.norm(turn, axis=1) > BENT)
    ends: Ints = sorted_ends[first[bent]]
    return np.unique(ends), ends
