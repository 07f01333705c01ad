"""Which parts nearly touch: looked for where something falls, and nowhere else.

Faces of a part that falls lie on those of another but for a distance beyond the gap up to which parts touch. Of parts
that still hang on nothing the least distance to anything else counts, whatever comes nearest. The gap that is told
is the least with which every part that falls hangs on one that does not, as far as what is near can do that.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from falsework.geometry.contacts.flat.planar import touching_regions
from falsework.geometry.contacts.grid_contacts import grid_groups
from falsework.geometry.shapes.linking import components_of
from falsework.geometry.shapes.placed_solids import near_between, scene
from falsework.geometry.shapes.solids import outer_surface
from falsework.geometry.shapes.tolerances import gaps_of, widest_gap_m
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.near_misses import NearMiss, NearMisses, Side

REACH = 2e-2  # of the smaller part's size: two hundred times the usual gap
LOOK = 1.0  # of its own size: so far a part that hangs on nothing looks for the nearest other
MOST_MEASURED = 400  # pairs whose least distance is measured
DIGITS = 2  # of the gap that is told
SLACK = 1e-6  # of a gap: what rounding may add to it
UPRIGHT = 0.7  # cosine between a normal and up from which on one part is above the other


def touching_range(assembly: Assembly) -> tuple[float, float] | None:
    """The least and the most distance up to which parts of an assembly touch; None where all are bricks of grids."""
    count = len(assembly.parts)
    loose = grid_groups(assembly)[:count] < 0
    if not loose.any():
        return None
    gaps = gaps_of(assembly, 2 * np.array([body.radius_m for body in assembly.bodies]))[:count][loose]
    return float(gaps.min()), float(gaps.max())


def isolated(assembly: Assembly, joints: Interfaces, installed: int) -> tuple[str, ...]:
    """Parts of a state that touch nothing of it, clutches and hinges counted; fixed ones need not touch anything."""
    touching = set(_joined(joints, _there(assembly, installed)).ravel().tolist())
    free = installed & ~assembly.fixed_mask()
    return tuple(part.name for k, part in enumerate(assembly.parts) if free >> k & 1 and k not in touching)


def near_misses(assembly: Assembly, joints: Interfaces, installed: int, falling: Iterable[str]) -> NearMisses:
    """What the falling parts of a state (a mask) touch nothing of, or nearly touch."""
    names = set(falling)
    alone = tuple(name for name in isolated(assembly, joints, installed) if name in names)
    there, groups = _there(assembly, installed), grid_groups(assembly)
    falls = np.array([body.name in names for body in assembly.bodies]) & there
    if not falls.any() or ((groups[there] >= 0).all() and len(set(groups[there].tolist())) == 1):
        return NearMisses(alone)  # bricks of one grid touch or do not, in whole numbers
    search = _Search(assembly, there, falls)
    joined = _joined(joints, there)
    misses = search.faces(_held_together(joints))
    loose = falls & ~_hangs(falls, there, np.concatenate([joined, _ends(misses)]))
    if loose.any():
        misses += search.nearest(loose, joined)
    misses.sort(key=lambda miss: (abs(miss.apart_m), miss.part, miss.other))
    near = [miss for miss in misses if search.is_near(miss)]
    bodies = assembly.bodies
    told = [
        NearMiss(bodies[one].name, bodies[other].name, apart_m, side)
        for one, other, apart_m, side in near or misses[:1]
    ]
    return NearMisses(alone, tuple(told), _gap(near, falls, there, joined))


class _Miss(NamedTuple):
    part: int  # that falls
    other: int
    apart_m: float
    side: Side


def _there(assembly: Assembly, installed: int) -> Bools:
    return np.array([bool(installed >> k & 1) for k in range(len(assembly.bodies))])


def _joined(joints: Interfaces, there: Bools) -> Ints:
    """(k, 2) bodies of a state that act on each other in whatever way."""
    pairs = np.concatenate(
        [joints.patches.bodies, joints.clutches.bodies, joints.hinges.bodies, joints.ambiguous.bodies]
    )
    joined: Ints = pairs[there[pairs].all(axis=1)]
    return joined


def _held_together(joints: Interfaces) -> set[tuple[int, int]]:
    """Bodies that touch in a face, or are joined: if they nearly touch elsewhere too, that is not what is missing."""
    pairs = [joints.patches.bodies[joints.patches.sizes > 2], joints.clutches.bodies, joints.hinges.bodies]
    return {(min(a, b), max(a, b)) for a, b in np.concatenate(pairs).tolist()}


def _ends(misses: Iterable[_Miss]) -> Ints:
    return np.array([(miss.part, miss.other) for miss in misses], dtype=np.int64).reshape(-1, 2)


def _hangs(falls: Bools, there: Bools, pairs: Ints) -> Bools:
    """(bodies,) which of them hang together, by pairs (k, 2), with one that does not fall."""
    part = components_of(len(falls), *pairs.T)
    hangs: Bools = np.isin(part, part[there & ~falls])
    return hangs


def _gap(misses: list[_Miss], falls: Bools, there: Bools, joined: Ints) -> float | None:
    """The least gap with which as many parts that fall hang on others as can; where all do already, the nearest miss.

    `misses` are the nearest first.
    """
    if not misses:
        return None
    most = int(_hangs(falls, there, np.concatenate([joined, _ends(misses)])).sum())
    few, many = 0, len(misses)  # that do not do, that do
    if int(_hangs(falls, there, joined).sum()) == most:
        many = 1
    while many - few > 1:
        middle = (few + many) // 2
        enough = int(_hangs(falls, there, np.concatenate([joined, _ends(misses[:middle])])).sum()) == most
        few, many = (few, middle) if enough else (middle, many)
    return _rounded_up(abs(misses[many - 1].apart_m))


def _rounded_up(value: float) -> float:
    """To few digits, never less, but for rounding."""
    step = 10.0 ** (math.floor(math.log10(value)) + 1 - DIGITS)
    return float(f"{math.ceil(value / step - SLACK) * step:.{DIGITS}g}")


class _Search:
    """The surroundings of what falls."""

    def __init__(self, assembly: Assembly, there: Bools, falls: Bools) -> None:
        self._assembly, self._there, self._falls = assembly, there, falls
        self._sizes = 2 * np.array([body.radius_m for body in assembly.bodies])
        self._gaps, self._widest = gaps_of(assembly, self._sizes), widest_gap_m(assembly)
        surfaces = [outer_surface(body.shape) for body in assembly.bodies]
        self._corners = [
            mesh.vertices @ pose[:3, :3].T + pose[:3, 3] for mesh, pose in zip(surfaces, assembly.poses, strict=True)
        ]
        self._triangles = [mesh.triangles for mesh in surfaces]
        self._lows = np.array([corners.min(axis=0) for corners in self._corners])
        self._highs = np.array([corners.max(axis=0) for corners in self._corners])
        pull = float(np.linalg.norm(assembly.gravity))
        self._up = -assembly.gravity / pull if pull > 0 else np.array([0.0, 0.0, 1.0])

    def is_near(self, miss: _Miss) -> bool:
        """Whether it is near enough that a gap can be asked for."""
        return abs(miss.apart_m) <= min(self._reach(miss.part, miss.other), self._widest)

    def faces(self, known: set[tuple[int, int]]) -> list[_Miss]:
        """Faces that lie on each other but for a distance, of pairs that are not known to touch in a face."""
        near, bodies = self._neighbourhood()
        if near is None:
            return []
        placed = scene(near, grid_groups(near))
        pairs = bodies[placed.body[placed.pairs]]
        wanted = self._falls[pairs].any(axis=1)
        wanted &= np.array([tuple(sorted(pair)) not in known for pair in pairs.tolist()], dtype=bool)
        placed, pairs = placed.with_pairs(wanted), pairs[wanted]
        found = touching_regions(placed) if len(pairs) else None
        if found is None:
            return []
        widest: dict[tuple[int, int], int] = {}
        for k in np.argsort(found.areas, kind="stable").tolist():
            one, other = pairs[found.pair[k]].tolist()
            if self._gap(one, other) < abs(found.apart_m[k]) <= self._reach(one, other):
                widest[one, other] = k
        return [self._miss(*pair, float(found.apart_m[k]), found.normals[k]) for pair, k in widest.items()]

    def nearest(self, loose: Bools, joined: Ints) -> list[_Miss]:
        """What comes nearest to each piece of what falls and hangs on nothing, where anything is near at all."""
        piece = components_of(len(loose), *joined.T)
        best: dict[int, _Miss] = {}
        for apart, one, other in self._box_distances(loose, piece)[:MOST_MEASURED]:
            known = best.get(int(piece[one]))
            if known is None or apart < known.apart_m:
                length = LOOK * float(self._sizes[one]) if known is None else known.apart_m
                distance = self._distance(one, other, length)
                if self._gap(one, other) < distance < length:
                    best[int(piece[one])] = _Miss(one, other, distance, self._side_by_boxes(one, other))
        return list(best.values())

    def _gap(self, one: int, other: int) -> float:
        return float(min(self._gaps[one], self._gaps[other]))

    def _reach(self, one: int, other: int) -> float:
        return REACH * float(min(self._sizes[one], self._sizes[other]))

    def _neighbourhood(self) -> tuple[Assembly | None, Ints]:
        """What falls and what is about it, as an assembly whose gap is as wide as is looked for, and its bodies."""
        falls, there = np.flatnonzero(self._falls), np.flatnonzero(self._there)
        reach = REACH * float(self._sizes[falls].max())
        boxes = (self._lows[falls], self._highs[falls]), (self._lows[there], self._highs[there])
        bodies = np.unique(there[near_between(*boxes, reach)[:, 1]])
        count = len(self._assembly.parts)
        parts = bodies[bodies < count]
        if len(bodies) < 2:
            return None, bodies
        names = {self._assembly.parts[k].name for k in parts.tolist()}
        ground = self._assembly.ground_part if count in bodies else None
        near = self._assembly.changed(
            parts=tuple(self._assembly.parts[k] for k in parts.tolist()),
            fixed=self._assembly.fixed & names,
            ground_part=ground,
            loads=(),
            hinges=(),
            gap_m=reach,
        )
        return near, bodies

    def _box_distances(self, loose: Bools, piece: Ints) -> list[tuple[float, int, int]]:
        """How far boxes of loose bodies are from those of other pieces, as far as is looked, the nearest first."""
        ones, others = np.flatnonzero(loose), np.flatnonzero(self._there)
        reach = LOOK * float(self._sizes[ones].max())
        boxes = (self._lows[ones], self._highs[ones]), (self._lows[others], self._highs[others])
        pairs = near_between(*boxes, reach)
        one, other = ones[pairs[:, 0]], others[pairs[:, 1]]
        apart = np.maximum(self._lows[one] - self._highs[other], self._lows[other] - self._highs[one])
        distances = np.linalg.norm(np.maximum(apart, 0.0), axis=1)
        rows = np.flatnonzero(piece[one] != piece[other])
        return sorted(zip(distances[rows].tolist(), one[rows].tolist(), other[rows].tolist(), strict=True))

    def _distance(self, one: int, other: int, length_m: float) -> float:
        """The least distance of two bodies, as far as `length_m`."""
        return float(self._manifold(one).min_gap(self._manifold(other), length_m))

    def _manifold(self, body: int) -> Any:
        import manifold3d

        vertices = np.ascontiguousarray(self._corners[body])
        return manifold3d.Manifold(manifold3d.Mesh64(vertices, self._triangles[body].astype(np.uint64)))

    def _miss(self, one: int, other: int, apart_m: float, normal: Array) -> _Miss:
        """Of a pair of which one or both fall; `normal` from the first into the second."""
        if not self._falls[one] or (self._falls[other] and float(normal @ self._up) > 0):
            one, other, normal = other, one, -normal  # if both fall, the upper one is told of
        down = -float(normal @ self._up)
        return _Miss(one, other, apart_m, "above" if down > UPRIGHT else "under" if down < -UPRIGHT else "beside")

    def _side_by_boxes(self, one: int, other: int) -> Side:
        heights = [self._corners[body] @ self._up for body in (one, other)]
        if heights[0].min() >= heights[1].max():
            return "above"
        return "under" if heights[0].max() <= heights[1].min() else "beside"
