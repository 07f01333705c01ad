"""How an assembly can lie on a table: the facets of its hull that carry its centre of mass (seed 001, IV-B).

A facet carries it if the foot of the perpendicular from the centre of mass lies inside the facet; how far inside, is
the margin. Dropped without bounce from a random attitude, a body first touches down on the facet that the plumb line
through its centre meets, and from one that does not carry it, it rolls over the edge that the foot lies beyond, on and
on. So a pose's probability is the solid angle, seen from the centre of mass, of all facets that end up on it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.geometry.shapes.convex_hulls import Hull, convex_hull
from falsework.geometry.shapes.linking import components_of
from falsework.geometry.shapes.planes import cross, unit
from falsework.geometry.shapes.studs import reach_in_world
from falsework.model.arrays import Array, Ints, freeze
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput

FLAT = 1e-6  # sine between triangles of one facet
KEEP = 5  # poses, as seed 001


@dataclass(frozen=True, slots=True, eq=False)
class StablePose:
    """One way to lie: z up, the lowest point at z = 0, the centre of mass above the origin."""

    T_world_assembly: Array  # (4, 4)
    probability: float
    margin_m: float  # how far the foot of the centre of mass is inside the facet
    height_m: float  # of the centre of mass

    def __post_init__(self) -> None:
        freeze(self, T_world_assembly=(4, 4))

    @property
    def tilt_rad(self) -> float:
        """The least tilt that tips it over."""
        return float(np.arctan2(self.margin_m, self.height_m))


def stable_poses(assembly: Assembly, installed: int, keep: int | None = KEEP) -> tuple[StablePose, ...]:
    """The likeliest poses of the installed parts (a mask), or all, most likely first; the ground does not count.

    Poses that differ by a turn about the vertical are one.
    """
    parts = [part for number, part in enumerate(assembly.parts) if installed >> number & 1]
    if not parts:
        raise BadInput("no part is installed, so there is nothing to lie on a table")
    points = np.concatenate([reach_in_world(part) for part in parts])
    masses = np.array([part.mass_kg for part in parts])
    centre: Array = masses @ np.stack([part.com_world_m for part in parts]) / masses.sum()
    return _poses(points, centre, keep)


def _poses(points: Array, centre: Array, keep: int | None) -> tuple[StablePose, ...]:
    hull = convex_hull(points)
    points = hull.points
    facet = _facets(hull)
    count = int(facet.max()) + 1
    angles = np.bincount(facet, _solid_angles(points[hull.simplices] - centre), minlength=count)
    normals = unit(_means(facet, hull.equations[:, :3], count))
    margins, rests = _balance(hull, facet, normals, centre)
    heights = np.full(count, -np.inf)
    np.maximum.at(heights, facet, (points[hull.simplices] @ normals[facet][:, :, None]).max(axis=1)[:, 0])
    heights -= normals @ centre
    for _ in range(count.bit_length()):  # each roll lowers the centre of mass, so that no facet comes twice
        rests = rests[rests]
    chances = np.bincount(rests, angles, minlength=count) / (4 * np.pi)
    carried = np.flatnonzero(margins >= 0)
    order = carried[np.lexsort((heights[carried], -np.round(chances[carried], 9)))][:keep]
    return tuple(
        StablePose(_laid(normals[k], centre, heights[k]), float(chances[k]), float(margins[k]), float(heights[k]))
        for k in order
    )


def _facets(hull: Hull) -> Ints:
    """(t,) which facet each triangle of a hull belongs to: neighbours that are coplanar are one."""
    count = len(hull.simplices)
    one = np.repeat(np.arange(count), 3)
    other = hull.neighbors.ravel()
    normals = hull.equations[:, :3]
    flat = np.linalg.norm(cross(normals[one], normals[other]), axis=1) < FLAT
    return components_of(count, one[flat], other[flat])


def _means(facet: Ints, rows: Array, count: int) -> Array:
    """(count, 3) the means of rows (t, 3) over facets."""
    sums = np.stack([np.bincount(facet, rows[:, k], minlength=count) for k in range(3)], axis=1)
    means: Array = sums / np.bincount(facet, minlength=count)[:, None]
    return means


def _balance(hull: Hull, facet: Ints, normals: Array, centre: Array) -> tuple[Array, Ints]:
    """(f,) how far inside each facet the foot of the centre of mass is, and which facet the body comes to lie on next.

    That is the facet itself, or the one beyond the edge that the foot is furthest beyond.
    """
    count, points = len(normals), hull.points
    first = points[hull.simplices[np.unique(facet, return_index=True)[1], 0]]
    feet = centre + normals * ((first - centre) * normals).sum(axis=1)[:, None]
    middles = _means(facet, points[hull.simplices].mean(axis=1), count)
    row, side = np.nonzero(facet[hull.neighbors] != facet[:, None])  # the edges between facets
    own, beyond = facet[row], facet[hull.neighbors[row, side]]
    a, b = points[hull.simplices[row, (side + 1) % 3]], points[hull.simplices[row, (side + 2) % 3]]
    inward = unit(cross(normals[own], b - a))
    inward *= np.where((inward * (middles[own] - a)).sum(axis=1) > 0, 1.0, -1.0)[:, None]
    depths = (inward * (feet[own] - a)).sum(axis=1)
    order = np.lexsort((depths, own))
    least = order[np.unique(own[order], return_index=True)[1]]
    margins, rests = np.full(count, np.inf), np.arange(count)
    margins[own[least]] = depths[least]
    rests[own[least]] = np.where(depths[least] >= 0, own[least], beyond[least])
    return margins, rests


def _solid_angles(corners: Array) -> Array:
    """(t,) of triangles (t, 3, 3) seen from the origin."""
    a, b, c = (corners[:, k] for k in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
    volume = np.abs((a * cross(b, c)).sum(axis=1))
    cosine = la * lb * lc + (a * b).sum(axis=1) * lc + (b * c).sum(axis=1) * la + (c * a).sum(axis=1) * lb
    angles: Array = 2 * np.arctan2(volume, cosine)
    return angles


def _laid(normal: Array, centre: Array, height: float) -> Array:
    """(4, 4) the pose with the facet's outward normal pointing down; turned no more than it takes."""
    down = np.array([0.0, 0.0, -1.0])
    axis, cosine = cross(normal, down), float(normal @ down)
    if cosine < -1 + 1e-12:
        turn = np.diag([1.0, -1.0, -1.0])
    else:
        K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
        turn = np.eye(3) + K + K @ K / (1 + cosine)
    pose = np.eye(4)
    pose[:3, :3] = turn
    pose[:3, 3] = np.array([0.0, 0.0, height]) - turn @ centre
    return pose
