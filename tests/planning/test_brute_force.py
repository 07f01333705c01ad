"""The rules of seed 002 to the letter, searched exhaustively with nothing clever: the planner says the same."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from falsework import gallery, plan
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.solids import make_part
from falsework.geometry.ways.removal import StraightRemovals
from falsework.model.assembly import Assembly
from falsework.model.shapes import box
from falsework.model.state import State
from falsework.planning.verification.verify import verify
from falsework.statics.core.equilibrium import Equilibrium


def heap_of_blocks(seed: int, count: int = 5) -> Assembly:
    """Blocks on a fixed one, each on top of two lower ones or beside them, now and then beyond balance."""
    rng = np.random.default_rng(seed)
    parts = [make_part("0", box((4.0, 1.0, 1.0)), np.eye(4))]
    tops = [(0.0, 4.0, 1.0)]
    for number in range(1, count + 1):
        low, high, z = tops[int(rng.integers(len(tops)))]
        width = float(rng.choice([1.0, 1.5, 2.0, 3.0]))
        x = float(np.round(rng.uniform(low - 0.6 * width, high - 0.4 * width) * 4) / 4)
        under = [top for top in tops if top[0] < x + width and x < top[1]]
        z = max(top[2] for top in under)
        pose = np.eye(4)
        pose[:3, 3] = (x, 0.0, z)
        parts.append(make_part(str(number), box((width, 1.0, 1.0)), pose))
        tops.append((x, x + width, z + 1.0))
    return Assembly(tuple(parts), fixed=frozenset(["0"]))


Lets = Callable[[int, State], bool]  # whether a part may be placed on a state


def buildable(assembly: Assembly, robots: int, regrasp: bool, straight: bool, lets: Lets | None = None) -> bool:
    """Every state that can be reached by holding, letting go and removing one part at a time, each of them standing."""
    joints = interfaces(assembly)
    oracle = Equilibrium(assembly, joints, compiled=True)
    removals = StraightRemovals(assembly, joints)
    fixed, parts = assembly.fixed_mask(), range(len(assembly.parts))
    start = (State.complete(assembly).installed, 0)
    if not oracle.assess(State(*start)).stands:
        return False
    seen, waiting = {start}, [start]
    while waiting:
        there, held = waiting.pop()
        if there == fixed:
            return True
        reached = []
        for part in parts:
            bit = 1 << part
            if bit & fixed or not bit & there:
                continue
            if bit & held:
                before = State(there & ~bit, held & ~bit)
                if (not straight or removals.leaves(bit, there & ~bit)) and (lets is None or lets(bit, before)):
                    reached.append((there & ~bit, held & ~bit))
                if regrasp:
                    reached.append((there, held & ~bit))
            elif held.bit_count() < robots:
                reached.append((there, held | bit))
        for state in reached:
            if state not in seen and oracle.assess(State(*state)).stands:
                seen.add(state)
                waiting.append(state)
    return False


@pytest.mark.parametrize("robots", [1, 2])
@pytest.mark.parametrize("seed", range(8))
def test_heaps_of_blocks(seed: int, robots: int) -> None:
    heap = heap_of_blocks(seed)
    planned = plan(heap, robots=robots, groups=False)
    assert (planned.status == "complete") == buildable(heap, robots, regrasp=False, straight=True)


@pytest.mark.parametrize("stones", [3, 4, 5])
@pytest.mark.parametrize(("robots", "regrasp"), [(1, False), (2, False), (2, True)])
def test_arches(stones: int, robots: int, regrasp: bool) -> None:
    arch = gallery.make("semicircular-arch", stones=stones)
    planned = plan(arch, robots=robots, regrasp=regrasp, paths="none")
    assert (planned.status == "complete") == buildable(arch, robots, regrasp, straight=False)
    if planned.status == "complete":
        assert verify(planned.plan, arch).valid


def test_the_heaps_are_of_both_kinds() -> None:
    answers = {plan(heap_of_blocks(seed), robots=1, groups=False).status for seed in range(8)}
    assert answers == {"complete", "infeasible"}
