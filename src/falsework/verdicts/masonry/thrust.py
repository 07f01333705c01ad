"""How hard a support can be pushed, at least and at most, and what becomes of it when the support gives way.

Forces in a structure that is stiffer than it needs to be are not unique. All that balance the loads form a convex set,
and the work of the supports on a motion of theirs has a least and a greatest value over it: one convex program each,
with forces that attain it and a motion that proves that no others do better (`statics.proofs.support_work`). For a
horizontal motion these are the least and the greatest thrust. And the rigid structure whose support does give way by
that motion comes to the forces in which the support does most work: the potential energy is least there (by duality),
the motion is the mechanism that follows, and its hinges are where the joints open. Where parts slide the mechanism is
that of associated friction, which opens while it slips; bounds stay bounds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, shown
from falsework.model.state import State
from falsework.model.verdict import FORCES_RESIDUAL, Forces, Motion
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.program import Program
from falsework.statics.proofs.support_work import SupportWork
from falsework.verdicts.masonry.thrust_line import ThrustLine, thrust_line


@dataclass(frozen=True, slots=True, eq=False)
class Yielding:
    """A support that gives way by a small motion, in any unit: what the structure does then."""

    part: str
    direction: Array  # (6,) shift and turn of the support about its centre of mass
    work: float  # of the support's force on the structure, on that motion: attained by the forces
    most: float  # proved: no forces do more
    forces: Forces
    motion: Motion  # of all bodies, the support's included
    line: ThrustLine | None  # None where the assembly is not plane


@dataclass(frozen=True, slots=True, eq=False)
class Thrust:
    """The force of a support on the structure along a direction, N: any value between these two is possible.

    None: no bound was found. What is wedged between supports may push them as hard as it likes.

    >>> import falsework
    >>> thrust = falsework.margins("examples/arch.yaml", only="thrust").thrusts[0]
    >>> thrust.least.most <= thrust.greatest.most
    True
    """

    part: str
    direction: Array  # (3,) unit, world
    least: Yielding | None  # of the support that gives way along −direction: its work is minus the least thrust
    greatest: Yielding | None

    @property
    def range_n(self) -> tuple[float | None, float | None]:
        """Attained by forces that the referee has checked; None where no bound was found."""
        low = None if self.least is None else -self.least.work
        return low, None if self.greatest is None else self.greatest.work

    @property
    def bounds(self) -> tuple[Yielding, ...]:
        """Those that were found, the least first."""
        return tuple(one for one in (self.least, self.greatest) if one is not None)


def yielding(equilibrium: Equilibrium, state: State, part: str, direction: Array) -> Yielding | None:
    """What becomes of a state when a support moves a little; None where no proof was found, or it does not stand.

    `direction` is a shift (3,), or a shift and a turn about the support's centre of mass (6,), world axes.
    """
    assembly, joints = equilibrium.assembly, equilibrium.joints
    body = _support(assembly, state, part)
    if len(joints.clutches):
        raise BadInput(f"thrust is asked of contacts and hinges; this has {len(joints.clutches)} clutches")
    moved = np.zeros((len(assembly.bodies), 6))
    moved[body, : len(direction)] = direction
    outcome = Program(assembly, joints, state).least_work(moved)
    if outcome.forces is None or outcome.motion is None:
        return None
    if equilibrium.referee.forces_residual(state, outcome.forces, equilibrium.strengths()) > FORCES_RESIDUAL:
        return None
    judge = SupportWork(assembly, joints, state)
    line = thrust_line(assembly, joints, state, outcome.forces)
    done = judge.done(outcome.forces, moved, equilibrium.strengths())
    most = judge.most(outcome.motion.twists)
    return Yielding(part, moved[body], done, most, outcome.forces, outcome.motion, line)


def thrust_of(equilibrium: Equilibrium, state: State, part: str, direction: Array) -> Thrust:
    """The least and the greatest force of one support along a direction, or against it where it pushes that way."""
    along = np.asarray(direction, dtype=float) / float(np.linalg.norm(direction))
    least, greatest = (yielding(equilibrium, state, part, sign * along) for sign in (-1.0, 1.0))
    if greatest is not None and greatest.work < 0.0:  # it pushes the other way
        return Thrust(part, -along, greatest, least)
    return Thrust(part, along, least, greatest)


def supports_of(equilibrium: Equilibrium, state: State) -> list[str]:
    """What does not have to balance and touches something: fixed parts, held ones, the ground; in their order."""
    assembly, joints = equilibrium.assembly, equilibrium.joints
    free = state.free(assembly)
    pairs = np.concatenate([joints.patches.bodies, joints.clutches.bodies, joints.hinges.bodies]).tolist()
    found = {
        body
        for pair in pairs
        for body, other in (pair, pair[::-1])
        if not free >> body & 1 and state.installed >> body & 1 and free >> other & 1
    }
    return [assembly.bodies[body].name for body in sorted(found)]


def _support(assembly: Assembly, state: State, part: str) -> int:
    names = [body.name for body in assembly.bodies]
    if part not in names:
        raise BadInput(f"support {shown(part)}: there is no such part")
    body = names.index(part)
    if state.free(assembly) >> body & 1:
        raise BadInput(f"support {shown(part)}: it is free; supports are fixed or held parts and the ground")
    return body
