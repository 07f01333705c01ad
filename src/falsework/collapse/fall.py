"""The whole motion: steps one after the other, events on the way, shorter steps where a problem will not solve."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from falsework.collapse.events import Event, apply, checked
from falsework.collapse.movable import Bodies, World
from falsework.collapse.step import NotSolved, Step, Stepper
from falsework.model.arrays import Array, Ints, freeze, freeze_ints
from falsework.model.assembly import Assembly
from falsework.model.bits import flags
from falsework.model.errors import BadInput, shown
from falsework.model.interfaces import Hinges
from falsework.model.state import State
from falsework.model.trajectory import Trajectory
from falsework.model.travel import MadeAnew

SHORTEST = 2.0**-10  # of the step asked for: below that a run ends with what it has
CAREFUL = 2.0**-6  # of the same: shorter steps are taken even where bodies end in each other
PATIENCE = 8  # steps after which a shortened one is doubled again
AT_REST = 1e-6  # of √(g × size): parts slower than this ... (what begins to fall is soon faster)
RESTING_S = 0.05  # ... for so long have come to rest
MOST_FRAMES = 1000


@dataclass(frozen=True, slots=True, eq=False)
class Fall(MadeAnew):
    """A motion, with what is known of each of its steps.

    Energies in J, times in s.

    >>> import falsework
    >>> falsework.collapse("examples/arch.yaml", seconds=0.01).motion.at_rest
    False
    """

    trajectory: Trajectory
    time_s: Array  # (steps,) ends of the steps
    kinetic_j: Array  # (steps,)
    potential_j: Array  # (steps,) of the free parts, from z = 0 against gravity
    penetration_m: Array  # (steps,)
    residual: Array  # (steps,) of g × step
    contacts: Ints  # (steps,)
    at_rest: bool
    why: str  # the run could not go on, and ended early; empty if it did not

    def __post_init__(self) -> None:
        freeze(self, time_s=(None,), kinetic_j=(None,), potential_j=(None,), penetration_m=(None,), residual=(None,))
        freeze_ints(self, contacts=(None,))

    @property
    def energy_j(self) -> Array:
        total: Array = self.kinetic_j + self.potential_j
        return total


def fall(
    assembly: Assembly,
    hinges: Hinges,
    state: State,
    *,
    seconds: float,
    step_s: float = 1e-3,
    until_rest: bool = False,
    restitution: float = 0.0,
    events: Iterable[Event] = (),
    progress: Callable[[int, int], None] | None = None,
) -> Fall:
    """The motion from rest; `progress` hears of milliseconds done and to do."""
    if not 0 <= restitution <= 1:
        raise BadInput(f"restitution: found {shown(restitution)}, expected a number from 0 to 1")
    for name, value in (("seconds", seconds), ("step", step_s)):
        if not 0 < value < np.inf:
            raise BadInput(f"{name}: found {shown(value)}, expected a positive number")
    events = checked(assembly, events)
    count = len(assembly.bodies)
    bodies = Bodies.at_rest(assembly, flags(state.installed, count), flags(state.free(assembly), count))
    across = any(event.velocity is not None and event.velocity[[1, 3, 5]].any() for event in events)
    run = _Run(World.of(assembly, hinges, solid=across), bodies, seconds, step_s, events)
    run.stepper.restitution = restitution
    return run.to_the_end(until_rest, progress or (lambda done, whole: None))


class _Run:
    """A motion in the making."""

    def __init__(self, world: World, bodies: Bodies, seconds: float, step_s: float, events: tuple[Event, ...]) -> None:
        self.world, self.stepper = world, Stepper(world, bodies)
        self.seconds, self.step_s, self.waiting = seconds, step_s, list(events)
        self.now, self.h, self.good = 0.0, step_s, 0
        self.steps: list[Step] = []
        self.ends: list[float] = []
        self.every = max(1, int(np.ceil(seconds / step_s / MOST_FRAMES)))
        self.times, self.poses = [0.0], [bodies.poses(world.assembly)]
        pull = float(np.linalg.norm(world.assembly.gravity)) or 9.81
        self.slow = AT_REST * float(np.sqrt(pull * world.size_m))
        self.still_since = 0.0

    def to_the_end(self, until_rest: bool, progress: Callable[[int, int], None]) -> Fall:
        why = ""
        whole = int(1e3 * self.seconds)
        while self.now < self.seconds - 1e-9 * self.step_s:
            self._happen()
            try:
                self._advance()
            except NotSolved as failure:
                why = f"no step down to {self.h:.1e} s could be solved at {self.now:.4g} s: {failure}"
                break
            progress(min(int(1e3 * self.now), whole), whole)
            if until_rest and self.at_rest and not self.waiting:
                break
        if self.times[-1] < self.now:
            self._record()
        return self._told(why)

    def _happen(self) -> None:
        """Events whose time has come."""
        while self.waiting and self.waiting[0].time_s <= self.now + 1e-9 * self.step_s:
            apply(self.waiting.pop(0), self.world.assembly, self.stepper.bodies)
            self.stepper.forget()
            self.still_since = self.now

    def _advance(self) -> None:
        """One step, as long as it was asked for or as it can be; it ends where an event or the run does."""
        until = min([self.seconds, *(event.time_s for event in self.waiting[:1])])
        while True:
            h = min(self.h, until - self.now)
            try:
                done = self.stepper.step(h, careful=h > CAREFUL * self.step_s)
                break
            except NotSolved:
                if h <= SHORTEST * self.step_s:
                    done = self.stepper.step(h, careful=False, convex=True)
                    break
                self.h, self.good = h / 2, 0
        self.good += 1
        if self.good >= PATIENCE and self.h < self.step_s:
            self.h, self.good = min(2 * self.h, self.step_s), 0
        self.now = until if h >= until - self.now else self.now + h
        self.steps.append(done)
        self.ends.append(self.now)
        if len(self.steps) % self.every == 0:
            self._record()
        if self._speed() > self.slow:
            self.still_since = self.now

    def _speed(self) -> float:
        v = self.stepper.bodies.velocities
        spin = np.linalg.norm(v[:, 3:], axis=1) * self.world.radii_m
        return float(np.maximum(np.linalg.norm(v[:, :3], axis=1), spin).max())

    @property
    def at_rest(self) -> bool:
        return self.now - self.still_since >= RESTING_S

    def _record(self) -> None:
        self.times.append(self.now)
        self.poses.append(self.stepper.bodies.poses(self.world.assembly))

    def _told(self, why: str) -> Fall:
        steps = self.steps
        return Fall(
            Trajectory(np.array(self.times), self.world.assembly.names, np.array(self.poses)),
            np.array(self.ends),
            np.array([step.kinetic_j for step in steps]),
            np.array([step.potential_j for step in steps]),
            np.array([step.penetration_m for step in steps]),
            np.array([step.residual for step in steps]),
            np.array([step.contacts for step in steps], dtype=np.int64),
            self.at_rest,
            why,
        )
