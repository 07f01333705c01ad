"""`simulate`: drops, ramps and tilts, and the command line around them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from falsework.brickworld.settings import Settings
from falsework.brickworld.simulate import Action, EngineTrouble, simulate
from falsework.brickworld.simulation import Simulation
from falsework.brickworld.world import World
from falsework.cli import main
from falsework.cli.simulate import _print_table
from falsework.formats import save
from falsework.gallery import make
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, Undecided
from falsework.verdicts.check import check
from tests.brickworld.scenes import on_table, stair
from tests.conftest import brick, on_baseplate
from tests.docs.shown import ROOT

FIFTEEN_BRICKS_M = 15 * 0.0096


@pytest.mark.parametrize(("kind", "pieces"), [("bookshelf", 1), ("bench", 2), ("guitar", 2)])
def test_the_seeds_three_drops_come_out_as_they_did(kind: str, pieces: int) -> None:
    found = simulate(make(f"brick-{kind}"), drop_m=FIFTEEN_BRICKS_M, seconds=0.4)
    assert len(found.components) == pieces + 1  # and the table
    assert len(found.breaks) == pieces - 1
    if kind == "guitar":
        assert found.breaks[0].connections == (("10", "11"),)  # where the neck begins


def test_a_level_drop_without_a_lean_loads_no_clutch() -> None:
    found = simulate(make("brick-guitar"), drop_m=FIFTEEN_BRICKS_M, tilt_deg=0.0, seconds=0.3)
    assert not found.broke


def test_a_drop_lets_go_of_what_was_held_and_lands_on_the_table() -> None:
    table = make("brick-table", height=1)
    found = simulate(table, drop_m=0.02, tilt_deg=0.0, seconds=0.4)
    start, end = found.trajectory.T_world_part[[0, -1], :, 2, 3]
    assert start.min() == pytest.approx(0.02)
    assert end.min() == pytest.approx(0.0, abs=1e-4)
    assert found.trajectory.time_s[-1] == pytest.approx(0.4)


@pytest.mark.parametrize(("way", "parted", "limit"), [("pull", ("a", "b"), 12 * 0.56), ("push", ("ground", "a"), None)])
def test_a_pulled_brick_comes_off_and_the_hand_lets_go(way: str, parted: tuple[str, str], limit: float | None) -> None:
    """Pulled, both joints carry the same but for a weight; pushed at the top, the lower one has the longer lever."""
    model = on_baseplate(brick("a", "brick_2x2", 0, 0, 0), brick("b", "brick_2x2", 0, 0, 3))
    found = simulate(model, actions=[Action(way, "b", 12.0)], seconds=0.5)  # type: ignore[arg-type]
    assert found.breaks[0].connections == (parted,)
    assert found.world.pushes == []
    if limit is not None:
        assert found.breaks[0].force_n == pytest.approx(limit + found.world.assembly.parts[1].mass_kg * 9.81, rel=0.01)


def test_tilting_the_ground_is_tilting_gravity() -> None:
    model = on_baseplate(*stair(3))
    found = simulate(model, tilt_deg=30.0, seconds=0.05)
    wanted = 9.81 * np.array([np.sin(np.deg2rad(30)), 0.0, -np.cos(np.deg2rad(30))])
    assert np.abs(found.world.assembly.gravity) == pytest.approx(np.abs(wanted))


def test_random_models_break_in_the_world_where_check_says_so() -> None:
    rng = np.random.default_rng(1)
    for number in range(8):
        model = make("random-bricks", number, bricks=12)
        joints = interfaces(model)
        needed = check(model, joints=joints).utilization
        assert needed is not None
        model = model.changed(gravity=model.gravity * rng.choice([0.9, 1.1]) / needed)
        assert simulate(model, joints=joints, seconds=0.05).broke != check(model, joints=joints).stands


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"seconds": 0.0}, "seconds: found 0.0"),
        ({"seconds": 1e9}, "expected a positive number up to"),
        ({"drop_m": -1.0}, "drop: found -1.0"),
        ({"tilt_deg": float("nan")}, "tilt: found nan"),
        ({"actions": [Action("pull", "nobody", 1.0)]}, "there is no part 'nobody'"),
        ({"seconds": 0.1, "settings": Settings(window_s=1.0)}, "window: found 1 s, expected at most the 0.1 s"),
    ],
)
def test_questions_that_make_no_sense_are_refused(changes: dict[str, object], why: str) -> None:
    with pytest.raises(BadInput, match=why):
        simulate(on_baseplate(*stair(2)), **changes)  # type: ignore[arg-type]


def test_without_any_ground_both_options_are_named() -> None:
    with pytest.raises(BadInput, match=r"--ground table, --fixed or --drop"):
        simulate(Assembly(stair(2)))


def test_an_engine_that_fails_leaves_the_last_good_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "stair.yaml"
    save(on_baseplate(*stair(2)), file)
    steps = {"left": 3}
    real = World.step

    def failing(world: World) -> object:
        steps["left"] -= 1
        if steps["left"] < 0:
            raise Undecided("the engine lost a body at 0.05 s")
        return real(world)

    monkeypatch.setattr(World, "step", failing)
    out = tmp_path / "out"
    assert main(["simulate", str(file), "--seconds", "0.2", "--out", str(out)]) == 3
    with np.load(out / "snapshot.npz") as kept:
        assert kept["frames"] == 3
        assert kept["names"].tolist() == ["0", "1", "ground"]
    with np.load(out / "trajectory.npz") as moved:
        assert moved["T_world_part"].shape == (4, 2, 4, 4)
    steps["left"] = 0
    with pytest.raises(EngineTrouble, match="lost a body"):
        simulate(on_baseplate(*stair(2)), seconds=0.1)


def test_the_command_line_keeps_its_contract(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "two.yaml"
    save(on_baseplate(brick("a", "brick_2x2", 0, 0, 0), brick("b", "brick_2x2", 0, 0, 3)), file)
    out = tmp_path / "out"
    code = main(["simulate", str(file), "--pull", "b:12", "--seconds", "0.4", "--json", "--out", str(out)])
    answer = json.loads(capsys.readouterr().out)
    assert code == 1
    promised = {"breaks", "joins", "undecided", "components", "frame_ms", "realtime_factor", "frames"}
    assert set(answer) == {*promised, "fallen"}
    assert set(answer["frame_ms"]) == {"mean", "p50", "p99", "max", "physics", "mechanics", "topology"}
    assert set(answer["breaks"][0]) == {"time_s", "connections", "utilization", "force_n", "late_s"}
    assert answer["frames"] == 24
    assert ["b"] in answer["components"]
    with np.load(out / "trajectory.npz") as moved:
        assert moved["time"].shape == (25,)
        assert moved["names"].tolist() == ["a", "b"]
    assert (out / "report.html").is_file()
    assert (out / "break-1.npz").is_file()
    assert main(["simulate", str(file), "--seconds", "0.1"]) == 0
    assert "nothing broke" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--pull", "b"], "--pull: found 'b', expected NAME:N"),
        (["--push", "b:2:z"], "--push: found 'b:2:z', expected NAME:N:x"),
        (["--press", "b:-1"], "expected NAME:N with a positive force"),
        (["--tilt", "steep"], "expected a number of degrees"),
        (["--stiffness", "1e9"], "too much for steps"),
        (["--pull", "c:1"], "there is no part 'c'"),
    ],
)
def test_wrong_options_are_one_line(
    tmp_path: Path, options: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "two.yaml"
    save(on_baseplate(brick("a", "brick_2x2", 0, 0, 0), brick("b", "brick_2x2", 0, 0, 3)), file)
    assert main(["simulate", str(file), *options]) == 2
    told = capsys.readouterr().err
    assert why in told
    assert told.count("\n") == 1


def test_the_same_question_has_the_same_answer() -> None:
    ends = [simulate(make("brick-bench"), drop_m=0.1, seconds=0.3).trajectory.T_world_part[-1] for _ in range(2)]
    assert np.array_equal(*ends)


def test_windows_are_whole_steps() -> None:
    assert Settings().window_steps == 2
    assert Settings(window_s=1e-6).window_steps == 1
    assert Settings(window_s=1 / 60).window_steps == 8


def test_simulating_blocks_tells_what_moved_and_lists_no_half_of_the_parts(capsys: pytest.CaptureFixture[str]) -> None:
    """Blocks have nothing that could break: "nothing broke" of a fallen arch would be true and useless."""
    arch = str(ROOT / "examples" / "arch.yaml")
    assert main(["simulate", arch, "--seconds", "0.1"]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{arch}: none of 13 parts left their place in 0.1 s\n")
    assert "broke" not in said and "component" not in said
    assert main(["simulate", arch, "--seconds", "0.6", "--push", "keystone:2000"]) == 0
    first, *rows = capsys.readouterr().out.splitlines()
    moved = [row for row in rows if row.startswith("  moved      ")]
    count = int(first.partition(": ")[2].split()[0])
    more = int(moved[-1].split()[3]) if "… and" in moved[-1] else 0
    assert count > 1 and count == len([row for row in moved if "…" not in row]) + more
    assert main(["simulate", arch, "--seconds", "0.6", "--push", "keystone:2000", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["fallen"]) == count


def test_what_is_listed_of_many_components_is_counted_to_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    loose = [brick(str(k), "brick_1x1", 3 * k, 0, 0) for k in range(11)]
    parts = found_of(simulate(on_table(*loose), seconds=0.1), capsys)
    assert parts[-1] == "  component  … and 4 more"  # eleven bricks and the table, eight of them listed


def found_of(found: Simulation, capsys: pytest.CaptureFixture[str]) -> list[str]:
    _print_table("loose", found)
    return [row for row in capsys.readouterr().out.splitlines() if row.startswith("  component")]
