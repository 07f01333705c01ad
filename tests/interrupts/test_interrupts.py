"""Whatever is interrupted ends with exit 130 and one line, and leaves nothing half done; `make interrupts` for more."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from falsework.cli import VERBS
from falsework.cli.plan_journal import JOURNAL_FILE
from tests.interrupts.striking import COMMANDS, prepare, struck, verb_of

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    prepare(folder)
    return folder


def test_every_verb_is_interrupted() -> None:
    assert {verb_of(command) for command in COMMANDS} == {*VERBS, "--help"}


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: "-".join(command.split()[:2]))
def test_a_run_that_is_interrupted_ends_in_order(command: str, made: Path, tmp_path: Path) -> None:
    rng = Random(command)
    ending = struck(command, made, tmp_path / "out", rng.uniform(0.0, 2.5), rng, awake=True)
    assert ending.complaints == ()


def planned(made: Path, out: Path) -> subprocess.Popen[bytes]:
    words = ["plan", str(made / "vault.yaml"), "--robots", "2", "--paths", "none", "--out", str(out), "--resume"]
    return subprocess.Popen([sys.executable, "-m", "falsework", *words], stdout=subprocess.DEVNULL)


def test_a_plan_that_was_interrupted_goes_on_to_the_plan_of_a_run_that_was_not(made: Path, tmp_path: Path) -> None:
    journal, steps = tmp_path / "struck" / JOURNAL_FILE, {}
    with planned(made, journal.parent) as process:
        while process.poll() is None and not journal.exists():
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
    assert process.returncode == 130
    assert journal.exists()
    for out in ("struck", "undisturbed"):
        with planned(made, tmp_path / out) as process:
            assert process.wait() == 0
        steps[out] = json.loads((tmp_path / out / "plan.json").read_text())["steps"]
    assert steps["struck"] == steps["undisturbed"]
    assert not journal.exists()
