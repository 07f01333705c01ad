"""Other ways to simulate bricks, beside ours: what the clutches hold, welds nearly hold and plain bodies drop."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from falsework.brickworld.schemes import SCHEMES, watch
from falsework.brickworld.settings import Settings
from falsework.brickworld.simulate import Action, simulate
from falsework.cli import main
from falsework.engine.welded import welded
from falsework.formats import save
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.assembly import Assembly, Hinge
from falsework.model.errors import BadInput
from falsework.verdicts.check import check
from tests.brickworld.scenes import on_table, stair
from tests.conftest import brick, on_baseplate

STAIR = on_baseplate(*stair(5, step=2))


def test_what_general_engines_drop_the_clutches_hold() -> None:
    """Seed 000, Fig. 2: the same stable model with clutches, with welds, and with contact and friction only."""
    assert check(STAIR).stands
    ours, welds, plain = (simulate(STAIR, scheme=scheme, seconds=0.2) for scheme in SCHEMES)
    assert ours.drift_m == 0.0
    assert not ours.broke
    assert 0 < welds.drift_m < 1e-4
    assert not welds.broke
    assert plain.drift_m > 0.005
    assert plain.broke
    assert len(plain.components) == 1 + sum(len(event.connections) for event in plain.breaks)
    assert plain.breaks[0].force_n is None


def test_the_command_line_compares_the_schemes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "stair.yaml"
    save(STAIR, file)
    assert main(["simulate", str(file), "--seconds", "0.2", "--compare", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert set(answer["schemes"]) == {"clutches", "welds", "plain"}
    assert answer["schemes"]["clutches"]["apart"] == 0
    assert answer["schemes"]["plain"]["apart"] > 0
    assert main(["simulate", str(file), "--seconds", "0.2", "--scheme", "plain", "--out", str(tmp_path / "out")]) == 1
    assert "breaks" in capsys.readouterr().out
    assert (tmp_path / "out" / "trajectory.npz").is_file()
    assert not (tmp_path / "out" / "break-1.npz").exists()
    assert main(["simulate", str(file), "--seconds", "0.2", "--compare"]) == 0
    assert "plain" in capsys.readouterr().out


def test_forces_and_snapshots_go_with_clutches_only() -> None:
    with pytest.raises(BadInput, match="go with --scheme clutches only"):
        simulate(STAIR, scheme="welds", actions=[Action("pull", "4", 1.0)])
    with pytest.raises(BadInput, match="go with --scheme clutches only"):
        simulate(STAIR, scheme="plain", resume="snapshot.npz")
    with pytest.raises(BadInput, match="scheme 'glue'"):
        watch(STAIR, "glue", 1, Settings())  # type: ignore[arg-type]


def test_welded_components_fall_onto_each_other_but_are_not_welded_together() -> None:
    """A stack of two over a stack of two, not connected: the upper comes to rest on the lower one's solids."""
    low = [brick(f"low {n}", "brick_2x4", 0, 0, 3 * n) for n in range(2)]
    high = [brick(f"high {n}", "brick_2x4", 0, 0, 9 + 3 * n) for n in range(2)]
    model = on_table(*low, *high)
    scene = welded(model, interfaces(model).clutches.bodies)
    for _ in range(30):
        scene.step(1 / 60)
    heights = scene.poses()[:4, 2, 3]
    assert heights == pytest.approx(np.array([0.0, 1.0, 2.0, 3.0]) * 0.0096, abs=2e-4)


def test_too_many_studs_and_hinges_are_refused() -> None:
    wide = on_baseplate(brick("a", "brick_2x2", 0, 0, 0), brick("b", "brick_2x2", 400, 300, 0))
    with pytest.raises(BadInput, match="studs, each of which collides"):
        simulate(wide, scheme="plain", seconds=0.1)
    hinge = Hinge("0", "1", np.zeros(3), np.array([0.0, 1.0, 0.0]))
    hinged = Assembly(stair(2), fixed=frozenset({"0"}), hinges=(hinge,))
    with pytest.raises(BadInput, match="knows no hinges"):
        simulate(hinged, scheme="welds", seconds=0.1)
