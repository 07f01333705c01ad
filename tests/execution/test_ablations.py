"""Every part of the controller that can be left out: what is no longer done then."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
import pytest

from falsework.brickworld.settings import JoinRules
from falsework.execution.control.builder import Builder, Built
from falsework.execution.control.settings import ABLATIONS, ControlSettings
from falsework.execution.eyes import BrickEyes
from falsework.execution.journal import Journal
from falsework.execution.simulated import SimulatedCell
from falsework.execution.tiers.chances import Chances
from falsework.execution.tiers.tasks import BuildTask, build_task, building_cell, on_plate
from falsework.gallery.bricklaying import Layout
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.perception.findings import Sight
from falsework.model.perception.frames import Frame
from falsework.planning.plan import plan

OFF_M = 3e-3


class Squinting(BrickEyes):
    """Sees every loose brick a little beside where it lies, both ways: fingers put one of them right."""

    def loose(
        self, frames: Sequence[Frame], product: Assembly, T_world_structure: Array, standing: Collection[str]
    ) -> Sight:
        sight = super().loose(frames, product, T_world_structure, standing)
        moved = []
        for one in sight.found:
            T = np.array(one.T_base_brick)
            T[:3, 3] += OFF_M * (T[:3, 0] + T[:3, 1])
            moved.append(replace(one, T_base_brick=T))
        return replace(sight, found=tuple(moved))


class Numb(SimulatedCell):
    """A cell whose fingers say that they hold nothing."""

    def grip(self, arm: str, width_m: float, force_n: float) -> bool:
        super().grip(arm, width_m, force_n)
        return False

    def holds(self, arm: str, width_m: float) -> bool:
        return False


def one_brick() -> BuildTask:
    return build_task(1, 0)


def built(
    task: BuildTask, *ablated: str, cell: type[SimulatedCell] = SimulatedCell, eyes: type[BrickEyes] = BrickEyes
) -> tuple[Built, Journal]:
    chances, journal = Chances.of(task), Journal()
    world = cell(
        task.cell, task.product, task.loose, settings=chances.world(JoinRules()), noise=chances.noise,
        light=chances.light, friction=chances.friction, seed=chances.seed,
    )  # fmt: skip
    settings = ControlSettings().without(*ablated)
    return Builder(world, eyes(task.cell, task.product), task.product, settings, journal).build(), journal


def events(journal: Journal) -> list[str]:
    return [line["event"] for line in journal.lines]


def test_with_nothing_left_out_a_brick_is_pressed_twice_looked_at_in_the_hand_and_in_its_place() -> None:
    done, journal = built(one_brick())
    assert done.complete
    assert [line.get("top", False) for line in journal.of("pressed")] == [False, True]
    assert len(list(journal.of("in hand"))) == 1
    assert done.planning_s == pytest.approx(1.0 + 3 * 0.25)  # a plan, and looks: for it, in the hand, at the end


def test_without_the_press_check_nothing_is_felt_and_nothing_pressed_from_above() -> None:
    done, journal = built(one_brick(), "press-check")
    assert "pressed" not in events(journal) and done.complete


def test_without_verification_nobody_looks_whether_it_stands() -> None:
    done, _ = built(one_brick(), "verification")
    assert done.planning_s == pytest.approx(1.0 + 2 * 0.25)


def test_without_verification_the_hand_is_out_of_the_way_of_the_next_look() -> None:
    done, journal = built(build_task(2, 0, 1), "verification")
    assert done.complete and "useless" not in events(journal)


def test_without_the_wrist_view_nobody_looks_into_the_hand() -> None:
    _, journal = built(one_brick(), "wrist-view")
    assert "in hand" not in events(journal)


def test_a_brick_that_was_seen_beside_itself_is_found_so_in_the_hand() -> None:
    """By a camera that is as far off its mounting each time: what differs is the brick's."""
    _, well = built(one_brick())
    _, squinting = built(one_brick(), eyes=Squinting)
    (there,), (beside,) = well.of("in hand"), squinting.of("in hand")
    assert abs(beside["seen_m"] - there["seen_m"]) == pytest.approx(OFF_M, abs=3e-4)


def test_without_the_grasp_check_fingers_that_hold_nothing_are_believed() -> None:
    _, checked = built(one_brick(), "replanning", cell=Numb)
    assert {line["kind"] for line in checked.of("trouble")} >= {"closure"}
    _, journal = built(one_brick(), "grasp-check", cell=Numb)
    assert not any(line["kind"] == "closure" for line in journal.of("trouble"))


def reaching_out() -> Assembly:
    """The last brick is pressed beside all that stands on the plate; the joints below it bear that."""
    layout = Layout("duplo")
    layout.piece("brick_4x2", 0, 0, 0)
    layout.piece("brick_4x2", 2, 0, layout.measures.plates_per_brick)
    layout.piece("brick_2x2", 4, 0, 2 * layout.measures.plates_per_brick)
    return on_plate(layout.on_baseplate())


def test_without_forces_a_press_beside_the_support_polygon_is_refused() -> None:
    product, cell = reaching_out(), building_cell()
    assert plan(product, rules="bricks", grasps="side", groups=False).status == "complete"
    loose = {part.name: part.T_world_part for part in product.parts}
    builder = Builder(
        SimulatedCell(cell, product, loose), BrickEyes(cell, product), product, ControlSettings().without("forces")
    )
    done = builder.build()
    assert [one.kind for one in done.failures] == ["no plan"]


def test_every_ablation_changes_a_setting_of_its_own() -> None:
    usual = ControlSettings()
    changed = {name: usual.without(name) for name in ABLATIONS}
    assert len({repr(one) for one in changed.values()} | {repr(usual)}) == len(ABLATIONS) + 1
