"""`falsework collapse`: the contract's keys and exit codes, artefacts, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import falsework
from falsework.cli import main
from falsework.collapse.collapse import Collapse
from falsework.formats import save
from falsework.gallery import make
from falsework.model.trajectory import Trajectory
from tests.collapse.scenes import G, over_the_edge

QUICK = ("--seconds", "0.02", "--step", "0.004")


@pytest.fixture
def plank(tmp_path: Path) -> str:
    path = tmp_path / "plank.yaml"
    save(over_the_edge(0.2), path)
    return str(path)


@pytest.fixture
def arch(tmp_path: Path) -> str:
    path = tmp_path / "arch.yaml"
    save(make("semicircular-arch", stones=7), path)
    return str(path)


def test_what_falls_ends_with_1_and_says_how(plank: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["collapse", plank, *QUICK, "--json", "--out", str(tmp_path / "out")])
    told = json.loads(capsys.readouterr().out)
    assert code == 1
    assert {"verdict", "accelerations", "falling", "frames", "wall_s"} <= set(told)
    assert told["verdict"] == "unstable"
    assert list(told["accelerations"]) == ["plank"]  # free parts only
    expected = G * 0.2 / ((1.0 + 0.01) / 12 + 0.2**2 + 0.05**2)
    assert told["accelerations"]["plank"][4] == pytest.approx(expected, rel=1e-6)
    assert told["falling"] == ["plank"]
    with np.load(tmp_path / "out" / "trajectory.npz", allow_pickle=False) as saved:
        assert set(saved) == {"time", "names", "T_world_part"}
        assert saved["T_world_part"].shape == (told["frames"], 2, 4, 4)
        assert saved["time"][-1] == pytest.approx(0.02)
    assert "Penetration" in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_what_stands_ends_with_0(arch: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["collapse", arch, *QUICK]) == 0
    assert "stands" in capsys.readouterr().out


def test_absent_and_held_parts_change_the_answer(arch: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["collapse", arch, *QUICK, "--absent", "keystone", "--json"]) == 1
    told = json.loads(capsys.readouterr().out)
    assert "keystone" not in told["accelerations"]
    held = ",".join(f"stone-{k}" for k in (1, 2, 3, 5, 6, 7))
    assert main(["collapse", arch, *QUICK, "--absent", "keystone", "--held", held]) == 0


def test_events_happen(arch: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["collapse", arch, "--seconds", "0.3", "--step", "0.01", "--event", "0.05:remove:keystone", "--json"]) == 0
    )
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == "stable"  # at the first instant
    assert "stone-3" in told["fallen"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--event", "soon:remove:keystone"], "expected T:ACTION:NAME"),
        (["--event", "0:explode:keystone"], "expected one of: hold, move, release, remove"),
        (["--held", "keystoen"], "did you mean 'keystone'"),
        (["--step", "0"], "expected a number above 0"),
    ],
)
def test_nonsense_is_one_line_and_exit_2(
    arch: str, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["collapse", arch, *words]) == 2
    complaint = capsys.readouterr().err
    assert said in complaint
    assert complaint.count("\n") == 1


def test_a_run_that_cannot_go_on_ends_with_3(
    plank: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from falsework.collapse.step import NotSolved, Stepper

    def fails(self: Stepper, h: float, *, careful: bool, convex: bool = False) -> None:
        raise NotSolved("on purpose")

    monkeypatch.setattr(Stepper, "step", fails)
    assert main(["collapse", plank, *QUICK, "--json"]) == 3
    told = json.loads(capsys.readouterr().out)
    assert "on purpose" in told["why"]
    assert told["frames"] == 1


def test_the_library_has_the_verb() -> None:
    found = falsework.collapse(over_the_edge(0.2), seconds=0.02, step_s=0.004)
    assert isinstance(found, Collapse)
    assert isinstance(found.motion.trajectory, Trajectory)
    assert found.falling == ("plank",)
