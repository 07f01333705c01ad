"""The supervisor: an exit code and one line, whatever its worker does or dies of."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from falsework import supervision

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that fork")

START = """
import os, signal, sys, time
from falsework import supervision
from falsework.supervision import supervised
supervision.GRACE_S = 30.0  # on a busy machine half a second may pass before the worker has a turn

def ready():
    print(os.getpid(), flush=True)

def rest():  # in naps: a signal just before a sleep begins is heard at its end
    for _ in range(1200):
        time.sleep(0.05)
"""
PATIENT = "def work():\n ready()\n rest()\n return 0\n"
TIDY = "def work():\n try: ready(); rest()\n finally: print('tidied', flush=True)\n"
IMPATIENT = f"supervision.GRACE_S = {supervision.GRACE_S}\n"
# as if inside a solver: Python gets no turn
DEAF = f"""{IMPATIENT}
def work():
    signal.pthread_sigmask(signal.SIG_BLOCK, {{signal.SIGINT, signal.SIGTERM}})
    ready()
    rest()
    return 0
"""


def started(work: str, **options: object) -> subprocess.Popen[str]:
    words = [sys.executable, "-c", f"{START}\n{work}\nsys.exit(supervised(work))"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(words, text=True, **pipes, **options)  # type: ignore[call-overload,no-any-return]


def struck(work: str, number: int = signal.SIGINT, **options: object) -> tuple[int, str, str, int]:
    """Exit code, output and errors of work that a signal strikes once it is ready; and the worker's process."""
    with started(work, **options) as process:
        assert process.stdout is not None
        worker = int(process.stdout.readline())
        assert worker != process.pid
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err, worker


def ends(process: int) -> bool:
    """Whether a process is over, soon."""
    until = time.monotonic() + 30.0
    while time.monotonic() < until:
        try:
            os.kill(process, 0)
            if "\nState:\tZ" in Path(f"/proc/{process}/status").read_text():
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.01)
    return False


def test_work_ends_with_its_own_exit_code() -> None:
    with started("def work(): return 3") as process:
        assert process.communicate() == ("", "")
    assert process.returncode == 3


def test_an_interrupt_is_an_exception_in_the_worker_and_one_line() -> None:
    code, out, err, _ = struck(TIDY)
    assert (code, out, err) == (130, "tidied\n", "falsework: interrupted\n")


def test_a_worker_that_does_not_hear_is_ended() -> None:
    code, _, err, worker = struck(DEAF)
    assert (code, err) == (130, "falsework: interrupted\n")
    assert ends(worker)


@pytest.mark.parametrize("work", [PATIENT, DEAF])
def test_being_terminated_has_its_own_exit_code(work: str) -> None:
    code, _, err, worker = struck(work, signal.SIGTERM)
    assert (code, err) == (143, "falsework: ended by SIGTERM\n")
    assert ends(worker)


def test_what_a_library_says_about_an_exception_amidst_it_is_not_heard() -> None:
    work = "def work():\n try: ready(); rest()\n except KeyboardInterrupt: raise ImportError('numpy is broken')\n"
    code, _, err, _ = struck(work)
    assert (code, err) == (130, "falsework: interrupted\n")


def test_work_for_which_an_interrupt_is_the_end_has_its_own_exit_code() -> None:
    code, _, err, _ = struck("def work():\n try: ready(); rest()\n except KeyboardInterrupt: return 0\n")
    assert (code, err) == (0, "")


def test_a_second_interrupt_does_not_disturb_what_the_first_one_led_to() -> None:
    work = """
def work():
    try:
        ready()
        rest()
    finally:
        os.kill(os.getpid(), signal.SIGINT)
        print("kept", flush=True)
"""
    assert struck(work)[:3] == (130, "kept\n", "falsework: interrupted\n")


# a browser that outlives its owner: it writes on in the folder where it works, and makes it again
BROWSER = """
import pathlib, sys
print('there', flush=True)
for number in range(10**9):
    pathlib.Path(sys.argv[1]).mkdir(exist_ok=True)
    pathlib.Path(sys.argv[1], str(number % 1000)).write_text('cache')
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_who_works_in_its_temporary_folder_ends_with_it(tmp_path: Path) -> None:
    work = f"""
def work():
    import subprocess, tempfile
    from falsework.model.scratch import scratch_prefix
    home = tempfile.mkdtemp(prefix=scratch_prefix())
    words = [sys.executable, "-c", {BROWSER!r}, home]
    browser = subprocess.Popen(words, cwd=home, stdout=subprocess.PIPE, start_new_session=True)
    browser.stdout.readline()
    open("browser", "w").write(str(browser.pid))
    ready()
    os._exit(rest())
"""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    code, _, err, _ = struck(work, cwd=tmp_path, env={**os.environ, "TMPDIR": str(scratch)})
    assert (code, err) == (130, "falsework: interrupted\n")
    assert ends(int((tmp_path / "browser").read_text()))
    assert not list(scratch.iterdir())


def test_a_crash_is_one_line_and_undecided() -> None:
    with started("def work(): os.kill(os.getpid(), signal.SIGSEGV)") as process:
        assert process.communicate() == ("", "falsework: ended by SIGSEGV before an answer was certain\n")
    assert process.returncode == 3


def test_who_ignores_interrupts_goes_on_ignoring_them() -> None:
    work = "def work():\n ready()\n time.sleep(0.3)\n return 1\n"
    ignoring = ["sh", "-c", 'trap "" INT; exec "$0" "$@"', sys.executable, "-c"]
    words = [*ignoring, f"{START}\n{work}\nsys.exit(supervised(work))"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.communicate() == ("", "")
    assert process.returncode == 1


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="prctl")
def test_a_worker_does_not_outlive_its_supervisor() -> None:
    code, _, _, worker = struck(PATIENT, signal.SIGKILL)
    assert code == -signal.SIGKILL
    assert ends(worker)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_what_was_half_written_by_a_worker_that_is_ended_is_removed(tmp_path: Path) -> None:
    (tmp_path / "old.json").write_text("{}")
    work = f"""{IMPATIENT}
def work():
    os.mkdir({str(tmp_path / ".meshes.0a1b2c3d.part")!r})
    with open({str(tmp_path / ".plan.json.0a1b2c3d.part")!r}, "w"), \\
         open({str(tmp_path / ".meshes.0a1b2c3d.part" / "one.obj")!r}, "w"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {{signal.SIGINT}})
        ready()
        rest()
"""
    assert struck(work)[0] == 130
    assert [path.name for path in tmp_path.iterdir()] == ["old.json"]
