"""What stands beside an arm or is in place from the beginning: looked at by search and judge, left out by nobody."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from falsework import Assembly, BadInput, Cell, Plan, Rules, box, new_cell, plan
from falsework.bench.motions.faults import spoiled
from falsework.model.poses import about
from falsework.model.robots.cell import Obstacle
from falsework.model.robots.motion import Motion, Stay, Track
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.collision.collisions import blockers, masks
from falsework.robots.collision.surroundings import Surroundings
from falsework.robots.verification.verify_motion import verify_motion

AROUND = np.radians([-60.0, 0.0, 60.0])  # of the first joint


def beside_the_turret(height_m: float, z: float) -> Cell:
    """An IRB 2600, whose shoulder is 0.33 m out, with something in front of its base, 0.31 m from its axis."""
    cell = new_cell("irb2600+suction-80")
    at = cell.arms[0].T_world_base.copy()
    at[:3, 3] += (0.30, -0.01, z)
    post = Obstacle("post", box((0.02, 0.02, height_m)), at)
    return replace(cell, obstacles=(post,), room_m=None)


@pytest.fixture(scope="module")
def bolted() -> Assembly:
    return Assembly.from_boxes({"base": ((0.1, 0.1, 0.1), (0.0, 0.0, 0.05))}, fixed=["base"])


def turning(cell: Cell, assembly: Assembly) -> Motion:
    """The arm turns its turret from where it waits and back, slowly; nothing is built."""
    home = cell.arms[0].home
    q = np.array([home, home + np.eye(6)[0] * 0.8, home])
    still = np.zeros_like(q)
    track = Track(cell.arms[0].name, [0.0, 8.0, 16.0], q, still, still)
    stays = [Stay("base", 0.0, np.inf, cell.T_world_structure @ assembly.parts[0].T_world_part)]
    return Motion(Plan(Rules(), "complete", ()), cell, cell.T_world_structure, (track,), stays=tuple(stays))


def test_a_turret_that_runs_into_a_post_beside_its_base_is_seen_by_search_and_judge(bolted: Assembly) -> None:
    cell = beside_the_turret(0.5, 0.0)
    arm = ArmBodies(cell.arms[0])
    q = cell.arms[0].home + AROUND[:, None] * np.eye(6)[0]
    around = Surroundings.of(cell)
    assert any(mask >> around.names.index("post") & 1 for mask in masks(blockers(arm, q, around)))
    told = verify_motion(turning(cell, bolted), bolted).complaints
    assert any("'post' and link 1" in one.why for one in told)


def test_what_lies_below_a_base_is_not_in_the_way_of_its_turret(bolted: Assembly) -> None:
    cell = beside_the_turret(0.05, -0.05)
    judged = verify_motion(turning(cell, bolted), bolted)
    assert not any("post" in one.why for one in judged.complaints)


def test_a_structure_that_is_tilted_in_its_cell_is_refused_by_planner_and_judge(bolted: Assembly) -> None:
    """Plans are proved for gravity as the assembly has it."""
    cell = replace(new_cell("irb2600+suction-80"), room_m=None)
    askew = np.eye(4)
    askew[:3, :3] = about(1, 10.0)
    tilted = replace(cell, T_world_structure=askew)
    with pytest.raises(BadInput, match="structure: it is tilted by 10 degrees"):
        plan(bolted, cell=tilted)
    assert "stand" in {one.kind for one in verify_motion(turning(tilted, bolted), bolted).complaints}


def test_a_structure_that_hovers_over_the_table_is_refused_before_it_is_planned() -> None:
    cell = replace(new_cell("two-panda"), room_m=None)
    raised = np.eye(4)
    raised[2, 3] = 0.2
    tower = Assembly.from_boxes([(0.04,) * 3], [(0.0, 0.0, 0.02)], ground="table")
    with pytest.raises(BadInput, match="structure: it stands 200 mm above the table"):
        plan(tower, cell=replace(cell, T_world_structure=raised))


def test_a_fixed_part_that_a_motion_leaves_out_is_missed(bolted: Assembly) -> None:
    cell = replace(new_cell("irb2600+suction-80"), room_m=None)
    whole = turning(cell, bolted)
    assert verify_motion(whole, bolted).valid, verify_motion(whole, bolted).complaints
    bad = spoiled(whole, bolted, "fixed left out", np.random.default_rng(0))
    assert bad is not None
    assert [one.kind for one in verify_motion(bad, bolted).complaints] == ["place"]
