"""What every stability oracle promises, whatever its model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import NoReturn

import numpy as np
import pytest

from falsework import plan
from falsework.engine.rigid import RigidScene
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.interfaces import Interfaces
from falsework.model.ports import StabilityOracle
from falsework.model.state import State
from falsework.model.verdict import Criterion, Forces, Motion, Verdict
from falsework.planning.verification.verify import verify
from falsework.statics.published.batched_admm import AdmmSettings, BatchedAdmm
from falsework.verdicts.oracle import Oracle
from falsework.verdicts.registry import StabilityModel, models
from tests.conftest import brick, on_baseplate
from tests.statics.structures import stack

Make = Callable[[Assembly, Interfaces], StabilityOracle]


def bricks() -> Assembly:
    """Four bricks on a baseplate, one of them overhanging."""
    places = (("a", 0, 0), ("b", 0, 3), ("c", 1, 6), ("d", 0, 9))
    return on_baseplate(*(brick(name, "brick_2x4", x, 0, plates) for name, x, plates in places))


def blocks() -> Assembly:
    return stack([0.1, -0.1, 0.1])


def batched_admm(assembly: Assembly, joints: Interfaces) -> StabilityOracle:
    return BatchedAdmm(assembly, joints, AdmmSettings(limit=200))


CASES = [
    *(
        pytest.param(model.oracle, tower, id=f"{model.name}-of-{tower.__name__}")
        for model in models()
        for tower in (blocks, bricks)
        if not model.misfit(tower(), interfaces(tower()))
    ),
    pytest.param(partial(Oracle, compiled=False), blocks, id="search-blocks"),
    pytest.param(partial(Oracle, compiled=False), bricks, id="search-snapfit"),
    pytest.param(batched_admm, blocks, id="batched-admm"),
]
every_oracle = pytest.mark.parametrize(("make", "tower"), CASES)


def oracle_of(make: Make, assembly: Assembly) -> StabilityOracle:
    return make(assembly, interfaces(assembly))


def second(assembly: Assembly) -> int:
    """The mask of a part in the middle, with something above it."""
    return 1 << [part.name not in assembly.fixed for part in assembly.parts].index(True) + 1


def arrays(verdict: Verdict) -> list[np.ndarray]:
    kept = verdict.certificate
    if isinstance(kept, Forces):
        return [kept.patch_forces, kept.clutch_wrenches]
    if isinstance(kept, Motion):
        return [kept.twists]
    return [kept.forces] if isinstance(kept, Criterion) else []


@every_oracle
def test_a_complete_tower_stands_with_a_certificate(make: Make, tower: Callable[[], Assembly]) -> None:
    assembly = tower()
    verdict = oracle_of(make, assembly).assess(State.complete(assembly))
    assert verdict.answer == "stable"
    assert isinstance(verdict.certificate, Forces | Criterion)
    if verdict.model == "simulated":  # forces of an engine that came to rest balance roughly, and prove nothing
        assert isinstance(verdict.certificate, Criterion)
        assert verdict.certificate.passes
        return
    assert verdict.residual is not None
    assert verdict.residual <= 1e-6


@every_oracle
def test_a_floating_part_falls_and_a_hand_helps_it(make: Make, tower: Callable[[], Assembly]) -> None:
    assembly = tower()
    oracle = oracle_of(make, assembly)
    state = State.complete(assembly, absent=second(assembly))
    fallen = oracle.assess(state)
    assert fallen.answer == "unstable"
    assert isinstance(fallen.certificate, Motion | Criterion)
    assert oracle.assess(State(state.installed, held=second(assembly) << 1)).answer == "stable"


@pytest.mark.parametrize("model", models(), ids=lambda model: model.name)
def test_oracles_promise_what_their_model_promises(model: StabilityModel) -> None:
    for tower in (blocks(), bricks()):
        if not model.misfit(tower, interfaces(tower)):
            oracle = model.oracle(tower, interfaces(tower))
            assert (oracle.monotone_in_held, oracle.convex) == (model.monotone_in_held, model.convex)


@every_oracle
def test_nothing_free_is_stable(make: Make, tower: Callable[[], Assembly]) -> None:
    assembly = tower()
    free = State.complete(assembly).free(assembly)
    assert oracle_of(make, assembly).assess(State.complete(assembly, held=free)).answer == "stable"


@every_oracle
def test_the_same_question_gets_the_same_answer(make: Make, tower: Callable[[], Assembly]) -> None:
    assembly = tower()
    for state in (State.complete(assembly), State.complete(assembly, absent=second(assembly))):
        one, two = (oracle_of(make, assembly).assess(state) for _ in range(2))
        assert (one.answer, one.residual) == (two.answer, two.residual)
        assert all(np.array_equal(a, b) for a, b in zip(arrays(one), arrays(two), strict=True))


@every_oracle
def test_more_hands_do_no_harm_where_that_is_promised(make: Make, tower: Callable[[], Assembly]) -> None:
    assembly = tower()
    oracle = oracle_of(make, assembly)
    assert oracle.monotone_in_held or not oracle.convex  # convex interfaces could promise it
    if not oracle.monotone_in_held:
        return
    free = State.complete(assembly).free(assembly)
    rng = np.random.default_rng(4)
    for _ in range(12):
        installed = assembly.fixed_mask() | free & int(rng.integers(1 << len(assembly.bodies)))
        held = free & installed & int(rng.integers(1 << len(assembly.bodies)))
        more = free & installed & (held | int(rng.integers(1 << len(assembly.bodies))))
        if oracle.assess(State(installed, held)).answer == "stable":
            assert oracle.assess(State(installed, more)).answer == "stable"


@every_oracle
def test_a_search_and_its_judge_take_it_in_place_of_a_model(make: Make, tower: Callable[[], Assembly]) -> None:
    assembly = tower()
    oracle = oracle_of(make, assembly)
    planned = plan(assembly, rules="holds", robots=1, paths="none", oracle=oracle)
    assert planned.status == "complete"
    assert planned.plan.rules.model == f"own:{type(oracle).__name__}"
    assert verify(planned.plan, assembly, oracle=oracle_of(make, assembly)).valid is True
    with pytest.raises(BadInput, match="it was planned with an oracle of its maker's own"):
        verify(planned.plan, assembly)
    top = planned.plan.steps[-1].parts[0]
    upside_down = replace(planned.plan, steps=tuple(step for step in planned.plan.steps if step.parts == (top,)))
    fallen = verify(upside_down, assembly, oracle=oracle)
    assert fallen.valid is False and any("the structure falls" in failure.why for failure in fallen.failures)


@every_oracle
def test_a_solver_that_fails_leaves_it_undecided(
    make: Make, tower: Callable[[], Assembly], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> NoReturn:
        raise RuntimeError("out of luck")

    monkeypatch.setattr("clarabel.DefaultSolver", fails)
    monkeypatch.setattr("scipy.optimize.linprog", fails)
    monkeypatch.setattr(BatchedAdmm, "settle", fails)
    monkeypatch.setattr(RigidScene, "step", fails)
    assembly = tower()
    verdict = oracle_of(make, assembly).assess(State.complete(assembly))
    assert verdict.answer == "undecided"
    assert verdict.certificate is None
    assert verdict.why
