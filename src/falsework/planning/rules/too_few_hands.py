"""A quick proof that hands are too few: parts that could never be let go, whatever the order.

Let R be all parts that are ever free while the hands rest, and m the first beyond those known so far to be let go. All
else that is there then is of R, or held, and not more is held than there are hands at rest. Forces for what is free
are forces for m alone with everything else held, and stay so with more of R beside it. So m belongs to R only if it
stands where all of R is held, and as many of its other neighbours as there are hands. What this never reaches would
need a hand for ever. One free part per question: milliseconds where a search that tries all orders takes ages.

Groups that are built apart and placed as one give parts a second way to be let go for the first time: on the part that
is held fast there. All of a group is let go then, but for that part, by which a hand carries it. So where groups are
allowed, R also takes in m if it stands in the air on a part c, on all of R and on as many others as there are hands,
all of them parts that c may carry. When a group is let go in its place, all of it but c is of R, as before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations

from falsework.planning.nodes.carrying import InTheAir
from falsework.planning.nodes.moves import Node, bits
from falsework.planning.nodes.stability import Stability
from falsework.planning.search.searches import Outcome, Search
from falsework.planning.search.walks import Task

PAUSES = 100  # turns of the searches that come first: most plans are found by then
MOST_NAMED = 8


def too_few_hands(task: Task, stability: Stability, air: InTheAir | None) -> Search:
    """As the searches are run: after a while it ends, with a proof or with nothing; `air` where groups are allowed."""
    for _ in range(PAUSES):
        yield (task.whole.installed & ~task.bare.installed).bit_count()
    return proof_of_too_few_hands(task, stability, air)


def proof_of_too_few_hands(task: Task, stability: Stability, air: InTheAir | None) -> Outcome:
    """For plans with groups, else for plans without, or nothing."""
    stuck = never_free(task, stability)
    if not stuck:
        return Outcome(None)
    grouped = 0 if air is None else never_free(task, stability, air)
    names = task.assembly.named(grouped or stuck)
    shown = ", ".join(names[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")
    hands = "1 hand" if task.robots == 1 else f"{task.robots} hands"
    how = "placed singly or in groups" if grouped else "placed singly"
    why = f"{hands} cannot let go of {shown}: {how}, none of these stands when it is let go, whatever came before it"
    return Outcome(None, exhaustive=True, why=why, by="hands", groups=bool(grouped))


def never_free(task: Task, stability: Stability, air: InTheAir | None = None) -> int:
    """The parts to be free in the end that no plan ever lets go, as a mask; 0 proves nothing.

    Of parts that are placed one by one; with `air` of all groups too.
    """
    free, wanted = task.bare.installed, task.whole.installed & ~task.whole.held
    while wanted & ~free:
        stuck = task.whole.installed & ~free
        let_go = _let_go_in_place(task, stability, free, stuck)
        if not let_go and air is not None:
            let_go = _let_go_apart(task, air, free, stuck)
        if not let_go:
            return wanted & ~free
        free |= let_go
    return 0


def _let_go_in_place(task: Task, stability: Stability, free: int, stuck: int) -> int:
    """Which of the stuck parts may stand on what may be free, with as few hands as any of them does."""
    for hands in range(task.robots):
        asked = {part: list(_helped(task, part, free, hands)) for part in bits(stuck)}
        stability.look_up(node for nodes in asked.values() for node in nodes)
        let_go = sum(1 << part for part, nodes in asked.items() if _may_stand(stability, nodes))
        if let_go:
            return let_go
    return 0


def _let_go_apart(task: Task, air: InTheAir, free: int, stuck: int) -> int:
    """Which of them may stand in a group that is built apart, on a part that is held fast."""
    movable = task.whole.installed & ~task.bare.installed
    return sum(
        1 << part
        for part in bits(stuck)
        if any(
            _may_stand_on(air, part, fast, near, free, task.robots - 1)
            for fast in bits(task.touching[part] & stuck & movable)
            if (near := task.touching[part] & air.may_carry(fast) & movable) and air.may_carry(fast) >> part & 1
        )
    )


def _may_stand_on(air: InTheAir, part: int, fast: int, near: int, free: int, hands: int) -> bool:
    """Whether a part may stand in the air on one that is held fast, those of its neighbours that may be free, and a few
    others."""
    sure = near & free | 1 << fast
    others = list(bits(near & ~sure))
    return any(
        not air.surely_falls(there | 1 << part, there)
        for held in combinations(others, min(hands, len(others)))
        if (there := sure | sum(1 << other for other in held))
    )


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
