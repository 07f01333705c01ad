"""Where arms of a cell made to order wait: where their kind does, unless the structure will be there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from falsework.model.assembly import Assembly
from falsework.model.robots.cell import Cell, CellArm
from falsework.model.robots.limits import JointLimits
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.collision.collisions import blockers, clashes
from falsework.robots.keyframes.site import Site

TURNS_DEG = (60, -60, 90, -90, 120, -120, 180)  # of the first joint, from where the kind waits


def with_free_homes(cell: Cell, assembly: Assembly) -> Cell:
    """Arms that would wait inside the structure, or in what waits for them, are turned away from it.

    Where no turn helps, an arm stays as it is, and whoever plans with it is told.

    >>> from falsework import load, new_cell
    >>> cell = new_cell("two-panda")
    >>> with_free_homes(cell, load("examples/bridge.txt")).arms[0] is cell.arms[0]
    True
    """
    site, arms = Site(cell, assembly), list(cell.arms)
    for number, one in enumerate(arms):
        others = [other for other in arms if other is not one]
        arms[number] = next((turned for turned in _turned(one) if _is_free(turned, site, others)), one)
    return replace(cell, arms=tuple(arms))


def _turned(one: CellArm) -> Iterator[CellArm]:
    yield one
    limits = JointLimits.of(one.arm)
    for turn in np.radians(TURNS_DEG):
        home = np.array(one.home)
        home[0] += turn
        if limits.lower[0] <= home[0] <= limits.upper[0]:
            yield replace(one, home=home)


def _is_free(one: CellArm, site: Site, others: list[CellArm]) -> bool:
    if blockers(ArmBodies(one), one.home[None], site.around).any():
        return False
    return not any(clashes(ArmBodies(one), one.home[None], ArmBodies(it), it.home[None]).any() for it in others)
