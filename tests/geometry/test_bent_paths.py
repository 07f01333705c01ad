"""Ways out with bends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from falsework.gallery.stones import cubes, cuboid
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.ways.bent_paths import BentRemovals
from falsework.geometry.ways.removal import StraightRemovals
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.planning.plan import plan
from falsework.planning.verification.verify import verify
from tests.geometry.assemblies import at, moved, tilted


def drawer() -> Assembly:
    """A block on the floor of a closed box that is open above its far half only: along, then up."""
    shell = cuboid((0, 0, 0), (8, 4, 5)) - cuboid((1, 1, 1), (7, 3, 4)) - cuboid((4, 1, 4), (7, 3, 5))
    block = cuboid((1, 1, 1), (3, 3, 3))
    return Assembly((cubes("shell", shell, 0.1), cubes("block", block, 0.1)), fixed=frozenset(["shell"]))


def chimney() -> Assembly:
    """Along, up and along again: the way out has two bends."""
    tunnel = cuboid((1, 1, 1), (6, 2, 2)) | cuboid((5, 1, 1), (6, 2, 6)) | cuboid((5, 1, 5), (9, 2, 6))
    shell = cuboid((0, 0, 0), (9, 3, 7)) - tunnel
    block = cuboid((1, 1, 1), (2, 2, 2))
    return Assembly((cubes("shell", shell, 0.1), cubes("block", block, 0.1)), fixed=frozenset(["shell"]))


def oracle(assembly: Assembly) -> BentRemovals:
    return BentRemovals(StraightRemovals(assembly, interfaces(assembly)))


@pytest.mark.parametrize(("thing", "bends"), [(drawer, 1), (chimney, 2)])
@pytest.mark.parametrize("pose", [at(), tilted(6)], ids=["straight", "turned"])
def test_a_block_finds_its_way_round_corners(thing: Callable[[], Assembly], bends: int, pose: Array) -> None:
    assembly = moved(thing(), pose).changed(fixed=frozenset(["shell"]))
    removals = oracle(assembly)
    assert len(removals.directions(2, 3)) == 0
    path = removals.path(2, 3)
    assert path is not None and len(path) >= 2 + bends
    assert np.array_equal(path[-1], assembly.poses[1])


def test_a_closed_box_lets_nothing_out() -> None:
    shell = cuboid((0, 0, 0), (5, 5, 5)) - cuboid((1, 1, 1), (4, 4, 4))
    parts = (cubes("shell", shell, 0.1), cubes("block", cuboid((1, 1, 1), (2, 2, 2)), 0.1))
    removals = oracle(Assembly(parts, fixed=frozenset(["shell"])))
    assert not removals.leaves(2, 3) and removals.path(2, 3) is None


def test_the_plan_with_bends_is_verified_and_without_there_is_none() -> None:
    box = drawer()
    assert plan(box, robots=1).status == "infeasible"
    bent = plan(box, robots=1, paths="any")
    assert bent.status == "complete"
    found = verify(bent.plan, box)
    assert found.failures == ()
    step = bent.plan.steps[0]
    assert step.path is not None and len(step.path) >= 3
    short = step.path[[0, -1]]  # straight through the shell
    spoiled = replace(bent.plan, steps=(replace(step, path=short), *bent.plan.steps[1:]))
    assert verify(spoiled, box).valid is False
