"""The compiled solvers behind the oracle: same verdicts as the plain program, warm or cold."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import falsework
from falsework.bench.samples import cantilever, random_state, vault
from falsework.geometry.contacts.interfaces import interfaces
from falsework.kernels import machine_code
from falsework.model.assembly import Assembly, Load
from falsework.model.state import State
from falsework.statics.core import worth_compiling
from falsework.statics.core.equilibrium import Equilibrium, PlainProgram
from falsework.statics.core.outcome import Wanted
from falsework.statics.core.program import Program
from tests.statics.structures import diamond


@pytest.mark.parametrize("assembly", [vault(18, 1), diamond(4), cantilever(24, 3)])
def test_compiled_and_plain_agree_on_random_states(assembly: Assembly) -> None:
    joints = interfaces(assembly)
    fast, plain = Equilibrium(assembly, joints, compiled=True), Equilibrium(assembly, joints)
    rng = np.random.default_rng(0)
    states = [random_state(assembly, rng) for _ in range(25)]
    answers = [fast.assess(state).answer for state in states]
    assert answers == [plain.assess(state).answer for state in states]
    assert set(answers) == {"stable", "unstable"}


def at_ninety_percent(tower: Assembly) -> Assembly:
    """The same, so heavy that it needs 90 % of its strength."""
    joints = interfaces(tower)
    rows = Equilibrium(tower, joints).clutch_rows
    factor, _ = Program(tower, joints, State.complete(tower), rows).least_factor()
    assert factor is not None
    return tower.changed(gravity=tower.gravity * (0.9 / factor))


@pytest.fixture
def loaded_tower() -> Assembly:
    """A tower with arms."""
    return at_ninety_percent(cantilever(30, 6))


def pushed(tower: Assembly, size: float, count: int) -> list[State]:
    rng = np.random.default_rng(1)
    weight = tower.masses_kg[0] * float(np.linalg.norm(tower.gravity))
    names = [tower.names[int(n)] for n in rng.integers(len(tower.parts), size=count)]
    complete = State.complete(tower).installed
    return [State(complete, loads=(Load(name, size * weight * rng.uniform(-1, 1, 3)),)) for name in names]


def test_known_forces_are_shifted_to_nearby_loads(loaded_tower: Assembly) -> None:
    joints = interfaces(loaded_tower)
    warm = Equilibrium(loaded_tower, joints, compiled=True)
    states = pushed(loaded_tower, 0.3, 12)
    verdicts = [warm.assess(state) for state in states]
    assert all(verdict.answer == "stable" for verdict in verdicts)
    assert warm.compiled_clutches is not None
    ways = [warm.compiled_clutches.propose(state, Wanted()).status for state in states]
    assert "shifted" in ways


def test_a_thousand_bricks_are_balanced_one_by_one_without_the_plain_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that stops at 1e-8 of all loads is refused there: a brick is judged by its own."""
    tower = at_ninety_percent(cantilever(1000, 11))
    warm = Equilibrium(tower, interfaces(tower), compiled=True)
    monkeypatch.setattr(PlainProgram, "propose", lambda *_: pytest.fail("the plain program was asked"))
    complete, everywhere = State.complete(tower).installed, pushed(tower, 0.2, 32)
    together = [tuple(load for state in everywhere[k : k + 8] for load in state.loads or ()) for k in range(0, 32, 8)]
    answers = [warm.assess(State(complete, loads=loads)).answer for loads in together]
    assert answers == ["stable"] * 4


def test_warm_and_cold_agree_also_where_it_falls(loaded_tower: Assembly) -> None:
    joints = interfaces(loaded_tower)
    warm, plain = Equilibrium(loaded_tower, joints, compiled=True), Equilibrium(loaded_tower, joints)
    states = [state for size in (0.3, 5.0, 20.0) for state in pushed(loaded_tower, size, 5)]
    answers = [warm.assess(state).answer for state in states]
    assert answers == [plain.assess(state).answer for state in states]
    assert set(answers) == {"stable", "unstable"}


def test_a_missing_compiler_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from falsework.model.errors import MissingExtra

    monkeypatch.setitem(sys.modules, "falsework.statics.cones.solver", None)
    assembly = vault(18, 1)
    oracle = Equilibrium(assembly, interfaces(assembly), compiled=True)
    with pytest.raises(MissingExtra, match=r"needs numba, which is not installed: pip install 'falsework\[fast\]'"):
        oracle.assess(State.complete(assembly))


def test_machine_code_of_a_copy_in_another_place_is_not_taken_for_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assembly = vault(18, 1)
    joints = interfaces(assembly)
    Equilibrium(assembly, joints, compiled=True).prove([State.complete(assembly)])
    assert worth_compiling.pays_off(joints, worthwhile=False)
    made = machine_code.folder(worth_compiling.CONES)
    house = Path(falsework.__file__).parent
    for room in ("kernels", "statics"):
        shutil.copytree(house / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(made, tmp_path / made.relative_to(house))
    monkeypatch.setattr(machine_code, "_HOUSE", tmp_path)
    monkeypatch.setattr(machine_code, "folder", machine_code.folder.__wrapped__)
    assert not worth_compiling.pays_off(joints, worthwhile=False)
