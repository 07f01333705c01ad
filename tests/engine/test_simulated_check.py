"""Seed 001's check by simulation: what certainly falls falls, what stands with room stands, and where it differs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from falsework.bench.samples import random_state
from falsework.cli import main
from falsework.engine.simulated_check import SimulatedCheck, SimulatedCheckSettings
from falsework.formats import load
from falsework.gallery import make
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly, Load
from falsework.model.errors import BadInput
from falsework.model.state import State
from falsework.model.verdict import Criterion
from falsework.statics.core.equilibrium import Equilibrium
from falsework.verdicts.check import check
from tests.conftest import brick, on_baseplate
from tests.statics.structures import arch, block, columns, incline, stack

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def checked(assembly: Assembly, settings: SimulatedCheckSettings | None = None) -> SimulatedCheck:
    return SimulatedCheck(assembly, interfaces(assembly), settings)


def scaled(assembly: Assembly, factor: float) -> Assembly:
    """The same assembly in another size."""
    parts = []
    for part in assembly.parts:
        low = part.T_world_part[:3, 3] * factor
        size = 2 * factor * (part.com_part_m)
        parts.append(block(part.name, tuple(low.tolist()), tuple(size.tolist())))
    return assembly.changed(parts=tuple(parts))


@pytest.mark.parametrize("factor", [0.01, 1.0, 20.0])
def test_towers_of_every_size_stand_and_fall_alike(factor: float) -> None:
    for offsets, expected in (([0.2, -0.2], "stable"), ([0.2, 0.6], "unstable")):
        tower = scaled(stack(offsets), factor)
        assert checked(tower).assess(State.complete(tower)).answer == expected


def test_a_block_on_a_steep_incline_has_moved_and_on_a_gentle_one_not() -> None:
    for degrees, expected in ((15.0, "stable"), (40.0, "unstable")):
        assembly = incline(np.deg2rad(degrees), 0.5)
        verdict = checked(assembly).assess(State.complete(assembly))
        assert verdict.answer == expected
        assert isinstance(verdict.certificate, Criterion)
        assert verdict.certificate.passes == (expected == "stable")
        assert verdict.falling == (("cube",) if expected == "unstable" else ())


def test_an_arch_stands_and_falls_without_its_keystone() -> None:
    assembly = arch(7, 0.3, 0.6)
    oracle = checked(assembly)
    assert oracle.assess(State.complete(assembly)).stands
    assert not oracle.assess(State.complete(assembly, absent=assembly.mask(["3"]))).stands


def test_whatever_is_proved_to_fall_falls() -> None:
    rng = np.random.default_rng(3)
    compared = 0
    for kind in ("semicircular-arch", "leaning-tower", "running-bond-wall"):
        assembly = make(kind)
        proof = Equilibrium(assembly, interfaces(assembly))
        oracle = checked(assembly)
        for state in (random_state(assembly, rng) for _ in range(4)):
            if proof.assess(state).answer == "unstable":
                compared += 1
                assert oracle.assess(state).answer == "unstable"
    assert compared >= 4


def test_what_plain_equilibrium_accepts_and_really_slides_falls(shared: Path) -> None:
    assembly = load(shared / "compas" / "H.json", fixed=["0", "1"], mu=0.84)
    assert Equilibrium(assembly, interfaces(assembly)).assess(State.complete(assembly)).stands
    assert not checked(assembly).assess(State.complete(assembly)).stands


def test_gravity_loads_and_hands_of_the_state_count() -> None:
    assembly = stack([0.1, 0.1])
    oracle, state = checked(assembly), State.complete(assembly)
    assert oracle.assess(state).stands
    sideways = replace(state, gravity=(9.81, 0.0, -2.0))
    assert not oracle.assess(sideways).stands
    weight = float(assembly.masses_kg[2]) * 9.81
    assert not oracle.assess(replace(state, loads=(Load("2", np.array([weight, 0.0, 0.0])),))).stands
    pressed = Load("2", np.array([0.0, 0.0, -6 * weight]), np.array([1.2, 0.25, 0.9]))
    assert not oracle.assess(replace(state, loads=(pressed,))).stands
    assert oracle.assess(replace(sideways, held=assembly.mask(["1", "2"]))).stands


def test_a_part_that_rests_elsewhere_has_lost_its_neighbours_if_that_counts() -> None:
    """A cube hovers half a threshold above the slab and beside the block that it leans on without friction."""
    slab = block("slab", (0.0, 0.0, 0.0), (4.0, 1.0, 1.0))
    wall = block("wall", (0.0, 0.0, 1.0), (1.0, 1.0, 2.0))
    cube = block("cube", (1.0, 0.0, 1.03), (1.0, 1.0, 1.0))
    assembly = Assembly((slab, wall, cube), fixed=frozenset({"slab", "wall"}), friction=0.0)
    state = State.complete(assembly)
    shifted = replace(state, gravity=(2.0, 0.0, -9.81))  # away from the wall, but onto the slab first
    verdict = checked(assembly, SimulatedCheckSettings(falls=0.5)).assess(shifted)
    assert verdict.answer == "unstable"
    alone = checked(assembly, SimulatedCheckSettings(falls=0.3, require_connected=False)).assess(state)
    assert alone.answer == "stable"


def test_algorithm_2_holds_what_falls_until_it_stands() -> None:
    assembly = columns(2)
    oracle = checked(assembly)
    held = oracle.held(State.complete(assembly), most=2)
    assert held is not None
    assert oracle.assess(State.complete(assembly, held=held)).stands
    assert oracle.held(State.complete(assembly), most=0) is None


def test_the_command_line_reaches_it(capsys: pytest.CaptureFixture[str]) -> None:
    arch_file = str(EXAMPLES / "arch.yaml")
    assert main(["check", arch_file, "--model", "simulated", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["verdict"], found["model"], found["certificate"]["kind"]) == ("stable", "simulated", "criterion")
    assert main(["check", arch_file, "--model", "simulated", "--absent", "keystone"]) == 1
    assert "farthest move, of the size" in capsys.readouterr().out


def test_the_library_reaches_it_and_ends_in_time() -> None:
    assert check(arch(7, 0.3, 0.7), model="simulated").model == "simulated"
    late = check(arch(7, 0.3, 0.7), model="simulated", timeout_s=1e-9)
    assert (late.answer, late.why) == ("undecided", "still simulating after 1e-09 s")


def test_bricks_are_refused() -> None:
    with pytest.raises(BadInput, match="no clutches"):
        checked(on_baseplate(brick("a", "brick_2x4", 0, 0, 0)))
