"""Initial collapse: the accelerations of all parts at the first instant, exactly (seed 003, Q, at rest).

One convex problem without friction, whose solution is the motion that `check` proves instability with. With friction
Coulomb's motion from rest, which does not dilate: a sliding block gets g(sin θ − μ cos θ), not that over 1 + μ².
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from falsework.collapse.blocks import frames_about, masses_of, pattern_of
from falsework.collapse.contacts import Contacts, felt_masses, relative
from falsework.collapse.coulomb_motion import coulomb_motion
from falsework.collapse.elimination import eliminated
from falsework.collapse.friction_cone import JOINT
from falsework.collapse.least_restraint import STIFF, least_restraint
from falsework.model.arrays import Array, Bools, Ints, freeze
from falsework.model.assembly import Assembly
from falsework.model.bits import flags
from falsework.model.interfaces import Hinges, Interfaces
from falsework.model.state import State
from falsework.model.travel import MadeAnew
from falsework.statics.core.ambiguity import acting, certain, doubt, possible
from falsework.statics.core.loads import both, load_scale, load_wrenches
from falsework.statics.core.speeds import part_radii, part_speeds
from falsework.statics.proofs.coulomb import motion_residual, own_scales

EXACT = 1e-12  # of load / mass: how far Newton's and the contacts' equations are solved
ENOUGH = 1e-10  # of the same: where rounding or sliding leave more than that
PROVED = 1e-6  # of the load: what is less balances, and a motion that misses Coulomb's law by less is one
MOST_ROUNDS = 200
MOST_FACTORS, MOST_SWEEPS = 2000, 20000
SLACK = 1e-10  # of the load: hinges that are kept no better are kept by elimination
OPENS = 1e-6  # of load / mass: contacts that part faster open

Answer = Literal["stable", "unstable", "undecided"]


@dataclass(frozen=True, slots=True, eq=False)
class InitialCollapse(MadeAnew):
    """What happens at the first instant, and how well it obeys Newton and Coulomb.

    >>> import falsework
    >>> falsework.collapse("examples/arch.yaml", absent="keystone", seconds=0.01).initial.answer
    'unstable'
    """

    answer: Answer
    accelerations: Array  # (bodies, 6) at the centres of mass, world axes, m/s² and rad/s²
    forces: Array  # (p, 3) N on the second bodies, world, at the points of the patches
    hinge_forces: Array  # (h, 2, 3) N on the second bodies, at the two points of `hinge_points`
    presses: Bools  # (p,) points with force
    opens: Bools  # (p,) points that part
    residual: float  # of the load: the worst of balance, cones, and complementarity, recomputed plainly
    why: str = ""  # it is undecided, where ambiguous contacts decide

    def __post_init__(self) -> None:
        freeze(self, accelerations=(None, 6), forces=(None, 3), hinge_forces=(None, 2, 3))


def initial_collapse(assembly: Assembly, joints: Interfaces, state: State) -> InitialCollapse:
    """Coulomb's accelerations from rest."""
    start = _Start.of(assembly, joints, state)
    k = len(start.contacts.bodies)
    v, forces = np.zeros_like(start.w), np.zeros((k, 3))
    coulomb_motion(
        start.contacts,
        pattern_of(len(v), start.contacts.bodies),
        start.mass,
        start.w,
        np.zeros((k, 3)),
        start.felt(),
        v,
        forces,
        True,
        EXACT * start.swift,
        ENOUGH * start.swift,
        MOST_FACTORS,
        MOST_SWEEPS,
    )
    told = _told(start, assembly, joints, v, forces)
    if told.residual <= (SLACK if len(start.pinned) else PROVED):
        return told
    resting = _at_rest(start, assembly, joints, state)
    moving = eliminated(start.contacts, start.mass, start.w, forces)
    judged = [_told(start, assembly, joints, *other) for other in (resting, moving) if other is not None]
    return min([told, *judged], key=lambda one: one.residual)


def _at_rest(start: _Start, assembly: Assembly, joints: Interfaces, state: State) -> tuple[Array, Array] | None:
    """No motion, and forces of plain equilibrium: what can stand, stands."""
    from falsework.statics.core.program import Program  # brings scipy, which few beginnings need

    forces = Program(assembly, joints, state).solve().forces
    if forces is None:
        return None
    hinges = joints.hinges
    reach = np.linalg.norm(np.diff(hinge_points(assembly, hinges), axis=1)[:, 0], axis=1)[:, None]
    couple = np.cross(forces.hinge_moments, hinges.axes) / reach
    ends = np.stack([0.5 * forces.hinge_forces - couple, 0.5 * forces.hinge_forces + couple], axis=1)
    world = np.concatenate([forces.patch_forces[start.acting], ends[start.pinned].reshape(-1, 3)])
    return np.zeros_like(start.w), np.einsum("kij,kj->ki", start.contacts.frames, world)


def settled_collapse(assembly: Assembly, joints: Interfaces, state: State) -> InitialCollapse:
    """The same, but undecided where it depends on which way ambiguous contacts push, as `check` has it."""
    first = initial_collapse(assembly, joints, state)
    if first.answer == "stable" and joints.patches.has_play and not len(joints.hinges):
        return _with_play(assembly, joints, state, first)
    rows = acting(assembly, joints.ambiguous, state)
    if first.answer != "unstable" or not len(rows):
        return first
    doubtful = replace(joints, ambiguous=joints.ambiguous.chosen(rows))
    sure = certain(doubtful)
    if len(sure.patches) > len(joints.patches):
        again = initial_collapse(assembly, sure, state)
        if again.answer == "stable":
            return again
    most = initial_collapse(assembly, possible(doubtful), state)
    if most.answer == "unstable":
        return first
    return replace(first, answer="undecided", why=doubt(assembly, doubtful.ambiguous))


def _with_play(assembly: Assembly, joints: Interfaces, state: State, first: InitialCollapse) -> InitialCollapse:
    """The same where fits have play and parts might only be wedged in them: what moves where they have settled."""
    from falsework.statics.published.with_play import WithPlay  # brings scipy

    judged = WithPlay(assembly, joints).assess(state)
    if judged.stands:
        return first
    if judged.answer == "undecided":
        return replace(first, answer="undecided", why=judged.why)
    return initial_collapse(assembly, joints if judged.about is None else judged.about, state)


def associated_motion(assembly: Assembly, joints: Interfaces, state: State) -> Array:
    """(bodies, 6) accelerations that dilate: those that prove instability, with exact cones."""
    start = _Start.of(assembly, joints, state)
    k = len(start.contacts.bodies)
    v = np.zeros_like(start.w)
    least_restraint(
        start.contacts,
        pattern_of(len(v), start.contacts.bodies),
        start.mass,
        start.w,
        np.zeros((k, 3)),
        np.zeros(k),
        STIFF * start.felt(),
        v,
        np.zeros((k, 3)),
        EXACT * start.swift,
        MOST_ROUNDS,
    )
    return start.spread(v)


@dataclass(frozen=True, slots=True, eq=False)
class _Start:
    """The problem at the first instant, over the free bodies."""

    there: Bools  # (bodies,)
    free: Bools  # (bodies,)
    loads: Array  # (bodies, 6)
    mass: Array  # (n, 6, 6)
    w: Array  # (n, 6) accelerations without contacts
    contacts: Contacts  # the acting points, then two for each acting hinge
    acting: Ints  # numbers of the acting points
    pinned: Ints  # numbers of the acting hinges
    load_n: float
    swift: float  # load / mass

    @staticmethod
    def of(assembly: Assembly, joints: Interfaces, state: State) -> _Start:
        count = len(assembly.bodies)
        there, free = flags(state.installed, count), flags(state.free(assembly), count)
        loads = load_wrenches(assembly, state)
        turns = assembly.poses[free, :3, :3]
        inertia = np.array([body.inertia_part_kgm2 for body, moves in zip(assembly.bodies, free, strict=True) if moves])
        mass = masses_of(assembly.masses_kg[free], turns @ inertia.reshape(-1, 3, 3) @ np.swapaxes(turns, 1, 2))
        w = np.asarray(np.linalg.solve(mass, loads[free][:, :, None])[:, :, 0], np.float64)
        contacts, acting, pinned = _contacts(assembly, joints, there, free)
        load = load_scale(assembly, state)
        swift = load / (float(assembly.masses_kg[free].sum()) or 1.0)
        return _Start(there, free, loads, mass, w, contacts, acting, pinned, load, swift)

    def felt(self) -> Array:
        """(k,) the mass that each contact feels."""
        inverse = np.asarray(np.linalg.inv(self.mass[:, 3:, 3:]), np.float64)
        return felt_masses(self.contacts, self.mass[:, 0, 0].copy(), inverse)

    def spread(self, v: Array) -> Array:
        """(bodies, 6) from what the free bodies do (n, 6)."""
        all_of_them = np.zeros((len(self.free), 6))
        all_of_them[self.free] = v
        return all_of_them


def _contacts(assembly: Assembly, joints: Interfaces, there: Bools, free: Bools) -> tuple[Contacts, Ints, Ints]:
    """What acts on free bodies: points of patches, then two points for each hinge."""
    patches, hinges = joints.patches, joints.hinges
    number = np.full(len(free), -1, np.int64)
    number[free] = np.arange(int(free.sum()))
    pairs = patches.bodies[patches.owner].reshape(-1, 2)
    acting = np.flatnonzero(both(there, pairs) & free[pairs].any(axis=1))
    pinned = np.flatnonzero(both(there, hinges.bodies) & free[hinges.bodies].any(axis=1))
    ends = hinge_points(assembly, hinges)[pinned].reshape(-1, 3)
    bodies = np.concatenate([pairs[acting], np.repeat(hinges.bodies[pinned], 2, axis=0)])
    points = np.concatenate([patches.points[acting], ends])
    owner = patches.owner[acting]
    frames = np.concatenate([frames_about(patches.normals[owner]), np.broadcast_to(np.eye(3), (len(ends), 3, 3))])
    friction = np.concatenate([patches.friction[owner], np.full(len(ends), JOINT)])
    arms = points[:, None, :] - assembly.coms_m[bodies]
    return Contacts(number[bodies], arms, frames, friction), acting, pinned


def hinge_points(assembly: Assembly, hinges: Hinges) -> Array:
    """(h, 2, 3) two points on each hinge's axis: two bodies that share them can only turn about it."""
    radii = np.array([body.radius_m for body in assembly.bodies])
    reach = 0.5 * radii[hinges.bodies].min(axis=1)[:, None] * hinges.axes
    ends: Array = np.stack([hinges.points - reach, hinges.points + reach], axis=1)
    return ends


def _told(start: _Start, assembly: Assembly, joints: Interfaces, v: Array, forces: Array) -> InitialCollapse:
    """The solution in SI, judged by sums that share nothing with the solver."""
    world = np.einsum("ki,kij->kj", forces, start.contacts.frames)
    count = len(start.acting)
    points = np.zeros_like(joints.patches.points)
    points[start.acting] = world[:count]
    hinged = np.zeros((len(joints.hinges), 2, 3))
    hinged[start.pinned] = world[count:].reshape(-1, 2, 3)
    accelerations = start.spread(v)
    couples, torn = _hinged(assembly, joints.hinges, hinged, accelerations)
    masks = start.there, start.free
    obeyed = motion_residual(assembly, joints.patches, masks, start.loads, points, accelerations, couples)
    _, swift = own_scales(assembly, start.free, start.loads)
    tearing = torn / swift[joints.hinges.bodies].min(axis=1, initial=np.inf)
    residual = max(obeyed, float(tearing[start.pinned].max(initial=0.0)))
    u = np.zeros((len(forces), 3))
    relative(start.contacts, v, u)
    opens = np.zeros(len(points), dtype=bool)
    opens[start.acting] = u[:count, 0] > OPENS * start.swift
    moving = bool((part_speeds(accelerations, part_radii(assembly)) > PROVED * swift).any())
    return InitialCollapse(
        "undecided" if not residual <= PROVED else ("unstable" if moving else "stable"),
        accelerations,
        points,
        hinged,
        np.linalg.norm(points, axis=1) > PROVED * start.load_n,
        opens,
        residual,
    )


def _hinged(assembly: Assembly, hinges: Hinges, forces: Array, accelerations: Array) -> tuple[Array, Array]:
    """What hinge forces (h, 2, 3) do to the bodies, (bodies, 6), and how fast each hinge is torn apart, (h,)."""
    wrenches, apart = np.zeros_like(accelerations), np.zeros((len(hinges), 2, 3))
    for side, sign in ((1, 1.0), (0, -1.0)):
        bodies = hinges.bodies[:, side]
        arms = hinge_points(assembly, hinges) - assembly.coms_m[bodies][:, None, :]
        np.add.at(wrenches[:, :3], bodies, sign * forces.sum(axis=1))
        np.add.at(wrenches[:, 3:], bodies, sign * np.cross(arms, forces).sum(axis=1))
        moved = accelerations[bodies][:, None, :]
        apart += sign * (moved[..., :3] + np.cross(moved[..., 3:], arms))
    torn: Array = np.linalg.norm(apart, axis=2).max(axis=1, initial=0.0)
    return wrenches, torn
