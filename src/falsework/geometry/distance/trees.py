"""A surface as a tree of boxes around its triangles: what compiled searches walk. Data only; needs no compiler."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from falsework.model.arrays import Array, Ints

Blocks = npt.NDArray[np.float32]  # values at the points of grids

DEEPEST = 96  # levels of a tree; what is deeper is cut in halves by count, which ends in time
BLOCK = 8  # cells of a block of a distance field, along each axis
OFF = 0.5 * math.sqrt(3.0)  # of the spacing of a grid: by how much an interpolated distance may be wrong


class Tree(NamedTuple):
    """Boxes in boxes. Children stand beside each other; triangles in the order of the leaves."""

    boxes: Array  # (n, 6) lowest and highest corner of each node
    first: Ints  # (n,) of a leaf its first triangle, else its first child: the second is the next
    held: Ints  # (n,) triangles of a leaf, else 0
    corners: Array  # (m, 9) of each triangle, three points
    face: Ints  # (m,) which face of the surface each triangle is
    dipoles: Array  # (n, 8) area vector of all that is in a node, its middle, its reach from there, its area


class Nearest(NamedTuple):
    """For each point asked about; where nothing is within the band, the distance is infinite and the face −1."""

    distances: Array  # (n,) m; negative inside, where signs were asked for
    points: Array  # (n, 3) the nearest point of the surface
    faces: Ints  # (n,)
    features: Ints  # (n,) what of that face is nearest: 0 its inside, 1–3 an edge (ab, bc, ca), 4–6 a corner


class Hits(NamedTuple):
    """For each ray; one that meets nothing has an infinite distance and the face −1."""

    distances: Array  # (n,) in lengths of the ray's direction
    faces: Ints  # (n,)


class NearPairs(NamedTuple):
    """Triangles of two surfaces that are near each other, in no order that matters."""

    faces: Ints  # (k, 2) of the first, of the second
    distances: Array  # (k,) m; 0 where they meet
    points: Array  # (k, 2, 3) nearest points on each, both in the frame of the first


class Gap(NamedTuple):
    """The least distance between two surfaces; beyond the band it is infinite and the faces are −1."""

    distance_m: float
    points: Array  # (2, 3) on the first and on the second, both in the frame of the first
    faces: tuple[int, int]
