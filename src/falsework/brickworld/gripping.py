"""A hand that grips what stands still: one more interface that may take load, within its friction.

Bricks that hang together with the ground do not move in the engine, so friction between them and a hand that stands
still too is whatever its solver left: statically indeterminate. As for every interface, what it could be is a convex
set. Each finger presses with the force that drives it, N; where on its pad that acts is left to the structure, and so
is friction, |t| ≤ μn at every point:

    W = Σ over both fingers of { Σₖ nₖ + tₖ :  nₖ ≥ 0, Σ |nₖ| = N, |tₖ| ≤ μ|nₖ| }

which bears forces along the pads, twists about the line through them, and bending of the brick between them. Nothing
breaks unless a motion v gains more than clutches and hands can take up together. It is found by cuts: of all motions
that are known to overload the clutches, how few does some wrench of W leave; with that wrench the clutches are asked
again. Either they hold, or the known motions, weighed by the multipliers of the last question, add up to one that no
wrench of W stops.

Friction counts with a polygon around its disc, which can only hold more: a proof holds for the true one.

That is for hands at rest. One that moves, or that came to rest just now, pushes with what its arm is wound up by: a
load like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog

from falsework.brickworld.mechanics import GroupMechanics, Overload
from falsework.engine.pads import Pads
from falsework.model.arrays import Array, Ints
from falsework.model.poses import inverse

EDGES = 16  # of the polygon around friction's disc: 2 % more than the disc in its corners
CUTS = 40  # motions after which nothing is proved; ten are many
SURE = 1e-9  # of the strength: rounding


@dataclass(frozen=True, slots=True, eq=False)
class Grip:
    """What hands could put on the members of a group, beyond what the engine's loads have of them already."""

    members: Ints  # (g,) row of the group's member that each corner of the set acts on
    wrenches: Array  # (g, 6) about its centre, in the group's frame
    fingers: Ints  # (g,) of each finger one corner, or a mean of them
    applied: Array  # (m, 6) that the engine's loads have

    @staticmethod
    def of(hands: Sequence[Pads], mechanics: GroupMechanics, T_world_group: Array) -> Grip:
        """Of all hands that grip a group."""
        row_of = {int(part): row for row, part in enumerate(mechanics.members)}
        members, wrenches, fingers = [], [], []
        applied = np.zeros((len(mechanics.members), 6))
        for number, pads in enumerate(hands):
            rows = np.array([row_of[part] for part in pads.parts.tolist()])
            to_group = inverse(T_world_group)
            arms = pads.points @ to_group[:3, :3].T + to_group[:3, 3] - mechanics.coms[rows]
            normals, forces = pads.normals @ to_group[:3, :3].T, pads.forces @ to_group[:3, :3].T
            np.add.at(applied, rows, _about(arms, forces))
            corners = pads.pressed_n[pads.fingers, None, None] * _cones(normals, pads.friction)  # (k, e, 3)
            members.append(rows.repeat(EDGES))
            fingers.append((2 * number + pads.fingers).repeat(EDGES))
            wrenches.append(_about(arms.repeat(EDGES, axis=0), corners.reshape(-1, 3)))
        return Grip(np.concatenate(members), np.concatenate(wrenches), np.concatenate(fingers), applied)

    def loads(self, shares: Array) -> Array:
        """(m, 6) what the hands put on the members more than is applied, by shares (g,) of the corners."""
        loads = -self.applied
        np.add.at(loads, self.members, shares[:, None] * self.wrenches)
        return loads

    def powers(self, twists: Array) -> Array:
        """(g,) of the corners on a motion (m, 6)."""
        powers: Array = (self.wrenches * twists[self.members]).sum(axis=1)
        return powers

    def takes_up(self, twists: Array) -> float:
        """The most power that the hands take up on a motion (m, 6), beyond what is applied."""
        powers = self.powers(twists)
        least = [powers[self.fingers == finger].min() for finger in np.unique(self.fingers)]
        return float((self.applied * twists).sum() - sum(least))


def overload_in_grip(mechanics: GroupMechanics, loads: Array, grip: Grip) -> Overload | None:
    """None if clutches and hands carry loads (members, 6), or if that could not be decided."""
    over = mechanics.overload(loads)
    known: list[Array] = []  # motions that take up 1 W each
    while over is not None and len(known) < CUTS:
        known.append(over.twists / over.dissipation)
        factor, shares, multipliers = _least_factor(grip, known, loads)
        if factor > 1.0 + SURE:
            twists = np.tensordot(multipliers, np.array(known), 1)
            return mechanics.proved(factor, twists, 1.0 + grip.takes_up(twists))
        over = mechanics.overload(loads + grip.loads(shares))
    return None


def _least_factor(grip: Grip, known: Sequence[Array], loads: Array) -> tuple[float, Array, Array]:
    """The least factor on the clutches for which some wrench of the hands stops all known motions.

    Motions (m, 6) take up 1 W each. And that wrench, as shares of the corners, and (motions,) what each is worth.
    """
    gains = np.array([float(((loads - grip.applied) * twists).sum()) for twists in known])
    powers = np.array([grip.powers(twists) for twists in known])
    fingers = np.unique(grip.fingers)
    count = len(grip.members)
    found = linprog(
        np.append(np.zeros(count), 1.0),
        A_ub=np.column_stack([powers, -np.ones(len(known))]),
        b_ub=-gains,
        A_eq=np.column_stack([(fingers[:, None] == grip.fingers[None]).astype(float), np.zeros(len(fingers))]),
        b_eq=np.ones(len(fingers)),
        bounds=[(0.0, None)] * count + [(None, None)],
        method="highs",
    )
    assert found.fun is not None and found.x is not None  # some wrench is always there, and the factor is free
    return float(found.fun), found.x[:-1], -np.asarray(found.ineqlin.marginals)


def _cones(normals: Array, friction: Array) -> Array:
    """(k, EDGES, 3) n + μt, t the corners of a polygon around the unit disc."""
    helper = np.where(np.abs(normals[:, 2:]) < 0.7, [[0.0, 0.0, 1.0]], [[1.0, 0.0, 0.0]])
    first = np.cross(normals, helper)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    second = np.cross(normals, first)
    angles = 2 * np.pi * (np.arange(EDGES) + 0.5) / EDGES  # exact along both axes, which are middles of edges
    round_ = np.cos(angles)[None, :, None] * first[:, None] + np.sin(angles)[None, :, None] * second[:, None]
    cones: Array = normals[:, None] + (friction / np.cos(np.pi / EDGES))[:, None, None] * round_
    return cones


def _about(arms: Array, forces: Array) -> Array:
    """(k, 6) wrenches of forces (k, 3) at the ends of arms (k, 3)."""
    return np.concatenate([forces, np.cross(arms, forces)], axis=1)
