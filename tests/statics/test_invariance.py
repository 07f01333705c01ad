"""Verdicts do not depend on how a structure is written down."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from falsework.bench.samples import vault
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.shapes import Polyhedron
from falsework.model.state import State
from falsework.statics.core.eight_edges import EightEdges
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.unknowns import Cone
from tests.statics.structures import arch, diamond, harmonic

STATES = 12


def answers(assembly: Assembly, states: list[State], cone: Cone = "exact") -> list[str]:
    oracle = (EightEdges if cone == "8" else Equilibrium)(assembly, interfaces(assembly))
    return [oracle.assess(state).answer for state in states]


def random_states(assembly: Assembly, seed: int) -> list[State]:
    """States with some parts absent and some held; deterministic."""
    rng = np.random.default_rng(seed)
    states = []
    for _ in range(STATES):
        gone = [part.name for part in assembly.parts if part.name not in assembly.fixed and rng.random() < 0.25]
        kept = [name for name in assembly.names if name not in gone and name not in assembly.fixed]
        held = [name for name in kept if rng.random() < 0.15]
        states.append(State.complete(assembly, assembly.mask(held), assembly.mask(gone)))
    return states


def renamed(state: State, before: Assembly, after: Assembly) -> State:
    """The same parts, in the numbering of another assembly."""
    return State(after.mask(before.named(state.installed)), after.mask(before.named(state.held)), state.gravity)


def moved(assembly: Assembly, T: Array) -> Assembly:
    parts = [replace(part, T_world_part=T @ part.T_world_part) for part in assembly.parts]
    return assembly.changed(parts=tuple(parts))


def rotation(axis: str, angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    T = np.eye(4)
    T[:3, :3] = {"x": [[1, 0, 0], [0, c, -s], [0, s, c]], "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]]}[axis]
    return T


ASSEMBLIES = {"vault": lambda: vault(18, 1), "arch": lambda: arch(9, 0.16, 0.6), "diamond": lambda: diamond(4)}


@pytest.fixture(params=sorted(ASSEMBLIES))
def structure(request: pytest.FixtureRequest) -> Assembly:
    made: Assembly = ASSEMBLIES[request.param]()
    return made


def test_part_order_does_not_matter(structure: Assembly) -> None:
    states = random_states(structure, 1)
    order = np.random.default_rng(2).permutation(len(structure.parts))
    shuffled = structure.changed(parts=tuple(structure.parts[n] for n in order))
    assert answers(shuffled, [renamed(s, structure, shuffled) for s in states]) == answers(structure, states)


def test_place_does_not_matter(structure: Assembly) -> None:
    states = random_states(structure, 3)
    shift = np.eye(4)
    shift[:3, 3] = (17.0, -3.0, 5.0)
    assert answers(moved(structure, shift), states) == answers(structure, states)


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_quarter_turns_do_not_matter(structure: Assembly, turns: int) -> None:
    states = random_states(structure, 4)
    assert answers(moved(structure, rotation("z", turns * np.pi / 2)), states) == answers(structure, states)


def test_any_turn_of_structure_and_gravity_does_not_matter_with_exact_cones(structure: Assembly) -> None:
    states = random_states(structure, 5)
    T = rotation("x", 0.7) @ rotation("z", 1.1)
    turned = moved(structure, T).changed(gravity=T[:3, :3] @ structure.gravity)
    assert answers(turned, states, "exact") == answers(structure, states, "exact")


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_unit_of_length_does_not_matter(structure: Assembly, scale: float) -> None:
    states = random_states(structure, 6)
    parts = []
    for part in structure.parts:
        assert isinstance(part.shape, Polyhedron)
        pose = part.T_world_part.copy()
        pose[:3, 3] *= scale
        parts.append(make_part(part.name, Polyhedron(part.shape.vertices * scale, part.shape.faces), pose))
    assert answers(structure.changed(parts=tuple(parts)), states) == answers(structure, states)


def test_holding_more_never_makes_a_stable_state_unstable(structure: Assembly) -> None:
    oracle = Equilibrium(structure, interfaces(structure))
    rng = np.random.default_rng(7)
    standing = [state for state in random_states(structure, 8) if oracle.assess(state).answer == "stable"]
    assert standing
    for state in standing:
        free = structure.named(state.free(structure))
        more = structure.mask([name for name in free if rng.random() < 0.3])
        assert oracle.assess(replace(state, held=state.held | more)).answer == "stable"


def test_linear_and_exact_cones_agree_outside_the_cones_own_error() -> None:
    """Eight edges lie inside the cone, and hold the cone of μ·cos(π/8) inside them."""
    for seed, structure in enumerate([vault(18, 1), arch(9, 0.16, 0.6), harmonic(6, 0.98)]):
        states = random_states(structure, seed)
        linear, exact = answers(structure, states), answers(structure, states, "exact")
        within = answers(structure.changed(friction=structure.friction * np.cos(np.pi / 8)), states, "exact")
        for one, other, inner in zip(linear, exact, within, strict=True):
            assert "undecided" not in (one, other, inner)
            assert other == "stable" or one == "unstable"
            assert one == "stable" or inner == "unstable"
