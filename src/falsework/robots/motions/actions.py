"""What one arm does without a pause: one way from rest to rest, or one closing or opening of its hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array
from falsework.model.robots.grasp import Grasp
from falsework.model.robots.motion import Guard, SegmentKind
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.motions.retiming import Timed, bounds
from falsework.robots.motions.transits import reaches

FINGERS_M_S = 0.1  # how fast fingers move
GRIP_S = 0.3  # in which a hand has closed or opened, at least
PIECE_M = 0.03  # no point of an arm moves more in a piece of its motion, for each metre of reach beyond the first too


@dataclass(frozen=True, slots=True, eq=False)
class Action:
    """One arm's doing between two rests; `bodies` is what moves, with what it carries."""

    arm: str
    task: int
    kind: SegmentKind
    to: str
    timed: Timed
    bodies: ArmBodies
    opening_m: float  # of the fingers when it is done
    grasp: Grasp | None = None  # with which the hand closes
    takes: tuple[str, ...] = ()  # parts that the hand then has; a hold takes one that stays where it is
    carries: tuple[str, ...] = ()  # parts that move with it
    frees: bool = False  # the hand lets go as it begins
    settles: bool = False  # what it carries is in its place when it is done, though the hand may stay on it
    guard: Guard | None = None
    after: tuple[int, ...] = ()  # actions of other arms with the same part that must have ended when it begins
    joined_to: str = ""  # the arm that then has what it lets go of, joined to what is in its hand
    step: int | None = None  # of the plan, that is done by it: no other such step may go on meanwhile
    clamps_n: float | None = None  # with which a positioner's clamps then hold; 0: they let go

    @property
    def seconds(self) -> float:
        return self.timed.seconds

    @property
    def piece_m(self) -> float:
        """How far points of the arm move in a piece, at most: less in small arms."""
        return PIECE_M * max(1.0, float(reaches(self.bodies.chain).max()))

    def pieces(self) -> tuple[Array, Array, Array]:
        """(m, n) positions, and when each piece of the motion that they stand for begins and ends, (m,) each.

        In its piece no point of the arm is farther than half of `piece_m` from where it is at that position.
        """
        timed, most = self.timed, self.piece_m
        speed, _, _ = bounds(timed.times, timed.q, timed.speed, timed.acceleration)
        h = np.diff(timed.times)
        far = h * (speed @ reaches(self.bodies.chain))  # no point moves more between two rows
        counts = np.maximum(1, np.ceil(4 * far / most)).astype(int)
        moved = np.repeat(far / counts, counts)
        marks = np.concatenate(
            [[0.0], *(t + d * np.arange(1, c + 1) / c for t, d, c in zip(timed.times, h, counts, strict=False))]
        )
        along = np.concatenate([[0.0], np.cumsum(moved)])
        first, middles, begins, ends = 0, [], [], []
        while first < len(moved):
            last = max(first + 1, int(np.searchsorted(along, along[first] + 0.75 * most, side="right")) - 1)
            middles.append(int(np.searchsorted(along, 0.5 * (along[first] + along[last]))))
            begins.append(marks[first])
            ends.append(marks[last])
            first = last
        return timed.many(marks[middles]), np.array(begins), np.array(ends)
