"""Who is right about presses: the published support polygon, the forces, or the brick world, on every step of plans.

polygon   the middle of the brick is above the hull of the bricks on the ground (seed 004)
forces    the snap-fit equilibrium has forces under the press, before and after the brick is in
world     MuJoCo with the clutches of seed 000: a hand lays the brick on the studs and presses; it goes in and nothing
          breaks, or not

Every step is asked as the plan has it. By then the forces have nothing against it; so steps that somebody supports are
asked once more without support, where what is there stands alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from falsework.brickworld.building import Placed, Placing, build
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.plan import Plan
from falsework.model.state import State
from falsework.planning.bricks.brickwork import Brickwork
from falsework.planning.nodes.moves import Node
from falsework.planning.rehearsal import placings
from falsework.planning.rules.support_polygon import PolygonPressCheck


@dataclass(frozen=True, slots=True)
class Pressed:
    """What the three say about one press."""

    part: str
    planned: bool  # supported as the plan has it
    polygon: bool
    forces: bool
    world: bool


def presses(plan: Plan, assembly: Assembly, joints: Interfaces) -> Iterator[Pressed]:
    """Every press of a plan, with its support and, where that is another question, without."""
    work, polygon = Brickwork(assembly, joints, plan.rules), PolygonPressCheck(assembly)
    there = assembly.fixed_mask() | assembly.mask(plan.start.installed)
    for step in placings(plan, assembly, joints):
        came = assembly.mask(step.parts)
        for placing in (step, replace(step, held=())) if step.held else (step,):
            held = assembly.mask(placing.held)
            if step.press is None or (placing is not step and not _stands(work, there, there | came)):
                continue
            pressed = assembly.index[step.press.part]
            yield Pressed(
                step.press.part,
                placing is step,
                polygon.bears(pressed, there | came),
                work.press(pressed, came, Node(there, held), shared=False) is not None,
                _placed(assembly, joints, there, placing).held,
            )
        there |= came


def _stands(work: Brickwork, *installed: int) -> bool:
    """Without any hand, so that only the press can break it."""
    return all(work.oracle.answer(State(there, 0, work.rules.gravity)) == "stable" for there in installed)


def _placed(assembly: Assembly, joints: Interfaces, there: int, placing: Placing) -> Placed:
    names = set(assembly.named(there)) & set(assembly.names)
    return build(assembly, [placing], already=names, joints=joints)[0]
