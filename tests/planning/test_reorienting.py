"""Seed 001's rules: hands take hold anew for every step, on a table or on a fixed base."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from falsework import gallery, load, plan
from falsework.geometry.solids import make_part
from falsework.model.assembly import Assembly
from falsework.model.shapes import box
from falsework.planning.verify import verify


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
    assert together.status == "infeasible" or order.index("cube-2") < 2
    assert together.status == "infeasible" or verify(together.plan, bridge).valid
    assert together.plan.rules.require_connected


@pytest.mark.parametrize("fixed", [(), ("0",)])
def test_the_published_bottle(shared: Path, fixed: tuple[str, ...]) -> None:
    bottle = load(shared / "blocks" / "tetris-1", fixed=fixed)
    planned = plan(bottle, rules="reorient", robots=2)
    assert planned.status == "complete"
    assert verify(planned.plan, bottle).valid
