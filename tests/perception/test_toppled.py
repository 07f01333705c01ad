"""Bricks on a side or upside down, found by their outline, or not spoken of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from falsework.execution.control.clearing import Thing
from falsework.execution.control.righting import lies
from falsework.execution.eyes import BrickEyes
from falsework.execution.simulated import SimulatedCell
from falsework.execution.tiers.tasks import BuildTask, build_task
from falsework.model.arrays import Array
from falsework.model.perception.findings import Brick
from falsework.model.poses import about
from falsework.model.shapes import BrickShape

TURNS = {
    "on its long side": about(0, 90.0),
    "on its other long side": about(0, -90.0),
    "on an end": about(1, 90.0),
    "upside down": about(0, 180.0),
}


def kind_of(task: BuildTask, name: str) -> Brick:
    part = task.product.parts[task.product.index[name]]
    assert isinstance(part.shape, BrickShape)
    return Brick(part.shape.kind, part.color or "white", np.eye(4))


def tipped(task: BuildTask, name: str, turn: Array, over_m: float = 0.0) -> BuildTask:
    """The task with a brick that lies otherwise, where it lay, so high over the table."""
    brick, T = kind_of(task, name), np.array(task.loose[name])
    size = np.array(brick.kind.size_m)
    far = size + np.array([0.0, 0.0, brick.kind.measures.stud_height_m])
    middle = T[:3, :3] @ (size / 2) + T[:3, 3]
    T[:3, :3] = T[:3, :3] @ turn
    T[:3, 3] = middle - T[:3, :3] @ (size / 2)
    T[2, 3] = over_m - float(np.minimum(T[2, :3] * far, 0.0).sum())
    return replace(task, loose={**task.loose, name: T})


def seen(task: BuildTask, name: str) -> tuple[Brick | None, Array]:
    """What eyes make of it, and where it really is."""
    cell = SimulatedCell(task.cell, task.product, task.loose)
    eyes, at = BrickEyes(task.cell, task.product), task.cell.T_world_structure
    frames = [cell.look(camera.name) for camera in task.cell.cameras if camera.arm is None]
    found = eyes.loose(frames, task.product, at, ()).found
    return eyes.toppled(frames, kind_of(task, name), at, (), found), task.loose[name]


@pytest.mark.parametrize("how", TURNS)
def test_a_brick_that_lies_otherwise_is_found_with_its_studs_where_they_are(how: str) -> None:
    task = tipped(build_task(2, 0, 11), "1", TURNS[how])
    found, T = seen(task, "1")
    assert found is not None
    middle = np.append(np.array(found.kind.size_m) / 2, 1.0)
    assert np.linalg.norm((found.T_base_brick - T) @ middle) < 3e-3
    assert found.T_base_brick[:3, 2] @ T[:3, 2] > np.cos(np.deg2rad(6.0))
    assert abs(found.T_base_brick[:3, 0] @ T[:3, 0]) > np.cos(np.deg2rad(6.0))
    assert lies(found).startswith("upside down" if how == "upside down" else "on a side")


def test_a_brick_that_stands_is_no_toppled_one() -> None:
    found, _ = seen(build_task(2, 0, 11), "1")
    assert found is None


def test_the_axis_that_points_up_is_told_with_its_sign() -> None:
    lying = kind_of(build_task(1, 0), "1")
    for how, expected in (("on its long side", (0, 1, 0)), ("on an end", (-1, 0, 0)), ("upside down", (0, 0, -1))):
        T = np.eye(4)
        T[:3, :3] = TURNS[how]
        assert Thing(replace(lying, T_base_brick=T)).up.tolist() == list(expected)
