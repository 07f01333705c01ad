"""Free ways of arms: certified, short, the same for the same seed; and how fast they are gone along."""

from itertools import pairwise

import numpy as np
import pytest

from falsework import arm_named, tool_named
from falsework.model.errors import BadInput
from falsework.model.robots.cell import CellArm
from falsework.model.robots.limits import JointLimits
from falsework.model.shapes import box
from falsework.robots import ArmBodies, Surroundings, swept_blockers
from falsework.robots.collision.bodies import Piece
from falsework.robots.motions.retiming import Timed, bounds, retimed
from falsework.robots.motions.rounding import Curve, followed, rounded_off
from falsework.robots.motions.transits import Standing, Ways


@pytest.fixture(scope="module")
def among_pillars() -> tuple[ArmBodies, Standing]:
    """A UR5e with pillars around it."""
    arm = ArmBodies(CellArm("arm", arm_named("ur5e"), tool_named("suction"), np.eye(4)))
    pillars = [
        Piece(
            box((0.08, 0.08, 1.2)).vertices + np.array([0.45 * np.cos(angle) - 0.04, 0.45 * np.sin(angle) - 0.04, 0.0])
        )
        for angle in np.radians([20, 110, 200, 290])
    ]
    return arm, Standing(tuple(pillars))


def positions(ways: Ways, count: int, seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    chain = ways.arm.chain
    found: list[np.ndarray] = []
    while len(found) < count:
        q = rng.uniform(0.5 * chain.lower, 0.5 * chain.upper)
        if ways.free([q, q]):
            found.append(q)
    return found


def test_ways_join_both_ends_and_keep_clear_all_along(among_pillars):
    arm, standing = among_pillars
    ways = Ways(arm, standing)
    bent = 0
    spots = positions(ways, 12, 3)
    for begin, end in pairwise(spots):
        path = ways.between(begin, end, np.random.default_rng(0))
        assert path is not None
        assert np.array_equal(path[0], begin)
        assert np.array_equal(path[-1], end)
        assert ways.free(path)
        bent += len(path) > 2
    assert bent > 0, "something is in the way of some of them"


def test_the_same_seed_gives_the_same_way(among_pillars):
    arm, standing = among_pillars
    ways = Ways(arm, standing)
    begin, end = positions(ways, 2, 5)
    one, other = (ways.between(begin, end, np.random.default_rng(7)) for _ in range(2))
    assert np.array_equal(one, other)


def test_no_way_leads_out_of_a_body(among_pillars):
    arm, _ = among_pillars
    q = arm.placed.home
    hand = arm.links(q[None])[0, -1, :, 3]
    ways = Ways(arm, Standing((Piece(box((0.1, 0.1, 0.1)).vertices - 0.05 + hand),)))
    assert ways.between(q, q + 0.5, np.random.default_rng(0)) is None


def test_a_way_around_another_arm_avoids_it(among_pillars):
    arm, _ = among_pillars
    T = np.eye(4)
    T[0, 3] = 0.7
    other = ArmBodies(CellArm("other", arm_named("ur5e"), tool_named("suction"), T))
    standing = Standing(()).and_arm(other, other.placed.home)
    assert len(standing.pieces) == len(other.bodies.radii)
    stretched = np.array([np.pi, -0.2, 0.2, 0.0, 0.0, 0.0])  # over the other's base
    alone, beside = Ways(arm, Standing(())), Ways(arm, standing)
    assert alone.free([stretched, stretched])
    assert not beside.free([stretched, stretched])


def test_without_a_margin_nothing_can_be_proven(among_pillars):
    arm, _ = among_pillars
    around = Surroundings((), Standing(()).bodies, np.zeros(0, bool), 0)
    with pytest.raises(BadInput, match="expected one above 0"):
        swept_blockers(arm, arm.placed.home, arm.placed.home, around, 0.0)


def test_rounded_corners_stay_in_their_triangle_and_end_where_they_should():
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 2.0], [0.0, 2.0]])
    curve = rounded_off(corners, lambda chords: True, 1.0)
    s = np.linspace(0, curve.length, 400)
    q, first, second = curve.at(s)
    assert np.array_equal(q[[0, -1]], corners[[0, -1]])
    assert (q >= -1e-12).all()
    assert (q <= [1.0 + 1e-12, 2.0 + 1e-12]).all()
    step = s[1] - s[0]
    assert np.abs(np.diff(q, axis=0) / step - first[:-1]).max() < 0.05
    assert np.abs(np.diff(first, axis=0)).max() < 4 * step * np.abs(second).max() + 1e-9


def test_corners_that_cannot_be_rounded_are_stops():
    corners = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 2.0]])
    curve = rounded_off(corners, lambda chords: False, 1.0)
    assert len(curve.pieces()) == 2


@pytest.mark.parametrize("name", ["panda", "irb2600"])
def test_timed_ways_use_their_limits_and_do_not_exceed_them(name):
    limits = JointLimits.of(arm_named(name))
    n = len(limits.lower)
    rng = np.random.default_rng(1)
    for _ in range(5):
        corners = np.cumsum(rng.uniform(-0.4, 0.4, (5, n)), axis=0)
        for curve in (Curve(corners, np.zeros(5)), rounded_off(corners, lambda chords: True, 1.0)):
            timed = retimed(curve.pieces(), limits)
            speed, acceleration, jerk = bounds(timed.times, timed.q, timed.speed, timed.acceleration)
            used = max((speed / limits.speed).max(), (acceleration / limits.acceleration).max())
            assert 0.9 < used <= 1 + 1e-9
            assert (jerk <= limits.jerk * (1 + 1e-9)).all()
            assert np.abs(timed.speed[[0, -1]]).max() == 0.0
            assert np.array_equal(timed.q[[0, -1]], corners[[0, -1]])


def test_a_straight_way_takes_as_long_as_by_hand():
    """1 rad at 2 rad/s² up to 1 rad/s: half a second up, half a second steady, half a second down; and smoothing."""
    one = np.ones(1)
    limits = JointLimits(-9 * one, 9 * one, one, 2 * one, np.inf * one)
    timed = retimed(Curve(np.array([[0.0], [1.0]]), np.zeros(2)).pieces(), limits)
    assert timed.seconds == pytest.approx(1.5 + 0.04)
    assert timed.many(np.array([0.77]))[0, 0] == pytest.approx(0.5)


def test_what_is_sampled_stays_on_the_way():
    limits = JointLimits.of(arm_named("panda"))
    angle = np.linspace(0, 1, 30)
    way = np.column_stack([np.sin(angle), np.cos(angle), *(0.2 * angle for _ in range(5))])
    timed = retimed(followed(way), limits)
    q = timed.many(np.linspace(0, timed.seconds, 500))
    assert np.abs(np.hypot(q[:, 0], q[:, 1]) - 1).max() < 1e-5, "it is on the circle between the rows too"


def test_a_sharp_turn_of_a_followed_way_is_a_stop():
    way = np.array([[0.0, 0.0], [0.1, 0.0], [0.2, 0.0], [0.2, 0.1], [0.2, 0.2]])
    assert [len(piece.corners) for piece in followed(way)] == [3, 3]


def test_twice_the_time_is_half_the_speed():
    timed = Timed(np.array([0.0, 1.0]), np.array([[0.0], [1.0]]), np.zeros((2, 1)), np.zeros((2, 1)))
    slow = timed.slower(2.0)
    assert slow.many(np.array([1.0]))[0, 0] == pytest.approx(0.5)
    most, other = (bounds(one.times, one.q, one.speed, one.acceleration)[0].max() for one in (timed, slow))
    assert most == pytest.approx(2 * other)
