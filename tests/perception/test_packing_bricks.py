"""Exact packing and re-tiling, against brute force and by hand."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from falsework.perception.locator.choosing import still_possible
from falsework.perception.locator.packing import Packing, footprints_overlap
from falsework.perception.locator.retiling import merge, other_tilings


def brute_force(shows: list[np.ndarray], costs: list[float], apart: set[tuple[int, int]], without: int) -> float:
    best = 0.0
    usable = [n for n in range(len(shows)) if n != without]
    for size in range(len(usable) + 1):
        for chosen in combinations(usable, size):
            if any(pair in apart for pair in combinations(chosen, 2)):
                continue
            seen = set().union(*(set(shows[n].tolist()) for n in chosen))
            best = max(best, len(seen) - sum(costs[n] for n in chosen))
    return best


@pytest.mark.parametrize("seed", range(6))
def test_packing_is_as_good_as_trying_everything(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = 7
    shows = [np.flatnonzero(rng.random(60) < 0.3) for _ in range(count)]
    costs = rng.uniform(0, 12, count).tolist()
    apart = {(a, b) for a, b in combinations(range(count), 2) if rng.random() < 0.3}
    packing = Packing(shows, costs, sorted(apart))
    chosen, best = packing.best()
    assert best == pytest.approx(brute_force(shows, costs, apart, -1), abs=1e-6)
    for one in chosen:
        _, without = packing.best(without=[one])
        assert without == pytest.approx(brute_force(shows, costs, apart, one), abs=1e-6)
        assert packing.least_loss(chosen, one, [one]) <= best - without + 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_branch_and_bound_and_the_solver_agree(seed: int) -> None:
    rng = np.random.default_rng([seed, 1])
    shows = [np.flatnonzero(rng.random(200) < 0.2) for _ in range(14)]
    apart = [(a, b) for a, b in combinations(range(14), 2) if rng.random() < 0.4]
    packing = Packing(shows, rng.uniform(0, 20, 14).tolist(), apart)
    for without in ((), (0, 3)):
        assert packing.best(without)[1] == pytest.approx(packing.best_by_solver(without)[1], abs=1e-6)


def in_a_row(seed: int, lure: int = -1) -> Packing:
    """Forty bricks that may lie in a row of pixels where nothing shows where they end; who takes `lure` gets 1000."""
    rng = np.random.default_rng([seed, 2])
    low = rng.integers(0, 60, 40)
    high = low + rng.choice([8, 16], 40)
    shows = [np.arange(a, b)[rng.random(b - a) < 0.95] for a, b in zip(low, high, strict=True)]
    apart = [(a, b) for a, b in combinations(range(40), 2) if min(high[a], high[b]) - max(low[a], low[b]) > 3]
    return Packing(shows, rng.uniform(1, 4, 40) - 1000.0 * (np.arange(40) == lure), apart)


@pytest.mark.parametrize("seed", range(3))
def test_what_a_bound_rules_out_is_in_no_packing_that_is_worth_more(seed: int) -> None:
    packing = in_a_row(seed)
    _, most = packing.best_by_solver()
    told = packing._weights, packing.costs, packing._apart, np.ones(packing.count, np.bool_)
    for less in (0.5, 3.0):
        alive = still_possible(*packing._owners, *told, most - less, 150)
        assert packing.best_by_solver(np.flatnonzero(~alive).tolist())[1] == pytest.approx(most, abs=1e-6)
        assert 0 < alive.sum() < 40
        for one in np.flatnonzero(~alive).tolist():
            assert in_a_row(seed, one).best_by_solver()[1] - 1000.0 <= most - less + 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_no_packing_with_a_brick_is_worth_more_than_the_relaxed_problem_says(seed: int) -> None:
    packing = in_a_row(seed)
    _, most = packing.best_by_solver()
    shares, at_most = packing._relaxed(np.ones(packing.count, np.bool_))
    assert at_most.max() >= most - 1e-6 and (shares > -1e-9).all() and (shares < 1 + 1e-9).all()
    for one in range(packing.count):
        assert in_a_row(seed, one).best_by_solver()[1] - 1000.0 <= at_most[one] + 1e-6


@pytest.mark.parametrize("many", [5000, 0])  # by branch and bound among those that are left, and by the solver
@pytest.mark.parametrize("seed", range(4))
def test_what_the_relaxed_problem_leaves_is_as_good_as_all(
    seed: int, many: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("_FIRST_NODES", 1), ("_FEW", 0), ("_MANY_NODES", many)):
        monkeypatch.setattr(f"falsework.perception.locator.packing.{name}", value)
    packing = in_a_row(seed)
    chosen, most = packing.best()
    assert most == pytest.approx(packing.best_by_solver()[1], abs=1e-6)
    assert packing.best() == (chosen, most)  # asked again
    without, less = packing.best(chosen[:1])
    assert less == pytest.approx(packing.best_by_solver(chosen[:1])[1], abs=1e-6) and chosen[0] not in without
    assert packing.best(chosen[:1], above=less + 1.0) == ((), less + 1.0)


def test_where_everything_is_ruled_out_nothing_is_chosen() -> None:
    packing = in_a_row(0)
    everything = range(packing.count)
    assert packing.best(everything) == packing.best_by_solver(everything) == ((), 0.0)


@pytest.mark.parametrize("seed", range(3))
def test_what_is_not_worth_enough_is_not_told(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for nodes in (300, 1):  # by branch and bound alone, and after a bound
        monkeypatch.setattr("falsework.perception.locator.packing._FIRST_NODES", nodes)
        packing = in_a_row(seed)
        chosen, most = packing.best()
        assert most == pytest.approx(packing.best_by_solver()[1], abs=1e-6)
        assert packing.best(above=most - 1.0)[1] == pytest.approx(most, abs=1e-6)
        assert packing.best(above=most + 1.0) == ((), most + 1.0)
        assert packing.best(chosen[:1])[1] == pytest.approx(packing.best_by_solver(chosen[:1])[1], abs=1e-6)


def test_six_studs_in_a_row_are_tiled_in_one_other_way() -> None:
    others = list(other_tilings([(0, 0, 2, 2), (2, 0, 4, 2)], [(2, 2), (2, 4)]))
    assert [sorted(one) for one in others] == [[(0, 0, 4, 2), (4, 0, 2, 2)]]


def test_two_long_bricks_side_by_side_may_lie_across() -> None:
    others = list(other_tilings([(0, 0, 4, 2), (0, 2, 4, 2)], [(2, 2), (2, 4)]))
    assert [sorted(one) for one in others] == [[(0, 0, 2, 4), (2, 0, 2, 4)]]


def test_one_long_brick_is_not_two_short_ones() -> None:
    assert merge((0, 0, 2, 2), (2, 0, 2, 2), [(4, 2), (2, 4)])
    assert list(other_tilings([(0, 0, 4, 2)], [(2, 2), (2, 4)])) == []


def test_rectangles_that_only_touch_do_not_overlap() -> None:
    square = np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]])
    assert not footprints_overlap(square, square + np.array([1.0, 0.0]), 0.1)
    assert footprints_overlap(square, square + np.array([0.5, 0.5]), 0.1)


def test_other_prices_are_another_packing_of_the_same_bricks() -> None:
    rng = np.random.default_rng(3)
    shows = [np.flatnonzero(rng.random(60) < 0.3) for _ in range(8)]
    apart = [(a, b) for a, b in combinations(range(8), 2) if rng.random() < 0.3]
    first, second = rng.uniform(0, 12, 8).tolist(), rng.uniform(0, 25, 8).tolist()
    packing = Packing(shows, first, apart)
    assert packing.priced(second).best() == Packing(shows, second, apart).best()
    assert packing.best() == Packing(shows, first, apart).best()
