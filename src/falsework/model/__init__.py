"""The words of the house: data that every room shares. No algorithms live here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from falsework.lazy import exports

if TYPE_CHECKING:
    from falsework.model.assembly import Assembly as Assembly
    from falsework.model.assembly import Ground as Ground
    from falsework.model.assembly import Hinge as Hinge
    from falsework.model.assembly import Load as Load
    from falsework.model.catalogue import BrickType as BrickType
    from falsework.model.errors import BadFile as BadFile
    from falsework.model.errors import BadInput as BadInput
    from falsework.model.errors import BadPart as BadPart
    from falsework.model.errors import FalseworkError as FalseworkError
    from falsework.model.errors import MissingExtra as MissingExtra
    from falsework.model.errors import Overlap as Overlap
    from falsework.model.errors import Undecided as Undecided
    from falsework.model.interfaces import AmbiguousContacts as AmbiguousContacts
    from falsework.model.interfaces import Clutches as Clutches
    from falsework.model.interfaces import ClutchKind as ClutchKind
    from falsework.model.interfaces import Hinges as Hinges
    from falsework.model.interfaces import Interfaces as Interfaces
    from falsework.model.interfaces import Patches as Patches
    from falsework.model.part import Material as Material
    from falsework.model.part import Part as Part
    from falsework.model.perception.frames import Frame as Frame
    from falsework.model.plan import Grasp as Grasp
    from falsework.model.plan import Plan as Plan
    from falsework.model.plan import Press as Press
    from falsework.model.plan import Proof as Proof
    from falsework.model.plan import Rules as Rules
    from falsework.model.plan import Source as Source
    from falsework.model.plan import Start as Start
    from falsework.model.plan import Step as Step
    from falsework.model.plan import Subassembly as Subassembly
    from falsework.model.ports import ContactFinder as ContactFinder
    from falsework.model.ports import InverseKinematics as InverseKinematics
    from falsework.model.ports import PartSelector as PartSelector
    from falsework.model.ports import RemovalOracle as RemovalOracle
    from falsework.model.ports import StabilityOracle as StabilityOracle
    from falsework.model.provenance import Provenance as Provenance
    from falsework.model.robots.arm import Arm as Arm
    from falsework.model.robots.arm import Capsule as Capsule
    from falsework.model.robots.arm import Joint as Joint
    from falsework.model.robots.cell import Camera as Camera
    from falsework.model.robots.cell import Cell as Cell
    from falsework.model.robots.cell import CellArm as CellArm
    from falsework.model.robots.cell import Feeder as Feeder
    from falsework.model.robots.cell import Obstacle as Obstacle
    from falsework.model.robots.cell import Rotary as Rotary
    from falsework.model.robots.cell import Table as Table
    from falsework.model.robots.task import CellPlan as CellPlan
    from falsework.model.robots.task import Task as Task
    from falsework.model.robots.task import Waypoint as Waypoint
    from falsework.model.robots.tool import Tool as Tool
    from falsework.model.robots.tool import ToolBody as ToolBody
    from falsework.model.shapes import BrickShape as BrickShape
    from falsework.model.shapes import ConvexPieces as ConvexPieces
    from falsework.model.shapes import Mesh as Mesh
    from falsework.model.shapes import Polygon as Polygon
    from falsework.model.shapes import Polyhedron as Polyhedron
    from falsework.model.shapes import box as box
    from falsework.model.state import State as State
    from falsework.model.surfaces import Primitive as Primitive
    from falsework.model.trajectory import Trajectory as Trajectory
    from falsework.model.verdict import Criterion as Criterion
    from falsework.model.verdict import Forces as Forces
    from falsework.model.verdict import Motion as Motion
    from falsework.model.verdict import Verdict as Verdict

__all__, __getattr__, __dir__ = exports(
    __name__,
    {
        "assembly": "Assembly Ground Hinge Load",
        "catalogue": "BrickType",
        "errors": "BadFile BadInput BadPart FalseworkError MissingExtra Overlap Undecided",
        "interfaces": "AmbiguousContacts ClutchKind Clutches Hinges Interfaces Patches",
        "part": "Material Part",
        "perception.frames": "Frame",
        "plan": "Grasp Plan Press Proof Rules Source Start Step Subassembly",
        "ports": "ContactFinder InverseKinematics PartSelector RemovalOracle StabilityOracle",
        "provenance": "Provenance",
        "robots.arm": "Arm Capsule Joint",
        "robots.cell": "Camera Cell CellArm Feeder Obstacle Rotary Table",
        "robots.task": "CellPlan Task Waypoint",
        "robots.tool": "Tool ToolBody",
        "shapes": "BrickShape ConvexPieces Mesh Polygon Polyhedron box",
        "state": "State",
        "surfaces": "Primitive",
        "trajectory": "Trajectory",
        "verdict": "Criterion Forces Motion Verdict",
    },
)
