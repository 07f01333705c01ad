"""Disruptions: drawn alike for the same seed, done to the world alone, noticed, and answered or refused."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
import pytest

from falsework.brickworld.by_hand import put, shift_plate
from falsework.brickworld.world import World
from falsework.execution.building import building_task
from falsework.execution.control.belief import Belief
from falsework.execution.control.builder import Builder
from falsework.execution.control.looking import LOOKS, Looking
from falsework.execution.control.settings import ControlSettings
from falsework.execution.disrupting import ADDED, DisruptedCell
from falsework.execution.eyes import BrickEyes
from falsework.execution.facade import Stopped
from falsework.execution.journal import Journal
from falsework.execution.running import run_task
from falsework.execution.simulated import SimulatedCell, truth_of
from falsework.execution.tiers.disruptions import KINDS, Disruption, drawn
from falsework.execution.tiers.tasks import build_task
from falsework.gallery.bricklaying import Layout
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.perception.findings import Sight
from falsework.model.perception.frames import Frame


def test_the_same_task_gets_the_same_disruption_and_unknown_ones_are_named() -> None:
    task = build_task(2, 0)
    for kind in KINDS:
        first, second = drawn(kind, task, 3), drawn(kind, task, 3)
        assert first == second and first.at_s >= 0
    with pytest.raises(BadInput, match=r"disruption 'arm-lots'.*arm-lost"):
        drawn("arm-lots", task)


def test_a_brick_that_is_missing_is_named_and_the_build_refused() -> None:
    done = run_task(build_task(1, 0), ControlSettings(patience_s=0.0), disruption=Disruption("brick-missing", 0.0, "1"))
    assert not done.scores.success and not done.built.complete
    assert {one.kind for one in done.built.failures} == {"perception"}
    assert " is seen" in done.built.failures[0].words


def test_a_brick_below_which_nothing_is_felt_is_put_back_and_what_stands_is_looked_at() -> None:
    """The first brick is taken away while the hand goes for the second."""
    layout = Layout("duplo")
    for layer in range(2):
        layout.piece("brick_2x2", 0, 0, layer * layout.measures.plates_per_brick, color=("red", "blue")[layer])
    task = building_task(layout.on_baseplate(), "panda", 0)
    done = run_task(task, disruption=Disruption("brick-taken", 14.5, "1"))
    assert done.scores.success
    assert [(one.brick, one.kind) for one in done.built.failures] == [("2", "unsupported")]


def test_a_brick_more_is_out_of_sight_until_it_is_brought_to_a_tray() -> None:
    task = build_task(1, 0)
    cell = DisruptedCell(task, Disruption("brick-added", 0.1, "1"))
    assert cell._world.T_world_part(ADDED)[0, 3] > 1.0
    cell.pause(0.3)
    (feeder,) = task.cell.feeders
    at = np.linalg.inv(feeder.T_world_feeder) @ cell._world.T_world_part(ADDED)
    assert (np.abs(at[:2, 3]) < np.array(feeder.size_m) / 2).all()


def test_a_plate_that_is_moved_takes_what_stands_on_it_along_and_the_referee_knows() -> None:
    task = build_task(1, 0)
    cell = DisruptedCell(task, Disruption("plate-moved", 0.05, "1"))
    before = cell._scene().plate
    cell.pause(0.1)
    after = cell._scene().plate
    assert before is not None and after is not None
    shift = after.T_base_brick[:3, 3] - before.T_base_brick[:3, 3]
    assert np.allclose(shift, (3e-3, 0, 0), atol=1e-9)
    moved = truth_of(cell, task.cell).T_world_structure[:3, 3] - task.cell.T_world_structure[:3, 3]
    assert np.allclose(moved, shift, atol=1e-9)


def seen_from(*cameras: tuple[float, float]) -> Sight:
    poses = np.array([np.eye(4)] * len(cameras))
    poses[:, :2, 3] = cameras
    return Sight((), (), poses, (True,) * len(cameras))


def test_a_plate_has_moved_where_all_cameras_say_so_and_one_camera_alone_was_pushed() -> None:
    task = build_task(1, 0)
    cell = SimulatedCell(task.cell, task.product, task.loose)
    looking = Looking(cell, BrickEyes(task.cell, task.product), task.product, ControlSettings(), Journal())
    before = np.array(looking.belief.T_world_structure)
    assert not looking._plate_has_moved(seen_from((0.0, 0.0), (0.3, 0.0)))
    assert not looking._plate_has_moved(seen_from((0.003, 0.0), (0.3, 0.0)))
    assert not looking._plate_has_moved(seen_from((0.0002, 0.0), (0.3, 0.0002)))
    assert not looking._plate_has_moved(seen_from((-0.003, 0.0), (0.3, 0.0)))
    assert looking._plate_has_moved(seen_from((-0.003, 0.0), (0.297, 0.0)))
    assert np.allclose(looking.belief.T_world_structure[:3, 3] - before[:3, 3], (0.003, 0.0, 0.0))


def test_each_camera_may_take_some_of_a_plates_shift_for_a_tilt_of_its_own() -> None:
    """As measured, of a plate pushed by 0.8 and 2.9 mm: one says 1.1 and 3.6 mm, the other 0.4 and 2.3."""
    task = build_task(1, 0)
    cell = SimulatedCell(task.cell, task.product, task.loose)
    looking = Looking(cell, BrickEyes(task.cell, task.product), task.product, ControlSettings(), Journal())
    looking._plate_has_moved(seen_from((0.0, 0.0), (0.3, 0.0)))
    before = looking.belief.T_world_structure
    assert looking._plate_has_moved(seen_from((0.00113, 0.00355), (0.30042, 0.00228)))
    moved = (looking.belief.T_world_structure - before)[:2, 3]
    assert np.abs(moved - [-0.00077, -0.0029]).max() < 2e-4


def test_a_brick_that_is_taken_out_leaves_the_others_joined() -> None:
    layout = Layout("duplo")
    for layer in range(3):
        layout.piece("brick_2x2", 0, 0, layer * layout.measures.plates_per_brick, color="red")
    world = World(layout.on_baseplate())
    before = len(world.connections)
    away = np.eye(4)
    away[:3, 3] = (0.5, 0.5, 0.0)
    put(world, "3", away)
    assert len(world.connections) == before - 1
    assert np.allclose(world.poses()[world.number("3")], away)
    with pytest.raises(BadInput, match="fixed"):
        put(world, world.assembly.bodies[-1].name, away)


def test_what_stands_is_not_looked_for_again() -> None:
    task = build_task(2, 0)
    name = task.product.parts[0].name
    goal = task.cell.T_world_structure @ task.product.parts[0].T_world_part
    cell = SimulatedCell(task.cell, task.product, {**task.loose, name: goal})
    eyes = BrickEyes(task.cell, task.product)
    frames = [cell.look(camera.name) for camera in task.cell.cameras]
    at = task.cell.T_world_structure
    every = eyes.loose(frames, task.product, at, ())
    others = eyes.loose(frames, task.product, at, {name})
    assert len(others.found) == len(every.found) - 1 == len(task.product.parts) - 1
    belief = replace(Belief(task.product, at), placed=frozenset({name}))
    assert len(belief.not_placed(every.found)) == len(others.found)


class Blinking(BrickEyes):
    """Pictures of no use, for so many looks."""

    looks = 2

    def loose(
        self, frames: Sequence[Frame], product: Assembly, T_world_structure: Array, standing: Collection[str]
    ) -> Sight:
        self.looks -= 1
        if self.looks >= 0:
            raise BadInput("no plate is seen where it should be: 98% of the pixels there show the table")
        return seen_from((0.0, 0.0))


@pytest.mark.parametrize(("looks", "comes"), [(2, True), (99, False)])
def test_pictures_of_no_use_are_taken_again_and_then_the_build_stops_with_the_reason(looks: int, comes: bool) -> None:
    task = build_task(1, 0)
    cell = SimulatedCell(task.cell, task.product, task.loose)
    eyes, journal = Blinking(task.cell, task.product), Journal()
    eyes.looks = looks
    looking = Looking(cell, eyes, task.product, ControlSettings(), journal)
    if comes:
        looking._see()
    else:
        with pytest.raises(Stopped, match="pictures are of no use: no plate is seen where it should be"):
            looking._see()
    assert len(list(journal.of("useless"))) == min(looks, LOOKS)


def test_a_plate_that_is_gone_ends_the_build_and_no_exception_does() -> None:
    task = build_task(1, 0)
    cell = SimulatedCell(task.cell, task.product, task.loose)
    shift_plate(cell._world.world, np.array([0.0, 0.3, 0.0]))
    built = Builder(cell, BrickEyes(task.cell, task.product), task.product).build()
    assert not built.complete and built.failures[-1].kind == "stopped"
    assert "pictures are of no use: no plate is seen where it should be" in built.failures[-1].words
