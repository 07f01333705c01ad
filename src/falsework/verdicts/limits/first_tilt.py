"""How far everything can be tilted about an axis before it first fails.

Seen from the assembly, gravity turns. Which gravities a state bears is a convex set, but the arc that gravity walks
may leave that set and come back, so one standing angle proves nothing about smaller ones. What proves it: an arc of
width Δ lies between its chord and the chord of the arc at 1/cos(Δ/2) times the strength, so if the two ends stand
at both strengths, so does everything between them. The search walks outward over arcs covered in this way and halves
them where they are not, down to a stated resolution.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from falsework.model.arrays import Array
from falsework.model.state import State
from falsework.model.verdict import Answer
from falsework.statics.core.equilibrium import Equilibrium
from falsework.verdicts.limits.bracket import Bracket

RESOLUTION_DEG, MOST_DEG = 0.01, 90.0
WIDEST_ARC_DEG = 45.0
AXES = {"+x": (1.0, 0.0, 0.0), "-x": (-1.0, 0.0, 0.0), "+y": (0.0, 1.0, 0.0), "-y": (0.0, -1.0, 0.0)}


@dataclass(frozen=True, slots=True, eq=False)
class Tilt:
    """The angle about an axis at which a state first fails."""

    axis: Array  # (3,) unit; the assembly turns about it by the right-hand rule
    degrees: Bracket  # falls None: not up to the largest angle asked about, or undecided beyond `stands`
    proved: bool  # every angle up to `degrees.stands` stands, not only those looked at


def first_tilt(equilibrium: Equilibrium, state: State, axis: Array, most_deg: float = MOST_DEG) -> Tilt:
    """The first failing angle, to RESOLUTION_DEG; loads keep their direction as the assembly sees it."""
    walk = _Walk(equilibrium, state, axis)
    at, proved, arc = 0.0, True, WIDEST_ARC_DEG
    if walk.answer(0.0) != "stable":
        return Tilt(walk.axis, Bracket(None, 0.0 if walk.answer(0.0) == "unstable" else None), False)
    while at < most_deg:
        end = min(at + arc, most_deg)
        if walk.covered(at, end):
            at, arc = end, min(2 * arc, WIDEST_ARC_DEG)
        elif arc > RESOLUTION_DEG:
            arc = max(arc / 2, RESOLUTION_DEG)
        elif walk.answer(end) == "stable":  # at the ends of this arc, but for certain nowhere between
            at, proved = end, False
        else:
            return Tilt(walk.axis, Bracket(at, walk.first_fall(end, most_deg)), proved)
    return Tilt(walk.axis, Bracket(at, None), proved)


class _Walk:
    """Answers at angles and strengths of gravity, each asked once."""

    def __init__(self, equilibrium: Equilibrium, state: State, axis: Array) -> None:
        self._equilibrium, self._state = equilibrium, state
        self.axis = np.asarray(axis, dtype=float) / float(np.linalg.norm(axis))
        self._gravity = state.gravity_of(equilibrium.assembly)
        joints = equilibrium.joints
        self._scales = bool(state.loads_of(equilibrium.assembly)) or len(joints.clutches) > 0
        self._known: dict[tuple[float, float], Answer] = {}

    def answer(self, degrees: float, strength: float = 1.0) -> Answer:
        if (degrees, strength) not in self._known:
            x, y, z = (strength * tilted(self._gravity, self.axis, degrees)).tolist()
            verdict = self._equilibrium.assess(replace(self._state, gravity=(x, y, z)))
            self._known[degrees, strength] = verdict.answer
        return self._known[degrees, strength]

    def covered(self, start: float, end: float) -> bool:
        """Both ends stand, and if strength matters also where the outer chord of the arc ends."""
        beyond = 1.0 / float(np.cos(np.deg2rad(end - start) / 2))
        strengths = (1.0, beyond) if self._scales else (1.0,)
        return all(self.answer(angle, strength) == "stable" for strength in strengths for angle in (end, start))

    def first_fall(self, degrees: float, most_deg: float) -> float | None:
        """The next angle that certainly falls; undecided ones are passed in growing steps."""
        step = RESOLUTION_DEG
        while self.answer(degrees) != "unstable":
            degrees += step
            step *= 2
            if degrees > most_deg:
                return None
        return degrees


def tilted(gravity: Array, axis: Array, degrees: float) -> Array:
    """Gravity as an assembly sees it that has been turned about a unit axis (Rodrigues, by −degrees)."""
    angle = -np.deg2rad(degrees)
    along = axis * float(axis @ gravity)
    turned: Array = along + np.cos(angle) * (gravity - along) + np.sin(angle) * np.cross(axis, gravity)
    return turned
