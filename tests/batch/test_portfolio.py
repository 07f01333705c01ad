"""Several ways to search at a time: the first proof wins, and it is the same verdict whoever wins."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import falsework
from falsework.batch.portfolio import DIVERSE, portfolio, variants
from falsework.cli import main
from falsework.model.errors import BadInput, Undecided
from falsework.model.work import Limits, Outcome

ARCH = str(Path(__file__).parents[2] / "examples" / "arch.yaml")


class Arriving:
    """A pool for tests: variants come to their end in the order that is given; those not named never do."""

    workers, shares_files = 4, True

    def __init__(self, *order: int, dead: tuple[int, ...] = ()) -> None:
        self.order, self.dead, self.taken = order, dead, 0

    def outcomes(self, work: Any, tasks: Any, limits: Limits) -> Iterator[Outcome]:
        given = list(tasks)
        for number in self.order:
            self.taken += 1
            if number in self.dead:
                yield Outcome(number, lost="its worker was ended by SIGSEGV", tries=2)
            else:
                yield Outcome(number, work(given[number]))


def test_variants_differ_and_the_first_is_the_usual_one() -> None:
    ways = list(variants(12, seed=5))
    assert (ways[0].planner, ways[0].selector, ways[0].seed) == ("auto", "height", 5)
    assert len({(way.planner, way.selector, way.seed) for way in ways}) == 12 == len(DIVERSE) + 4
    assert [way.rank for way in ways] == list(range(12))
    assert [way.as_dict() for way in variants(3, 5)] == [way.as_dict() for way in ways[:3]]


def test_whoever_is_first_with_an_answer_wins_and_the_rest_is_not_waited_for() -> None:
    pool = Arriving(2, 1, 0)
    raced = portfolio(ARCH, 3, pool=pool, robots=2)
    assert raced.winner is not None and raced.winner.rank == 2 and raced.ended == pool.taken == 1
    assert raced.planned.status == "complete" and falsework.verify(raced.planned.plan, ARCH).valid


def test_by_rank_the_winner_is_the_same_in_whatever_order_they_arrive() -> None:
    plans = []
    for order in ((2, 1, 0), (0, 2, 1), (1, 0, 2)):
        raced = portfolio(ARCH, 3, pool=Arriving(*order), by_rank=True, robots=2)
        assert raced.winner is not None and raced.winner.rank == 0
        plans.append([(step.action, step.parts) for step in raced.planned.plan.steps])
    assert plans[0] == plans[1] == plans[2]


def test_a_variant_that_dies_or_runs_out_is_passed_over() -> None:
    raced = portfolio(ARCH, 3, pool=Arriving(0, 1, dead=(0,)), by_rank=True, robots=2)
    assert raced.winner is not None and raced.winner.rank == 1
    with pytest.raises(Undecided, match="SIGSEGV"):
        portfolio(ARCH, 1, pool=Arriving(0, dead=(0,)))
    none = portfolio(ARCH, 2, pool=Arriving(1, 0), robots=2, budget=2)
    assert none.winner is None and none.planned.status == "budget"


@pytest.mark.parametrize("rank", range(4))
def test_no_way_to_search_has_another_verdict(rank: int) -> None:
    for robots, status in ((1, "infeasible"), (2, "complete")):
        raced = portfolio(ARCH, 4, pool=Arriving(rank), robots=robots)
        assert raced.planned.status in (status, "budget"), (rank, robots)
        assert raced.winner is None or raced.planned.status == status


def test_questions_that_make_no_sense_are_refused() -> None:
    with pytest.raises(BadInput, match="portfolio: found 0, expected a whole number from 1 to 256"):
        portfolio(ARCH, 0)
    with pytest.raises(TypeError, match=r"portfolio\(\) has no option 'planner'; "):
        portfolio(ARCH, 2, planner="beam")
    with pytest.raises(BadInput, match="rules 'nobody'"):
        portfolio(ARCH, 2, rules="nobody", pool="serial")


def test_on_the_command_line_real_processes_race(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = [
        "plan",
        ARCH,
        "--robots",
        "2",
        "--portfolio",
        "3",
        "--pool",
        "processes:2",
        "--json",
        "--out",
        str(tmp_path),
    ]
    assert main(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["status"] == "complete" and told["portfolio"]["variants"] == 3
    assert told["portfolio"]["winner"]["rank"] in (0, 1, 2)
    assert main(["verify", told["plan"]]) == 0
    capsys.readouterr()
    for more, why in (
        (["--by-rank"], "are of a portfolio"),
        (["--portfolio", "2", "--planner", "beam"], "chooses planners"),
    ):
        assert main(["plan", ARCH, *more]) == 2
        assert why in capsys.readouterr().err
