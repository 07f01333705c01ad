"""The arrays that the compiled cone solver works on: an assembly's contacts, a piece of a state, workspace."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from falsework.model.arrays import Array, Ints


class Cones(NamedTuple):
    """The contacts and bodies of an assembly, in scaled lengths; never written to once made."""

    bodies: Ints  # (k, 2)
    starts: Ints  # (k + 1,)
    frames: Array  # (k, 3, 3) rows: the normal, from the first body into the second, and two tangents
    friction: Array  # (k,)
    points: Array  # (p, 3) in the axes of their patch's frame
    masses: Array  # (n, 6, 6) mass matrices about the origin
    coms: Array  # (n, 3)
    radii: Array  # (n,) of the bodies, about their centres of mass
    place: Ints  # (n,) of each body in the elimination order
    by_body: Ints  # (n + 1,) the patches of each body
    patches_of: Ints  # (2 k,)


class Piece(NamedTuple):
    """Free bodies that act on each other: what is solved at once. Arrays are longer than what is in use."""

    nodes: Ints  # (m,) bodies, in elimination order
    local: Ints  # (n,) body -> node, −1 where not free in this piece
    patches: Ints  # (k,)
    ends: Ints  # (k, 2) nodes, −1 for what does not move
    slots: Ints  # (k,) block of the factor between the two ends
    starts: Ints  # (m + 1,) the factor's pattern, see block_cholesky
    rows: Ints
    row_starts: Ints
    row_columns: Ints
    row_slots: Ints
    sizes: Ints  # nodes, patches, blocks
    shares: Array  # (m,) of each body in the loads of the piece
    stiffness: Array  # (k,) of each patch


class Room(NamedTuple):
    """Workspace of one thread, as large as the assembly can need. Contact points have three components each."""

    piece: Piece
    label: Ints  # (n,)
    queue: Ints  # (n,)
    first: Ints  # (n + 1,)
    others: Ints  # (2 k,)
    parent: Ints  # (n,)
    where: Ints  # (n,)
    x: Array  # (n, 6)
    step: Array
    residual: Array
    rest: Array
    more: Array
    best: Array
    b: Array
    diagonal: Array  # (n, 6, 6)
    lower: Array  # (blocks, 6, 6)
    tangents: Array  # (p, 6) what force answers a shift: xx, xy, xz, yy, yz, zz
    speeds: Array  # (p, 3)
    changes: Array
    forces: Array
    slacks: Array
    multipliers: Array
    scaling: Array  # (p, 4) Nesterov and Todd's: a point of the cone, and a size
    aims: Array
    slack_changes: Array
    multiplier_changes: Array
    best_forces: Array
    outcome: Ints  # (n,) what became of each piece


def make_room(cones: Cones, blocks: int) -> Room:
    """Workspace for an assembly whose complete factor has `blocks` blocks below the diagonal."""
    n, k, p = len(cones.masses), len(cones.bodies), len(cones.points)

    def ints(*shape: int) -> Ints:
        return np.zeros(shape, np.int64)

    rows = 2 * blocks + 2 * k + n  # columns are gathered with repeats before they are sorted
    piece = Piece(
        *(ints(n), ints(n), ints(k), ints(k, 2), ints(k)),
        *(ints(n + 1), ints(rows), ints(n + 1), ints(blocks), ints(blocks), ints(3)),
        *(np.zeros(n), np.zeros(k)),
    )
    counts = [ints(n), ints(n), ints(n + 1), ints(2 * k), ints(n), ints(n)]
    small = [np.zeros((n, 6)) for _ in range(7)]
    matrices = [np.zeros((n, 6, 6)), np.zeros((blocks, 6, 6)), np.zeros((p, 6))]
    widths = (3, 3, 3, 3, 3, 4, 3, 3, 3, 3)
    large = [np.zeros((p, width)) for width in widths]
    return Room._make([piece, *counts, *small, *matrices, *large, ints(n)])
