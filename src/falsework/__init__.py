"""Falsework: how things made of rigid parts stand, fall, and get built.

Verbs, each with the options that the command line has; `help(falsework.check)` tells them:

    load, save, convert, new    files of many formats, and a gallery of assemblies
    info                        what is in one
    check, check_many           does it stand, with proof
    margins                     how far it is from falling
    collapse, simulate          how it falls; bricks in time
    plan, replan, verify        in what order to build it, and what if something goes wrong
    cell                        robots: what the arms of a cell reach, and where they should stand
    locate                      bricks in pictures of colour and depth, or what is wrong with a structure
    scenes, calibrate           pictures of random bricks, with the truth; lens and mount of a camera
    lay, repair, rehearse       bricks in a shape; what mends a weak model; a brick plan in the brick world
    instruct                    building instructions as PDF, HTML and LDraw
    batch                       one of these verbs asked of many inputs
    learn                       a policy that says what to take apart next
    score, as_dataset           generated structures judged, part by part; labelled states to learn from
    view, bench, doctor         live in the browser; measured; what is installed

>>> import falsework
>>> bridge = falsework.load("examples/bridge.txt")
>>> falsework.info(bridge).clutches
16
>>> falsework.check(bridge, absent="10").answer
'stable'

Things that verbs take and give (`Assembly`, `Verdict`, `Plan`, …) and what they raise (`BadInput`, …) are here too.
Lengths are in m, masses in kg, forces in N, angles in degrees where a name says so and else in radians; z is up.
Rooms are opened when first asked for: importing this package imports no library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from falsework.lazy import exports
from falsework.version import __version__ as __version__

if TYPE_CHECKING:
    from falsework.batch.dataset import as_dataset as as_dataset
    from falsework.batch.running import Batch as Batch
    from falsework.batch.running import batch as batch
    from falsework.batch.scoring import Score as Score
    from falsework.batch.scoring import score as score
    from falsework.bench.suites import bench as bench
    from falsework.brickworld.simulate import simulate as simulate
    from falsework.brickworld.simulation import Simulation as Simulation
    from falsework.brickworld.world import World as World
    from falsework.collapse.collapse import Collapse as Collapse
    from falsework.collapse.collapse import collapse as collapse
    from falsework.execution.building import build as build
    from falsework.execution.running import BuildDone as BuildDone
    from falsework.formats.info import info as info
    from falsework.formats.loading import load as load
    from falsework.formats.robots.catalogue import arm_named as arm_named
    from falsework.formats.robots.catalogue import tool_named as tool_named
    from falsework.formats.robots.cell_reading import load_cell as load_cell
    from falsework.formats.robots.cell_writing import save_cell as save_cell
    from falsework.formats.saving import convert as convert
    from falsework.formats.saving import save as save
    from falsework.gallery.registry import make
    from falsework.geometry.contacts.interfaces import interfaces as interfaces
    from falsework.geometry.shapes.solids import make_part as make_part
    from falsework.geometry.summary import Summary as Summary
    from falsework.laying.lay import Laid as Laid
    from falsework.laying.lay import lay as lay
    from falsework.laying.repair import Fix as Fix
    from falsework.laying.repair import Repair as Repair
    from falsework.laying.repair import repair as repair
    from falsework.learning.training.learn import Trained as Trained
    from falsework.learning.training.learn import learn as learn
    from falsework.model.assembly import Assembly as Assembly
    from falsework.model.assembly import Ground as Ground
    from falsework.model.assembly import Hinge as Hinge
    from falsework.model.assembly import Load as Load
    from falsework.model.errors import BadFile as BadFile
    from falsework.model.errors import BadInput as BadInput
    from falsework.model.errors import BadPart as BadPart
    from falsework.model.errors import FalseworkError as FalseworkError
    from falsework.model.errors import MissingExtra as MissingExtra
    from falsework.model.errors import Overlap as Overlap
    from falsework.model.errors import Undecided as Undecided
    from falsework.model.interfaces import Interfaces as Interfaces
    from falsework.model.part import Material as Material
    from falsework.model.part import Part as Part
    from falsework.model.plan import Plan as Plan
    from falsework.model.plan import Rules as Rules
    from falsework.model.plan import Step as Step
    from falsework.model.robots.cell import Cell as Cell
    from falsework.model.shapes import BrickShape as BrickShape
    from falsework.model.shapes import ConvexPieces as ConvexPieces
    from falsework.model.shapes import Mesh as Mesh
    from falsework.model.shapes import Polygon as Polygon
    from falsework.model.shapes import Polyhedron as Polyhedron
    from falsework.model.shapes import box as box
    from falsework.model.state import State as State
    from falsework.model.trajectory import Trajectory as Trajectory
    from falsework.model.verdict import Criterion as Criterion
    from falsework.model.verdict import Forces as Forces
    from falsework.model.verdict import Motion as Motion
    from falsework.model.verdict import Verdict as Verdict
    from falsework.perception.calibration.calibrate import calibrate as calibrate
    from falsework.perception.looking import locate as locate
    from falsework.perception.scenes.dataset import scenes as scenes
    from falsework.planning.plan import plan as plan
    from falsework.planning.plans.jobs import Planned as Planned
    from falsework.planning.rehearsal import rehearse as rehearse
    from falsework.planning.replan import replan as replan
    from falsework.planning.verification.failures import Verification as Verification
    from falsework.planning.verification.verify import verify as verify
    from falsework.robots.cells.kinds import new_cell as new_cell
    from falsework.robots.cells.survey import cell as cell
    from falsework.rooms import doctor as doctor
    from falsework.studio.instruct import Instructions as Instructions
    from falsework.studio.instruct import instruct as instruct
    from falsework.studio.view import view as view
    from falsework.verdicts.check import check as check
    from falsework.verdicts.many import check_many as check_many
    from falsework.verdicts.margins import Margins as Margins
    from falsework.verdicts.margins import margins as margins

    new = make

__all__, __getattr__, __dir__ = exports(
    __name__,
    {
        "batch.dataset": "as_dataset",
        "batch.running": "Batch batch",
        "batch.scoring": "Score score",
        "bench.suites": "bench",
        "brickworld.simulate": "simulate",
        "brickworld.simulation": "Simulation",
        "brickworld.world": "World",
        "collapse.collapse": "Collapse collapse",
        "execution.building": "build",
        "execution.running": "BuildDone",
        "formats.info": "info",
        "formats.loading": "load",
        "formats.robots.catalogue": "arm_named tool_named",
        "formats.robots.cell_reading": "load_cell",
        "formats.robots.cell_writing": "save_cell",
        "formats.saving": "convert save",
        "gallery.registry": "make:new",
        "geometry.contacts.interfaces": "interfaces",
        "geometry.shapes.solids": "make_part",
        "geometry.summary": "Summary",
        "laying.lay": "Laid lay",
        "laying.repair": "Fix Repair repair",
        "learning.training.learn": "Trained learn",
        "model.assembly": "Assembly Ground Hinge Load",
        "model.errors": "BadFile BadInput BadPart FalseworkError MissingExtra Overlap Undecided",
        "model.interfaces": "Interfaces",
        "model.part": "Material Part",
        "model.plan": "Plan Rules Step",
        "model.robots.cell": "Cell",
        "model.shapes": "BrickShape ConvexPieces Mesh Polygon Polyhedron box",
        "model.state": "State",
        "model.trajectory": "Trajectory",
        "model.verdict": "Criterion Forces Motion Verdict",
        "perception.calibration.calibrate": "calibrate",
        "perception.looking": "locate",
        "perception.scenes.dataset": "scenes",
        "planning.plans.jobs": "Planned",
        "planning.plan": "plan",
        "planning.rehearsal": "rehearse",
        "planning.replan": "replan",
        "planning.verification.failures": "Verification",
        "planning.verification.verify": "verify",
        "robots.cells.kinds": "new_cell",
        "robots.cells.survey": "cell",
        "rooms": "doctor",
        "studio.instruct": "Instructions instruct",
        "studio.view": "view",
        "verdicts.check": "check",
        "verdicts.many": "check_many",
        "verdicts.margins": "Margins margins",
    },
)
