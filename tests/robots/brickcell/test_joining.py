"""Two arms put bricks together in the air, and what they are told where they cannot."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.gallery import make
from falsework.model.errors import BadInput
from falsework.robots.brickcell.brick_holds import leaning_holds, tip_m
from falsework.robots.brickcell.cell_world import CellWorld
from falsework.robots.brickcell.joining import join_in_air
from falsework.robots.brickcell.laying_cell import laying_cell
from falsework.robots.brickcell.mason import Errors, Mason, _lead_deg

ON_TOP = np.eye(4)
ON_TOP[:3, 3] = (0.032, 0.0, 0.0192)


def two_arms(kind: str = "two-panda") -> Mason:
    tower = make("duplo-stack", bricks=2)
    return Mason(CellWorld(laying_cell(kind, tower), tower), np.random.default_rng(0), Errors())


def test_two_pandas_join_two_bricks_in_the_air() -> None:
    mason = two_arms()
    breaks: list[object] = []
    mason.cell.world.on_break.append(breaks.append)
    done = join_in_air(mason, "1", "2", ON_TOP, arms=("left", "right"))
    lower, upper = (mason.cell.T_world_part(name) for name in ("1", "2"))
    assert (done.holder, done.presser, done.joined) == ("left", "right", True)
    assert np.abs(np.linalg.inv(lower) @ upper - ON_TOP).max() < 1e-6
    assert lower[2, 3] > 0.2, "held out, not put down"
    assert mason.cell.holds("left", 0.032)
    assert not breaks


def test_bricks_that_would_not_lie_on_each_other_are_refused() -> None:
    beside = ON_TOP.copy()
    beside[0, 3] = 0.2
    with pytest.raises(BadInput, match="'2' does not lie on '1'"):
        join_in_air(two_arms(), "1", "2", beside)


def test_fingers_that_lean_stay_clear_of_what_is_below() -> None:
    mason = two_arms()
    part = mason.cell.world.assembly.parts[0]
    tool = mason.cell.cell.arms[0].tool
    corners = np.array([[x, 0.0, tip_m(tool)] for x in (-tool.pad_m[0] / 2, tool.pad_m[0] / 2)])
    for lean in (45.0, 60.0):
        for hold in leaning_holds(part, tool, part.com_part_m, lean):
            lowest = (corners @ hold.T_part_tool[:3, :3].T + hold.T_part_tool[:3, 3])[:, 2].min()
            assert lowest > part.shape.kind.measures.stud_height_m  # type: ignore[union-attr]
            assert abs(np.degrees(np.arccos(-hold.T_part_tool[2, 2])) - lean) < 1e-9


def test_the_end_next_to_the_press_leads_by_half_a_degree_at_most() -> None:
    part = make("duplo-stack").parts[0]
    hand = np.diag([1.0, -1.0, -1.0, 1.0])
    asked = [_lead_deg(part, hand, np.array([x, 0.3, 0.0])) for x in (-1.0, -0.008, 0.0, 0.016)]
    assert asked == pytest.approx([-0.5, -0.25, 0.0, 0.5])
    assert _lead_deg(part, hand, None) == 0.0
