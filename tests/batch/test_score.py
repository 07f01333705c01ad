"""Scores of generated structures, and labelled states to learn from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import falsework
from falsework.batch.dataset import sampled
from falsework.model.errors import BadInput
from falsework.model.state import State

EXAMPLES = Path(__file__).parents[2] / "examples"
TOWER = "2x4 (0,0,0)\n2x4 (0,0,1)\n2x4 (0,0,2)"
FLOATING = "2x4 (0,0,0)\n2x2 (9,9,4)"
STEP = "2x2 (0,0,0)\n6x2 (0,0,1)"


def test_a_score_says_what_check_says() -> None:
    sources = [EXAMPLES / "bridge.txt", EXAMPLES / "stairs.txt", EXAMPLES / "arch.yaml"]
    for source, found in zip(sources, falsework.score(sources), strict=True):
        verdict = falsework.check(source, also=False)
        assert found.answer == verdict.answer and set(found.falling) == set(verdict.falling)
        assert found.names == falsework.load(source).names
        if verdict.utilization is not None:
            assert found.utilization == pytest.approx(verdict.utilization, rel=1e-6)


def test_what_floats_has_0_and_what_it_does_not_touch_keeps_all() -> None:
    (found,) = falsework.score([FLOATING])
    assert found.answer == "unstable" and not found.stands
    assert found.parts is not None and found.parts.tolist() == [1.0, 0.0]


def test_the_score_of_a_part_is_what_is_spare_at_its_busiest_joint() -> None:
    (found,) = falsework.score([STEP])
    (verdict,) = falsework.check_many([falsework.load(EXAMPLES / "bridge.txt")])
    assert found.parts is not None and found.utilization is not None
    assert found.parts[0] == pytest.approx(found.parts[1])  # both at the joint that the overhang loads
    assert 0.0 < found.parts[1] < 1.0
    bridge = falsework.load(EXAMPLES / "bridge.txt")
    shares = verdict.joint_utilization
    pairs = falsework.interfaces(bridge).clutches.bodies
    busiest = [shares[(pairs == n).any(axis=1)].max() for n in range(len(bridge.parts))]
    (whole,) = falsework.score([bridge])
    assert whole.parts == pytest.approx(1.0 - np.array(busiest), abs=1e-5)  # by another solver of the same energy


def test_what_falls_comes_with_what_mends_it_where_asked() -> None:
    falling = EXAMPLES / "stairs.txt"
    tower, mended = falsework.score([TOWER, falling], repair=True, pool="processes:1")
    assert tower.fixes == ()
    assert mended.answer == "unstable"
    last = mended.fixes[-1]
    assert last.verdict.stands and falsework.check(last.assembly, also=False).answer == "stable"
    assert not falsework.score([falling])[0].fixes  # nobody asked
    assert not falsework.score([falling], repair=True, timeout_s=1e-6)[0].fixes  # no time for it


def test_a_grid_of_scores_has_them_where_the_bricks_are() -> None:
    (found,) = falsework.score([FLOATING])
    grid = found.voxels()
    assert grid.shape == (20, 20, 20)
    assert (grid == 0.0).sum() == 4 and (grid[9:11, 9:11, 4] == 0.0).all()
    assert found.cells is not None and len(found.cells) == 12
    (outside,) = falsework.score(["2x2 (30,0,0)"])
    assert (outside.voxels() == 1.0).all()
    (stones,) = falsework.score([EXAMPLES / "arch.yaml"])
    assert stones.cells is None and (stones.voxels() == 1.0).all()


def test_what_is_no_structure_is_refused_and_the_others_are_answered() -> None:
    answers = falsework.score([TOWER, "2x4 (0,0", "no-such-file.txt", TOWER])
    assert [one.answer for one in answers] == ["stable", "refused", "refused", "stable"]
    assert "expected a brick like" in answers[1].why and "there is no such file" in answers[2].why
    assert answers[1].parts is None
    with pytest.raises(TypeError, match="takes several structures"):
        falsework.score(TOWER)
    with pytest.raises(TypeError, match="expected a brick text, an Assembly or the path of a file"):
        falsework.score([7])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"score\.stands"):
        bool(answers[0])


def test_workers_score_the_same() -> None:
    texts = [TOWER, FLOATING, STEP, "nonsense"] * 3
    alone, together = falsework.score(texts), falsework.score(texts, pool="processes:2")
    assert [(one.answer, one.utilization, one.falling, one.why) for one in alone] == [
        (one.answer, one.utilization, one.falling, one.why) for one in together
    ]
    assert all(np.array_equal(a.voxels(), b.voxels()) for a, b in zip(alone, together, strict=True))


def test_labels_of_a_dataset_are_those_of_check(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    sources = [EXAMPLES / "arch.yaml", EXAMPLES / "stairs.txt"]
    found = falsework.as_dataset(sources, tmp_path, states=15, seed=4)
    rows = parquet.read_table(found.states).to_pylist()
    about = parquet.read_table(found.assemblies).to_pylist()
    assert len(rows) == found.count == 30 and found.stable and found.unstable and not found.undecided
    for row in rows[::4]:
        assembly = falsework.load(sources[row["assembly"]])
        absent = [name for name, there in zip(assembly.names, row["installed"], strict=True) if not there]
        held = [name for name, is_held in zip(assembly.names, row["held"], strict=True) if is_held]
        assert falsework.check(assembly, absent=absent, held=held, also=False).stands == row["stable"]
    assert about[0]["names"] == list(falsework.load(sources[0]).names)
    assert sum(about[0]["mass_kg"]) == pytest.approx(221.9, abs=0.1)
    assert {-1} <= {body for pair in about[1]["pairs"] for body in pair}  # the baseplate
    again = falsework.as_dataset(sources, tmp_path / "again", states=15, seed=4)
    assert parquet.read_table(again.states).to_pylist() == rows


def test_states_of_a_dataset_differ_and_keep_fixed_parts() -> None:
    arch = falsework.load(EXAMPLES / "arch.yaml")
    states = sampled(arch, 40, np.random.default_rng(0))
    assert len(set(states)) == 40
    fixed = arch.fixed_mask()
    assert all(state.installed & fixed == fixed and not state.held & fixed for state in states)
    assert sampled(falsework.load(EXAMPLES / "arch.yaml", fixed=arch.names), 5, np.random.default_rng(0)) == [
        State.complete(falsework.load(EXAMPLES / "arch.yaml", fixed=arch.names))
    ]
    with pytest.raises(BadInput, match="states: found 0"):
        falsework.as_dataset([arch], "nowhere", states=0)
    with pytest.raises(TypeError, match="takes several"):
        falsework.as_dataset(arch, "nowhere")
