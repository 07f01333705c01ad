"""From moves to the steps of a plan, what a builder does, one action at a time; and back to what is there then."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.plan import Action, Plan, Step
from falsework.planning.moves import Move, Node, bits

PathOf = Callable[[Move], Array | None]
TurnOf = Callable[[int], Array]  # T_world_assembly of a way to lie


def steps_of(
    assembly: Assembly,
    moves: Sequence[Move],
    bare: Node,
    whole: Node,
    robots: int,
    path_of: PathOf,
    turn_of: TurnOf | None = None,
) -> tuple[Step, ...]:
    """The steps of moves in building order, from what `bare` holds until everything but `whole.held` is let go.

    A move's part arrives held. What the next node does not hold is let go, one part at a time; what it holds beyond
    that was taken hold of before. Every state on the way holds at least what one of the two nodes holds, and stands.
    """
    steps: list[Step] = []
    held, pose = bare.held, 0
    for move in moves:
        steps += _changes(assembly, held, move.earlier, pose, robots, turn_of)
        held, pose = move.earlier.held, move.earlier.pose
        if move.parts:
            held |= move.parts
            steps.append(Step("place", assembly.named(move.parts), assembly.named(held), path_of(move)))
    return (*steps, *_changes(assembly, held, whole, pose, robots, turn_of))


def _changes(
    assembly: Assembly, held: int, wanted: Node, pose: int, robots: int, turn_of: TurnOf | None
) -> Iterator[Step]:
    """Turn it if it is to lie otherwise, or if there are too few hands to change over; else hold, then let go."""
    if turn_of is not None and (wanted.pose != pose or (held | wanted.held).bit_count() > robots):
        turn = turn_of(wanted.pose)
        yield Step("reorient", (), assembly.named(wanted.held), T_world_assembly=turn, secured="clamped")
        return
    changes: list[tuple[Action, int]] = [("hold", part) for part in bits(wanted.held & ~held)]
    changes += [("release", part) for part in bits(held & ~wanted.held)]
    for action, part in changes:
        held ^= 1 << part
        yield Step(action, assembly.named(1 << part), assembly.named(held))


def node_after(assembly: Assembly, plan: Plan, steps: int) -> Node:
    """What is in place and held after so many steps of a plan."""
    if not 0 <= steps <= len(plan.steps):
        raise BadInput(f"the plan has {len(plan.steps)} steps; found --at {steps}")
    installed = assembly.fixed_mask() | assembly.mask(plan.start.installed)
    held = assembly.mask(plan.start.held)
    for step in plan.steps[:steps]:
        held = assembly.mask(step.held)
        if step.action == "place":
            installed |= assembly.mask(step.parts)
    return Node(installed, held & installed)
