"""Holes of a surface: flat ones are capped, and others as long as it hardly matters how."""

from __future__ import annotations

import heapq
from itertools import pairwise

import numpy as np

from falsework.geometry.mending.sheets import NEW, Sheet, bare_halves, spot
from falsework.geometry.shapes.planes import loop_area, plane_axes, unit
from falsework.geometry.shapes.triangulation import filled
from falsework.model.arrays import Array, Ints

FLAT = 1e-4  # of the size: how far the rim of a planar hole may stray from its plane
VAGUE = 1e-3  # of the solid: what the ways to fill a hole that is not flat may differ by
MOST_OPEN = 200_000  # edges: more is no surface with holes

Rim = list[int]


def capped(sheet: Sheet) -> Sheet:
    """The surface with its holes closed.

    Rims of one plane that lie in each other are capped as a ring. ValueError where rims do not close, and where a hole
    is so large and its rim so far from flat that nobody can tell what the solid is.
    """
    bare = bare_halves(sheet.corners)
    if not len(bare):
        return sheet
    if len(bare) > MOST_OPEN:
        raise ValueError(f"the surface is open along {len(bare):,} edges, more than {MOST_OPEN:,} are not closed")
    rims = _rims(sheet, bare)
    seams = [rim for rim in rims if _is_seam(sheet, rim)]
    holes = [rim for rim in rims if not _is_seam(sheet, rim)]
    areas = np.array([loop_area(sheet.points[rim]) for rim in holes]).reshape(-1, 3)
    strays = np.array([_stray(sheet, rim, area) for rim, area in zip(holes, areas, strict=True)])
    bent = strays > FLAT * sheet.size
    groups = _rings(sheet, [rim for rim, is_bent in zip(holes, bent, strict=True) if not is_bent], areas[~bent])
    uneven = [rim for rim, is_bent in zip(holes, bent, strict=True) if is_bent]
    added = [_fan(seam) for seam in seams] + [filled(sheet.points, group) for group in groups]
    added += [filled(sheet.points, [rim]) for rim in uneven]
    fresh = np.concatenate(added)
    source = np.concatenate([sheet.source, np.full(len(fresh), NEW)])
    whole = sheet.with_corners(np.concatenate([sheet.corners, fresh]), source)
    _refuse_vague(whole, uneven, areas[bent], strays[bent])
    whole = whole.noted(len(groups) + len(seams), "capped {} planar hole")
    return whole.noted(len(uneven), "filled {} small hole that is not flat", "")


def _refuse_vague(whole: Sheet, uneven: list[Rim], areas: Array, strays: Array) -> None:
    """ValueError where what the ways to fill holes may differ by is too much of the solid."""
    corners = whole.points[whole.corners] - whole.points[whole.corners[0, 0]]
    volume = abs(float(np.einsum("ti,ti->t", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum())) / 6
    doubt = np.linalg.norm(areas, axis=1) * strays
    if len(uneven) and not doubt.sum() <= VAGUE * volume:
        worst = int(np.argmax(doubt))
        rim = uneven[worst]
        raise ValueError(
            f"a hole with {len(rim)} edges near {spot(whole.points[rim].mean(axis=0))} is not flat: "
            f"its rim strays {strays[worst]:.3g} from a plane"
        )


def _stray(sheet: Sheet, rim: Rim, area: Array) -> float:
    """How far a rim strays from its plane; all of its length where it has none."""
    arms = sheet.points[rim] - sheet.points[rim].mean(axis=0)
    if not area.any():
        return float(np.linalg.norm(arms, axis=1).max())
    return float(np.abs(arms @ unit(area)).max())


def _rims(sheet: Sheet, bare: Ints) -> list[Rim]:
    """Loops along open edges, walked so that a cap winds with its neighbours; where several meet, the shortest.

    Where a long edge runs beside several short ones, loops around the slivers between them are the shortest. One
    around all long edges, and another around all short ones, would cap the same hole twice.
    """
    tails = sheet.corners.ravel()[bare].tolist()
    heads = sheet.corners[:, [1, 2, 0]].ravel()[bare].tolist()
    lengths = np.linalg.norm(sheet.points[heads] - sheet.points[tails], axis=1).tolist()
    onward: dict[int, list[tuple[int, float]]] = {}
    for start, end, length in sorted(zip(heads, tails, lengths, strict=True), reverse=True):
        onward.setdefault(start, []).append((end, length))
    rims = []
    for first in sorted(onward):
        while onward[first]:
            rims.append(_shortest(sheet, first, onward))
    return rims


def _shortest(sheet: Sheet, first: int, onward: dict[int, list[tuple[int, float]]]) -> Rim:
    """The shortest loop over one of the edges from `first`, its edges used up."""
    second, length = onward[first].pop()
    reached: dict[int, int] = {}
    queue = [(length, second, first)]
    while queue:
        distance, corner, before = heapq.heappop(queue)
        if corner in reached:
            continue
        reached[corner] = before
        if corner == first:
            break
        for end, step in onward.get(corner, ()):
            if end not in reached:
                heapq.heappush(queue, (distance + step, end, corner))
    if first not in reached:
        place = spot(sheet.points[second])
        raise ValueError(f"the surface stays open: its edges end at vertex {second} near {place}")
    loop = [first]
    while (before := reached[loop[-1]]) != first:
        loop.append(before)
    loop.reverse()  # second … last, then first
    for start, end in pairwise(loop):
        place_in = [k for k, (other, _) in enumerate(onward[start]) if other == end]
        onward[start].pop(place_in[0])
    return [first, *loop[:-1]]


def _is_seam(sheet: Sheet, rim: Rim) -> bool:
    """Whether a rim encloses no area."""
    corners = sheet.points[rim] - sheet.points[rim].mean(axis=0)
    return len(rim) < 3 or bool(np.linalg.svd(corners, compute_uv=False)[1] <= 1e-3 * FLAT * sheet.size)


def _fan(rim: Rim) -> Ints:
    corners = np.array(rim, dtype=np.int64)
    ahead = np.arange(1, max(len(rim) - 1, 1))
    return np.stack([np.full(len(ahead), rim[0]), corners[ahead], corners[(ahead + 1) % len(rim)]], axis=1)


def _rings(sheet: Sheet, rims: list[Rim], areas: Array) -> list[list[Rim]]:
    """Rims that are capped together: an outline and the rims within it that wind the other way."""
    vertices, size = sheet.points, sheet.size
    normals, centres = unit(areas), np.array([vertices[rim].mean(axis=0) for rim in rims]).reshape(-1, 3)
    order = np.argsort(-np.linalg.norm(areas, axis=1), kind="stable")  # the largest first: outlines before holes
    outlines: list[int] = []
    groups: list[list[Rim]] = []
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


def _encloses(vertices: Array, rim: Rim, normal: Array, vertex: int) -> bool:
    """Whether a vertex lies within a rim of the same plane."""
    import shapely

    u, v = plane_axes(normal[None])
    axes = np.stack([u[0], v[0]], axis=1)  # (3, 2)
    outline = shapely.Polygon((vertices[rim] - vertices[vertex]) @ axes)
    return bool(outline.contains(shapely.Point(0.0, 0.0)))
