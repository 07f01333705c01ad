"""Hands that grip what stands still: what their pads take off its joints, by closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.brickworld.gripping import Grip, overload_in_grip
from falsework.brickworld.mechanics import GroupMechanics
from falsework.brickworld.world import World
from falsework.engine.pads import Pads
from falsework.gallery.bricklaying import Layout
from falsework.model.arrays import Array

FRICTION = 0.5
END_M = np.array(
    [0.112, 0.016, 0.0192]
)  # under its last row of studs, level with the joint: there it moves straight down


@pytest.fixture(scope="module")
def world() -> World:
    """Two long Duplo bricks; the upper one reaches out by three studs, over nothing."""
    layout = Layout("duplo")
    layout.piece("brick_4x2", 0, 0, 0)
    layout.piece("brick_4x2", 3, 0, layout.measures.plates_per_brick)
    return World(layout.on_baseplate())


def standing(world: World) -> GroupMechanics:
    return max(world.breakage.mechanics, key=lambda one: len(one.joints.numbers))


def pressed(world: World, newtons: float, at_m: Array = END_M) -> Array:
    """Loads (members, 6) of a press straight down on the upper brick; weights are left out."""
    mechanics = standing(world)
    row = mechanics.members.tolist().index(world.number("2"))
    loads, force = np.zeros((len(mechanics.members), 6)), np.array([0.0, 0.0, -newtons])
    loads[row] = np.concatenate([force, np.cross(at_m - mechanics.coms[row], force)])
    return loads


def two_pads(world: World, grip_n: float, at_m: Array = END_M, forces: Array | None = None) -> Pads:
    """One point on each long side of the upper brick."""
    normals = np.array([[0.0, 1.0, 0.0], [0.0, -1.0, 0.0]])
    points = np.array([[at_m[0], 0.0, at_m[2]], [at_m[0], 0.032, at_m[2]]])
    part = world.number("2")
    given = grip_n * normals + (0.0 if forces is None else forces)
    return Pads(np.array([part, part]), np.array([0, 1]), points, normals, given, np.full(2, FRICTION))


def gripped(world: World, *hands: Pads) -> Grip:
    return Grip.of(hands, standing(world), np.eye(4))


def limit_n(world: World, grip: Grip | None, at_m: Array = END_M) -> float:
    """The press at which it breaks, to a ten-thousandth."""
    low, high = 0.0, 1e3
    while high - low > 1e-4 * high:
        middle = 0.5 * (low + high)
        loads, mechanics = pressed(world, middle, at_m), standing(world)
        over = mechanics.overload(loads) if grip is None else overload_in_grip(mechanics, loads, grip)
        low, high = (middle, high) if over is None else (low, middle)
    return low


def test_a_hand_at_the_point_of_the_press_takes_what_its_friction_bears(world: World) -> None:
    """Joint and hand share one force: P = P₀ + 2μN."""
    alone = limit_n(world, None)
    for grip_n in (0.5, 3.0, 20.0):
        held = limit_n(world, gripped(world, two_pads(world, grip_n)))
        assert held == pytest.approx(alone + 2 * FRICTION * grip_n, rel=3e-4)


def test_a_press_that_breaks_a_cantilever_is_borne_by_enough_grip_and_not_by_too_little(world: World) -> None:
    press = 1.5 * limit_n(world, None)
    missing = press / 3.0 / (2 * FRICTION)
    mechanics, loads = standing(world), pressed(world, press)
    assert mechanics.overload(loads) is not None
    assert overload_in_grip(mechanics, loads, gripped(world, two_pads(world, 1.01 * missing))) is None
    assert overload_in_grip(mechanics, loads, gripped(world, two_pads(world, 0.99 * missing))) is not None


def test_the_motion_that_breaks_a_held_arm_gains_more_than_joints_and_hands_take_up(world: World) -> None:
    mechanics, grip = standing(world), gripped(world, two_pads(world, 1.0))
    loads = pressed(world, 3.0 * limit_n(world, None))
    over = overload_in_grip(mechanics, loads, grip)
    assert over is not None and len(over.cut) == 1
    assert float((loads * over.twists).sum()) > over.dissipation
    rng = np.random.default_rng(0)
    for _ in range(20):  # no wrench of the hand does better than what was counted
        shares = rng.dirichlet(np.ones(len(grip.members) // 2), 2).ravel()
        order = np.argsort(grip.fingers, kind="stable")
        spread = np.empty(len(shares))
        spread[order] = shares
        assert -float((grip.loads(spread) * over.twists).sum()) <= grip.takes_up(over.twists) + 1e-12


def test_two_hands_bear_twice_as_much_and_a_hand_on_the_foot_nothing(world: World) -> None:
    alone = limit_n(world, None)
    hand = two_pads(world, 3.0)
    both = limit_n(world, gripped(world, hand, hand))
    assert both == pytest.approx(alone + 2 * 2 * FRICTION * 3.0, rel=3e-4)
    foot = np.full(2, world.number("1"))
    below = Pads(foot, hand.fingers, hand.points - [0.08, 0.0, 0.0192], hand.normals, hand.forces, hand.friction)
    assert limit_n(world, gripped(world, below)) == pytest.approx(alone, rel=3e-4)


def test_what_the_engine_has_of_a_hand_is_not_counted_twice(world: World) -> None:
    """Friction that the engine left on the pads is among the loads: the limit is the same whatever it was."""
    lifting = np.array([0.0, 0.0, 0.6])
    pads = two_pads(world, 3.0, forces=lifting)
    free, grip = gripped(world, two_pads(world, 3.0)), gripped(world, pads)
    press = limit_n(world, free)
    mechanics = standing(world)
    for share, holds in ((0.999, True), (1.001, False)):
        loads = pressed(world, share * press) + grip.applied
        assert (overload_in_grip(mechanics, loads, grip) is None) == holds


def test_pads_bear_bending_by_where_they_press(world: World) -> None:
    """Each finger at two points 20 mm apart: as the brick turns about the joint, they slide aside too."""
    one = two_pads(world, 3.0)
    up = np.array([0.0, 0.0, 0.01])
    apart = np.concatenate([one.points + up, one.points - up])
    wide = Pads(*(np.tile(a, 2) for a in (one.parts, one.fingers)), apart, *(
        np.tile(a, (2, 1)) for a in (one.normals, one.forces / 2)), np.tile(one.friction, 2))  # fmt: skip
    assert wide.pressed_n.tolist() == [3.0, 3.0]
    assert limit_n(world, gripped(world, wide)) > limit_n(world, gripped(world, one)) + 0.01
