"""T-junctions: edges against which others end. Their triangles are cut where those do, before any hole is looked for.

A long edge of one triangle against several short ones of others is no hole, yet no edge is shared. The short ones are
followed from either end of the long one as long as they run along it, so that only neighbours are looked at however
many edges there are.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from falsework.geometry.mending.sheets import Sheet, bare_halves
from falsework.geometry.shapes.planes import unit
from falsework.geometry.shapes.runs import rows_of, starts_of
from falsework.model.arrays import Array, Ints

ALONG = 1e-5  # of the size: corners this near to an edge lie on it
SIX_DIGITS = 1e-6  # of the longest coordinate: what text of six digits leaves of a corner; nearer ones are put onto it
MOST_ROUNDS = 12  # a triangle is cut along one edge at a time; staggered edges need a few rounds more


def without_junctions(sheet: Sheet) -> Sheet:
    """The surface with triangles cut where corners of others lie on their open edges."""
    met = 0
    for _ in range(MOST_ROUNDS):
        bare = bare_halves(sheet.corners)
        halves, starts, between = _corners_along(sheet, bare)
        if not len(halves):
            break
        met += len(between)
        sheet = _cut(_straightened(sheet, halves, starts, between), halves, starts, between)
    return sheet.noted(met, "mended {} T-junction")


def _corners_along(sheet: Sheet, bare: Ints) -> tuple[Ints, Ints, Ints]:
    """Half-edges, one of a triangle at most, and as runs the corners that lie on them, in order."""
    edges_of = _Edges(sheet, bare)
    edges, steps, corners = [], [], []
    for from_tail in (True, False):
        edge, step, corner = _followed(sheet, edges_of, from_tail)
        edges.append(edge)
        steps.append(step)
        corners.append(corner)
    edge, step, corner = np.concatenate(edges), np.concatenate(steps), np.concatenate(corners)
    edge, step, corner = _once(edge, step, corner)
    first = np.unique((bare // 3)[edge], return_index=True)[1]  # one edge of a triangle at a time
    chosen = np.isin(edge, edge[first])
    edge, corner = edge[chosen], corner[chosen]
    which, counts = np.unique(edge, return_counts=True)
    return bare[which], starts_of(counts), corner


class _Edges:
    """Open edges, and which corners they join, either way."""

    def __init__(self, sheet: Sheet, bare: Ints) -> None:
        triangle, side = bare // 3, bare % 3
        self.tails, self.heads = sheet.corners[triangle, side], sheet.corners[triangle, (side + 1) % 3]
        self.across = sheet.corners[triangle, (side + 2) % 3]
        arms = sheet.points[self.heads] - sheet.points[self.tails]
        self.lengths = np.linalg.norm(arms, axis=1)
        self.ways = unit(arms)
        ones, others = np.concatenate([self.tails, self.heads]), np.concatenate([self.heads, self.tails])
        order = np.argsort(ones, kind="stable")
        self.ends = others[order]
        self.corners, counts = np.unique(ones, return_counts=True)
        self.starts = starts_of(counts)

    def joined_to(self, corners: Ints) -> tuple[Ints, Ints]:
        """Neighbours of corners (k,), and for each the position of its corner."""
        rows, owner = rows_of(self.starts, np.searchsorted(self.corners, corners))
        return self.ends[rows], owner


def _followed(sheet: Sheet, edges: _Edges, from_tail: bool) -> tuple[Ints, Array, Ints]:
    """Edge, how far along it from its tail, and corner, of all that is met by following edges from one of its ends."""
    near = ALONG * sheet.size
    edge = np.flatnonzero(edges.lengths > 2 * near)
    corner = (edges.tails if from_tail else edges.heads)[edge]
    along = np.zeros(len(edge)) if from_tail else edges.lengths[edge]
    found = [(edge[:0], along[:0], corner[:0])]
    while len(edge):
        ends, owner = edges.joined_to(corner)
        long = edge[owner]
        arm = sheet.points[ends] - sheet.points[edges.tails[long]]
        step = (arm * edges.ways[long]).sum(axis=1)
        off = np.linalg.norm(arm - step[:, None] * edges.ways[long], axis=1)
        onward = step > along[owner] + near if from_tail else step < along[owner] - near
        on = (off <= near) & onward & (step > near) & (step < edges.lengths[long] - near) & (ends != edges.across[long])
        rows = np.flatnonzero(on)
        rows = rows[np.lexsort((step[rows] if from_tail else -step[rows], owner[rows]))]
        rows = rows[np.unique(owner[rows], return_index=True)[1]]  # the nearest of each
        edge, along, corner = long[rows], step[rows], ends[rows]
        found.append((edge, along, corner))
    edge, along, corner = (np.concatenate(column) for column in zip(*found, strict=True))
    return edge, along, corner


def _once(edge: Ints, step: Array, corner: Ints) -> tuple[Ints, Array, Ints]:
    """Each corner of an edge once, in order along it."""
    order = np.lexsort((corner, edge))
    new = np.ones(len(order), dtype=bool)
    new[1:] = (np.diff(edge[order]) != 0) | (np.diff(corner[order]) != 0)
    kept = order[new]
    kept = kept[np.lexsort((step[kept], edge[kept]))]
    return edge[kept], step[kept], corner[kept]


def _straightened(sheet: Sheet, halves: Ints, starts: Ints, between: Ints) -> Sheet:
    """With corners put onto the edges that they lie on but for the digits of a file: what was flat stays so."""
    triangle, side = halves // 3, halves % 3
    owner = np.repeat(np.arange(len(halves)), np.diff(starts))
    tails, heads = (sheet.points[sheet.corners[triangle, (side + k) % 3]][owner] for k in (0, 1))
    ways = unit(heads - tails)
    feet = tails + ((sheet.points[between] - tails) * ways).sum(axis=1)[:, None] * ways
    off = np.linalg.norm(feet - sheet.points[between], axis=1)
    near = off <= SIX_DIGITS * float(np.abs(sheet.points).max())
    points = sheet.points.copy()
    points[between[near]] = feet[near]
    return replace(sheet, points=points)


def _cut(sheet: Sheet, halves: Ints, starts: Ints, between: Ints) -> Sheet:
    """Triangles cut along their half-edges (k,) at runs of corners: fans about the corner across."""
    triangle, side = halves // 3, halves % 3
    tail = sheet.corners[triangle, side]
    head = sheet.corners[triangle, (side + 1) % 3]
    apex = sheet.corners[triangle, (side + 2) % 3]
    counts = np.diff(starts)
    owner = np.repeat(np.arange(len(halves)), counts + 1)
    moved = starts_of(counts + 1)
    before, after = np.empty(moved[-1], dtype=np.int64), np.empty(moved[-1], dtype=np.int64)
    inner = np.arange(len(between)) + np.repeat(np.arange(len(halves)), counts)  # rows that end in a corner between
    after[inner], before[inner + 1] = between, between
    before[moved[:-1]], after[moved[1:] - 1] = tail, head
    whole = np.ones(len(sheet.corners), dtype=bool)
    whole[triangle] = False
    fans = np.stack([before, after, apex[owner]], axis=1)
    corners = np.concatenate([sheet.corners[whole], fans])
    return sheet.with_corners(corners, np.concatenate([sheet.source[whole], sheet.source[triangle][owner]]))
