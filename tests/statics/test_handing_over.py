"""An interrupt that comes while machine code runs is an exception when it returns, whatever it returns."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

pytest.importorskip("numba")

from falsework.kernels.atomics import announce, seen
from falsework.kernels.compiled import numba
from falsework.model.arrays import Array, Ints

WAITING, DONE = 0, 1


class Found(NamedTuple):
    """What the machine code of this test returns."""

    values: Array
    share: float


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]
def wait(shared: Ints) -> None:
    announce(shared, WAITING, 1)
    while seen(shared, DONE) == 0:
        pass


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]
def two_arrays(shared: Ints) -> tuple[Array, Array]:
    wait(shared)
    return np.zeros(3), np.ones((2, 2))


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]
def named(shared: Ints) -> Found:
    wait(shared)
    return Found(np.zeros(3), 0.5)


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]
def nested(shared: Ints) -> tuple[tuple[Found, Array], float]:
    wait(shared)
    return (Found(np.zeros(3), 0.5), np.ones(2)), 2.0


def interrupted(function: Callable[[Ints], Any]) -> str:
    """What came of a call during which this process was interrupted."""
    function(np.array([0, 1]))  # compiled
    shared = np.zeros(2, np.int64)

    def strike() -> None:
        while not shared[WAITING]:
            time.sleep(0.001)
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.01)
        announce(shared, DONE, 1)

    thread = threading.Thread(target=strike)
    thread.start()
    try:
        return f"returned {function(shared)}"
    except (KeyboardInterrupt, SystemError) as why:  # the latter was numba's
        return type(why).__name__
    finally:
        thread.join()


if __name__ == "__main__":
    sys.stdout.write("\n".join(interrupted(function) for function in (two_arrays, named, nested)))


def test_results_are_handed_over_whole() -> None:
    over = np.array([0, 1])
    first, second = two_arrays(over)
    assert first.tolist() == [0, 0, 0]
    assert second.shape == (2, 2)
    found = named(over)
    assert type(found) is Found
    assert found.share == 0.5
    (inside, ones), two = nested(over)
    assert type(inside) is Found
    assert inside.values.tolist() == [0, 0, 0]
    assert ones.tolist() == [1, 1]
    assert two == 2


def test_an_interrupt_in_machine_code_is_raised_when_it_returns() -> None:
    done = subprocess.run([sys.executable, "-m", __name__], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["KeyboardInterrupt"] * 3
