"""The decision process of seed 002: what is masked, what ends an episode, what beams and labels say of it."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.learning.problems.beams import start_states, target_tasks
from falsework.learning.problems.labels import Labels
from falsework.learning.problems.problem import HOLD, REMOVE, Problem, Situation
from falsework.learning.problems.without_learning import highest_first, searched
from falsework.model.bits import bits
from falsework.model.errors import BadInput
from tests.learning.small import bridge, problem

PLATE, LEFT, RIGHT, BEAM = range(4)


def test_unheld_parts_can_be_held_and_only_held_ones_taken_away() -> None:
    one = problem()
    whole = one.complete()
    assert set(bits(one.allowed(whole))) == {2 * part + HOLD for part in (LEFT, RIGHT, BEAM)}
    held = one.after(whole, 2 * BEAM + HOLD)
    assert set(bits(one.allowed(held))) == {2 * BEAM + REMOVE}  # the one hand there is has something in it


def test_no_more_parts_are_held_than_there_are_hands() -> None:
    two = problem(robots=2)
    held = Situation(two.whole, 1 << LEFT, two.bare)
    assert 1 << 2 * BEAM + HOLD & two.allowed(held)
    both = two.after(held, 2 * BEAM + HOLD)
    assert set(bits(two.allowed(both))) == {2 * LEFT + REMOVE, 2 * BEAM + REMOVE}


def test_stability_is_not_masked() -> None:
    one = problem()
    held = one.after(one.complete(), 2 * LEFT + HOLD)
    assert one.allowed(held) == 1 << 2 * LEFT + REMOVE
    assert one.stand([one.after(held, 2 * LEFT + REMOVE)]) == [False]


def test_target_parts_are_not_taken_away() -> None:
    two = problem(robots=2)
    kept = two.complete(1 << LEFT)
    held = kept._replace(held=1 << LEFT | 1 << BEAM)
    assert set(bits(two.allowed(held))) == {2 * BEAM + REMOVE}
    assert two.finished(Situation(kept.target, 0, kept.target))


def test_only_parts_that_can_leave_are_taken_away_where_that_is_asked() -> None:
    class Stuck:
        certain = True

        def leaves(self, moved: int, installed: int) -> bool:
            return moved != 1 << BEAM

    plain = problem()
    barred = Problem(plain.assembly, plain.joints, 1, plain.oracle, Stuck())  # type: ignore[arg-type]
    held = barred.after(barred.complete(), 2 * BEAM + HOLD)
    assert plain.allowed(held) and not barred.allowed(held)
    assert searched(barred, barred.complete()) is False  # a deadlock (7.3)


def test_every_state_of_a_building_beam_can_be_finished_and_test_states_are_new() -> None:
    two = problem(robots=2)
    split = start_states(two, widths=(2, 8))
    assert not set(split.train) & set(split.test) and split.test
    assert all(Labels(two).solvable([*split.train, *split.test]))
    assert two.complete() in split.train


def test_targets_are_what_is_left_when_taking_apart() -> None:
    two = problem(robots=2)
    split = target_tasks(two, widths=(1, 16))
    assert all(here.installed == two.whole and two.bare != here.target != two.whole for here in split.train)
    assert not {here.target for here in split.train} & {here.target for here in split.test}
    assert all(Labels(two).solvable([*split.train, *split.test]))


def test_labels_agree_with_search_on_everything_that_can_be_reached() -> None:
    two = problem(robots=2)
    labels = Labels(two)
    labels.solvable([two.complete()])
    met = labels.known()
    assert labels.solvable(met) == [searched(two, here) for here in met]
    right = labels.right(met)
    for row, here in zip(right, met, strict=True):
        for action in bits(two.allowed(here)):
            there = two.after(here, action)
            assert row[action] == (two.stand([there])[0] and bool(searched(two, there)))


def test_only_the_beam_can_go_first() -> None:
    one = problem()
    right = Labels(one).right([one.complete()])[0]
    assert np.flatnonzero(right).tolist() == [2 * BEAM + HOLD]
    assert highest_first(one, one.complete())


def test_who_goes_by_a_belief_gets_as_far_as_it_is_right() -> None:
    """Who thinks that the beam cannot go takes a post from under it; who thinks that nothing can go does nothing."""
    one = problem()
    assert highest_first(one, one.complete(), lambda here, part: one.stand([one.after(here, 2 * part + REMOVE)])[0])
    assert not highest_first(one, one.complete(), lambda here, part: part != BEAM)
    assert not highest_first(one, one.complete(), lambda here, part: False)


def test_too_many_situations_for_exact_labels_are_refused() -> None:
    with pytest.raises(BadInput, match="more than 3 situations can be reached; exact labels are for smaller"):
        Labels(problem(), most=3).solvable([problem().complete()])


def test_an_odd_number_of_robots_is_refused() -> None:
    with pytest.raises(BadInput, match="robots: found 0, expected 1 to 16"):
        Problem.of(bridge(), 0)
