"""What each sort of interface can do: unknowns, the wrenches they put on the bodies, and the sets they live in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array, csc_array

from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.statics.clutches.capacities import ClutchRows
from falsework.statics.core.friction_cones import Cone, cone_generators, contact_axes
from falsework.statics.core.loads import both

CORNERS = np.array([(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)])


@dataclass(frozen=True, slots=True, eq=False)
class Unknowns:
    """Unknown forces and moments x of one sort of interface, in SI.

    limits − rows·x is nonnegative, or, where `triples`, each three of its entries lie in a second-order cone.
    """

    columns: csc_array  # (6 × bodies, x): wrenches about the bodies' centres of mass
    rows: csc_array  # (r, x)
    limits: Array  # (r,) N
    is_moment: Bools  # (x,)
    triples: bool = False


def patch_unknowns(assembly: Assembly, joints: Interfaces, there: Bools, cone: Cone, gravity: Array) -> Unknowns:
    """Weights of the cone edges, or with exact cones the forces (normal, two tangents), at every contact point."""
    patches = joints.patches
    pairs = patches.bodies[patches.owner]
    directions = cone_generators(patches, gravity) if cone == "8" else contact_axes(patches)
    width = directions.shape[1]
    directions = directions * both(there, pairs)[:, None, None]
    points = np.repeat(patches.points, width, axis=0)
    columns = pair_columns(assembly, np.repeat(pairs, width, axis=0), points, directions.reshape(-1, 3))
    count = len(points)
    if cone == "8":
        rows = csc_array(coo_array((-np.ones(count), (np.arange(count), np.arange(count))), shape=(count, count)))
        return Unknowns(columns, rows, np.zeros(count), np.zeros(count, dtype=bool))
    friction = patches.friction[patches.owner]
    friction = np.where(friction == 0.0, 1.0, friction)  # where tangents do nothing, any cone keeps the normal ≥ 0
    entries = np.column_stack([-friction, -np.ones_like(friction), -np.ones_like(friction)]).ravel()
    rows = csc_array(coo_array((entries, (np.arange(count), np.arange(count))), shape=(count, count)))
    return Unknowns(columns, rows, np.zeros(count), np.zeros(count, dtype=bool), triples=True)


def clutch_unknowns(assembly: Assembly, joints: Interfaces, there: Bools, kinds: tuple[ClutchRows, ...]) -> Unknowns:
    """Ten a clutch: the wrench of the hole brick on the stud brick in the joint's frame, and four corner pressures."""
    clutches = joints.clutches
    count = len(clutches)
    axes, origins = clutches.T_world_clutch[:, :3, :3], clutches.T_world_clutch[:, :3, 3]
    half = np.array([kind.half for kind in clutches.kinds]).reshape(-1, 2)[clutches.kind]
    corners = np.concatenate([CORNERS[None] * half[:, None], np.zeros((count, 4, 1))], axis=2)
    places = origins[:, None] + np.einsum("kij,kcj->kci", axes, corners)
    points = np.concatenate([np.repeat(origins[:, None], 3, axis=1), places], axis=1)  # (k, 7, 3)
    pushes = np.concatenate([-np.swapaxes(axes, 1, 2), np.repeat(axes[:, None, :, 2], 4, axis=1)], axis=1)
    present = both(there, clutches.bodies)
    pushes = pushes * present[:, None, None]
    couples = -np.swapaxes(axes, 1, 2) * present[:, None, None]
    numbers = np.arange(10 * count).reshape(count, 10)
    force_columns = numbers[:, [0, 1, 2, 6, 7, 8, 9]].ravel()
    pairs = np.repeat(clutches.bodies, 7, axis=0)
    columns = pair_columns(assembly, pairs, points.reshape(-1, 3), pushes.reshape(-1, 3), force_columns, 10 * count)
    columns = columns + _couples(assembly, clutches.bodies, couples, numbers[:, 3:6], 10 * count)
    rows, limits = _clutch_limits(joints, kinds, numbers)
    is_moment = np.tile([False] * 3 + [True] * 3 + [False] * 4, count)
    return Unknowns(csc_array(columns), rows, limits, is_moment)


def _clutch_limits(joints: Interfaces, kinds: tuple[ClutchRows, ...], numbers: Ints) -> tuple[csc_array, Array]:
    """Rows in clutch order: the capacity rows of each clutch, then all corner pressures ≥ 0."""
    kind = joints.clutches.kind
    counts = np.array([len(rows.limits) for rows in kinds], dtype=np.int64)[kind] if len(kinds) else np.zeros(0, int)
    starts = np.cumsum(counts) - counts
    total = int(counts.sum())
    values, row_ids, column_ids = [np.zeros(0)], [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    limits = np.zeros(total + 4 * len(kind))
    for number, rows in enumerate(kinds):
        members = np.flatnonzero(kind == number)
        places = starts[members][:, None] + np.arange(len(rows.limits))
        limits[places] = rows.limits
        row_ids.append(np.repeat(places.ravel(), 6))
        column_ids.append(np.repeat(numbers[members, :6], len(rows.limits), axis=0).ravel())
        values.append(np.tile(rows.rows.ravel(), len(members)))
    pressures = numbers[:, 6:].ravel()
    row_ids.append(total + np.arange(len(pressures)))
    column_ids.append(pressures)
    values.append(-np.ones(len(pressures)))
    entries = (np.concatenate(values), (np.concatenate(row_ids), np.concatenate(column_ids)))
    return csc_array(coo_array(entries, shape=(len(limits), numbers.size))), limits


def hinge_unknowns(assembly: Assembly, joints: Interfaces, there: Bools) -> Unknowns:
    """Five a hinge, without limits: a force in world axes, and moments about two axes normal to its own."""
    hinges = joints.hinges
    count = len(hinges)
    present = both(there, hinges.bodies)[:, None, None]
    numbers = np.arange(5 * count).reshape(count, 5)
    forces = np.tile(np.eye(3), (count, 1, 1)) * present
    pairs, points = np.repeat(hinges.bodies, 3, axis=0), np.repeat(hinges.points, 3, axis=0)
    columns = pair_columns(assembly, pairs, points, forces.reshape(-1, 3), numbers[:, :3].ravel(), 5 * count)
    columns = columns + _couples(
        assembly, hinges.bodies, hinge_moment_axes(joints) * present, numbers[:, 3:], 5 * count
    )
    is_moment = np.tile([False] * 3 + [True] * 2, count)
    return Unknowns(csc_array(columns), csc_array((0, 5 * count)), np.zeros(0), is_moment)


def hinge_moment_axes(joints: Interfaces) -> Array:
    """(h, 2, 3) unit axes normal to each hinge's own."""
    axes = joints.hinges.axes
    helper = np.where(np.abs(axes[:, :1]) < 0.7, [[1.0, 0.0, 0.0]], [[0.0, 1.0, 0.0]])
    first = np.cross(axes, helper)
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    return np.stack([first, np.cross(axes, first)], axis=1)


def pair_columns(
    assembly: Assembly, pairs: Ints, points: Array, forces: Array, numbers: Ints | None = None, width: int | None = None
) -> csc_array:
    """Columns of unit forces at points: on the second body of each pair, and their opposites on the first."""
    numbers = np.arange(len(pairs)) if numbers is None else numbers
    shape = (6 * len(assembly.bodies), len(pairs) if width is None else width)
    row_ids, column_ids, values = [], [], []
    for side, sign in ((1, 1.0), (0, -1.0)):
        arms = points - assembly.coms_m[pairs[:, side]]
        wrenches = sign * np.concatenate([forces, np.cross(arms, forces)], axis=1)
        row_ids.append((6 * pairs[:, side : side + 1] + np.arange(6)).ravel())
        column_ids.append(np.repeat(numbers, 6))
        values.append(wrenches.ravel())
    entries = (np.concatenate(values), (np.concatenate(row_ids), np.concatenate(column_ids)))
    return csc_array(coo_array(entries, shape=shape))


def _couples(assembly: Assembly, pairs: Ints, axes: Array, numbers: Ints, width: int) -> csc_array:
    """Columns of unit couples (k, c, 3) on the second body of each pair, and their opposites on the first."""
    row_ids, column_ids, values = [], [], []
    for side, sign in ((1, 1.0), (0, -1.0)):
        rows = 6 * pairs[:, side][:, None, None] + 3 + np.arange(3)
        row_ids.append(np.broadcast_to(rows, axes.shape).ravel())
        column_ids.append(np.repeat(numbers.ravel(), 3))
        values.append(sign * axes.ravel())
    entries = (np.concatenate(values), (np.concatenate(row_ids), np.concatenate(column_ids)))
    return csc_array(coo_array(entries, shape=(6 * len(assembly.bodies), width)))
