"""A certificate as forces at points, so that anybody can check it with a sum."""

from __future__ import annotations

from typing import Any

import numpy as np

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.verdict import Criterion, Forces, Motion
from falsework.statics.clutches.capacities import ClutchRows
from falsework.statics.core.unknowns import CORNERS


def certificate_arrays(
    assembly: Assembly,
    joints: Interfaces,
    kinds: tuple[ClutchRows, ...],
    certificate: Forces | Motion | Criterion | None,
) -> dict[str, Any]:
    """What `certificate.npz` holds.

    names (bodies,); gap_m, up to which distance parts touch if that was asked for, else NaN, as it is by their sizes;
    curved_pairs (c, 2) and curved_primitives (c, 2), which bodies touch with curved surfaces and what these were taken
    for;
    with forces: points (p, 3), forces (p, 3) on the second body of pairs (p, 2), and the moments
    of hinges; with a criterion: points, forces and pairs as the model sees them; with a motion: motion (bodies, 6),
    velocity of the centre of mass and angular velocity, and slips.
    """
    gap_m = np.nan if assembly.gap_m is None else assembly.gap_m
    arrays: dict[str, Any] = {"names": np.array([body.name for body in assembly.bodies]), "gap_m": np.array(gap_m)}
    arrays["curved_pairs"] = np.array([contact.bodies for contact in joints.curved], dtype=np.int64).reshape(-1, 2)
    arrays["curved_primitives"] = np.array([contact.kinds for contact in joints.curved], dtype=np.str_).reshape(-1, 2)
    if isinstance(certificate, Motion):
        arrays |= {"motion": certificate.twists, "slips": certificate.clutch_slips}
    if isinstance(certificate, Forces):
        points, forces, pairs = force_points(joints, kinds, certificate)
        arrays |= {"points": points, "forces": forces, "pairs": pairs, "hinge_moments": certificate.hinge_moments}
    if isinstance(certificate, Criterion):
        arrays |= {"points": certificate.points, "forces": certificate.forces, "pairs": certificate.pairs}
    return arrays


def force_points(joints: Interfaces, kinds: tuple[ClutchRows, ...], forces: Forces) -> tuple[Array, Array, Array]:
    """(p, 3) points, (p, 3) forces on the second body, (p, 2) pairs: contacts, clutch points, corners, hinges."""
    patches, clutches, hinges = joints.patches, joints.clutches, joints.hinges
    points, pushes, pairs = [patches.points], [forces.patch_forces], [patches.bodies[patches.owner]]
    for number, kind in enumerate(clutches.kinds):
        rows = np.flatnonzero(clutches.kind == number)
        frames = clutches.T_world_clutch[rows]
        local = np.concatenate([kind.points, CORNERS * kind.half])
        local = np.column_stack([local, np.zeros(len(local))])
        gripped = (forces.clutch_wrenches[rows] @ kinds[number].points.T).reshape(len(rows), -1, 3)
        pressed = np.zeros((len(rows), 4, 3))
        pressed[:, :, 2] = forces.clutch_pressure[rows]
        at = frames[:, None, :3, 3] + np.einsum("kij,cj->kci", frames[:, :3, :3], local)
        acting = np.einsum("kij,kcj->kci", frames[:, :3, :3], np.concatenate([gripped, pressed], axis=1))
        points.append(at.reshape(-1, 3))
        pushes.append(acting.reshape(-1, 3))
        pairs.append(np.repeat(clutches.bodies[rows], len(local), axis=0))
    points.append(hinges.points)
    pushes.append(forces.hinge_forces)
    pairs.append(hinges.bodies)
    return np.concatenate(points), np.concatenate(pushes), np.concatenate(pairs)
