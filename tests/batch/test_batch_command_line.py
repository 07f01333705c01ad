"""`falsework batch` as it is typed: exit codes, signals at any moment, places that cannot be written."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from falsework.batch.shards import ROWS, lines
from falsework.cli import main
from tests.batch.hunt import Hunt
from tests.contracts.test_work_pools import gone_within

BRICKS = "2x4 (0,0,0)\n2x4 (0,0,1)\n"
SWEEP = "new:random-bricks{n=3..12,seed=0..5}"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models").mkdir()
    for number in range(3):
        (tmp_path / "models" / f"{number}.txt").write_text(BRICKS)
    return tmp_path


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "falsework", "batch", *words]


def test_all_answered_is_exit_0_and_the_keys_are_those_of_the_contract(
    desk: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["batch", "info", "models", "--out", "out", "--pool", "serial", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {"jobs", "done", "failed", "quarantined", "results", "jobs_per_s"} <= set(told)
    assert (told["jobs"], told["done"], told["failed"], told["quarantined"]) == (3, 3, 0, 0)
    assert Path(told["results"]).exists() and Path(told["report"]).exists()
    assert main(["batch", "info", "models", "--out", "out", "--pool", "serial", "--resume"]) == 0
    assert "3 of 3 jobs done, 0 of them new" in capsys.readouterr().out


def test_some_refused_is_exit_1_and_nothing_to_ask_is_exit_2(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (desk / "models" / "bad.txt").write_text("nonsense")
    assert main(["batch", "info", "models", "--out", "out", "--pool", "processes:2"]) == 1
    assert "refused          1" in capsys.readouterr().out
    for words, why in (
        (["info", "models"], "the following arguments are required: --out"),
        (["view", "models", "--out", "x"], "invalid choice: 'view'"),
        (["info", "models", "--out", "x", "--pool", "nobody"], "pool 'nobody': expected one of"),
        (["check", "models", "--out", "x", "--set", "mu"], "--set: found 'mu', expected NAME=VALUE"),
        (["check", "new:nothing", "--out", "x"], "unknown kind 'nothing'"),
        (["info", "models", "--out", "models/0.txt"], "is a file, expected a folder"),
    ):
        assert main(["batch", *words]) == 2
        said = capsys.readouterr().err
        assert why in said and said.count("\n") == 1


def test_ctrl_c_leaves_a_folder_that_goes_on(desk: Path) -> None:
    words = command("check", SWEEP, "--out", "out", "--pool", "processes:2")
    with subprocess.Popen(words, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, start_new_session=True) as run:
        _wait_for_rows(Path("out"), 5)
        processes = _session(run.pid)
        os.killpg(run.pid, signal.SIGINT)
        assert run.communicate(timeout=60)[1] == b"falsework: interrupted\n"
    assert run.returncode == 130
    gone_within(5.0, processes)
    kept = list(lines(Path("out"), ROWS))
    assert 5 <= len(kept) < 60 and all(json.loads(line)["verdict"] == "stable" for line in kept)
    assert main(["batch", "check", SWEEP, "--out", "out", "--json"]) == 0
    assert len(list(lines(Path("out"), ROWS))) == len(set(lines(Path("out"), ROWS))) == 60


def test_kills_of_workers_and_of_the_whole_run_lose_nothing_and_double_nothing(desk: Path) -> None:
    hunt = Hunt(SWEEP, desk, Random(0))
    assert hunt.worker_kills(1) == []
    assert hunt.parent_kills(1) == []


def test_a_folder_that_cannot_be_written_is_one_line(desk: Path) -> None:
    (desk / "locked").mkdir()
    (desk / "locked").chmod(0o500)
    if os.access(desk / "locked", os.W_OK):
        pytest.skip("nothing is read-only for this user")
    done = subprocess.run(command("info", "models", "--out", "locked/out"), capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr == "falsework: locked/out: cannot be written: Permission denied\n"


def test_a_place_under_a_file_is_one_line(desk: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["batch", "info", "models", "--out", "/proc/nowhere"]) == 2
    assert "/proc/nowhere: cannot be written: No such file or directory" in capsys.readouterr().err


def test_a_full_disk_is_one_line_and_what_was_done_is_kept(desk: Path) -> None:
    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    words = command("info", SWEEP, "--out", "out", "--pool", "processes:2")
    done = subprocess.run(words, capture_output=True, text=True, preexec_fn=little_room)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "cannot be written: File too large; what was done is kept" in done.stderr
    kept = len(list(lines(Path("out"), ROWS)))
    assert 20 < kept < 60
    assert main(["batch", "info", SWEEP, "--out", "out", "--pool", "serial"]) == 0
    assert len(list(lines(Path("out"), ROWS))) == len(set(lines(Path("out"), ROWS))) == 60


def _wait_for_rows(folder: Path, number: int) -> None:
    until = time.monotonic() + 120
    while sum(1 for _ in lines(folder, ROWS)) < number:
        assert time.monotonic() < until
        time.sleep(0.01)


def _session(session: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            found.append(int(stat.parent.name))
    return found
