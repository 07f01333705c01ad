"""What benchmarks ask about: the states of a beam search, and partial assemblies at rest on a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from falsework.bench import models
from falsework.bench.beam import beam_layers, beam_states
from falsework.bench.hands import pairs, resting_poses
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.model.state import State
from falsework.model.verdict import Answer
from falsework.statics.core.equilibrium import Equilibrium
from tests.statics.structures import arch, block


def test_a_beam_search_builds_an_arch_asking_each_state_once() -> None:
    assembly = arch(5, 0.3, 0.6)
    joints = interfaces(assembly)
    oracle = Equilibrium(assembly, joints, compiled=True)

    def answers(states: Sequence[State]) -> list[Answer]:
        return [oracle.assess(state).answer for state in states]

    layers = beam_layers(assembly, joints, answers, np.random.default_rng(0), width=8, robots=3)
    asked = [state for layer in layers for state in layer]
    assert State.complete(assembly) in layers[-1]
    assert len(set(asked)) == len(asked)
    assert max(state.held.bit_count() for state in asked) <= 3
    one_by_one = beam_states(
        assembly, joints, lambda state: oracle.assess(state).stands, np.random.default_rng(0), width=8, robots=3
    )
    assert one_by_one == asked


def test_a_brick_rests_on_its_faces_the_largest_most_likely() -> None:
    assembly = Assembly((block("a", (0.0, 0.0, 0.0), (3.0, 2.0, 1.0)),))
    poses = resting_poses(assembly)
    assert len(poses) == 6
    up = [abs(float(pose[2, 2])) for pose in poses[:2]]
    assert up == pytest.approx([1.0, 1.0])  # the two faces of 3 x 2


def test_pairs_are_partial_assemblies_on_a_table_the_same_for_the_same_seed() -> None:
    one, two = ([oracle.assembly for oracle, _ in pairs(np.random.default_rng(7), 4)] for _ in range(2))
    assert [a.names for a in one] == [b.names for b in two]
    for assembly in one:
        assert assembly.ground.kind == "table"
        assert not assembly.fixed
        assert len(assembly.parts) >= 3
        assert len(interfaces(assembly).patches)


def test_the_built_structures_under_each_brick_model(shared: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models.DATA, "folder", shared)
    monkeypatch.setattr(models, "REPEATS", 1)
    monkeypatch.setattr(models, "SETS", {"built": models.BUILT})
    rows = {row.case: row for row in models.run()}
    assert rows["built, stablelego"].notes["accuracy"] == 1.0
    assert rows["built, snapfit"].notes["accuracy"] == 1.0
    assert rows["built, bricksim"].notes["wrong"] == ["stair_20"]
    assert all(row.notes["solvable"] == 1.0 for row in rows.values() if "quoted" not in row.notes)
