"""Distances, sides and rays: by hand, against the plain searches, and on surfaces with faults."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.geometry.distance import plain
from falsework.geometry.distance import surface as surfaces
from falsework.geometry.distance.surface import Surface, surface_of, surface_of_mesh
from falsework.model.errors import BadInput
from falsework.model.shapes import ConvexPieces, Mesh, Polyhedron, box
from tests.geometry.distance.meshes import ball, bolt, nut


def _cube() -> Surface:
    """Of side 2 about the origin."""
    corner = box((2, 2, 2))
    return surface_of(Polyhedron(corner.vertices - 1.0, corner.faces))


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(5)


def test_points_around_a_cube_are_as_far_as_geometry_says() -> None:
    cube = _cube()
    found = cube.signed([[0, 0, 0.25], [3, 0, 0], [2, 2, 0], [2, 2, 2], [1, 0, 0]])
    assert found.distances == pytest.approx([-0.75, 2, np.sqrt(2), np.sqrt(3), 0], abs=1e-15)
    assert found.points[[0, 3]] == pytest.approx(np.array([[0, 0, 1.0], [1, 1, 1]]))
    assert found.features[3] >= 4
    assert cube.normals(found)[3] == pytest.approx(np.ones(3) / np.sqrt(3))


def test_compiled_and_plain_searches_agree(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba")
    made = ball(axes=(1.0, 0.7, 0.4))
    points, ways = rng.uniform(-1.2, 1.2, (500, 3)), rng.normal(size=(500, 3))
    quick = made.signed(points), made.within(points, 0.2), made.rays(points, ways), made.crossings(points, ways)
    monkeypatch.setattr(surfaces, "compiles", lambda: False)
    slow = made.signed(points), made.within(points, 0.2), made.rays(points, ways), made.crossings(points, ways)
    for one, other in zip(quick[:2], slow[:2], strict=True):
        assert np.array_equal(np.isfinite(one.distances), np.isfinite(other.distances))
        assert one.distances == pytest.approx(other.distances, abs=1e-14)
        assert one.points == pytest.approx(other.points, abs=1e-14, nan_ok=True)
    assert quick[2].distances == pytest.approx(slow[2].distances, rel=1e-12)
    assert np.array_equal(quick[2].faces, slow[2].faces)
    assert np.array_equal(quick[3], slow[3])


def test_a_band_leaves_out_what_is_further(rng: np.random.Generator) -> None:
    made = ball()
    points = rng.uniform(-1.5, 1.5, (400, 3))
    everything, near = made.signed(points), made.within(points, 0.1)
    inside_band = np.abs(everything.distances) <= 0.1
    assert np.array_equal(near.faces >= 0, inside_band)
    assert near.distances[inside_band] == pytest.approx(everything.distances[inside_band])
    assert np.isinf(near.distances[~inside_band]).all()


def test_sides_by_features_are_sides_by_winding(rng: np.random.Generator) -> None:
    """Also beside sharp edges and corners, where the nearest face alone would tell wrong."""
    made = nut(1.0, 0.4, 1.2, 0.01, around=24)
    low, high = made.vertices.min(axis=0), made.vertices.max(axis=0)
    close = made.vertices[rng.integers(0, len(made.vertices), 1000)] + rng.normal(size=(1000, 3)) * 0.02
    points = np.concatenate([rng.uniform(low, high, (1000, 3)), close])
    assert made._features_tell
    exactly = plain.windings(made.corners, points)
    assert np.array_equal(made.signed(points).distances < 0, exactly > 0.5)
    if surfaces.compiles():
        assert np.abs(made.windings(points) - exactly).max() < 0.1


@pytest.mark.parametrize("share", [0.01, 0.05])
def test_a_surface_with_holes_still_has_an_inside(share: float, rng: np.random.Generator) -> None:
    whole = ball(30, 40)
    left = rng.random(len(whole.faces)) > share
    torn = Surface(whole.vertices, whole.faces[left])
    points = rng.uniform(-1.3, 1.3, (2000, 3))
    clear = np.abs(whole.signed(points).distances) > 0.1
    assert not torn.is_closed
    assert np.array_equal(torn.signed(points).distances[clear] < 0, whole.signed(points).distances[clear] < 0)


def test_an_edge_split_on_one_side_only_leaves_sides_as_they_are(rng: np.random.Generator) -> None:
    """T-junctions: the long edge of a cube's face meets two short ones."""
    cube = _cube()
    corners = cube.corners.copy()
    middle = 0.5 * (corners[0, 0] + corners[0, 1])
    halves = [np.array([corners[0, 0], middle, corners[0, 2]]), np.array([middle, corners[0, 1], corners[0, 2]])]
    soup = np.concatenate([np.array(halves), corners[1:]])
    made = Surface(soup.reshape(-1, 3), np.arange(3 * len(soup)).reshape(-1, 3))
    points = rng.uniform(-1.5, 1.5, (1000, 3))
    assert not made.is_closed
    assert made.signed(points).distances == pytest.approx(cube.signed(points).distances, abs=1e-12)


def test_faces_that_share_places_but_not_corners_are_welded() -> None:
    cube = _cube()
    soup = Surface(cube.corners.reshape(-1, 3), np.arange(3 * len(cube.faces)).reshape(-1, 3))
    assert soup.is_closed
    assert soup.signed([[1.5, 1.5, 1.5], [0.9, 0.9, 0.9]]).distances == pytest.approx([np.sqrt(0.75), -0.1])


def test_of_two_balls_that_overlap_the_middle_is_inside() -> None:
    """Normals alone would call points behind one ball and before the other outside."""
    one = ball(20, 24)
    both = Surface(
        np.concatenate([one.vertices, one.vertices + np.array([0.8, 0, 0])]),
        np.concatenate([one.faces, one.faces + len(one.vertices)]),
    )
    assert both.is_closed
    assert not both._features_tell
    assert (both.signed([[0.4, 0, 0], [-0.15, 0.0, 0], [0.95, 0, 0]]).distances < 0).all()


def test_rays_meet_the_near_wall_first_and_pass_two() -> None:
    cube = _cube()
    starts, ways = np.array([[-3.0, 0.1, 0.2], [0, 0.1, 0.2], [-3, 5, 0]]), np.array([[2.0, 0, 0]] * 3)
    found = cube.rays(starts, ways)
    assert found.distances.tolist() == [1.0, 0.5, np.inf]
    assert found.faces[2] == -1
    assert cube.crossings(starts, ways).tolist() == [2, 1, 0]
    assert np.isinf(cube.rays(starts[:1], ways[:1], before=0.9).distances[0])


def test_no_ray_slips_between_two_triangles(rng: np.random.Generator) -> None:
    """Aimed at edges and corners from inside: every one is stopped."""
    made = ball()
    ends = np.concatenate([made.vertices, made.corners[:, :2].mean(axis=1)])
    assert np.isfinite(made.rays(np.zeros_like(ends), ends).distances).all()
    assert made.rays(np.zeros_like(ends), ends).distances == pytest.approx(1.0)


def test_distances_do_not_depend_on_where_the_surface_is(rng: np.random.Generator) -> None:
    made, points = ball(), rng.uniform(-1.5, 1.5, (200, 3))
    moved = Surface(made.vertices * 1e-3 + 7.0, made.faces)
    assert moved.signed(points * 1e-3 + 7.0).distances == pytest.approx(made.signed(points).distances * 1e-3, abs=1e-14)


def test_equal_content_is_one_surface() -> None:
    one, other = box((1, 2, 3)), box((1, 2, 3))
    assert surface_of(one) is surface_of(other)
    made = ball()
    assert surface_of_mesh(Mesh(made.vertices, made.faces)).digest == made.digest
    with pytest.raises(ValueError, match="read-only"):
        surface_of(one).vertices[0] = 0.0


def test_convex_pieces_are_asked_about_without_the_walls_between_them() -> None:
    left = box((1, 1, 1))
    right = Polyhedron(left.vertices + np.array([1.0, 0, 0]), left.faces)
    assert surface_of(ConvexPieces((left, right))).signed([[1.0, 0.5, 0.4]]).distances == pytest.approx([-0.4])


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda: surface_of(box((1, 1, 1))).signed([[0, 0]]), "expected points \\(n x 3\\), found an array of shape"),
        (lambda: surface_of(box((1, 1, 1))).signed([[0, 0, np.nan]]), "finite"),
        (lambda: surface_of(box((1, 1, 1))).rays([[0, 0, 0]], [[0, 0, 1], [1, 0, 0]]), "as many directions"),
        (lambda: Surface(np.zeros((3, 3)), np.zeros((0, 3), dtype=int)), "at least one triangle, found none"),
        (lambda: Surface(np.zeros((3, 3)), np.array([[0, 1, 3]])), "expected corners 0 to 2"),
    ],
)
def test_questions_that_make_no_sense_are_refused(ask: object, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        ask()  # type: ignore[operator]


def test_distances_are_those_of_libraries(rng: np.random.Generator) -> None:
    igl = pytest.importorskip("igl")
    made = bolt(1.0, 0.4, 2.0, around=32)
    points = rng.uniform(-1.5, 2.5, (2000, 3))
    theirs = igl.signed_distance(points, made.vertices, made.faces, sign_type=igl.SIGNED_DISTANCE_TYPE_PSEUDONORMAL)[0]
    assert made.signed(points).distances == pytest.approx(theirs, abs=1e-12)
