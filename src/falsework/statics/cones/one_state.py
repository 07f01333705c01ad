"""One state from loads to answer in one compiled call: split it, then Newton for forces, interior point for motions."""

from __future__ import annotations

import math

import numpy as np

from falsework.kernels.block_cholesky import factor_small, solve_blocks
from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array, Bools, Ints
from falsework.statics.cones.contact_maps import add_momenta, part_speeds, worst_share
from falsework.statics.cones.interior import interior
from falsework.statics.cones.newton import POWER, SLOW, STABLE, UNSTABLE, newton
from falsework.statics.cones.pieces import find_pieces, make_piece
from falsework.statics.cones.room import Cones, Piece, Room

NEWTON_STEPS = 14
INTERIOR_STEPS = 60
ALIKE = 1e-13  # of each body's load: how far bodies that fall as one may be from what each would do alone
LEAST_SHARE = 1e-15  # of the loads of a piece: lighter bodies count as if they had that much


@compiled
def solve_state(
    cones: Cones,
    order: Ints,
    room: Room,
    installed: Bools,
    free: Bools,
    loads: Array,
    lengths: float,
    masses: float,
    refine: bool,
    stop: Ints,
    forces: Array,
    twists: Array,
) -> tuple[int, int]:
    """Returns (status, factorisations); fills `forces` (p, 3), world axes, and `twists` (n, 6), both zero when given.

    With `refine` the forces of pieces that fall are those that go with their accelerations.

    `loads` and `twists` are about the centres of mass in the caller's units; `lengths` and `masses` are the
    assembly's units.
    """
    pieces = find_pieces(cones, installed, free, room.label, room.queue)
    sizes = np.zeros(pieces, np.int64)
    for body in range(free.shape[0]):
        if room.label[body] >= 0:
            sizes[room.label[body]] += 1
    factors, found = 0, STABLE
    for _ in range(pieces):
        which = _smallest(sizes)
        anchors = make_piece(
            *(cones, installed, free, room.label, which, order),
            *(room.piece, room.first, room.others, room.parent, room.where),
        )
        scale, mass = _scaled_loads(cones, room.piece, loads, lengths, room.b)
        room.outcome[which] = STABLE
        if scale == 0.0:
            continue
        status, used = _solve_piece(cones, room, anchors, 1.0 / mass, refine, stop)
        factors += used
        room.outcome[which] = status
        if status == STABLE:
            _store_forces(cones, room, scale, forces)
        elif status == UNSTABLE:
            fastest, _ = part_speeds(cones, room.piece, room.x)
            unit = scale / (mass * masses) if refine else 1.0 / fastest
            _store_twists(cones, room, unit, lengths, twists)
            found = UNSTABLE
            if not refine:
                return found, factors
            if used > 0:
                _store_forces(cones, room, scale, forces)
        elif found == STABLE:
            found = SLOW
    return found, factors


@inner
def _solve_piece(
    cones: Cones, room: Room, anchors: int, mass_scale: float, refine: bool, stop: Ints
) -> tuple[int, int]:
    """Returns (status, factorisations) for the piece in the room."""
    if anchors == 0 and _falls_as_one(cones, room, mass_scale, refine):
        return UNSTABLE, 0
    status, factors = newton(cones, room.piece, room.b, mass_scale, room, refine, NEWTON_STEPS, stop)
    if status != STABLE and status != UNSTABLE:
        status, used = interior(cones, room.piece, room.b, mass_scale, room, refine, INTERIOR_STEPS, stop)
        factors += used
    return status, factors


@inner
def _smallest(sizes: Ints) -> int:
    """Where the least positive entry is, which is then struck out."""
    pick = -1
    for which in range(sizes.shape[0]):
        if sizes[which] > 0 and (pick < 0 or sizes[which] < sizes[pick]):
            pick = which
    sizes[pick] = 0
    return pick


@inner
def _scaled_loads(cones: Cones, piece: Piece, loads: Array, lengths: float, b: Array) -> tuple[float, float]:
    """b: loads about the origin over their total size; returns that size and the mass (of the assembly's).

    Fills the bodies' shares of the loads, and the springs' stiffness from them. What has no load of its own counts
    like the least loaded body of the piece.
    """
    scale, mass, least = 0.0, 0.0, math.inf
    for j in range(piece.sizes[0]):
        body = piece.nodes[j]
        size = _size(loads[body, 0], loads[body, 1], loads[body, 2])
        size += _size(loads[body, 3], loads[body, 4], loads[body, 5]) / (cones.radii[body] * lengths)
        piece.shares[j] = size
        scale += size
        mass += cones.masses[body, 0, 0]
        if 0.0 < size < least:
            least = size
    if scale == 0.0:
        return scale, mass
    for j in range(piece.sizes[0]):  # NaN goes on, and ends as undecided
        body = piece.nodes[j]
        piece.shares[j] = max((piece.shares[j] if piece.shares[j] > 0.0 else least) / scale, LEAST_SHARE)
        fx, fy, fz = loads[body, 0] / scale, loads[body, 1] / scale, loads[body, 2] / scale
        cx, cy, cz = cones.coms[body, 0], cones.coms[body, 1], cones.coms[body, 2]
        b[j, 0], b[j, 1], b[j, 2] = fx, fy, fz
        b[j, 3] = loads[body, 3] / (scale * lengths) + cy * fz - cz * fy
        b[j, 4] = loads[body, 4] / (scale * lengths) + cz * fx - cx * fz
        b[j, 5] = loads[body, 5] / (scale * lengths) + cx * fy - cy * fx
    for k in range(piece.sizes[1]):
        first, second = piece.ends[k, 0], piece.ends[k, 1]
        if first >= 0 and second >= 0:
            piece.stiffness[k] = math.sqrt(piece.shares[first] * piece.shares[second])
        else:
            piece.stiffness[k] = piece.shares[max(first, second)]
    return scale, mass


@inner
def _size(x: float, y: float, z: float) -> float:
    return math.sqrt(x * x + y * y + z * z)


@inner
def _falls_as_one(cones: Cones, room: Room, mass_scale: float, refine: bool) -> bool:
    """Nothing holds the piece: it moves as one rigid body under the resultant of its loads, if there is any.

    A refined motion is that one only where no part would rather move on its own.
    """
    piece, inertia, x = room.piece, room.diagonal, room.x
    resultant, size = np.zeros(6), np.zeros(6)
    for q in range(6):
        for p in range(6):
            inertia[0, q, p] = 0.0
            for j in range(piece.sizes[0]):
                inertia[0, q, p] += mass_scale * cones.masses[piece.nodes[j], q, p]
        for j in range(piece.sizes[0]):
            resultant[q] += room.b[j, q]
        size[q] = inertia[0, q, q]
        x[0, q] = resultant[q]
    factor_small(inertia, 0, size)
    alone = np.zeros(2, np.int64)
    solve_blocks(1, alone, piece.rows, inertia, room.lower, x)
    gain = 0.0
    for q in range(6):
        gain += resultant[q] * x[0, q]
        for j in range(1, piece.sizes[0]):
            x[j, q] = x[0, q]
    _, mean = part_speeds(cones, piece, x)
    if not gain > 0.0 or gain < POWER * mean:
        return False
    if not refine:
        return True
    for j in range(piece.sizes[0]):
        for q in range(6):
            room.residual[j, q] = room.b[j, q]
    add_momenta(cones, piece, -mass_scale, x, room.residual)
    return worst_share(cones, piece, room.residual) < ALIKE


@inner
def _store_forces(cones: Cones, room: Room, scale: float, forces: Array) -> None:
    for k in range(room.piece.sizes[1]):
        patch = room.piece.patches[k]
        frame = cones.frames[patch]
        for r in range(cones.starts[patch], cones.starts[patch + 1]):
            a, b, c = scale * room.forces[r, 0], scale * room.forces[r, 1], scale * room.forces[r, 2]
            for i in range(3):
                forces[r, i] = a * frame[0, i] + b * frame[1, i] + c * frame[2, i]


@inner
def _store_twists(cones: Cones, room: Room, unit: float, lengths: float, twists: Array) -> None:
    x = room.x
    for j in range(room.piece.sizes[0]):
        body = room.piece.nodes[j]
        cx, cy, cz = cones.coms[body, 0], cones.coms[body, 1], cones.coms[body, 2]
        twists[body, 0] = unit * (x[j, 0] + x[j, 4] * cz - x[j, 5] * cy)
        twists[body, 1] = unit * (x[j, 1] + x[j, 5] * cx - x[j, 3] * cz)
        twists[body, 2] = unit * (x[j, 2] + x[j, 3] * cy - x[j, 4] * cx)
        for q in range(3, 6):
            twists[body, q] = unit * x[j, q] / lengths
