"""Contacts solved by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from falsework.geometry.contacts.flat.planar import PlanarContacts, planar_patches
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.facets import facets
from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Ground
from falsework.model.catalogue import brick_type
from falsework.model.errors import Overlap
from falsework.model.interfaces import Interfaces, Patches
from falsework.model.ports import ContactFinder
from falsework.model.shapes import BrickShape, ConvexPieces, Mesh, Polygon, Polyhedron, box
from tests.geometry.assemblies import areas, assembled, at, bond, moved, tilted

CUBE = box((1.0, 1.0, 1.0))


def contacts(assembly: Assembly) -> Patches:
    finder: ContactFinder = PlanarContacts()
    return finder.find(assembly, Interfaces.none()).patches


def corners(patches: Patches, number: int) -> Array:
    return patches.points[patches.starts[number] : patches.starts[number + 1]]


def test_two_cubes_offset_touch_in_a_quarter() -> None:
    found = contacts(assembled((CUBE, at()), (CUBE, at(0.5, 0.5, 1.0))))
    assert found.bodies.tolist() == [[0, 1]]
    assert found.normals[0] == pytest.approx([0, 0, 1])
    assert sorted(map(tuple, corners(found, 0).round(12).tolist())) == [
        (0.5, 0.5, 1),
        (0.5, 1, 1),
        (1, 0.5, 1),
        (1, 1, 1),
    ]
    assert areas(found) == pytest.approx([0.25])
    assert found.friction.tolist() == [0.55]


def test_normal_points_from_the_lower_number_into_the_higher() -> None:
    found = contacts(assembled((CUBE, at(0.0, 0.0, 1.0)), (CUBE, at())))
    assert found.normals[0] == pytest.approx([0, 0, -1])
    assert areas(found) == pytest.approx([1.0])


def test_cubes_that_meet_in_an_edge_or_a_corner_do_not_touch() -> None:
    assert len(contacts(assembled((CUBE, at()), (CUBE, at(1.0, 0.0, 1.0)), (CUBE, at(-1.0, -1.0, -1.0))))) == 0


def test_step_touches_a_block_in_two_planes() -> None:
    step = Polygon(np.array([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2.0)]), 1.0)
    found = contacts(assembled((step, at(0.0, 0.5, 0.0)), (CUBE, at(1.0, 0.0, 1.0))))
    assert found.normals == pytest.approx(np.array([[0, 0, 1], [1, 0, 0]]))
    assert areas(found) == pytest.approx([1.0, 1.0])


def test_interlocking_angles_touch_in_three_planes() -> None:
    angle = Polygon(np.array([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2.0)]), 1.0)
    turned = np.eye(4)
    turned[:3, :3] = Rotation.from_euler("y", 180, degrees=True).as_matrix()
    turned[:3, 3] = 3.0, 0.0, 2.0
    found = contacts(assembled((angle, at()), (angle, turned)))  # together a 3 × 2 block, the joint a staircase
    assert sorted(map(tuple, found.normals.round(9).tolist())) == [(0, 0, 1), (1, 0, 0), (1, 0, 0)]
    assert areas(found) == pytest.approx([1.0, 1.0, 1.0])


def ring(outer: float, inner: float, height: float) -> Polyhedron:
    """A square plate with a square hole, centred, from z = 0 up."""
    square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1.0)])
    vertices = np.concatenate([np.c_[k * square / 2, np.full(4, z)] for z in (0.0, height) for k in (outer, inner)])
    faces = []
    for a, b in ((0, 1), (1, 2), (2, 3), (3, 0)):
        faces += [(a, b, b + 8, a + 8), (b + 4, a + 4, a + 12, b + 12)]
        faces += [(b, a, a + 4, b + 4), (a + 8, b + 8, b + 12, a + 12)]
    return Polyhedron(vertices, tuple(faces))


def test_plate_around_a_peg_on_a_base_touches_on_four_sides_and_below() -> None:
    plate, peg, base = ring(4.0, 1.0, 0.5), box((1.0, 1.0, 2.0)), box((6.0, 6.0, 1.0))
    found = contacts(assembled((base, at(-3, -3, -1)), (plate, at()), (peg, at(-0.5, -0.5, 0.0))))
    pairs = found.bodies.tolist()
    assert pairs == [[0, 1], [0, 2], [1, 2], [1, 2], [1, 2], [1, 2]]
    # the ring's patch is the hull of the ring, the sides are as high as the plate
    assert areas(found) == pytest.approx([16.0, 1.0, 0.5, 0.5, 0.5, 0.5])
    assert found.normals[2:].sum(axis=0) == pytest.approx(np.zeros(3))


def test_plate_on_a_ring_of_the_same_hole_touches_in_the_hull_of_the_ring() -> None:
    found = contacts(assembled((ring(4.0, 1.0, 0.5), at()), (ring(3.0, 1.0, 0.5), at(z=0.5))))
    assert areas(found) == pytest.approx([9.0])
    assert np.diff(found.starts).tolist() == [4]


def test_two_feet_in_one_plane_are_one_contact() -> None:
    table = Polygon(np.array([(0, 0), (1, 0), (1, 1), (3, 1), (3, 0), (4, 0), (4, 2), (0, 2.0)]), 1.0)
    found = contacts(assembled((box((4.0, 1.0, 1.0)), at(y=-0.5, z=-1)), (table, at())))
    assert len(found) == 1
    assert areas(found) == pytest.approx([4.0])
    assert np.diff(found.starts).tolist() == [4]


def test_edge_that_only_grazes_the_plane_does_not_widen_the_patch() -> None:
    # at x = 4 the block's edge and the base's second step have a line in common, and no area
    base = Polygon(np.array([(0, 0), (5, 0), (5, 1), (4, 1), (4, 0.5), (1, 0.5), (1, 1), (0, 1.0)]), 1.0)
    found = contacts(assembled((base, at()), (box((4.0, 1.0, 1.0)), at(0.0, -0.5, 1.0))))
    assert areas(found) == pytest.approx([1.0])


def test_pieces_touch_like_the_whole() -> None:
    feet = ConvexPieces(
        (
            box((1, 1, 1)),
            Polyhedron(CUBE.vertices + np.array([2, 0, 0]), CUBE.faces),
            Polyhedron(box((3, 1, 1)).vertices + np.array([0, 0, 1]), CUBE.faces),
        )
    )
    found = contacts(assembled((box((3.0, 1.0, 1.0)), at(z=-1)), (feet, at())))
    assert areas(found) == pytest.approx([3.0])


@pytest.mark.parametrize(("gap", "expected"), [(0.0, 1), (5e-6, 1), (-5e-6, 1), (5e-5, 1), (5e-4, 0), (1e-2, 0)])
def test_gap_of_a_small_fraction_of_the_size_is_a_contact(gap: float, expected: int) -> None:
    size = np.sqrt(6.0)  # diagonal of the two cubes
    tower = assembled((CUBE, at()), (CUBE, at(z=1 + gap * size)))
    assert len(contacts(moved(tower, tilted(2)))) == expected


def test_leaning_face_is_no_contact() -> None:
    leaning = np.eye(4)
    leaning[:3, :3] = Rotation.from_euler("x", 5e-3).as_matrix()
    leaning[:3, 3] = 0.0, 0.0, 1.0
    assert len(contacts(assembled((CUBE, at()), (CUBE, leaning)))) == 0
    leaning[:3, :3] = Rotation.from_euler("x", 1e-4).as_matrix()
    assert len(contacts(assembled((CUBE, at()), (CUBE, leaning)))) == 1


def test_small_parts_of_a_long_row_keep_small_tolerances() -> None:
    row = [(CUBE, at(x=1.01 * k)) for k in range(400)]  # gaps of 2.5e-5 of the row, 1e-2 of a cube
    assert len(contacts(assembled(*row))) == 0


def test_warped_faces_give_one_contact_of_four_corners() -> None:
    rng = np.random.default_rng(4)
    found = contacts(bond(3, 2, 3))
    rough = []
    for part in bond(3, 2, 3).parts:
        vertices = part.shape.vertices + rng.uniform(-5e-5, 5e-5, (8, 3))  # type: ignore[union-attr]
        rough.append((Polyhedron(vertices, CUBE.faces), part.T_world_part))
    warped = contacts(assembled(*rough))
    assert warped.bodies.tolist() == found.bodies.tolist()
    assert np.diff(warped.starts).tolist() == [4] * len(found)
    assert areas(warped) == pytest.approx(areas(found), rel=1e-3)


def test_faces_of_other_triangles_are_the_same_faces() -> None:
    crossed = box((1.0, 1.0, 1.0))
    fan = Mesh(np.concatenate([crossed.vertices, [[0.3, 0.6, 1.0]]]), _with_fan_on_top())
    assert len(facets(fan)) == 6
    found = contacts(assembled((fan, at()), (CUBE, at(0.25, 0.25, 1.0))))
    assert areas(found) == pytest.approx([0.5625])
    assert np.diff(found.starts).tolist() == [4]


def _with_fan_on_top() -> Array:
    sides = [
        (0, 3, 2),
        (0, 2, 1),
        (0, 1, 5),
        (0, 5, 4),
        (1, 2, 6),
        (1, 6, 5),
        (2, 3, 7),
        (2, 7, 6),
        (3, 0, 4),
        (3, 4, 7),
    ]
    return np.array([*sides, (4, 5, 8), (5, 6, 8), (6, 7, 8), (7, 4, 8)])


def test_a_peg_of_twelve_sides_in_such_a_hole_touches_in_one_patch_a_side() -> None:
    turns = 2 * np.pi * np.arange(12) / 12
    circle = np.c_[np.cos(turns), np.sin(turns)]
    peg = Polygon(circle, 1.0)
    pieces = []
    for k in range(12):
        corner = np.array([circle[k], 2 * circle[k], 2 * circle[(k + 1) % 12], circle[(k + 1) % 12]])
        pieces.append((Polygon(corner, 1.0), at()))
    found = contacts(assembled((peg, at()), *pieces))
    of_peg = found.bodies[:, 0] == 0
    assert of_peg.sum() == 12
    assert areas(found)[of_peg] == pytest.approx([2 * np.sin(np.pi / 12)] * 12)


def test_groups_leave_out_pairs_of_one_lattice() -> None:
    row = assembled(*((CUBE, at(x=float(k))) for k in range(4)))
    assert planar_patches(row, np.array([0, 0, 1, 1])).bodies.tolist() == [[1, 2]]
    assert planar_patches(row, np.array([-1, -1, 0, 0])).bodies.tolist() == [[0, 1], [1, 2]]
    assert len(planar_patches(row, np.zeros(4, dtype=int))) == 0


def test_contacts_between_fixed_parts_are_kept() -> None:
    row = assembled((CUBE, at()), (CUBE, at(x=1.0))).changed(fixed=frozenset({"0", "1"}))
    assert len(contacts(row)) == 1


def test_ground_has_its_own_friction_where_it_is_given() -> None:
    table = make_part("ground", box((100.0, 100.0, 1.0)), at(-50, -50, -1))
    stack = assembled((CUBE, at()), (CUBE, at(z=1.0))).changed(ground=Ground("table", 0.2), ground_part=table)
    found = contacts(stack)
    assert found.bodies.tolist() == [[0, 1], [0, 2]]
    assert found.friction.tolist() == [0.55, 0.2]
    assert found.normals[1] == pytest.approx([0, 0, -1])
    assert contacts(stack.changed(ground=Ground("table"))).friction.tolist() == [0.55, 0.55]


def test_brick_touches_a_block_with_its_body() -> None:
    kind = brick_type("brick_2x4")
    length, width, height = kind.size_m
    found = contacts(assembled((BrickShape(kind), at()), (box((length, width, height)), at(x=length))))
    assert areas(found) == pytest.approx([width * height])


def test_allowed_overlap_keeps_the_contact_of_what_sank_in() -> None:
    sunk = assembled((CUBE, at()), (CUBE, at(z=0.99)))
    with pytest.raises(Overlap, match=r"overlap by 0\.01 m, allowed 0 m"):
        interfaces(sunk)
    found = contacts(sunk.changed(allow_overlap_m=0.02))
    assert areas(found) == pytest.approx([1.0])
    assert corners(found, 0)[:, 2] == pytest.approx([0.995] * 4)


def test_parts_alone_have_no_contacts() -> None:
    assert len(contacts(assembled((CUBE, at())))) == 0
    assert len(contacts(assembled((CUBE, at()), (CUBE, at(x=5.0))))) == 0


def test_solid_bond_has_the_contacts_that_can_be_counted() -> None:
    found = contacts(bond(4, 3, 2))
    beside = 2 * (3 * 3)  # along x
    across = 2 * (2 * (2 * 4 - 1))  # rows shifted by half: each meets two of the next, the last one
    assert len(found) - beside - across == (found.normals[:, 2] > 0.5).sum()
    assert areas(found)[found.normals[:, 2] > 0.5].sum() == pytest.approx(_area_between_layers())


def _area_between_layers() -> float:
    import shapely

    layers = []
    for z in (0, 1):
        boxes = [
            shapely.box(2 * x + (y + z) % 2, y + 0.5 * z, 2 * x + (y + z) % 2 + 2, y + 0.5 * z + 1)
            for y in range(3)
            for x in range(4)
        ]
        layers.append(shapely.unary_union(boxes))
    return float(layers[0].intersection(layers[1]).area)


def test_same_input_gives_the_same_bytes() -> None:
    one, other = contacts(moved(bond(3, 3, 3), tilted(9))), contacts(moved(bond(3, 3, 3), tilted(9)))
    assert one.points.tobytes() == other.points.tobytes()
    assert one.bodies.tolist() == sorted(one.bodies.tolist())
