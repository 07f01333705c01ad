"""Convex bodies as arrays for compiled code: hulls of points, each with a radius around it, carried by links.

A capsule is two points and a radius; a box, or a piece of a part, is its corners and none. `owner` is the number under
which a body is told as in the way: several pieces may have one owner.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from falsework.model.arrays import Array, Ints

Words = npt.NDArray[np.uint64]  # bits of owners, 64 in each


class Bodies(NamedTuple):
    """p pieces with v points in all, in the frames of their links."""

    points: Array  # (v, 3)
    starts: Ints  # (p + 1,)
    radii: Array  # (p,)
    link: Ints  # (p,) whose frame the points are in
    owner: Ints  # (p,)


class Piece(NamedTuple):
    """One convex piece: the hull of its points, and a radius around it."""

    points: Array
    radius: float = 0.0
    link: int = 0
    owner: int = 0


def bodies_of(pieces: Sequence[Piece]) -> Bodies:
    """Pieces as one set of arrays, in their order."""
    counts = [len(piece.points) for piece in pieces]
    points = np.concatenate([np.zeros((0, 3)), *(piece.points for piece in pieces)])
    return Bodies(
        np.ascontiguousarray(points, dtype=np.float64),
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        np.array([piece.radius for piece in pieces], np.float64),
        np.array([piece.link for piece in pieces], np.int64),
        np.array([piece.owner for piece in pieces], np.int64),
    )


def joined(first: Bodies, second: Bodies) -> Bodies:
    """The pieces of both, in this order."""
    return Bodies(
        np.concatenate([first.points, second.points]),
        np.concatenate([first.starts, second.starts[1:] + len(first.points)]),
        np.concatenate([first.radii, second.radii]),
        np.concatenate([first.link, second.link]),
        np.concatenate([first.owner, second.owner]),
    )


def all_pairs(first: Bodies, second: Bodies) -> Ints:
    """(k, 2) every piece of one with every piece of the other."""
    ones, others = len(first.radii), len(second.radii)
    pairs = np.empty((ones, others, 2), np.int64)
    pairs[..., 0], pairs[..., 1] = np.arange(ones)[:, None], np.arange(others)
    return pairs.reshape(-1, 2)
