"""Two bricks that arms put together in the air, and place as one: found in the search, moved, and judged anew."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import falsework
from falsework import Assembly, Cell, new_cell, plan
from falsework.model.robots.motion import Motion
from falsework.model.robots.task import CellPlan
from falsework.robots.keyframes.cell_planning import Arms
from falsework.robots.motions.making import motions_of
from falsework.robots.verification.verify_motion import verify_motion

HANGING = """blocks:
- {name: foot, type: brick_2x2, color: red, pos: [0.016, 0.016, 0.0], rotation: [0, 0, 0]}
- {name: pier, type: brick_2x2, color: blue, pos: [0.016, 0.016, 0.0191], rotation: [0, 0, 0]}
- {name: beam, type: brick_4x2, color: yellow, pos: [0.032, 0.016, 0.0382], rotation: [0, 0, 0]}
- {name: hanging, type: brick_2x2, color: green, pos: [0.048, 0.016, 0.0191], rotation: [0, 0, 0]}
"""
RAISED_M = 0.1  # of feeders: a hand that leans has room below it there


@pytest.fixture(scope="module")
def bricks(tmp_path_factory: pytest.TempPathFactory) -> Assembly:
    """A beam on a pier, and a brick that hangs from its other end, over nothing."""
    path: Path = tmp_path_factory.mktemp("bricks") / "hanging.yaml"
    path.write_text(HANGING)
    return falsework.load(path)


def raised(kind: str) -> Cell:
    cell = new_cell(kind)
    feeders = []
    for feeder in cell.feeders:
        T = feeder.T_world_feeder.copy()
        T[2, 3] += RAISED_M
        feeders.append(replace(feeder, T_world_feeder=T, size_m=(0.36, 0.36), gap_m=0.09))
    return replace(cell, feeders=tuple(feeders))


@pytest.fixture(scope="module")
def planned(bricks: Assembly) -> CellPlan:
    found = plan(bricks, cell=raised("two-panda"), budget=300)
    assert found.in_cell is not None, found.why
    assert falsework.verify(found.plan, bricks).valid
    return found.in_cell


@pytest.fixture(scope="module")
def motion(bricks: Assembly, planned: CellPlan) -> Motion:
    return motions_of(planned, bricks, np.random.default_rng(0))


def test_one_arm_holds_the_lower_brick_and_the_other_presses_on_and_places_both(planned: CellPlan) -> None:
    several = [task for task in planned.tasks if task.subassembly is not None or len(task.parts) > 1]
    assert [task.action for task in several] == ["join", "join", "part", "place"]
    holder, carrier, parted, placed = several
    assert (holder.parts, carrier.parts, placed.parts) == (("hanging",), ("beam",), ("beam", "hanging"))
    assert holder.arm == parted.arm != carrier.arm == placed.arm
    (piece,) = planned.plan.apart
    assert (set(piece.parts), piece.fast) == ({"beam", "hanging"}, "hanging")
    assert carrier.T_world_after is not None
    assert carrier.T_world_after[2, 3] > 0.1  # in the air


def test_a_single_arm_cannot_hold_and_press(bricks: Assembly) -> None:
    crew = Arms(raised("panda"), bricks)(None)
    upper, lower, there = (bricks.mask(names) for names in (["beam"], ["hanging"], ["foot", "pier"]))
    ways = crew.pair_ways(upper.bit_length() - 1, lower.bit_length() - 1, there | bricks.fixed_mask(), ())
    assert list(ways) == []


def test_the_motion_joins_with_a_guard_and_is_verified(bricks: Assembly, planned: CellPlan, motion: Motion) -> None:
    judged = verify_motion(motion, bricks)
    assert judged.valid, judged.complaints
    holder, carrier = (task.arm for task in planned.tasks if task.action == "join")
    assert [stay.arm for stay in motion.stays if stay.part == "hanging"] == [None, holder, carrier, None]
    (press,) = [one for one in motion.segments if one.to == "join" and one.kind == "press"]
    assert press.arm == carrier
    assert press.guard is not None
    (both,) = [grip for grip in motion.grips if len(grip.parts) > 1]
    assert both.parts == ("beam", "hanging")
    parted = next(grip for grip in motion.grips if grip.parts == ("hanging",))
    assert press.end_s <= parted.end_s + 1e-9  # nobody lets go before it is pressed on


def test_a_brick_that_is_joined_askew_is_refused_by_name(bricks: Assembly, motion: Motion) -> None:
    k = next(k for k, stay in enumerate(motion.stays) if stay.part == "hanging" and k and stay.arm is not None)
    last = next(j for j in range(k, len(motion.stays)) if motion.stays[j + 1].arm is None)
    T = motion.stays[last].T.copy()
    T[0, 3] += 0.004
    stays = (*motion.stays[:last], replace(motion.stays[last], T=T), *motion.stays[last + 1 :])
    assert "place" in {one.kind for one in verify_motion(replace(motion, stays=stays), bricks).complaints}


def test_a_holder_that_lets_go_before_the_press_is_refused_by_name(bricks: Assembly, motion: Motion) -> None:
    k = next(k for k, grip in enumerate(motion.grips) if grip.parts == ("hanging",))
    early = replace(motion.grips[k], end_s=0.5 * (motion.grips[k].begin_s + motion.grips[k].end_s))
    spoiled = replace(motion, grips=(*motion.grips[:k], early, *motion.grips[k + 1 :]))
    assert "hand" in {one.kind for one in verify_motion(spoiled, bricks).complaints}


def test_parts_that_hang_from_none_of_the_plan_are_refused_by_name(bricks: Assembly, motion: Motion) -> None:
    steps = tuple(replace(step, parts=step.parts[:1]) for step in motion.plan.steps)
    other = replace(motion.plan, steps=steps, apart=())
    judged = verify_motion(replace(motion, plan=other), bricks)
    assert "hand" in {one.kind for one in judged.complaints}
