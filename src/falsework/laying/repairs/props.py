"""Props: posts below parts that are no bricks, cut to the faces that they carry.

A post that reaches the floor stands fast there. One that comes down on another part first is a stone that stands on
it, of the same stuff as what it carries.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from falsework.geometry.contacts.ground import bounds_m, grounded
from falsework.geometry.shapes.solids import make_part, outer_surface
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.part import Part
from falsework.model.shapes import Polyhedron

SHARES = (0.24, 0.1)  # of a part's width: how wide a prop is
PLACES = (0.5, 0.85, 0.15, 0.7, 0.3)  # along each side of a part
LEAST_HIGH = 1e-3  # of the model's size
LEVEL = 1e-6  # of it: feet that differ by less are on one plane
BELOW = 0.1  # of the model's height: how far under it the floor is where there is no ground
CORNERS: Array = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])


def propped(assembly: Assembly, part: Part) -> Iterator[Assembly]:
    """The model with a prop below a part, at one place after another: below its centre of mass first."""
    low, high = bounds_m(assembly)
    size = float(np.linalg.norm(high - low))
    floor = float(low[2]) - (0.0 if assembly.ground_part is not None else BELOW * float(high[2] - low[2]))
    own = _surface(part)
    begin, end = own.min(axis=(0, 1))[:2], own.max(axis=(0, 1))[:2]
    spots = [part.com_world_m[:2], *(begin + np.array((u, v)) * (end - begin) for u in PLACES for v in PLACES)]
    for share in SHARES:
        for middle in spots:
            corners = middle + 0.5 * share * (end - begin) * CORNERS
            tops = [_lowest_m(own, corner) for corner in corners]
            if any(top is None for top in tops):
                continue
            heights = np.array(tops, dtype=float)
            feet = _feet_m(assembly, part, np.concatenate([corners, middle[None]]), float(heights.max()), floor)
            if np.ptp(feet) > LEVEL * size or heights.min() < feet[0] + LEAST_HIGH * size:
                continue
            yield _with_prop(assembly, part, _post(corners, float(feet[0]), heights), bool(feet[0] <= floor))


@lru_cache(maxsize=4096)
def _surface(part: Part) -> Array:
    """(t, 3, 3) triangles of a part in the world."""
    mesh = outer_surface(part.shape)
    return (mesh.vertices @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3])[mesh.triangles]


def _met_m(triangles: Array, place: Array) -> Array:
    """Heights at which an upright ray meets triangles."""
    a, b, c = (triangles[:, k, :2] - place for k in range(3))
    weights = np.stack([_cross(b, c), _cross(c, a), _cross(a, b)], axis=1)
    area = weights.sum(axis=1)
    flat = np.abs(area) > 1e-15
    weights = weights[flat] / area[flat][:, None]
    inside = (weights >= -1e-9).all(axis=1)
    met: Array = (weights[inside] * triangles[flat][inside][:, :, 2]).sum(axis=1)
    return met


def _lowest_m(triangles: Array, place: Array) -> float | None:
    met = _met_m(triangles, place)
    return float(met.min()) if len(met) else None


def _feet_m(assembly: Assembly, carried: Part, places: Array, top: float, floor: float) -> Array:
    """The highest thing below each place and under a height, the floor at least."""
    feet = np.full(len(places), floor)
    for part in assembly.parts:
        if part is carried:
            continue
        surface = _surface(part)
        low, high = surface.min(axis=(0, 1)), surface.max(axis=(0, 1))
        for row, place in enumerate(places):
            if (low[:2] <= place).all() and (place <= high[:2]).all() and low[2] < top:
                met = _met_m(surface, place)
                met = met[met < top]
                feet[row] = max(feet[row], float(met.max()) if len(met) else floor)
    return feet


def _cross(one: Array, other: Array) -> Array:
    return one[..., 0] * other[..., 1] - one[..., 1] * other[..., 0]


def _post(corners: Array, floor: float, heights: Array) -> Polyhedron:
    below = np.column_stack([corners, np.full(4, floor)])
    above = np.column_stack([corners, heights])
    faces: list[tuple[int, ...]] = [(3, 2, 1, 0), (4, 5, 6), (4, 6, 7)]
    faces += [(k, (k + 1) % 4, (k + 1) % 4 + 4, k + 4) for k in range(4)]
    return Polyhedron(np.concatenate([below, above]), tuple(faces))


def _with_prop(assembly: Assembly, carried: Part, post: Polyhedron, stands_fast: bool) -> Assembly:
    taken = set(assembly.names)
    name = next(f"prop-{number}" for number in range(1, 10_000) if f"prop-{number}" not in taken)
    made = make_part(name, post, np.eye(4), material=carried.material)
    fixed = assembly.fixed | {name} if stands_fast else assembly.fixed
    return grounded(
        assembly.changed(parts=(*assembly.parts, made), fixed=fixed, ground_part=None, steps=()), assembly.ground
    )
