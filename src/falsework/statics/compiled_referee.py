"""The referee's arithmetic for contacts with eight-edge cones, compiled: many certificates in one call, outside
Python's lock. `Referee` does the same sums in numpy and is what this one is tested against.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import FORCES_RESIDUAL, MOTION_POWER
from falsework.statics.bits import masks_of
from falsework.statics.compiled import compiled, inner
from falsework.statics.referee import FORCE_BOUND, STILL, Judgement, Referee, Strengths


class Contacts(NamedTuple):
    """The contact points of an assembly."""

    bodies: Ints  # (p, 2)
    arms: Array  # (p, 2, 3) from the bodies' centres of mass
    normals: Array  # (p, 3)
    friction: Array  # (p,)
    radii_m: Array  # (n,) of the bodies


class Case(NamedTuple):
    """What states under one gravity are judged by."""

    contacts: Contacts
    edges: Array  # (p, 3) the first of the eight of every cone
    loads: Array  # (l, n, 6) each what may act on the bodies, if they are there
    sizes_n: Array  # (l, n) of these loads


class CompiledReferee(Referee):
    """The same judgements, sooner."""

    def __init__(self, assembly: Assembly, found: Interfaces) -> None:
        super().__init__(assembly, found)
        arms = np.stack(self._arms, axis=1)
        self._contacts = Contacts(self._pairs, arms, self._normals, self._friction, self.radii_m)
        self._bare: tuple[Array, Case] | None = None  # the last case without applied loads, and its edges

    def case(self, contexts: Sequence[State], strengths: Strengths) -> Case:
        """How to judge states under the gravity and loads of each of these."""
        bare = not self._applied(contexts) and len(contexts) == 1
        if bare and self._bare is not None and self._bare[0] is strengths.first_edges:
            return self._bare[1]
        everyone = np.ones((len(contexts), len(self.radii_m)), np.bool_)
        sizes_n = self._assembly.masses_kg * np.linalg.norm(self._pulls(contexts), axis=1)[:, None] * everyone
        for row, load in self._applied(contexts):
            sizes_n[row, self._assembly.index[load.part]] += math.hypot(*load.force_n.tolist())
        edges = strengths.first_edges[self._owner]
        case = Case(self._contacts, edges, self._loads(contexts, everyone), sizes_n)
        if bare:
            self._bare = strengths.first_edges, case
        return case

    def judge(self, states: Sequence[State], patch_forces: Array, twists: Array, strengths: Strengths) -> Judgement:
        if strengths.cone != "8":
            return super().judge(states, patch_forces, twists, strengths)
        there, free = self._masks(states)
        stands, moving = np.zeros(len(states), np.bool_), np.zeros(there.shape, np.bool_)
        _judge_states(self.case(states, strengths), patch_forces, twists, there, free, stands, moving)
        return Judgement(stands, masks_of(moving))


@compiled
def _judge_states(
    case: Case, forces: Array, twists: Array, there: Bools, free: Bools, stands: Bools, moving: Bools
) -> None:
    """Forces (m, p, 3) and motions (m, n, 6), each under the loads of its own row; fills the last two."""
    balance = np.empty(twists.shape[1:])
    for k in range(len(forces)):
        stands[k] = judge_state(case, k, forces[k], twists[k], there[k], free[k], balance, moving[k])


@inner
def judge_state(
    case: Case,
    row: int,
    forces: Array,
    twists: Array,
    there: Bools,
    free: Bools,
    balance: Array,
    moving: Bools,
) -> bool:
    """Whether forces (p, 3) prove that a state stands under these loads; `moving` are the fewest bodies whose motion
    proves that it falls. `balance` (n, 6) is workspace.
    """
    loads, scale = case.loads[row], 0.0
    for body in range(len(free)):
        if free[body]:
            scale += case.sizes_n[row, body]
    if scale == 0.0:
        scale = 1.0
    _find_moving(case.contacts, case.edges, twists, there, free, scale, loads, moving)
    balance[:] = loads
    stands: bool = _residual(case.contacts, forces, there, free, scale, balance) <= FORCES_RESIDUAL
    return stands


@inner
def _residual(contacts: Contacts, forces: Array, there: Bools, free: Bools, scale: float, balance: Array) -> float:
    """What forces leave of the loads, or exceed of their cones, over the scale; the loads become the balance."""
    excess = _add_forces(contacts, forces, there, FORCE_BOUND * scale, balance)
    left = _unbalanced(contacts, free, balance)
    return max(excess, left) / scale if excess + left < np.inf else np.inf


@inner
def _add_forces(contacts: Contacts, forces: Array, there: Bools, bound_n: float, balance: Array) -> float:
    """Adds forces to the balance; returns by how much, in N, the worst leaves its cone."""
    worst = 0.0
    for p in range(len(forces)):
        x, y, z = forces[p]
        size = math.sqrt(x * x + y * y + z * z)
        if size == 0.0:
            continue
        if not size < np.inf:  # nor a number
            return np.inf
        u, v, w = contacts.normals[p]
        normal = x * u + y * v + z * w
        a, b, c = x - normal * u, y - normal * v, z - normal * w
        sideways = math.sqrt(a * a + b * b + c * c)
        first, second = contacts.bodies[p]
        if there[first] and there[second]:
            worst = max(worst, -normal, sideways - contacts.friction[p] * normal, size - bound_n)
        else:
            worst = max(worst, size)
        _push(balance[second], contacts.arms[p, 1], x, y, z)
        _push(balance[first], contacts.arms[p, 0], -x, -y, -z)
    return worst


@inner
def _push(wrench: Array, arm: Array, x: float, y: float, z: float) -> None:
    wrench[0] += x
    wrench[1] += y
    wrench[2] += z
    wrench[3] += arm[1] * z - arm[2] * y
    wrench[4] += arm[2] * x - arm[0] * z
    wrench[5] += arm[0] * y - arm[1] * x


@inner
def _unbalanced(contacts: Contacts, free: Bools, balance: Array) -> float:
    """The largest force, or torque over radius, left on a free body, N."""
    worst = 0.0
    for body in range(len(free)):
        if free[body]:
            left = max(_length(balance[body, :3]), _length(balance[body, 3:]) / contacts.radii_m[body])
            if not left < np.inf:
                return np.inf
            worst = max(worst, left)
    return worst


@inner
def _find_moving(
    contacts: Contacts,
    edges: Array,
    twists: Array,
    there: Bools,
    free: Bools,
    scale: float,
    loads: Array,
    moving: Bools,
) -> None:
    """Marks the fewest bodies whose motion gains power: without those slower than a share of the fastest."""
    fastest = 0.0
    for body in range(len(free)):
        fast = _speed(contacts, twists, body)
        if not fast < np.inf:  # nor a number
            return
        if free[body]:
            fastest = max(fastest, fast)
    if fastest == 0.0:
        return
    for share in STILL[::-1]:
        gained = 0.0
        for body in range(len(free)):
            moving[body] = free[body] and _speed(contacts, twists, body) > share * fastest
            if moving[body]:
                for i in range(6):
                    gained += loads[body, i] * twists[body, i]
        entered = _entered(contacts, edges, twists, there, moving)
        if gained - FORCE_BOUND * scale * entered >= MOTION_POWER * scale * fastest:
            return
    moving[:] = False


@inner
def _speed(contacts: Contacts, twists: Array, body: int) -> float:
    speed: float = max(_length(twists[body, :3]), _length(twists[body, 3:]) * contacts.radii_m[body])
    return speed


@inner
def _entered(contacts: Contacts, edges: Array, twists: Array, there: Bools, moving: Bools) -> float:
    """Summed speed at which a motion works against forces that the contacts can give; 0 when permitted."""
    total = 0.0
    for p in range(len(edges)):
        first, second = contacts.bodies[p]
        if not (there[first] and there[second] and (moving[first] or moving[second])):
            continue
        x, y, z = 0.0, 0.0, 0.0
        for side, sign in ((0, -1.0), (1, 1.0)):
            body = contacts.bodies[p, side]
            if moving[body]:
                a, b, c = contacts.arms[p, side]
                u, v, w, i, j, k = twists[body]
                x += sign * (u + j * c - k * b)
                y += sign * (v + k * a - i * c)
                z += sign * (w + i * b - j * a)
        u, v, w = contacts.normals[p]
        a, b, c = edges[p]
        normal = x * u + y * v + z * w
        along = abs((x - normal * u) * a + (y - normal * v) * b + (z - normal * w) * c)
        across = abs(x * (v * c - w * b) + y * (w * a - u * c) + z * (u * b - v * a))
        slip = max(along, across, (along + across) * math.sqrt(0.5))
        total += max(0.0, contacts.friction[p] * slip - normal)
    return total


@inner
def _length(vector: Array) -> float:
    return math.sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2])
