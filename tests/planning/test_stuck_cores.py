"""Bricks that no hand can ever take off: told without a search, and never wrongly."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.gallery import make
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.planning.bricks import leavings, stuck_cores
from falsework.planning.bricks import taking_apart as brick_removal
from falsework.planning.bricks.stuck_cores import StuckCores
from falsework.planning.bricks.taking_apart import BrickRemoval
from falsework.planning.nodes.ledger import Ledger
from falsework.planning.plans.workshop import Workshop
from falsework.planning.rules.named import rules_for
from falsework.planning.search.searches import Outcome, Search, best_first
from falsework.planning.search.walks import Task
from tests.conftest import brick, on_baseplate


def workshop(assembly: Assembly, press_n: float, robots: int = 1) -> Workshop:
    return Workshop(assembly, rules_for(assembly, "bricks", robots, press_n=press_n), joints=interfaces(assembly))


def cores(shop: Workshop) -> StuckCores:
    assert shop.bricks is not None
    return StuckCores(shop.bricks, shop.removals)


def task_of(shop: Workshop) -> Task:
    return shop.task(shop.everything, "height", np.random.default_rng(0))


def ended(search: Search) -> Outcome:
    while True:
        try:
            next(search)
        except StopIteration as end:
            outcome: Outcome = end.value
            return outcome


def test_a_column_at_the_end_of_an_arm_can_never_be_built() -> None:
    """Every press on the column breaks the arm's foot, and arm and column together are more than a hand carries."""
    foot, arm = brick("foot", "brick_1x1", 0, 0, 0), brick("arm", "brick_8x1", 0, 0, 3)
    column = [brick(f"column {z}", "brick_1x1", 7, 0, 6 + 3 * z) for z in range(12)]
    beside = brick("beside", "brick_2x2", 20, 0, 0)
    assembly = on_baseplate(foot, arm, *column, beside)
    whole = (1 << len(assembly.bodies)) - 1
    stuck = cores(workshop(assembly, press_n=3.0)).core(whole)
    assert set(assembly.named(stuck)) == set(assembly.names) - {"beside"}
    assert cores(workshop(assembly, press_n=0.05)).core(whole) == 0  # a light press is borne
    lower = whole & ~assembly.mask(["column 11"])
    assert cores(workshop(assembly, press_n=3.0)).core(lower) == 0  # the arm comes with its column, as one


@pytest.mark.parametrize("seed", range(6))
def test_with_and_without_cores_every_search_comes_to_the_same_end(seed: int) -> None:
    """Whatever is called stuck, a search that tries everything finds no plan for either."""
    assembly = make("random-bricks", seed, bricks=7)
    shop = workshop(assembly, press_n=(0.5, 2.0, 6.0)[seed % 3])
    whole = (1 << len(assembly.bodies)) - 1
    stuck = cores(shop).core(whole)
    assert shop.bricks is not None
    outcome = ended(best_first(BrickRemoval(task_of(shop), shop.bricks), Ledger(shop.checks)))
    if stuck and shop.stability.stands(shop.everything.whole):
        assert outcome.moves is None
    with_cores = BrickRemoval(task_of(shop), shop.bricks, cores(shop))
    assert (ended(best_first(with_cores, Ledger(shop.checks))).moves is None) == (outcome.moves is None)


@pytest.mark.parametrize("seed", range(8))
def test_where_hands_carry_little_a_core_is_found_whenever_every_order_fails(
    monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """Nothing of a core ever left, in any order; and here no order fails without one."""
    for module in (brick_removal, leavings, stuck_cores):
        monkeypatch.setattr(module, "MOST_CARRIED", 1 + seed % 3)
    shop = workshop(make("random-bricks", seed, bricks=6 + seed % 4), press_n=(0.8, 1.25, 2.5)[seed % 3])
    assert shop.bricks is not None
    whole, ledger = shop.everything.whole.installed, Ledger(shop.checks)
    outcome = ended(best_first(BrickRemoval(task_of(shop), shop.bricks), ledger))
    stuck = cores(shop).core(whole)
    assert (outcome.moves is None) == bool(stuck)
    assert all(not stuck & ~branch.node.installed for branch in ledger.tree)


def test_a_core_learnt_in_a_dead_end_holds_in_every_node_between(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is learnt in dead ends is never contradicted by what was taken off elsewhere."""
    for module in (brick_removal, leavings, stuck_cores):
        monkeypatch.setattr(module, "MOST_CARRIED", 2)
    learnt = 0
    for seed in range(4):
        shop = workshop(make("random-bricks", seed, bricks=8), press_n=1.25)
        assert shop.bricks is not None
        whole, ledger = shop.everything.whole.installed, Ledger(shop.checks)
        ended(best_first(BrickRemoval(task_of(shop), shop.bricks), ledger))
        parents = {branch.parent for branch in ledger.tree}
        for number, branch in enumerate(ledger.tree):
            if number in parents or branch.left == 0:
                continue
            known = cores(shop)
            known.learn(branch.node.installed, whole)
            learnt += bool(known.known(branch.node.installed))
            for later in ledger.tree:
                if later.parent >= 0:
                    stuck = known.known(ledger.tree[later.parent].node.installed)
                    assert not stuck & ~later.node.installed
    assert learnt


def test_no_brick_of_a_core_is_missing_from_any_node_of_the_search_below_it() -> None:
    """Every order of a model without a plan was tried: what was called stuck never left."""
    for seed in (2, 9):
        assembly = make("random-bricks", seed, bricks=9)
        shop = workshop(assembly, press_n=3.0)
        assert shop.bricks is not None
        stuck = cores(shop).core((1 << len(assembly.bodies)) - 1)
        ledger = Ledger(shop.checks, budget=20_000)
        ended(best_first(BrickRemoval(task_of(shop), shop.bricks), ledger))
        assert all(not stuck & ~branch.node.installed for branch in ledger.tree)
