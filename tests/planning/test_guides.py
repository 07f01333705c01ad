"""A guide changes the order in which moves are tried, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest

import falsework
from falsework.gallery.registry import make
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.state import State
from falsework.planning.nodes.ledger import Ledger, Met
from falsework.planning.plans.jobs import Job
from falsework.planning.plans.solving import run
from falsework.planning.plans.truth import truth_of
from falsework.planning.plans.workshop import Workshop
from falsework.planning.rules.named import rules_for
from falsework.planning.search.guided import GuidedRemoval, costs_to_go, led, slowed
from falsework.planning.search.searches import Outcome, Search
from falsework.planning.search.sparing import SparingRemoval
from falsework.planning.search.thin_beam import thin_beam
from falsework.planning.search.walks import TakingApart

ARCH = make("semicircular-arch", 0, stones=7)
VAULT = make("barrel-vault", 0, stones=5, rows=2)


class Says:
    """A guide that scores by how high the part is that a hand touches."""

    def __init__(self, assembly: Assembly, sign: float, spoilt: float | None = None) -> None:
        self._heights, self._sign, self._spoilt = assembly.coms_m[:, 2], sign, spoilt
        self.asked = 0

    def scores(self, state: State, moves: Sequence[tuple[int, State]]) -> Array:
        self.asked += 1
        touched = [parts or after.held & ~state.held for parts, after in moves]
        scores = [self._heights[part.bit_length() - 1] for part in touched]
        return np.full(len(moves), self._spoilt) if self._spoilt is not None else self._sign * np.array(scores)

    def cost_to_go(self, states: Sequence[State]) -> Array:
        return np.zeros(len(states))


HOSTILE = {"nan": (0.0, np.nan), "reversed": (-1.0, None), "constant": (1.0, 1.0), "endless": (1.0, np.inf)}


@pytest.mark.parametrize("how", HOSTILE)
@pytest.mark.parametrize("assembly", [ARCH, VAULT], ids=["arch", "vault"])
def test_with_a_hostile_guide_there_is_still_a_plan_that_is_verified(how: str, assembly: Assembly) -> None:
    sign, spoilt = HOSTILE[how]
    guide = Says(assembly, sign, spoilt)
    guided = falsework.plan(assembly, paths="none", guide=guide)
    assert guided.status == "complete" and falsework.verify(guided.plan, assembly).valid
    assert guide.asked > 0


@pytest.mark.parametrize("how", HOSTILE)
def test_where_there_is_no_plan_a_hostile_guide_does_not_change_the_proof(how: str) -> None:
    sign, spoilt = HOSTILE[how]
    plain = falsework.plan(ARCH, robots=1, paths="none")
    guided = falsework.plan(ARCH, robots=1, paths="none", guide=Says(ARCH, sign, spoilt))
    assert plain.status == guided.status == "infeasible"
    assert guided.plan.proof is not None and guided.plan.proof.by in ("search", "hands")


def test_a_good_guide_takes_little_more_than_an_evaluation_a_part() -> None:
    tower = make("harmonic-tower", 0, bricks=12)
    plain, guided = falsework.plan(tower), falsework.plan(tower, guide=Says(tower, 1.0))
    assert guided.evaluations == 12 < plain.evaluations
    assert falsework.verify(guided.plan, tower).valid


class Knows:
    """A guide that has read the table: what leads to a state that can be finished, holding as little as can be."""

    def __init__(self, assembly: Assembly, robots: int) -> None:
        self._truth = truth_of(assembly, robots=robots)

    def scores(self, state: State, moves: Sequence[tuple[int, State]]) -> Array:
        rows = [self._truth.row(after.installed, after.held) for _, after in moves]
        to_go = [self._truth.holds_to_go[row] if row >= 0 else -1 for row in rows]
        paid = [max(after.held.bit_count(), 0) if parts else 0 for parts, after in moves]
        return np.array([-1e3 if left < 0 else -10.0 * (left + cost) for left, cost in zip(to_go, paid, strict=True)])

    def cost_to_go(self, states: Sequence[State]) -> Array:
        """Of what falls nothing: it is found out by asking."""
        rows = [self._truth.row(state.installed, state.held) for state in states]
        return np.array([0.0 if row < 0 else np.nan if (n := self._truth.holds_to_go[row]) < 0 else n for row in rows])


@pytest.mark.parametrize("assembly", [ARCH, VAULT], ids=["arch", "vault"])
def test_a_beam_one_node_wide_that_is_told_what_is_still_to_be_paid_finds_the_fewest_holds(assembly: Assembly) -> None:
    shop = Workshop(assembly, rules_for(assembly, "holds", 2, "none"))
    job, ledger, truth = Job(shop, shop.everything), Ledger(shop.checks), truth_of(assembly)
    guessed = partial(costs_to_go, Knows(assembly, 2))
    moves = run(thin_beam(SparingRemoval(job.task()), ledger, 1, to_go=guessed), ledger, job).moves
    assert moves is not None
    assert sum(move.earlier.held.bit_count() for move in moves) == truth.holds_to_go[truth.row(truth.whole)]


def test_costs_that_make_no_sense_change_the_order_only_and_too_few_of_them_are_refused() -> None:
    long_arch = make("semicircular-arch", 0, stones=19)  # beyond the table
    plain = falsework.plan(long_arch, paths="none", minimise="holds")

    class Spoilt(Says):
        def cost_to_go(self, states: Sequence[State]) -> Array:
            return np.resize([np.nan, np.inf, -np.inf], len(states))

    class TooFew(Says):
        def cost_to_go(self, states: Sequence[State]) -> Array:
            return np.zeros(len(states) + 1)

    spoilt = falsework.plan(long_arch, paths="none", minimise="holds", guide=Spoilt(long_arch, 1.0))
    assert plain.quality is not None and spoilt.quality is not None and spoilt.quality.value <= plain.quality.value
    assert falsework.verify(spoilt.plan, long_arch).valid
    with pytest.raises(BadInput, match=r"guide: found costs of shape .* expected one number each"):
        falsework.plan(long_arch, paths="none", minimise="holds", guide=TooFew(long_arch, 1.0))


@pytest.mark.parametrize("assembly", [ARCH, VAULT], ids=["arch", "vault"])
def test_who_knows_the_table_says_whom_to_hold_as_well_and_takes_one_evaluation_a_part(assembly: Assembly) -> None:
    guided = falsework.plan(assembly, paths="none", guide=Knows(assembly, 2))
    assert guided.evaluations == len(assembly.parts) - len(assembly.fixed)
    assert falsework.verify(guided.plan, assembly).valid


@pytest.mark.parametrize("robots", [2, 3])
def test_what_follows_from_refusals_is_what_the_table_says(robots: int) -> None:
    """Nothing that stands is ever left out because of what was refused before it, whoever was asked about first."""
    shop = Workshop(VAULT, rules_for(VAULT, "holds", robots, "none"))
    task = Job(shop, shop.everything).task()
    for seed in range(3):
        rng = np.random.default_rng(seed)

        class Random(Says):
            def scores(self, state: State, moves: Sequence[tuple[int, State]], rng: np.random.Generator = rng) -> Array:
                return 5.0 * rng.normal(size=len(moves))

        met = Met(lambda here, there: False)
        walk, plain = GuidedRemoval(task, Random(VAULT, 1.0)), TakingApart(task)
        ledger = Ledger(shop.checks)
        found = [node for _, node in walk.moves(task.whole, ledger, met)]
        least = [node for _, node in plain.moves(task.whole, ledger, met)]
        assert all(
            any(one.installed == node.installed and one.held & ~node.held == 0 for one in found) for node in least
        )


SEVERAL = {
    "arch": ARCH,
    "vault": VAULT,
    "flat arch": make("flat-arch", 0, stones=9),
    "tower": make("harmonic-tower", 0, bricks=8),
    "dome": make("dome", 0, rings=2, segments=5),
    "tray": make("tetromino-packing", 0, columns=6, rows=6),
    "frame": make("mortise-frame", 0, bays=2),
    "bond": make("running-bond-wall", 0, columns=3, courses=3),
}


class Misleads(Knows):
    """Right up to the last few parts, and then the reverse: who trusts it has paid for most of the way."""

    def scores(self, state: State, moves: Sequence[tuple[int, State]]) -> Array:
        left = (state.installed & self._truth.movable).bit_count()
        return super().scores(state, moves) * (1.0 if left > 3 else -1.0)


class Reversed(Knows):
    """Mistakes first."""

    def scores(self, state: State, moves: Sequence[tuple[int, State]]) -> Array:
        return -super().scores(state, moves)


@pytest.mark.parametrize("guide", [Reversed, Misleads])
@pytest.mark.parametrize("assembly", SEVERAL.values(), ids=SEVERAL)
def test_a_hostile_guide_costs_at_most_half_of_what_the_others_take_alone(
    assembly: Assembly, guide: type[Knows]
) -> None:
    plain = falsework.plan(assembly, rules="holds", paths="none", groups=False)
    led_astray = falsework.plan(assembly, rules="holds", paths="none", groups=False, guide=guide(assembly, 2))
    assert plain.status == led_astray.status == "complete"
    assert led_astray.evaluations <= 1.5 * plain.evaluations


def test_a_guide_has_what_a_plan_takes_at_least_and_then_half_of_what_the_others_have_had() -> None:
    ledger = Ledger(())
    had = {"guided": 0, "others": 0}
    shares: list[tuple[int, int]] = []

    def paying(name: str, left: int) -> Search:
        """Always getting on, and never there."""
        while True:
            yield left
            ledger.evaluations += 1
            had[name] += 1
            left = max(left - 1, 1)

    search = led(paying("guided", 100), [paying("others", 100)], ledger, walks=2)
    for _ in range(320):
        next(search)
        shares.append((had["guided"], had["others"]))
    assert shares[98] == (99, 0) and max(guided for guided, _ in shares) > 100
    assert all(guided <= max(100, others / 2) for guided, others in shares)


def test_bricks_that_are_soon_planned_pay_nothing_for_a_guide() -> None:
    bridge = make("brick-bridge", 0)
    plain, guided = falsework.plan(bridge), falsework.plan(bridge, guide=Says(bridge, -1.0))
    assert guided.status == plain.status == "complete" and guided.evaluations == plain.evaluations
    assert falsework.verify(guided.plan, bridge).valid


def test_a_guide_that_waits_is_back_once_the_others_have_had_six_evaluations_for_each_of_its_own() -> None:
    ledger = Ledger(())
    begun: list[int] = []

    def guided() -> Search:
        begun.append(ledger.evaluations)
        yield 1
        return Outcome(None)

    search = slowed(guided(), ledger, at_least=2)
    while not begun:
        next(search)
        ledger.evaluations += 1
    assert begun == [12]


def test_scores_of_another_shape_and_planners_that_nobody_leads_are_refused() -> None:
    class Wrong(Says):
        def scores(self, state: State, moves: Sequence[tuple[int, State]]) -> Array:
            return np.zeros((len(moves), 2))

    with pytest.raises(BadInput, match=r"guide: found scores of shape .* expected one number each"):
        falsework.plan(ARCH, guide=Wrong(ARCH, 1.0))
    with pytest.raises(BadInput, match="a guide leads beside planner auto"):
        falsework.plan(ARCH, guide=Says(ARCH, 1.0), planner="beam")
