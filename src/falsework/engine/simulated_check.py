"""Model `simulated`: seed 001's stability check (IV-C, Algorithm 2), on MuJoCo.

Parts are let go and watched for a while. One has fallen when it has moved farther than a threshold, or when it has
lost every neighbour that it touched at first. Lengths and times are those of the assembly: the threshold is a share
of its size, the while so many times what a stone takes to fall by that size.

A cross-check, not a proof: contacts are springs, so what stands by a hair may creep, and what falls slowly may not
have fallen yet.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from falsework.engine.contact import ContactSettings
from falsework.engine.contact_forces import Touches
from falsework.engine.rigid import RigidScene
from falsework.geometry.contacts.ground import bounds_m
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, Undecided
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import Criterion, Verdict

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SimulatedCheckSettings:
    """Seed 001 moves assemblies about 10 units long by 0.2 of them in 1000 steps."""

    moved: float = 0.02  # of the assembly's size: a part that moved farther has fallen
    falls: float = 3.0  # how long to watch, in times that a stone takes to fall by the assembly's size
    looks: int = 100  # how often to look in that time
    require_connected: bool = True  # a part that lost all its neighbours has fallen, even if it rests elsewhere
    contact: ContactSettings | None = None  # None: the engine's own


@dataclass(frozen=True, slots=True, eq=False)
class Watched:
    """How a simulation ended."""

    fallen: tuple[int, ...]  # bodies that had fallen at the first look at which any had, farthest first
    moved: Array  # (bodies,) how far each had moved then, of the assembly's size
    lost: tuple[int, ...]  # those of the fallen that had lost their neighbours
    touches: Touches
    time_s: float


class SimulatedCheck:
    """The stability oracle `simulated` of one assembly of loose parts."""

    monotone_in_held = False  # a held part can also be in the way of one that would have come to rest
    convex = False

    def __init__(
        self,
        assembly: Assembly,
        joints: Interfaces,
        settings: SimulatedCheckSettings | None = None,
        timeout_s: float | None = None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Undecided after so many seconds of computing, by the clock."""
        if len(joints.clutches) or len(joints.hinges):
            raise BadInput("model simulated knows loose parts only, no clutches and no hinges")
        self._assembly, self._joints, self.settings = assembly, joints, settings or SimulatedCheckSettings()
        self._timeout_s, self._clock = math.inf if timeout_s is None else timeout_s, clock
        low, high = bounds_m(assembly)
        self._size_m = float(np.linalg.norm(high - low))

    def assess(self, state: State) -> Verdict:
        """Whether anything falls while it is watched."""
        start = time.perf_counter()
        try:
            watched = self.watch(state)
        except Undecided as why:
            return Verdict("undecided", "simulated", None, None, why=str(why))
        except (ArithmeticError, ValueError, RuntimeError) as why:
            log.info("the engine failed", exc_info=True)
            return Verdict("undecided", "simulated", None, None, why=f"the engine failed: {why}")
        names = [body.name for body in self._assembly.bodies]
        return Verdict(
            "unstable" if watched.fallen else "stable",
            "simulated",
            self._criterion(watched),
            None,
            falling=tuple(names[body] for body in sorted(watched.fallen)),
            solve_ms=1e3 * (time.perf_counter() - start),
        )

    def watch(self, state: State) -> Watched:
        """Simulate until a part has fallen, or to the end."""
        assembly, settings = self._assembly, self.settings
        scene = self._scene(state)
        gravity = float(np.linalg.norm(state.gravity_of(assembly))) or 9.81
        step = settings.falls * math.sqrt(2 * self._size_m / gravity) / settings.looks
        free = [n for n in range(len(assembly.parts)) if state.free(assembly) >> n & 1]
        neighbours = self._neighbours(state)
        start = scene.poses()[:, :3, 3] + 0.0
        alone: set[int] = set()
        deadline = self._clock() + self._timeout_s
        while True:
            if self._clock() > deadline:
                raise Undecided(f"still simulating after {self._timeout_s:g} s")
            scene.step(step)
            moved = np.linalg.norm(scene.poses()[:, :3, 3] - start, axis=1) / self._size_m
            touches = scene.touches()
            still_alone = self._alone(touches, free, neighbours) if settings.require_connected else set()
            lost = still_alone & alone  # for two looks: contacts of a part at rest may flicker
            alone = still_alone
            fallen = [body for body in free if moved[body] > settings.moved or body in lost]
            if fallen or scene.time_s >= (settings.looks - 0.5) * step:
                fallen.sort(key=lambda body: -moved[body])
                return Watched(tuple(fallen), moved, tuple(sorted(lost)), touches, scene.time_s)

    def held(self, state: State, most: int) -> int | None:
        """The parts that Algorithm 2 holds so that a state stands, as a mask; None if it takes more than `most`."""
        held = 0
        while held.bit_count() <= most:
            watched = self.watch(State(state.installed, state.held | held, state.gravity, state.loads))
            if not watched.fallen:
                return held
            held |= 1 << watched.fallen[0]
        return None

    def _scene(self, state: State) -> RigidScene:
        assembly = self._assembly
        absent = ((1 << len(assembly.bodies)) - 1) & ~state.installed
        turned = assembly.changed(gravity=state.gravity_of(assembly))
        held = assembly.named(state.held & ~assembly.fixed_mask())
        scene = RigidScene(turned, held=held, absent=assembly.named(absent), settings=self.settings.contact)
        for load in state.loads_of(assembly):
            body = assembly.index[load.part]
            if state.installed >> body & 1:
                arm = np.zeros(3) if load.point_m is None else load.point_m - assembly.coms_m[body]
                pull = np.concatenate([load.force_n, np.cross(arm, load.force_n)])
                scene.data.xfrc_applied[scene.model.body(f"{body}").id] += pull
        return scene

    def _neighbours(self, state: State) -> dict[int, set[int]]:
        """What each installed body touches at first."""
        touched: dict[int, set[int]] = {}
        for first, second in self._joints.patches.bodies.tolist():
            if state.installed >> first & state.installed >> second & 1:
                touched.setdefault(first, set()).add(second)
                touched.setdefault(second, set()).add(first)
        return touched

    def _alone(self, touches: Touches, free: list[int], neighbours: dict[int, set[int]]) -> set[int]:
        """Free bodies that touch none of those they touched at first."""
        now: dict[int, set[int]] = {}
        for first, second in touches.bodies.tolist():
            now.setdefault(first, set()).add(second)
            now.setdefault(second, set()).add(first)
        return {body for body in free if body in neighbours and not neighbours[body] & now.get(body, set())}

    def _criterion(self, watched: Watched) -> Criterion:
        known = (watched.touches.bodies >= 0).all(axis=1)
        at = (watched.touches.points[known], watched.touches.forces[known], watched.touches.bodies[known])
        farthest = float(watched.moved.max(initial=0.0))
        if watched.lost and farthest <= self.settings.moved:
            return Criterion("parts that lost their neighbours", float(len(watched.lost)), 0.0, *at)
        return Criterion("farthest move, of the size", farthest, self.settings.moved, *at)
