"""The arrays that the compiled cone solver works on: an assembly's contacts, a piece of a state, workspace."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from falsework.model.arrays import Array, Ints

LANES = 4


class Cones(NamedTuple):
    """The contacts and bodies of an assembly, in scaled lengths; never written to once made."""

    bodies: Ints  # (k, 2)
    starts: Ints  # (k + 1,)
    points: Array  # (p, 3)
    generators: Array  # (p, groups, 3, LANES) unit or zero
    padding: Array  # (p, groups * LANES) 1 where the generator is zero, else 0
    masses: Array  # (n, 6, 6) mass matrices about the origin
    coms: Array  # (n, 3)
    radii: Array  # (n,) farthest point of contact from the centre of mass
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


class Room(NamedTuple):
    """Workspace of one thread, as large as the assembly can need."""

    piece: Piece
    label: Ints  # (n,)
    queue: Ints  # (n,)
    first: Ints  # (n + 1,)
    others: Ints  # (2 k,)
    parent: Ints  # (n,)
    where: Ints  # (n,)
    x: Array  # (n, 6)
    step: Array
    gradient: Array
    residual: Array
    b: Array
    diagonal: Array  # (n, 6, 6)
    lower: Array  # (blocks, 6, 6)
    speeds: Array  # (p, lanes)
    changes: Array
    weights: Array
    scales: Array
    slacks: Array
    second: Array
    slack_changes: Array
    slack_changes2: Array
    weight_changes: Array
    weight_changes2: Array
    outcome: Ints  # (n,) what became of each piece


def make_room(cones: Cones, blocks: int) -> Room:
    """Workspace for an assembly whose complete factor has `blocks` blocks below the diagonal."""
    n, k = len(cones.masses), len(cones.bodies)
    lanes = cones.padding.shape

    def ints(*shape: int) -> Ints:
        return np.zeros(shape, np.int64)

    rows = 2 * blocks + 2 * k + n  # columns are gathered with repeats before they are sorted
    piece = Piece(
        *(ints(n), ints(n), ints(k), ints(k, 2), ints(k)),
        *(ints(n + 1), ints(rows), ints(n + 1), ints(blocks), ints(blocks), ints(3)),
    )
    small = [np.zeros((n, 6)) for _ in range(5)]
    large = [np.zeros(lanes) for _ in range(10)]
    counts = [ints(n), ints(n), ints(n + 1), ints(2 * k), ints(n), ints(n)]
    matrices = [np.zeros((n, 6, 6)), np.zeros((blocks, 6, 6))]
    return Room._make([piece, *counts, *small, *matrices, *large, ints(n)])
