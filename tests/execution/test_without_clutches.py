"""Builds among bricks that nothing but contact and friction holds: the same controller, which is told nothing."""

from __future__ import annotations

import pytest

from falsework.execution.building import build
from falsework.execution.running import run_task
from falsework.execution.tiers.tasks import build_task
from falsework.model.errors import BadInput


def test_a_brick_is_pressed_onto_studs_that_collide() -> None:
    done = run_task(build_task(1, 0), by_studs=True)
    assert done.success and done.built.complete
    assert done.scores is not None and done.scores.accuracy == 1.0


def test_physics_are_named_and_only_a_simulated_cell_has_them() -> None:
    with pytest.raises(BadInput, match=r"--physics 'studs'.*stud-colliders"):
        build("examples/duplo-bridge.yaml", physics="studs")
    with pytest.raises(BadInput, match="--physics: only a simulated cell has one"):
        build("examples/duplo-bridge.yaml", physics="stud-colliders", dry_run=True)
