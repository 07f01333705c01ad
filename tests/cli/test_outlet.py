"""Readers that go away and terminals that know few letters change nothing about an answer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from falsework.cli import main

STAIRS = Path(__file__).parents[2] / "examples" / "stairs.txt"
FALSEWORK = (sys.executable, "-m", "falsework")


def test_a_reader_who_goes_away_leaves_the_exit_code_alone() -> None:
    with subprocess.Popen([*FALSEWORK, "check", str(STAIRS)], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None and run.stderr is not None
        run.stdout.close()
        complaints = run.stderr.read()
    assert run.returncode == 1  # it falls
    assert complaints == b""


def test_a_terminal_without_greek_letters_is_no_traceback() -> None:
    plain = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C", "PYTHONUTF8": "0"}
    done = subprocess.run([*FALSEWORK, "check", str(STAIRS)], env=plain, capture_output=True)
    assert done.returncode == 1
    assert done.stderr == b""
    assert b"m/s?" in done.stdout


def test_a_file_is_not_converted_onto_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    same = tmp_path / "stairs.txt"
    same.write_bytes(STAIRS.read_bytes())
    assert main(["convert", str(same), str(tmp_path / "." / "stairs.txt")]) == 2
    assert "that is the file to convert; give the new one another name" in capsys.readouterr().err
    assert same.read_bytes() == STAIRS.read_bytes()
