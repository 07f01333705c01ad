"""The first minutes at a command line: what is misspelt, piped, or asked for by a program is answered, or teaches."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from falsework.cli import main
from falsework.cli.complaints import asks_for_json
from falsework.cli.lesson import LESSON
from falsework.model.errors import did_you_mean
from tests.docs.shown import ROOT

ARCH, BRIDGE = ROOT / "examples" / "arch.yaml", ROOT / "examples" / "bridge.txt"
Said = pytest.CaptureFixture[str]


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(words: list[str], said: Said, code: int = 2) -> str:
    assert main(words) == code
    return said.readouterr().err


def error(words: list[str], said: Said, code: int = 2) -> dict[str, Any]:
    """The object on stdout, which says what the line on stderr says; the exit code is that of the line."""
    assert main([*words, "--json"]) == code
    out, err = said.readouterr()
    (found,) = json.loads(out).values()
    assert err == f"falsework: {found['message']}\n"
    assert found["exit"] == code
    assert isinstance(found, dict)
    return found


def test_no_words_at_all_teach_and_end_as_wrong_usage(capsys: Said) -> None:
    assert main([]) == 2
    out, err = capsys.readouterr()
    assert out.strip() == LESSON.strip()
    assert err == "falsework: the following arguments are required: VERB (see: falsework --help)\n"


def test_what_the_lesson_shows_can_be_typed_as_it_stands(desk: Path, capsys: Said) -> None:
    commands = [shlex.split(line.split("    ")[0]) for line in LESSON.splitlines() if line.startswith("  falsework ")]
    assert len(commands) == 6
    for _, *words in commands[:-1]:  # the last opens a browser
        assert main(words) in (0, 1), words
    assert commands[-1][1:] == ["view", "arch.yaml"]
    assert "falls" in capsys.readouterr().out  # without the keystone


def test_a_misspelt_file_is_answered_with_the_one_beside_it(desk: Path, capsys: Said) -> None:
    shutil.copy(ARCH, desk / "arch.yaml")
    (desk / "models").mkdir()
    shutil.copy(BRIDGE, desk / "models" / "bridge.txt")
    assert "there is no such file; did you mean 'arch.yaml'?" in told(["info", "arhc.yaml"], capsys)
    assert "did you mean 'arch.yaml'?" in told(["info", "arch"], capsys)
    assert "did you mean 'arch.yaml'?" in told(["info", "arch.txt"], capsys)
    assert "did you mean 'models/bridge.txt'?" in told(["check", "models/brigde.txt"], capsys)
    assert "did you mean" not in told(["check", "cathedral.glb"], capsys)
    assert "did you mean" not in told(["check", "nowhere/bridge.txt"], capsys)


def test_a_kind_of_the_gallery_is_no_file_but_one_command_away(desk: Path, capsys: Said) -> None:
    assert "make one: falsework new dome --out dome.yaml" in told(["check", "dome"], capsys)
    assert main(["new", "dome", "--out", "dome.yaml"]) == 0
    assert main(["info", "dome.yaml"]) == 0
    assert "unknown kind 'doem'; did you mean 'dome'?" in told(["new", "doem"], capsys)


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["--absent", "keystne"], "did you mean 'keystone'?"),
        (["--model", "crra"], "did you mean 'cra'?"),
        (["--held", "roof"], "expected one of: "),
    ],
)
def test_misspelt_parts_and_models_are_answered(words: list[str], hint: str, capsys: Said) -> None:
    assert hint in told(["check", str(ARCH), *words], capsys)


def test_a_message_never_lists_thousands_of_names() -> None:
    said = did_you_mean("x", [f"part-{number}" for number in range(5000)])
    assert said.endswith(", … (5000 in all)") and len(said) < 700


def test_errors_are_objects_for_programs(tmp_path: Path, capsys: Said) -> None:
    missing = error(["info", str(tmp_path / "no.txt")], capsys)
    assert missing["kind"] == "bad-file" and missing["path"] == str(tmp_path / "no.txt")
    broken = tmp_path / "broken.yaml"
    broken.write_text("format: falsework-assembly/1\nparts: [{name: a, mass: -1}]\n")
    assert error(["check", str(broken)], capsys)["place"].startswith("parts[0]")
    assert error(["check", str(ARCH), "--hold", "a"], capsys)["kind"] == "wrong-usage"
    assert error(["chek", str(ARCH)], capsys)["kind"] == "wrong-usage"
    assert error(["check", str(ARCH), "--absent", "x"], capsys)["kind"] == "bad-file"  # it has no such part
    sunk = tmp_path / "sunk.txt"
    sunk.write_text("2x4 (0,0,0)\n2x4 (0,1,0)\n")
    overlap = error(["check", str(sunk)], capsys)
    assert (overlap["kind"], overlap["parts"], overlap["path"]) == ("overlap", ["1", "2"], str(sunk))
    assert overlap["depth_m"] > 0


def test_an_interrupt_and_a_full_memory_are_objects_too(monkeypatch: pytest.MonkeyPatch, capsys: Said) -> None:
    def raising(what: BaseException) -> Any:
        def run(arguments: object) -> int:
            raise what

        return run

    monkeypatch.setattr("falsework.cli.info.run", raising(KeyboardInterrupt()))
    assert error(["info", "x"], capsys, 130)["kind"] == "interrupted"
    monkeypatch.setattr("falsework.cli.info.run", raising(MemoryError()))
    assert error(["info", "x"], capsys, 3)["kind"] == "out-of-memory"


def test_whoever_does_not_ask_for_json_gets_none(capsys: Said) -> None:
    assert main(["info", "no.txt"]) == 2
    assert capsys.readouterr().out == ""
    assert asks_for_json(["--js"]) and asks_for_json(["info", "x", "--json"])
    assert not asks_for_json(["--journal", "json"])


def piped(file: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "falsework", *words], input=file.read_bytes(), capture_output=True)


def test_an_assembly_comes_by_a_pipe(desk: Path) -> None:
    by_name = subprocess.run([sys.executable, "-m", "falsework", "info", str(BRIDGE)], capture_output=True)
    assert piped(BRIDGE, "info", "-").stdout.splitlines()[1:] == by_name.stdout.splitlines()[1:]
    stands = piped(ARCH, "check", "-", "--json", "--out", "out")
    assert (stands.returncode, json.loads(stands.stdout)["verdict"]) == (0, "stable")
    assert (desk / "out" / "report.html").exists()
    assert piped(ARCH, "check", "-", "--absent", "keystone").returncode == 1
    assert piped(BRIDGE, "convert", "-", "bridge.yaml").returncode == 0
    assert main(["info", "bridge.yaml"]) == 0


def test_what_comes_by_a_pipe_and_makes_no_sense_is_one_line(desk: Path) -> None:
    nothing = desk / "nothing"
    nothing.write_bytes(b"")
    said = piped(nothing, "check", "-")
    assert (said.returncode, said.stderr) == (2, b"falsework: -: is empty, expected an assembly\n")
    refused = piped(BRIDGE, "plan", "-", "--out", "out")
    assert refused.returncode == 2 and b"a plan file names the file that it builds" in refused.stderr
    assert not (desk / "out").exists()


@pytest.mark.parametrize("words", [["locate", "{long}"], ["convert", "{long}", "x.yaml"], ["info", "{long}"]])
def test_a_name_that_no_file_can_have_is_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([word.format(long="a" * 3000) for word in words]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1
