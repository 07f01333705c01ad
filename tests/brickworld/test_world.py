"""A world of bricks: what holds stays, what is overloaded breaks, what is pressed joins."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from falsework.brickworld.settings import JoinRules, Settings
from falsework.brickworld.world import World
from falsework.engine.library import mujoco
from falsework.gallery import make
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly, Hinge
from falsework.model.errors import BadInput, Undecided
from falsework.model.part import Part
from falsework.verdicts.check import check
from tests.brickworld.scenes import falling_stair, on_table, stair, watched
from tests.conftest import brick, on_baseplate


def lifted(part: Part, up_m: float, x_m: float = 0.0) -> Part:
    pose = np.array(part.T_world_part)
    pose[:3, 3] += (x_m, 0.0, up_m)
    return replace(part, T_world_part=pose)


def relative(world: World) -> np.ndarray:
    poses = world.poses()
    return np.linalg.inv(poses[0]) @ poses


def test_a_stable_model_on_its_baseplate_does_not_move_at_all() -> None:
    table = make("brick-table")
    world = World(table)
    breaks, _ = watched(world)
    world.run(1.0)
    assert np.array_equal(world.poses(), table.poses)
    assert breaks == []


def test_a_stable_model_on_a_table_keeps_its_shape_exactly_and_sinks_by_nanometres() -> None:
    world = World(on_table(*stair(3)))
    before = relative(world)
    breaks, _ = watched(world)
    world.run(2.0)
    assert breaks == []
    assert np.abs(relative(world)[:-1] - before[:-1]).max() < 1e-14
    assert np.abs(world.poses() - world.assembly.poses).max() < 1e-4


@pytest.mark.parametrize(("share", "stands"), [(0.97, True), (1.03, False)])
def test_the_world_breaks_what_check_calls_unstable_and_nothing_else(share: float, stands: bool) -> None:
    model = make("random-bricks", 5, bricks=15)
    joints = interfaces(model)
    needed = check(model, joints=joints).utilization
    assert needed is not None
    scaled = model.changed(gravity=model.gravity * share / needed)
    assert check(scaled, joints=joints).stands == stands
    world = World(scaled, joints=joints)
    breaks, _ = watched(world)
    world.run(0.1)
    assert (not breaks) == stands
    if breaks:
        assert breaks[0].utilization == pytest.approx(share, rel=1e-4)


def test_switched_off_nothing_breaks() -> None:
    model = on_baseplate(*falling_stair())
    assert not check(model).stands
    world = World(model, Settings(breaking=False))
    world.run(0.2)
    assert np.array_equal(world.poses(), model.poses)


def test_a_stair_that_is_too_long_falls_over() -> None:
    model = on_baseplate(*falling_stair())
    world = World(model)
    breaks, _ = watched(world)
    world.run(0.5)
    assert breaks
    assert world.poses()[-2, 2, 3] < model.poses[-2, 2, 3] - 0.02
    assert len(world.components) > 1


def pressed(force_n: float, rules: JoinRules | None = None, x_m: float = 0.0, seconds: float = 0.4) -> World:
    """A 2x4 on the stud tops of a 2x4 that stands on a baseplate, pressed down."""
    low, high = brick("low", "brick_2x4", 0, 0, 0), brick("high", "brick_2x4", 0, 0, 3)
    loose = lifted(high, 1.7e-3, x_m)
    model = on_baseplate(low)
    world = World(model.changed(parts=(*model.parts, loose)), Settings(join=rules or JoinRules()))
    while world.time_s < seconds:
        world.apply_force("high", (0.0, 0.0, -force_n), loose.com_world_m + np.array([0.0, 0.0, 0.0048]))
        world.step()
    return world


WEIGHT_N = brick("b", "brick_2x4", 0, 0, 0).mass_kg * 9.81


@pytest.mark.parametrize(("force_n", "joins"), [(1.0 - WEIGHT_N - 0.02, False), (1.0 - WEIGHT_N + 0.02, True)])
def test_pressing_joins_at_the_threshold_and_not_below(force_n: float, joins: bool) -> None:
    world = pressed(force_n)
    assert (("low", "high") in world.connections) == joins
    height = world.poses()[world.assembly.index["high"], 2, 3]
    assert height == pytest.approx(0.0096 if joins else 0.0113, abs=1e-4)


@pytest.mark.parametrize(("off_m", "joins"), [(1.9e-3, True), (2.1e-3, False)])
def test_pressing_joins_within_two_millimetres_and_not_beyond(off_m: float, joins: bool) -> None:
    world = pressed(2.0, x_m=off_m, seconds=0.05)
    assert (("low", "high") in world.connections) == joins
    if not joins:
        assert world.poses()[world.assembly.index["high"], 0, 3] > 2.0e-3  # unseated, off the grid


def test_pressing_one_brick_across_two_closes_both_connections() -> None:
    model = on_baseplate(brick("a", "brick_2x2", 0, 0, 0), brick("b", "brick_2x2", 2, 0, 0))
    bridge = lifted(brick("bridge", "brick_4x2", 0, 0, 3), 1.7e-3)
    world = World(model.changed(parts=(*model.parts, bridge)))
    _, joins = watched(world)
    while not joins and world.time_s < 0.3:
        world.apply_force("bridge", (0.0, 0.0, -4.0), bridge.com_world_m)
        world.step()
    assert sorted(joins[0].connections) == [("a", "bridge"), ("b", "bridge")]
    assert joins[0].force_n >= 1.0


def test_switched_off_nothing_joins() -> None:
    low = on_baseplate(brick("low", "brick_2x4", 0, 0, 0))
    high = lifted(brick("high", "brick_2x4", 0, 0, 3), 1.7e-3)
    world = World(low.changed(parts=(*low.parts, high)), Settings(joining=False))
    for _ in range(10):
        world.apply_force("high", (0.0, 0.0, -3.0))
        world.step()
    assert ("low", "high") not in world.connections


def test_a_brick_that_was_pulled_off_does_not_snap_back_by_itself() -> None:
    model = on_baseplate(brick("low", "brick_2x2", 0, 0, 0), brick("high", "brick_2x2", 0, 0, 3))
    world = World(model)
    breaks, joins = watched(world)
    while not breaks:
        world.apply_force("high", (0.0, 0.0, 8.0))
        world.step()
    world.run(0.5)  # its weight is no press
    assert joins == []


def test_a_spring_drags_a_brick_to_its_target() -> None:
    world = World(on_table(brick("a", "brick_2x4", 0, 0, 0)))
    target = np.array([0.05, 0.02, 0.06])
    spring = world.drag("a", target, stiffness_n_m=20.0, damping_ns_m=0.5)
    world.run(1.5)
    part = world.assembly.parts[0]
    centre = (world.poses()[0] @ (*part.com_part_m, 1.0))[:3]
    sag = part.mass_kg * 9.81 / 20.0
    assert centre == pytest.approx(target - (0.0, 0.0, sag), abs=1e-4)
    world.release(spring)
    world.run(0.5)
    assert world.poses()[0, 2, 3] < 0.01


def test_a_light_brick_can_be_dragged_by_a_corner_with_the_usual_spring() -> None:
    world = World(on_table(brick("a", "brick_1x1", 0, 0, 0)))
    world.drag("a", (0.0, 0.0, 0.05), (0.008, 0.008, 0.0096))
    world.run(1.0)
    corner = (world.poses()[0] @ (0.008, 0.008, 0.0096, 1.0))[:3]
    assert corner == pytest.approx([0.0, 0.0, 0.05], abs=1e-3)


def test_the_cause_of_a_break_can_be_dumped_and_proves_itself(tmp_path) -> None:  # type: ignore[no-untyped-def]
    world = World(on_baseplate(*falling_stair()))
    breaks, _ = watched(world)
    while not breaks:
        world.step()
    cause = breaks[0].cause
    assert (cause.loads * cause.twists).sum() > cause.dissipation_w
    breaks[0].dump(tmp_path / "break.npz")
    with np.load(tmp_path / "break.npz") as kept:
        assert kept["loads"].shape == (len(kept["names"]), 6)
        assert kept["utilization"] == breaks[0].utilization


def test_snapshots_go_back_bit_by_bit_across_breaks() -> None:
    world = World(on_baseplate(*falling_stair()))
    world.run(0.05)
    taken = world.snapshot()
    ends = []
    for _ in range(2):
        world.run(0.3)
        ends.append((world.poses(), world.velocities(), world.connections, world.time_s))
        world.restore(taken)
    assert np.array_equal(ends[0][0], ends[1][0])
    assert np.array_equal(ends[0][1], ends[1][1])
    assert ends[0][2:] == ends[1][2:]
    assert world.time_s == taken.time_s


def test_a_snapshot_of_another_assembly_is_refused() -> None:
    one, other = (World(on_table(*stair(2))) for _ in range(2))
    with pytest.raises(BadInput, match="another assembly"):
        one.restore(other.snapshot())


def test_the_same_world_goes_the_same_way() -> None:
    ends = []
    for _ in range(2):
        world = World(on_baseplate(*falling_stair()))
        world.run(0.4)
        ends.append(world.poses())
    assert np.array_equal(ends[0], ends[1])


def test_an_engine_that_loses_a_body_is_named() -> None:
    world = World(on_table(*stair(2)))
    world.scene.data.qvel[:] = np.nan
    with pytest.raises(Undecided, match="the engine lost a body of parts 0, 1 at"):
        world.step()


def test_an_engine_that_gives_up_is_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(on_table(*stair(2)))

    def failing(*_: object) -> None:
        raise mujoco().FatalError("out of memory")

    monkeypatch.setattr(mujoco(), "mj_step", failing)
    with pytest.raises(Undecided, match="the engine failed at 0 s: out of memory"):
        world.step()


def test_unknown_parts_and_hinges_are_refused() -> None:
    world = World(on_table(*stair(2)))
    with pytest.raises(BadInput, match="there is no part 'x'"):
        world.apply_force("x", (0, 0, 1))
    parts = stair(2)
    hinge = Hinge("0", "1", np.zeros(3), np.array([0.0, 1.0, 0.0]))
    with pytest.raises(BadInput, match="no hinges"):
        World(Assembly(parts, fixed=frozenset({"0"}), hinges=(hinge,)))


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"window_s": 0.0}, "window_s: found 0.0"),
        ({"stiffness_per_s2": float("nan")}, "stiffness_per_s2: found nan"),
        ({"stiffness_per_s2": 1e8}, "too much for steps"),
        ({"substeps": 0}, "substeps: found 0"),
        ({"join": JoinRules(press_n=-1.0)}, "join press_n: found -1.0"),
        ({"join": JoinRules(press_frames=0)}, "press_frames: found 0"),
    ],
)
def test_settings_that_make_no_sense_are_refused(changes: dict[str, object], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        Settings(**changes)  # type: ignore[arg-type]


def test_forces_that_make_no_sense_are_refused() -> None:
    world = World(on_baseplate(*stair(2)))
    with pytest.raises(BadInput, match=r"force_n: found \[nan, 0.0, 0.0\], expected three finite numbers"):
        world.apply_force("0", (np.nan, 0.0, 0.0))
    with pytest.raises(BadInput, match="point_m: found"):
        world.apply_force("0", (1.0, 0.0, 0.0), (0.0, 0.0))
    with pytest.raises(BadInput, match="stiffness_n_m: found -5, expected 0 or more"):
        world.drag("0", (0.0, 0.0, 1.0), stiffness_n_m=-5)
    spring = world.drag("0", (0.0, 0.0, 1.0))
    world.release(spring)
    with pytest.raises(BadInput, match="no longer acts"):
        world.release(spring)
    with pytest.raises(BadInput, match="seconds: found nan"):
        world.run(float("nan"))
