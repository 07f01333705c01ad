"""The nursery: a process that has read everything the work needs, and forks a worker whenever one is asked for.

So a fresh worker costs milliseconds, not the seconds that libraries take to import and machine code to load; and it is
forked from a process that has no threads and has never worked on anything. Why not the fork server of
`multiprocessing`: it leaves a socket in the folder for temporary files when its owner is killed, runs the caller's main
module again, and outlives its owner while a worker is in machine code.

The nursery lives as long as the socket to its owner: when that closes, for whatever reason, it ends its workers.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NoReturn

from falsework.batch.pools.worker import blocked_signals, serve
from falsework.model.errors import Undecided, one_line
from falsework.model.work import Limits

_SIZE, _ASK, _TOLD = struct.Struct("!q"), struct.Struct("!cq"), struct.Struct("!q")
RAISE, REAP = b"r", b"w"  # what a nursery is asked: a worker; what one died of
FAILED = -1
BEGIN = "from falsework.batch.pools.nursery import main; main()"
ONE_THREAD = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class Nursery:
    """The owner's end: raises workers, and says what they died of."""

    def __init__(self, work: Callable[[Any], Any], limits: Limits) -> None:
        ours, theirs = socket.socketpair()
        paths = os.pathsep.join(dict.fromkeys(path or str(Path.cwd()) for path in sys.path))
        self._control = ours
        with blocked_signals():  # which it inherits: Ctrl-C is not for it, not even while it begins
            self._process = subprocess.Popen(
                [sys.executable, "-c", BEGIN, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={**os.environ, "PYTHONPATH": paths, **dict.fromkeys(ONE_THREAD, "1")},
            )
        theirs.close()
        sent = pickle.dumps((work, limits))
        with suppress(OSError):  # the first answer tells
            ours.sendall(_SIZE.pack(len(sent)) + sent)

    def worker(self) -> tuple[Connection, int]:
        """A fresh worker: the way to speak to it, and its process."""
        ours, theirs = socket.socketpair()
        with ours:
            with theirs, suppress(OSError):
                socket.send_fds(self._control, [_ASK.pack(RAISE, 0)], [theirs.fileno()])
            process = self._told()
            return Connection(ours.detach()), process

    def status(self, process: int) -> int:
        """The wait status of a worker that has ended."""
        self._control.sendall(_ASK.pack(REAP, process))
        return self._told()

    def _told(self) -> int:
        answer = _TOLD.unpack(self._read(_TOLD.size))[0]
        if answer == FAILED:
            why = self._read(_SIZE.unpack(self._read(_SIZE.size))[0]).decode()
            raise Undecided(f"no worker could be made: {why}")
        return int(answer)

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = self._control.recv(size - len(data))
            if not more:
                raise Undecided("no worker could be made: the process that makes them has ended")
            data += more
        return data

    def close(self) -> None:
        """Ends it, whatever it is at, and its workers with it."""
        self._control.close()
        self._process.kill()
        self._process.wait()


def main() -> NoReturn:
    """What the process of a nursery does."""
    control = socket.socket(fileno=int(sys.argv[1]))
    try:
        size = _SIZE.unpack(_received(control, _SIZE.size))[0]
        try:
            work, limits = pickle.loads(_received(control, size))
            getattr(work, "warm", _nothing)()
        except Exception as why:  # noqa: BLE001 - told to the owner, whatever it is
            _refuse(control, f"{type(why).__name__}: {one_line(why)}")
        gc.collect()
        gc.freeze()  # pages that workers share are not copied by a collector that marks them
        _raise_workers(control, work, limits)
    except (EOFError, OSError):
        os._exit(0)


def _nothing() -> None:
    return


def _raise_workers(control: socket.socket, work: Callable[[Any], Any], limits: Limits) -> NoReturn:
    """Until the owner has gone."""
    alive = set[int]()
    try:
        while True:
            asked, descriptors = _asked(control)
            what, process = _ASK.unpack(asked)
            if what == REAP:
                control.sendall(_TOLD.pack(_ended(process)))
                alive.discard(process)
                continue
            process = os.fork()
            if not process:
                control.close()
                serve(Connection(descriptors[0]), work, limits)
            alive.add(process)
            os.close(descriptors[0])
            control.sendall(_TOLD.pack(process))
    finally:
        for process in alive:
            os.kill(process, signal.SIGKILL)


def _ended(process: int) -> int:
    """Its wait status; it has closed its end, so it is gone or about to be."""
    with suppress(ChildProcessError):
        return os.waitpid(process, 0)[1]
    return 0


def _asked(control: socket.socket) -> tuple[bytes, list[int]]:
    data, descriptors, _, _ = socket.recv_fds(control, _ASK.size, 1)
    if len(data) < _ASK.size:
        data += _received(control, _ASK.size - len(data))
    return data, descriptors


def _received(control: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = control.recv(min(size - len(data), 2**20))
        if not more:
            raise EOFError
        data += more
    return data


def _refuse(control: socket.socket, why: str) -> NoReturn:
    text = why.encode()
    _asked(control)
    control.sendall(_TOLD.pack(FAILED) + _SIZE.pack(len(text)) + text)
    os._exit(1)
