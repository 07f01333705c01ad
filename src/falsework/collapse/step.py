"""One step in time: seed 003's position-based step (Fig. 7) for rigid bodies with friction.

    minimise ½|v − w|²_M   with   gap(q ⊕ h v) ≥ 0   at the end of the step, friction against the sliding

w is free flight under the loads. The gap at the end is kept exactly, not to first order: it is linearised where the
last pass ended and the pass repeated, which is what the correction terms of (L′) and (S′) are for. So contact neither
drifts nor springs, whatever arrives stays without bounce (Theorem 7.1), and forces act along the normals at the
beginning of the step, as in Verlet's method: smooth motion keeps its energy.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from falsework.collapse.blocks import frames_about, masses_of, pattern_of
from falsework.collapse.contacts import Contacts, add_wrenches, felt_masses, relative
from falsework.collapse.coulomb_motion import CONVEX_ROUNDS, Solved, coulomb_motion
from falsework.collapse.free_flight import flown
from falsework.collapse.friction_cone import JOINT
from falsework.collapse.gaps import gaps
from falsework.collapse.least_restraint import STIFF, least_restraint
from falsework.collapse.memory import Memory, RestOffsets
from falsework.collapse.movable import Bodies, World
from falsework.collapse.nearby import Nearby, nearby
from falsework.collapse.placing import place
from falsework.model.arrays import Array, Ints

EXACT = 1e-12  # of g h: residuals of Newton's and the contacts' equations
ROUNDING = 1e-15  # of a speed: what forces inherit from it, times their stiffness
COULOMB = 1e-6  # of g h and the fastest sliding: how far friction may miss Coulomb's law
FINELY = 1e-3  # of that, for the sliding's part: what is better is exact
GOOD = 1e-5  # of the same: a step that is solved worse is not taken
PASSES = 12  # of linearised gaps
FACTORS, SWEEPS = 300, 4000  # of a pass, at most
GENTLY = 0.05  # of an overlap: how much is undone in a step, for what is pushed out keeps moving;
RECOVERY = 1e-7  # of the assembly's size: and how much at most
BLUR = 4e-15  # of the assembly's size and distance from the origin: rounding of a gap, which is none
TOUCHING = 1e-6  # of the assembly's size: contacts nearer than this slide, others pass
SLOWEST_BOUNCE = 4.0  # of g h and what a bounce loses: what arrives more slowly stays
STILL = 1e-6  # of g h: what is slower begins from rest
DEEP = 1e-4  # of the smallest piece: a step that ends with bodies deeper in each other is taken only if it is short


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """What a step did, and how well its problem was solved."""

    seconds: float
    contacts: int
    passes: int
    factors: int
    residual: float  # of g h and the fastest sliding: Newton, contacts, Coulomb's law; the worst
    penetration_m: float  # beyond the gaps that touching parts started with
    kinetic_j: float  # at the velocities of the step
    potential_j: float  # in the middle of the step

    @property
    def energy_j(self) -> float:
        """Kinetic and potential energy in the middle of the step, which free flight keeps exactly."""
        return self.kinetic_j + self.potential_j


class NotSolved(Exception):
    """A step whose problem was not solved well enough; a shorter one may be."""


@dataclass(slots=True, eq=False)
class Stepper:
    """Advances bodies; keeps what it knows of their contacts."""

    world: World
    bodies: Bodies
    memory: Memory = field(default_factory=Memory)
    offsets: RestOffsets | None = None
    ahead: Nearby | None = None  # what may touch in the next step
    restitution: float = 0.0  # share of its speed with which a contact that closes parts again (Newton's law of impact)

    def step(self, h: float, *, careful: bool = True, convex: bool = False) -> Step:
        """Advance by h seconds, or raise `NotSolved` and change nothing.

        A careful step is not taken if bodies would end in each other, by places that were not near when it began.
        A convex one is what remains where Coulomb's law is not solved: friction as if what slides also parted, by μ
        times its speed. That has a solution and gains no energy; the residual says by how much it misses the law.
        """
        problem = _Problem(self, h, convex)
        problem.solve()
        problem.look_ahead(careful)
        return problem.accept()

    def forget(self) -> None:
        """Something was done to the bodies: forces and contacts of before say nothing about them now."""
        self.memory, self.ahead = Memory(), None


class _Problem:
    """The problem of one step."""

    def __init__(self, stepper: Stepper, h: float, convex: bool = False) -> None:
        world, bodies = stepper.world, stepper.bodies
        self.stepper, self.h, self.convex = stepper, h, convex
        assembly = world.assembly
        self.free: Ints = np.flatnonzero(bodies.free)
        self.number = np.full(len(bodies.free), -1, np.int64)
        self.number[self.free] = np.arange(len(self.free))
        turns = bodies.turns[self.free]
        self.inertia = np.ascontiguousarray(world.inertias[self.free])
        world_inertia = turns @ self.inertia @ np.swapaxes(turns, 1, 2)
        self.mass = masses_of(world.masses_kg[self.free], world_inertia)
        self.g_h = h * (float(np.linalg.norm(assembly.gravity)) or 9.81)
        self.blur = BLUR * (world.size_m + float(np.abs(bodies.centres).max()))
        self.span = float(bodies.since_s.max()) + 0.5 * h  # what impulses are forces times
        self.w = self._free_flight(world_inertia)
        self.near = self._nearby()
        self.gap = self.near.gap_m
        self._contacts(world_inertia)

    def _free_flight(self, world_inertia: Array) -> Array:
        """(n, 6) motion under the loads alone; and `kick`, what they add to it in half a step."""
        world, bodies, h = self.stepper.world, self.stepper.bodies, self.h
        pull = np.zeros((len(self.free), 6))  # acceleration
        pull[:, :3] = world.assembly.gravity
        for load in world.assembly.loads:
            b = world.assembly.index[load.part]
            k = self.number[b]
            if k < 0:
                continue
            pull[k, :3] += load.force_n / world.masses_kg[b]
            if load.point_m is not None:
                part = world.assembly.bodies[b]
                local = part.T_world_part[:3, :3].T @ (load.point_m - part.com_world_m)
                torque = np.cross(bodies.turns[b] @ local, load.force_n)
                pull[k, 3:] += np.linalg.solve(world_inertia[k], torque)
        self.kick = 0.5 * h * pull
        spans = bodies.since_s[self.free] + 0.5 * h  # from the middle of the last step to the middle of this one
        moving: Array = bodies.velocities[self.free] + spans[:, None] * pull
        return moving

    def _nearby(self) -> Nearby:
        """What may touch in this step: as seen from the end of the last one, if that looked so far ahead."""
        stepper, bodies = self.stepper, self.stepper.bodies
        if stepper.ahead is not None and stepper.ahead.within_s >= self.h:
            return stepper.ahead
        moving = np.maximum(np.abs(self.w), np.abs(bodies.velocities[self.free]))
        return nearby(stepper.world, bodies, bodies.turns, bodies.centres, moving, self.h)

    def _contacts(self, world_inertia: Array) -> None:
        world, bodies, near = self.stepper.world, self.stepper.bodies, self.near
        hulls, features = world.hulls, near.features
        count = len(features.kind)
        if self.stepper.offsets is None:
            touch = world.gaps_m[hulls.body[features.pieces]].min(axis=1)
            self.stepper.offsets = RestOffsets.of(features, near.keys, near.gap_m, touch, len(hulls.body))
        self.offset = self.stepper.offsets.at(features, near.keys, len(hulls.body))
        hinged = self._hinges()
        pairs = np.concatenate([hulls.body[features.pieces], hinged[0]])
        arms = np.concatenate([near.points - bodies.centres[pairs[:count]], hinged[1]])
        frames = np.concatenate([frames_about(near.normals), np.broadcast_to(np.eye(3), (len(hinged[0]), 3, 3))])
        friction = np.concatenate([world.friction[features.pieces[:, 0]], np.full(len(hinged[0]), JOINT)])
        self.contacts = Contacts(self.number[pairs], np.ascontiguousarray(arms), np.ascontiguousarray(frames), friction)
        self.pattern = pattern_of(len(self.free), self.contacts.bodies)
        inverse = np.asarray(np.linalg.inv(world_inertia), np.float64)
        self.felt = felt_masses(self.contacts, world.masses_kg[self.free], inverse)
        self.hinge_gap = hinged[2]

    def _hinges(self) -> tuple[Ints, Array, Array]:
        """Two points for each hinge: bodies (k, 2), arms (k, 2, 3), and how far the points are apart (k, 3)."""
        world, bodies = self.stepper.world, self.stepper.bodies
        pairs = world.hinges.bodies
        acting = bodies.there[pairs].all(axis=1) & bodies.free[pairs].any(axis=1)
        pairs = np.repeat(pairs[acting], 2, axis=0)
        self.hinge_local = world.hinge_arms[acting].reshape(-1, 2, 3)
        arms, apart = self._hinge_places(pairs, bodies.turns, bodies.centres)
        self.hinge_pairs = pairs
        return pairs, arms, apart

    def _hinge_places(self, pairs: Ints, turns: Array, centres: Array) -> tuple[Array, Array]:
        arms = np.einsum("ksij,ksj->ksi", turns[pairs], self.hinge_local)
        ends = arms + centres[pairs]
        return arms, ends[:, 1] - ends[:, 0]

    def solve(self) -> None:
        """Solve it well enough, or raise; overlaps that cannot be undone together are left as they are."""
        size = self.stepper.world.size_m
        slack = self.gap - self.offset
        slack[np.abs(slack) <= self.blur] = 0.0
        slack[slack < 0] *= GENTLY
        overlaps = bool((slack < 0).any())
        for recovery in (RECOVERY * size, 0.0) if overlaps else (0.0,):
            self._begin()
            self._passes(np.maximum(slack, -recovery))
            if self.residual <= GOOD + self.blur / (self.h * self.scale):
                return
        raise NotSolved(f"residual {self.residual:.1e} of g·h and sliding ({self.missed})")

    def _begin(self) -> None:
        """Motion, forces and bends as the last step leaves them."""
        h, count, total = self.h, len(self.gap), len(self.contacts.bodies)
        forces_n, bends = self.stepper.memory.recall(self.near.keys)
        self.forces, self.bend = np.zeros((total, 3)), np.zeros((total, 3))
        self.forces[:count] = self.span * np.einsum("kij,kj->ki", self.contacts.frames[:count], forces_n)
        self.bend[:count, 0] = 0.5 * h * h * bends
        pushes = np.zeros_like(self.w)
        add_wrenches(self.contacts, self.forces, pushes)
        self.v = self.w + np.linalg.solve(self.mass, pushes[:, :, None])[:, :, 0]
        self.factors = 0

    def _passes(self, room: Array) -> None:
        """Passes of linearised gaps, which may close by `room` (k,), until they end as they were meant to."""
        h, count = self.h, len(self.gap)
        x = self.v - self.w  # what contacts change: smaller than v, so rounded less
        flying = np.empty_like(self.forces)
        relative(self.contacts, self.w, flying)
        sliding = self._sliding(flying)
        self.scale = self.g_h + sliding
        tolerance = EXACT * self.g_h + ROUNDING * STIFF * float(np.abs(x).max(initial=0.0)) + 0.1 * self.blur / h
        rough = bool((self.contacts.friction > 0).any())
        coulomb, slack = (COULOMB * self.scale, COULOMB * sliding * h) if rough else (0.0, 0.0)
        exact = max(tolerance, FINELY * slack / h)
        speed = float(np.abs(self.stepper.bodies.velocities).max())
        bounces, parting = self._bounces(flying)
        last, from_rest = np.inf, speed <= STILL * self.g_h and not self.forces.any()
        for self.passes in range(1, PASSES + 1):
            bias = flying + self.bend / h
            bias[:count, 0] += room / h
            bias[count:] += self.hinge_gap / h
            bias[bounces] = parting
            told = self._solved(bias, x, from_rest, exact, max(tolerance, coulomb))
            from_rest = False
            self.factors += told.factors
            self.v = self.w + x
            bend = self._bends()
            pressed = self.forces[:, 0] > 0
            pressed[count:] = True
            pressed[:count] |= self.after < self.gap - room - self.blur
            pressed[bounces] = False
            change = float(np.abs(bend - self.bend)[pressed].max(initial=0.0))
            self.bend = bend
            settled = change <= max(self.blur, slack) or last / 2 < change <= 100 * self.blur
            if settled or max(told.motion, told.contact) > GOOD * self.scale:  # or not solved, and no use going on
                break
            last = change
        missed = (told.motion, told.contact, change / h)
        self.residual = self.told = max(missed) / self.scale
        self.missed = "Newton {:.1e}, contacts {:.1e}, gaps {:.1e} m/s".format(*missed)
        if self.convex:
            law = self._coulomb(bias, x, False, exact, tolerance, 0, 0)
            self.told = max(self.residual, law.contact / self.scale)

    def _solved(self, bias: Array, x: Array, from_rest: bool, exact: float, enough: float) -> Solved:
        """x and the forces of the contacts, solved by the law of this step."""
        if not self.convex:
            return self._coulomb(bias, x, from_rest, exact, enough, FACTORS, SWEEPS)
        still, shift = np.zeros_like(x), np.zeros_like(self.felt)
        effort = least_restraint(
            self.contacts, self.pattern, self.mass, still, bias, shift, STIFF * self.felt, x, self.forces, exact,
            CONVEX_ROUNDS,
        )  # fmt: skip
        return Solved(effort.motion, effort.contact, effort.newton, 0)

    def _coulomb(
        self, bias: Array, x: Array, from_rest: bool, exact: float, enough: float, factors: int, sweeps: int
    ) -> Solved:
        return coulomb_motion(
            self.contacts, self.pattern, self.mass, np.zeros_like(x), bias, self.felt, x, self.forces, from_rest,
            exact, enough, factors, sweeps,
        )  # fmt: skip

    def _sliding(self, flying: Array) -> float:
        """The speed of the fastest sliding contact: what residuals are relative to, besides g·h."""
        near = self.gap <= TOUCHING * self.stepper.world.size_m
        return float(np.abs(flying[: len(self.gap)][near, 1:]).max(initial=0.0))

    def _bounces(self, flying: Array) -> tuple[Ints, Array]:
        """Contacts that close in this step fast enough to bounce, and biases (m, 3) with which they part again.

        Newton's law of impact for the speeds at the beginning of the step, where the bodies are when it acts: so what
        bounces fully keeps its energy exactly, however much of the step is left until they would have met.
        """
        count, e = len(self.gap), self.stepper.restitution
        if e == 0.0:
            return np.zeros(0, np.int64), np.zeros((0, 3))
        at_start = np.empty_like(self.forces)
        relative(self.contacts, self.w - self.kick, at_start)
        arriving = at_start[:count, 0]
        closes = self.gap - self.offset + self.h * flying[:count, 0] < 0
        bounces: Ints = np.flatnonzero(closes & (arriving < -SLOWEST_BOUNCE * (1.0 - e) * self.g_h))
        parting = flying[bounces].copy()
        parting[:, 0] = (1.0 + e) * arriving[bounces]
        return bounces, parting

    def _bends(self) -> Array:
        """(k, 3) how far the gaps end from where they would if bodies moved straight; and where they end."""
        world, bodies, h, count = self.stepper.world, self.stepper.bodies, self.h, len(self.gap)
        turns, centres = np.empty_like(bodies.turns), np.empty_like(bodies.centres)
        flown(self.free, bodies.turns, bodies.centres, self.v, self.inertia, h, turns, centres)
        self.places, self.after = (turns, centres), np.empty(count)
        gaps(self.near.features, place(world.hulls, turns, centres), self.near.signs, self.after)
        u, bend = np.empty_like(self.forces), np.zeros_like(self.forces)
        relative(self.contacts, self.v, u)
        bend[:count, 0] = self.after - self.gap - h * u[:count, 0]
        bend[count:] = self._hinge_places(self.hinge_pairs, turns, centres)[1] - self.hinge_gap - h * u[count:]
        return bend

    def look_ahead(self, careful: bool) -> None:
        """What may touch in the next step, and how deep bodies are in each other."""
        stepper, world = self.stepper, self.stepper.world
        assert stepper.offsets is not None
        self.carried = self._carried()
        soon = self.carried.copy()
        soon[:, :3] += self.h * world.assembly.gravity
        moving = np.maximum(np.abs(soon), np.abs(self.carried))
        self.ahead = nearby(world, stepper.bodies, *self.places, moving, self.h)
        offset = stepper.offsets.at(self.ahead.features, self.ahead.keys, len(world.hulls.body))
        self.deepest = float((offset - self.ahead.gap_m).max(initial=0.0))
        before = float((self.offset - self.gap).max(initial=0.0))
        if careful and self.deepest > before + DEEP * float(world.hulls.sizes_m.min()):
            raise NotSolved(f"bodies would overlap by {self.deepest:.1e} m")

    def accept(self) -> Step:
        """Move the bodies."""
        world, bodies, h, count = self.stepper.world, self.stepper.bodies, self.h, len(self.gap)
        old = bodies.centres
        kinetic = 0.5 * float(np.einsum("ni,nij,nj->", self.v, self.mass, self.v))
        middle = 0.5 * (old[self.free] + self.places[1][self.free])
        weights = world.masses_kg[self.free][:, None] * world.assembly.gravity
        potential = -float((weights * middle).sum())
        bodies.turns, bodies.centres = self.places
        bodies.velocities = np.zeros_like(bodies.velocities)
        bodies.velocities[self.free] = self.carried
        bodies.since_s[:] = 0.0
        bodies.since_s[self.free] = 0.5 * h
        forces = np.einsum("ki,kij->kj", self.forces[:count], self.contacts.frames[:count]) / self.span
        self.stepper.memory.keep(self.near.keys, forces, 2.0 * self.bend[:count, 0] / (h * h))
        self.stepper.ahead = self.ahead
        return Step(h, count, self.passes, self.factors, self.told, self.deepest, kinetic, potential)

    def _carried(self) -> Array:
        """(n, 6) motion at the end of the step: the same angular momentum about axes that have turned."""
        v = self.v.copy()
        momenta = np.einsum("nij,nj->ni", self.mass[:, 3:, 3:], v[:, 3:])
        turns = self.places[0][self.free]
        inertia = turns @ self.inertia @ np.swapaxes(turns, 1, 2)
        v[:, 3:] = np.linalg.solve(inertia, momenta[:, :, None])[:, :, 0]
        return v
