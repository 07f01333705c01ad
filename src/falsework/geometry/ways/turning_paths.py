"""Ways out on which a part turns: a search that pushes and twists it, and lets it slide along whatever it touches.

A part is urged along a twist. What it touches takes away as much of that twist as would press it in, and no more: the
nearest twist that keeps every touching point out (Lawson and Hanson's least distance problem). So it slides, and turns
about edges that it leans on, in fits without any play, where random poses would all be refused. A place where it ends
up, or was on the way, is where the next twists begin; the one with the least way left to go comes first.

Places are only looked at on the way, so the path in the end is swept as a whole, by screws from place to place
(`sweeping`); where that shows more than a graze, a place is put in between, and stretches of it are made straight.
What is not found may still be there: this proves nothing impossible.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator

import numpy as np

from falsework.geometry.shapes.convex_pieces import pieces_in_world
from falsework.geometry.shapes.planes import cross
from falsework.geometry.shapes.separation import distinct_axes
from falsework.geometry.ways.bent_paths import BentRemovals
from falsework.geometry.ways.removal import CLEAR
from falsework.geometry.ways.screw_paths import is_clear, swept_clear
from falsework.geometry.ways.sliding import Limits, Scene, limits, nearest, scene_of, shifted
from falsework.model.arrays import Array
from falsework.model.bits import bits, lowest
from falsework.model.checkpoints import checkpoint
from falsework.model.poses import logarithm

MOST_STEPS = 6000  # in all
STEP = 0.04  # of the part's reach: how far a push goes before it is looked at again
LONGEST = 0.25  # of the part's reach, where nothing is near
PUSH = 80  # steps of one push
STOP = 6  # steps after which a place on a push is kept
PATIENCE = 0.5  # of the part's reach: what a push must bring nearer to be better than one fewer
STUCK = 0.1  # of a step: what moves less has come to rest
SAME_PLACE, SAME_TURN = 0.05, 0.15  # of the part's reach; rad
MOST_CENTRES = 3  # pieces about whose middle a part is turned
RANDOM = 4  # twists at each place beside those along its own axes
CORRECTED = 4  # attempts to bring a part that got too deep back out


class TurningRemovals:
    """The removal oracle for any path: straight ones first, then bends, then turns."""

    certain = False

    def __init__(self, bent: BentRemovals) -> None:
        self._bent, self._straight = bent, bent.straight
        self._found: dict[tuple[int, int], Array | None] = {}

    def directions(self, moved: int, installed: int) -> Array:
        """Straight ways out, as the straight oracle has them."""
        return self._straight.directions(moved, installed)

    def blockers(self, moved: int) -> tuple[int, ...]:
        """What bars the straight ways; some of it may be got around."""
        return self._straight.blockers(moved)

    def leaves(self, moved: int, installed: int) -> bool:
        """Whether a way out was found."""
        return self._bent.leaves(moved, installed) or self._turned(moved, installed) is not None

    def path(self, moved: int, installed: int, up: Array | None = None) -> Array | None:
        """(k, 4, 4) poses of the first moved body, from free to final; `up` where that is not against gravity.

        Where up is said there are no ways with turns: corners of what turns may go down though it goes up.
        """
        found = self._bent.path(moved, installed, up)
        return self._turned(moved, installed) if found is None and up is None else found

    def _turned(self, moved: int, installed: int) -> Array | None:
        rest = self._straight.rest(moved, installed)
        if (moved, rest) not in self._found:
            self._found[moved, rest] = self._search(moved, rest)
        return self._found[moved, rest]

    def _search(self, moved: int, rest: int) -> Array | None:
        scene = scene_of(self._straight, moved, rest)
        final = self._straight.assembly.poses[lowest(moved)]
        parts = len(self._straight.assembly.parts)
        boxes = [pieces_in_world(self._straight.assembly.bodies[n]).box for n in bits(rest) if n < parts]
        if not boxes:
            return None
        low, high = np.min([box[0] for box in boxes], axis=0), np.max([box[1] for box in boxes], axis=0)
        out = _Pushing(scene, final, low, high).way_out()
        return None if out is None else swept_clear(scene, out)


class _Pushing:
    """One search: places, how they were reached, and how much is left to go from each."""

    def __init__(self, scene: Scene, final: Array, low: Array, high: Array) -> None:
        self._scene, self._box = scene, (low, high)
        self._final = final
        self._steps = 0
        self._rng = np.random.default_rng(0)  # the same search every time
        corners = np.concatenate([one.vertices for one in scene.moving])
        self._corners = corners
        normals = np.concatenate([one.normals for one in scene.moving])
        middles = np.array([one.vertices.mean(axis=0) for one in scene.moving[:MOST_CENTRES]])
        centres = np.concatenate([np.zeros((1, 3)), (middles - scene.middle) / scene.reach_m])
        self._centres = centres if len(scene.moving) > 1 else centres[:1]  # that it is turned about, from its middle
        self._axes = distinct_axes(normals)[:3]  # in the part's frame; its first facets stand for how it is oriented

    def way_out(self) -> Array | None:
        """(k, 4, 4) poses from the assembled one to one that is clear; None where none was found.

        Every new place is first tried for a way straight on; only then, in turn, is the part twisted there.
        """
        trails: list[list[Array]] = [[self._final]]
        met = {self._key(self._final)}
        queue = [(0.0, 0, 0)]
        while queue and self._steps < MOST_STEPS:
            _, pushes, here = heapq.heappop(queue)
            for twist in self._twists(trails[here][-1]):
                checkpoint()
                pushed = self._push(trails[here][-1], twist)
                for count in _stops(len(pushed)):
                    key = self._key(pushed[count - 1])
                    if key in met:
                        continue
                    met.add(key)
                    trail = trails[here] + pushed[:count]
                    leaving = [] if self._left(trail[-1]) <= 0 else self._straight_on(trail[-1])
                    if leaving is not None:
                        return np.array(trail + leaving)
                    trails.append(trail)
                    left = self._left(trail[-1]) / self._scene.reach_m
                    heapq.heappush(queue, (left + PATIENCE * (pushes + 1), pushes + 1, len(trails) - 1))
        return None

    def _straight_on(self, pose: Array) -> list[Array] | None:
        """A clear pose to which it can be shifted from a place, as a list; None where there is none."""
        corners = self._corners @ pose[:3, :3].T + pose[:3, 3]
        clear = CLEAR * self._scene.size_m
        ahead, behind = self._box[1] + clear - corners.min(axis=0), corners.max(axis=0) - self._box[0] + clear
        for axis in self._signed(pose):
            self._steps += 1
            moving = np.abs(axis) > 1e-9
            far = float((np.where(axis > 0, ahead, behind)[moving] / np.abs(axis[moving])).min())
            end = pose.copy()
            end[:3, 3] += far * axis
            if is_clear(self._scene, pose, end):
                return [end]
        return None

    def _signed(self, pose: Array) -> Array:
        """(k, 3) the part's own axes, as it was assembled and as it is now, both ways."""
        axes = distinct_axes(np.concatenate([self._axes @ self._final[:3, :3].T, self._axes @ pose[:3, :3].T]))
        return np.concatenate([axes, -axes])

    def _twists(self, pose: Array) -> Iterator[Array]:
        """Unit twists to try from a place, world axes, turns in units of the part's reach.

        Shifts, turns about the middle of the whole and of its pieces, and some at random.
        """
        signed = self._signed(pose)
        for axis in signed:
            yield np.concatenate([axis, np.zeros(3)])
        for centre in self._centres @ pose[:3, :3].T:
            for axis in signed:
                yield _unit(np.concatenate([cross(centre, axis), axis]))
        for twist in self._rng.normal(size=(RANDOM, 6)):
            yield _unit(twist)

    def _push(self, pose: Array, twist: Array) -> list[Array]:
        """Poses on the way of a push, until it rests, is clear, or has gone far enough."""
        scene, poses = self._scene, []
        step = STEP * scene.reach_m
        near = limits(scene, pose, 2 * LONGEST * scene.reach_m)
        for _ in range(PUSH):
            self._steps += 1
            moved = self._stepped(pose, twist * step, near)
            if moved is None:
                break
            free = not len(near.rows)
            pose, near = moved
            poses.append(pose)
            step = min(2 * step, LONGEST * scene.reach_m) if free else STEP * scene.reach_m
            if self._left(pose) <= 0 or self._steps >= MOST_STEPS:
                break
        return poses

    def _stepped(self, pose: Array, wanted: Array, near: Limits) -> tuple[Array, Limits] | None:
        """The pose a step further, kept out of everything near, and what is near it there; None where it rests."""
        size = float(np.linalg.norm(wanted))
        moved = nearest(wanted, near.rows, -near.gaps)
        if moved is None or not STUCK * size < np.linalg.norm(moved) < 2 * size:
            return None
        new = shifted(pose, moved, self._scene)
        for _ in range(CORRECTED):
            there = limits(self._scene, new, 2 * size)
            if not there.too_deep:
                return new, there
            back = nearest(np.zeros(6), there.rows, -there.gaps)
            if back is None or np.linalg.norm(back) > size:
                return None
            new = shifted(new, back, self._scene)
        return None

    def _left(self, pose: Array) -> float:
        """How far the group must still go, along one axis at least, for its box to be apart from the others'."""
        corners = self._corners @ pose[:3, :3].T + pose[:3, 3]
        low, high = corners.min(axis=0), corners.max(axis=0)
        clear = CLEAR * self._scene.size_m
        return float(min((self._box[1] + clear - low).min(), (high - self._box[0] + clear).min()))

    def _key(self, pose: Array) -> tuple[int, ...]:
        middle = pose[:3, :3] @ self._scene.middle + pose[:3, 3]
        turn = logarithm(np.linalg.inv(self._final) @ pose)[3:]
        cell = np.concatenate([middle / (SAME_PLACE * self._scene.reach_m), turn / SAME_TURN])
        return tuple(np.rint(cell).astype(int).tolist())


def _unit(twist: Array) -> Array:
    scaled: Array = twist / np.linalg.norm(twist)
    return scaled


def _stops(steps: int) -> list[int]:
    """After how many steps of a push a place is kept: the last, and now and then before."""
    return [steps, *range(STOP, steps, STOP)] if steps else []
