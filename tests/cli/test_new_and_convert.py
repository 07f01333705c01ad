"""`new` and `convert` on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from falsework import gallery
from falsework.cli import main
from falsework.formats import load
from tests.cli.test_command_line import complaint

Capture = pytest.CaptureFixture[str]


def test_new_prints_yaml_that_loads(tmp_path: Path, capsys: Capture) -> None:
    assert main(["new", "bird-house"]) == 0
    (tmp_path / "a.yaml").write_text(capsys.readouterr().out)
    assert load(tmp_path / "a.yaml").names == gallery.make("bird-house").names


def test_new_writes_by_ending_or_into_a_folder(tmp_path: Path, capsys: Capture) -> None:
    assert main(["new", "brick-arch", "--out", str(tmp_path / "a.ldr")]) == 0
    assert main(["new", "brick-arch", "--out", str(tmp_path / "made")]) == 0
    assert load(tmp_path / "a.ldr").names == load(tmp_path / "made" / "brick-arch.yaml").names
    assert "brick-arch, 9 parts" in capsys.readouterr().out


def test_new_tells_the_declared_truth_as_json(capsys: Capture) -> None:
    assert main(["new", "diamond-tower", "--param", "widest=5", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["parameters"] == {"widest": 5}
    assert (said["parts"], said["stands"], said["path"]) == (25, False, None)
    assert main(["new", "locked-bookshelf", "--json"]) == 0
    assert "different directions" in json.loads(capsys.readouterr().out)["unbuildable"]


def test_new_takes_a_seed(capsys: Capture) -> None:
    outs = []
    for seed in ("1", "1", "2"):
        assert main(["new", "random-bricks", "--seed", seed]) == 0
        outs.append(capsys.readouterr().out)
    assert outs[0] == outs[1] != outs[2]


def test_the_list_gives_verdict_and_margin(capsys: Capture) -> None:
    assert main(["new", "brick-stairs", "--list"]) == 0
    said = capsys.readouterr().out
    assert "brick-stairs             10         10 stable    77.6 % spare" in said
    assert "--param steps=10 (1 to 200): bricks" in said
    assert main(["new", "h-shape", "--list", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["gallery"]
    assert (row["verdict"], row["interfaces"], row["margin"]) == ("stable", 2, None)


def test_new_aims_at_a_utilization(tmp_path: Path, capsys: Capture) -> None:
    out = tmp_path / "a.txt"
    words = ["new", "random-overhang", "--utilization", "0.4,0.6", "--seed", "5", "--out", str(out), "--json"]
    assert main(words) == 0
    said = json.loads(capsys.readouterr().out)
    assert 0.4 <= said["utilization"] <= 0.6
    assert said["stands"] is True
    assert main(["check", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["utilization"] == pytest.approx(said["utilization"], rel=1e-4)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("new",), "name a KIND of the gallery, or ask for --list"),
        (("new", "dom"), "unknown kind 'dom'; did you mean 'dome'?"),
        (("new", "dome", "--param", "rings"), "argument --param: found 'rings', expected NAME=NUMBER"),
        (("new", "dome", "--param", "rings=many"), "found 'rings=many', expected NAME=NUMBER"),
        (("new", "dome", "--param", "ring=3"), "unknown parameter 'ring'; did you mean 'rings'?"),
        (("new", "dome", "--param", "rings=999"), "rings: found 999.0, expected a whole number from 1 to 60"),
        (("new", "dome", "--utilization", "0.8,1.2"), "dome has no parameter that its utilization grows with; those"),
        (("new", "dome", "--utilization", "1.2,0.8"), "found '1.2,0.8', expected LOW,HIGH like 0.8,1.25"),
        (("new", "brick-stairs", "--utilization", "1,2", "--param", "steps=3"), "leave --param out"),
        (("new", "dome", "--seed", "-1"), "--seed: found '-1', expected a whole number that is 0 or more"),
        (("new", "dome", "--out", "a.txt"), "a.txt: brick-text holds bricks only"),
        (("new", "dome", "--out", "a\0b.yaml"), "cannot be written: embedded null byte"),
        (("convert", "no.txt", "a.ldr"), "no.txt: there is no such file"),
    ],
)
def test_wrong_requests_are_one_line(words: tuple[str, ...], expected: str, capsys: Capture) -> None:
    assert expected in complaint(capsys, *words)


def test_convert_says_what_it_wrote(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "a.txt").write_text("2x4 (0,0,0)\n4x2 (0,1,1)\n")
    assert main(["convert", str(tmp_path / "a.txt"), str(tmp_path / "a.mpd"), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["from"], said["to"], said["parts"]) == ("brick-text", "ldraw", 2)
    assert main(["convert", str(tmp_path / "a.mpd"), str(tmp_path / "b.txt")]) == 0
    assert (tmp_path / "b.txt").read_text() == (tmp_path / "a.txt").read_text()


def test_convert_refuses_a_loss_unless_it_is_accepted(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "a.txt").write_text("2x4 (0,0,0)\n")
    words = ["convert", str(tmp_path / "a.txt"), str(tmp_path / "b.json"), "--to", "bricksim-topology"]
    said = complaint(capsys, *words)
    assert "b.json: bricksim-topology cannot hold which parts are fixed; the ground 'baseplate'" in said
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert main([*words, "--lossy"]) == 0
    assert load(tmp_path / "b.json").source == "bricksim-topology"


def test_convert_takes_the_circumstances_of_the_options(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "a.txt").write_text("2x4 (0,0,0)\n2x4 (0,1,1)\n")
    words = ["convert", str(tmp_path / "a.txt"), str(tmp_path / "b.json"), "--to", "bricksim-topology"]
    assert main([*words, "--ground", "none", "--fixed", "1"]) == 0
    assert load(tmp_path / "b.json").fixed == {"1"}
    assert "2 parts" in capsys.readouterr().out
