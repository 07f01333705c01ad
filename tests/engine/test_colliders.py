"""What the engine collides: cuboids are found as boxes, hollow solids are cut into convex pieces that fill them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from falsework.engine.colliders import Box, as_box, colliders
from falsework.gallery import make
from falsework.geometry.shapes.convex_pieces import Convex, pieces_of
from falsework.geometry.shapes.solids import bulk, surface
from falsework.model.catalogue import brick_type
from falsework.model.shapes import BrickShape, ConvexPieces, Polygon, Shape, box

ELL = Polygon(np.array([(0, 0), (2, 0), (2, 1), (1, 1), (1, 3), (0, 3)], dtype=float), 0.5)
COMB = Polygon(
    np.array(
        [(0, 0), (5, 0), (5, 2), (4, 2), (4, 1), (3, 1), (3, 2), (2, 2), (2, 1), (1, 1), (1, 2), (0, 2)], dtype=float
    )
)


def corners_of(shape: Shape) -> tuple[np.ndarray, ...]:
    return tuple(piece.vertices for piece in pieces_of(shape).body)


def volume(pieces: tuple[np.ndarray, ...]) -> float:
    return sum(float(ConvexHull(corners).volume) for corners in pieces)


@pytest.mark.parametrize(("shape", "count"), [(ELL, 2), (COMB, 4)])
def test_hollow_solids_are_cut_into_as_few_pieces_as_by_hand(shape: Shape, count: int) -> None:
    pieces = corners_of(shape)
    assert len(pieces) == count
    assert volume(pieces) == pytest.approx(bulk(surface(shape)).volume_m3, rel=1e-6)


@pytest.mark.parametrize("kind", ["burr-puzzle", "mortise-frame", "polycube-packing"])
def test_convex_pieces_fill_every_part(kind: str) -> None:
    for part in make(kind).parts:
        pieces = corners_of(part.shape)
        assert volume(pieces) == pytest.approx(bulk(surface(part.shape)).volume_m3, rel=2e-3)


def test_convex_solids_and_given_pieces_stay_as_they_are() -> None:
    brick = box((1.0, 2.0, 3.0))
    assert len(corners_of(brick)) == 1
    assert len(corners_of(ConvexPieces((brick, brick)))) == 2


def test_cuboids_are_boxes_however_they_lie() -> None:
    turn = Rotation.random(rng=np.random.default_rng(0)).as_matrix()
    corners = box((0.1, 0.4, 0.3)).vertices @ turn.T + (1.0, 2.0, 3.0)
    found = as_box(np.random.default_rng(1).permutation(corners))
    assert found is not None
    assert sorted(found.half_m) == pytest.approx([0.05, 0.15, 0.2])
    assert np.linalg.det(found.turn) == pytest.approx(1.0)
    assert found.centre_m == pytest.approx(corners.mean(axis=0))


def test_what_is_not_quite_a_cuboid_is_a_hull() -> None:
    corners = box((0.1, 0.4, 0.3)).vertices.copy()
    corners[0] += 1e-3
    assert as_box(corners) is None
    assert as_box(corners[:7]) is None


def test_bricks_are_boxes() -> None:
    (body,) = colliders(BrickShape(brick_type("brick_2x4")))
    assert isinstance(body, Box)
    assert body.half_m == pytest.approx([0.008, 0.016, 0.0048])


@pytest.mark.parametrize(("kind", "boxes"), [("slope_2x2", 2), ("duplo:slope_2x4", 2), ("slope_3x2_flat0", 1)])
def test_slopes_are_boxes_and_a_wedge_that_fill_them(kind: str, boxes: int) -> None:
    shape = BrickShape(brick_type(kind))
    *found, wedge = colliders(shape)
    assert len(found) == boxes
    assert all(isinstance(piece, Box) for piece in found)
    assert isinstance(wedge, Convex)
    (whole,) = pieces_of(shape).body
    volumes = [8.0 * float(np.prod(piece.half_m)) for piece in found if isinstance(piece, Box)]
    assert sum(volumes) + ConvexHull(wedge.vertices).volume == pytest.approx(ConvexHull(whole.vertices).volume)
    outside = ConvexHull(whole.vertices).equations
    assert (wedge.vertices @ outside[:, :3].T + outside[:, 3]).max() <= 1e-12
