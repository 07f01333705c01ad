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
    rests, margins = np.arange(count), np.zeros(count)
    normals = np.zeros((count, 3))
    for number in range(count):
        rows = np.flatnonzero(facet == number)
        normals[number] = unit(hull.equations[rows, :3].mean(axis=0))
        margins[number], rests[number] = _balance(hull, points, facet, rows, normals[number], centre)
    heights = (points @ normals.T).max(axis=0) - normals @ centre
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


def _balance(hull: Hull, points: Array, facet: Ints, rows: Ints, normal: Array, centre: Array) -> tuple[float, int]:
    """How far inside a facet the foot of the centre of mass is, and the facet that the body comes to lie on next."""
    foot = centre + normal * float((points[hull.simplices[rows[0], 0]] - centre) @ normal)
    margin, nearest = np.inf, int(facet[rows[0]])
    middle = points[hull.simplices[rows]].mean(axis=(0, 1))
    for row in rows:
        for side in range(3):
            beyond = int(hull.neighbors[row, side])
            if facet[beyond] == facet[row]:
                continue
            a, b = points[hull.simplices[row, (side + 1) % 3]], points[hull.simplices[row, (side + 2) % 3]]
            inward = unit(cross(normal, b - a))
            inward = inward if float(inward @ (middle - a)) > 0 else -inward
            depth = float(inward @ (foot - a))
            if depth < margin:
                margin, over = depth, int(facet[beyond])
                nearest = int(facet[row]) if depth >= 0 else over
    return margin, nearest


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
