"""Arms that build: how they move, what they touch, where they should stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from falsework.lazy import exports

if TYPE_CHECKING:
    from falsework.robots.brickcell.building import Built as Built
    from falsework.robots.brickcell.building import Chance as Chance
    from falsework.robots.brickcell.building import build_with_arms as build_with_arms
    from falsework.robots.brickcell.cell_world import ArmReading as ArmReading
    from falsework.robots.brickcell.cell_world import CellWorld as CellWorld
    from falsework.robots.brickcell.cell_world import PressDone as PressDone
    from falsework.robots.brickcell.driver import BrickCellDriver as BrickCellDriver
    from falsework.robots.brickcell.episodes import Episodes as Episodes
    from falsework.robots.brickcell.joining import JoinedInAir as JoinedInAir
    from falsework.robots.brickcell.joining import join_in_air as join_in_air
    from falsework.robots.brickcell.laying_cell import laying_cell as laying_cell
    from falsework.robots.brickcell.mason import Errors as Errors
    from falsework.robots.brickcell.mason import Mason as Mason
    from falsework.robots.brickcell.teleoperation import Teleoperation as Teleoperation
    from falsework.robots.cells.coverage import Coverage as Coverage
    from falsework.robots.cells.coverage import coverage as coverage
    from falsework.robots.cells.feeding import waiting_places as waiting_places
    from falsework.robots.cells.kinds import cell_kinds as cell_kinds
    from falsework.robots.cells.kinds import new_cell as new_cell
    from falsework.robots.cells.placing import placed_cell as placed_cell
    from falsework.robots.cells.reaching import Worker as Worker
    from falsework.robots.cells.survey import SurveyedCell as SurveyedCell
    from falsework.robots.cells.survey import cell as cell
    from falsework.robots.collision.arm_bodies import ArmBodies as ArmBodies
    from falsework.robots.collision.collisions import blockers as blockers
    from falsework.robots.collision.collisions import clashes as clashes
    from falsework.robots.collision.collisions import clearances as clearances
    from falsework.robots.collision.collisions import masks as masks
    from falsework.robots.collision.collisions import swept_blockers as swept_blockers
    from falsework.robots.collision.collisions import swept_clash as swept_clash
    from falsework.robots.collision.collisions import swept_self as swept_self
    from falsework.robots.collision.surroundings import Surroundings as Surroundings
    from falsework.robots.kinematics.kinematics import Kinematics as Kinematics

__all__, __getattr__, __dir__ = exports(
    __name__,
    {
        "brickcell.building": "Built Chance build_with_arms",
        "brickcell.cell_world": "ArmReading CellWorld PressDone",
        "brickcell.driver": "BrickCellDriver",
        "brickcell.episodes": "Episodes",
        "brickcell.joining": "JoinedInAir join_in_air",
        "brickcell.laying_cell": "laying_cell",
        "brickcell.mason": "Errors Mason",
        "brickcell.teleoperation": "Teleoperation",
        "cells.coverage": "Coverage coverage",
        "cells.feeding": "waiting_places",
        "cells.kinds": "cell_kinds new_cell",
        "cells.placing": "placed_cell",
        "cells.reaching": "Worker",
        "cells.survey": "SurveyedCell cell",
        "collision.arm_bodies": "ArmBodies",
        "collision.collisions": "blockers clashes clearances masks swept_blockers swept_clash swept_self",
        "collision.surroundings": "Surroundings",
        "kinematics.kinematics": "Kinematics",
    },
)
