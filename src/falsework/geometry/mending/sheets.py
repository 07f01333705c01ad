"""A surface while it is mended: its triangles, where each came from, and what was done so far."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from falsework.model.arrays import Array, Bools, Ints

NEW = -1  # a triangle that the file does not have


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Triangles over points, on the way to a closed surface."""

    points: Array  # (n, 3)
    corners: Ints  # (t, 3) indices into points
    source: Ints  # (t,) the triangle of the file that each is, or is cut from; −1 for new ones
    size: float  # of the box around all, of which tolerances are fractions
    notes: tuple[str, ...] = field(default=())  # what was done, one sentence for each kind

    def kept(self, which: Bools) -> Sheet:
        """Some of the triangles."""
        return self if which.all() else replace(self, corners=self.corners[which], source=self.source[which])

    def with_corners(self, corners: Ints, source: Ints | None = None) -> Sheet:
        """Other triangles over the same points."""
        return replace(self, corners=corners, source=self.source if source is None else source)

    def turned(self, which: Bools) -> Sheet:
        """With some triangles turned over."""
        return self.with_corners(np.where(which[:, None], self.corners[:, ::-1], self.corners))

    def noted(self, count: int, sentence: str, plural: str = "s") -> Sheet:
        """With a sentence that has its count, if there is anything to tell."""
        if not count:
            return self
        return replace(self, notes=(*self.notes, sentence.format(count) + (plural if count > 1 else "")))


def edge_keys(corners: Ints) -> tuple[Ints, Ints, Ints]:
    """Half-edges of triangles, three each: where they start, where they end, and a number for the edge either way."""
    starts, ends = corners.ravel(), corners[:, [1, 2, 0]].ravel()
    span = np.int64(corners.max(initial=0)) + 1
    return starts, ends, np.minimum(starts, ends) * span + np.maximum(starts, ends)


def bare_halves(corners: Ints) -> Ints:
    """Half-edges that nothing walks back, in order: as many of an edge as it is walked more often one way."""
    starts, ends, keys = edge_keys(corners)
    order = np.argsort(keys, kind="stable")
    ranked = keys[order]
    first = np.concatenate([[True], ranked[1:] != ranked[:-1]])
    edge = np.cumsum(first) - 1
    ways = np.where(starts < ends, 1, -1)[order]
    net = np.bincount(edge, weights=ways).astype(np.int64)
    if not net.any():
        return np.zeros(0, dtype=np.int64)
    open_ = np.flatnonzero((net[edge] != 0) & (np.sign(net)[edge] == ways))  # those that walk it too often
    group, begin = np.unique(edge[open_], return_index=True)
    rank = np.arange(len(open_)) - np.repeat(begin, np.diff(np.append(begin, len(open_))))
    excess = np.abs(net[group])
    counts = np.diff(np.append(begin, len(open_)))
    surplus = rank >= np.repeat(counts - excess, counts)  # the last ones in the file's order
    bare: Ints = np.sort(order[open_[surplus]])
    return bare


def spot(point: Array) -> str:
    """Where something is, for messages."""
    return "({})".format(", ".join(f"{value:.4g}" for value in point))
