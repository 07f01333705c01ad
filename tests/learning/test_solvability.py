"""Labels by search are those of the table, where there is one; where the budget runs out nothing is said."""

from __future__ import annotations

import numpy as np

from falsework.gallery.registry import make
from falsework.learning.generalist.course import lessons
from falsework.learning.generalist.taught import heap, sheet
from falsework.learning.problems.problem import Problem, Situation
from falsework.learning.problems.solvability import Solvability
from falsework.model.bits import bits
from falsework.planning.plans.truth import truth_of

ARCH = make("semicircular-arch", 0, stones=7)


def test_search_labels_states_and_actions_as_the_table_does() -> None:
    truth, problem = truth_of(ARCH), Problem.of(ARCH, 2)
    known = Solvability(problem, budget=10_000)
    states = [Situation(int(truth.installed[n]), int(truth.held[n]), problem.bare) for n in range(len(truth))]
    assert [known(here) for here in states] == truth.solvable.tolist()
    for row in range(0, len(truth), 11):
        verdicts = truth.verdicts([row])[0]
        right = sum(
            1 << 2 * part + way for c, part in enumerate(truth.parts) for way in (0, 1) if verdicts[c, way] == 1
        )
        assert known.actions(states[row]) == (right, 0)


def test_where_the_budget_runs_out_nothing_is_said() -> None:
    problem = Problem.of(ARCH, 2)
    known = Solvability(problem, budget=1)
    assert known(problem.complete()) is None
    right, unknown = known.actions(problem.complete())
    assert right == 0 and unknown == sum(1 << action for action in bits(problem.allowed(problem.complete())))


def test_packings_without_their_container_are_the_same_every_time_and_may_lack_pieces() -> None:
    sheets = [sheet(6, 8, seed) for seed in range(6)]
    assert {len(one.parts) for one in sheets} != {13} and all(10 <= len(one.parts) <= 13 for one in sheets)
    assert all(one.fixed == {"slab"} for one in sheets)
    assert (sheet(6, 8, 1).coms_m == sheets[1].coms_m).all()
    assert not heap(3, 3, 4, 100).fixed


def test_lessons_by_search_do_not_know_what_is_still_to_be_paid(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    from falsework.learning.generalist import course

    large = make("semicircular-arch", 0, stones=19)
    monkeypatch.setattr(course, "assemblies", lambda seeds: iter([("arch", large)]))
    lesson = next(lessons(0, 20, np.random.default_rng(0)))
    assert len(lesson.worth) == 20 and np.isnan(lesson.worth).all()
    assert lesson.right.any(axis=1).all() and (lesson.allowed & ~lesson.right).any(axis=1).all()
