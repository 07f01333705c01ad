"""Props: posts below parts that are no bricks, and shores beside them, cut to the faces that they carry.

A post that reaches the floor stands fast there. One that comes down on another part first is a stone that stands on
it, of the same stuff as what it carries. A shore is a post that lies: it comes from outside, where it stands fast.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
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
PROPS_FIRST = 4  # places below each part that are tried before shores
MOST_POSTS = 4  # one below the other
CORNERS: Array = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])


DOWN = (0, 0, -1)
SIDES = ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0))
SIDEWAYS = 0.1  # of a part's speed: what moves less to a side needs no shore there


def supported(
    assembly: Assembly, numbers: Sequence[int], twists: Array | None, borne: Sequence[Array]
) -> Iterator[tuple[int, str, Assembly]]:
    """Models with a support more: how many posts, in words, the model; each part in turn, props before shores.

    `twists`: how bodies would move, by which places and shores are chosen; `borne`: for each of the parts, the centre
    of mass of all that falls with it.
    """
    several, shores = [], []
    for number, centre in zip(numbers, borne, strict=True):
        part = assembly.parts[number]
        twist = np.zeros(6) if twists is None else twists[number]
        several.append((f"below {part.name}", propped(assembly, part, twist, centre)))
        speed = float(np.linalg.norm(twist[:3]))
        sides = [side for side in SIDES if speed and twist[:3] @ side > SIDEWAYS * speed]
        shores += [(f"a shore beside {part.name}", propped(assembly, part, twist, centre, side)) for side in sides]
    for turn in itertools.count():
        if turn >= PROPS_FIRST or not several:
            several, shores = several + shores, []
        if not several:
            return
        for words, models in tuple(several):
            found = next(models, None)
            if found is None:
                several.remove((words, models))
                continue
            posts, model = found
            props = "a prop" if posts == 1 else f"{posts} props, one below the other,"
            yield posts, f"{props} {words}" if words.startswith("below") else words, model


def propped(
    assembly: Assembly, part: Part, twist: Array, borne: Array, way: tuple[int, int, int] = DOWN
) -> Iterator[tuple[int, Assembly]]:
    """Posts, and the model with them, against the side of a part that looks some way, at one place after another.

    The first is at the centre of mass of what it bears, the next at its own, the others by how fast they move that way.
    A post that comes down on a part that is not fast may be continued below that, down to the floor.
    """
    scene = _Scene(assembly, _axes(way), way == DOWN)
    own = scene.surfaces[assembly.index[part.name]]
    begin, end = own.min(axis=(0, 1))[:2], own.max(axis=(0, 1))[:2]
    for share, middle in itertools.product(SHARES, _spots(part, twist, borne, scene.axes, begin, end)):
        corners = middle + 0.5 * share * (end - begin) * CORNERS
        model, posts = assembly, 0
        carried: int | None = assembly.index[part.name]
        while carried is not None and posts < MOST_POSTS:
            found = scene.post(carried, corners)
            if found is None or (way != DOWN and found[1] is not None):
                break
            post, below = found
            model, posts = _with_prop(model, assembly.parts[carried], post, below is None), posts + 1
            yield posts, model
            carried = None if below is None or assembly.parts[below].name in assembly.fixed else below


class _Scene:
    """The parts of a model in a frame whose third axis is up, and the floor below them."""

    def __init__(self, assembly: Assembly, axes: Array, upright: bool) -> None:
        self.axes = axes
        self.surfaces: list[Array] = [_surface(part) @ axes.T for part in assembly.parts]
        low = np.min([one.min(axis=(0, 1)) for one in self.surfaces], axis=0)
        high = np.max([one.max(axis=(0, 1)) for one in self.surfaces], axis=0)
        self.size_m = float(np.linalg.norm(high - low))
        on_ground = upright and assembly.ground_part is not None
        self.floor_m = float(bounds_m(assembly)[0][2]) if on_ground else float(low[2] - BELOW * (high[2] - low[2]))

    def post(self, carried: int, corners: Array) -> tuple[Polyhedron, int | None] | None:
        """A post below a part, and on what it stands: None for the floor; nothing where there is no level place."""
        tops = [_lowest_m(self.surfaces[carried], corner) for corner in corners]
        if any(top is None for top in tops):
            return None
        heights = np.array(tops, dtype=float)
        feet, owners = self._feet(carried, np.concatenate([corners, corners.mean(axis=0)[None]]), float(heights.max()))
        if np.ptp(feet) > LEVEL * self.size_m or heights.min() < feet[0] + LEAST_HIGH * self.size_m:
            return None
        return _post(corners, float(feet[0]), heights, self.axes), owners[-1]

    def _feet(self, carried: int, places: Array, top: float) -> tuple[Array, list[int | None]]:
        """The highest thing below each place and under a height, the floor at least; and whose it is."""
        feet: Array = np.full(len(places), self.floor_m)
        owners: list[int | None] = [None] * len(places)
        for number, surface in enumerate(self.surfaces):
            if number == carried:
                continue
            low, high = surface.min(axis=(0, 1)), surface.max(axis=(0, 1))
            for row, place in enumerate(places):
                if (low[:2] <= place).all() and (place <= high[:2]).all() and low[2] < top:
                    met = _met_m(surface, place)
                    met = met[met < top]
                    if len(met) and met.max() > feet[row]:
                        feet[row], owners[row] = float(met.max()), number
        return feet, owners


def _axes(way: tuple[int, int, int]) -> Array:
    """(3, 3) rows of a frame whose third axis looks against a way; the world's where that is down."""
    if way == DOWN:
        return np.eye(3)
    back = -np.array(way, dtype=float)
    return np.array([np.cross((0.0, 0.0, 1.0), back), (0.0, 0.0, 1.0), back])


def _spots(part: Part, twist: Array, borne: Array, axes: Array, begin: Array, end: Array) -> list[Array]:
    """Places against a part, two coordinates in a frame: below what it bears, at its centre, then the fastest."""
    centre, above = axes @ part.com_world_m, (axes @ borne)[:2]
    spots: list[Array] = [begin + np.array((u, v)) * (end - begin) for u in PLACES for v in PLACES]
    turn = axes @ twist[3:]
    rising = [float(np.cross(turn, [*(spot - centre[:2]), 0.0])[2]) for spot in spots]
    spots = [spots[row] for row in np.argsort(rising, kind="stable")]
    margin = 0.06 * (end - begin)
    return [np.clip(above, begin + margin, end - margin), centre[:2], *spots]


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


def _cross(one: Array, other: Array) -> Array:
    return one[..., 0] * other[..., 1] - one[..., 1] * other[..., 0]


def _post(corners: Array, floor: float, heights: Array, axes: Array) -> Polyhedron:
    below = np.column_stack([corners, np.full(4, floor)])
    above = np.column_stack([corners, heights])
    faces: list[tuple[int, ...]] = [(3, 2, 1, 0), (4, 5, 6), (4, 6, 7)]
    faces += [(k, (k + 1) % 4, (k + 1) % 4 + 4, k + 4) for k in range(4)]
    return Polyhedron(np.concatenate([below, above]) @ axes, tuple(faces))


def _with_prop(assembly: Assembly, carried: Part, post: Polyhedron, stands_fast: bool) -> Assembly:
    taken = set(assembly.names)
    name = next(f"prop-{number}" for number in range(1, 10_000) if f"prop-{number}" not in taken)
    made = make_part(name, post, np.eye(4), material=carried.material)
    fixed = assembly.fixed | {name} if stands_fast else assembly.fixed
    return grounded(
        assembly.changed(parts=(*assembly.parts, made), fixed=fixed, ground_part=None, steps=()), assembly.ground
    )
