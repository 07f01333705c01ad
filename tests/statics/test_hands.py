"""The fewest parts to hold: solved by hand, against brute force, with proof; the greedy rule beside it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from falsework.bench.samples import random_state
from falsework.formats import load
from falsework.gallery import make
from falsework.gallery.planning_set import planning_set
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.model.state import State
from falsework.model.verdict import Verdict
from falsework.statics.core.equilibrium import Equilibrium
from falsework.verdicts.holds.fewest_hands import fewest_held, helped, hitting_sets
from falsework.verdicts.holds.greedy_hold import greedy_held
from tests.conftest import brick, on_baseplate
from tests.statics.structures import arch, block, columns, stack

SMALL = 14  # parts
STATES = 4  # of each assembly
PUBLISHED: dict[str, tuple[str, ...] | None] = {
    "blocks/tetris-1": ("0",),
    "blocks/arch": ("0", "8"),
    "cad/beam": ("6",),
    "compas/H.json": ("0", "1"),
    "compas/type-a.json": ("0", "1"),
    "compas/shelf.json": ("0",),
    "stablelego/stick_light.json": None,
    "stablelego/external_weight_good.json": None,
}
BRICKS = ("brick-stairs", "brick-arch", "duplo-stairs")  # of the gallery


def oracle_of(assembly: Assembly) -> Equilibrium:
    return Equilibrium(assembly, interfaces(assembly), compiled=True)


def by_brute_force(oracle: Equilibrium, state: State, most: int = 3) -> int | None:
    """The least number of parts of which some choice helps, by trying all choices."""
    free = state.free(oracle.assembly)
    parts = [1 << n for n in range(free.bit_length()) if free >> n & 1]
    for count in range(most + 1):
        for chosen in itertools.combinations(parts, count):
            if oracle.assess(helped(state, sum(chosen))).stands:
                return count
    return None


def tried(assembly: Assembly, seed: int) -> Iterator[State]:
    """Random states, every other with nobody helping yet."""
    rng = np.random.default_rng(seed)
    for number in range(STATES):
        state = random_state(assembly, rng)
        yield State(state.installed) if number % 2 else state


def test_what_stands_needs_no_hand() -> None:
    assembly = stack([0.1, 0.1])
    holding = fewest_held(oracle_of(assembly), State.complete(assembly))
    assert (holding.held, holding.exact, holding.motions) == (0, True, ())


def test_a_floating_column_is_held_at_its_lower_block_and_every_column_takes_a_hand() -> None:
    for count in (1, 2, 3):
        assembly = columns(count)
        oracle = oracle_of(assembly)
        holding = fewest_held(oracle, State.complete(assembly))
        assert holding.held == assembly.mask(f"low-{n}" for n in range(count))
        assert holding.proved(oracle)


def test_four_columns_are_too_many_for_three_hands_and_four_motions_prove_it() -> None:
    assembly = columns(4)
    oracle = oracle_of(assembly)
    holding = fewest_held(oracle, State.complete(assembly), most=3)
    assert holding.held is None
    assert holding.proved(oracle)
    assert len(holding.motions) == 4
    assert all(not a & b for a, b in itertools.combinations(holding.moving, 2))
    assert fewest_held(oracle, State.complete(assembly), most=4).count == 4


def test_an_arch_without_its_keystone_needs_one_hand_a_side() -> None:
    assembly = arch(5, 0.3, 0.6)
    oracle = oracle_of(assembly)
    open_arch = State.complete(assembly, absent=assembly.mask(["2"]))
    holding = fewest_held(oracle, open_arch)
    assert holding.count == by_brute_force(oracle, open_arch) == 2
    assert holding.held is not None
    left, right = assembly.mask(["0", "1"]), assembly.mask(["3", "4"])
    assert (holding.held & left).bit_count() == (holding.held & right).bit_count() == 1


def test_parts_held_already_are_kept_and_not_counted() -> None:
    assembly = columns(2)
    state = State.complete(assembly, held=assembly.mask(["low-0"]))
    holding = fewest_held(oracle_of(assembly), state)
    assert holding.held == assembly.mask(["low-1"])


def test_parts_out_of_reach_are_not_held() -> None:
    assembly = columns(1)
    oracle = oracle_of(assembly)
    state = State.complete(assembly)
    holding = fewest_held(oracle, state, among=assembly.mask(["high-0"]))
    assert holding.held is None
    assert holding.proved(oracle)
    assert holding.moving == (0,)  # the lower block falls whatever is done to the upper one


def test_a_proof_with_a_motion_missing_proves_nothing() -> None:
    assembly = columns(3)
    oracle = oracle_of(assembly)
    holding = fewest_held(oracle, State.complete(assembly))
    assert not replace(holding, motions=holding.motions[1:], moving=holding.moving[1:]).proved(oracle)
    assert not replace(holding, held=assembly.mask(["low-0", "low-1"])).proved(oracle)


def test_a_smaller_set_left_undecided_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assembly = columns(1)
    oracle = oracle_of(assembly)
    assess, low = oracle.assess, assembly.mask(["low-0"])

    def hesitant(state: State) -> Verdict:
        verdict = assess(state)
        return replace(verdict, answer="undecided", certificate=None, why="") if state.held == low else verdict

    monkeypatch.setattr(oracle, "assess", hesitant)
    holding = fewest_held(oracle, State.complete(assembly))
    assert not holding.exact
    assert not holding.proved(oracle)


def test_bricks_are_held_by_the_same_rule() -> None:
    places = (("a", 0, 0), ("b", 0, 3), ("c", 6, 6), ("d", 12, 6), ("e", 10, 9))
    assembly = on_baseplate(*(brick(name, "brick_2x4", 0, y, plates) for name, y, plates in places))
    oracle = oracle_of(assembly)
    holding = fewest_held(oracle, State.complete(assembly))
    assert holding.count == by_brute_force(oracle, State.complete(assembly)) == 2
    assert holding.proved(oracle)


def test_equal_to_brute_force_on_every_small_assembly_of_the_planning_set() -> None:
    compared = 0
    for specimen in planning_set():
        assembly = specimen.make()
        if len(assembly.parts) <= SMALL:
            agrees(assembly)
            compared += 1
    assert compared >= 30


@pytest.mark.parametrize("kind", BRICKS)
def test_equal_to_brute_force_on_bricks(kind: str) -> None:
    agrees(make(kind))


@pytest.mark.parametrize("path", PUBLISHED)
def test_equal_to_brute_force_on_published_assemblies(path: str, shared: Path) -> None:
    agrees(load(shared / path, fixed=PUBLISHED[path]))


def agrees(assembly: Assembly) -> None:
    oracle = oracle_of(assembly)
    for state in tried(assembly, seed=len(assembly.parts)):
        holding = fewest_held(oracle, state)
        assert holding.count == by_brute_force(oracle, state)
        assert holding.proved(oracle)
        for rule in ("first", "heaviest"):
            greedy = greedy_held(oracle, state, rule=rule)  # type: ignore[arg-type]
            if greedy.held is not None:
                assert oracle.assess(helped(state, greedy.held)).stands
                assert holding.count is not None
                assert holding.count <= greedy.held.bit_count()


def test_the_greedy_rule_holds_what_falls_first_or_the_heaviest_of_each_group() -> None:
    assembly = columns(2)
    oracle, state = oracle_of(assembly), State.complete(assembly)
    first = greedy_held(oracle, state)
    assert first.held == assembly.mask(["low-0", "low-1"])  # all fall alike: part order decides
    assert first.checks == 3
    heaviest = greedy_held(oracle, state, rule="heaviest")
    assert heaviest.held == first.held
    assert heaviest.checks == 2  # both groups at once
    assert greedy_held(oracle, state, most=1).held is None


def test_the_greedy_rule_can_miss_what_one_hand_does() -> None:
    """A beam too far out on its pillar with a weight at the end: the weight falls fastest, but holding it does not
    keep the beam, while the beam held carries both."""
    pillar = block("pillar", (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
    beam = block("beam", (0.2, 0.0, 1.0), (3.0, 1.0, 0.2))
    weight = block("weight", (2.9, 0.0, 1.2), (0.3, 1.0, 0.3))
    assembly = Assembly((pillar, weight, beam), fixed=frozenset({"pillar"}))
    oracle, state = oracle_of(assembly), State.complete(assembly)
    assert fewest_held(oracle, state).held == assembly.mask(["beam"])
    assert greedy_held(oracle, state).held == assembly.mask(["weight", "beam"])


def test_hitting_sets_come_smallest_first_and_hit_everything() -> None:
    sets = [0b0011, 0b0110, 0b1100]
    assert list(hitting_sets(sets, 1)) == []
    found = list(hitting_sets(sets, 2))
    assert found == sorted(found, key=int.bit_count)
    assert all(hit & bits for hit in found for bits in sets)
    assert set(found) >= {0b0110, 0b1010, 0b0101}
    assert list(hitting_sets([], 3)) == [0]
    assert list(hitting_sets([0], 3)) == []
