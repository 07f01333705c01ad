"""`falsework verify MOTION` and `falsework convert MOTION FOLDER`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from falsework import Assembly, new_cell, save
from falsework.bench.motions.faults import spoiled
from falsework.bench.motions.top_down import Job, top_down
from falsework.cli import main
from falsework.formats.motions.writing import save_motion
from falsework.formats.plans.sources import source_of
from falsework.model.robots.motion import Motion
from falsework.robots.motions.making import motions_of


@pytest.fixture(scope="module")
def motion() -> tuple[Motion, Assembly]:
    block = Assembly.from_boxes({"block": ((0.04, 0.04, 0.04), (0.0, 0.0, 0.02))}, ground="table")
    plan = top_down(new_cell("panda"), block, [Job("block", new_cell("panda").arms[0].name)])
    return motions_of(plan, block, np.random.default_rng(0)), block


def written(motion: tuple[Motion, Assembly], folder: Path) -> Path:
    save(motion[1], folder / "block.yaml")
    plan = replace(motion[0].plan, source=source_of(folder / "block.yaml", motion[1]))
    return save_motion(replace(motion[0], plan=plan), folder)


def test_a_motion_is_verified_with_its_plan(motion, tmp_path, capsys):
    path = written(motion, tmp_path)
    assert main(["verify", str(path), "--out", str(tmp_path / "page")]) == 0
    assert "valid" in capsys.readouterr().out
    assert (tmp_path / "page" / "report.html").is_file()
    assert main(["verify", str(path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["valid"] is True
    assert told["instants"] > 10


def test_a_spoiled_motion_is_refused_by_name(motion, tmp_path, capsys):
    bad = spoiled(motion[0], motion[1], "weak grip", np.random.default_rng(0))
    path = written((bad, motion[1]), tmp_path)
    assert main(["verify", str(path), "--json"]) == 1
    failures = json.loads(capsys.readouterr().out)["failures"]
    assert {(one["kind"], one["arm"]) for one in failures} == {("grip", "arm")}
    assert main(["verify", str(path)]) == 1
    assert "grips 'block' with" in capsys.readouterr().out


def test_a_motion_is_written_for_drivers(motion, tmp_path, capsys):
    path = written(motion, tmp_path)
    assert main(["convert", str(path), str(tmp_path / "drivers"), "--to", "ros"]) == 0
    (name,) = [one.name for one in (tmp_path / "drivers").iterdir()]
    assert name.endswith(".trajectory.json")
    assert main(["convert", str(path), str(tmp_path / "drivers"), "--to", "rosbag"]) == 2
    assert "a motion cannot be written as 'rosbag'" in capsys.readouterr().err
    assert main(["convert", str(path), str(path)]) == 2
    assert "this is a file" in capsys.readouterr().err


def test_what_is_no_motion_is_one_line(motion, tmp_path, capsys):
    path = written(motion, tmp_path)
    document = json.loads(path.read_text(encoding="utf-8"))
    document["segments"][0]["kind"] = "dance"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert main(["verify", str(path)]) == 2
    said = capsys.readouterr().err
    assert "segments[0].kind" in said
    assert said.count("\n") == 1
