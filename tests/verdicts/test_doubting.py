"""Oracles and margins say of ambiguous contacts what `check` says; searches ask for what is certain."""

from __future__ import annotations

import numpy as np
import pytest

from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.model.state import State
from falsework.statics.core.equilibrium import Equilibrium
from falsework.verdicts.check import check
from falsework.verdicts.margins import margins
from falsework.verdicts.registry import model_named
from falsework.verdicts.searching import search_oracle
from tests.statics.test_corner_verdicts import CUBE, FLOOR, a_frame, assembly, at


@pytest.mark.parametrize(("friction", "answer"), [(0.65, "stable"), (0.5, "undecided"), (0.1, "unstable")])
def test_leaning_planks_are_answered_as_check_does(friction: float, answer: str) -> None:
    made = a_frame(friction)
    joints, state = interfaces(made), State.complete(made)
    assert check(made).answer == answer
    assert Equilibrium(made, joints).assess(state).answer == answer
    searched = search_oracle(model_named("blocks"), made, joints).answers([state])
    assert searched == ["stable" if answer == "stable" else "unstable"]
    assert margins(made, only=["friction"]).verdict.answer == answer


def test_the_least_friction_is_known_between_what_stands_for_certain_and_what_falls_for_certain() -> None:
    friction = margins(a_frame(0.5), only=["friction"]).friction
    assert friction is not None and friction.stands is not None and friction.falls is not None
    assert check(a_frame(friction.stands)).answer == "stable"
    assert check(a_frame(friction.falls)).answer == "unstable"
    assert check(a_frame(0.5 * (friction.stands + friction.falls))).answer == "undecided"


def stairs() -> Assembly:
    """Cubes that touch by faces, by edges and by corners."""
    places = [(0, 0, 0), (1, 0, 1), (0, 0, 1), (1, 0, 2), (2, 1, 0), (2, 0, 1)]
    cubes = [(f"cube {n}", CUBE, at(*map(float, place))) for n, place in enumerate(places)]
    return assembly(FLOOR, *cubes, friction=1.2)


def test_every_state_of_stairs_is_answered_as_check_does() -> None:
    made = stairs()
    joints, names = interfaces(made), made.names
    everything, rng = State.complete(made).installed, np.random.default_rng(0)
    picks = [rng.integers(0, 4, len(names) - 1) for _ in range(60)]  # 0, 1: there, 2: held, 3: absent
    asked = [
        [[name for name, fate in zip(names[1:], pick, strict=True) if fate == k] for k in (2, 3)] for pick in picks
    ]
    states = [State(everything & ~made.mask(absent), made.mask(held)) for held, absent in asked]
    oracle = Equilibrium(made, joints)
    told = [oracle.assess(state).answer for state in states]
    assert told == [check(made, held=held, absent=absent, also=False).answer for held, absent in asked]
    assert set(told) == {"stable", "unstable", "undecided"}
    searched = search_oracle(model_named("blocks"), made, joints).answers(states)
    assert [answer == "stable" for answer in searched] == [answer == "stable" for answer in told]


def test_what_falls_if_a_part_leaves_is_undecided_where_an_edge_may_bear_the_rest() -> None:
    made = assembly(
        FLOOR, ("foot", CUBE, at()), ("over", CUBE, at(-1.0, 0.0, 1.0)), ("under", CUBE, at(-1.0, 0.0, 0.0))
    )
    fallen = margins(made, only=["without"]).without
    assert fallen == {"foot": (), "over": (), "under": ("over",)}
    wide = assembly(
        FLOOR,
        *(("left", CUBE, at(-1.0)), ("right", CUBE, at(1.0)), ("under", CUBE, at())),
        ("over", CUBE, at(0.0, 0.0, 1.0)),
    )
    fallen = margins(wide, only=["without"]).without
    assert fallen == {"left": (), "right": (), "under": None, "over": ()}
