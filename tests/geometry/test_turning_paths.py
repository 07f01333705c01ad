"""Ways out on which a part turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from falsework.gallery.stones import cubes, cuboid
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.ways.bent_paths import BentRemovals
from falsework.geometry.ways.removal import StraightRemovals
from falsework.geometry.ways.sliding import nearest
from falsework.geometry.ways.sweeping import is_straight
from falsework.geometry.ways.turning_paths import TurningRemovals
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.planning.plan import plan
from falsework.planning.verification.verify import verify
from tests.geometry.assemblies import at, moved, tilted


def under_a_lip() -> Assembly:
    """A plank in a pit whose mouth is shorter than the plank: one end must come up first."""
    pit = cuboid((0, 0, 0), (10, 3, 8)) - cuboid((1, 1, 1), (9, 2, 5)) - cuboid((3, 1, 5), (9, 2, 8))
    return Assembly((cubes("shell", pit, 0.1), cubes("part", cuboid((1, 1, 1), (8, 2, 2)), 0.1)))


def key_in_a_keyhole() -> Assembly:
    """A key whose bit lies across behind the plate: a quarter turn, then out through the slot."""
    hole = cuboid((8, 4, 8), (12, 6, 12)) | cuboid((8, 4, 12), (12, 6, 17))
    lock = cuboid((0, 0, 0), (20, 6, 20)) - cuboid((2, 1, 2), (18, 4, 18)) - hole
    key = cuboid((9, 1, 9), (11, 9, 11)) | cuboid((11, 1, 9), (16, 3, 11))
    return Assembly((cubes("shell", lock, 0.1), cubes("part", key, 0.1)))


def hook() -> Assembly:
    """A hook in a pit under a shelf: it has to be swung out."""
    pit = cuboid((0, 0, 0), (9, 5, 9)) - cuboid((1, 1, 1), (8, 4, 5)) - cuboid((3, 1, 5), (8, 4, 9))
    part = cuboid((1, 1, 1), (7, 2, 2)) | cuboid((1, 2, 1), (2, 3, 2))
    return Assembly((cubes("shell", pit, 0.1), cubes("part", part, 0.1)))


def fixed(assembly: Assembly, pose: Array) -> Assembly:
    return moved(assembly, pose).changed(fixed=frozenset(["shell"]))


@pytest.mark.parametrize(("thing", "pose"), [(under_a_lip, at()), (hook, tilted(3)), (key_in_a_keyhole, at())])
def test_a_part_that_only_comes_out_by_turning_does(thing: Callable[[], Assembly], pose: Array) -> None:
    assembly = fixed(thing(), pose)
    bent = BentRemovals(StraightRemovals(assembly, interfaces(assembly)))
    assert not bent.leaves(2, 3)
    removals = TurningRemovals(bent)
    path = removals.path(2, 3)
    assert path is not None and removals.leaves(2, 3)
    assert np.array_equal(path[-1], assembly.poses[1])
    assert any(not is_straight(start, end) for start, end in pairwise(path))
    assert np.array_equal(path, TurningRemovals(bent).path(2, 3))  # the same every time


def test_what_leaves_straight_is_not_turned() -> None:
    pit = cuboid((0, 0, 0), (5, 5, 5)) - cuboid((1, 1, 1), (4, 4, 5))
    assembly = Assembly(
        (cubes("shell", pit, 0.1), cubes("part", cuboid((1, 1, 1), (4, 4, 2)), 0.1)), fixed=frozenset(["shell"])
    )
    straight = StraightRemovals(assembly, interfaces(assembly))
    path = TurningRemovals(BentRemovals(straight)).path(2, 3)
    assert path is not None and np.array_equal(path, straight.path(2, 3))


def test_a_part_shut_in_on_all_sides_stays() -> None:
    shell = cuboid((0, 0, 0), (5, 5, 5)) - cuboid((1, 1, 1), (3, 4, 4))
    parts = (cubes("shell", shell, 0.1), cubes("part", cuboid((1, 1, 1), (3, 4, 4)), 0.1))
    assembly = Assembly(parts, fixed=frozenset(["shell"]))
    removals = TurningRemovals(BentRemovals(StraightRemovals(assembly, interfaces(assembly))))
    assert not removals.leaves(2, 3) and removals.path(2, 3) is None


def test_the_plan_that_turns_a_part_is_verified_and_a_spoiled_one_refused() -> None:
    box = fixed(hook(), at())
    assert plan(box, robots=1).status == "infeasible"
    turned = plan(box, robots=1, paths="any")
    assert turned.status == "complete"
    assert verify(turned.plan, box).failures == ()
    step = turned.plan.steps[0]
    assert step.path is not None
    assert verify(replace(turned.plan, rules=replace(turned.plan.rules, paths="straight")), box).valid is False
    middle = len(step.path) // 2
    lower = step.path.copy()
    lower[middle, :3, 3] -= (0, 0, 0.3)  # into the floor of the pit
    short = step.path[[0, -1]]  # through the shelf
    for spoiled in (lower, short):
        steps = (replace(step, path=spoiled), *turned.plan.steps[1:])
        found = verify(replace(turned.plan, steps=steps), box)
        assert found.valid is False and found.failures[0].step == 1 and "shell" in found.failures[0].why


def test_the_nearest_twist_that_keeps_out_is_the_projection() -> None:
    """Pressed onto a floor it slides; into a corner it stays; two floors that face each other leave nothing."""
    down_and_along = np.array([1.0, 0, -1, 0, 0, 0])
    floor, wall, ceiling = np.eye(6)[[2]], -np.eye(6)[[0]], -np.eye(6)[[2]]
    assert nearest(down_and_along, floor, np.zeros(1)) == pytest.approx([1, 0, 0, 0, 0, 0])
    assert nearest(down_and_along, np.concatenate([floor, wall]), np.zeros(2)) == pytest.approx(np.zeros(6))
    assert nearest(down_and_along, np.concatenate([floor, ceiling]), np.full(2, 0.1)) is None
    assert nearest(-down_and_along, floor, np.zeros(1)) == pytest.approx(-down_and_along)
