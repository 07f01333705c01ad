"""Pieces for whoever keeps a margin: few, near the true surface, and the true ones where that is not so."""

from __future__ import annotations

import numpy as np

from falsework.bench.round_shapes import turned
from falsework.geometry.shapes.convex_pieces import ROUGH_M, Pieces, pieces_of, rough_pieces_of
from falsework.model.shapes import box

GROOVED = [(0.01, 0.0), (0.02, 0.0), (0.02, 0.004), (0.0199, 0.005), (0.02, 0.006), (0.02, 0.01), (0.01, 0.01)]
THIN = [(0.0198, 0.0), (0.02, 0.0), (0.02, 0.005), (0.02, 0.01), (0.0198, 0.01), (0.0198, 0.005)]


def beyond(points: np.ndarray, around: Pieces) -> float:
    """How far, at least, one of the points is outside of all pieces."""
    return float(np.min([(points @ one.normals.T - one.offsets).max(axis=1) for one in around.all], axis=0).max())


def test_a_shallow_groove_costs_no_pieces_and_nothing_is_far_off() -> None:
    ring = turned(GROOVED, 48, ring=True)
    true, rough = pieces_of(ring), rough_pieces_of(ring)
    assert 4 * len(rough.all) < len(true.all)
    for one, other in ((true, rough), (rough, true)):
        assert beyond(np.concatenate([piece.vertices for piece in one.all]), other) <= ROUGH_M


def test_a_wall_thinner_than_a_dent_is_not_lost() -> None:
    tube = turned(THIN, 60, ring=True)
    assert beyond(tube.vertices, rough_pieces_of(tube)) <= ROUGH_M


def test_plain_shapes_are_what_they_are() -> None:
    cube = box((0.1, 0.1, 0.1))
    assert rough_pieces_of(cube) is pieces_of(cube)
