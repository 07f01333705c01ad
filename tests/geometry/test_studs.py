"""Studs are solid for all that is not pressed onto them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from falsework import check, info
from falsework.geometry.contacts.ground import grounded
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.solids import make_part
from falsework.geometry.shapes.studs import SIDES
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Ground
from falsework.model.catalogue import brick_type
from falsework.model.errors import BadInput, Overlap
from falsework.model.part import Part
from falsework.model.shapes import BrickShape, box
from tests.geometry.assemblies import at

STUD, RADIUS, BRICK = 0.0017, 0.0024, 0.0096


def brick(name: str, kind: str, pose: Array) -> Part:
    return make_part(name, BrickShape(brick_type(kind)), pose)


def box_on(kind: str, size: tuple[float, float, float], x: float, y: float, z: float) -> Assembly:
    """A brick at the origin, fixed, and a box with its lower corner at a place."""
    parts = brick("brick", kind, np.eye(4)), make_part("box", box(size), at(x, y, z))
    return Assembly(parts, fixed=frozenset({"brick"}))


def test_a_box_lies_on_the_tops_of_studs_inside_their_true_discs() -> None:
    joints = interfaces(box_on("brick_2x4", (0.016, 0.032, 0.01), 0.0, 0.0, BRICK + STUD))
    assert joints.counts() == {
        "contacts": 1,
        "clutches": 0,
        "hinges": 0,
        "corners": 0,
        "edges": 0,
        "curved": 0,
        "ambiguous": 0,
    }
    assert joints.patches.normals[0] == pytest.approx([0, 0, 1])
    points = joints.patches.points
    assert points[:, 2] == pytest.approx(BRICK + STUD)
    centres = np.array([(x, y) for y in (0.004, 0.012, 0.020, 0.028) for x in (0.004, 0.012)])
    apart = np.linalg.norm(points[:, None, :2] - centres[None], axis=2).min(axis=1)
    assert apart == pytest.approx(RADIUS)  # corners of inscribed polygons
    assert np.ptp(points, axis=0)[:2] == pytest.approx([0.008 + 2 * RADIUS, 0.024 + 2 * RADIUS])


@pytest.mark.parametrize(
    ("kind", "system"),
    [("brick_1x1", (BRICK, STUD, 0.004, RADIUS)), ("duplo:brick_1x1", (0.0192, 0.0045, 0.008, 0.0047))],
)
def test_a_box_on_one_stud_stands_as_long_as_its_middle_is_over_the_disc(
    kind: str, system: tuple[float, float, float, float]
) -> None:
    height, stud, centre, radius = system
    half = 3 * radius
    for share, answer in ((0.99, "stable"), (1.01, "unstable")):
        shift = centre + share * radius - half
        made = box_on(kind, (2 * half, 2 * half, radius), shift, centre - half, height + stud)
        assert check(made).answer == answer
    within = np.cos(np.pi / SIDES) * radius  # halfway between two corners of the polygon
    for share, answer in ((0.99, "stable"), (1.04, "unstable")):
        x, y = centre + share * within * np.array([np.cos(np.pi / SIDES), np.sin(np.pi / SIDES)]) - half
        assert check(box_on(kind, (2 * half, 2 * half, radius), x, y, height + stud)).answer == answer


def test_a_box_in_studs_is_an_overlap() -> None:
    with pytest.raises(Overlap, match=r"brick.*box"):
        interfaces(box_on("brick_2x4", (0.016, 0.032, 0.01), 0.0, 0.0, BRICK))
    lower = box_on("brick_2x4", (0.016, 0.032, 0.01), 0.0, 0.0, BRICK + 0.5 * STUD)
    with pytest.raises(Overlap):
        interfaces(lower)


def test_a_box_on_a_tile_or_between_studs_lies_on_the_body() -> None:
    assert interfaces(box_on("tile_2x4", (0.016, 0.032, 0.01), 0.0, 0.0, 0.0032)).counts()["contacts"] == 1
    between = box_on("brick_2x4", (0.0031, 0.032, 0.01), 0.008 - 0.0031 / 2, 0.0, BRICK)
    assert interfaces(between).patches.points[:, 2] == pytest.approx(BRICK)


def test_a_box_leans_on_the_side_of_a_stud_where_the_true_cylinder_is() -> None:
    beside = box_on("brick_1x1", (0.001, 0.008, 0.01), 0.004 + RADIUS, 0.0, BRICK)
    joints = interfaces(beside)
    assert joints.counts()["edges"] == 1
    edge = int(np.flatnonzero(joints.patches.sizes == 2)[0])
    assert joints.patches.normals[edge] == pytest.approx([1, 0, 0])
    points = joints.patches.points[joints.patches.starts[edge] : joints.patches.starts[edge + 1]]
    assert sorted(points[:, 2]) == pytest.approx([BRICK, BRICK + STUD])
    assert points[:, :2] == pytest.approx(np.array([[0.004 + RADIUS, 0.004]] * 2))


def loose(degrees: float, height: float) -> Assembly:
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_euler("z", degrees, degrees=True).as_matrix()
    middle = np.array([0.008, 0.016, 0.0])
    pose[:3, 3] = middle - pose[:3, :3] @ middle + [0.0, 0.0, height]
    parts = brick("low", "brick_2x4", np.eye(4)), brick("loose", "brick_2x4", pose)
    return Assembly(parts, fixed=frozenset({"low"}))


def test_a_loose_brick_lies_on_stud_tops_and_is_not_clutched() -> None:
    lying = loose(30.0, BRICK + STUD)
    joints = interfaces(lying)
    assert joints.counts()["contacts"] == 1 and joints.counts()["clutches"] == 0
    assert check(lying).answer == "stable"
    assert check(lying.changed(gravity=np.array([9.81 * np.sin(0.6), 0.0, -9.81 * np.cos(0.6)]))).answer == "unstable"


def test_a_brick_pressed_on_is_clutched_and_has_no_contact_with_studs() -> None:
    pressed = interfaces(loose(0.0, BRICK))
    assert pressed.counts() == {
        "contacts": 0,
        "clutches": 1,
        "hinges": 0,
        "corners": 0,
        "edges": 0,
        "curved": 0,
        "ambiguous": 0,
    }
    with pytest.raises(BadInput, match="stands in part 'loose' off its grid"):
        interfaces(loose(30.0, BRICK))


def test_a_brick_upside_down_stands_on_its_studs() -> None:
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_euler("x", 180, degrees=True).as_matrix()
    made = grounded(Assembly((brick("brick", "brick_2x4", pose),)), Ground("table"))
    joints = interfaces(made)
    assert joints.counts()["contacts"] == 1
    assert joints.patches.points[:, 2] == pytest.approx(-BRICK - STUD)
    assert check(made).answer == "stable"
    both = (brick("low", "brick_2x4", np.eye(4)), brick("high", "brick_2x4", at(0.0, 0.016, 2 * (BRICK + STUD)) @ pose))
    tops = interfaces(Assembly(both, fixed=frozenset({"low"})))
    assert tops.counts()["contacts"] == 1 and tops.patches.points[:, 2] == pytest.approx(BRICK + STUD)


def test_a_box_over_very_many_studs_is_refused_aloud() -> None:
    plate = brick("plate", "baseplate_2000x2000", np.eye(4))
    made = Assembly(
        (plate, make_part("box", box((10.0, 10.0, 0.1)), at(0.0, 0.0, 0.0032 + STUD))), fixed=frozenset({"plate"})
    )
    with pytest.raises(BadInput, match=r"over \d+ studs of 'plate'; the limit is 20000"):
        interfaces(made)
    small = box_on("baseplate_2000x2000", (0.1, 0.1, 0.1), 1.0, 1.0, 0.0032 + STUD)
    assert info(small).contacts == 1
