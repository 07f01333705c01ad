"""A guide changes the order in which moves are tried, and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

import falsework
from falsework.gallery.registry import make
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.state import State

ARCH = make("semicircular-arch", 0, stones=7)
VAULT = make("barrel-vault", 0, stones=5, rows=2)


class Says:
    """A guide that scores by a function of how high a part is and how many are held."""

    def __init__(self, assembly: Assembly, sign: float, spoilt: float | None = None) -> None:
        self._heights, self._sign, self._spoilt = assembly.coms_m[:, 2], sign, spoilt
        self.asked = 0

    def scores(self, state: State, moves: Sequence[tuple[int, State]]) -> Array:
        self.asked += 1
        scores = [self._heights[parts.bit_length() - 1] - after.held.bit_count() for parts, after in moves]
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


def test_bricks_too_are_guided_and_presses_are_minded() -> None:
    bridge = falsework.load("examples/bridge.txt")
    guide = Says(bridge, -1.0)
    guided = falsework.plan(bridge, guide=guide)
    assert guided.status == falsework.plan(bridge).status == "complete" and guide.asked > 0
    assert falsework.verify(guided.plan, bridge).valid


def test_scores_of_another_shape_and_planners_that_nobody_leads_are_refused() -> None:
    class Wrong(Says):
        def scores(self, state: State, moves: Sequence[tuple[int, State]]) -> Array:
            return np.zeros((len(moves), 2))

    with pytest.raises(BadInput, match=r"guide: found scores of shape .* expected one number each"):
        falsework.plan(ARCH, guide=Wrong(ARCH, 1.0))
    with pytest.raises(BadInput, match="a guide leads beside planner auto"):
        falsework.plan(ARCH, guide=Says(ARCH, 1.0), planner="beam")
