"""The greatest load that a state bears at a point in a direction: one convex program, certified on both sides.

    maximise t  subject to  A x + loads + t·e = 0,  x in the admissible sets

The loads a state bears are a convex set, so all between nothing and t are borne too. The program proposes t; a state
with a little less must stand and one with a little more must fall, both before the referee.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Load
from falsework.model.shapes import corners
from falsework.model.state import State
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.loads import load_scale, load_wrenches
from falsework.statics.core.program import Program
from falsework.verdicts.limits.bracket import Bracket

WIDTHS = (3e-6, 1e-5, 1e-4, 1e-3, 1e-2)  # half the bracket, of all loads: as narrow as the referee allows
WITHOUT_BOUND = 1e4  # of all loads: what bears this much of a load that the program found no bound for
SIDEWAYS = {"+x": (1.0, 0.0, 0.0), "-x": (-1.0, 0.0, 0.0), "+y": (0.0, 1.0, 0.0), "-y": (0.0, -1.0, 0.0)}
DOWN = (0.0, 0.0, -1.0)
Pushed = Callable[[float], State]  # newtons -> the state under them


@dataclass(frozen=True, slots=True, eq=False)
class GreatestLoad:
    """How hard a part can be pushed at a point in a direction, N."""

    part: str
    point_m: Array  # (3,) world
    direction: Array  # (3,) world, unit
    newtons: Bracket  # falls None: no bound was found, `stands` is borne for certain


def greatest_load(equilibrium: Equilibrium, state: State, part: str, direction: Array, point: Array) -> GreatestLoad:
    """The greatest force along `direction` at a point of a part, beside all other loads, with which a state stands."""
    assembly = equilibrium.assembly
    along = np.asarray(direction, dtype=float) / float(np.linalg.norm(direction))
    loads = state.loads_of(assembly)

    def pushed(newtons: float) -> State:
        return replace(state, loads=(*loads, Load(part, newtons * along, point)))

    bracket = greatest_push(equilibrium, state, pushed)
    return GreatestLoad(part, np.asarray(point, dtype=float), along, bracket)


def greatest_push(equilibrium: Equilibrium, state: State, pushed: Pushed) -> Bracket:
    """The greatest push with which a state stands; `pushed` gives the state under so many newtons, in proportion."""
    assembly = equilibrium.assembly
    now = equilibrium.assess(state).answer
    if now != "stable":
        return Bracket(None, 0.0 if now == "unstable" else None)
    unit = load_scale(assembly, state)
    extra = load_wrenches(assembly, pushed(unit)) - load_wrenches(assembly, state)
    program = Program(assembly, equilibrium.joints, state, equilibrium.clutch_rows)
    factor, _ = program.greatest_factor(extra)
    if factor is None:
        return Bracket(0.0, None)
    if factor > WITHOUT_BOUND:
        borne = WITHOUT_BOUND * unit
        return Bracket(borne if equilibrium.assess(pushed(borne)).stands else 0.0, None)
    return _certified(equilibrium, pushed, factor * unit, unit)


def _certified(equilibrium: Equilibrium, pushed: Pushed, limit: float, unit: float) -> Bracket:
    """The narrowest bracket about a proposed limit whose ends both carry a certificate."""
    stands, falls = 0.0, None
    for width in WIDTHS:
        less = max(0.0, limit - width * (limit + unit))
        if equilibrium.assess(pushed(less)).stands:
            stands = less
            break
    for width in WIDTHS:
        more = limit + width * (limit + unit)
        if equilibrium.assess(pushed(more)).answer == "unstable":
            falls = more
            break
    return Bracket(stands, falls)


def top_of(assembly: Assembly, part: str) -> Array:
    """(3,) the centre of a part's top face: where presses and pushes act unless told otherwise."""
    body = assembly.bodies[assembly.index[part]]
    points = corners(body.shape) @ body.T_world_part[:3, :3].T + body.T_world_part[:3, 3]
    height = points[:, 2].max()
    top = points[points[:, 2] >= height - 1e-6 * max(float(np.ptp(points[:, 2])), 1e-300)]
    centre: Array = (top.min(axis=0) + top.max(axis=0)) / 2
    return centre


def highest(assembly: Assembly, state: State) -> str | None:
    """The free part that reaches highest; of several, the first."""
    bits = state.free(assembly)
    free = [part.name for number, part in enumerate(assembly.parts) if bits >> number & 1]
    return max(free, key=lambda name: round(float(top_of(assembly, name)[2]), 9)) if free else None
