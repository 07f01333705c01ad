"""What two polygons have in common, however little they differ."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import shapely
from scipy.spatial.transform import Rotation

from falsework.geometry.contacts.flat.convex_clip import clipped, convex_loops
from falsework.geometry.contacts.flat.planar import planar_patches
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.arrays import Array, Ints
from falsework.model.shapes import Polygon, Polyhedron
from tests.geometry.assemblies import assembled, ungrouped

NOISE = [0.0, 1e-17, 1e-16, 1e-15, 1e-13, 1e-11, 1e-9]


def area_of(outline: Array) -> float:
    x, y = outline.T
    return 0.5 * float(x @ np.roll(y, -1) - y @ np.roll(x, -1))


def round_polygon(rng: np.random.Generator, corners: int) -> Array:
    """Convex, its corners on a circle."""
    angles = 2 * np.pi * (np.arange(corners) + rng.uniform(0, 0.8, corners)) / corners
    return np.column_stack([np.cos(angles), np.sin(angles)])


def runs_of(outlines: list[Array]) -> tuple[Ints, Array]:
    return np.concatenate([[0], np.cumsum([len(outline) for outline in outlines])]), np.concatenate(outlines)


@pytest.mark.parametrize("noise", NOISE)
def test_equal_polygons_have_their_area_in_common(noise: float) -> None:
    rng = np.random.default_rng(7)
    ones = [round_polygon(rng, int(rng.integers(3, 12))) * 10.0 ** rng.uniform(-3, 3) for _ in range(400)]
    others = [one + noise * np.abs(one).max() * rng.normal(size=one.shape) for one in ones]
    starts, points = clipped(runs_of(ones), runs_of(others))
    found = [area_of(points[begin:end]) for begin, end in pairwise(starts.tolist())]
    assert found == pytest.approx([area_of(one) for one in ones], rel=1e-12 + 30 * noise)


def test_the_common_area_of_random_polygons_is_that_of_shapely() -> None:
    rng = np.random.default_rng(3)
    ones = [round_polygon(rng, int(rng.integers(3, 20))) for _ in range(300)]
    others = [round_polygon(rng, int(rng.integers(3, 20))) + rng.uniform(-1.5, 1.5, 2) for _ in range(300)]
    starts, points = clipped(runs_of(ones), runs_of(others))
    expected = [
        shapely.Polygon(one).intersection(shapely.Polygon(other)).area for one, other in zip(ones, others, strict=True)
    ]
    found = [area_of(points[begin:end]) if end > begin else 0.0 for begin, end in pairwise(starts.tolist())]
    assert found == pytest.approx(expected, abs=1e-12)
    assert min(expected) == 0.0 and max(expected) > 1.0


def test_what_turns_back_or_twice_is_not_convex() -> None:
    square = np.array([(0, 0), (2, 0), (2, 2), (0, 2.0)])
    triangle = np.array([(0, 0), (2, 0), (1, 1), (0, 2.0)])
    seamed = np.array([(0, 0), (1, 0), (2, 0), (2, 2), (0, 2.0)])
    angles = 4 * np.pi * np.arange(5) / 5
    star = np.column_stack([np.cos(angles), np.sin(angles)])
    dart = np.array([(0, 0), (2, 0), (0.5, 0.5), (0, 2.0)])
    starts, flat = runs_of([square, triangle, seamed, star, dart, square[::-1]])
    corners = np.column_stack([flat, np.zeros(len(flat))])
    convex = convex_loops(starts, corners, np.tile([0.0, 0.0, 1.0], (6, 1)))
    assert convex.tolist() == [True, True, True, False, False, False]


def prism(outline: Array, low: float, high: float, pose: Array) -> Polyhedron:
    count = len(outline)
    corners = [np.column_stack([outline, np.full(count, z)]) @ pose.T for z in (low, high)]
    sides = tuple((k, (k + 1) % count, (k + 1) % count + count, k + count) for k in range(count))
    caps = (tuple(range(count - 1, -1, -1)), tuple(range(count, 2 * count)))
    return Polyhedron(np.concatenate(corners), caps + sides)


@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize("dented", [False, True])
def test_stones_with_one_face_in_common_have_one_contact_of_its_area(noise: float, dented: bool) -> None:
    rng = np.random.default_rng(11)
    for _ in range(15):
        outline = round_polygon(rng, int(rng.integers(4, 8)))
        if dented:
            outline[0] *= 0.3
        pose = Rotation.random(rng=rng).as_matrix() * 10.0 ** rng.uniform(-2, 2)
        lower, upper = prism(outline, -1.0, 0.0, pose), prism(outline, 0.0, 1.0, pose)
        size = np.abs(upper.vertices).max()
        shaken = Polyhedron(upper.vertices + noise * size * rng.normal(size=upper.vertices.shape), upper.faces)
        both = assembled((lower, np.eye(4)), (shaken, np.eye(4)))
        counts = interfaces(both).counts()
        assert (counts["contacts"], counts["edges"], counts["corners"], counts["ambiguous"]) == (1, 0, 0, 0)
        patch = planar_patches(both, ungrouped(both))
        corners = patch.points @ np.linalg.inv(pose).T
        expected = shapely.MultiPoint(outline).convex_hull.area  # a patch is the hull of what touches
        assert area_of(corners[:, :2]) == pytest.approx(expected, rel=1e-6)


def test_two_legs_of_a_dented_face_are_one_patch() -> None:
    table = Polygon(np.array([(0, 0), (1, 0), (1, 1), (3, 1), (3, 0), (4, 0), (4, 2), (0, 2.0)]), 1.0)
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_euler("z", 180, degrees=True).as_matrix()
    pose[:3, 3] = 4.0, 1.0, 0.0
    joints = interfaces(assembled((table, np.eye(4)), (table, pose)))
    assert joints.counts()["contacts"] == 1


@pytest.mark.parametrize(
    ("over", "gap", "area"),
    [
        (0.0, 0.0, 1.0),
        (1e-16, 0.0, 1.0),
        (1e-13, 0.0, 1.0),
        (1e-10, 0.0, 1.0),
        (-1e-9, 0.0, 1.0),
        (1e-6, 1e-6, 1.0),
        (1e-6, -1e-6, 1.0),
        (1e-6, 0.0, 2.0),
        (1e-6, 1e-8, 2.0),
    ],
)
def test_a_strip_along_which_edges_nearly_meet_widens_the_patch_if_faces_fit_better_than_it_is_wide(
    over: float, gap: float, area: float
) -> None:
    angle = Polygon(np.array([(0, 0), (1, 0), (1, 1), (3, 1), (3, 2), (0, 2.0)]), 1.0)
    board = Polygon(np.array([(0, 0), (3, 0), (3, 1 + over), (0, 1 + over)]), 1.0)
    pose = np.eye(4)
    pose[1, 3] = -1.0 - gap
    both = assembled((angle, np.eye(4)), (board, pose))
    patch = planar_patches(both, ungrouped(both))
    assert len(patch) == 1
    assert abs(area_of(patch.points[:, [0, 2]])) == pytest.approx(area, rel=1e-3)


@pytest.mark.parametrize("seed", [1231, 1333, 1912, 2302, 2636])
def test_faces_that_rounding_made_cross_in_points_touch(seed: int) -> None:
    """With these a clip by the crossings of edges finds no area (GEOS 3.14.1)."""
    rng = np.random.default_rng(seed)
    outline = round_polygon(rng, 4)
    pose, turn = (Rotation.random(rng=rng).as_matrix() for _ in range(2))
    lower, upper = prism(outline, -1.0, 0.0, pose), prism(outline, 0.0, 1.0, pose)
    frame = np.eye(4)
    frame[:3, :3] = turn
    joints = interfaces(assembled((lower, np.eye(4)), (Polyhedron(upper.vertices @ turn, upper.faces), frame)))
    assert joints.counts()["contacts"] == 1 and joints.counts()["edges"] == 0
