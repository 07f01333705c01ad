"""Solids as a workshop makes them: sawn (prisms), turned (bodies of revolution), united and cut from each other.

Lengths are in metres. Curves are chords of the true curve, `facets` of them around. Every corner is rounded to
`GRID_M`, before solids are cut and after it, so that the same numbers come out on every processor.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from falsework.model.arrays import Array
from falsework.model.shapes import Mesh

GRID_DIGITS = 10
GRID_M = 10.0**-GRID_DIGITS  # a ten-millionth of a millimetre

Solid = Any  # manifold3d.Manifold
Outline = npt.ArrayLike  # (n, 2), counter-clockwise


def prism(outline: Outline, low: float, high: float, holes: Sequence[Outline] = ()) -> Solid:
    """An outline of the x–y plane with holes, all of them counter-clockwise, from z = `low` to `high`."""
    import manifold3d

    loops = [_rounded(outline), *(_rounded(hole)[::-1] for hole in holes)]
    flat = np.concatenate(loops)
    cap = np.asarray(manifold3d.triangulate([loop.copy() for loop in loops]), dtype=np.int64).reshape(-1, 3)
    count, walls, first = len(flat), [], 0
    for loop in loops:
        here = first + np.arange(len(loop))
        after = np.roll(here, -1)
        walls += [np.column_stack([here, after, after + count]), np.column_stack([here, after + count, here + count])]
        first += len(loop)
    vertices = np.concatenate([np.column_stack([flat, np.full(count, z)]) for z in (low, high)])
    return solid_over(vertices, np.concatenate([cap[:, ::-1], cap + count, *walls]))


def turned(profile: Outline, facets: int) -> Solid:
    """A body of revolution about z: (n, 2) radius and height, counter-clockwise with the axis on the left.

    A profile that begins and ends on the axis is solid there; any other is a ring.
    """
    points = _rounded(profile)
    columns = [_around(facets, r) for r in points[:, 0]]
    on_axis = points[:, 0] == 0.0
    starts = np.cumsum([0, *(1 if axial else facets for axial in on_axis)])
    vertices = []
    for ring, axial, z in zip(columns, on_axis, points[:, 1], strict=True):
        corners = np.zeros((1, 2)) if axial else ring
        vertices.append(np.column_stack([corners, np.full(len(corners), z)]))
    spokes = np.arange(facets)
    triangles = []
    for here in range(len(points)):
        after = (here + 1) % len(points)
        if on_axis[here] and on_axis[after]:
            continue
        a, b = (starts[k] + (np.zeros_like(spokes) if on_axis[k] else spokes) for k in (here, after))
        a_next, b_next = (starts[k] + (0 * spokes if on_axis[k] else (spokes + 1) % facets) for k in (here, after))
        if not on_axis[here]:
            triangles.append(np.column_stack([a, a_next, b_next]))
        if not on_axis[after]:
            triangles.append(np.column_stack([a, b_next, b]))
    return solid_over(np.concatenate(vertices), np.concatenate(triangles))


def cylinder(radius: float, low: float, high: float, facets: int) -> Solid:
    """Along z; its corners lie on the true circle."""
    return prism(circle(radius, facets), low, high)


def tube(outer: float, inner: float, low: float, high: float, facets: int) -> Solid:
    return prism(circle(outer, facets), low, high, [circle(inner, facets)])


def ball(radius: float, facets: int) -> Solid:
    """About the origin, with `facets` meridians and half as many belts."""
    belts = max(2, facets // 2)
    angles = [math.pi * (k / belts - 0.5) for k in range(belts + 1)]
    profile = [(radius * math.cos(a), radius * math.sin(a)) for a in angles]
    profile[0], profile[-1] = (0.0, -radius), (0.0, radius)
    return turned(profile, facets)


def cuboid(low: Sequence[float], high: Sequence[float]) -> Solid:
    """From its least corner to its greatest."""
    (x0, y0, z0), (x1, y1, z1) = low, high
    return prism(rectangle(x0, y0, x1, y1), z0, z1)


def rectangle(x0: float, y0: float, x1: float, y1: float) -> Array:
    return np.array([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])


def circle(radius: float, facets: int, centre: tuple[float, float] = (0.0, 0.0)) -> Array:
    """(facets, 2) corners on the true circle, the first along x."""
    corners: Array = _around(facets, radius) + np.asarray(centre)
    return corners


def around_circle(radius: float, facets: int) -> float:
    """The radius of the polygon whose sides, not its corners, lie on the true circle."""
    return radius / math.cos(math.pi / facets)


def bore(radius: float, play: float, facets: int) -> float:
    """The radius for a hole that a part of `radius` and as many facets fits into.

    With play, so that there is as much of it however the part is turned; without, so that the facets coincide.
    """
    return around_circle(radius + play, facets) if play else radius


def hexagon(across: float, centre: tuple[float, float] = (0.0, 0.0)) -> Array:
    """By its width across flats."""
    return circle(across / math.sqrt(3.0), 6, centre)


def sector(inner: float, outer: float, start: float, end: float, facets: int) -> Array:
    """A piece of a ring between two angles (rad), with as many chords as a whole ring of `facets` would have there."""
    steps = max(2, math.ceil(facets * (end - start) / (2 * math.pi)))
    angles = [start + (end - start) * k / steps for k in range(steps + 1)]
    far = [(outer * math.cos(a), outer * math.sin(a)) for a in angles]
    near = [(inner * math.cos(a), inner * math.sin(a)) for a in reversed(angles)] if inner else [(0.0, 0.0)]
    return np.array(far + near)


def shifted(solid: Solid, x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Solid:
    return solid.translate((x, y, z))


def lying(solid: Solid, axis: str) -> Solid:
    """What was made along z, along x or y instead: the axes change places, none is mirrored."""
    turn = {"x": [[0, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0]], "y": [[0, 1, 0, 0], [0, 0, 1, 0], [1, 0, 0, 0]]}
    return solid.transform(np.array(turn[axis], dtype=float))


def upside_down(solid: Solid) -> Solid:
    """Half a turn about x."""
    return solid.transform(np.array([[1, 0, 0, 0], [0, -1, 0, 0], [0, 0, -1, 0]], dtype=float))


def united(solids: Sequence[Solid]) -> Solid:
    import manifold3d

    return manifold3d.Manifold.batch_boolean(list(solids), manifold3d.OpType.Add)


def cut(solid: Solid, *tools: Solid) -> Solid:
    """What is left of a solid where none of the tools was."""
    import manifold3d

    return manifold3d.Manifold.batch_boolean([solid, *tools], manifold3d.OpType.Subtract)


def common(one: Solid, other: Solid) -> Solid:
    return one ^ other


def finished(solid: Solid) -> Mesh:
    """The surface of a solid, as parts of assemblies have it."""
    made = solid.to_mesh64()
    vertices = np.asarray(made.vert_properties, dtype=np.float64)[:, :3]
    return Mesh(_rounded(vertices), np.asarray(made.tri_verts).astype(np.int64))


def solid_of(mesh: Mesh, T_world_part: Array | None = None) -> Solid:
    """A solid again, where it is in the world."""
    pose = np.eye(4) if T_world_part is None else T_world_part
    return solid_over(mesh.vertices @ pose[:3, :3].T + pose[:3, 3], mesh.triangles)


def solid_over(vertices: Array, triangles: npt.NDArray[np.int64]) -> Solid:
    """What a closed surface encloses, triangles counter-clockwise seen from outside."""
    import manifold3d

    mesh = manifold3d.Mesh64(np.ascontiguousarray(_rounded(vertices)), triangles.astype(np.uint64))
    solid = manifold3d.Manifold(mesh)
    if solid.status() != manifold3d.Error.NoError:
        raise ValueError(f"the surface encloses no solid: {solid.status()}")
    return solid


def _around(facets: int, radius: float) -> Array:
    angles = [2 * math.pi * k / facets for k in range(facets)]
    return np.array([(radius * math.cos(a), radius * math.sin(a)) for a in angles])


def _rounded(points: npt.ArrayLike) -> Array:
    rounded = np.round(np.asarray(points, dtype=np.float64), GRID_DIGITS)
    return np.asarray(rounded + 0.0, dtype=np.float64)  # no −0
