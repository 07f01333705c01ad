"""The contract of the command line: exit codes, one line of complaint, one JSON object."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import falsework
from falsework.cli import VERBS, main
from falsework.model.errors import one_line
from tests.corpus import bad_files, bad_geometry


def complaint(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What a verb says on stderr when it exits 2: one line; on stdout nothing, or with --json the same in an object."""
    assert main(words) == 2
    out, err = capsys.readouterr()
    if "--json" in words:
        assert f"falsework: {json.loads(out)['error']['message']}\n" == err
    else:
        assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("falsework: ")
    return err


def test_every_bad_file_is_one_line_and_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for kind, path in [*bad_files(tmp_path / "files"), *bad_geometry(tmp_path / "geometry")]:
        said = complaint(capsys, "info", str(path), "--json")
        assert one_line(path.name.partition("#")[0]) in said, kind
        assert "Traceback" not in said, kind


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("inf",), "unknown verb 'inf'; did you mean 'info'?"),
        (("info",), "the following arguments are required: INPUT"),
        (("info", "x", "--ground", "sea"), "--ground: found 'sea', expected baseplate, table, table:MU or none"),
        (("info", "x", "--ground", "table:x"), "--ground: table: found 'x', expected a number that is 0 or more"),
        (("info", "x", "--mu", "nan"), "argument --mu: found 'nan', expected a number that is 0 or more"),
        (("info", "x", "--scale", "0"), "argument --scale: found '0', expected a number above 0"),
        (("info", "x", "--colour"), "unrecognized arguments: --colour (see: falsework info --help)"),
        (("check", "x", "--hold", "a"), "unrecognized arguments: --hold a; did you mean --held?"),
        (("check", "x", "--timout=3"), "unrecognized arguments: --timout=3; did you mean --timeout?"),
        (("plan", "x", "y"), "unrecognized arguments: y (see: falsework plan --help)"),
        (("bench", "nothing"), "argument SUITE: invalid choice: 'nothing'"),
    ],
)
def test_wrong_usage_says_what_was_expected(
    words: tuple[str, ...], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert expected in complaint(capsys, *words)


def test_an_unknown_fixed_part_names_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "tower.txt"
    model.write_text("2x4 (0,0,0)\n2x4 (0,0,1)\n")
    assert "tower.txt" in complaint(capsys, "info", str(model), "--fixed", "9")


def test_info_prints_one_json_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "tower.txt"
    model.write_text("2x4 (0,0,0)\n2x4 (0,0,1)\n2x2 (0,4,0)\n")
    assert main(["info", str(model), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["format"] == "brick-text"
    assert found["parts"] == 3
    assert found["fixed"] == []
    kinds = {"contacts": 1, "clutches": 3, "hinges": 0, "corners": 0, "edges": 0, "curved": 0, "ambiguous": 0}
    assert found["interfaces"] == kinds
    assert found["components"] == 1
    assert found["mass_kg"] == pytest.approx(2 * 0.00216 + 0.00115)
    assert found["bounds_m"] == [[0, 0, 0], pytest.approx([0.016, 0.048, 0.0192])]


def test_info_for_people_says_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "tower.txt"
    model.write_text("2x4 (0,0,0)\n2x4 (0,0,1)\n")
    assert main(["info", str(model)]) == 0
    said = capsys.readouterr().out
    assert "parts       2, 4.32 g" in said
    assert "interfaces  0 contacts, 2 clutches" in said


def test_the_ground_option_replaces_the_default(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "pair.txt"
    model.write_text("2x4 (0,0,0)\n2x4 (2,0,0)\n")
    for ground, clutches, contacts, pieces in (("baseplate", 2, 1, 1), ("none", 0, 1, 2), ("table:0.3", 0, 3, 1)):
        assert main(["info", str(model), "--ground", ground, "--json"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["interfaces"]["clutches"] == clutches
        assert found["interfaces"]["contacts"] == contacts
        assert found["components"] == pieces


def test_doctor_tells_every_room(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    rooms = {room["room"]: room for room in json.loads(capsys.readouterr().out)["rooms"]}
    assert rooms["core"]["usable"] is True
    assert rooms["core"]["open_with"] is None


def test_doctor_names_the_command_that_opens_a_room(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("falsework.rooms.ROOMS", {"cellar": ("wine", ("no-such-library",), "cellar")})
    assert main(["doctor"]) == 0
    assert "closed: pip install 'falsework[cellar]'" in capsys.readouterr().out


def test_help_lists_every_verb(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--help"])
    assert stopped.value.code == 0
    said = capsys.readouterr().out
    assert all(verb in said for verb in VERBS)


def test_importing_the_package_and_asking_for_help_load_no_library() -> None:
    """What keeps `import falsework` and `falsework --help` quick: nothing heavy is imported."""
    code = "import sys, falsework.cli as cli; cli.parser(); print(*sorted(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"numpy", "scipy", "trimesh", "shapely", "rich", "torch", "mujoco", "numba", "clarabel"}
    assert heavy.isdisjoint(loaded)


def test_the_installed_command_ends_with_the_exit_code_of_the_verb(tmp_path: Path) -> None:
    missing = subprocess.run(
        [sys.executable, "-m", "falsework", "info", str(tmp_path / "no.txt")], capture_output=True, text=True
    )
    assert missing.returncode == 2
    assert missing.stdout == ""
    assert missing.stderr.count("\n") == 1


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_is_a_function_of_the_package(verb: str) -> None:
    assert verb in falsework.__all__
    assert callable(getattr(falsework, verb))
