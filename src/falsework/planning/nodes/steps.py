"""From moves to the steps of a plan, what a builder does, one action at a time; and back to what is there then."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.plan import Action, Plan, Step
from falsework.planning.nodes.moves import Move, Node, bits

GraspedOf = Callable[[Move], int]  # of parts that come as one: those that hands are on
PathOf = Callable[[Move], Array | None]
TurnOf = Callable[[int], Array]  # T_world_assembly of a way to lie


def steps_of(
    assembly: Assembly,
    moves: Sequence[Move],
    bare: Node,
    whole: Node,
    robots: int,
    path_of: PathOf,
    grasped_of: GraspedOf,
    turn_of: TurnOf | None = None,
) -> tuple[Step, ...]:
    """The steps of moves in building order, from what `bare` holds until everything but `whole.held` is let go.

    A move's part arrives held. What the next node does not hold is let go, one part at a time; what it holds beyond
    that was taken hold of before. Every state on the way holds at least what one of the two nodes holds, and stands.
    """
    steps: list[Step] = []
    held, pose = bare.held, bare.pose
    for move in moves:
        steps += _changes(assembly, held, move.earlier, pose, robots, turn_of)
        held, pose = move.earlier.held, move.earlier.pose
        if move.parts:
            held |= move.parts
            grasped = grasped_of(move) if move.parts & (move.parts - 1) else 0
            parts, path, hands_on = assembly.named(move.parts), path_of(move), assembly.named(grasped)
            steps.append(Step("place", parts, assembly.named(held), path, grasped=hands_on))
    if moves:  # arms cannot let go in any order
        last = moves[-1].later
        steps += _changes(assembly, held, last, pose, robots, turn_of)
        held, pose = last.held, last.pose
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


def turned_after(plan: Plan, steps: int) -> Array | None:
    """T_world_assembly after so many steps of a plan; None: as the file has it."""
    turns = (step.T_world_assembly for step in reversed(plan.steps[:steps]) if step.action == "reorient")
    return next(turns, plan.start.T_world_assembly)


def node_after(assembly: Assembly, plan: Plan, steps: int) -> Node:
    """What is in place after so many steps of a plan, and which parts hands are on."""
    if not 0 <= steps <= len(plan.steps):
        raise BadInput(f"the plan has {len(plan.steps)} steps; found --at {steps}")
    installed = assembly.fixed_mask() | assembly.mask(plan.start.installed)
    held, along = assembly.mask(plan.start.held), 0
    for step in plan.steps[:steps]:
        held = assembly.mask(step.held)
        if step.action == "place":
            parts = assembly.mask(step.parts)
            installed |= parts
            along |= parts & ~assembly.mask(step.grasped or step.parts)
        along &= held
    return Node(installed, held & installed & ~along)
