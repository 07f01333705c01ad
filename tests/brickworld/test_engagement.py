"""The five geometric criteria: accepted up to their tolerances, refused beyond."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.brickworld.engagement import are_clear, engagement
from falsework.brickworld.settings import JoinRules
from falsework.brickworld.topology import Connection
from falsework.model.arrays import Array
from falsework.model.catalogue import brick_type
from tests.brickworld.scenes import turned

RULES = JoinRules()
BRICK = brick_type("brick_4x2")
LENGTH, WIDTH, HEIGHT = BRICK.size_m
STUD = BRICK.measures.stud_height_m


def resting(dx: float = 0.0, dy: float = 0.0, dz: float = 0.0) -> Array:
    """A 4x2 on the stud tops of another, two studs along x."""
    pose = np.eye(4)
    pose[:3, 3] = (0.016 + dx, dy, HEIGHT + STUD + dz)
    return pose


def tilted(degrees: float, axis: tuple[float, float, float]) -> Array:
    """Tilted about its centre, its lowest engaged corner on the stud tops."""
    turn = turned(axis, np.deg2rad(degrees))
    middle = np.array([LENGTH / 2, WIDTH / 2, 0.0])
    pose = resting()
    pose[:3, :3] = turn[:3, :3]
    pose[:3, 3] += middle - turn[:3, :3] @ middle
    corners = [(0, 0), (0.016, 0), (0, WIDTH), (0.016, WIDTH)]  # of the brick, over the studs that it engages
    low = min(float((pose @ (x, y, 0.0, 1.0))[2]) for x, y in corners)
    pose[2, 3] += HEIGHT + STUD - low
    return pose


def test_a_brick_on_stud_tops_would_snap_in() -> None:
    assert engagement(resting(), BRICK, BRICK, RULES) == Connection(0, 1, (2, 0), 0)


@pytest.mark.parametrize("quarter", [0, 1, 2, 3])
def test_quarter_turns_are_found(quarter: int) -> None:
    turn = turned((0, 0, 1), quarter * np.pi / 2)
    pose = turn.copy()
    pose[2, 3] = HEIGHT + STUD
    found = engagement(pose, brick_type("brick_8x8"), BRICK, RULES)
    assert (found is None) == (quarter != 0)  # turned about its corner it leaves the studs
    pose[:2, 3] = (0.032, 0.032)
    found = engagement(pose, brick_type("brick_8x8"), BRICK, RULES)
    assert found == Connection(0, 1, (4, 4), quarter)


@pytest.mark.parametrize(("off", "joins"), [(1.99e-3, True), (2.01e-3, False)])
@pytest.mark.parametrize("axis", [0, 1])
def test_two_millimetres_off_and_not_more(off: float, joins: bool, axis: int) -> None:
    for sign in (1, -1):
        shift = [0.0, 0.0]
        shift[axis] = sign * off
        assert (engagement(resting(*shift), BRICK, BRICK, RULES) is not None) == joins


@pytest.mark.parametrize(("above", "joins"), [(0.99e-3, True), (1.01e-3, False), (-0.99e-3, True), (-1.01e-3, False)])
def test_a_millimetre_above_or_below_and_not_more(above: float, joins: bool) -> None:
    assert (engagement(resting(dz=above), BRICK, BRICK, RULES) is not None) == joins


@pytest.mark.parametrize(("degrees", "joins"), [(4.95, True), (5.05, False), (-4.95, True), (-5.05, False)])
def test_five_degrees_of_yaw_and_not_more(degrees: float, joins: bool) -> None:
    turn = turned((0, 0, 1), np.deg2rad(degrees))
    middle = np.array([0.008, 0.008, 0.0])  # of the studs that it engages, in its own frame
    pose = resting()
    pose[:3, :3] = turn[:3, :3]
    pose[:3, 3] += middle - turn[:3, :3] @ middle
    assert (engagement(pose, BRICK, BRICK, RULES) is not None) == joins


@pytest.mark.parametrize(("degrees", "joins"), [(4.95, True), (5.05, False)])
@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (-1, 0, 0), (0, -1, 0)])
def test_five_degrees_of_tilt_and_not_more(degrees: float, joins: bool, axis: tuple[float, float, float]) -> None:
    assert (engagement(tilted(degrees, axis), BRICK, BRICK, RULES) is not None) == joins


def test_without_a_common_stud_nothing_joins() -> None:
    assert engagement(resting(dx=0.016), BRICK, BRICK, RULES) is None


def test_tiles_have_no_studs_and_makes_do_not_mix() -> None:
    assert engagement(resting(), brick_type("tile_4x2"), BRICK, RULES) is None
    assert engagement(resting(), BRICK, brick_type("duplo:brick_2x2"), RULES) is None


def test_tolerances_of_duplo_are_twice_as_long() -> None:
    duplo = brick_type("duplo:brick_4x2")
    pose = np.eye(4)
    pose[:3, 3] = (3.9e-3, 0.0, duplo.size_m[2] + duplo.measures.stud_height_m)
    assert engagement(pose, duplo, duplo, RULES) is not None
    pose[0, 3] = 4.1e-3
    assert engagement(pose, duplo, duplo, RULES) is None


def test_a_brick_is_clear_once_it_is_above_the_studs_or_beside_them() -> None:
    poses = [resting(dz=-STUD), resting(dz=-0.5 * STUD), resting(), resting(dx=0.0161, dz=-STUD)]
    assert are_clear(np.array(poses), [BRICK] * 4, [BRICK] * 4).tolist() == [False, False, True, True]
