"""Many states at a time: one call solves them, the referee judges them side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from falsework.model.arrays import Array
from falsework.model.state import State
from falsework.model.verdict import FORCES_RESIDUAL, MOTION_POWER, Answer, Motion
from falsework.statics.compiled_cones import CompiledCones
from falsework.statics.equilibrium import Equilibrium
from falsework.statics.plain_cones import PlainCones

STILL = (0.0, 1e-3, 0.2)  # of the largest speed: motions are tried without slower bodies, the fewest are kept


@dataclass(frozen=True, slots=True)
class Finding:
    """What was proved about one state; for `unstable` the bodies whose motion alone proves it."""

    answer: Answer
    moving: int = 0
    motion: Motion | None = field(default=None, compare=False, repr=False)  # of clutches, where it was solved now


def findings(equilibrium: Equilibrium, states: Sequence[State]) -> list[Finding]:
    """What is proved about each state, as `Equilibrium.assess` would prove it one by one."""
    cones = equilibrium.cones
    if cones is None:
        return [_alone(equilibrium, state) for state in states]
    found: list[Finding | None] = [None] * len(states)
    by_gravity: dict[tuple[float, float, float] | None, list[int]] = {}
    for n, state in enumerate(states):
        by_gravity.setdefault(state.gravity, []).append(n)
    for members in by_gravity.values():
        judged = _judged(equilibrium, cones, [states[n] for n in members])
        for n, finding in zip(members, judged, strict=True):
            found[n] = finding
    return [finding or _alone(equilibrium, state) for finding, state in zip(found, states, strict=True)]


def _judged(equilibrium: Equilibrium, cones: CompiledCones | PlainCones, states: list[State]) -> list[Finding | None]:
    """Findings for states under one gravity; None where the solver's proposal proves nothing."""
    proposed, referee = cones.solve_many(states), equilibrium.referee
    found: list[Finding | None] = [None] * len(states)
    rows = np.flatnonzero(proposed.stable)
    if len(rows):
        residuals = referee.contact_residuals([states[n] for n in rows], proposed.patch_forces[rows])
        for n in rows[residuals <= FORCES_RESIDUAL].tolist():
            found[n] = Finding("stable")
    rows = np.flatnonzero(proposed.unstable)
    if len(rows):
        fall, strengths = [states[n] for n in rows], equilibrium.strengths(states[0])
        motions = np.stack([_without_slow(proposed.twists[rows], referee.radii_m, share) for share in STILL])
        powers = referee.contact_powers(fall * len(STILL), motions.reshape(-1, *motions.shape[2:]), strengths)
        for tried, proved in zip(motions, powers.reshape(len(STILL), -1) >= MOTION_POWER, strict=True):
            for n, moving in zip(rows[proved].tolist(), _masks(tried[proved]), strict=True):
                found[n] = Finding("unstable", moving)
    return found


def _alone(equilibrium: Equilibrium, state: State) -> Finding:
    ruling = equilibrium.rule(state, equilibrium.proposals(state))
    if not isinstance(ruling.certificate, Motion):
        return Finding(ruling.answer)
    motion = _cut(equilibrium, state, ruling.certificate)
    return Finding(ruling.answer, _masks(motion.twists[None])[0] & state.free(equilibrium.assembly), motion)


def _cut(equilibrium: Equilibrium, state: State, motion: Motion) -> Motion:
    """The motion of the fewest bricks that proves a fall: those that hardly move rest, and joints slip the more."""
    clutches, strengths = equilibrium.compiled_clutches, equilibrium.strengths(state)
    if clutches is None:
        return motion
    moving = _masks(motion.twists[None])[0]
    for share in STILL[1:]:
        twists = _without_slow(motion.twists[None], equilibrium.referee.radii_m, share)[0]
        if _masks(twists[None])[0] != moving:
            cut = clutches.slipping(state, twists)
            if cut is not None and equilibrium.referee.motion_power(state, cut, strengths) >= MOTION_POWER:
                motion, moving = cut, _masks(cut.twists[None])[0]
    return motion


def _without_slow(twists: Array, radii_m: Array, share: float) -> Array:
    """Motions (m, n, 6) in which bodies slower than a share of the fastest rest."""
    speeds = np.maximum(np.linalg.norm(twists[..., :3], axis=2), np.linalg.norm(twists[..., 3:], axis=2) * radii_m)
    moves = speeds > share * speeds.max(axis=1, keepdims=True, initial=0.0)
    return np.where(moves[..., None], twists, 0.0)


def _masks(twists: Array) -> list[int]:
    """The bodies that move at all in each of many motions (m, n, 6), as bits."""
    packed = np.packbits(twists.any(axis=2), axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]
