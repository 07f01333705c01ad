"""Snapshots on disk: a run that was cut in two is the run in one piece, and files that do not fit are refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from falsework.brickworld.pushes import Ramp
from falsework.brickworld.settings import Settings
from falsework.brickworld.snapshot_files import read_snapshot, write_snapshot
from falsework.brickworld.world import World
from falsework.cli import main
from falsework.engine import stepping
from falsework.engine.composites import Composites
from falsework.formats import save
from falsework.gallery import make
from falsework.model.assembly import Assembly
from falsework.model.errors import BadFile, BadInput
from tests.brickworld.scenes import falling_stair, on_table, stair
from tests.brickworld.test_world import lifted
from tests.conftest import brick, on_baseplate


def through_a_file(world: World, file: Path) -> World:
    """Another world of the same assembly that goes on from a file."""
    write_snapshot(file, world.snapshot())
    other = World(world.assembly, world.settings)
    other.restore(read_snapshot(file, other))
    return other


def same(one: World, other: World) -> bool:
    equal = (one.connections, one.time_s, one.frames) == (other.connections, other.time_s, other.frames)
    return equal and np.array_equal(one.poses(), other.poses()) and np.array_equal(one.velocities(), other.velocities())


def test_a_collapse_goes_on_from_its_file_bit_by_bit(tmp_path: Path) -> None:
    world = World(on_baseplate(*falling_stair()))
    world.run(0.25)
    assert len(world.components) > 1
    other = through_a_file(world, tmp_path / "snapshot.npz")
    for one in (world, other):
        one.run(0.3)
    assert same(world, other)


def test_a_press_goes_on_from_its_file_and_joins_at_the_same_time(tmp_path: Path) -> None:
    """Hands, half-averaged forces and kinds of clutches that the assembly did not have at first."""
    low = on_baseplate(brick("low", "brick_2x4", 0, 0, 0))
    loose = lifted(brick("high", "brick_2x2", 0, 1, 3), 1.7e-3)
    world = World(low.changed(parts=(*low.parts, loose)))
    world.pushes.append(Ramp(1, np.array([0.008, 0.008, 0.0096]), np.array([0.0, 0.0, -2.0]), np.zeros(3), 0.3))
    world.drag("high", (0.008, 0.016, 0.02), stiffness_n_m=1.0)
    world.apply_force("high", (0.01, 0.0, 0.0))
    world.run(0.1)
    assert len(world.connections) == 1
    other = through_a_file(world, tmp_path / "snapshot.npz")
    for one in (world, other):
        one.run(0.15)
    assert ("low", "high") in world.connections
    assert same(world, other)
    late = through_a_file(world, tmp_path / "later.npz")
    for one in (world, late):
        one.run(0.1)
    assert same(world, late)


def test_the_command_line_goes_on_where_a_run_ended(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "guitar.yaml"
    save(make("brick-guitar"), file)
    run = ["simulate", str(file), "--drop", "0.144", "--json"]
    assert main([*run, "--seconds", "0.4", "--out", str(tmp_path / "whole")]) == 1
    assert main([*run, "--seconds", "0.1", "--out", str(tmp_path / "half")]) == 0
    resumed = ["--resume", str(tmp_path / "half" / "snapshot.npz")]
    assert main([*run, "--seconds", "0.4", *resumed, "--out", str(tmp_path / "rest")]) == 1
    whole, _, rest = (json.loads(line) for line in capsys.readouterr().out.splitlines())
    assert whole["breaks"] == rest["breaks"]
    with np.load(tmp_path / "whole" / "trajectory.npz") as one, np.load(tmp_path / "rest" / "trajectory.npz") as other:
        tail = len(other["time"])
        assert 0 < tail < len(one["time"])
        assert np.array_equal(one["T_world_part"][-tail:], other["T_world_part"])
    assert main([*run, "--seconds", "0.1", *resumed]) == 2
    assert "is at 0.1 s; expected --seconds above that" in capsys.readouterr().err
    assert main(["simulate", str(file), *resumed]) == 2
    assert "began differently (--drop, --tilt, --mu)" in capsys.readouterr().err


@pytest.fixture
def stair_file(tmp_path: Path) -> str:
    """Three bricks on a table, each a stud further."""
    save(on_table(*stair(3)), tmp_path / "stair.yaml")
    return str(tmp_path / "stair.yaml")


@pytest.mark.parametrize(
    "other",
    [
        ["--tilt", "7"],
        ["--tilt", "-5"],
        [],
        ["--tilt", "5", "--mu", "0.2"],
        ["--tilt", "5", "--fixed", "1"],
        ["--tilt", "5", "--ground", "table:0.3"],
    ],
)
def test_a_run_that_began_otherwise_is_not_gone_on_with(
    stair_file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], other: list[str]
) -> None:
    run = ["simulate", stair_file, "--seconds", "0.1"]
    assert main([*run, "--tilt", "5", "--out", str(tmp_path)]) == 0
    resumed = ["simulate", stair_file, "--seconds", "0.2", "--resume", str(tmp_path / "snapshot.npz")]
    assert main([*resumed, "--tilt", "5"]) == 0
    capsys.readouterr()
    assert main([*resumed, *other]) == 2
    assert "began differently" in capsys.readouterr().err


def test_a_run_goes_on_with_its_own_pushes_and_with_no_others(
    stair_file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = ["simulate", stair_file, "--seconds", "0.1", "--out", str(tmp_path)]
    assert main([*run, "--press", "0:0.1", "--push", "1:0.1:y"]) == 0
    resumed = ["simulate", stair_file, "--seconds", "0.2", "--resume", str(tmp_path / "snapshot.npz")]
    assert main(resumed) == 0
    assert main([*resumed, "--press", "0:0.1", "--push", "1:0.1:y"]) == 0
    for other in (["--press", "0:0.2", "--push", "1:0.1:y"], ["--pull", "0:0.1"], ["--push", "1:0.1:y"]):
        capsys.readouterr()
        assert main([*resumed, *other]) == 2
        assert "other --press, --pull or --push; give the same ones, or none" in capsys.readouterr().err


def test_an_engine_that_loses_a_body_names_the_parts_and_the_file(
    stair_file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ["simulate", stair_file, "--push", "1:0.01", "--seconds", "1", "--out", str(tmp_path / "out")]
    with monkeypatch.context() as patch:
        left, real = iter(range(20)), stepping.step_of_engine

        def losing(scene: Composites, *given: object) -> None:
            real(scene, *given)  # type: ignore[arg-type]
            if next(left, None) is None:
                scene.data.qvel[:] = np.nan

        patch.setattr(stepping, "step_of_engine", losing)
        assert main(run) == 3
    told = capsys.readouterr().err
    assert "the engine lost a body of parts 0, 1, 2 at" in told
    assert "snapshot.npz, see --resume" in told
    world = World(on_table(*stair(3)))
    taken = read_snapshot(tmp_path / "out" / "snapshot.npz", world)
    assert np.isfinite(taken.poses).all()
    world.restore(taken)
    world.pushes.clear()
    world.run(0.1)
    assert np.abs(world.poses() - world.assembly.poses).max() < 1e-4


def spoilt(file: Path, **changes: object) -> None:
    with np.load(file) as kept:
        tables = {name: kept[name] for name in kept.files}
    np.savez(file, **{**tables, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"format": np.array("other/1")}, "expected 'falsework-snapshot/1'"),
        ({"names": np.array(["x", "y", "ground"])}, "another assembly"),
        ({"bunch_members": np.array([0, 0, 1])}, "every part once"),
        ({"joint_bodies": np.array([[0, 9]])}, "parts that are not there"),
        ({"record_outer": np.zeros((3, 3, 6))}, "another --window"),
        ({"clutch_kinds": np.array(["{"])}, "not a snapshot of this scene"),
    ],
)
def test_files_that_do_not_fit_are_refused(tmp_path: Path, changes: dict[str, object], why: str) -> None:
    file = tmp_path / "snapshot.npz"
    model = on_table(*stair(2))
    write_snapshot(file, World(model).snapshot())
    spoilt(file, **changes)
    with pytest.raises(BadFile, match=why):
        read_snapshot(file, World(model))


def test_what_is_no_snapshot_at_all_is_refused(tmp_path: Path) -> None:
    world = World(on_table(*stair(2)))
    with pytest.raises(BadFile, match="cannot be read as a snapshot"):
        read_snapshot(tmp_path / "none.npz", world)
    (tmp_path / "text.npz").write_text("not at all", encoding="utf-8")
    with pytest.raises(BadFile, match="snapshot"):
        read_snapshot(tmp_path / "text.npz", world)
    np.savez(tmp_path / "empty.npz", format=np.array("falsework-snapshot/1"))
    with pytest.raises(BadFile, match="there is no table 'names'"):
        read_snapshot(tmp_path / "empty.npz", world)


def test_windows_of_another_length_and_unknown_pushes_are_refused(tmp_path: Path) -> None:
    model: Assembly = on_table(*stair(2))
    write_snapshot(tmp_path / "snapshot.npz", World(model).snapshot())
    with pytest.raises(BadFile, match="another --window"):
        read_snapshot(tmp_path / "snapshot.npz", World(model, Settings(window_s=1 / 120)))
    world = World(model)
    world.pushes.append(object())  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="a push of object cannot be written"):
        write_snapshot(tmp_path / "other.npz", world.snapshot())
