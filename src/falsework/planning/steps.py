"""From moves to the steps of a plan: what a builder does, one action at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.plan import Action, Step
from falsework.planning.moves import Move, Node, bits

PathOf = Callable[[int, int], Array | None]  # of moved parts among installed ones


def steps_of(assembly: Assembly, moves: Sequence[Move], bare: Node, whole: Node, path_of: PathOf) -> tuple[Step, ...]:
    """The steps of moves in building order, from what `bare` holds until everything but `whole.held` is let go.

    A move's part arrives held. What the next node does not hold is let go, one part at a time; what it holds beyond
    that was taken hold of before (only with regrasping). Every state on the way holds at least what the later node
    holds, which stands.
    """
    steps: list[Step] = []
    held = bare.held
    for move in moves:
        steps += _changes(assembly, held, move.earlier.held)
        held = move.earlier.held | move.parts
        if move.parts:
            path = path_of(move.parts, move.earlier.installed)
            steps.append(Step("place", assembly.named(move.parts), assembly.named(held), path))
    return (*steps, *_changes(assembly, held, whole.held))


def _changes(assembly: Assembly, held: int, wanted: int) -> Iterable[Step]:
    """Take hold of what is not held yet, then let go of what need not be."""
    changes: list[tuple[Action, int]] = [("hold", part) for part in bits(wanted & ~held)]
    changes += [("release", part) for part in bits(held & ~wanted)]
    for action, part in changes:
        held ^= 1 << part
        yield Step(action, assembly.named(1 << part), assembly.named(held))
