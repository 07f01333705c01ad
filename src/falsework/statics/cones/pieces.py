"""A state falls into pieces: free bodies joined by contacts, each piece a problem of its own.

What is held or fixed does not move, so it joins nothing. Bodies of a piece are numbered by the assembly's elimination
order; leaving bodies out of a graph never adds blocks to its factor.
"""

from __future__ import annotations

from falsework.kernels.block_ordering import columns_of_factor, rows_of_factor, slot_of
from falsework.kernels.compiled import inner
from falsework.model.arrays import Bools, Ints
from falsework.statics.cones.room import Cones, Piece


@inner
def find_pieces(cones: Cones, installed: Bools, free: Bools, label: Ints, queue: Ints) -> int:
    """Label each free installed body with its piece, others with −1; returns the number of pieces."""
    count = 0
    for body in range(free.shape[0]):
        label[body] = -1
    for seed in range(free.shape[0]):
        if not (free[seed] and installed[seed]) or label[seed] >= 0:
            continue
        label[seed] = count
        queue[0] = seed
        head, tail = 0, 1
        while head < tail:
            body = queue[head]
            head += 1
            for e in range(cones.by_body[body], cones.by_body[body + 1]):
                patch = cones.patches_of[e]
                other = cones.bodies[patch, 0] + cones.bodies[patch, 1] - body
                if installed[other] and free[other] and label[other] < 0:
                    label[other] = count
                    queue[tail] = other
                    tail += 1
        count += 1
    return count


@inner
def make_piece(
    cones: Cones,
    installed: Bools,
    free: Bools,
    label: Ints,
    which: int,
    order: Ints,
    piece: Piece,
    first: Ints,
    others: Ints,
    parent: Ints,
    mark: Ints,
) -> int:
    """Fill `piece` with the bodies labelled `which`; returns how many of its patches touch what does not move.

    `order` is the elimination order; `first`, `others`, `parent` and `mark` are workspace.
    """
    nodes = 0
    for at in range(order.shape[0]):
        body = order[at]
        piece.local[body] = -1
        if label[body] == which:
            piece.local[body] = nodes
            piece.nodes[nodes] = body
            nodes += 1
    patches, anchors, neighbours = 0, 0, 0
    for j in range(nodes):
        body = piece.nodes[j]
        first[j] = neighbours
        for e in range(cones.by_body[body], cones.by_body[body + 1]):
            patch = cones.patches_of[e]
            a, b = cones.bodies[patch, 0], cones.bodies[patch, 1]
            other = a + b - body
            if not installed[other] or other == body:
                continue
            if free[other]:
                others[neighbours] = piece.local[other]
                neighbours += 1
                if piece.local[other] < j:
                    continue  # counted from the other side
            else:
                anchors += 1
            piece.patches[patches] = patch
            piece.ends[patches, 0] = piece.local[a]
            piece.ends[patches, 1] = piece.local[b]
            patches += 1
    first[nodes] = neighbours
    blocks = columns_of_factor(nodes, first, others, piece.starts, piece.rows, parent, mark)
    rows_of_factor(nodes, piece.starts, piece.rows, piece.row_starts, piece.row_columns, piece.row_slots)
    for k in range(patches):
        if piece.ends[k, 0] >= 0 and piece.ends[k, 1] >= 0:
            piece.slots[k] = slot_of(piece.starts, piece.rows, piece.ends[k, 0], piece.ends[k, 1])
    piece.sizes[0], piece.sizes[1], piece.sizes[2] = nodes, patches, blocks
    return anchors
