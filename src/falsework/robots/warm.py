"""`python -m falsework.robots.warm`: compile kinematics and collisions now, not at the first question."""

from __future__ import annotations

import numpy as np

from falsework.model.robots.limits import JointLimits
from falsework.robots.cells.coverage import coverage
from falsework.robots.cells.kinds import new_cell
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.collision.collisions import blockers, clashes, clearances, swept_blockers
from falsework.robots.collision.surroundings import Surroundings
from falsework.robots.kinematics.following import JUMP, followed
from falsework.robots.kinematics.kinematics import Kinematics
from falsework.robots.motions.connecting import shortened
from falsework.robots.motions.retiming import retimed
from falsework.robots.motions.rounding import Curve, Smooth
from falsework.robots.motions.transits import Standing, Ways


def warm() -> None:
    """Ask every compiled function once."""
    cell = new_cell("two-ur5e")
    one, other = (ArmBodies(arm) for arm in cell.arms)
    around = Surroundings.of(cell)
    home = np.array(one.placed.home)
    kinematics = Kinematics(one.placed.arm)
    T = kinematics.forward(home)
    kinematics.jacobian(home)
    kinematics.branches(T)
    kinematics.solve(T)
    blockers(one, home[None], around)
    clearances(one, home[None], around)
    clashes(one, home[None], other, home[None])
    one.touches_itself(home[None])
    swept_blockers(one, home, home + 0.1, around)
    followed(kinematics.chain, home[None], T[None, None, :3].copy(), JUMP)
    coverage(cell)
    ways = Ways(one, Standing(()).and_arm(other, home))
    ways.free([home, home])
    path = ways.between(home, home + 0.1, np.random.default_rng(0))
    shortened(ways.traffic, np.array([home, home + 0.1, home]), np.zeros((1, 2)))
    if path is not None:
        retimed(Curve(path, np.zeros(len(path))).pieces(), JointLimits.of(one.placed.arm))
    retimed([Smooth(np.array([home, home + 0.1, home + 0.21]))], JointLimits.of(one.placed.arm))


if __name__ == "__main__":
    warm()
