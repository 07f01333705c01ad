"""Parts that share space are found, with their depth; parts that only touch are not."""

from __future__ import annotations

import logging

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from falsework.geometry.contacts.overlap import penetrations, refuse
from falsework.geometry.shapes.solids import make_part, surface
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import Overlap
from falsework.model.part import Part
from falsework.model.shapes import ConvexPieces, Mesh, Polygon, Polyhedron, box
from tests.geometry.assemblies import arch, assembled, at, bond, cut_box, moved, tetrominoes, tilted, ungrouped
from tests.geometry.test_contacts import ring

CUBE = box((1.0, 1.0, 1.0))
ANGLE = Polygon(np.array([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2.0)]), 1.0)


def found(assembly: Assembly) -> list[tuple[int, int, float]]:
    return penetrations(assembly, ungrouped(assembly))


@pytest.mark.parametrize("depth", [0.01, 0.1, 0.5])
def test_depth_of_cubes_is_how_far_one_must_move(depth: float) -> None:
    pair = moved(assembled((CUBE, at()), (CUBE, at(0.3, 0.2, 1 - depth))), tilted(1))
    assert found(pair) == [(0, 1, pytest.approx(depth))]


def test_depth_across_two_edges_is_along_their_common_normal() -> None:
    # two bars, each on its edge, cross at right angles: only the vertical parts them
    lower, upper = np.eye(4), np.eye(4)
    bar = Polyhedron(box((4.0, 1.0, 1.0)).vertices - [2.0, 0.5, 0.5], CUBE.faces)
    lower[:3, :3] = Rotation.from_euler("x", 45, degrees=True).as_matrix()
    upper[:3, :3] = Rotation.from_euler("z", 90, degrees=True).as_matrix() @ lower[:3, :3]
    upper[2, 3] = np.sqrt(2.0) - 0.1
    assert found(assembled((bar, lower), (bar, upper))) == [(0, 1, pytest.approx(0.1))]
    upper[2, 3] = np.sqrt(2.0) + 0.1
    assert found(assembled((bar, lower), (bar, upper))) == []


def test_cube_in_the_corner_of_an_angle_is_clear_though_hulls_overlap() -> None:
    assert found(assembled((ANGLE, at()), (CUBE, at(1.0, -0.5, 1.0)))) == []
    assert found(assembled((ANGLE, at()), (CUBE, at(0.9, -0.5, 1.0)))) == [(0, 1, pytest.approx(0.1))]


def test_depth_of_what_sank_into_both_legs_is_near_the_thickness() -> None:
    ((_, _, depth),) = found(assembled((ANGLE, at()), (CUBE, at(0.99, -0.5, 0.99))))
    assert 0.01 <= depth <= 0.03


def test_peg_in_a_hole_is_clear_and_a_thick_one_is_not() -> None:
    plate = ring(4.0, 1.0, 0.5)
    assert found(assembled((plate, at()), (box((1.0, 1.0, 2.0)), at(-0.5, -0.5, 0.0)))) == []
    ((first, second, depth),) = found(assembled((plate, at()), (box((1.1, 1.1, 2.0)), at(-0.55, -0.55, 0.0))))
    assert (first, second) == (0, 1)
    assert 0.05 <= depth <= 0.15


def test_part_inside_another_is_found() -> None:
    assert found(assembled((box((4.0, 4.0, 4.0)), at()), (CUBE, at(1.0, 1.0, 1.0)))) == [(0, 1, pytest.approx(2.0))]
    assert found(assembled((CUBE, at()), (CUBE, at()))) == [(0, 1, pytest.approx(1.0))]


def test_pieces_are_judged_one_by_one() -> None:
    feet = ConvexPieces((CUBE, Polyhedron(CUBE.vertices + np.array([2.0, 0.0, 0.0]), CUBE.faces)))
    assert found(assembled((feet, at()), (CUBE, at(1.0)))) == []
    assert found(assembled((feet, at()), (CUBE, at(1.2)))) == [(0, 1, pytest.approx(0.2))]


def test_part_in_the_cavity_of_another_is_clear() -> None:
    outer, inner = surface(box((3.0, 3.0, 3.0))), surface(CUBE)
    hollow = Mesh(
        np.concatenate([outer.vertices, inner.vertices * 2 + 0.5]),
        np.concatenate([outer.triangles, inner.triangles[:, ::-1] + 8]),
    )
    assert found(assembled((hollow, at()), (CUBE, at(1.0, 1.0, 1.0)))) == []
    assert found(assembled((hollow, at()), (CUBE, at(2.0, 1.0, 1.0)))) == [(0, 1, pytest.approx(0.5))]


@pytest.mark.parametrize(
    "made",
    [bond(3, 3, 3), arch(9), tetrominoes(6, 6, np.random.default_rng(0)), cut_box(15, np.random.default_rng(0))],
    ids=["bond", "arch", "tetrominoes", "cut box"],
)
@pytest.mark.parametrize("pose", [np.eye(4), tilted(3, (7.0, -1.0, 2.0))], ids=["straight", "tilted"])
def test_touching_parts_do_not_overlap(made: Assembly, pose: Array) -> None:
    assert found(moved(made, pose)) == []


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_depth_scales(scale: float) -> None:
    pair = assembled((ANGLE, at()), (CUBE, at(0.9, -0.5, 1.0)))
    assert found(moved(pair, tilted(2), scale)) == [(0, 1, pytest.approx(0.1 * scale))]


def test_corners_that_graze_are_let_pass() -> None:
    tip = np.eye(4)
    tip[:3, :3] = Rotation.align_vectors([[0, 0, -1]], [[1, 1, 1]])[0].as_matrix()
    tip[:3, 3] = [0.5, 0.5, 0.95] - tip[:3, :3] @ np.ones(3)  # 0.05 deep, 3e-4 of the volume
    assert found(assembled((CUBE, at()), (CUBE, tip))) == []
    tip[2, 3] -= 0.1
    assert found(assembled((CUBE, at()), (CUBE, tip))) == [(0, 1, pytest.approx(0.15))]


def test_overlap_is_refused_by_names_and_depth() -> None:
    row = assembled((CUBE, at()), (CUBE, at(0.9)), (CUBE, at(1.7)))
    with pytest.raises(Overlap, match=r"parts '1' and '2' overlap by 0\.2 m, allowed 0 m; .*--allow-overlap 0\.2"):
        refuse(row, ungrouped(row))
    with pytest.raises(Overlap, match=r"allowed 0\.15 m"):
        refuse(row.changed(allow_overlap_m=0.15), ungrouped(row))
    refuse(row.changed(allow_overlap_m=0.21), ungrouped(row))


@pytest.mark.parametrize("depth", [0.0103, 0.103, 0.172, 0.2314, 0.9949])
def test_the_overlap_that_a_message_names_is_enough(depth: float) -> None:
    pair = assembled((CUBE, at()), (CUBE, at(1.0 - depth)))
    with pytest.raises(Overlap) as told:
        refuse(pair, ungrouped(pair))
    named = float(str(told.value).rpartition(" ")[2])
    assert named < 1.02 * depth
    refuse(pair.changed(allow_overlap_m=named), ungrouped(pair))


def test_groups_are_not_looked_at() -> None:
    pair = assembled((CUBE, at()), (CUBE, at(0.5)))
    refuse(pair, np.array([0, 0]))
    with pytest.raises(Overlap):
        refuse(pair, np.array([0, 1]))


def test_overlap_of_small_parts_of_a_long_row_is_found() -> None:
    row = assembled(*((CUBE, at(x=k + (0.01 if k == 100 else 0.0))) for k in range(300)))
    assert found(row) == [(100, 101, pytest.approx(0.01))]


def test_surface_that_is_none_of_a_solid_is_told(caplog: pytest.LogCaptureFixture) -> None:
    angle = surface(ANGLE)
    torn = Mesh(angle.vertices, angle.triangles[1:])
    whole = make_part("torn", angle, at())
    part = Part("torn", torn, at(), whole.mass_kg, whole.com_part_m, whole.inertia_part_kgm2)
    pair = Assembly((part, make_part("cube", CUBE, at(0.5, -0.5, 0.5))))
    with caplog.at_level(logging.WARNING):
        assert found(pair) == []
    assert "part 'torn': overlaps are not examined" in caplog.text
