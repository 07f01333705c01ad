"""Seed 001's rules: hands take hold anew for every step, on a table or on a fixed base."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from falsework import gallery, load, plan, replan, save
from falsework.formats.plans.sources import source_of
from falsework.formats.plans.writing import write_plan
from falsework.geometry.contacts.ground import grounded
from falsework.geometry.shapes.solids import make_part
from falsework.model.assembly import Assembly, Ground
from falsework.model.interfaces import Interfaces
from falsework.model.plan import Plan, Rules, Start
from falsework.model.shapes import box
from falsework.planning.nodes.journal import Journal
from falsework.planning.plans.jobs import Planner
from falsework.planning.rules.lying import OnTable
from falsework.planning.search.selectors import Learned
from falsework.planning.verification.verify import verify
from falsework.verdicts.oracle import Oracle


def blocks(*places: tuple[float, float, float]) -> Assembly:
    """Unit cubes by their lowest corners, on nothing."""
    parts = []
    for number, corner in enumerate(places):
        pose = np.eye(4)
        pose[:3, 3] = corner
        parts.append(make_part(f"cube-{number}", box((1.0, 1.0, 1.0)), pose))
    return Assembly(tuple(parts))


def test_a_tower_on_a_table_needs_one_hand() -> None:
    tower = blocks((0, 0, 0), (0, 0, 1), (0, 0, 2))
    planned = plan(tower, rules="reorient", robots=1)
    assert planned.status == "complete"
    assert planned.plan.max_held == 1
    assert verify(planned.plan, tower).valid


def test_a_row_of_cubes_may_lie_any_way() -> None:
    row = blocks((0, 0, 0), (1, 0, 0), (2, 0, 0))
    planned = plan(row, rules="reorient", robots=1)
    assert planned.status == "complete"
    assert verify(planned.plan, row).valid


def test_an_overhang_is_built_with_a_hand_beside_the_carrying_one() -> None:
    stack = blocks((0, 0, 0), (0.4, 0, 1), (0.8, 0, 2), (0.2, 0, 3))
    planned = plan(stack, rules="reorient", robots=2)
    assert planned.status == "complete"
    assert verify(planned.plan, stack).valid


def test_holds_are_free_at_every_step_on_a_fixed_base() -> None:
    arch = gallery.make("semicircular-arch", stones=7)
    planned = plan(arch, rules="reorient", robots=2, selector="outside-in")
    assert planned.status == "complete"
    assert verify(planned.plan, arch).valid


def test_what_stands_in_no_pose_has_no_plan() -> None:
    pair = blocks((0, 0, 0), (3, 2, 5))
    planned = plan(pair, rules="reorient", robots=1)
    assert planned.status == "infeasible"


def test_what_must_hang_together_refuses_pieces() -> None:
    bridge = blocks((0, 0, 0), (1.5, 0, 0), (0.75, 0, 1))
    assert plan(bridge, rules="reorient", robots=2).status == "complete"
    together = plan(bridge, rules="reorient", robots=2, require_connected=True)
    order = [step.parts[0] for step in together.plan.steps if step.action == "place"]
    assert together.status == "complete"
    assert order.index("cube-2") < 2  # the other two touch nothing but it
    assert verify(together.plan, bridge).valid
    assert together.plan.rules.require_connected


@pytest.mark.parametrize("fixed", [(), ("0",)])
def test_the_published_bottle(shared: Path, fixed: tuple[str, ...]) -> None:
    bottle = load(shared / "blocks" / "tetris-1", fixed=fixed)
    planned = plan(bottle, rules="reorient", robots=2)
    assert planned.status == "complete"
    assert verify(planned.plan, bottle).valid


def test_the_rest_of_the_work_begins_as_things_lie(tmp_path: Path) -> None:
    save(blocks((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)), tmp_path / "corner.yaml")
    corner = load(tmp_path / "corner.yaml")
    whole = plan(corner, rules="reorient", robots=2)
    for at in range(len(whole.plan.steps) + 1):
        rest = replan(whole.plan, corner, at=at)
        assert rest.status == "complete"
        assert verify(rest.plan, corner).valid
        assert (rest.plan.start.T_world_assembly is not None) == bool(rest.plan.start.installed)
    source = source_of(tmp_path / "corner.yaml", corner)
    write_plan(replace(replan(whole.plan, corner, at=4).plan, source=source), tmp_path / "rest.json")
    assert verify(tmp_path / "rest.json").valid
    assert replan(tmp_path / "rest.json", at=1).status == "complete"


def test_what_lies_on_the_wrong_side_at_first_is_told() -> None:
    tower = blocks((0, 0, 0), (0, 0, 1), (0.9, 0, 2), (1.8, 0, 3))
    tipping = Start(tower.names[:3], (), np.eye(4))
    found = verify(Plan(Rules("reorient"), "timeout", (), start=tipping), tower)
    assert [failure.step for failure in found.failures][:1] == [0]
    assert "the structure falls" in found.failures[0].why


def test_where_nothing_was_planned_there_is_nothing_to_verify() -> None:
    pair = blocks((0, 0, 0), (0, 0, 1))
    found = verify(plan(pair, rules="reorient", budget=1).plan, pair)
    assert found.valid is None


@pytest.mark.parametrize("planner", ["genetic", "random-permutation", "stability-blind"])
def test_baselines_turn_things_over_too(planner: Planner) -> None:
    corner = blocks((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1))
    planned = plan(corner, rules="reorient", robots=2, planner=planner, budget=200)
    assert planned.status == "complete"
    assert verify(planned.plan, corner).valid


def test_the_whole_may_stand_in_none_of_the_likeliest_ways_to_lie(shared: Path) -> None:
    cubes = load(shared / "compas" / "cubes.json")
    planned = plan(cubes, rules="reorient", robots=2)
    assert planned.status == "complete"
    assert verify(planned.plan, cubes).valid


def on_table(assembly: Assembly, joints: Interfaces, journal: Journal) -> Oracle:
    return Oracle(assembly, joints, journal=journal)


def test_ways_to_lie_that_were_not_tried_prove_nothing() -> None:
    leaning = blocks((0, 0, 0), (0.45, 0, 1), (0.9, 0, 2))
    few = OnTable(leaning, on_table, {}, keep=1)
    few.poses(0b111, 0)
    assert few.left_out(0b111)
    assert not OnTable(leaning, on_table, {}, keep=99).left_out(0b111)
    assert len(few.every_pose(0b111)) > 1


def test_what_could_not_be_removed_waits_while_what_stood_against_it_is_there() -> None:
    """A lintel over two posts, with cubes beside it: the posts are not tried again for every cube that leaves."""
    above = np.eye(4)
    above[2, 3] = 1.0
    cubes = blocks((0, 0, 0), (2, 0, 0), *((4.0 + 1.5 * k, 0.0, 0.0) for k in range(4)))
    lintel = make_part("lintel", box((3.0, 1.0, 1.0)), above)
    assembly = grounded(Assembly((*cubes.parts, lintel)), Ground("table"))
    posts_first = Learned(lambda _assembly, _state, parts: [-float(part) for part in parts])
    planned = plan(assembly, rules="reorient", robots=1, paths="none", selector=posts_first)
    assert planned.status == "complete"
    assert {part for one in planned.refused for part in assembly.named(one.move.parts)} == {"cube-0", "cube-1"}
    assert planned.evaluations == len(assembly.parts) + 2
