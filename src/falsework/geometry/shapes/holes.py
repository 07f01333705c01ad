"""Caps for the planar holes of a surface."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from falsework.geometry.shapes.planes import loop_area, plane_axes, unit
from falsework.geometry.shapes.triangulation import filled
from falsework.model.arrays import Array, Ints

FLAT = 1e-4  # of the size: how far the rim of a planar hole may stray from its plane


def caps(vertices: Array, triangles: Ints, size: float) -> tuple[Ints, int]:
    """The triangles and the caps that close their planar holes, and how many holes there were.

    ValueError where a rim is not flat. Rims of one plane that lie in each other are capped as a ring.
    """
    rims = _rims(triangles)
    cuts = [np.array(rim, dtype=np.int64) for rim in rims if _is_seam(vertices, rim, size)]
    wide = [rim for rim in rims if not _is_seam(vertices, rim, size)]
    added = [_fan(seam) for seam in cuts]
    groups = _rings(vertices, wide, size)
    added.extend(filled(vertices, group) for group in groups)
    return np.concatenate([triangles, *added]), len(groups) + len(cuts)


def _rims(triangles: Ints) -> list[list[int]]:
    """Loops along the edges that have no triangle on one side, walked so that a cap winds with its neighbours."""
    starts, ends = triangles.ravel(), triangles[:, [1, 2, 0]].ravel()
    span = np.int64(triangles.max()) + 1
    bare = ~np.isin(ends * span + starts, starts * span + ends)
    onward: dict[int, list[int]] = {}
    for start, end in sorted(zip(ends[bare].tolist(), starts[bare].tolist(), strict=True), reverse=True):
        onward.setdefault(start, []).append(end)
    rims = []
    for first in sorted(onward):
        while onward.get(first):
            rims.append(_walk(first, onward))
    return rims


def _walk(first: int, onward: dict[int, list[int]]) -> list[int]:
    """One loop, its edges used up: from `first` back to it, or a smaller one that closes on the way."""
    rim, place = [first], {first: 0}
    while ways := onward.get(rim[-1]):
        step = ways.pop()
        if step in place:
            loop = rim[place[step] :]
            for start, end in pairwise(rim[: place[step] + 1]):
                onward[start].append(end)
            return loop
        place[step] = len(rim)
        rim.append(step)
    raise ValueError(f"the surface stays open: its edges end at vertex {rim[-1]}")


def _is_seam(vertices: Array, rim: list[int], size: float) -> bool:
    """Whether a rim encloses no area: an edge that is split on one side only."""
    corners = vertices[rim] - vertices[rim].mean(axis=0)
    return len(rim) < 3 or bool(np.linalg.svd(corners, compute_uv=False)[1] <= 1e-3 * FLAT * size)


def _fan(rim: Ints) -> Ints:
    ahead = np.arange(1, max(len(rim) - 1, 1))
    return np.stack([np.full(len(ahead), rim[0]), rim[ahead], rim[(ahead + 1) % len(rim)]], axis=1)


def _rings(vertices: Array, rims: list[list[int]], size: float) -> list[list[list[int]]]:
    """Rims that are capped together: an outline and the rims within it that wind the other way."""
    areas = np.array([loop_area(vertices[rim]) for rim in rims]).reshape(-1, 3)
    normals, centres = unit(areas), np.array([vertices[rim].mean(axis=0) for rim in rims]).reshape(-1, 3)
    for rim, normal, centre in zip(rims, normals, centres, strict=True):
        stray = float(np.abs((vertices[rim] - centre) @ normal).max())
        if not normal.any() or stray > FLAT * size:
            raise ValueError(f"a hole with {len(rim)} edges is not flat: its rim strays {stray:.3g} from a plane")
    order = np.argsort(-np.linalg.norm(areas, axis=1), kind="stable")  # the largest first: outlines before holes
    outlines: list[int] = []
    groups: list[list[list[int]]] = []
    for k in order.tolist():
        level = np.abs(((centres[outlines] - centres[k]) * normals[outlines]).sum(axis=1)) <= FLAT * size
        facing = normals[outlines] @ normals[k] < 0
        mates = np.flatnonzero(level & facing)
        around = [j for j in mates if _encloses(vertices, groups[j][0], normals[k], rims[k][0])]
        if around:
            groups[around[-1]].append(rims[k])
        else:
            outlines.append(k)
            groups.append([rims[k]])
    return groups


def _encloses(vertices: Array, rim: list[int], normal: Array, vertex: int) -> bool:
    """Whether a vertex lies within a rim of the same plane."""
    import shapely

    u, v = plane_axes(normal[None])
    axes = np.stack([u[0], v[0]], axis=1)  # (3, 2)
    outline = shapely.Polygon((vertices[rim] - vertices[vertex]) @ axes)
    return bool(outline.contains(shapely.Point(0.0, 0.0)))
