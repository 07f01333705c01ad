"""Along which ways parts of any shape leave an assembly, by their surfaces.

Straight ways are decided exactly, one pair of bodies and one direction at a time, when first asked for: a question
about a state ends at the first direction that is free. What no straight line lets out is slid out (`search`), and its
path is proved. What a search has found holds for every state with fewer parts, and where it has found nothing, none is
made with more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.geometry.distance.drawn_overlaps import drawn_depth, slimmer
from falsework.geometry.distance.surface import surface_of
from falsework.geometry.shapes.placed_solids import diameter
from falsework.geometry.ways.directions import even_sphere, exact_directions
from falsework.geometry.ways.meetings import rays_meet
from falsework.geometry.ways.surfaces.locked import is_locked
from falsework.geometry.ways.surfaces.proving import proved
from falsework.geometry.ways.surfaces.scenes import Scene, box_of, scene_of
from falsework.geometry.ways.surfaces.search import Search
from falsework.geometry.ways.surfaces.threads import screws_of
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.bits import bits, lowest
from falsework.model.checkpoints import checkpoint
from falsework.model.errors import BadInput
from falsework.model.interfaces import Interfaces
from falsework.model.shapes import BrickShape

SPREAD = 64  # directions of the sphere, beside axes and what contacts suggest
SUGGESTED = 64  # directions that contacts suggest, at most
LEVEL = 1e-9  # sine up to which a way does not lead down
CLEAR = 1e-3  # of the assembly's size: how far beyond the others' box a body starts


@dataclass(slots=True)
class _Ways:
    """The directions that are tried for a group, and what is known of the other bodies on each, as masks."""

    directions: Array  # (k, 3)
    asked: list[int]  # of whom it is known whether they are in the way
    blocking: list[int]  # who are


class SurfaceRemovals:
    """The removal oracle for parts of any shape; see `model.ports.RemovalOracle`."""

    certain = False  # directions are tried, not all of them; what is locked is told by `locked`

    def __init__(self, assembly: Assembly, joints: Interfaces, *, slides: bool = True) -> None:
        """`slides`: whether other ways than straight lines are looked for too."""
        if any(isinstance(part.shape, BrickShape) for part in assembly.parts):
            raise BadInput("ways by surfaces are asked for among bricks; bricks go by their grid")
        self.assembly, self.joints, self.slides = assembly, joints, slides
        self.bodies = len(assembly.bodies)
        self.size_m = diameter(assembly)
        self._fixed = assembly.fixed_mask()
        self._surfaces = [surface_of(body.shape) for body in assembly.bodies]
        boxes = [box_of(surface, pose) for surface, pose in zip(self._surfaces, assembly.poses, strict=True)]
        self._lows, self._highs = np.array([box[0] for box in boxes]), np.array([box[1] for box in boxes])
        self._ways: dict[int, _Ways] = {}
        self._least: dict[int, tuple[int, ...]] = {}
        self._found: dict[int, list[tuple[int, Array]]] = {}
        self._not_found: dict[int, list[int]] = {}
        self._locked: dict[tuple[int, int], bool] = {}

    # What the port promises

    def directions(self, moved: int, installed: int) -> Array:
        """(k, 3) unit directions along which the moved bodies leave the installed rest; masks over the bodies."""
        rest = self.rest(moved, installed)
        ways = self._candidates(moved).directions
        return ways[[k for k in range(len(ways)) if self._is_free(moved, k, rest)]]

    def leaves(self, moved: int, installed: int) -> bool:
        """Whether a way out was found."""
        rest = self.rest(moved, installed)
        straight = any(self._is_free(moved, k, rest) for k in range(len(self._candidates(moved).directions)))
        return straight or self._slid(moved, rest) is not None

    def blockers(self, moved: int) -> tuple[int, ...]:
        """The least sets of bodies that block the group, one a direction: with one of them gone entirely, it leaves."""
        if moved not in self._least:
            rest = self.rest(moved, (1 << self.bodies) - 1)
            masks = {self._blocking(moved, k, rest) for k in range(len(self._candidates(moved).directions))}
            least: list[int] = []
            for mask in sorted(masks, key=lambda mask: (mask.bit_count(), mask)):
                if not any(smaller & mask == smaller for smaller in least):
                    least.append(mask)
            self._least[moved] = tuple(least)
        return self._least[moved]

    def path(self, moved: int, installed: int, up: Array | None = None) -> Array | None:
        """(k, 4, 4) poses of the group's first part, from free to final, or None; of straight ways the most upward.

        `up`: where that is, if not against gravity; no way then leads down, nor lets anything hang lower than it ends.
        """
        rest = self.rest(moved, installed)
        ways = self._candidates(moved).directions
        heights = np.round(ways @ (self._up() if up is None else up), 6)
        for k in np.argsort(-heights, kind="stable"):
            if up is not None and ways[k] @ up <= -LEVEL:
                break
            if self._is_free(moved, int(k), rest):
                return self._straight(moved, rest, ways[k])
        slid = self._slid(moved, rest)
        return None if slid is None or (up is not None and self._sinks(moved, slid, up)) else slid

    def locked(self, moved: int, installed: int) -> bool:
        """Whether it is proved that no way leads out: the group gets no further than its play."""
        rest = self.rest(moved, installed)
        if (moved, rest) not in self._locked:
            scene = self._scene(moved, rest)
            self._locked[moved, rest] = scene is not None and is_locked(scene)
        return self._locked[moved, rest]

    def rest(self, moved: int, installed: int) -> int:
        """What is there beside the moved bodies, fixed parts included."""
        if moved <= 0 or moved >> self.bodies:
            raise BadInput(f"expected a mask of bodies 0 to {self.bodies - 1} to move, found {moved:#x}")
        if moved & self._fixed:
            raise BadInput(f"fixed parts never move: {', '.join(self.assembly.named(moved & self._fixed))}")
        return (installed | self._fixed) & ~moved & (1 << self.bodies) - 1

    # Straight ways

    def _up(self) -> Array:
        gravity = self.assembly.gravity
        return -gravity / np.linalg.norm(gravity) if gravity.any() else np.array([0.0, 0.0, 1.0])

    def _candidates(self, moved: int) -> _Ways:
        """Directions to try: up, axes, what contacts and faces suggest, and an even sphere."""
        if moved not in self._ways:
            suggested = exact_directions(self.joints, moved)[:SUGGESTED]
            axes = [np.eye(3)] + [self.assembly.poses[body][:3, :3].T for body in bits(moved)]
            signed = np.concatenate(axes)
            sphere = even_sphere()[:: len(even_sphere()) // SPREAD]
            ways = np.concatenate([self._up()[None], signed, -signed, suggested, sphere])
            _, first = np.unique(np.round(ways, 9) + 0.0, axis=0, return_index=True)
            ways = ways[np.sort(first)]
            self._ways[moved] = _Ways(ways, self._never_met(moved, ways), [0] * len(ways))
        return self._ways[moved]

    def _never_met(self, moved: int, ways: Array) -> list[int]:
        """By direction, the bodies whose boxes those of the group never meet: nothing else is to be asked of them."""
        meets = np.zeros((self.bodies, len(ways)), dtype=bool)
        for one in bits(moved):
            meets |= rays_meet(self._lows - self._highs[one], self._highs - self._lows[one], ways)
        packed = np.packbits(~meets, axis=0, bitorder="little")
        return [int.from_bytes(packed[:, way].tobytes(), "little") for way in range(len(ways))]

    def _is_free(self, moved: int, way: int, rest: int) -> bool:
        """Whether nothing of the rest is in the way; those that are known to be first."""
        known = self._candidates(moved)
        if known.blocking[way] & rest:
            return False
        return not any(self._blocks(moved, other, way) for other in bits(rest & ~known.asked[way]))

    def _blocking(self, moved: int, way: int, rest: int) -> int:
        known = self._candidates(moved)
        for other in bits(rest & ~known.asked[way]):
            self._blocks(moved, other, way)
        return known.blocking[way] & rest

    def _blocks(self, moved: int, other: int, way: int) -> bool:
        """Whether another body is in the way of the group, found out now."""
        checkpoint()
        known = self._candidates(moved)
        blocks = any(self._runs_into(one, other, known.directions[way]) for one in bits(moved))
        known.asked[way] |= 1 << other
        known.blocking[way] |= blocks << other
        return blocks

    def _runs_into(self, one: int, other: int, way: Array) -> bool:
        from falsework.geometry.ways.surfaces.shadows import runs_into  # needs numba

        T = np.linalg.inv(self.assembly.poses[one]) @ self.assembly.poses[other]
        depth = drawn_depth(self._surfaces[one], self._surfaces[other], T)
        if depth is None:
            return True
        toward = np.ascontiguousarray((way @ self.assembly.poses[one][:3, :3])[None])
        slim = slimmer(self._surfaces[one], depth)
        return bool(runs_into(slim.tree, self._surfaces[other].tree, T[:3, :3].copy(), T[:3, 3].copy(), toward)[0])

    def _straight(self, moved: int, rest: int, way: Array) -> Array:
        """(2, 4, 4) from clear of the others' box."""
        group = list(bits(moved))
        others = [number for number in bits(rest) if number < len(self.assembly.parts)] or group
        ahead = self._highs[others].max(axis=0) - self._lows[group].min(axis=0)
        behind = self._highs[group].max(axis=0) - self._lows[others].min(axis=0)
        moving = np.abs(way) > 1e-9
        gaps = (np.where(way > 0, ahead, behind) + CLEAR * self.size_m)[moving] / np.abs(way[moving])
        final = self.assembly.poses[lowest(moved)]
        start = final.copy()
        start[:3, 3] += way * max(float(gaps.min()), CLEAR * self.size_m)
        return np.stack([start, final])

    # Other ways

    def _scene(self, moved: int, rest: int) -> Scene | None:
        return scene_of(self.assembly, moved, rest)

    def _slid(self, moved: int, rest: int) -> Array | None:
        """The path of a search, found now or with more parts there."""
        if not self.slides or not rest:
            return None
        for there, path in self._found.get(moved, []):
            if there & rest == rest:
                return path
        if any(there & rest == there for there in self._not_found.get(moved, [])):
            return None
        scene = None if self._locked.get((moved, rest)) else self._scene(moved, rest)
        screws = screws_of(self.assembly, self.joints, moved, rest)
        search = None if scene is None else Search(scene, screws=screws)
        places = None if search is None else search.run(lambda: self.locked(moved, rest)).poses
        out = None if scene is None or places is None else proved(scene, places)
        if out is None:
            self._not_found.setdefault(moved, []).append(rest)
        else:
            self._found.setdefault(moved, []).append((rest, out))
        return out

    def _sinks(self, moved: int, path: Array, up: Array) -> bool:
        """Whether the first body goes down on its way out, or something of the group hangs lower than it ends."""
        scene = self._scene(moved, 0)
        assert scene is not None, "nothing is in the way of a group alone"
        heights = [float((scene.corners @ pose[:3, :3].T @ up).min() + pose[:3, 3] @ up) for pose in path[::-1]]
        slack = 1e-9 * self.size_m
        legs = np.diff(path[::-1, :3, 3] @ up)
        return bool((legs < -slack).any() or (np.array(heights) < heights[0] - slack).any())
