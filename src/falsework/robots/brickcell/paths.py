"""Ways of an arm in time: through joint positions, and straight through space.

A way is followed with s(t) = 10τ³ − 15τ⁴ + 6τ⁵, τ = t/T: at rest at both ends, without a jump of the acceleration.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from falsework.model.arrays import Array
from falsework.model.errors import BadInput
from falsework.model.poses import exponential, logarithm
from falsework.model.robots.arm import Arm
from falsework.robots.kinematics.kinematics import Kinematics

PEAK = 1.875  # of s': the greatest speed of a way is so many times its mean
SAMPLES = 64  # of a way, at which its limits are kept
CLOSE_M, CLOSE_RAD = 4e-3, 0.04  # between positions along a straight way
EXACT = 1e-9  # m and rad: how near positions along it must come
TURNS = 12  # of Newton's method for one of them
SMALL = 1e-4  # rad: below, half of the skew part of a turn is the turn, better than an arc cosine knows it
FASTEST, HARDEST = 2.0, 10.0  # rad/s, rad/s²: of joints that tell no limits


@dataclass(frozen=True, slots=True, eq=False)
class Timed:
    """Joint positions, velocities and accelerations (k, n), one row a step of the engine."""

    step_s: float
    q: Array
    qd: Array
    qdd: Array

    @property
    def seconds(self) -> float:
        return self.step_s * (len(self.q) - 1)

    def at(self, time_s: float) -> tuple[Array, Array, Array]:
        """After so long; its end afterwards."""
        row = min(max(round(time_s / self.step_s), 0), len(self.q) - 1)
        return self.q[row], self.qd[row], self.qdd[row]


def resting(q: Array, step_s: float) -> Timed:
    """Staying where it is."""
    return Timed(step_s, q[None].copy(), np.zeros((1, len(q))), np.zeros((1, len(q))))


def timed(arm: Arm, way: Array, step_s: float, share: float = 0.5, least_s: float = 0.0, even: bool = False) -> Timed:
    """Along joint positions (k, n) within a share of the arm's limits of speed and acceleration.

    It takes `least_s` or longer. `even`: at one speed from the first step to the last, for slow ways that end when a
    force says so.

    >>> from falsework import arm_named
    >>> panda = arm_named("panda")
    >>> move = timed(panda, np.array([panda.home, panda.home + 0.2]), 0.002)
    >>> bool(np.abs(move.qd).max() <= 0.5 * 2.61), bool(abs(move.q[-1] - panda.home - 0.2).max() < 1e-12)
    (True, True)
    """
    legs = np.linalg.norm(np.diff(way, axis=0), axis=1)
    kept = np.concatenate([[True], legs > 1e-12])
    if kept.sum() < 2:
        return resting(way[-1], step_s)
    knots = np.concatenate([[0.0], np.cumsum(legs)])[kept] / legs.sum()
    curve = CubicSpline(knots, way[kept], bc_type="natural") if len(knots) > 2 else None

    def along(s: Array) -> tuple[Array, Array, Array]:
        if curve is None:
            way_there = way[-1] - way[0]
            flat = np.zeros((len(s), way.shape[1]))
            return way[0] + s[:, None] * way_there, flat + way_there, flat
        return curve(s), curve(s, 1), curve(s, 2)

    speeds = share * np.array([joint.speed or FASTEST for joint in arm.joints])
    limits = share * np.array([joint.acceleration or HARDEST for joint in arm.joints])
    tau = np.linspace(0.0, 1.0, SAMPLES)
    _, qd, qdd = _run(*_s(tau, even), along)
    whole = max(least_s, float((np.abs(qd) / speeds).max()), float(np.sqrt((np.abs(qdd) / limits).max())))
    steps = max(1, int(np.ceil(whole / step_s)))
    q, qd, qdd = _run(*_s(np.linspace(0.0, 1.0, steps + 1), even), along)
    q[-1] = way[-1]
    seconds = steps * step_s
    return Timed(step_s, q, qd / seconds, qdd / seconds**2)


def _s(tau: Array, even: bool) -> tuple[Array, Array, Array]:
    """How far along the way, and its first two derivatives."""
    if even:
        speed = np.ones_like(tau)
        speed[-1] = 0.0
        return tau, speed, np.zeros_like(tau)
    return (
        tau**3 * (10.0 - 15.0 * tau + 6.0 * tau**2),
        30.0 * tau**2 * (1.0 - tau) ** 2,
        60.0 * tau * (1.0 - tau) * (1.0 - 2.0 * tau),
    )


def _run(
    s: Array, sd: Array, sdd: Array, along: Callable[[Array], tuple[Array, Array, Array]]
) -> tuple[Array, Array, Array]:
    q, first, second = along(s)
    return q, first * sd[:, None], second * (sd**2)[:, None] + first * sdd[:, None]


def straight(kinematics: Kinematics, q: Array, T_base_tool: Array) -> Array:
    """(k, n) joint positions from q along the straight way of the tool's point to a pose (4, 4), turning evenly.

    BadInput where the arm cannot follow: a limit, or a place where it loses a direction.

    >>> from falsework import arm_named, tool_named
    >>> panda = Kinematics(arm_named("panda"), tool_named("panda-hand"))
    >>> T = panda.forward(panda.arm.home)
    >>> T[2, 3] -= 0.1
    >>> way = straight(panda, panda.arm.home, T)
    >>> bool(np.abs(panda.forward(way[-1]) - T).max() < 1e-8)
    True
    """
    start = kinematics.forward(q)
    whole = _apart(start, T_base_tool)
    length, turn = float(np.linalg.norm(whole[:3])), float(np.linalg.norm(whole[3:]))
    count = max(1, int(np.ceil(max(length / CLOSE_M, turn / CLOSE_RAD))))
    way = [np.array(q, dtype=np.float64)]
    for k in range(1, count + 1):
        found = nearby(kinematics, way[-1], _moved(start, k / count * whole))
        if found is None:
            raise BadInput(
                f"arm {kinematics.arm.name} cannot follow the straight way to "
                f"{T_base_tool[:3, 3].round(4).tolist()} m: it gets {(k - 1) / count:.0%} of it"
            )
        way.append(found)
    return np.array(way)


def nearby(kinematics: Kinematics, q: Array, T: Array) -> Array | None:
    """The nearest joints (n,) that reach a pose, by Newton's method; None where there are none within the limits."""
    q = q.copy()
    for _ in range(TURNS):
        error = _apart(kinematics.forward(q), T)
        if np.abs(error).max() < EXACT:
            inside = (q >= kinematics.arm.lower).all() and (q <= kinematics.arm.upper).all()
            return q if inside else None
        q += np.linalg.lstsq(kinematics.jacobian(q), error, rcond=1e-6)[0]
    return None


def _apart(first: Array, second: Array) -> Array:
    """(6,) how a pose must move and turn, in the base's axes, to become another."""
    turn = second[:3, :3] @ first[:3, :3].T
    skew = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]])
    if turn.trace() < 2.0 or float(np.abs(skew).max()) > SMALL:
        pure = np.eye(4)
        pure[:3, :3] = turn
        skew = logarithm(pure)[3:]
    return np.concatenate([second[:3, 3] - first[:3, 3], skew])


def _moved(T: Array, by: Array) -> Array:
    """(4, 4) a pose so far moved and turned."""
    moved = np.eye(4)
    moved[:3, :3] = exponential(np.concatenate([np.zeros(3), by[3:]]))[:3, :3] @ T[:3, :3]
    moved[:3, 3] = T[:3, 3] + by[:3]
    return moved
