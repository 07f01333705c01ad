"""The table of all states, against what searches find and against itself."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.gallery.registry import make
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.errors import BadInput
from falsework.planning.nodes.goals import Goal
from falsework.planning.nodes.moves import Node
from falsework.planning.plans.jobs import Job
from falsework.planning.plans.solving import solve
from falsework.planning.plans.truth import LOST, Truth, truth_in, truth_of
from falsework.planning.plans.workshop import Workshop
from falsework.planning.rules.named import rules_for

ARCH = make("semicircular-arch", 0, stones=11)


@pytest.fixture(scope="module")
def arch() -> Truth:
    return truth_of(ARCH, robots=2)


def test_a_state_is_solvable_exactly_where_a_search_finishes_it(arch: Truth) -> None:
    shop = Workshop(ARCH, rules_for(ARCH, "holds", 2, "none"), joints=interfaces(ARCH))
    resting = np.flatnonzero(np.bitwise_count(arch.held) < 2)
    for row in np.random.default_rng(1).choice(resting, 60, replace=False):
        whole = Node(int(arch.installed[row]), int(arch.held[row]))
        planned = solve(Job(shop, Goal(Node(ARCH.fixed_mask()), whole)))
        assert (planned.status == "complete") == arch.solvable[row]


def test_three_hands_leave_nothing_unsolvable_that_two_hands_can_finish(arch: Truth) -> None:
    more = truth_of(ARCH, robots=3)
    assert more.solvable[more.rows(arch.keys[arch.solvable])].all()
    assert more.holds_to_go[more.row(more.whole)] <= arch.holds_to_go[arch.row(arch.whole)]


def test_a_tower_needs_no_hold_and_every_order_but_the_top_one_is_a_mistake() -> None:
    tower = truth_of(make("harmonic-tower", 0, bricks=4))
    assert tower.holds_to_go[tower.row(tower.whole)] == 0
    top = max(tower.parts)
    verdicts = tower.verdicts([tower.row(tower.whole, 1 << top)])[0]
    assert verdicts[tower.parts.index(top), 1] == 1
    below = tower.parts.index(min(tower.parts))
    held_below = tower.verdicts([tower.row(tower.whole, 1 << min(tower.parts))])[0]
    assert held_below[below, 1] == 0  # all that stands on it falls


def test_regret_is_what_the_costs_to_go_say(arch: Truth) -> None:
    rows = np.flatnonzero(arch.solvable & (arch.installed != arch.whole & ~arch.movable))
    regret = arch.regret(rows)
    verdicts = arch.verdicts(rows)
    assert ((regret == LOST) == (verdicts != 1)).all()
    least = np.where(regret == LOST, 99, regret).min(axis=(1, 2))
    assert (least == 0).all()  # some action is the best one


def test_a_mistake_is_possible_only_where_a_choice_matters(arch: Truth) -> None:
    mistakes = (arch.verdicts() == 0).any(axis=(1, 2)) & arch.solvable
    assert (mistakes == arch.matters()).all()
    assert 0 < arch.matters().sum() < arch.solvable.sum()


def test_ways_out_are_minded_where_paths_are() -> None:
    locked = make("locked-bookshelf")
    free, minded = truth_of(locked), truth_of(locked, paths="straight")
    assert minded.blocked is not None and len(minded) <= len(free)


def test_it_is_kept_on_disk_and_found_again(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    monkeypatch.setenv("FALSEWORK_CACHE", str(tmp_path))
    monkeypatch.setattr("falsework.kernels.keeping.WORTH_S", 0.0)
    first = truth_of(ARCH)
    monkeypatch.setattr("falsework.planning.plans.truth._Listing.listed", None)
    again = truth_of(make("semicircular-arch", 0, stones=11))
    assert (again.keys == first.keys).all() and (again.holds_to_go == first.holds_to_go).all()


def test_what_is_too_large_or_under_other_rules_is_refused() -> None:
    with pytest.raises(BadInput, match="up to 32 bodies, and here are 47"):
        truth_of(make("semicircular-arch", 0, stones=45))
    with pytest.raises(BadInput, match="more than 100 states"):
        truth_of(ARCH, most=100)
    shop = Workshop(ARCH, rules_for(ARCH, "holds", 2, "none", regrasp=True))
    with pytest.raises(BadInput, match="without regrasping"):
        truth_in(shop)


def test_of_what_does_not_stand_there_is_nothing_to_list() -> None:
    leaning = make("leaning-tower", 0, bricks=12, lean=0.3)
    truth = truth_of(leaning)
    assert len(truth) == 0 and truth.row(truth.whole) == -1 and truth.actions().shape[0] == 0
