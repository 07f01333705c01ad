"""The probability of standing: in closed form for one joint and for two, against samples solved one by one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly, Load
from falsework.model.errors import BadInput
from falsework.model.state import State
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.program import Program
from falsework.verdicts.limits.chance import chance_of_standing, interval, strength_factors
from tests.conftest import brick, on_baseplate
from tests.statics.structures import stack


def oracle_of(assembly: Assembly) -> Equilibrium:
    return Equilibrium(assembly, interfaces(assembly))


def pulled(newtons: float, bricks: int = 1) -> tuple[Equilibrium, State]:
    """1x1 bricks on each other, the highest pulled up: every joint carries the pull less the weight above it."""
    assembly = on_baseplate(*(brick(f"{n}", "brick_1x1", 0, 0, 3 * n) for n in range(bricks)))
    load = Load(f"{bricks - 1}", np.array([0.0, 0.0, newtons]))
    return oracle_of(assembly), replace(State.complete(assembly), loads=(load,))


def reaches(share: np.ndarray, spread: float) -> np.ndarray:
    """The probability that a lognormal factor of mean 1 and this relative spread is at least `share`."""
    sigma = np.sqrt(np.log1p(spread**2))
    return norm.sf((np.log(share) + sigma**2 / 2) / sigma)


@pytest.mark.parametrize("bricks", [1, 2])
def test_joints_in_a_row_stand_with_the_product_of_their_probabilities(bricks: int) -> None:
    oracle, state = pulled(2.6, bricks)
    weights = oracle.assembly.masses_kg[:bricks][::-1].cumsum() * 9.81
    exact = float(np.prod(reaches((2.6 - weights) / 2.80, 0.1)))
    found = chance_of_standing(oracle, state, np.random.default_rng(3), samples=20_000)
    assert found.low <= exact <= found.high
    assert found.high - found.low < 0.02
    assert found.solves < 500


def test_a_stated_spread_replaces_that_of_the_data_and_none_leaves_the_verdict() -> None:
    oracle, state = pulled(2.6)
    exact = float(reaches(np.array((2.6 - oracle.assembly.masses_kg[0] * 9.81) / 2.80), 0.3))
    found = chance_of_standing(oracle, state, np.random.default_rng(0), samples=5000, spread=0.3)
    assert found.low <= exact <= found.high
    for newtons, probability in ((2.6, 1.0), (2.9, 0.0)):
        sure = chance_of_standing(*pulled(newtons), np.random.default_rng(0), samples=100, spread=0.0)
        assert sure.probability == probability
        assert sure.solves == 1


def test_screened_samples_are_those_that_solving_each_one_would_give() -> None:
    assembly = on_baseplate(
        brick("foot", "brick_2x2", 0, 0, 0), brick("arm", "brick_8x2", 0, 0, 3), brick("tip", "brick_4x2", 4, 0, 6)
    )
    heavy = assembly.changed(gravity=assembly.gravity * 30)
    oracle, state = oracle_of(heavy), State.complete(heavy)
    found = chance_of_standing(oracle, state, np.random.default_rng(5), samples=80, spread=0.3)
    factors = strength_factors(oracle.joints, np.random.default_rng(5), 80, 0.3)
    assert 10 < found.standing < 70
    assert found.solves < 40
    assert found.standing == sum(_stands(oracle, state, row) for row in factors)


def _stands(oracle: Equilibrium, state: State, factors: np.ndarray) -> bool:
    clutches = oracle.joints.clutches
    each = replace(clutches, kinds=tuple(clutches.kinds[n] for n in clutches.kind), kind=np.arange(len(clutches)))
    rows = [oracle.clutch_rows[n] for n in clutches.kind]
    scaled = tuple(replace(kind, limits=s * kind.limits) for kind, s in zip(rows, factors, strict=True))
    found = replace(oracle.joints, clutches=each)
    factor, _ = Program(oracle.assembly, found, state, scaled).least_factor()
    assert factor is not None
    return factor <= 1


def test_the_same_seed_gives_the_same_probability() -> None:
    one, two = (chance_of_standing(*pulled(2.6), np.random.default_rng(1), samples=500) for _ in range(2))
    assert one == two


def test_samples_that_were_not_decided_widen_the_interval() -> None:
    found = chance_of_standing(*pulled(2.6), np.random.default_rng(0), samples=100, most_solves=0)
    assert (found.low, found.high, found.undecided, found.probability) == (0.0, 1.0, 100, None)


def test_what_no_strength_holds_never_stands() -> None:
    assembly = on_baseplate(brick("a", "brick_2x2", 0, 0, 0), brick("b", "brick_2x2", 8, 0, 6))
    found = chance_of_standing(oracle_of(assembly), State.complete(assembly), np.random.default_rng(0), samples=50)
    assert found.probability == 0.0


def test_clopper_and_pearson() -> None:
    assert interval(0, 0, 10) == (0.0, pytest.approx(1 - 0.025**0.1))
    assert interval(10, 10, 10) == (pytest.approx(0.025**0.1), 1.0)


def test_blocks_have_no_clutches_to_spread() -> None:
    assembly = stack([0.1])
    with pytest.raises(BadInput, match="needs clutches"):
        chance_of_standing(oracle_of(assembly), State.complete(assembly), np.random.default_rng(0))
    with pytest.raises(BadInput, match="expected at least 1"):
        chance_of_standing(*pulled(1.0), np.random.default_rng(0), samples=0)
