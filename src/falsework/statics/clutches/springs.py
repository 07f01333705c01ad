"""The network as springs that yield: its potential, forces and tangent for given displacements of the bodies.

Displacements y of the free bodies give every clutch a relative twist x₀ = J_stud·y_stud + J_hole·y_hole (hole
brick against stud brick, in the coordinates of `yielding`), to which it answers with the nearest admissible x.
Pressed corners and patch generators answer an opening rate g < 0 with −κ·g. The potential

    φ(y) = Σ (x·x₀ − ½|x|²) + Σ ½κ·min(0, g)² − b·y

is convex and once differentiable; where its gradient vanishes, the forces balance the loads b, and they are those
of least energy. If no forces balance them, φ falls without end along a motion.
"""

# Kernels take named tuples of arrays: numba types them.
# mypy: disable-error-code="no-untyped-def, no-untyped-call"

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from falsework.kernels.block_cholesky import BlockPattern
from falsework.kernels.compiled import compiled
from falsework.model.arrays import Array, Ints
from falsework.statics.clutches.network import Network
from falsework.statics.clutches.yielding import nearest

# Stiffness of a pressed face over that of the studs that grip in it. Seed 000 gives pressed faces no energy, that is,
# endless stiffness; whether forces exist does not depend on it, and Newton's method needs 5 to 10 steps at 1, 40 at
# 1000. So these forces are of least energy with faces as soft as studs; `ClutchSolver.elastic` has the seed's own.
PRESSED = 1.0


class Springs(NamedTuple):
    """Everything that depends on the topology only. Body −1 is one that does not move."""

    pairs: Ints  # (k, 2)
    kind: Ints  # (k,)
    slot: Ints  # (k,) block of the pair in the factor, −1 for none
    as_given: Ints  # (k,) 1 where that block has the stud brick's rows
    gain: Array  # (k, 2, 6, 6) J
    starts: Ints  # (kinds + 1,)
    rows: Array  # (r, 6) unit length
    limits: Array  # (r,)
    corners: Array  # (kinds, 4, 6) opening rate at each corner, per x₀
    stiffness: Array  # (kinds,) κ of a corner
    pushes: Ints  # (g, 2)
    push_slot: Ints  # (g,)
    push_as_given: Ints  # (g,)
    push_gain: Array  # (g, 2, 6) opening rate per displacement
    push_stiffness: float
    # the factor's pattern, see block_cholesky
    place: Ints
    order: Ints
    fstarts: Ints
    frows: Ints
    row_starts: Ints
    row_columns: Ints
    row_slots: Ints


class Answer(NamedTuple):
    """What the springs answer to the last displacements; the active rows serve the next call."""

    active: Ints  # (k, 6) rows, numbered within the kind
    used: Ints  # (k,) how many rows are active
    span: Array  # (k, 6, 6)
    lower: Array  # (k, 6, 6)
    x: Array  # (k, 6)
    pressure: Array  # (k, 4)
    weights: Array  # (g,)
    gradient: Array  # (n, 6) of φ: the imbalance


def springs(network: Network) -> Springs:
    """The springs of a network."""
    kind, kinds = network.kind, network.kinds
    sides = np.stack([-_seen(network.turn, network.arms[:, 0]), _seen(network.turn, network.arms[:, 1])], axis=1)
    gain = np.einsum("kqp,ksqr->kspr", kinds.roots[kind], sides)
    push = np.concatenate([network.push_force[:, None, :].repeat(2, axis=1), _moments(network)], axis=2)
    push[:, 0] *= -1.0
    pairs, pushes = network.number[network.pairs], network.number[network.pushes]
    joined = np.concatenate([pairs, pushes])
    moving = (joined >= 0).all(axis=1) & (joined[:, 0] != joined[:, 1])
    pattern = BlockPattern.of(network.bodies, joined[moving])
    slot, as_given = np.full(len(joined), -1), np.zeros(len(joined), dtype=np.int64)
    slot[moving], as_given[moving] = pattern.slots, pattern.turned
    count, stiffness = len(pairs), PRESSED / 4.0 * kinds.stiffness
    return Springs(
        pairs,
        kind,
        slot[:count],
        as_given[:count],
        np.ascontiguousarray(gain),
        kinds.starts,
        kinds.unit_rows,
        kinds.unit_limits,
        kinds.openings,
        stiffness,
        pushes,
        slot[count:],
        as_given[count:],
        np.ascontiguousarray(push),
        float(4.0 * np.median(stiffness)) if len(stiffness) else PRESSED,
        pattern.place,
        pattern.order,
        pattern.starts,
        pattern.rows,
        pattern.row_starts,
        pattern.row_columns,
        pattern.row_slots,
    )


def _seen(turn: Array, arm: Array) -> Array:
    """(k, 6, 6) twist about the centre of mass, world -> twist about the clutch's origin, its axes."""
    across = np.zeros((len(arm), 3, 3))  # ω × arm = −[arm]ω
    across[:, 0, 1], across[:, 0, 2], across[:, 1, 2] = arm[:, 2], -arm[:, 1], arm[:, 0]
    across -= across.transpose(0, 2, 1)
    inward = turn.transpose(0, 2, 1)
    seen = np.zeros((len(arm), 6, 6))
    seen[:, :3, :3] = seen[:, 3:, 3:] = inward
    seen[:, :3, 3:] = inward @ across
    return seen


def _moments(network: Network) -> Array:
    return np.cross(network.push_arms, network.push_force[:, None, :])


def no_answer(network: Network) -> Answer:
    """Nothing yields."""
    k, g, n = network.clutches, len(network.pushes), network.bodies
    return Answer(
        np.zeros((k, 6), dtype=np.int64),
        np.zeros(k, dtype=np.int64),
        np.zeros((k, 6, 6)),
        np.zeros((k, 6, 6)),
        np.zeros((k, 6)),
        np.zeros((k, 4)),
        np.zeros(g),
        np.zeros((n, 6)),
    )


@compiled
def respond(net, answer, loads, strength, y):
    """Fill `answer` for displacements y (n, 6); returns φ, or NaN when a clutch found no answer."""
    gradient = answer.gradient
    phi = 0.0
    for body in range(len(y)):
        for q in range(6):
            gradient[body, q] = -loads[body, q]
            phi -= loads[body, q] * y[body, q]
    start = np.empty(6)
    total = np.empty(6)
    for k in range(len(net.kind)):
        for q in range(6):
            start[q] = 0.0
        for side in range(2):
            body = net.pairs[k, side]
            if body >= 0:
                for q in range(6):
                    value = 0.0
                    for p in range(6):
                        value += net.gain[k, side, q, p] * y[body, p]
                    start[q] += value
        kind = net.kind[k]
        first, last = net.starts[kind], net.starts[kind + 1]
        x = answer.x[k]
        count = nearest(
            net.rows[first:last],
            net.limits[first:last],
            strength,
            start,
            answer.active[k],
            answer.used[k],
            answer.span[k],
            answer.lower[k],
            x,
        )
        if count < 0:
            answer.used[k] = 0
            return np.nan
        answer.used[k] = count
        for q in range(6):
            phi += x[q] * (start[q] - 0.5 * x[q])
            total[q] = x[q]
        stiff = net.stiffness[kind]
        for c in range(4):
            opening = 0.0
            for q in range(6):
                opening += net.corners[kind, c, q] * start[q]
            push = stiff * max(0.0, -opening)
            answer.pressure[k, c] = push
            if push > 0.0:
                phi += 0.5 * push * push / stiff
                for q in range(6):
                    total[q] -= push * net.corners[kind, c, q]
        for side in range(2):
            body = net.pairs[k, side]
            if body >= 0:
                for p in range(6):
                    value = total[p]
                    for q in range(6):
                        gradient[body, q] += net.gain[k, side, p, q] * value
    for g in range(len(net.push_slot)):
        opening = 0.0
        for side in range(2):
            body = net.pushes[g, side]
            if body >= 0:
                for q in range(6):
                    opening += net.push_gain[g, side, q] * y[body, q]
        push = net.push_stiffness * max(0.0, -opening)
        answer.weights[g] = push
        if push > 0.0:
            phi += 0.5 * push * push / net.push_stiffness
            for side in range(2):
                body = net.pushes[g, side]
                if body >= 0:
                    for q in range(6):
                        gradient[body, q] -= push * net.push_gain[g, side, q]
    return phi
