"""A way out for a group that no straight line lets out: pushes from place to place, the most promising place first.

Where threads are known, their screws come first (`threads`). Then, at each place, the group is pushed along the twists
that its contacts leave free (`slippage`), then along and about its own axes, then at random: forces and torques, as the
physics-based planners have them. Wherever a push passes it is tried for a way straight out, and for a narrow opening
beside it (`_opening`). The number of steps is bounded, not the time: the same question gets the same answer.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from falsework.geometry.shapes.separation import distinct_axes
from falsework.geometry.ways.surfaces.pushing import Effort, brought_out, push
from falsework.geometry.ways.surfaces.scenes import Scene
from falsework.geometry.ways.surfaces.screws import in_own_axes, moved_by, twist_between
from falsework.geometry.ways.surfaces.slippage import free_twists
from falsework.geometry.ways.surfaces.straight_on import way_out
from falsework.geometry.ways.surfaces.threads import Screw, unscrewed
from falsework.geometry.ways.surfaces.touching import limits
from falsework.model.arrays import Array
from falsework.model.checkpoints import checkpoint
from falsework.model.poses import logarithm

CLEAR = 1e-3  # of the group's reach: how far beyond the others' box it is free
PUSH = 400  # steps of one push
SCALES = (3e-4, 1e-3, 3e-3, 1e-2, 3e-2)  # of the reach: gaps within which bodies count as touching
PATIENCE = 0.5  # of the reach: what a push must bring nearer to be better than one fewer
SAME_PLACE, SAME_TURN = 0.03, 0.06  # of the reach; rad
STOP, MOST_STOPS = 0.08, 100  # of the reach, how far apart places on a push are looked at; at most so many
RANDOM = 4  # twists at each place beside the others
PEEP = 0.1  # of the reach: how far into an opening a group is put to see whether it fits
MOST_STEPS = 3000


class Found(NamedTuple):
    """Poses from the assembled one to one that is clear, or None; and the bodies that were near on the way."""

    poses: Array | None
    steps: int


class Search:
    """One search: places, how they were reached, and how much is left to go from each."""

    def __init__(self, scene: Scene, most_steps: int = MOST_STEPS, screws: Sequence[Screw] = ()) -> None:
        """`screws`: of threads by which the group touches others."""
        self._scene, self._effort, self._most, self._screws = scene, Effort(most_steps), most_steps, screws
        self._rng = np.random.default_rng(0)  # the same search every time
        self._clear_m = CLEAR * scene.reach_m
        self._axes = _own_axes(scene)

    def run(self, is_locked: Callable[[], bool] = lambda: False) -> Found:
        """The first way out that is found. Where no screw leads out, it is asked whether any way can."""
        scene = self._scene
        self._trails: list[list[Array]] = [[scene.final]]
        self._met = {self._key(scene.final)}
        self._queue = [(0.0, 0, 0)]
        threads = (way for screw in self._screws for way in unscrewed(scene, screw, self._clear_m))
        found = self._led_out(self._trails[0], threads, 1)
        if found is None and is_locked():
            return Found(None, self._most - max(self._effort.steps, 0))
        while found is None and self._queue and not self._effort.spent:
            _, pushes, here = heapq.heappop(self._queue)
            trail = self._trails[here]
            for twists_at in (self._slipping, self._any):
                found = found or self._led_out(trail, self._pushed(trail[-1], twists_at(trail[-1])), pushes + 1)
        poses = None if found is None else np.array(found)
        return Found(poses, self._most - max(self._effort.steps, 0))

    def _pushed(self, pose: Array, twists: Array) -> Iterator[list[Array]]:
        for twist in twists:
            checkpoint()
            yield push(self._scene, pose, twist, self._effort, PUSH, self._clear_m)

    def _led_out(self, trail: list[Array], pushed_ways: Iterable[list[Array]], pushes: int) -> list[Array] | None:
        """Poses that lead out from a trail's end by one of the ways: to its end, or from where it passes, or beside."""
        scene, ways = self._scene, []
        for pushed in pushed_ways:
            if pushed:
                leaving = self._straight_out(pushed[-1])
                if leaving is not None:
                    return [*trail, *pushed, *leaving]
                ways.append(pushed)
        places: list[list[Array]] = []
        for pushed in ways:
            for count, place in self._stops(trail[-1], pushed):
                key = self._key(place)
                if key in self._met or self._effort.spent:
                    continue
                self._met.add(key)
                places.append([*trail, *pushed[:count], place])
                leaving = self._straight_out(place)
                if leaving is not None:
                    return [*places[-1], *leaving]
        for place_trail in places:
            checkpoint()
            beside = None if self._effort.spent else self._beside(place_trail[-1])
            if beside is not None:
                return [*place_trail, *beside]
            left = scene.left(place_trail[-1], self._clear_m) / scene.reach_m
            self._trails.append(place_trail)
            heapq.heappush(self._queue, (left + PATIENCE * pushes, pushes, len(self._trails) - 1))
        return None

    def _straight_out(self, pose: Array) -> list[Array] | None:
        """The pose at the end of a straight way out, as a list; None where there is none."""
        if self._scene.left(pose, self._clear_m) <= 0:
            return []
        self._effort.steps -= 1
        end = way_out(self._scene, pose, self._ways(pose), self._clear_m)
        return None if end is None else [end]

    def _beside(self, pose: Array) -> list[Array] | None:
        """Poses that lead out through an opening beside a place; None where none was seen."""
        ways = self._ways(pose)
        for way in ways:
            through = self._opening(pose, way)
            if through is not None:
                end = way_out(self._scene, through[-1], np.concatenate([way[None], ways]), self._clear_m)
                if end is not None:
                    return [*through, end]
        return None

    def _opening(self, pose: Array, way: Array) -> list[Array] | None:
        """A place beside, and one a little further along a way from there, where walls are in the way just here.

        Put a little into the wall, the group is let out to wherever is nearest: beside a narrow opening, into it.
        """
        scene = self._scene
        self._effort.steps -= 1
        shift = PEEP * scene.reach_m * way
        ahead = pose.copy()
        ahead[:3, 3] += shift
        if not scene.meets(ahead):
            return None  # nothing is in the way: a push gets there
        there = brought_out(scene, ahead, PEEP * scene.reach_m, PEEP * scene.reach_m)
        if there is None:
            return None
        inside = there[0]
        middle = scene.middle
        went = (inside[:3, :3] @ middle + inside[:3, 3] - pose[:3, :3] @ middle - pose[:3, 3]) @ way
        if went < 0.5 * PEEP * scene.reach_m or scene.meets(inside):
            return None
        before = inside.copy()
        before[:3, 3] -= shift
        back = brought_out(scene, before, PEEP * scene.reach_m, 0.25 * PEEP * scene.reach_m)
        if back is None or scene.meets(back[0]) or self._is_far(pose, back[0]):
            return None
        return [back[0], inside]

    def _is_far(self, pose: Array, other: Array) -> bool:
        return bool(np.linalg.norm(twist_between(self._scene, pose, other)) > 2 * PEEP * self._scene.reach_m)

    def _ways(self, pose: Array) -> Array:
        """(k, 3) the group's own axes, as it was assembled and as it is now, both ways."""
        axes = distinct_axes(
            np.concatenate([np.eye(3), self._axes @ self._scene.final[:3, :3].T, self._axes @ pose[:3, :3].T])
        )
        return np.concatenate([axes, -axes])

    def _slipping(self, pose: Array) -> Array:
        """(k, 6) twists that what is touched leaves free, in the group's own axes."""
        scene = self._scene
        near = limits(scene, pose, SCALES[-1] * scene.reach_m)
        twists = free_twists(near, tuple(scale * scene.reach_m for scale in SCALES))
        own = [in_own_axes(pose, twist) for twist in twists]
        left = [scene.left(moved_by(scene, pose, twist * scene.reach_m), self._clear_m) for twist in own]
        for k in range(0, len(own), 2):  # of both ways along a twist the one that leads outward first
            if left[k + 1] < left[k]:
                own[k], own[k + 1] = own[k + 1], own[k]
        return np.array(own).reshape(-1, 6)

    def _any(self, pose: Array) -> Array:
        """(k, 6) forces and torques along and about the group's axes, and some at random."""
        ways, none = self._ways(pose), np.zeros((2 * len(self._ways(pose)), 6))
        none[: len(ways), :3], none[len(ways) :, 3:] = ways, ways
        own = np.array([in_own_axes(pose, twist) for twist in none])
        random = self._rng.normal(size=(RANDOM, 6))
        return np.concatenate([own, random / np.linalg.norm(random, axis=1, keepdims=True)])

    def _stops(self, start: Array, pushed: list[Array]) -> Iterator[tuple[int, Array]]:
        """Places on a push that are looked at, and after how many of its poses: all along, and the last."""
        twists = [twist_between(self._scene, one, next_one) for one, next_one in pairwise([start, *pushed])]
        lengths = np.array([np.linalg.norm(twist) for twist in twists])
        spacing = max(STOP * self._scene.reach_m, float(lengths.sum()) / MOST_STOPS)
        gone = 0.0
        for count, (twist, length) in enumerate(zip(twists, lengths, strict=True)):
            first = spacing - gone
            for at in np.arange(first, length, spacing):
                yield count, moved_by(self._scene, [start, *pushed][count], twist * (at / length))
            gone = (gone + length) % spacing
        yield len(pushed) - 1, pushed[-1]

    def _key(self, pose: Array) -> tuple[int, ...]:
        middle = pose[:3, :3] @ self._scene.middle + pose[:3, 3]
        turn = logarithm(np.linalg.inv(self._scene.final) @ pose)[3:]
        cell = np.concatenate([middle / (SAME_PLACE * self._scene.reach_m), turn / SAME_TURN])
        return tuple(np.rint(cell).astype(int).tolist())


def _own_axes(scene: Scene) -> Array:
    """(≤ 3, 3) in the first body's frame: where most of the group's faces look, the largest areas first."""
    samples, turn = scene.moving[0].samples, scene.moving[0].T_first_body[:3, :3]
    flat = samples.normals[samples.areas > 0] @ turn.T
    cells, count = np.unique(np.rint(np.where(flat[:, :1] < 0, -flat, flat) * 50), axis=0, return_counts=True)
    order = np.argsort(-count, kind="stable")
    chosen: list[Array] = []
    for cell in cells[order]:
        axis = cell / np.linalg.norm(cell)
        if len(chosen) < 3 and all(abs(float(axis @ other)) < 0.9 for other in chosen):
            chosen.append(axis)
    return np.array(chosen)
