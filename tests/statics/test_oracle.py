"""The oracle of a search: the answers of the equilibrium, remembered, implied or solved in threads."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from falsework.bench.samples import cantilever, random_state, vault
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly, Load
from falsework.model.errors import BadInput
from falsework.model.state import State
from falsework.statics.core.batches import Finding, findings
from falsework.statics.core.equilibrium import Equilibrium
from falsework.verdicts import crew as crew_module
from falsework.verdicts import oracle as oracle_module
from falsework.verdicts.oracle import Oracle
from tests.statics.structures import arch, diamond, stack


def asked(assembly: Assembly, count: int, seed: int = 0) -> list[State]:
    """Random states, some of them pushed or turned."""
    rng = np.random.default_rng(seed)
    states = [random_state(assembly, rng) for _ in range(count)]
    weight = float(assembly.masses_kg[0]) * 9.81
    push = (Load(assembly.names[-1], np.array([0.4 * weight, 0.0, 0.1 * weight])),)
    there = 1 << assembly.index[assembly.names[-1]]
    pushed = [State(state.installed | there, state.held, None, push) for state in states[::4]]
    turned = [State(state.installed, state.held, (1.0, 0.0, -9.0)) for state in states[::5]]
    return states + pushed + turned + states[::3]


@pytest.mark.parametrize("assembly", [vault(18, 1), diamond(4), arch(7, 0.2, 0.7), cantilever(24, 3)])
def test_answers_are_those_of_the_equilibrium(assembly: Assembly) -> None:
    joints = interfaces(assembly)
    equilibrium, oracle = Equilibrium(assembly, joints, compiled=True), Oracle(assembly, joints)
    states = asked(assembly, 40)
    answers = [oracle.answer(state) for state in states]
    assert answers == [equilibrium.assess(state).answer for state in states]
    assert {"stable", "unstable"} == set(answers)
    assert oracle.counts.remembered > 0
    assert oracle.counts.implied > 0


@pytest.mark.parametrize("assembly", [vault(18, 1), cantilever(24, 3)])
def test_answers_do_not_depend_on_memory_batches_or_threads(assembly: Assembly) -> None:
    joints = interfaces(assembly)
    states = asked(assembly, 60 if len(assembly.parts) < 20 else 16, seed=1)
    settings: list[dict[str, int]] = [{}, {"remember": 0}, {"remember": 5}, {"threads": 2}, {"threads": 3}]
    answers = [Oracle(assembly, joints, **setting).answers(states) for setting in settings]
    answers.append([Oracle(assembly, joints, remember=0).answer(state) for state in states])
    assert all(one == other for one, other in pairwise(answers))


def test_many_states_at_once_are_judged_as_one_by_one() -> None:
    assembly = vault(24, 1)
    equilibrium = Equilibrium(assembly, interfaces(assembly), compiled=True)
    states = asked(assembly, 30, seed=2)
    together = findings(equilibrium, states)
    assert together == [finding for state in states for finding in findings(equilibrium, [state])]
    assert [finding.answer for finding in together] == [equilibrium.assess(state).answer for state in states]
    for state, finding in zip(states, together, strict=True):
        assert not finding.moving & ~state.free(assembly)
        assert (finding.moving != 0) == (finding.answer == "unstable")


def test_only_the_bodies_that_fall_are_said_to_move() -> None:
    tower = stack([0.0, 0.0, 0.9])  # the top brick tips off
    equilibrium = Equilibrium(tower, interfaces(tower), compiled=True)
    finding = findings(equilibrium, [State.complete(tower)])[0]
    assert finding == Finding("unstable", tower.mask(["3"]))


def test_forces_prove_every_state_that_has_less_to_carry() -> None:
    tower = stack([0.1, -0.1, 0.1, -0.1])
    oracle = Oracle(tower, interfaces(tower))
    complete = State.complete(tower)
    assert oracle.answer(complete) == "stable"
    for held in (["2"], ["4"], ["1", "3"]):
        assert oracle.answer(State.complete(tower, tower.mask(held))) == "stable"
    assert oracle.counts.solved == 1


def test_a_motion_disproves_every_state_in_which_nothing_new_is_in_its_way() -> None:
    tower = stack([0.0, 0.0, 0.9, 0.0])
    oracle = Oracle(tower, interfaces(tower))
    assert oracle.answer(State.complete(tower, absent=tower.mask(["4"]))) == "unstable"
    held_below = State.complete(tower, tower.mask(["1"]), tower.mask(["4"]))
    assert oracle.answer(held_below) == "unstable"
    assert oracle.counts.solved == 1
    assert oracle.answer(State.complete(tower, tower.mask(["4"]))) == "stable"  # a hand presses 4 on the near end of 3
    assert oracle.counts.solved == 2


def test_other_loads_and_gravity_are_other_questions() -> None:
    tower = stack([0.4])
    oracle, complete = Oracle(tower, interfaces(tower)), State.complete(tower)
    weight = float(tower.masses_kg[1]) * 9.81
    push = (Load("1", np.array([0.0, 0.0, -weight]), np.array([1.39, 0.25, 0.6])),)
    asked_before = [
        complete,
        State(complete.installed, loads=push),
        State(complete.installed, gravity=(5.0, 0.0, -5.0)),
    ]
    assert [oracle.answer(state) for state in asked_before] == ["stable", "unstable", "unstable"]
    assert [oracle.answer(state) for state in asked_before] == ["stable", "unstable", "unstable"]
    assert (oracle.counts.solved, oracle.counts.remembered) == (3, 3)


def test_memory_is_bounded_by_the_setting() -> None:
    assembly = vault(18, 1)
    oracle = Oracle(assembly, interfaces(assembly), remember=20)
    oracle.answers(asked(assembly, 120))
    assert len(oracle._known) == 20


def test_what_is_undecided_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    tower = stack([0.1])
    oracle = Oracle(tower, interfaces(tower))
    with monkeypatch.context() as broken:
        broken.setattr(crew_module, "findings", lambda _, states: [Finding("undecided") for _ in states])
        assert oracle.answer(State.complete(tower)) == "undecided"
    assert oracle.answer(State.complete(tower)) == "stable"


def test_settings_that_make_no_sense_are_refused() -> None:
    tower = stack([0.1])
    with pytest.raises(BadInput, match="not 10 on 0"):
        Oracle(tower, interfaces(tower), remember=10, threads=0)


@pytest.mark.parametrize("assembly", [diamond(4), arch(7, 0.2, 0.7), vault(12, 1)])
def test_a_few_states_need_no_compiler_and_are_judged_the_same(assembly: Assembly) -> None:
    joints = interfaces(assembly)
    plain, fast = Equilibrium(assembly, joints), Equilibrium(assembly, joints, compiled=True)
    states = asked(assembly, 12, seed=3)
    assert plain.has_contacts_only
    assert not plain.is_compiled
    few, many = findings(plain, states), findings(fast, states)
    assert [one.answer for one in few] == [one.answer for one in many]
    for state, finding in zip(states, few, strict=True):
        if finding.answer == "unstable":  # whoever does not move may as well be held
            others = state.installed & ~finding.moving & ~assembly.fixed_mask()
            alone = State(state.installed, others, state.gravity, state.loads)
            assert finding.moving & ~state.free(assembly) == 0
            assert fast.assess(alone).answer == "unstable"


def test_more_states_wake_the_compiled_solver_with_or_without_a_journal(monkeypatch: pytest.MonkeyPatch) -> None:
    assembly = arch(7, 0.2, 0.7)
    joints = interfaces(assembly)
    monkeypatch.setattr(oracle_module, "PATIENCE", 3 * len(joints.patches.points))
    journal: dict[State, Finding] = {}
    states = asked(assembly, 12)[:10]
    for _ in range(2):
        oracle = Oracle(assembly, joints, remember=0, journal=journal)
        woken = []
        for state in states:
            oracle.answers([state])
            woken.append(oracle.is_compiled)
        assert woken[0] is False
        assert woken[-1] is True
