"""A cell for laying bricks: trays on which hands find room beside every brick, near enough for every arm that serves.

Trays of cells made to order (`cell_kinds`) have gaps of 20 mm: enough to tell bricks apart, too narrow for fingers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from falsework.formats.robots.cell_reading import load_cell
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.robots.cell import Cell, CellArm
from falsework.robots.brickcell.brick_holds import ROOMS_M
from falsework.robots.cells.feeding import waiting_places
from falsework.robots.cells.kinds import is_kind, new_cell

SPARE_M = 0.012  # of a gap, beyond what fingers need: bricks do not lie where they should
STEP_M = 0.01
WIDEST_M = 0.6  # of a tray
ASIDE = 0.42  # of the reach: how far the middle of a tray is from an arm's base, and from the structure


def cell_to_lay(given: str | Path, assembly: Assembly) -> Cell:
    """The cell of a file, or one made for an assembly where a kind is given: `panda`, `two-panda`."""
    if is_kind(given):
        return laying_cell(str(given), assembly)
    return load_cell(given)


def laying_cell(kind: str, assembly: Assembly) -> Cell:
    """A cell of a kind with its structure's middle at the origin, and trays for the bricks of an assembly.

    >>> import falsework
    >>> cell = laying_cell("panda", falsework.new("duplo-stack"))
    >>> cell.feeders[0].gap_m > 0.025
    True
    """
    cell = new_cell(kind)
    middle = np.eye(4)
    points = assembly.poses[: len(assembly.parts), :3, 3]
    middle[:2, 3] = -np.round((points.min(axis=0) + points.max(axis=0))[:2] / 2, 3)
    gap = max(_thickness(one) for one in cell.arms) + 2 * ROOMS_M[1] + SPARE_M
    shares = _shares(cell.arms, assembly, middle)
    for side in np.arange(0.1, WIDEST_M, STEP_M):
        feeders = tuple(
            replace(one, T_world_feeder=_beside(arm), size_m=(float(side), float(side)), gap_m=gap, parts=parts)
            for one, arm, parts in zip(cell.feeders, cell.arms, shares, strict=False)
        )
        made = replace(cell, feeders=feeders, T_world_structure=middle, room_m=None)
        try:
            waiting_places(made, assembly)
        except BadInput:
            continue  # too small
        return made
    raise BadInput(f"the bricks do not fit on trays of {WIDEST_M} m; give a cell with more feeders")


def _shares(arms: Sequence[CellArm], assembly: Assembly, T_world_structure: Array) -> list[tuple[str, ...]]:
    """Which bricks lie on the tray of each arm: those whose places are nearest to its base.

    A tray beside one arm is hardly within another's reach, so who brings a brick is settled by where it lies. What is
    as near to several comes from the tray that has the fewest.
    """
    shares: list[list[str]] = [[] for _ in arms]
    bases = np.array([one.T_world_base[:3, 3] for one in arms])
    for part in assembly.parts:
        if part.name not in assembly.fixed:
            place = (T_world_structure @ np.append(part.com_world_m, 1.0))[:3]
            far = np.round(np.linalg.norm(bases - place, axis=1), 3)
            min(zip(far.tolist(), map(len, shares), shares, strict=True), key=lambda one: one[:2])[2].append(part.name)
    return [tuple(names) for names in shares]


def _thickness(one: CellArm) -> float:
    """Of a finger, across, where it is at its thickest."""
    across = one.tool.T_flange_tool[:3, 1]
    return max((float(np.ptp(body.corners_m @ across)) for body in one.tool.bodies if body.travel.any()), default=0.0)


def _beside(one: CellArm) -> Array:
    """(4, 4) to the left of the arm as it looks, a little in front of it, level."""
    T = np.eye(4)
    ahead, left = one.T_world_base[:3, 0], one.T_world_base[:3, 1]
    reach = one.arm.reach_m or 1.0
    T[:3, 3] = np.round(one.T_world_base[:3, 3] + ASIDE * reach * (0.75 * ahead + 0.85 * left), 3)
    T[2, 3] = one.T_world_base[2, 3]
    return T
