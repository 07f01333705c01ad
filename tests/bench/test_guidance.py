"""What is measured of guides and good plans is what it says."""

from __future__ import annotations

from falsework.bench.guidance.few_holds import against_a_beam, plain_beam
from falsework.bench.guidance.led_searches import led
from falsework.bench.guidance.zero_shot import greedy
from falsework.gallery.registry import make
from falsework.learning.generalist.shipped import generalist
from falsework.learning.problems.problem import Problem
from falsework.planning.nodes.ledger import Ledger
from falsework.planning.plans.jobs import Job
from falsework.planning.plans.solving import run
from falsework.planning.plans.workshop import Workshop
from falsework.planning.rules.named import rules_for
from falsework.planning.search.sparing import SparingRemoval
from falsework.planning.search.thin_beam import thin_beam

ARCH = make("semicircular-arch", 0, stones=7)


def test_a_thin_beam_finds_what_a_plain_one_does_for_fewer_evaluations() -> None:
    shop = Workshop(ARCH, rules_for(ARCH, "holds", 2, "none"))
    job = Job(shop, shop.everything)
    plain, thin = Ledger(shop.checks), Ledger(shop.checks)
    cost, evaluations = plain_beam(SparingRemoval(job.task()), plain, 16)
    moves = run(thin_beam(SparingRemoval(job.task()), thin, 16), thin, job).moves
    assert moves is not None and sum(move.earlier.held.bit_count() for move in moves) == cost
    assert thin.evaluations < evaluations


def test_rows_say_what_was_found_beside_what_was_asked_for() -> None:
    row = against_a_beam("arch", ARCH, 4)
    assert row.notes["verified"] and "holds" in row.figure and row.target
    tower = led("tower", [("tower", make("harmonic-tower", 0, bricks=5))], rules="holds", paths="none")
    assert "a part" in tower.figure and tower.notes["left out"] == 0


def test_first_choices_finish_what_is_finished_and_never_more_than_can_be() -> None:
    problem = Problem.of(ARCH, 1)  # one hand cannot take an arch apart
    guide = generalist(ARCH, problem.joints)
    assert greedy(guide, problem, [problem.complete()]).tolist() == [False]
    bare = problem.complete()._replace(installed=problem.bare)
    assert greedy(guide, problem, [bare]).tolist() == [True]
