"""Nothing ends up inside of anything else, however hard, from wherever and by whomever it is pushed."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.brickworld.pushes import Steady
from falsework.brickworld.settings import DEEPEST_M, Settings
from falsework.brickworld.simulate import started
from falsework.brickworld.world import World
from falsework.engine.heft import SWIFT_M_S2
from falsework.engine.stepping import _accepted
from falsework.gallery import make
from falsework.model.errors import BadInput, Undecided
from tests.brickworld.overlaps import depth_m
from tests.brickworld.pushing import case, pushed
from tests.brickworld.scenes import floating, on_table, watched
from tests.brickworld.test_world import lifted
from tests.conftest import brick, on_baseplate

STUDS_M = 1.7e-3


def above_studs(gap_m: float, kind: str = "brick_2x4") -> World:
    model = on_baseplate(brick("low", "brick_2x4", 0, 0, 0))
    return World(model.changed(parts=(*model.parts, lifted(brick("high", kind, 0, 0, 3), STUDS_M + gap_m))))


def deepest(world: World, frames: int, force_n: tuple[float, float, float] | None = None, name: str = "high") -> float:
    """Of all frames, with a force on a part as sudden as can be."""
    worst = 0.0
    for _ in range(frames):
        if force_n is not None:
            world.apply_force(name, force_n)
        world.step()
        worst = max(worst, depth_m(world))
    return worst


@pytest.mark.parametrize("newtons", [5.0, 10.0, 50.0])
@pytest.mark.parametrize("kind", ["brick_2x4", "tile_1x1"])
def test_a_sudden_push_ends_on_the_studs_or_in_the_joint(newtons: float, kind: str) -> None:
    world = above_studs(5e-4, kind)
    assert deepest(world, 20, (0.0, 0.0, -newtons)) <= DEEPEST_M
    number = world.number("high")
    assert world.poses()[number, 2, 3] >= 0.0096 - 1e-6
    assert ("low", "high") in world.connections


def test_a_sudden_push_does_not_go_through_the_table() -> None:
    model = on_table(brick("high", "brick_2x4", 0, 0, 0))
    world = World(model.changed(parts=(lifted(model.parts[0], 0.02),)))
    assert deepest(world, 20, (0.0, 0.0, -50.0)) <= DEEPEST_M
    assert world.poses()[0, 2, 3] == pytest.approx(0.0, abs=DEEPEST_M)


def test_a_guided_press_ends_at_what_it_meets() -> None:
    """Beside the grid, so that nothing joins; pressed far from the studs."""
    model = on_baseplate(brick("low", "brick_2x4", 0, 0, 0))
    world = World(model.changed(parts=(*model.parts, lifted(brick("high", "brick_2x4", 0, 2, 3), 6e-3, 3.5e-3))))
    number = world.number("high")
    world.guide("high", (0.0, 0.0, -1.0), (0.008, 0.04, 0.02))
    world.pushes.append(Steady(number, np.array([0.008, 0.03, 0.0096]), np.array([0.0, 0.0, -3.0]), np.zeros(3)))
    assert deepest(world, 30) <= DEEPEST_M
    assert world.poses()[number, 2, 3] == pytest.approx(0.0096 + STUDS_M, abs=1e-4)
    assert world.poses()[number, :3, :3] == pytest.approx(np.eye(3), abs=1e-9)


def test_a_mouse_does_not_drag_a_brick_through_a_wall() -> None:
    model = on_baseplate(brick("wall", "brick_1x40x60", 0, -19, 0))
    loose = lifted(brick("high", "brick_2x2", 3, 0, 0), STUDS_M)
    world = World(model.changed(parts=(*model.parts, loose)), Settings(breaking=False))
    world.drag("high", (-0.3, 0.008, 0.01), stiffness_n_m=500.0)
    assert deepest(world, 40) <= DEEPEST_M
    assert world.poses()[world.number("high"), 0, 3] > 0.0


@pytest.mark.parametrize("kind", ["bookshelf", "bench", "guitar"])
def test_a_drop_does_not_dent_the_table(kind: str) -> None:
    """At 1.7 m/s, three and a half millimetres a step."""
    world = World(started(make(f"brick-{kind}"), 15 * 0.0096, None))
    assert deepest(world, 30) <= DEEPEST_M


def test_random_pushes_end_outside() -> None:
    """`python -m tests.brickworld.hunt` tries ten thousand."""
    for seed in range(25):
        depth, why = pushed(case(seed))
        assert why == "", case(seed)
        assert depth <= DEEPEST_M, case(seed)


@pytest.mark.parametrize("seed", [2912, 3403, 3483, 4240, 7008, 7625])
def test_a_heavy_brick_that_a_hand_keeps_upright_on_one_corner_does_not_sink(seed: int) -> None:
    """What can turn about a corner feels little there; a hand that only puts it back level lets it sink."""
    depth, why = pushed(case(seed))
    assert why == ""
    assert depth <= DEEPEST_M


@pytest.mark.parametrize("seed", [8236, 8263])
def test_a_slope_meets_studs_with_the_corner_that_is_deepest(seed: int) -> None:
    depth, why = pushed(case(seed))
    assert why == ""
    assert depth <= DEEPEST_M


def test_an_overlap_is_accepted_where_something_was_moved_there_and_never_where_it_crept() -> None:
    world = World(on_table(brick("a", "brick_2x4", 0, 0, 0)))
    scene = world.scene
    assert _accepted(scene, 3e-4) == 3e-4  # as it was put
    world.step()
    assert _accepted(scene, 2e-4) == 2e-4
    assert _accepted(scene, 3e-4) == 2e-4
    scene.move(scene.poses() + 1e-9, scene.twists())
    assert _accepted(scene, 3e-4) == 3e-4


def test_weak_pushes_are_bare_forces() -> None:
    world = World(floating(brick("a", "brick_2x4", 0, 0, 0)))
    mass = world.assembly.parts[0].mass_kg
    force = 0.9 * SWIFT_M_S2 * mass
    world.apply_force("a", (force, 0.0, 0.0))
    world.step()
    assert world.velocities()[0, 0] == pytest.approx(force / mass * world.time_s, rel=1e-9)


def test_strong_pushes_bring_their_own_mass_along() -> None:
    """Two bricks under 20 N: they are accelerated as a hand can, and their joint feels no more than that."""
    world = World(floating(brick("a", "brick_2x4", 0, 0, 0), brick("b", "brick_2x4", 0, 0, 3)))
    breaks, _ = watched(world)
    mass = world.assembly.parts[0].mass_kg
    for _ in range(3):
        world.apply_force("b", (0.0, 0.0, 20.0))
        world.step()
    assert world.velocities()[0, 2] == pytest.approx(SWIFT_M_S2 * world.time_s, rel=1e-6)
    loads = world.breakage.recorder.windows(0, np.arange(2)).mean(0)
    assert loads[:, 2] == pytest.approx([-mass * SWIFT_M_S2, mass * SWIFT_M_S2], rel=1e-6)
    assert breaks == []


def test_what_cannot_move_feels_all_of_a_push() -> None:
    world = World(on_table(brick("a", "brick_2x4", 0, 0, 0)))
    for _ in range(10):
        world.apply_force("a", (0.0, 0.0, -20.0))
        world.step()
    pressed = sum(abs(float(force)) for force in world.scene.touches().forces[:, 2])
    assert pressed == pytest.approx(20.0 + 9.81 * world.assembly.parts[0].mass_kg, rel=1e-3)


def test_an_overlap_that_cannot_be_avoided_is_a_failure_with_names() -> None:
    """A brick between two others that stand still, which come as near to each other as it is thick, and nearer."""
    world = World(on_table(brick("a", "brick_2x4", 0, 0, 0)), Settings(deepest_m=1e-9))
    with pytest.raises(Undecided, match=r"part a overlap by .* mm at .* s; smaller forces may help"):
        deepest(world, 30, (0.0, 0.0, -50.0), "a")


def test_forces_beyond_all_measure_are_refused() -> None:
    world = World(on_table(brick("a", "brick_2x4", 0, 0, 0)))
    with pytest.raises(BadInput, match=r"force_n: found \[0.0, 0.0, 1e\+300\], expected at most 1e\+06"):
        world.apply_force("a", (0.0, 0.0, 1e300))


def test_nothing_joins_into_a_loose_brick_that_is_in_the_way() -> None:
    """Snapping onto the grid would move it by a millimetre and a half, into its neighbour."""
    model = on_baseplate(brick("low", "brick_2x4", 0, 0, 0), brick("foot", "brick_2x4", 2, 0, 0))
    beside = lifted(brick("beside", "tile_2x4x3", 2, 0, 3), STUDS_M)
    high = lifted(brick("high", "brick_2x4", 0, 0, 3), STUDS_M, -1.5e-3)
    near = lifted(beside, 0.0, -1.3e-3)
    free = World(model.changed(parts=(*model.parts, high)))
    held = World(model.changed(parts=(*model.parts, high, near)), Settings(joining=True))
    for world in (free, held):
        for _ in range(5):
            world.apply_force("high", (0.0, 0.0, -2.0))
            world.step()
            assert depth_m(world) <= DEEPEST_M
    assert ("low", "high") in free.connections
    assert ("low", "high") not in held.connections
