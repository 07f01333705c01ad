"""The command line is worked on by a process of its own, and the one that was started waits for it.

Solvers cannot be interrupted from inside. Python handles a signal between two of its own instructions, from which
machine code may be minutes away, and some libraries hold the interpreter's lock meanwhile, so that no thread has a turn
either. So a signal is passed on to the worker, where it is a KeyboardInterrupt: what is open is closed, what was found
is kept. A worker that does not get there within GRACE_S is ended from outside. Files appear whole or not at all, so
nothing is lost but what was not written yet. Whatever a worker dies of, this process ends with an exit code.

Imports nothing that takes time: until the worker is there, Ctrl-C is Python's own.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

GRACE_S = 0.5  # of the second within which everything stops
LAST_S = 0.15  # for a worker that was ended to be gone; not as long as a disk may take
CLEARING_S = 2.0  # for what it leaves behind: a browser that was ended may need a while on a busy machine
INTERRUPTED = 128 + signal.SIGINT
ANSWERS = (0, 1)  # exit codes of work that came to its end
UNDECIDED = 3
CLEAN_LINE = "\r\x1b[2K\x1b[?25h"  # over ^C and what is left of a progress bar, with the cursor that it hid
PARTIAL = ".part"  # as `formats.atomic` names what is not whole yet
TEMPORARY = os.environ.get("TMPDIR", "/tmp")  # as `tempfile` has it, which would have to be imported in a hurry
DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of prctl(2)


def supervised(work: Callable[[], int]) -> int:
    """The exit code of `work`, done in a child where there are children; returns in both processes."""
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    heeded = {number for name in names if (number := getattr(signal, name, None)) is not None}
    heeded = {number for number in heeded if signal.getsignal(number) is not signal.SIG_IGN}  # as under nohup
    if not hasattr(os, "fork"):
        return work()
    started = os.getpid()
    signal.pthread_sigmask(signal.SIG_BLOCK, heeded)  # until both have handlers
    try:
        worker = os.fork()
    except OSError:  # no more processes
        signal.pthread_sigmask(signal.SIG_UNBLOCK, heeded)
        return work()
    if worker:
        return _Supervisor(worker).wait(heeded)
    _die_with(started)
    return _Worker().done(work, heeded)


class _Worker:
    """The child: its first signal is a KeyboardInterrupt, the later ones do not disturb what that leads to."""

    def __init__(self) -> None:
        self._struck = False

    def done(self, work: Callable[[], int], heeded: set[int]) -> int:
        try:
            for number in heeded:
                signal.signal(number, self._strike)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, heeded)
            code = work()
        except BaseException:
            if not self._struck:
                raise
            code = INTERRUPTED
        if self._struck:  # at once: threads in machine code are not waited for
            with suppress(OSError, ValueError):
                sys.stdout.flush()
            os._exit(code if code in ANSWERS else INTERRUPTED)
        return code

    def _strike(self, *_: object) -> None:
        if self._struck:
            return
        self._struck = True
        # What libraries say of an exception amidst them goes nowhere: the supervisor says it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        raise KeyboardInterrupt


class _Supervisor:
    """The process that was started: passes signals on, and waits no longer than it may."""

    def __init__(self, worker: int) -> None:
        self._worker = worker
        self._struck = 0  # the first signal that came

    def wait(self, heeded: set[int]) -> int:
        for number in heeded:
            signal.signal(number, self._strike)
        signal.signal(signal.SIGALRM, self._give_up)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, heeded)
        _, status = os.waitpid(self._worker, 0)
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        code = os.waitstatus_to_exitcode(status)
        if code == INTERRUPTED or (self._struck and code not in ANSWERS):
            return self._interrupted()
        if code < 0:
            memory = " (out of memory?)" if -code == signal.SIGKILL else ""
            _say(f"ended by {signal.Signals(-code).name}{memory} before an answer was certain")
            return UNDECIDED
        return code

    def _strike(self, number: int, _: object) -> None:
        if not self._struck:
            self._struck = number
            signal.setitimer(signal.ITIMER_REAL, GRACE_S)
        with suppress(ProcessLookupError):
            os.kill(self._worker, number)  # from a terminal it has it already, and will not mind

    def _give_up(self, *_: object) -> NoReturn:
        left = _partial_files(self._worker)
        with suppress(ProcessLookupError):
            os.kill(self._worker, signal.SIGKILL)
        until = time.monotonic() + LAST_S
        while time.monotonic() < until and not os.waitpid(self._worker, os.WNOHANG)[0]:
            time.sleep(0.002)
        for path in left:
            _remove(path)
        os._exit(self._interrupted())

    def _interrupted(self) -> int:
        number = self._struck or signal.SIGINT
        _say("interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}")
        _clear_scratch(self._worker)
        return 128 + number


def _die_with(parent: int) -> None:
    """Nobody is left alone who works for nobody; where the system knows no such thing, it works on to its end."""
    with suppress(ImportError, OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, int(signal.SIGKILL))
    if os.getppid() != parent:
        os._exit(INTERRUPTED)


def _partial_files(process: int) -> set[Path]:
    """What a process has begun to write, files and folders, where the system tells."""
    from pathlib import Path

    found = set[Path]()
    with suppress(OSError):
        for descriptor in Path(f"/proc/{process}/fd").iterdir():
            with suppress(OSError):
                path = descriptor.readlink()
                found |= {one for one in (path, path.parent) if one.name.startswith(".") and one.suffix == PARTIAL}
    return found


def _clear_scratch(process: int) -> None:
    """Its temporary folders, and the browsers at home there, which would write on after it."""
    from falsework.model.scratch import scratch_prefix

    until, prefix = time.monotonic() + CLEARING_S, scratch_prefix(process)
    with suppress(OSError):
        while left := [entry.path for entry in os.scandir(TEMPORARY) if entry.name.startswith(prefix)]:
            for path in left:
                _end_those_in(path)
                _remove(path)
            if time.monotonic() > until:
                return
            time.sleep(0.01)


def _end_those_in(folder: str) -> None:
    """End all processes that work in a folder, where the system tells."""
    from pathlib import Path

    home = os.path.realpath(folder)
    for workplace in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):  # it has ended, or is not ours
            if os.path.realpath(workplace).removesuffix(" (deleted)") == home:
                os.kill(int(workplace.parent.name), signal.SIGKILL)


def _remove(path: str | Path) -> None:
    import shutil
    from pathlib import Path

    with suppress(OSError):
        Path(path).unlink()
    shutil.rmtree(path, ignore_errors=True)


def _say(line: str) -> None:
    """On standard error, whatever has become of the streams."""
    with suppress(OSError):
        os.write(2, f"{CLEAN_LINE if os.isatty(2) else ''}falsework: {line}\n".encode())
