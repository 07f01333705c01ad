"""An arm among bricks: it goes where it is told, holds by contact, presses with a force, and bricks snap in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from falsework.engine.others import comes_near
from falsework.gallery import make
from falsework.geometry.contacts.ground import grounded
from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Ground
from falsework.model.catalogue import brick_type
from falsework.model.errors import BadInput
from falsework.model.poses import about, inverse
from falsework.model.robots.motion import Track
from falsework.model.shapes import BrickShape
from falsework.robots.brickcell.brick_holds import brick_holds
from falsework.robots.brickcell.cell_world import CLOSE_M_S, CellWorld, Grips
from falsework.robots.brickcell.driver import BrickCellDriver
from falsework.robots.brickcell.episodes import Episodes
from falsework.robots.brickcell.laying_cell import laying_cell
from falsework.robots.brickcell.mason import Errors, Mason
from falsework.robots.cells.kinds import new_cell

KIND = brick_type("brick_2x4")
WIDTH = KIND.size_m[0]  # the narrower way
SEAT = np.eye(4)
SEAT[:3, 3] = (0.0, 0.0, KIND.size_m[2])
LIES = np.eye(4)
LIES[:3, 3] = (0.0, 0.12, 0.0)


def two_bricks(grip: Grips = "contact") -> CellWorld:
    """One that stands, and one like it that lies beside it."""
    low, high = make_part("low", BrickShape(KIND), np.eye(4)), make_part("high", BrickShape(KIND), SEAT)
    model = grounded(Assembly((low, high)), Ground("table")).changed(fixed=frozenset({"low"}))
    return CellWorld(new_cell("panda"), model, placed={"high": LIES, "low": np.eye(4)}, grip=grip)


def over(cell: CellWorld, part: str, height_m: float) -> Array:
    """The pose of a tool that holds a brick as well as can be, or so far above."""
    body = cell.world.assembly.bodies[cell.world.number(part)]
    hold = next(brick_holds(body, cell.arm("arm").placed.tool, body.com_part_m))
    T: Array = cell.T_world_part(part) @ hold.T_part_tool
    T[2, 3] += height_m
    return T


@pytest.fixture(scope="module")
def holding() -> CellWorld:
    """The arm with the brick in its hand."""
    cell = two_bricks()
    cell.open("arm", 0.03)
    cell.move_to("arm", over(cell, "high", 0.05))
    cell.move_straight("arm", over(cell, "high", 0.0))
    assert cell.grip("arm", WIDTH, 10.0)
    cell.shift("arm", np.array([0.0, 0.0, 0.04]))
    return cell


def test_an_arm_comes_where_it_was_sent() -> None:
    cell = two_bricks()
    T = over(cell, "high", 0.1)
    cell.move_to("arm", T)
    assert cell.state("arm").T_world_tool == pytest.approx(T, abs=2e-5)
    assert np.abs(cell.state("arm").wrench).max() == 0.0


def test_fingers_that_close_on_nothing_hold_nothing() -> None:
    cell = two_bricks()
    cell.open("arm", 0.02)
    assert not cell.grip("arm", WIDTH, 10.0)
    assert cell.state("arm").opening_m < 1e-3


def test_a_light_brick_that_lies_askew_between_closing_fingers_does_not_throw_them_apart() -> None:
    bridge = make("brick-bridge")
    cell = laying_cell("panda", bridge)
    (one,) = cell.arms
    rough = replace(one, tool=replace(one.tool, friction=1.138 * one.tool.friction))
    world = CellWorld(replace(cell, arms=(rough,)), bridge)
    part = world.world.assembly.bodies[world.world.number("2")]
    seen, turn = world.T_world_part("2"), about(2, -4.8546)  # where it lies, and where the hand takes it to be
    middle = seen[:3, :3] @ part.com_part_m + seen[:3, 3]
    seen[:3, 3] = middle + turn @ (seen[:3, 3] - middle) + (5.199e-4, -4.970e-4, 0.0)
    seen[:3, :3] = turn @ seen[:3, :3]
    hold = list(brick_holds(part, one.tool, part.com_part_m))[3]
    above, grips = (seen @ hold.T_part_tool for _ in range(2))
    above[2, 3] += 0.05
    world.open("arm", 0.032)
    world.move_to("arm", above)
    world.move_straight("arm", grips, 0.08)
    speeds = []
    world.world.before_step.append(lambda: speeds.append(np.abs(world.arm("arm").drive.finger_speeds).max()))
    assert world.grip("arm", hold.width_m, 10.0)
    assert max(speeds) < 1.2 * 0.5 * CLOSE_M_S  # each finger goes half of the way


def test_a_brick_is_held_by_contact_and_weighs_on_the_hand(holding: CellWorld) -> None:
    state = holding.state("arm")
    weight = holding.world.assembly.masses_kg[holding.world.number("high")] * 9.81
    assert holding.touched("arm") == ("high",)
    assert state.opening_m == pytest.approx(WIDTH, abs=1e-3)
    assert state.grip_n == pytest.approx(10.0, rel=0.1)
    assert state.push_n == pytest.approx(-weight, rel=0.2)
    assert holding.T_world_part("high")[2, 3] == pytest.approx(0.04, abs=1e-3)


def test_a_brick_that_is_welded_to_the_hand_is_carried_pressed_in_and_let_go() -> None:
    cell = two_bricks("weld")
    cell.open("arm", 0.03)
    assert not cell.grip("arm", WIDTH, 10.0)  # there is nothing to weld
    cell.open("arm", 0.03)
    cell.move_to("arm", over(cell, "high", 0.05))
    cell.move_straight("arm", over(cell, "high", 0.0))
    assert cell.grip("arm", WIDTH, 10.0)
    assert cell.welded("arm")
    cell.shift("arm", np.array([0.0, 0.0, 0.04]))
    weight = cell.world.assembly.masses_kg[cell.world.number("high")] * 9.81
    assert cell.state("arm").push_n == pytest.approx(-weight, rel=0.2)  # though no finger touches it
    arm = cell.arm("arm")
    before = inverse(arm.T_world_tool()) @ cell.T_world_part("high")
    lower = cell.aim("arm") @ before
    for height in (0.03, 0.0022):
        T = cell.aim("arm").copy()
        T[:3, 3] += SEAT[:3, 3] + (0.0, 0.0, height) - lower[:3, 3]
        cell.move_straight("arm", T)
        lower = cell.aim("arm") @ before
    assert inverse(arm.T_world_tool()) @ cell.T_world_part("high") == pytest.approx(before, abs=2e-5)
    joined = cell.press_until("arm", 2.0, 0.006, grows_s=1.0, until=lambda: ("low", "high") in cell.world.connections)
    assert joined.reached
    assert not cell.welded("arm")
    cell.let_go("arm")
    cell.shift("arm", np.array([0.0, 0.0, 0.05]))
    assert ("low", "high") in cell.world.connections


def test_grips_of_no_kind_are_refused() -> None:
    with pytest.raises(BadInput, match="grip: found 'glue'"):
        two_bricks("glue")  # type: ignore[arg-type]


@pytest.mark.parametrize("share", [0.1, 0.8])
def test_what_is_carried_on_a_curve_does_not_slide_in_the_fingers(holding: CellWorld, share: float) -> None:
    """Before friction remembered, it slid by a millimetre there and another back, faster ways more."""
    arm = holding.arm("arm")
    begin = arm.wanted(holding.time_s).copy()
    end = begin.copy()
    end[0] += 0.6
    before = inverse(arm.T_world_tool()) @ holding.T_world_part("high")
    holding.move_to("arm", end, share)
    holding.move_to("arm", begin, share)
    after = inverse(arm.T_world_tool()) @ holding.T_world_part("high")
    assert after == pytest.approx(before, abs=1e-5)


def test_a_brick_that_was_taken_askew_stays_in_the_hand_as_its_grip_eases() -> None:
    """On pads that hardly gave way it touched along two edges, rattled between the fingers, and slid by 4 mm."""
    kind = brick_type("duplo:brick_4x2")
    lies = make_part("high", BrickShape(kind), LIES)
    cell_of = new_cell("panda")
    (arm,) = cell_of.arms
    rough = replace(cell_of, arms=(replace(arm, tool=replace(arm.tool, friction=1.2 * arm.tool.friction)),))
    cell = CellWorld(rough, grounded(Assembly((lies,)), Ground("table")), placed={"high": LIES})
    beside = lies.com_part_m + np.array([0.016, 0.0, 0.0])
    hold = next(brick_holds(lies, cell.arm("arm").placed.tool, beside))
    T = cell.T_world_part("high") @ hold.T_part_tool
    T[:3, :3] = about(2, 0.25) @ T[:3, :3]
    T[:2, 3] += (-1.7e-4, -3.9e-4)
    above = T.copy()
    above[2, 3] += 0.05
    cell.open("arm", hold.width_m + 0.012)
    cell.move_to("arm", above)
    cell.move_straight("arm", T)
    assert cell.grip("arm", hold.width_m, 10.0)
    cell.shift("arm", np.array([0.0, 0.0, 0.04]))
    before = inverse(cell.arm("arm").T_world_tool()) @ cell.T_world_part("high")
    cell.hold_with("arm", 4.0)
    cell.run(0.25)
    after = inverse(cell.arm("arm").T_world_tool()) @ cell.T_world_part("high")
    assert np.linalg.norm((after - before)[:3, 3]) < 1e-3


def test_friction_that_remembers_holds_no_more_than_friction() -> None:
    """A brick under a load that its pads do not bear slips out of them."""
    cell = two_bricks()
    cell.open("arm", 0.03)
    cell.move_to("arm", over(cell, "high", 0.05))
    cell.move_straight("arm", over(cell, "high", 0.0))
    assert cell.grip("arm", WIDTH, 2.0)
    cell.shift("arm", np.array([0.0, 0.0, 0.04]))
    height = cell.T_world_part("high")[2, 3]
    bears = 2 * 2.0 * cell.arm("arm").placed.tool.friction
    for share, falls in ((0.7, False), (1.5, True)):
        for _ in range(6):
            cell.world.apply_force("high", (0.0, 0.0, -share * bears))
            cell.step()
        assert (height - cell.T_world_part("high")[2, 3] > 5e-3) == falls


def test_a_press_ends_with_the_click() -> None:
    """Hardly stronger than a joint needs (1 N), far below what was allowed, and the fingers are loose then."""
    cell = two_bricks()
    felt: list[float] = []
    cell.each_frame.append(lambda: felt.append(cell.state("arm").push_n))
    Mason(cell, np.random.default_rng(1), Errors(0.0, 0.0)).lay(
        ("high",), "high", SEAT, 2.5, until=lambda: ("low", "high") in cell.world.connections
    )
    assert cell.world.connections == [("low", "high")]
    assert max(felt) < 1.3


def test_a_press_ends_at_its_force_and_at_its_limit() -> None:
    cell = two_bricks()
    cell.arm("arm").open_to(0.0, 0.2, 5.0, cell.time_s)
    cell.move_to("arm", over(cell, "low", 0.013))
    free = cell.press_until("arm", 2.0, 0.001)
    assert not free.reached
    assert free.travel_m == pytest.approx(0.001, abs=1e-4)
    pressed = cell.press_until("arm", 2.0, 0.02)
    assert pressed.reached
    assert 1.8 <= pressed.most_n <= 3.0
    tips = cell.state("arm").T_world_tool[2, 3] - 0.0095
    assert tips == pytest.approx(KIND.size_m[2] + KIND.measures.stud_height_m, abs=5e-4)


def test_the_driver_follows_a_track_and_refuses_what_begins_elsewhere() -> None:
    cell = two_bricks()
    driver = BrickCellDriver(cell, "arm")
    q = driver.state().q
    still = np.zeros((2, len(q)))
    driver.move(Track("arm", [0.0, 0.5], [q, q + 0.02], still, still))
    assert driver.state().q == pytest.approx(q + 0.02, abs=5e-4)
    with pytest.raises(BadInput, match="from where its track begins"):
        driver.move(Track("arm", [0.0, 0.5], [q + 0.5, q], still, still))
    with pytest.raises(BadInput, match="expected rising forces"):
        driver.press_until(2.0, 1.0, 0.01, 0.01)


def test_a_mason_lays_a_brick_and_nothing_breaks(tmp_path: Path) -> None:
    """And the episode that is recorded meanwhile has a row for every frame."""
    parquet = pytest.importorskip("pyarrow.parquet")
    cell = two_bricks()
    breaks: list[object] = []
    cell.world.on_break.append(breaks.append)
    episodes, begins = Episodes(tmp_path), cell.world.frames
    with episodes.record(cell, "arm", "lay the brick") as recording:
        Mason(cell, np.random.default_rng(1), Errors()).lay(("high",), "high", SEAT, 1.25)
    assert cell.world.connections == [("low", "high")]
    assert not breaks
    assert cell.T_world_part("high") == pytest.approx(SEAT, abs=1e-6)
    assert cell.touched("arm") == ()
    assert recording.file is not None
    table = parquet.read_table(recording.file)
    assert table.num_rows == cell.world.frames - begins
    assert len(table["observation.state"][0].as_py()) == len(table["action"][0].as_py()) == 8
    assert table["next.done"].to_pylist()[-1]
    assert len(Episodes(tmp_path)) == 1


def test_a_brick_that_swings_about_the_fingers_is_put_down_and_taken_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    cell = two_bricks()
    tipped, heights = iter([10.0]), []
    sees, grips = Mason._in_hand, CellWorld.grip

    def swung(mason: Mason, *asked: Any) -> tuple[float, float, float]:
        slid, truly, turned = sees(mason, *asked)
        return slid, next(tipped, truly), turned  # once

    def counted(world: CellWorld, *asked: Any) -> bool:
        heights.append(world.T_world_part("high")[2, 3])
        return grips(world, *asked)

    monkeypatch.setattr(Mason, "_in_hand", swung)
    monkeypatch.setattr(CellWorld, "grip", counted)
    Mason(cell, np.random.default_rng(1), Errors()).lay(("high",), "high", SEAT, 1.25)
    assert heights == pytest.approx([0.0, 0.0], abs=1e-4)  # both times from the table
    assert cell.world.connections == [("low", "high")]


def test_what_cannot_be_done_is_refused(holding: CellWorld) -> None:
    with pytest.raises(BadInput, match="there is no arm 'amr'; did you mean 'arm'"):
        holding.state("amr")
    with pytest.raises(BadInput, match=r"found a grip of 500 N, expected 1\.0 to 70\.0 N"):
        holding.grip("arm", 0.016, 500)
    with pytest.raises(BadInput, match=r"found the opening 0\.2 m"):
        holding.open("arm", 0.2)
    far = np.diag([1.0, -1.0, -1.0, 1.0])
    far[:3, 3] = (3.0, 0.0, 0.2)
    with pytest.raises(BadInput, match="arm 'arm' does not reach"):
        holding.move_to("arm", far)


@pytest.mark.parametrize(("gap_m", "carried", "near"), [(0.5, False, False), (1e-3, False, True), (1e-3, True, False)])
def test_only_what_comes_near_is_foreseen(gap_m: float, carried: bool, near: bool) -> None:
    """Two balls of 10 mm, the first at 1 m/s towards the second, which is ours, or carries it along."""
    step, radius = 0.002, 0.01
    places = np.array([[0.0, 0.0, 0.0], [2 * radius + gap_m, 0.0, 0.0]])
    speeds = np.array([[1.0, 0.0, 0.0], [1.0 if carried else 0.0, 0.0, 0.0]])
    none = np.zeros(2)
    found = comes_near(
        *(places, np.zeros((2, 9)), np.zeros((2, 3)), np.full(2, radius), np.arange(2), np.array([False, True])),
        *(np.full(2, radius), step, 0.05 * step, places, speeds, np.zeros((2, 3)), none, step * speeds[:, 0]),
    )
    assert found == near
