"""The plain way to find contacts: every triangle of one part against every triangle of the other.

Reference for `falsework bench contacts` and oracle for tests. It shares with `geometry.contacts` the surfaces of the
parts and what counts as touching, and none of the method: no facets, no broad phase but the parts' boxes, no arrays
over the assembly, no geometry library.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import combinations, pairwise, product

import numpy as np

from falsework.bench.plain_vectors import Vector, axes, cross, dot, mean, minus, plus, times, unit, vector
from falsework.geometry.shapes.outlines import STRAIGHT
from falsework.geometry.shapes.solids import surface
from falsework.geometry.shapes.tolerances import GAP, LEAN
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Patches

SPECK = 1e-6  # of the size: width below which the overlap of two triangles is rounding

Point = tuple[float, float]


@dataclass(slots=True)
class _Triangle:
    corners: tuple[Vector, Vector, Vector]
    normal: Vector
    centre: Vector


@dataclass(slots=True)
class _Plane:
    """Overlaps of one pair in one plane."""

    normal: Vector
    centre: Vector
    area: float = 0.0
    points: list[Vector] = field(default_factory=list)


def pairwise_patches(assembly: Assembly) -> Patches:
    """Contact patches of planar-faced parts, sorted by bodies; patches of a pair in no particular order."""
    worlds = [_in_world(assembly, number) for number in range(len(assembly.bodies))]
    gaps = _gaps(assembly, worlds)
    triangles = [_triangles(corners) for corners in worlds]
    found: list[tuple[int, int, Vector, list[Vector]]] = []
    for first, second in combinations(range(len(worlds)), 2):
        gap = min(gaps[first], gaps[second])
        if _boxes_touch(worlds[first], worlds[second], gap):
            for plane in _planes(triangles[first], triangles[second], gap):
                outline = _hull(plane, gap)
                if outline and 2 * plane.area > gap * _perimeter(outline):
                    found.append((first, second, plane.normal, outline))
    if not found:
        return Patches.none()
    return Patches(
        np.array([(first, second) for first, second, _, _ in found]),
        np.array([normal for _, _, normal, _ in found]),
        np.array([_friction(assembly, second) for _, second, _, _ in found]),
        np.cumsum([0] + [len(outline) for _, _, _, outline in found]),
        np.array([point for _, _, _, outline in found for point in outline]),
    )


def _in_world(assembly: Assembly, number: int) -> Array:
    """(t, 3, 3) corners of a body's triangles."""
    mesh, pose = surface(assembly.bodies[number].shape), assembly.poses[number]
    corners: Array = (mesh.vertices @ pose[:3, :3].T + pose[:3, 3])[mesh.triangles]
    return corners


def _gaps(assembly: Assembly, worlds: list[Array]) -> list[float]:
    """How far from another each body may be and still touch, by its size."""
    arms = [corners - com for corners, com in zip(worlds, assembly.coms_m, strict=True)]
    return [GAP * 2 * float(np.linalg.norm(arm, axis=2).max()) for arm in arms]


def _friction(assembly: Assembly, second: int) -> float:
    on_ground = assembly.ground_part is not None and second == len(assembly.parts)
    own = assembly.ground.friction if on_ground else None
    return assembly.friction if own is None else own


def _triangles(corners: Array) -> list[_Triangle]:
    made = []
    for a, b, c in corners.tolist():
        normal = cross(minus(b, a), minus(c, a))
        length = math.sqrt(dot(normal, normal))
        if length > 0:
            centre = tuple((x + y + z) / 3 for x, y, z in zip(a, b, c, strict=True))
            made.append(_Triangle((a, b, c), times(1 / length, normal), vector(centre)))
    return made


def _boxes_touch(one: Array, other: Array, gap: float) -> bool:
    low = np.maximum(one.min(axis=(0, 1)), other.min(axis=(0, 1)))
    high = np.minimum(one.max(axis=(0, 1)), other.max(axis=(0, 1)))
    return bool((low <= high + gap).all())


def _planes(ones: list[_Triangle], others: list[_Triangle], gap: float) -> list[_Plane]:
    """Overlaps of all triangle pairs of two bodies, gathered by plane."""
    planes: list[_Plane] = []
    for one, other in product(ones, others):
        if dot(one.normal, other.normal) > -math.cos(LEAN):
            continue
        overlap = _overlap(one, other, gap)
        if overlap is None:
            continue
        for plane in planes:
            arm = minus(overlap.centre, plane.centre)
            if dot(plane.normal, overlap.normal) > math.cos(LEAN) and abs(dot(arm, plane.normal)) <= gap:
                plane.area += overlap.area
                plane.points.extend(overlap.points)
                break
        else:
            planes.append(overlap)
    return planes


def _overlap(one: _Triangle, other: _Triangle, gap: float) -> _Plane | None:
    """What two facing triangles have in common, in the plane between them."""
    normal = unit(minus(one.normal, other.normal))
    if abs(dot(minus(one.centre, other.centre), normal)) > gap:
        return None
    origin = times(0.5, plus(one.centre, other.centre))
    u, v = axes(normal)
    flat = [[(dot(minus(p, origin), u), dot(minus(p, origin), v)) for p in t.corners] for t in (one, other)]
    polygon = flat[0]
    clip = flat[1] if _doubled(flat[1]) > 0 else flat[1][::-1]
    for a, b in zip(clip, clip[1:] + clip[:1], strict=True):
        polygon = _behind(polygon, a, b)
    area = 0.5 * abs(_doubled(polygon))
    if len(polygon) < 3 or 2 * area <= SPECK / GAP * gap * _around(polygon):
        return None
    points = [plus(origin, plus(times(x, u), times(y, v))) for x, y in polygon]
    return _Plane(normal, mean(points), area, points)


def _behind(polygon: list[Point], a: Point, b: Point) -> list[Point]:
    """The part of a polygon to the left of the line from a to b (Sutherland and Hodgman)."""
    kept = []
    sides = [(b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) for p in polygon]
    for k, (p, side) in enumerate(zip(polygon, sides, strict=True)):
        q, far = polygon[k - 1], sides[k - 1]
        if (side > 0 > far) or (side < 0 < far):
            t = far / (far - side)
            kept.append((q[0] + t * (p[0] - q[0]), q[1] + t * (p[1] - q[1])))
        if side >= 0:
            kept.append(p)
    return kept


def _hull(plane: _Plane, gap: float) -> list[Vector]:
    """Convex outline of a plane's points, counter-clockwise about its normal, without flat corners."""
    u, v = axes(plane.normal)
    middle = mean(plane.points)
    flat = sorted({(dot(minus(p, middle), u), dot(minus(p, middle), v)) for p in plane.points})
    outline = _chain(flat)[:-1] + _chain(flat[::-1])[:-1]
    limit = min(gap, STRAIGHT * max((math.hypot(*p) for p in outline), default=0.0))
    while len(outline) > 3:
        heights = [_height(outline[k - 1], outline[k], outline[(k + 1) % len(outline)]) for k in range(len(outline))]
        if min(heights) >= limit:
            break
        del outline[heights.index(min(heights))]
    return [plus(middle, plus(times(x, u), times(y, v))) for x, y in outline]


def _chain(points: list[Point]) -> list[Point]:
    """The lower half of a convex hull (Andrew's monotone chain)."""
    chain: list[Point] = []
    for point in points:
        while len(chain) > 1 and _doubled([chain[-2], chain[-1], point]) <= 0:
            chain.pop()
        chain.append(point)
    return chain


def _height(before: Point, corner: Point, after: Point) -> float:
    """How far a corner stands out from its neighbours' chord."""
    return abs(_doubled([before, corner, after])) / max(math.dist(before, after), 1e-300)


def _doubled(polygon: list[Point]) -> float:
    """Twice the signed area, from the first corner, so that small polygons far from the origin keep their digits."""
    if not polygon:
        return 0.0
    arms = [(p[0] - polygon[0][0], p[1] - polygon[0][1]) for p in polygon]
    return sum(p[0] * q[1] - p[1] * q[0] for p, q in pairwise(arms))


def _around(polygon: list[Point]) -> float:
    return sum(math.dist(p, q) for p, q in zip(polygon, polygon[1:] + polygon[:1], strict=True))


def _perimeter(outline: list[Vector]) -> float:
    return sum(math.dist(p, q) for p, q in zip(outline, outline[1:] + outline[:1], strict=True))
