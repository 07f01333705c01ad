"""`cell`: a cell from a file, or made for an assembly, and what it reaches."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from falsework.formats.opening import READING, Reading, Source, opened
from falsework.formats.robots.cell_reading import load_cell
from falsework.geometry.contacts.ground import bounds_m
from falsework.geometry.shapes.studs import reach_in_world
from falsework.lazy import upstairs
from falsework.model.answers import NotTrueOrFalse
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadFile, BadInput, shown
from falsework.model.poses import inverse
from falsework.model.robots.cell import Cell, Rotary
from falsework.model.verbs import verb
from falsework.robots.cells.coverage import Coverage, coverage
from falsework.robots.cells.kinds import new_cell
from falsework.robots.cells.placing import LAYOUTS, placed_cell
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.collision.collisions import blockers, clashes, masks, names_of
from falsework.robots.collision.surroundings import Surroundings
from falsework.robots.kinematics.kinematics import Kinematics

ROUNDING_M = 1e-6
UPRIGHT_RAD, LEVEL_M = 1e-3, 5e-4  # by which a structure may be tilted, and off the table's face


@dataclass(frozen=True, slots=True, eq=False)
class SurveyedCell(NotTrueOrFalse):
    """A cell and what it reaches: of an assembly, or of the room for one.

    >>> cell(new="panda").as_dict()["arms"][0]["kind"]
    'panda'
    """

    ASK_INSTEAD = ".coverage.share"

    cell: Cell
    coverage: Coverage
    layouts: int = 0  # that were tried, where it was placed for an assembly

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        arms = [
            {
                "name": one.name,
                "kind": one.arm.name,
                "reach_m": one.arm.reach_m,
                "payload_kg": one.arm.payload_kg,
                "joints": len(one.arm.joints),
                "tool": one.tool.name,
                "base_m": one.T_world_base[:3, 3].tolist(),
                "solved_by": Kinematics(one.arm, one.tool).form,
                "places": float(self.coverage.places[number].mean()),
                "feeders": float(self.coverage.feeders[number].mean()),
                "unverified": list(one.arm.unverified),
            }
            for number, one in enumerate(self.cell.arms)
        ]
        return {
            "name": self.cell.name,
            "arms": arms,
            "feeders": [{"name": one.name, "kind": one.kind, "lie": one.lie} for one in self.cell.feeders],
            "coverage": self.coverage.share,
            "covers": self.coverage.as_dict(),
            "layouts": self.layouts,
        }


@verb(*READING)
def cell(
    source: str | Path | Cell | None = None,
    *,
    new: str | None = None,
    assembly: Source | None = None,
    layouts: int = LAYOUTS,
    seed: int = 0,
    **reading: Unpack[Reading],
) -> SurveyedCell:
    """A cell and what it reaches: one in a file, or a new one of a kind, such as "two-panda".

    With an assembly, of that: shares of parts that arms take up and place. A new cell is then placed for it: bases and
    feeders are chosen by coverage over so many layouts, drawn with the seed. The further options are those of `load`,
    for the assembly.

    >>> found = cell(new="two-panda")
    >>> [one.name for one in found.cell.arms], found.coverage.share > 0.9
    (['left', 'right'], True)
    """
    if (source is None) == (new is None):
        raise BadInput("name a file of a cell, or a kind of a new one: one of them")
    thing = None if assembly is None else opened(assembly, reading)
    if new is not None:
        if thing is None:
            made = new_cell(new)
            return SurveyedCell(made, coverage(made))
        rng, judge = np.random.default_rng(seed), upstairs("judge_of")(thing)
        placed = placed_cell(new, thing, layouts=layouts, rng=rng, judge=judge)
        return SurveyedCell(placed.cell, placed.coverage, layouts)
    assert source is not None
    found = source if isinstance(source, Cell) else load_cell(source)
    try:
        refuse_crowded(found, thing)
        return SurveyedCell(found, coverage(found, thing))
    except BadFile:
        raise
    except BadInput as why:
        raise why if isinstance(source, Cell) else BadFile(source, "", str(why)) from why


def refuse_crowded(cell: Cell, assembly: Assembly | None) -> None:
    """BadInput where a base stands inside a part or an obstacle, or an arm cannot wait where it should.

    And where the structure is tilted, or does not stand on the table; where a turntable is not below what it turns, or
    what stands on a table is to be bolted to a plate.
    """
    if assembly is not None and cell.rotary is not None:
        _refuse_beside(cell.rotary, cell.T_world_structure, assembly)
        if cell.rotary.tilt is not None and assembly.ground.kind == "table":
            why = "the structure stands on a table, and the plate of a positioner is none"
            raise BadInput(f"rotary: {why}; say which of its parts are fixed, or use a turntable that does not tilt")
    if assembly is not None:
        _refuse_askew(cell, assembly)
    around = Surroundings.of(cell, assembly)
    for one in cell.arms:
        bodies = ArmBodies(one)
        feet = np.flatnonzero(bodies.bodies.link == 0).astype(np.int64)
        (standing,) = masks(blockers(bodies, one.home[None], around, 1e-6, feet))
        if standing:
            name = names_of(standing, around)[0]
            raise BadInput(f"arm {shown(one.name)}: its base stands inside {shown(name)}; move one of them")
        if bodies.touches_itself(one.home[None])[0]:
            raise BadInput(f"arm {shown(one.name)}: it touches itself where it waits; choose another home")
    for one, other in combinations(cell.arms, 2):
        if clashes(ArmBodies(one), one.home[None], ArmBodies(other), other.home[None], 1e-6).any():
            who = f"arms {shown(one.name)} and {shown(other.name)}"
            raise BadInput(f"{who} touch each other where they wait; move a base, or choose another home")


def _refuse_askew(cell: Cell, assembly: Assembly) -> None:
    """Plans are proved for gravity as the assembly has it, and for a table under it."""
    T, pull = cell.T_world_structure, assembly.gravity
    weight = float(np.linalg.norm(pull))
    off = math.acos(max(-1.0, min(1.0, -float((T[:3, :3] @ pull)[2]) / weight))) if weight > 0 else 0.0
    if off > UPRIGHT_RAD:
        raise BadInput(
            f"structure: it is tilted by {math.degrees(off):.3g} degrees, and gravity is not; set it upright"
        )
    ground = assembly.ground_part
    if cell.table is None or ground is None or assembly.ground.kind != "table":
        return
    above = float((reach_in_world(ground) @ T[:3, :3].T + T[:3, 3])[:, 2].max()) - cell.table.top_m[2]
    if abs(above) > LEVEL_M:
        side = "above" if above > 0 else "below"
        raise BadInput(f"structure: it stands {1e3 * abs(above):.3g} mm {side} the table; move one of them")


def _refuse_beside(rotary: Rotary, T_world_structure: Array, assembly: Assembly) -> None:
    low, high = bounds_m(assembly)
    back = inverse(T_world_structure)
    middle = (back[:3, :3] @ np.array(rotary.centre_m) + back[:3, 3])[:2]
    far = float(np.linalg.norm(np.maximum(np.maximum(low[:2] - middle, middle - high[:2]), 0.0)))
    if far > ROUNDING_M:
        raise BadInput(f"rotary: its middle is {far:.3g} m beside the structure; a turntable turns what stands on it")
