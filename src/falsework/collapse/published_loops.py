"""Seed 003's two loops in the plane, exactly as published but for its misprints.

`accelerate` is Fig. 6: accelerations from (Q) with (L2⁺) and (S2⁺), then velocities and positions. `reposition` is
Fig. 7: new positions at once, from (Q′) with (L′) or (L″) and (S′). Theorem 5.1: from the same state, velocities that
keep the bars' lengths and the same active triples, both give the same positions.

(S′) is printed with a division by Δt that must go (A is quadratic), and with α at the wrong end of its edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from falsework.collapse.framework import Framework
from falsework.collapse.least_distance import Nearest, nearest
from falsework.collapse.separating_edges import Triple, doubled_area, separating_triples, share
from falsework.model.arrays import Array, Bools

Lengths = Literal["L′", "L″", "penalty"]
PENALTY = 100.0  # M of 8.4
RESTING = 1e-9  # relative: corners on an edge, and not leaving it, are active (S2⁺)


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """Positions at two moments a step apart."""

    before: Array  # (n, 2)
    now: Array  # (n, 2)

    @staticmethod
    def at_rest(framework: Framework) -> Moment:
        return Moment(framework.points, framework.points)


def accelerate(
    framework: Framework, now: Array, velocities: Array, step_s: float, gravity: Array, triples: Sequence[Triple]
) -> tuple[Array, Array, Array]:
    """One round of Fig. 6: accelerations, velocities and positions (n, 2)."""
    free = ~framework.fixed
    found = _least(framework, np.broadcast_to(gravity, now.shape), *_second_order(framework, now, velocities, triples))
    a = np.zeros_like(now)
    a[free] = found.x.reshape(-1, 2)
    v = velocities + a * step_s
    return a, v, now + v * step_s


def active_triples(framework: Framework, now: Array, velocities: Array) -> list[Triple]:
    """(S2⁺): corners on an edge that neither leave nor enter it."""
    size = float(np.ptp(now, axis=0).max())
    speed = float(np.abs(velocities).max()) + 1e-300
    active = []
    for i, j, k in separating_triples(framework, now):
        alpha = share(now, i, j, k)
        length = float(np.hypot(*(now[j] - now[i])))
        off = doubled_area(now[i], now[j], now[k]) / length
        leaving = float(
            (velocities[k] - (alpha * velocities[j] + (1 - alpha) * velocities[i])) @ _turned(now[j] - now[i])
        )
        on = abs(off) <= RESTING * size and -RESTING <= alpha <= 1 + RESTING
        if on and abs(leaving) <= RESTING * speed * length + 1e-300:
            active.append((i, j, k))
    return active


def _second_order(
    framework: Framework, now: Array, v: Array, triples: Sequence[Triple]
) -> tuple[Array, Array, Array, Array]:
    """(L2⁺) and (S2⁺) as equations and inequalities over all accelerations."""
    count = len(now)
    C, d = np.zeros((len(framework.bars), count, 2)), np.zeros(len(framework.bars))
    for row, (i, j) in enumerate(framework.bars):
        C[row, i], C[row, j] = now[i] - now[j], now[j] - now[i]
        d[row] = -float((v[i] - v[j]) @ (v[i] - v[j]))
    G, b = np.zeros((len(triples), count, 2)), np.zeros(len(triples))
    for row, (i, j, k) in enumerate(triples):
        alpha, n = share(now, i, j, k), _turned(now[j] - now[i])
        G[row, k], G[row, j], G[row, i] = n, -alpha * n, -(1 - alpha) * n
        b[row] = -2 * doubled_area(v[i], v[j], v[k])
    return C, d, G, b


def reposition(
    framework: Framework,
    moment: Moment,
    step_s: float,
    gravity: Array,
    triples: Sequence[Triple] | None = None,
    lengths: Lengths = "L″",
) -> Moment:
    """One round of Fig. 7; all separating triples unless told which."""
    before, now = moment.before, moment.now
    chosen = separating_triples(framework, now) if triples is None else triples
    target = now + (now - before) + gravity * step_s**2
    C, d = _bars(framework, before, now, lengths)
    G, b = _sides(before, now, chosen)
    if lengths == "penalty":
        found = _penalised(framework, target, C, d, G, b)
    else:
        found = _least(framework, target, C, d, G, b, now)
    after = np.array(now)
    after[~framework.fixed] = found.x.reshape(-1, 2)
    return Moment(now, after)


def _bars(framework: Framework, before: Array, now: Array, lengths: Lengths) -> tuple[Array, Array]:
    """(L′), with the second-order term that Theorem 5.1 asks for; or (L″), which returns to the original lengths."""
    C, d = np.zeros((len(framework.bars), len(now), 2)), np.zeros(len(framework.bars))
    for row, (i, j) in enumerate(framework.bars):
        arm = now[i] - now[j]
        C[row, i], C[row, j] = arm, -arm
        if lengths == "L′":
            turned = (now[i] - before[i]) - (now[j] - before[j])
            d[row] = float(arm @ arm) - float(turned @ turned)
        else:
            d[row] = float(np.hypot(*(framework.points[i] - framework.points[j])) * np.hypot(*arm))
    return C, d


def _sides(before: Array, now: Array, triples: Sequence[Triple]) -> tuple[Array, Array]:
    """(S′), corrected."""
    G, b, moved = np.zeros((len(triples), len(now), 2)), np.zeros(len(triples)), now - before
    for row, (i, j, k) in enumerate(triples):
        alpha, n = share(now, i, j, k), _turned(now[j] - now[i])
        G[row, k], G[row, j], G[row, i] = n, -alpha * n, -(1 - alpha) * n
        b[row] = -2 * doubled_area(moved[i], moved[j], moved[k])
    return G, b


def impact(framework: Framework, now: Array, old: Array, triples: Sequence[Triple]) -> Array:
    """(Q*) of Theorem 7.1: velocities (n, 2) after a totally inelastic impact, from those before it."""
    C, d = np.zeros((len(framework.bars), len(now), 2)), np.zeros(len(framework.bars))
    for row, (i, j) in enumerate(framework.bars):
        C[row, i], C[row, j] = now[i] - now[j], now[j] - now[i]
    G = _sides(now, now, triples)[0]
    after = np.zeros_like(now)
    after[~framework.fixed] = _least(framework, old, C, d, G, np.zeros(len(triples))).x.reshape(-1, 2)
    return after


def _least(
    framework: Framework, target: Array, C: Array, d: Array, G: Array, b: Array, still: Array | None = None
) -> Nearest:
    """The nearest values of the free points; `still` (n, 2) are those of the fixed ones, zero unless told."""
    free = ~framework.fixed
    known = np.zeros_like(target) if still is None else np.where(free[:, None], 0.0, still)
    used = np.abs(C).reshape(len(C), len(free), 2)[:, free].max(axis=(1, 2), initial=0.0) > 0
    C, d = C[used], d[used]
    d = d - np.einsum("rni,ni->r", C, known)
    b = b - np.einsum("rni,ni->r", G, known)
    masses = np.repeat(framework.masses_kg[free], 2)
    return nearest(masses, np.array(target)[free].ravel(), _flat(C, free), d, _flat(G, free), b)


def _penalised(framework: Framework, target: Array, C: Array, d: Array, G: Array, b: Array) -> Nearest:
    """8.4: bars as a penalty M Σ (C x − d)², by completing the square of the objective."""
    free = ~framework.fixed
    known = np.where(free[:, None], 0.0, framework.points)
    d = d - np.einsum("rni,ni->r", C, known)
    b = b - np.einsum("rni,ni->r", G, known)
    masses, flat, sides = np.repeat(framework.masses_kg[free], 2), _flat(C, free), _flat(G, free)
    H = np.diag(masses) + PENALTY * flat.T @ flat
    x = np.linalg.solve(H, masses * np.array(target)[free].ravel() + PENALTY * flat.T @ d)
    L = np.linalg.cholesky(H)  # |x − x̂|²_H = |Lᵀ(x − x̂)|²
    inverse = np.linalg.inv(L)
    none = np.zeros((0, len(x)))
    found = nearest(np.ones(len(x)), L.T @ x, none, np.zeros(0), sides @ inverse.T, b)
    return Nearest(inverse.T @ found.x, found.multipliers)


def _flat(rows: Array, free: Bools) -> Array:
    chosen: Array = rows[:, free].reshape(len(rows), 2 * int(free.sum()))
    return chosen


def _turned(vector: Array) -> Array:
    """(·)^⊥: a quarter turn counter-clockwise."""
    return np.array([-vector[1], vector[0]])
