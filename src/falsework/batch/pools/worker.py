"""A worker: a process that does one task after the other, and may die of any of them.

It is forked from the nursery, so all that the work needs is in memory from its first moment. Time is limited by an
alarm that nobody handles, which ends the process whatever machine code it is in; memory by the system.
"""

from __future__ import annotations

import os
import pickle
import signal
import socket
import time
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from falsework.model.work import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OUT_OF_MEMORY = 77  # exit code
DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of prctl(2)
NOT_FOR_US = frozenset([signal.SIGINT, signal.SIGTERM, signal.SIGHUP])  # whoever started us is asked to stop, too


@contextmanager
def blocked_signals() -> Iterator[None]:
    """What a terminal sends to all its processes waits until the end of this; in a child made meanwhile, for ever."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, NOT_FOR_US)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def serve(connection: Connection, work: Callable[[Any], Any], limits: Limits) -> NoReturn:
    """Do what comes until nobody is there any more."""
    _prepare(limits)
    try:
        while True:
            for number, task in pickle.loads(connection.recv_bytes()):
                connection.send_bytes(_done(work, number, task, limits))
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except (EOFError, OSError):  # whoever asked has gone
        os._exit(0)


def _prepare(limits: Limits) -> None:
    with suppress(ImportError, OSError, AttributeError):
        import ctypes

        ctypes.CDLL(None).prctl(DIE_WITH_PARENT, int(signal.SIGKILL))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what libraries say, the outcome says better
    if limits.memory_bytes is not None:
        import resource

        most = _data_bytes() + limits.memory_bytes
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _data_bytes() -> int:
    """What this process has already, shared with the nursery or not."""
    with suppress(OSError, ValueError, StopIteration):
        lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
        return 1024 * int(next(line for line in lines if line.startswith("VmData")).split()[1])
    return 0


def _done(work: Callable[[Any], Any], number: int, task: Any, limits: Limits) -> bytes:
    """The outcome of a task, as it travels."""
    begun, cpu = time.perf_counter(), time.process_time()
    value, lost = None, ""
    signal.setitimer(signal.ITIMER_REAL, limits.timeout_s or 0.0)
    try:
        value = work(task)
    except MemoryError:
        raise
    except Exception as why:  # noqa: BLE001 - whatever it is, it is the outcome of this task and of no other
        lost = f"{type(why).__name__}: {why}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
    took_s, cpu_s = time.perf_counter() - begun, time.process_time() - cpu
    try:
        return pickle.dumps((number, value, lost, took_s, cpu_s), pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, TypeError, AttributeError) as why:
        return pickle.dumps((number, None, f"the answer cannot travel: {why}", took_s, cpu_s))


def named(process: int) -> str:
    """How an outcome names the worker that it came from."""
    return f"{socket.gethostname()}:{process}"


def cause_of_death(status: int, limits: Limits) -> str:
    """What a worker died of, in words, from its wait status."""
    code = os.waitstatus_to_exitcode(status)
    if code == OUT_OF_MEMORY:
        allowed = "" if limits.memory_bytes is None else f" than {limits.memory_bytes / 2**20:.0f} MB"
        return f"it needed more memory{allowed}" if allowed else "the memory ran out"
    if code == -signal.SIGALRM and limits.timeout_s is not None:
        return f"it took longer than {limits.timeout_s:g} s"
    if code < 0:
        hint = "; out of memory?" if code == -signal.SIGKILL else ""
        return f"its worker was ended by {signal.Signals(-code).name}{hint}"
    return f"its worker ended with exit code {code}"
