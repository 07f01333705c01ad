"""An arm among bricks driven by a person: keys that are down, or a mouse that drags, move its hand frame by frame.

    w s   away from the base, back     q e      turn about the upright axis
    a d   to its left, to its right    space    close the hand, or open it
    r f   up, down

What happens between `begin` and `end` is kept as an episode (`Episodes`), as one of a policy would be.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

import numpy as np

from falsework.model.arrays import Array
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.poses import about
from falsework.model.shapes import BrickShape
from falsework.robots.brickcell.cell_world import CLOSE_M_S, CellWorld
from falsework.robots.brickcell.episodes import Episodes, Recording
from falsework.robots.collision.arm_bodies import ArmBodies

SPEED_M_S, TURN_DEG_S = 0.10, 45.0
GRIP_N = 10.0
CLOSE_KEY = " "
MOVES = {"w": (0, 1), "s": (0, -1), "a": (1, 1), "d": (1, -1), "r": (2, 1), "f": (2, -1)}  # axis of the base, and sign
TURNS = {"q": 1.0, "e": -1.0}
KEYS = (*MOVES, *TURNS, CLOSE_KEY)


class Teleoperation:
    """One arm of a `CellWorld` in a person's hands; every `frame` is one of the world's.

    >>> import falsework
    >>> cell = CellWorld(falsework.new_cell("panda"), falsework.new("duplo-single"))
    >>> hand = Teleoperation(cell, "arm")
    >>> before = cell.aim("arm")[2, 3]
    >>> all(hand.frame("f") for _ in range(10))
    True
    >>> round(float(before - cell.aim("arm")[2, 3]), 4)  # 10 frames of 16 ms at 0.1 m/s
    0.016
    """

    def __init__(self, cell: CellWorld, arm: str, episodes: Episodes | None = None) -> None:
        self.cell, self.name = cell, arm
        self._arm, self._episodes = cell.arm(arm), episodes
        self._recording: Recording | None = None
        self._bodies = ArmBodies(self._arm.placed)
        self._was_down = False
        self.closed = False

    def frame(self, keys: Collection[str] = (), drag_m: Array | None = None) -> bool:
        """One frame with keys down, and a mouse that dragged the hand by so much (3,) in the axes of the arm's base.

        False where the arm cannot follow: it stays where it is then. The hand closes or opens when its key goes down,
        not while it stays so. Faster than SPEED_M_S it does not go.
        """
        unknown = next((key for key in keys if key not in KEYS), None)
        if unknown is not None:
            raise BadInput(f"there is no key {shown(unknown)}; {did_you_mean(unknown, KEYS)}")
        if CLOSE_KEY in keys and not self._was_down:
            self._close_or_open()
        self._was_down = CLOSE_KEY in keys
        T = self._wanted(keys, drag_m)
        followed = True if T is None else self.cell.nudge_to(self.name, T)
        self.cell.step()
        return followed

    def _wanted(self, keys: Collection[str], drag_m: Array | None) -> Array | None:
        """(4, 4) where the hand is to be after the next frame; None: where it is."""
        frame_s = self.cell.world.settings.frame_s
        by = np.zeros(3) if drag_m is None else np.array(drag_m, dtype=np.float64)
        if by.shape != (3,) or not np.isfinite(by).all():
            raise BadInput(f"drag_m: found {shown(drag_m)}, expected three numbers in m")
        for key in keys:
            if key in MOVES:
                axis, sign = MOVES[key]
                by[axis] += sign * SPEED_M_S * frame_s
        by *= min(1.0, SPEED_M_S * frame_s / max(float(np.linalg.norm(by)), 1e-12))
        turn = math.fsum(TURNS.get(key, 0.0) for key in keys) * TURN_DEG_S * frame_s
        if not by.any() and turn == 0.0:
            return None
        base = self._arm.placed.T_world_base[:3, :3]
        T = self.cell.aim(self.name).copy()
        T[:3, 3] += base @ by
        T[:3, :3] = base @ about(2, turn) @ base.T @ T[:3, :3]
        return T

    def _close_or_open(self) -> None:
        self.closed = not self.closed
        if self.closed:
            tool = self._arm.placed.tool
            force = float(np.clip(GRIP_N, *tool.force_n))
            self._arm.open_to(tool.opening_m[0], CLOSE_M_S, force, self.cell.time_s)
        else:
            self.cell.open(self.name, wait=False)

    # Episodes

    @property
    def recording(self) -> bool:
        return self._recording is not None

    def begin(self, task: str) -> None:
        """Keep what happens from now on, as an episode of a task."""
        if self._episodes is None:
            raise BadInput("there is no folder for episodes; give Teleoperation one: episodes=Episodes(folder)")
        if self._recording is not None:
            raise BadInput("an episode is being recorded already; end it first")
        self._recording = self._episodes.record(self.cell, self.name, task)
        self._recording.__enter__()

    def end(self, keep: bool = True) -> None:
        """The episode is over; `keep=False` forgets it, as one that went wrong."""
        if self._recording is None:
            raise BadInput("no episode is being recorded; begin one first")
        recording, self._recording = self._recording, None
        recording.__exit__(None if keep else KeyboardInterrupt)

    # What is seen

    def picture(self) -> dict[str, Any]:
        """All that a page draws, in m and world axes: the points of the arms, the hand, and bricks as boxes."""
        world = self.cell.world
        poses = world.poses()
        bricks = [
            {"name": part.name, "size_m": list(part.shape.kind.size_m), "T_world_part": poses[k, :3].tolist()}
            for k, part in enumerate(world.assembly.parts)
            if isinstance(part.shape, BrickShape)
        ]
        arms = {
            name: (self._bodies if name == self.name else ArmBodies(one.placed)).links(one.drive.q[None])[0, :, :, 3]
            for name, one in self.cell.arms.items()
        }
        now = self.cell.state(self.name)
        return {
            "time_s": now.time_s, "opening_m": now.opening_m, "grip_n": now.grip_n, "push_n": now.push_n,
            "T_world_tool": now.T_world_tool[:3].tolist(), "closed": self.closed, "recording": self.recording,
            "arms": {name: points.tolist() for name, points in arms.items()}, "bricks": bricks,
            "connections": [list(pair) for pair in world.connections],
        }  # fmt: skip
