"""Corners and edges that touch, solved by hand, and against the Minkowski difference of random bodies."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from falsework.gallery import make
from falsework.geometry.contacts.interfaces import components, interfaces
from falsework.geometry.shapes.convex_hulls import convex_hull
from falsework.geometry.shapes.features import Features
from falsework.geometry.shapes.placed_solids import scene
from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Hinge
from falsework.model.interfaces import Interfaces, Patches
from falsework.model.shapes import ConvexPieces, Mesh, Polygon, Polyhedron, Shape, box
from tests.geometry.assemblies import assembled, assert_same_patches, at, moved, reordered, tilted

CUBE = box((1.0, 1.0, 1.0))
FLOOR = box((10.0, 10.0, 1.0))
ON_FLOOR = at(-5.0, -5.0, -1.0)


def turned(axis: str, degrees: float, shift: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Array:
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_euler(axis, degrees, degrees=True).as_matrix()
    pose[:3, 3] = shift
    return pose


def corners_of(patches: Patches, number: int) -> list[tuple[float, ...]]:
    points = patches.points[patches.starts[number] : patches.starts[number + 1]]
    return sorted(map(tuple, (points.round(9) + 0.0).tolist()))


def normals_of(joints: Interfaces, number: int) -> list[tuple[float, ...]]:
    table = joints.ambiguous
    normals = table.normals[table.normal_starts[number] : table.normal_starts[number + 1]]
    return sorted(map(tuple, (normals.round(9) + 0.0).tolist()))


def hull_mesh(points: Array) -> Mesh:
    made = convex_hull(points)
    triangles = made.simplices.copy()
    corners = made.points[triangles]
    outward = np.einsum(
        "ti,ti->t",
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]),
        made.equations[:, :3],
    )
    triangles[outward < 0] = triangles[outward < 0][:, ::-1]
    return Mesh(made.points, triangles)


def pyramid(height: float) -> Mesh:
    """Four-sided, its tip at the origin, pointing down."""
    return hull_mesh(
        np.array([(0, 0, 0), (1, 0, height), (0, 1, height), (-1, 0, height), (0, -1, height)], dtype=float)
    )


def test_a_tip_on_a_floor_touches_in_one_point_with_the_floors_normal() -> None:
    joints = interfaces(assembled((FLOOR, ON_FLOOR), (pyramid(1.0), at(0.3, 0.2, 0.0))))
    assert joints.counts() == {
        "contacts": 0,
        "clutches": 0,
        "hinges": 0,
        "corners": 1,
        "edges": 0,
        "curved": 0,
        "ambiguous": 0,
    }
    assert joints.patches.normals[0] == pytest.approx([0, 0, 1])
    assert corners_of(joints.patches, 0) == [(0.3, 0.2, 0.0)]


def test_a_cube_on_its_edge_touches_in_the_two_ends_of_it() -> None:
    joints = interfaces(assembled((FLOOR, ON_FLOOR), (CUBE, turned("y", -45, (0.5, 0.0, 0.0)))))
    assert joints.counts()["edges"] == 1 and joints.counts()["corners"] == joints.counts()["ambiguous"] == 0
    assert joints.patches.normals[0] == pytest.approx([0, 0, 1])
    assert corners_of(joints.patches, 0) == [(0.5, 0.0, 0.0), (0.5, 1.0, 0.0)]


def test_an_edge_that_reaches_beyond_a_face_ends_where_it_crosses_the_faces_edge() -> None:
    table = box((4.0, 0.5, 1.0))
    joints = interfaces(assembled((table, at(-2.0, 0.25, -1.0)), (CUBE, turned("y", -45, (0.5, 0.0, 0.0)))))
    assert joints.counts()["edges"] == 1 and joints.counts()["corners"] == joints.counts()["ambiguous"] == 0
    assert corners_of(joints.patches, 0) == [(0.5, 0.25, 0.0), (0.5, 0.75, 0.0)]


def test_crossed_edges_touch_in_one_point_with_their_common_perpendicular() -> None:
    beam = box((4.0, 1.0, 1.0))
    half = np.sqrt(0.5)
    lower = turned("x", 45, (-2.0, 0.0, -2 * half))  # its upper edge along x at z = 0
    upper = at(0.0, -1.0, 0.0)
    upper[:3, :3] = (
        Rotation.from_euler("z", 90, degrees=True).as_matrix() @ Rotation.from_euler("x", 45, degrees=True).as_matrix()
    )
    joints = interfaces(assembled((beam, lower), (beam, upper)))
    assert joints.counts()["corners"] == 1 and joints.counts()["edges"] == joints.counts()["ambiguous"] == 0
    assert joints.patches.normals[0] == pytest.approx([0, 0, 1])
    assert corners_of(joints.patches, 0) == [(0.0, 0.0, 0.0)]


def test_a_roof_lies_on_the_edges_of_two_walls_with_its_own_normals() -> None:
    roof = Polygon(np.array([(0.0, 0.0), (2.0, 1.0), (-2.0, 1.0)]), 1.0)
    wall = box((1.0, 1.0, 2.0))
    joints = interfaces(assembled((wall, at(1.0, -0.5, -1.5)), (wall, at(-2.0, -0.5, -1.5)), (roof, at())))
    assert joints.counts()["edges"] == 2 and joints.counts()["corners"] == joints.counts()["ambiguous"] == 0
    slope = np.array([1.0, 0.0, 2.0]) / np.sqrt(5)
    assert joints.patches.normals == pytest.approx(np.array([[-slope[0], 0, slope[2]], slope]))
    assert corners_of(joints.patches, 0) == [(1.0, -0.5, 0.5), (1.0, 0.5, 0.5)]


def test_an_edge_in_a_groove_is_pushed_by_both_sides() -> None:
    groove = Polygon(np.array([(-2, -1), (2, -1), (2, 1), (0, 0), (-2, 1.0)]), 2.0)
    joints = interfaces(assembled((groove, at()), (CUBE, turned("y", -45, (0.0, -0.5, 0.0)))))
    assert joints.counts()["edges"] == 2 and joints.counts()["corners"] == joints.counts()["ambiguous"] == 0
    slope = np.array([1.0, 0.0, 2.0]) / np.sqrt(5)
    ways = sorted(map(tuple, joints.patches.normals.round(9).tolist()))
    assert ways == sorted([tuple(np.round([-slope[0], 0, slope[2]], 9)), tuple(np.round(slope, 9))])


def test_the_end_of_a_flush_edge_is_no_ambiguity() -> None:
    floor = box((4.0, 1.0, 0.5))
    plank = Polygon(np.array([(1.0, 0.0), (1.1, 0.05), (0.1, 1.8), (0.0, 1.75)]), 1.0)
    joints = interfaces(assembled((floor, at(0.0, -0.5, -0.5)), (plank, at())))
    assert joints.counts()["edges"] == 1 and joints.counts()["ambiguous"] == 0
    assert corners_of(joints.patches, 0) == [(1.0, -0.5, 0.0), (1.0, 0.5, 0.0)]


def test_a_cube_that_leans_on_a_wall_of_the_floors_own_body_has_both_normals() -> None:
    corner = Polygon(np.array([(0, -1), (4, -1), (4, 0), (1, 0), (1, 3), (0, 3.0)]), 4.0)
    cube = turned("z", 45, (1.0 + np.sqrt(0.5), 0.0, 0.0))  # one upright edge on the wall, on the floor with its face
    cube[:3, 3] -= cube[:3, :3] @ np.array([0.5, 0.5, 0.0])
    joints = interfaces(assembled((corner, at()), (CUBE, cube)))
    counts = joints.counts()
    assert (counts["contacts"], counts["edges"], counts["corners"], counts["ambiguous"]) == (1, 1, 0, 0)
    edge = int(np.flatnonzero(joints.patches.sizes == 2)[0])
    assert joints.patches.normals[edge] == pytest.approx([1, 0, 0])
    assert corners_of(joints.patches, edge) == [(1.0, 0.0, 0.0), (1.0, 0.0, 1.0)]


def test_cubes_that_meet_in_an_edge_or_a_corner_are_ambiguous_and_carry_nothing() -> None:
    joints = interfaces(assembled((CUBE, at()), (CUBE, at(1.0, 0.0, 1.0)), (CUBE, at(-1.0, -1.0, -1.0))))
    assert len(joints.patches) == 0 and len(joints.ambiguous) == 2
    assert joints.ambiguous.bodies.tolist() == [[0, 1], [0, 2]]
    assert np.diff(joints.ambiguous.starts).tolist() == [2, 1]
    assert normals_of(joints, 0) == [(0, 0, 1), (1, 0, 0)]
    assert normals_of(joints, 1) == [(-1, 0, 0), (0, -1, 0), (0, 0, -1)]
    assert components(assembled((CUBE, at()), (CUBE, at(1.0, 0.0, 1.0))), joints) == 2


def test_the_wall_between_convex_pieces_is_no_edge() -> None:
    second = Polyhedron(CUBE.vertices + np.array([1.0, 0.0, 0.0]), CUBE.faces)
    block = ConvexPieces((CUBE, second))
    joints = interfaces(assembled((block, at()), (pyramid(1.0), at(1.0, 0.5, 1.0))))
    assert joints.counts()["corners"] == 1 and joints.counts()["ambiguous"] == 0
    assert joints.patches.normals[0] == pytest.approx([0, 0, 1])


@pytest.mark.parametrize(("gap", "corners"), [(0.9e-4, 1), (-0.9e-4, 1), (1.1e-4, 0)])
def test_a_corner_may_be_as_far_off_as_a_face(gap: float, corners: int) -> None:
    def above(height: float) -> Assembly:
        return assembled((FLOOR, ON_FLOOR), (pyramid(1.0), at(z=height)))

    size = 2 * np.sqrt(1 + 0.25**2)  # of the pyramid: from its centre, a quarter below its base, to the base's corners
    assert interfaces(above(gap * size)).counts()["corners"] == corners


@pytest.mark.parametrize("seed", [None, 0, 1])
@pytest.mark.parametrize(
    ("overlap", "gap", "contacts"),
    [
        (1e-3, 0.0, 1),
        (5e-5, 0.0, 1),
        (1e-6, 0.0, 1),
        (1e-6, 2e-8, 1),
        (1e-6, -2e-8, 1),
        (1e-6, 1e-6, 0),  # as much apart as it is wide
        (5e-5, 1e-5, 0),
        (1e-10, 0.0, 0),  # as good as rounding
        (0.0, 0.0, 0),
        (-1e-6, 0.0, 0),
    ],
)
def test_a_ledge_wider_than_its_faces_are_apart_is_a_contact_and_any_other_is_ambiguous(
    overlap: float, gap: float, contacts: int, seed: int | None
) -> None:
    far = (CUBE, at(10.0, 0.0, 0.0))
    made = assembled((CUBE, at()), (CUBE, at(1.0 - overlap, 0.0, 1.0 + gap)), far)
    joints = interfaces(made if seed is None else moved(made, tilted(seed, (3.0, 1.0, -2.0)), 10.0 ** (3 * seed - 2)))
    assert (joints.counts()["contacts"], joints.counts()["ambiguous"]) == (contacts, 1 - contacts)
    if contacts and seed is None:
        assert np.ptp(joints.patches.points, axis=0) == pytest.approx([overlap, 1.0, 0.0], abs=1e-9)


@pytest.mark.parametrize(("lateral", "contacts"), [(1e-6, 1), (2e-5, 1), (1e-4, 1)])
def test_how_inexact_others_are_on_the_same_floor_does_not_matter_to_a_ledge(lateral: float, contacts: int) -> None:
    wide = box((4.0, 1.0, 1.0))
    over, loose = at(-1.0 + lateral, 0.0, 1.0), at(2.0, 0.0, 1.0 + 1e-4)
    joints = interfaces(assembled((wide, at()), (CUBE, over), (CUBE, loose)))
    assert [0, 1] in joints.patches.bodies.tolist() and [0, 2] in joints.patches.bodies.tolist()


def test_a_ledge_of_parts_that_fit_badly_elsewhere_is_ambiguous_as_their_edges_may_be_displaced() -> None:
    ledge = (CUBE, at()), (CUBE, at(1.0 - 1e-6, 0.0, 1.0))
    beside = (CUBE, at(-1.0 - 5e-5, 0.0, 0.0)), (CUBE, at(2.0 + 5e-5, 0.0, 1.0))
    exact = interfaces(assembled(*ledge))
    assert exact.patches.bodies.tolist() == [[0, 1]] and len(exact.ambiguous) == 0
    loose = interfaces(assembled(*ledge, *beside))
    assert loose.patches.bodies.tolist() == [[0, 2], [1, 3]]
    assert [0, 1] in loose.ambiguous.bodies.tolist()


@pytest.mark.parametrize(
    ("inside", "gap", "ambiguous"), [(1e-2, 0.0, 0), (1e-6, 0.0, 0), (1e-6, 1e-6, 1), (0.0, 0.0, 1), (-1e-6, 0.0, 1)]
)
def test_a_tip_just_inside_the_border_of_a_face_pushes_as_it_does_in_its_middle(
    inside: float, gap: float, ambiguous: int
) -> None:
    joints = interfaces(assembled((CUBE, at()), (pyramid(1.0), at(inside, 0.5, 1.0 + gap))))
    assert (joints.counts()["corners"], joints.counts()["ambiguous"]) == (1 - ambiguous, ambiguous)
    if not ambiguous:
        assert joints.patches.normals[0] == pytest.approx([0, 0, 1])


def test_parts_that_share_a_hinge_have_no_other_contact() -> None:
    parts = assembled((CUBE, at()), (CUBE, at(0.0, 0.0, 1.0)), (CUBE, at(1.0, 0.0, 2.0))).parts
    hinge = Hinge("0", "1", np.array([0.5, 0.5, 1.0]), np.array([0.0, 1.0, 0.0]))
    free = interfaces(Assembly(parts))
    hinged = interfaces(Assembly(parts, hinges=(hinge,)))
    assert free.patches.bodies.tolist() == [[0, 1]] and len(free.ambiguous) == 1
    assert len(hinged.patches) == 0 and hinged.ambiguous.bodies.tolist() == [[1, 2]]


def random_body(rng: np.random.Generator) -> Array:
    points = rng.normal(size=(12, 3))
    body: Array = points[ConvexHull(points).vertices]
    return body


def shift_to_touch(one: Array, other: Array, way: Array) -> tuple[Array, Array]:
    """How far to shift the other body along a way until it touches, and the normal there: the facet of the Minkowski
    difference that a ray from its inside leaves through."""
    difference = (one[:, None] - other[None]).reshape(-1, 3)
    middle = one.mean(axis=0) - other.mean(axis=0)
    planes = ConvexHull(difference - middle).equations
    along = planes[:, :3] @ way
    far = np.where(along > 1e-12, -planes[:, 3] / np.where(along > 1e-12, along, 1.0), np.inf)
    facet = int(np.argmin(far))
    return middle + far[facet] * way, planes[facet, :3]


@pytest.mark.parametrize("seed", range(60))
def test_random_bodies_touch_where_their_minkowski_difference_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = random_body(rng), random_body(rng)
    way = rng.normal(size=3)
    shift, normal = shift_to_touch(one, other, way / np.linalg.norm(way))
    tops, bottoms = np.sort(one @ normal), np.sort((other + shift) @ normal)
    assert tops[-1] == pytest.approx(bottoms[0], abs=1e-9)  # it is where both reach
    joints = interfaces(assembled((hull_mesh(one), at()), (hull_mesh(other), at(*shift))))
    assert len(joints.ambiguous) == 0
    facing = joints.patches.normals @ normal
    assert facing.max() > np.cos(1e-2)
    assert joints.patches.points @ normal == pytest.approx(tops[-1], abs=1e-3)  # all else is within the gap
    near = [*(tops[-1] - tops[:-1]), *(bottoms[1:] - bottoms[0])]
    if sum(gap < 1e-2 for gap in near) == 2:  # three corners of a face and a tip, or the ends of two edges: no more
        assert joints.patches.sizes.tolist() == [1]
        assert facing == pytest.approx(1.0) and joints.patches.points[0] @ normal == pytest.approx(tops[-1], abs=1e-9)


def mixed() -> Assembly:
    """A tip on a floor, a leaning plank, crossed beams, cubes edge to edge."""
    plank = Polygon(np.array([(1.0, 0.0), (1.1, 0.05), (0.1, 1.8), (0.0, 1.75)]), 1.0)
    placed: list[tuple[Shape, Array]] = [
        (FLOOR, ON_FLOOR),
        (pyramid(1.0), at(-2.0, -2.0, 0.0)),
        (plank, at(0.0, 2.0, 0.0)),
        (CUBE, at(3.0, -3.0, 0.0)),
        (CUBE, at(4.0, -3.0, 1.0)),
        (CUBE, turned("y", -45, (-3.0, 1.0, 0.0))),
    ]
    return assembled(*placed)


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_neither_pose_nor_scale_nor_order_matters(seed: int) -> None:
    rng = np.random.default_rng(seed)
    before = interfaces(mixed())
    scale = 10.0 ** rng.uniform(-3, 3)
    pose = tilted(seed, (7.0 * scale, -3.0 * scale, scale))
    order = rng.permutation(6)
    after = interfaces(reordered(moved(mixed(), pose, scale), order))
    assert after.counts() == before.counts()
    points = (after.patches.points - pose[:3, 3]) @ pose[:3, :3] / scale
    table = after.patches
    back = Patches(table.bodies, table.normals @ pose[:3, :3], table.friction, table.starts, points)
    assert_same_patches(back, before.patches, 1e-7, names=order)


def test_the_names_of_parts_and_their_density_do_not_matter() -> None:
    heavy = Assembly(
        tuple(make_part(f"x{part.name}", part.shape, part.T_world_part, mass_kg=1e6) for part in mixed().parts)
    )
    assert interfaces(heavy).counts() == interfaces(mixed()).counts()


@pytest.mark.parametrize("inside", [2e-3, 3e-5, 0.0, -3e-5])
def test_an_edge_that_just_reaches_the_end_of_another_is_still_met(inside: float) -> None:
    """Crossed beams, the upper one ending over the ridge: well inside it is a contact, at its very end it is told."""
    beam, half = box((4.0, 1.0, 1.0)), np.sqrt(0.5)
    lower = turned("x", 45, (-2.0, 0.0, -2 * half))
    upper = at(0.0, -inside, 0.0)
    upper[:3, :3] = (
        Rotation.from_euler("z", 90, degrees=True) * Rotation.from_euler("x", 45, degrees=True)
    ).as_matrix()
    joints = interfaces(assembled((beam, lower), (beam, upper)))
    assert joints.counts()["corners"] + joints.counts()["ambiguous"] == 1
    if inside > 1e-3:
        assert joints.patches.normals[0] == pytest.approx([0, 0, 1])


@pytest.mark.parametrize("angle", [0.0, 1e-5, -3e-5])
def test_edges_that_lie_along_each_other_but_for_noise_do_not_cross(angle: float) -> None:
    """Two cubes edge to edge, one turned by so little about the middle of that edge."""
    pose = at(1.0, 0.5, 1.0)
    pose[:3, :3] = Rotation.from_rotvec([angle, 0.0, 2 * angle]).as_matrix()
    joints = interfaces(assembled((CUBE, at()), (CUBE, pose @ at(0.0, -0.5, 0.0))))
    assert len(joints.patches) == 0 and len(joints.ambiguous) >= 1


@pytest.mark.parametrize("kind", ["mortise-frame", "locked-bookshelf", "burr-puzzle", "polycube-packing", "dome"])
def test_what_fits_face_to_face_has_no_corners_of_its_own(kind: str) -> None:
    """Dents in dents: reflex corners meet reflex corners, and the faces beside them bear it all."""
    counts = interfaces(make(kind)).counts()
    assert counts["contacts"] > 0 and counts["corners"] == counts["edges"] == 0


def test_two_tips_of_one_part_in_one_place_are_not_taken_for_their_hull() -> None:
    ends = np.array([(1, 0, 1), (1.2, 0.2, 1), (1, 0.4, 1.2), (-1, 0, 1), (-1.2, 0.2, 1), (-1, 0.4, 1.2)])
    one, other = [(0, 2, 1), (0, 3, 2), (0, 1, 3), (1, 2, 3)], [(0, 4, 5), (0, 5, 6), (0, 6, 4), (4, 6, 5)]
    bow = Mesh(np.array([(0, 0, 0), *ends.tolist()]), np.array(one + other))
    made = assembled((bow, at()), (FLOOR, ON_FLOOR))
    convex = Features(scene(made, np.full(2, -1))).is_convex_vertex
    assert convex.tolist() == [False, *[True] * 6, *[True] * 8]
    assert interfaces(made).counts()["corners"] == 1
