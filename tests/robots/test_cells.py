"""Kinds of cells, where parts wait in them, what they reach, and where their arms are put for an assembly."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import falsework
from falsework import Assembly, box, make_part, new_cell
from falsework.model.arrays import Array
from falsework.model.errors import BadFile, BadInput
from falsework.model.robots.cell import Cell, Feeder
from falsework.robots.cells.coverage import coverage
from falsework.robots.cells.feeding import waiting_places
from falsework.robots.cells.kinds import cell_kinds
from falsework.robots.cells.placing import placed_cell
from falsework.robots.cells.reaching import Worker
from falsework.robots.cells.survey import cell as survey
from falsework.robots.cells.wanted_poses import approaches
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.collision.collisions import blockers, clashes, masks
from falsework.robots.collision.surroundings import Surroundings

EXAMPLES = Path(__file__).parents[2] / "examples"


def at(x: float, y: float, z: float = 0.0) -> Array:
    T = np.eye(4)
    T[:3, 3] = (x, y, z)
    return T


def blocks(count: int = 4, side: float = 0.05, mass_kg: float = 0.1) -> Assembly:
    """A pile of cubes beside each other."""
    parts = [
        make_part(f"b{k}", box((side, side, side)), at(1.02 * side * k, -side / 2), mass_kg=mass_kg)
        for k in range(count)
    ]
    return Assembly(tuple(parts))


def with_feeders(cell: Cell, *feeders: Feeder) -> Cell:
    return dataclasses.replace(cell, feeders=feeders)


@pytest.mark.parametrize("kind", ["panda", "two-panda", "three-irb2600", "two-gofa", "two-gp4", "four-ur10e", "xarm7"])
def test_arms_of_a_new_cell_wait_clear_of_everything_and_reach_its_middle(kind: str) -> None:
    cell = new_cell(kind)
    around = Surroundings.of(cell)
    arms = [ArmBodies(one) for one in cell.arms]
    for arm in arms:
        assert masks(blockers(arm, arm.placed.home[None], around)) == [0]
        for other in arms:
            if other is not arm:
                assert not clashes(arm, arm.placed.home[None], other, other.placed.home[None]).any()
    found = coverage(cell)
    assert found.share > 0.95
    assert found.places.mean(axis=1).min() > 0.5


def test_an_unknown_kind_is_told_with_the_one_that_was_meant() -> None:
    with pytest.raises(BadInput, match="unknown kind of cell 'two-pandas'; did you mean 'two-panda'"):
        new_cell("two-pandas")
    assert new_cell("one-ur5").arms[0].arm.name == "ur5"
    assert "three-irb2600" in cell_kinds()


def test_parts_lie_side_by_side_on_a_tray_as_they_will_be_placed() -> None:
    cell = with_feeders(new_cell("panda"), Feeder("tray", at(0.4, 0.2, 0.01), (0.13, 0.2)))
    places = waiting_places(cell, blocks())
    corners = [places[f"b{k}"][0].T_world_part[:3, 3] for k in range(4)]
    assert corners[0] == pytest.approx([0.4 - 0.065, 0.2 - 0.1, 0.01])
    assert corners[1] == pytest.approx([0.4 - 0.065 + 0.07, 0.2 - 0.1, 0.01])
    assert corners[2] == pytest.approx([0.4 - 0.065, 0.2 - 0.1 + 0.07, 0.01])


def test_a_tray_that_is_full_says_how_many_it_took() -> None:
    cell = with_feeders(new_cell("panda"), Feeder("tray", at(0.4, 0.2), (0.1, 0.12)))
    with pytest.raises(BadInput, match=r"feeder 'tray': no room for part 'b2' after 2 others on 0\.1 × 0\.12 m"):
        waiting_places(cell, blocks())


def test_a_station_shows_every_part_in_its_middle_and_several_may_show_it() -> None:
    stations = [Feeder(name, at(x, 0.3), (0.1, 0.1), "station") for name, x in (("a", 0.3), ("b", -0.3))]
    places = waiting_places(with_feeders(new_cell("panda"), *stations), blocks())
    assert [one.feeder for one in places["b3"]] == ["a", "b"]
    assert places["b3"][0].T_world_part[:3, 3] == pytest.approx([0.275, 0.275, 0.0])


def test_a_part_that_a_feeder_names_comes_from_there_and_must_be_known() -> None:
    own = Feeder("own", at(0.3, 0.3), (0.1, 0.1), "station", parts=("b1",))
    rest = Feeder("rest", at(-0.3, 0.3), (0.5, 0.5))
    places = waiting_places(with_feeders(new_cell("panda"), own, rest), blocks())
    assert places["b1"][0].feeder == "own" and places["b0"][0].feeder == "rest"
    with pytest.raises(BadInput, match="there is no part 'b9'"):
        waiting_places(with_feeders(new_cell("panda"), dataclasses.replace(own, parts=("b9",)), rest), blocks())
    with pytest.raises(BadInput, match="no feeder brings part 'b0'"):
        waiting_places(with_feeders(new_cell("panda"), own), blocks())


def test_a_part_that_lies_stable_lies_on_its_widest_face() -> None:
    slab = make_part("slab", box((0.02, 0.1, 0.1)), at(0, 0))
    tray = Feeder("tray", at(0.4, 0.2), (0.2, 0.2), lie="stable")
    (place,) = waiting_places(with_feeders(new_cell("panda"), tray), Assembly((slab,)))["slab"]
    corners = box((0.02, 0.1, 0.1)).vertices @ place.T_world_part[:3, :3].T + place.T_world_part[:3, 3]
    assert np.ptp(corners[:, 2]) == pytest.approx(0.02, abs=1e-9)
    assert corners[:, 2].min() == pytest.approx(0.0, abs=1e-9)


def test_hands_come_from_outside_and_fingertips_stay_above_the_table() -> None:
    part = blocks(1).parts[0]
    for tool in ("panda-hand", "robotiq-2f-140", "suction", "stud-tool"):
        model = falsework.tool_named(tool)
        poses = approaches(part, part.T_world_part, model)
        assert len(poses) == (4 if tool == "stud-tool" else 36)
        down = poses[0]
        assert down[:3, 2] == pytest.approx([0, 0, -1])
        back = np.linalg.inv(model.T_flange_tool)
        lowest = min((down @ back @ np.append(c, 1.0))[2] for body in model.bodies for c in body.corners_m)
        assert lowest >= (0.0049 if model.kind == "parallel" else 0.0499)


def test_what_a_worker_answers_reaches_the_place_and_touches_nothing() -> None:
    cell = new_cell("two-panda")
    worker = Worker.all_of(cell)[0]
    parts = blocks(3).parts
    wanted = np.array([approaches(part, at(0.1 * k, 0.1, 0.05), worker.placed.tool) for k, part in enumerate(parts)])
    found, counts = worker.positions(wanted, 3)
    assert (counts > 0).all()
    around = Surroundings.of(cell)
    for k in range(3):
        q = found[k, : counts[k]]
        reached = worker.placed.T_world_base @ worker.kinematics.forward(q)
        for T in reached:
            assert np.abs(wanted[k] - T).max(axis=(1, 2)).min() < 1e-6
        assert masks(blockers(worker.bodies, q, around)) == [0] * len(q)
        assert not worker.bodies.touches_itself(q).any()


def test_what_is_too_heavy_is_named_and_not_covered() -> None:
    found = survey(new="panda", assembly=blocks(2, mass_kg=5.0), layouts=20)
    assert found.coverage.too_heavy == ("b0", "b1")
    assert not found.coverage.covered.any()
    assert found.coverage.share > 0.5  # it reaches them all the same


def test_placing_finds_a_cell_that_covers_what_a_bad_one_does_not() -> None:
    thing = blocks(6)
    far = dataclasses.replace(new_cell("panda"), T_world_structure=at(2.0, 0.0), room_m=None, table=None)
    assert coverage(far, thing).places.mean() == 0.0
    placed = placed_cell("panda", thing, layouts=60)
    assert placed.coverage.share == 1.0
    assert placed.coverage.covered.all()
    again = coverage(placed.cell, thing)
    assert again.share == 1.0


def test_the_same_seed_places_the_same_cell_and_another_one_another() -> None:
    thing = blocks(3)
    first, second, third = (
        survey(new="ur5e", assembly=thing, layouts=12, seed=seed).cell.arms[0].T_world_base for seed in (3, 3, 4)
    )
    assert np.array_equal(first, second)
    assert not np.array_equal(first, third)


def test_two_arms_that_stand_apart_can_work_side_by_side() -> None:
    found = survey(new="two-panda", assembly=blocks(6, side=0.06), layouts=15)
    assert found.coverage.side_by_side is not None and found.coverage.side_by_side > 0.5


def test_a_base_inside_a_part_is_refused_by_name() -> None:
    cell = dataclasses.replace(new_cell("panda"), room_m=None, T_world_structure=at(-0.5, 0.0))
    with pytest.raises(BadInput, match="arm 'arm': its base stands inside 'b0'"):
        survey(cell, assembly=blocks(2, side=0.3, mass_kg=1.0))


def test_a_cell_with_a_urdf_arm_is_surveyed_too(tmp_path: Path) -> None:
    text = (EXAMPLES / "desk-arm.urdf").read_text(encoding="utf-8")
    (tmp_path / "mine.urdf").write_text(text, encoding="utf-8")
    bent = text.replace('<origin xyz="0 0 0"/><parent link="roll"/>', '<origin xyz="0.02 0 0"/><parent link="roll"/>')
    (tmp_path / "bent.urdf").write_text(bent, encoding="utf-8")
    for name, form in (("mine", "spherical wrist"), ("bent", "numeric")):
        path = tmp_path / f"{name}.yaml"
        path.write_text(
            f"format: falsework-cell/1\narms: [{{name: a, arm: {name}.urdf, tool: suction, payload: 1}}]\n"
            "structure: {at: [0.3, 0, 0], size: [0.1, 0.1, 0.1]}\ntable: {at: [0, 0, 0], size: [2, 2]}\n"
            "feeders: [{name: tray, at: [0, 0.3, 0], size: [0.1, 0.1]}]\n",
            encoding="utf-8",
        )
        told = survey(path).as_dict()
        assert told["arms"][0]["solved_by"] == form
        assert told["coverage"] > 0.5


def test_a_cell_or_a_kind_must_be_named_and_only_one_of_them() -> None:
    with pytest.raises(BadInput, match="name a file of a cell, or a kind of a new one"):
        survey()
    with pytest.raises(BadInput, match="name a file of a cell, or a kind of a new one"):
        survey(new_cell("panda"), new="panda")
    with pytest.raises(BadFile, match="there is no such file"):
        survey("nowhere.yaml")


def test_two_arms_at_one_base_are_refused() -> None:
    cell = new_cell("two-panda")
    left, right = cell.arms
    both = dataclasses.replace(cell, arms=(left, dataclasses.replace(right, T_world_base=left.T_world_base)))
    with pytest.raises(BadInput, match="arms 'left' and 'right' touch each other where they wait; move a base"):
        survey(both)
    assert survey(cell).coverage.share > 0.5
