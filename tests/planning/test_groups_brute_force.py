"""Groups of any kind, tried exhaustively with nothing clever: what the planner calls impossible is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import combinations

import pytest

from falsework import gallery, plan
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.ways.removal import StraightRemovals
from falsework.model.assembly import Assembly, Ground
from falsework.model.state import State
from falsework.planning.nodes.apart import alone
from falsework.planning.nodes.carrying import InTheAir
from falsework.planning.nodes.moves import bits
from falsework.planning.plans.jobs import Job
from falsework.planning.plans.workshop import Workshop
from falsework.planning.rules.named import rules_for
from falsework.planning.rules.too_few_hands import never_free
from falsework.planning.verification.verify import verify
from falsework.statics.core.equilibrium import Equilibrium
from tests.planning.test_brute_force import heap_of_blocks

HEAPS = (0, 1, 2, 3, 8, 25)


def subsets(mask: int, least: int = 1) -> Iterator[int]:
    parts = list(bits(mask))
    for count in range(least, len(parts) + 1):
        for chosen in combinations(parts, count):
            yield sum(1 << part for part in chosen)


class Everything:
    """Every state that hands reach by holding parts and taking off parts and groups of parts, each of them standing."""

    def __init__(self, assembly: Assembly, robots: int) -> None:
        self._assembly, self._robots = assembly, robots
        joints = interfaces(assembly)
        oracle, self._removals = Equilibrium(assembly, joints), StraightRemovals(assembly, joints)
        loose = assembly.changed(fixed=frozenset(), ground=Ground(), ground_part=None)
        air = Equilibrium(loose, interfaces(loose))
        self._stands = cache(lambda there, held: oracle.assess(State(there, held)).stands)
        self.keeps = cache(lambda group, held: air.assess(State(group, held)).stands)

    def buildable(self) -> bool:
        start = (State.complete(self._assembly).installed, 0)
        seen, waiting = {start}, [start] if self._stands(*start) else []
        while waiting:
            there, held = waiting.pop()
            if there == self._assembly.fixed_mask():
                return True
            for state in self._reached(there, held):
                if state not in seen and self._stands(*state):
                    seen.add(state)
                    waiting.append(state)
        return False

    def _reached(self, there: int, held: int) -> Iterator[tuple[int, int]]:
        movable = there & ~self._assembly.fixed_mask()
        if held.bit_count() < self._robots:
            yield from ((there, held | 1 << part) for part in bits(movable & ~held))
        for group in subsets(movable):
            rest = there & ~group, held & ~group
            spare = self._robots - rest[1].bit_count()
            if self._taken(group, held & group, spare) and self._removals.leaves(group, rest[0]):
                yield rest

    def _taken(self, group: int, held: int, hands: int) -> bool:
        """Whether so many hands take a group off: on these parts of it and any others, which are let go later."""
        grips = [grip for grip in subsets(group) if not held & ~grip and grip.bit_count() <= hands]
        return any(self.keeps(group, grip) and self._built(group, grip) for grip in grips)

    def _built(self, group: int, grip: int) -> bool:
        """Whether a group can be built apart; where several hands bring it, that is taken for granted."""
        if grip.bit_count() > 1 or group == grip:
            return True
        fast = self._assembly.bodies[grip.bit_length() - 1].name
        return Everything(alone(self._assembly, self._assembly.named(group), fast), self._robots).buildable()


def agrees(assembly: Assembly, robots: int) -> tuple[str, bool]:
    """What the planner says, and whether it takes groups; it may leave a question open, but never be wrong."""
    planned = plan(assembly, robots=robots)
    truth = Everything(assembly, robots).buildable()
    if planned.status == "complete":
        assert truth
        assert verify(planned.plan, assembly).valid
    elif planned.status == "infeasible":
        assert planned.plan.proof is not None
        assert planned.plan.proof.groups
        assert not truth
    return planned.status, any(len(step.parts) > 1 for step in planned.plan.steps)


def test_what_the_planner_says_of_heaps_of_blocks_holds_for_groups_of_any_kind() -> None:
    said = Counter(agrees(heap_of_blocks(seed, 4), 1) for seed in HEAPS)
    assert set(said) == {("complete", False), ("complete", True), ("infeasible", False)}


@pytest.mark.parametrize(("kind", "stones"), [("semicircular-arch", 3), ("semicircular-arch", 5), ("flat-arch", 3)])
def test_an_arch_is_beyond_one_hand_in_groups_too(kind: str, stones: int) -> None:
    assert agrees(gallery.make(kind, stones=stones), 1) == ("infeasible", False)


def test_what_can_never_be_let_go_is_never_let_go_in_groups_either() -> None:
    stuck = 0
    for seed in HEAPS:
        heap = heap_of_blocks(seed)
        workshop = Workshop(heap, rules_for(heap, "holds", 1))
        task = Job(workshop, workshop.everything).task()
        if never_free(task, workshop.stability, workshop.air):
            stuck += 1
            assert not Everything(heap, 1).buildable()
    assert stuck


def test_no_group_is_carried_by_a_part_that_was_said_not_to() -> None:
    ruled_out = 0
    for seed in range(3):
        heap = heap_of_blocks(seed)
        air, movable = InTheAir(heap), State.complete(heap).installed & ~heap.fixed_mask()
        everything = Everything(heap, 1)
        for part in bits(movable):
            outside = movable & ~air.may_carry(part)
            ruled_out += outside.bit_count()
            for others in subsets(movable & ~(1 << part)):
                if others & outside:
                    assert not everything.keeps(others | 1 << part, 1 << part)
    assert ruled_out > 8
