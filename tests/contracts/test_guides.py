"""What every guide owes: a number for every move, the same every time, and no plan lost."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import falsework
from falsework.gallery.registry import make
from falsework.learning.generalist.shipped import generalist
from falsework.model.assembly import Assembly
from falsework.model.ports import Guide
from falsework.model.state import State

GUIDES: dict[str, Callable[[Assembly], Guide]] = {"generalist": generalist}
ASSEMBLIES = {"arch": make("semicircular-arch", 0, stones=5), "tray": make("tetromino-packing", 0, columns=4, rows=4)}


@pytest.mark.parametrize("assembly", ASSEMBLIES.values(), ids=ASSEMBLIES)
@pytest.mark.parametrize("guide_of", GUIDES.values(), ids=GUIDES)
class TestEveryGuide:
    def test_it_has_a_number_for_every_move_and_the_same_every_time(
        self, guide_of: Callable[[Assembly], Guide], assembly: Assembly
    ) -> None:
        guide, state = guide_of(assembly), State.complete(assembly)
        movable = [n for n, part in enumerate(assembly.parts) if part.name not in assembly.fixed]
        moves = [(1 << part, State(state.installed & ~(1 << part))) for part in movable]
        held = 1 << movable[-1]
        moves += [(1 << part, State(state.installed & ~(1 << part), held)) for part in movable[:-1]]
        scores = guide.scores(state, moves)
        assert scores.shape == (len(moves),) and np.isfinite(scores).all()
        assert (guide.scores(state, moves) == scores).all()
        assert (guide_of(assembly).scores(state, moves) == scores).all()
        assert np.allclose(guide.scores(state, moves[::-1]), scores[::-1])
        assert guide.scores(state, []).shape == (0,)

    def test_costs_to_go_are_numbers_and_none_is_below_nothing(
        self, guide_of: Callable[[Assembly], Guide], assembly: Assembly
    ) -> None:
        costs = guide_of(assembly).cost_to_go([State.complete(assembly), State(assembly.fixed_mask())])
        assert costs.shape == (2,) and np.isfinite(costs).all() and (costs >= 0).all()
        assert guide_of(assembly).cost_to_go([]).shape == (0,)

    def test_plans_that_it_leads_are_complete_and_verified(
        self, guide_of: Callable[[Assembly], Guide], assembly: Assembly
    ) -> None:
        planned = falsework.plan(assembly, rules="holds", paths="none", guide=guide_of(assembly))
        assert planned.status == "complete" and falsework.verify(planned.plan, assembly).valid
