"""A brick plan carried out in the brick world, brick by brick: does the world agree with the plan?

Planning asks for an equilibrium, once before and once after a brick is in. The world lets a hand push the brick onto
the studs with a force that grows, closes a joint when enough goes through it, and breaks what cannot carry its loads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from falsework.brickworld.building import Placed, Placing, build
from falsework.formats.opening import PlanSource, Source, opened_plan
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly, Load
from falsework.model.errors import BadInput
from falsework.model.interfaces import Interfaces
from falsework.model.plan import Plan, Step
from falsework.model.verbs import verb
from falsework.planning.nodes.apart import alone
from falsework.planning.nodes.moves import bits
from falsework.planning.nodes.presses import entered
from falsework.planning.verification.failures import Failure


@verb()
def rehearse(
    plan: PlanSource,
    source: Source | None = None,
    *,
    joints: Interfaces | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Placed, ...]:
    """What every placing of a brick plan does in the brick world: whether it snapped in, and whether all held.

    plan      what `plan` answered, its plan, or the path of a plan file
    source    the assembly, where it is at hand or the plan does not name its file
    joints    the interfaces of the assembly, where they are known already
    progress  is told how many bricks were placed, and of how many

    >>> import falsework
    >>> stack = falsework.new("duplo-stack")
    >>> all(placed.held for placed in rehearse(falsework.plan(stack), stack))
    True
    """
    plan, assembly = opened_plan(plan, source)
    if not any(part.is_brick for part in assembly.parts):
        raise BadInput("a plan without bricks cannot be rehearsed: in the brick world nothing but bricks is pressed")
    known = interfaces(assembly) if joints is None else joints
    steps = list(placings(plan, assembly, known))
    return build(assembly, steps, already=plan.start.installed, joints=known, progress=progress)


def disagreements(plan: Plan, done: Sequence[Placed]) -> tuple[Failure, ...]:
    """What the world says against the steps of a plan that place something."""
    steps = [number for number, step in enumerate(plan.steps, 1) if step.action == "place"]
    return tuple(Failure(step, _told(placed)) for step, placed in zip(steps, done, strict=True) if not placed.held)


def disagreements_apart(plan: Plan, assembly: Assembly) -> Iterator[Failure]:
    """What the world says against how a plan puts bricks together that then come as one."""
    for built in plan.apart:
        steps = Plan(plan.rules, "complete", built.steps)
        parts = alone(assembly, built.parts, built.fast)
        for failure in disagreements(steps, rehearse(steps, parts)):
            yield Failure(0, f"{', '.join(built.parts)} apart: step {failure.step}: {failure.why}")


def _told(placed: Placed) -> str:
    if not placed.broken:
        return f"in the brick world {', '.join(placed.parts)} does not go in"
    broken = ", ".join(f"{stud}–{hole}" for stud, hole in placed.broken)
    return f"in the brick world {broken} breaks"


def placings(plan: Plan, assembly: Assembly, joints: Interfaces) -> Iterator[Placing]:
    """The steps of a plan that place something, each with its press and with what is held meanwhile and afterwards."""
    if any(step.action == "reorient" for step in plan.steps):
        raise BadInput("a plan that turns the assembly over cannot be rehearsed: the brick world does not turn it")
    installed, held = assembly.fixed_mask() | assembly.mask(plan.start.installed), plan.start.held
    waiting: tuple[tuple[str, ...], Load | None, tuple[str, ...]] | None = None
    for step in plan.steps:
        if step.action == "place":
            if waiting is not None:
                yield Placing(*waiting, held)
            parts = assembly.mask(step.parts)
            waiting = step.parts, _press(step, assembly, joints, installed), held
            installed |= parts
        held = step.held
    if waiting is not None:
        yield Placing(*waiting, held)


def _press(step: Step, assembly: Assembly, joints: Interfaces, installed: int) -> Load | None:
    """As the step says it, on the brick that enters others; without a press the parts are put there."""
    if step.press is None:
        return None
    enters = (part for part in bits(assembly.mask(step.parts)) if len(entered(joints, part, installed)[0]))
    part = next(enters, assembly.index[step.parts[0]])
    return Load(assembly.bodies[part].name, step.press.force_n, step.press.point_m)
