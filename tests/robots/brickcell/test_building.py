"""A tower on a baseplate, and what a plan that arms cannot carry out is told."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from falsework.brickworld.building import Placed
from falsework.formats.robots.catalogue import tool_named
from falsework.gallery import make
from falsework.model.errors import BadInput
from falsework.model.plan import Plan, Rules, Step
from falsework.planning.plan import plan
from falsework.robots.brickcell.brick_holds import brick_holds, openings
from falsework.robots.brickcell.building import Built, Chance, build_with_arms, shortcomings
from falsework.robots.brickcell.laying_cell import laying_cell
from falsework.robots.brickcell.mason import _squares
from falsework.robots.cells.feeding import waiting_places


def test_a_panda_stacks_a_tower_on_a_baseplate() -> None:
    """Every brick snaps in and nothing breaks."""
    tower = make("duplo-stack", bricks=2)
    built = build_with_arms(plan(tower), tower, cell=laying_cell("panda", tower), seed=3)
    assert built.held, (built.stopped, [one for one in built.placed if not one.held])
    assert max(one.drift_m for one in built.placed) < 1e-6
    assert set(built.by) == {"arm"}


def test_a_tower_is_stacked_by_welded_grips_too() -> None:
    tower = make("duplo-stack", bricks=2)
    built = build_with_arms(plan(tower), tower, cell=laying_cell("panda", tower), seed=3, grip="weld")
    assert built.held, (built.stopped, [one for one in built.placed if not one.held])
    assert max(one.drift_m for one in built.placed) < 1e-6


def test_holds_are_of_opposite_sides_and_clear_of_studs() -> None:
    tower = make("duplo-stack")
    cell = laying_cell("panda", tower)
    tool, part = cell.arms[0].tool, tower.parts[0]
    for hold in brick_holds(part, tool, part.com_part_m):
        assert hold.T_part_tool[:3, 2].tolist() == [0.0, 0.0, -1.0]
        assert np.linalg.det(hold.T_part_tool[:3, :3]) == pytest.approx(1.0)
        assert hold.T_part_tool[2, 3] - 0.0095 > part.shape.kind.measures.stud_height_m  # type: ignore[union-attr]
        assert all(hold.width_m < one <= tool.opening_m[1] for one in openings(hold, tool))


def test_trays_leave_room_for_fingers() -> None:
    tower = make("duplo-stack")
    cell = laying_cell("panda", tower)
    at = [where[0].T_world_part[:2, 3] for where in waiting_places(cell, tower).values()]
    gaps = [float(np.abs(a - b).max()) for k, a in enumerate(at) for b in at[:k]]
    assert min(gaps) > 0.032 + 2 * 0.0152


def test_shortcomings_name_the_step() -> None:
    steps = (Step("place", ("a",)), Step("release", ("a",)), Step("place", ("b",)))
    wanted = Plan(Rules(), "complete", steps)
    good = Placed(("a",), True, (), None, 0.0)
    bad = Placed(("b",), False, (("a", "b"),), 1.2, 0.01)
    assert (
        shortcomings(wanted, Built((good, bad), 1.0, 0.1, False, ("arm", "arm")))[0].why == "built by arms, a–b breaks"
    )
    lost = shortcomings(wanted, Built((good,), 1.0, 0.1, False, ("arm",), "no arm found a way"))
    assert [(one.step, one.undecided) for one in lost] == [(3, True)]


def test_what_is_no_brick_is_refused() -> None:
    arch = make("semicircular-arch")
    cell = laying_cell("panda", make("duplo-stack"))
    with pytest.raises(BadInput, match="arms of the brick world lay bricks"):
        build_with_arms(Plan(Rules(), "complete", ()), arch, cell=cell, chance=Chance.none())


def test_bricks_lie_on_the_tray_of_the_arm_that_is_nearest_to_their_places() -> None:
    table = make("brick-table")
    cell = laying_cell("two-panda", table)
    left, right = (one.T_world_base[:3, 3] for one in cell.arms)
    shares = [feeder.parts for feeder in cell.feeders]
    assert sorted(shares[0] + shares[1]) == sorted(table.names)
    assert min(map(len, shares)) == 8  # four legs of three and a top: two legs each, and half of the crosswise top
    for names, own, other in ((shares[0], left, right), (shares[1], right, left)):
        for name in names:
            place = (cell.T_world_structure @ np.append(table.parts[table.index[name]].com_world_m, 1.0))[:3]
            assert np.linalg.norm(place - own) <= np.linalg.norm(place - other) + 1e-3


def test_two_pandas_build_in_turns_and_make_way_for_each_other() -> None:
    table = make("brick-table", height=1)
    planned = plan(table).plan
    steps = planned.steps[:8]  # the four feet
    built = build_with_arms(replace(planned, steps=steps), table, cell=laying_cell("two-panda", table), seed=0)
    assert not built.stopped
    assert len(built.placed) == 4
    assert all(one.held for one in built.placed)
    assert set(built.by) == {"left", "right"}


def test_a_brick_is_squared_by_pads_only_where_friction_lets_it_turn() -> None:
    hand = tool_named("panda-hand")
    part = make("brick-table").parts[-1]  # 16 by 64 mm
    holds = list(brick_holds(part, hand, np.zeros(3)))
    assert {hold.width_m for hold in holds} == {0.016, 0.064}
    assert all(_squares(hand, hold) == (hold.width_m == 0.016) for hold in holds)


def test_pads_wider_than_a_side_may_be_aside_of_its_middle() -> None:
    hand = tool_named("panda-hand")
    part = make("brick-table").parts[0]  # 16 by 16 mm; pads of 17.5
    usual = {tuple(hold.T_part_tool[:2, 3].round(4)) for hold in brick_holds(part, hand, np.zeros(3))}
    aside = {tuple(hold.T_part_tool[:2, 3].round(4)) for hold in brick_holds(part, hand, np.zeros(3), aside=True)}
    assert usual == {(0.008, 0.008)}
    assert aside == usual | {(0.006, 0.008), (0.01, 0.008), (0.008, 0.006), (0.008, 0.01)}
