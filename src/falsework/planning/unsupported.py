"""A quick proof that hands are too few: parts that could never be let go, whatever the order.

Let R be all parts that are ever free while the hands rest, and m the first beyond those known so far to be let go. All
else that is there then is of R, or held, and not more is held than there are hands at rest. Forces for what is free
are forces for m alone with everything else held, and stay so with more of R beside it. So m belongs to R only if it
stands where all of R is held, and as many of its other neighbours as there are hands. What this never reaches would
need a hand for ever. One free part a question: milliseconds where a search that tries all orders takes ages.

Parts are let go one at a time here; groups are for parts that bar each other's way, not for what falls on any way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from falsework.planning.moves import Node, bits
from falsework.planning.searches import Outcome, Search
from falsework.planning.stability import Stability
from falsework.planning.walks import Task

PAUSES = 100  # turns of the searches that come first: most plans are found by then
MOST_NAMED = 8


def too_few_hands(task: Task, stability: Stability) -> Search:
    """As the searches are run: after a while it ends, with a proof or with nothing."""
    for _ in range(PAUSES):
        yield (task.whole.installed & ~task.bare.installed).bit_count()
    stuck = never_free(task, stability)
    if not stuck:
        return Outcome(None)
    names = task.assembly.named(stuck)
    shown = ", ".join(names[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")
    hands = "1 hand" if task.robots == 1 else f"{task.robots} hands"
    why = f"{hands} cannot let go of {shown}: let go one at a time, none of these stands, whatever came before it"
    return Outcome(None, exhaustive=True, why=why, stuck=stuck)


def never_free(task: Task, stability: Stability) -> int:
    """The parts to be free in the end that no plan lets go one at a time, as a mask; 0 proves nothing."""
    free, wanted = task.bare.installed, task.whole.installed & ~task.whole.held
    while wanted & ~free:
        let_go, stuck = 0, task.whole.installed & ~free
        for hands in range(task.robots):
            asked = {part: list(_helped(task, part, free, hands)) for part in bits(stuck)}
            stability.look_up(node for nodes in asked.values() for node in nodes)
            let_go = sum(1 << part for part, nodes in asked.items() if _may_stand(stability, nodes))
            if let_go:
                break
        else:
            return wanted & ~free
        free |= let_go
    return 0


def _may_stand(stability: Stability, nodes: Iterable[Node]) -> bool:
    """Whether one of the nodes stands, or nobody knows."""
    return any(stability.finding(node).answer != "unstable" for node in nodes)


def _helped(task: Task, part: int, free: int, hands: int) -> Iterator[Node]:
    """The part alone, on all that may be free and on so many of its neighbours that are not."""
    others = list(bits(task.touching[part] & task.whole.installed & ~free & ~(1 << part)))
    fixed = task.assembly.fixed_mask()
    for held in combinations(others, min(hands, len(others))):
        there = free | sum(1 << other for other in held)
        yield Node(there | 1 << part, there & ~fixed)
