"""The referee's arithmetic for contacts alone, compiled: many certificates in one call, outside Python's lock.

`Referee` does the same sums in numpy and is what this one is tested against.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.bits import flags_of, masks_of
from falsework.model.interfaces import Interfaces
from falsework.model.state import State
from falsework.model.verdict import FORCES_RESIDUAL, MOTION_POWER
from falsework.statics.proofs.checked_bodies import ROUNDING
from falsework.statics.proofs.checked_clutches import Strengths
from falsework.statics.proofs.referee import FORCE_BOUND, PRESS_BOUND, SMALLEST, STILL, Judgement, Referee


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
    loads: Array  # (l, n, 6) each what may act on the bodies, if they are there
    own_n: Array  # (l, n) sizes of these loads: weight, and forces applied


class Fallen(NamedTuple):
    """Sums over the pieces of a motion, each kept at the first body of its piece; workspace."""

    measure: Array  # (n,) what each free body's imbalance is measured by
    around: Array  # (n,) heft of all that is free and joined with it
    first: Ints  # (n,)
    gained: Array  # (n,)
    own: Array
    heft: Array
    entered: Array
    fastest: Array


class CompiledReferee(Referee):
    """The same judgements, sooner."""

    def __init__(self, assembly: Assembly, joints: Interfaces) -> None:
        super().__init__(assembly, joints)
        self._assembly, known = assembly, self._contacts
        self._points = Contacts(known.pairs, known.arms, known.normals, known.friction, self.radii_m)
        self._bare: tuple[bytes, Case] | None = None  # the last case without applied loads, and its gravity

    def case(self, contexts: Sequence[State]) -> Case:
        """How to judge states under the gravity and loads of each of these, in which everything is there."""
        gravity = contexts[0].gravity_of(self._assembly).tobytes()
        bare = len(contexts) == 1 and not contexts[0].loads_of(self._assembly)
        if bare and self._bare is not None and self._bare[0] == gravity:
            return self._bare[1]
        everyone, nobody = np.ones(len(self.radii_m), np.bool_), np.zeros(len(self.radii_m), np.bool_)
        loads = np.array([self._bodies.loads(context, everyone) for context in contexts])
        own_n = np.array([self._bodies.own_loads(context, everyone, nobody) for context in contexts])
        case = Case(self._points, loads, own_n)
        if bare:
            self._bare = gravity, case
        return case

    def judge(self, states: Sequence[State], patch_forces: Array, twists: Array, strengths: Strengths) -> Judgement:
        count = len(self.radii_m)
        there = flags_of([state.installed for state in states], count)
        free = flags_of([state.free(self._assembly) for state in states], count)
        stands, moving = np.zeros(len(states), np.bool_), np.zeros(there.shape, np.bool_)
        _judge_states(self.case(states), patch_forces, twists, there, free, stands, moving)
        return Judgement(stands, masks_of(moving))


@compiled
def _judge_states(
    case: Case, forces: Array, twists: Array, there: Bools, free: Bools, stands: Bools, moving: Bools
) -> None:
    """Forces (m, p, 3) and motions (m, n, 6), each under the loads of its own row; fills the last two."""
    balance, fallen = np.empty(twists.shape[1:]), workspace(twists.shape[1])
    for k in range(len(forces)):
        stands[k] = judge_state(case, k, forces[k], twists[k], there[k], free[k], balance, fallen, moving[k])


@inner
def workspace(count: int) -> Fallen:
    """For motions of so many bodies."""
    return Fallen(
        np.empty(count),
        np.empty(count),
        np.empty(count, np.int64),
        np.empty(count),
        np.empty(count),
        np.empty(count),
        np.empty(count),
        np.empty(count),
    )


@inner
def judge_state(
    case: Case,
    row: int,
    forces: Array,
    twists: Array,
    there: Bools,
    free: Bools,
    balance: Array,
    fallen: Fallen,
    moving: Bools,
) -> bool:
    """Whether forces (p, 3) prove that a state stands under these loads; `moving` are the fewest bodies whose motion
    proves that it falls. `balance` (n, 6) and `fallen` are workspace.
    """
    loads = case.loads[row]
    _measure(case.contacts, there, free, case.own_n[row], fallen.measure, fallen.first)
    _find_moving(case.contacts, twists, there, free, loads, fallen, moving)
    balance[:] = loads
    stands: bool = _residual(case.contacts, forces, there, free, balance, fallen) <= FORCES_RESIDUAL
    return stands and not _is_squeezed(case.contacts, there, free, loads, fallen)


@inner
def _residual(contacts: Contacts, forces: Array, there: Bools, free: Bools, balance: Array, fallen: Fallen) -> float:
    """What forces leave of a body's own load, or exceed of their cones; the loads become the balance."""
    summed, beyond = fallen.heft, fallen.entered
    summed[:], beyond[:] = 0.0, 0.0
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
        first, second = contacts.bodies[p]
        excess = size
        if there[first] and there[second]:
            excess = max(0.0, -normal, math.sqrt(a * a + b * b + c * c) - contacts.friction[p] * normal)
        beyond[first] += excess
        beyond[second] += excess
        _push(balance[second], contacts.arms[p, 1], x, y, z)
        _push(balance[first], contacts.arms[p, 0], -x, -y, -z)
        summed[first] += size * (1.0 + _length(contacts.arms[p, 0]) / contacts.radii_m[first])
        summed[second] += size * (1.0 + _length(contacts.arms[p, 1]) / contacts.radii_m[second])
    for body in range(len(free)):
        if free[body]:
            left = max(_length(balance[body, :3]), _length(balance[body, 3:]) / contacts.radii_m[body])
            left = (max(left + ROUNDING * summed[body], beyond[body]) + SMALLEST) / fallen.measure[body]
            if not left < np.inf:
                return np.inf
            worst = max(worst, left)
    return worst


@inner
def _is_squeezed(contacts: Contacts, there: Bools, free: Bools, loads: Array, fallen: Fallen) -> bool:
    """Whether forces that were just summed exceed what motions are charged with."""
    most = 0.0
    for body in range(len(free)):
        if free[body]:
            most = max(most, fallen.heft[body] / fallen.measure[body])
    if most <= FORCE_BOUND:
        return False
    _look_around(contacts, there, free, loads, fallen)
    for body in range(len(free)):
        bound = FORCE_BOUND * fallen.measure[body] + PRESS_BOUND * fallen.around[body]
        if free[body] and fallen.heft[body] > bound:
            return True
    return False


@inner
def _measure(contacts: Contacts, there: Bools, free: Bools, own: Array, measure: Array, first: Ints) -> None:
    """What each body's imbalance is measured by: its own load, else the least of the bodies that it acts on."""
    bare = False
    for body in range(len(free)):
        measure[body] = own[body] if free[body] else np.inf
        if free[body] and own[body] == 0.0:
            bare = True
    if not bare:
        return
    _connect(contacts, there, free, first)
    least = np.full(len(free), np.inf)
    for body in range(len(free)):
        if free[body] and own[body] > 0.0:
            least[first[body]] = min(least[first[body]], own[body])
    for body in range(len(free)):
        if free[body] and own[body] == 0.0:
            measure[body] = least[first[body]] if least[first[body]] < np.inf else 1.0


@inner
def _push(wrench: Array, arm: Array, x: float, y: float, z: float) -> None:
    wrench[0] += x
    wrench[1] += y
    wrench[2] += z
    wrench[3] += arm[1] * z - arm[2] * y
    wrench[4] += arm[2] * x - arm[0] * z
    wrench[5] += arm[0] * y - arm[1] * x


@inner
def _connect(contacts: Contacts, there: Bools, chosen: Bools, first: Ints) -> None:
    """first ← the least body of the piece that each chosen body belongs to."""
    for body in range(len(chosen)):
        first[body] = body
    for p in range(len(contacts.bodies)):
        one, other = contacts.bodies[p]
        if chosen[one] and chosen[other] and there[one] and there[other]:
            while first[one] != one:
                one = first[one]
            while first[other] != other:
                other = first[other]
            first[max(one, other)] = min(one, other)
    for body in range(len(chosen)):
        first[body] = first[first[body]]


@inner
def _find_moving(
    contacts: Contacts,
    twists: Array,
    there: Bools,
    free: Bools,
    loads: Array,
    fallen: Fallen,
    moving: Bools,
) -> None:
    """Marks the fewest bodies whose motion gains power: one piece, without bodies far slower than the fastest."""
    fastest = 0.0
    for body in range(len(free)):
        if free[body]:
            fast = _speed(contacts, twists, body)
            if not fast < np.inf:  # nor a number
                return
            fastest = max(fastest, fast)
    if fastest <= SMALLEST:
        return
    _look_around(contacts, there, free, loads, fallen)
    for share in STILL[::-1]:
        for body in range(len(free)):
            moving[body] = free[body] and _speed(contacts, twists, body) > max(share * fastest, SMALLEST)
        _connect(contacts, there, moving, fallen.first)
        _tally(contacts, twists, there, loads, fallen, moving)
        best, most = -1, MOTION_POWER
        for body in range(len(free)):
            scale = fallen.own[body] * fallen.fastest[body]
            if fallen.own[body] > SMALLEST:
                most_n = FORCE_BOUND * fallen.heft[body] + PRESS_BOUND * fallen.around[body]
                power = (fallen.gained[body] - most_n * fallen.entered[body]) / scale
                if power > most or (power == most and best < 0):
                    best, most = body, power
        if best >= 0:
            for body in range(len(free)):
                moving[body] = moving[body] and fallen.first[body] == best
            return
    moving[:] = False


@inner
def _look_around(contacts: Contacts, there: Bools, free: Bools, loads: Array, fallen: Fallen) -> None:
    """around ← the heft of all free bodies of the piece that each free body belongs to."""
    _connect(contacts, there, free, fallen.first)
    fallen.gained[:] = 0.0
    for body in range(len(free)):
        if free[body]:
            fallen.gained[fallen.first[body]] += _heft(contacts, loads, fallen, body)
    for body in range(len(free)):
        fallen.around[body] = fallen.gained[fallen.first[body]]


@inner
def _heft(contacts: Contacts, loads: Array, fallen: Fallen, body: int) -> float:
    heft: float = fallen.measure[body] + _length(loads[body, 3:]) / contacts.radii_m[body]
    return heft


@inner
def _tally(contacts: Contacts, twists: Array, there: Bools, loads: Array, fallen: Fallen, moving: Bools) -> None:
    """What each piece of a motion gains, weighs and enters."""
    fallen.gained[:], fallen.own[:], fallen.heft[:], fallen.entered[:], fallen.fastest[:] = 0.0, 0.0, 0.0, 0.0, 0.0
    for body in range(len(moving)):
        if moving[body]:
            at = fallen.first[body]
            for i in range(6):
                fallen.gained[at] += loads[body, i] * twists[body, i]
            fallen.own[at] += fallen.measure[body]
            fallen.heft[at] += _heft(contacts, loads, fallen, body)
            fallen.fastest[at] = max(fallen.fastest[at], _speed(contacts, twists, body))
    for p in range(len(contacts.bodies)):
        first, second = contacts.bodies[p]
        if there[first] and there[second] and (moving[first] or moving[second]):
            at = fallen.first[first if moving[first] else second]
            fallen.entered[at] += _entered(contacts, twists, moving, p)


@inner
def _speed(contacts: Contacts, twists: Array, body: int) -> float:
    speed: float = max(_length(twists[body, :3]), _length(twists[body, 3:]) * contacts.radii_m[body])
    return speed


@inner
def _entered(contacts: Contacts, twists: Array, moving: Bools, p: int) -> float:
    """Speed at which a motion works against forces that a contact can give; 0 when permitted, to rounding."""
    x, y, z, sizes = 0.0, 0.0, 0.0, 0.0
    for side, sign in ((0, -1.0), (1, 1.0)):
        body = contacts.bodies[p, side]
        if moving[body]:
            a, b, c = contacts.arms[p, side]
            u, v, w, i, j, k = twists[body]
            x += sign * (u + j * c - k * b)
            y += sign * (v + k * a - i * c)
            z += sign * (w + i * b - j * a)
            sizes += _length(twists[body, :3]) + _length(twists[body, 3:]) * _length(contacts.arms[p, side])
    u, v, w = contacts.normals[p]
    normal = x * u + y * v + z * w
    a, b, c = x - normal * u, y - normal * v, z - normal * w
    friction = contacts.friction[p]
    slip = math.sqrt(a * a + b * b + c * c)
    entered: float = max(0.0, friction * slip - normal - ROUNDING * (1.0 + friction) * sizes)
    return entered


@inner
def _length(vector: Array) -> float:
    return math.sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2])
