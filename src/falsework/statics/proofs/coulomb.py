"""Checks a motion from rest against Coulomb's law, and forces against the displacement they belong to.

Plain sums over points: model and numpy only, nothing shared with the solver.
"""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Patches


def motion_residual(
    assembly: Assembly,
    patches: Patches,
    masks: tuple[Bools, Bools],
    loads: Array,
    forces: Array,
    accelerations: Array,
    joints: Array | None = None,
) -> float:
    """How far forces (p, 3) on the second bodies and accelerations (bodies, 6) are from a motion from rest.

    The worst of, each relative to the load on the body and to load / mass, for a contact the lesser of its two:
    M a − loads − forces on a body;  −f_n;  |f_t| − μ f_n;  −a_n;  f_n a_n;  μ f_n |a_t| + f_t·a_t.
    `masks` say which bodies are there, and which of them move freely: only those must keep their balance. `joints` are
    wrenches (bodies, 6) of what else they are joined by.
    """
    there, free = masks
    own, swiftness = own_scales(assembly, free, loads)
    pairs, normals, friction = _spread(patches)
    scale, swift = own[pairs].min(axis=1), swiftness[pairs].min(axis=1)
    both = there[pairs].all(axis=1)
    unbalanced = np.zeros(len(accelerations))
    sums = np.array(loads) if joints is None else loads + joints
    for side, sign in ((1, 1.0), (0, -1.0)):
        np.add.at(sums[:, :3], pairs[:, side], sign * forces)
        np.add.at(sums[:, 3:], pairs[:, side], sign * np.cross(_arms(assembly, patches, side), forces))
    for number in np.flatnonzero(free):
        body = assembly.bodies[number]
        turn = body.T_world_part[:3, :3]
        inertia = turn @ body.inertia_part_kgm2 @ turn.T
        push = body.mass_kg * accelerations[number, :3] - sums[number, :3]
        twist = inertia @ accelerations[number, 3:] - sums[number, 3:]
        unbalanced[number] = max(float(np.linalg.norm(push)), float(np.linalg.norm(twist)) / body.radius_m)
    f_n, f_t = _split(forces, normals)
    a_n, a_t = _split(relative(assembly, patches, accelerations), normals)
    slip, drag = np.linalg.norm(a_t, axis=1), np.linalg.norm(f_t, axis=1)
    wrong = np.column_stack(
        [
            -f_n / scale,
            (drag - friction * f_n) / scale,
            -a_n / swift,
            f_n * a_n / (scale * swift),
            (friction * f_n * slip + np.einsum("pi,pi->p", f_t, a_t)) / (scale * swift),
        ]
    )
    worst = float(wrong[both].max(initial=0.0))
    absent = float(np.abs(forces[~both] / scale[~both, None]).max(initial=0.0))
    return max(worst, absent, float((unbalanced[free] / own[free]).max(initial=0.0)))


def coupling_residual(patches: Patches, there: Bools, forces: Array, displacements: Array, scale: float) -> float:
    """How far forces are from those of equal springs, displaced (p, 3) by so much: of the load `scale`.

    f_n = k·max(0, −d_n), and f_t = −k·d_t or, at most, μ f_n against d_t; displacements are given times k, in N.
    """
    pairs, normals, friction = _spread(patches)
    both = there[pairs].all(axis=1)
    f_n, f_t = _split(forces, normals)
    d_n, d_t = _split(displacements, normals)
    pressed = np.maximum(0.0, -d_n)
    shifted = np.linalg.norm(d_t, axis=1)
    share = np.minimum(1.0, friction * pressed / np.where(shifted > 0, shifted, 1.0))
    off = np.maximum(np.abs(f_n - pressed), np.linalg.norm(f_t + share[:, None] * d_t, axis=1))
    return float(off[both].max(initial=0.0)) / scale


def relative(assembly: Assembly, patches: Patches, twists: Array) -> Array:
    """(p, 3) motion of the second body against the first at every point."""
    apart: Array = np.zeros_like(patches.points)
    pairs = patches.bodies[patches.owner]
    for side, sign in ((1, 1.0), (0, -1.0)):
        moved = twists[pairs[:, side]]
        apart = apart + sign * (moved[:, :3] + np.cross(moved[:, 3:], _arms(assembly, patches, side)))
    return apart


def own_scales(assembly: Assembly, free: Bools, loads: Array) -> tuple[Array, Array]:
    """(bodies,) forces and accelerations to measure by: the load on each body, and that over its mass.

    A body that nothing pulls at is measured by the mean of the others, one that is not free by nothing.
    """
    radii = np.array([body.radius_m for body in assembly.bodies])
    forces = np.linalg.norm(loads[:, :3], axis=1) + np.linalg.norm(loads[:, 3:], axis=1) / radii
    mean = float(forces[free].sum()) / (float(assembly.masses_kg[free].sum()) or 1.0) or 1.0
    own = np.where(forces > 0, forces, mean * assembly.masses_kg)
    return np.where(free, own, np.inf), np.where(free, own / assembly.masses_kg, np.inf)


def _arms(assembly: Assembly, patches: Patches, side: int) -> Array:
    arms: Array = patches.points - assembly.coms_m[patches.bodies[patches.owner][:, side]]
    return arms


def _spread(patches: Patches) -> tuple[Ints, Array, Array]:
    owner = patches.owner
    return patches.bodies[owner], patches.normals[owner], patches.friction[owner]


def _split(vectors: Array, normals: Array) -> tuple[Array, Array]:
    along = np.einsum("pi,pi->p", vectors, normals)
    return along, vectors - along[:, None] * normals
