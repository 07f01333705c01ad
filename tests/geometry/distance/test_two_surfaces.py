"""How near two surfaces are: by hand, against the plain search, and against fcl."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.geometry.distance import plain, two_surfaces
from falsework.geometry.distance.surface import Surface, surface_of
from falsework.geometry.distance.two_surfaces import least_distance, near_pairs
from falsework.model.arrays import Array
from falsework.model.poses import exponential
from falsework.model.shapes import Polyhedron, box
from tests.geometry.distance.meshes import ball, bolt, nut

PLACES = [[1.5, 0.2, 0.1, 0.3, 0.4, 0.5], [2.6, 0.2, 0.1, 0.3, 0.4, 0.5], [0.0, 0.0, 3.0, 1.0, 0.0, 0.0]]


def test_a_cube_beside_a_cube_and_one_over_its_edge() -> None:
    cube, place = surface_of(box((2, 2, 2))), np.eye(4)
    place[:3, 3] = 2.5, 2.5, 0.3
    assert least_distance(cube, cube, place).distance_m == pytest.approx(np.sqrt(0.5))
    place[:3, 3] = 2.0, 0.3, 0.3
    assert least_distance(cube, cube, place).distance_m == 0.0


def test_crossed_edges_are_as_far_as_their_perpendicular() -> None:
    corner = box((2, 2, 2))
    cube = surface_of(Polyhedron(corner.vertices - 1.0, corner.faces))
    turned = exponential(np.array([0, 0, 0, 0, 0, np.pi / 2])) @ exponential(np.array([0, 0, 0, np.pi / 4, 0, 0]))
    upright = exponential(np.array([0, 0, 0, np.pi / 4, 0, 0]))
    place = np.linalg.inv(upright) @ _shifted(turned, [0, 0, 2 * np.sqrt(2) + 0.25])
    found = least_distance(cube, cube, place)
    assert found.distance_m == pytest.approx(0.25)
    assert np.linalg.norm(found.points[0] - found.points[1]) == pytest.approx(0.25)


@pytest.mark.parametrize("twist", PLACES)
def test_compiled_and_plain_searches_agree(twist: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    one, other, place = ball(8, 9), ball(7, 10, axes=(1.0, 0.7, 0.4)), exponential(np.array(twist))
    quick = [least_distance(one, other, place), near_pairs(one, other, place, 0.0), near_pairs(one, other, place, 0.4)]
    monkeypatch.setattr(two_surfaces, "compiles", lambda: False)
    slow = [least_distance(one, other, place), near_pairs(one, other, place, 0.0), near_pairs(one, other, place, 0.4)]
    assert quick[0].distance_m == pytest.approx(slow[0].distance_m, abs=1e-14)
    for a, b in zip(quick[1:], slow[1:], strict=True):
        first, second = np.lexsort(a.faces.T), np.lexsort(b.faces.T)
        assert np.array_equal(a.faces[first], b.faces[second])
        assert a.distances[first] == pytest.approx(b.distances[second], abs=1e-14)


def test_a_start_that_is_near_changes_nothing() -> None:
    one, place = ball(), exponential(np.array([2.6, 0.2, 0.1, 0.3, 0.4, 0.5]))
    found = least_distance(one, one, place)
    assert least_distance(one, one, place, start=found.faces).distance_m == found.distance_m
    assert least_distance(one, one, place, start=(3, 5)).distance_m == found.distance_m


def test_beyond_the_band_nothing_is_said() -> None:
    one, place = ball(), exponential(np.array([2.6, 0.2, 0.1, 0.3, 0.4, 0.5]))
    near = least_distance(one, one, place).distance_m
    assert least_distance(one, one, place, band=1.01 * near).distance_m == near
    beyond = least_distance(one, one, place, band=0.99 * near)
    assert np.isinf(beyond.distance_m)
    assert beyond.faces == (-1, -1)
    assert not len(near_pairs(one, one, place, 0.99 * near).distances)


def test_flat_and_touching_triangles_are_as_far_as_they_are() -> None:
    """Slivers, points and triangles in one plane: the least distance over fine samples of both agrees."""
    rng = np.random.default_rng(3)
    one, other = rng.normal(size=(40, 3, 3)), rng.normal(size=(40, 3, 3))
    one[:10, 2] = one[:10, 1] + 1e-9 * rng.normal(size=(10, 3))  # slivers
    one[10:20, 1:] = one[10:20, :1]  # points
    one[20:30, :, 2], other[20:30, :, 2] = 0.0, 0.0  # in one plane
    for a, b in zip(one, other, strict=True):
        first, second = Surface(a, [[0, 1, 2]]), Surface(b, [[0, 1, 2]])
        found = least_distance(first, second, np.eye(4)).distance_m
        sampled = np.linalg.norm(_samples(a)[:, None] - _samples(b)[None], axis=2).min()
        assert found <= sampled + 1e-12
        assert sampled - found < 0.3


def test_a_nut_has_the_play_it_was_made_with_and_fcl_agrees() -> None:
    rod, ring = bolt(8.0, 2.0, 12.0, around=32), nut(8.0, 2.0, 5.0, 0.05, around=32)
    turned = exponential(np.array([0, 0, 2 * 1.3 / (2 * np.pi), 0, 0, 1.3]))
    place = turned @ _shifted(np.eye(4), [0, 0, 4.0])
    found = least_distance(rod, ring, place).distance_m
    assert 0.02 < found < 0.05  # chords of 32 take their share
    fcl = pytest.importorskip("fcl")
    theirs = fcl.distance(
        fcl.CollisionObject(_model(rod, fcl), fcl.Transform()),
        fcl.CollisionObject(_model(ring, fcl), fcl.Transform(place[:3, :3], place[:3, 3])),
        fcl.DistanceRequest(),
        fcl.DistanceResult(),
    )
    assert found == pytest.approx(theirs, rel=1e-9)


def _model(made: Surface, fcl: object) -> object:
    model = fcl.BVHModel()  # type: ignore[attr-defined]
    model.beginModel(len(made.vertices), len(made.faces))
    model.addSubModel(made.vertices, made.faces)
    model.endModel()
    return model


def _shifted(pose: Array, by: list[float]) -> Array:
    moved = pose.copy()
    moved[:3, 3] += by
    return moved


def _samples(corners: Array) -> Array:
    u, v = (array.ravel() for array in np.meshgrid(np.linspace(0, 1, 15), np.linspace(0, 1, 15)))
    inside = u + v <= 1 + 1e-9
    u, v = u[inside, None], v[inside, None]
    return corners[0] + u * (corners[1] - corners[0]) + v * (corners[2] - corners[0])


def test_plain_and_compiled_triangles_agree_on_pairs_of_their_own() -> None:
    pytest.importorskip("numba")
    rng = np.random.default_rng(9)
    one, other = rng.normal(size=(60, 3, 3)), rng.normal(size=(60, 3, 3)) + 0.5
    slow, _ = plain.nearest_of_triangles(one, other)
    quick = [
        least_distance(Surface(a, [[0, 1, 2]]), Surface(b, [[0, 1, 2]]), np.eye(4)).distance_m
        for a, b in zip(one, other, strict=True)
    ]
    assert np.array(quick) == pytest.approx(slow, abs=1e-14)
