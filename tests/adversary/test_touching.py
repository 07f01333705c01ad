"""The judges' own contact finder, on contacts solved by hand."""

from __future__ import annotations

import numpy as np
import pytest

from tests.adversary.kinds.corners import pyramid
from tests.adversary.kinds.cuts import cut
from tests.adversary.solids import Solid, box, clipped, prism, random_turn, turn_about
from tests.adversary.touching import touch

CUBE = box((0, 0, 0), (1, 1, 1))
TOLERANCE = 1e-9


def test_a_cube_on_a_cube_touches_in_the_square_they_share() -> None:
    met = touch(CUBE, box((0.5, 0.25, 1), (1, 1, 1)), TOLERANCE)
    assert met.normals == pytest.approx(np.array([[0, 0, 1]]))
    assert met.points.min(axis=0) == pytest.approx([0.5, 0.25, 1])
    assert met.points.max(axis=0) == pytest.approx([1, 1, 1])
    assert len(met.points) == 4


def test_a_corner_on_a_face_has_the_normal_of_the_face() -> None:
    met = touch(pyramid(np.array([0.3, 0.4, 0.0]), 0.1, 0.5, 0.2), CUBE, TOLERANCE)
    assert met.normals == pytest.approx(np.array([[0, 0, 1]]))
    assert met.points == pytest.approx(np.array([[0.3, 0.4, 0]]))


def test_an_edge_on_a_face_touches_along_the_edge() -> None:
    roof = prism([(-0.5, -1), (0.5, -1), (0, 0)], -2, 0.6)
    met = touch(roof, CUBE, TOLERANCE)
    # The ridge is below the edge x = 0 of the cube: shifted it lies under the face.
    assert len(met.normals) > 1
    met = touch(roof.moved(np.eye(3), np.array([0.4, 0, 0])), CUBE, TOLERANCE)
    assert met.normals == pytest.approx(np.array([[0, 0, 1]]))
    assert sorted(met.points[:, 1]) == pytest.approx([0, 0.6])


def test_crossing_edges_have_the_normal_of_both() -> None:
    below = prism([(-0.5, -1), (0.5, -1), (0, 0)], -2, 2)
    above = Solid(prism([(-0.5, 1), (0, 0), (0.5, 1)], -2, 2).corners, below.faces)
    above = prism([(0, 0), (0.5, 1), (-0.5, 1)], -2, 2).moved(turn_about(np.array([0, 0, 1.0]), 0.7), np.zeros(3))
    met = touch(below, above, TOLERANCE)
    assert met.normals == pytest.approx(np.array([[0, 0, 1]]))
    assert met.points == pytest.approx(np.zeros((1, 3)))


def test_a_corner_on_a_corner_leaves_the_direction_open() -> None:
    met = touch(CUBE, box((1, 1, 1), (1, 1, 1)), TOLERANCE)
    assert len(met.normals) >= 3
    assert met.points == pytest.approx(np.ones((1, 3)))


def test_what_is_apart_or_inside_is_no_contact() -> None:
    apart = touch(CUBE, box((0, 0, 1.25), (1, 1, 1)), TOLERANCE)
    assert len(apart.normals) == 0
    assert apart.nearly == pytest.approx(0.25)
    assert touch(CUBE, box((0, 0, 0.9), (1, 1, 1)), TOLERANCE).overlap == pytest.approx(0.1)


@pytest.mark.parametrize("seed", range(20))
def test_contact_does_not_change_with_the_frame(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = cut(rng, np.ones(3), 2)
    turn, shift = random_turn(rng), rng.normal(size=3)
    here, there = touch(first, second, TOLERANCE), touch(first.moved(turn, shift), second.moved(turn, shift), TOLERANCE)
    assert len(here.normals) == len(there.normals) == 1
    assert turn @ here.normals[0] == pytest.approx(there.normals[0])
    expected = here.points @ turn.T + shift
    assert sorted(map(tuple, np.round(expected, 8))) == sorted(map(tuple, np.round(there.points, 8)))


@pytest.mark.parametrize("seed", range(10))
def test_pieces_of_a_cut_fill_the_whole(seed: int) -> None:
    pieces = cut(np.random.default_rng(seed), np.array([1.0, 2, 3]), 12)
    assert sum(piece.volume_and_centre[0] for piece in pieces) == pytest.approx(6)
    assert sum(v * c for v, c in (piece.volume_and_centre for piece in pieces)) == pytest.approx([3, 6, 9])


def test_a_plane_beyond_a_solid_leaves_it_whole_or_nothing() -> None:
    up = np.array([0.0, 0, 1])
    assert clipped(CUBE, up, 2.0) is CUBE
    assert clipped(CUBE, up, -1.0) is None
