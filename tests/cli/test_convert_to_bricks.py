"""`convert --bricks` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import trimesh

from falsework.cli import main
from falsework.formats import load
from tests.cli.test_command_line import complaint
from tests.laying.shapes import block, shelf

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def drum(tmp_path: Path) -> str:
    path = tmp_path / "drum.stl"
    trimesh.creation.cylinder(1.0, 2.0).export(path)
    return str(path)


def test_a_mesh_becomes_bricks_that_stand(drum: str, tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "drum.txt"
    assert main(["convert", drum, str(out), "--bricks", "--studs", "12", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["to"], said["verdict"], said["components"], said["why"]) == ("brick-text", "stable", 1, [])
    assert len(load(out).parts) == said["parts"]
    assert said["cells"][2] == 10  # twelve studs high are ten layers
    assert main(["check", str(out)]) == 0


def test_people_are_told_the_size_and_the_margin(drum: str, tmp_path: Path, capsys: Capture) -> None:
    assert main(["convert", drum, str(tmp_path / "drum.ldr"), "--bricks", "--studs", "6", "--hollow", "1"]) == 0
    said = capsys.readouterr().out
    assert "6 x 6 studs, 5 layers" in said
    assert "of the clutch strength is needed" in said
    assert "drum.ldr (ldraw)" in said


def test_what_cannot_stand_is_said_and_nothing_is_written(tmp_path: Path, capsys: Capture) -> None:
    np.save(tmp_path / "board.npy", shelf(12))
    words = ["convert", str(tmp_path / "board.npy"), str(tmp_path / "board.txt"), "--bricks"]
    assert main([*words, "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert (said["verdict"], said["path"]) == ("unstable", None)
    assert "cannot be held" in said["why"][0]
    assert main(words) == 1
    assert "no standing layout was found; nothing was written" in capsys.readouterr().out
    assert [path.name for path in tmp_path.iterdir()] == ["board.npy"]


def test_wrong_requests_are_one_line(drum: str, tmp_path: Path, capsys: Capture) -> None:
    np.save(tmp_path / "block.npy", block(2, 2, 2))
    np.save(tmp_path / "flat.npy", np.ones((3, 3)))
    np.save(tmp_path / "objects.npy", np.array([[["a"]]], dtype=object), allow_pickle=True)
    (tmp_path / "cut.npy").write_bytes((tmp_path / "block.npy").read_bytes()[:-3])
    torn = trimesh.creation.icosphere(2)
    torn.update_faces(np.arange(len(torn.faces)) % 2 > 0)
    torn.export(tmp_path / "open.obj")
    out = str(tmp_path / "x.txt")
    for source, options, expected in (
        (drum, ["--studs", "9"], "--studs is for shapes turned into bricks; add --bricks"),
        (drum, ["--bricks", "--studs", "0"], "argument --studs: found '0', expected a whole number above 0"),
        (drum, ["--bricks", "--studs", "999"], "drum.stl: studs: found 999, expected a whole number from 1 to 200"),
        (drum, ["--bricks", "--to", "step"], "format 'step': expected one of"),
        (str(tmp_path / "block.npy"), [], "is an array of voxels, not an assembly; convert it with --bricks"),
        (str(tmp_path / "block.npy"), ["--bricks", "--studs", "4"], "--studs scales solids"),
        (str(tmp_path / "flat.npy"), ["--bricks"], "found an array of float64 with shape (3, 3)"),
        (str(tmp_path / "objects.npy"), ["--bricks"], "found an array of object"),
        (str(tmp_path / "cut.npy"), ["--bricks"], "cut.npy: is a damaged .npy file"),
        (str(tmp_path / "open.obj"), ["--bricks"], "has no defined volume"),
    ):
        assert expected in complaint(capsys, "convert", source, out, *options)
    assert not Path(out).exists()
