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

from falsework.kernels.compiled import numba
from falsework.model.arrays import Array

LONG = 300_000_000  # rounds: a fraction of a second


class Found(NamedTuple):
    """What the machine code of this test returns."""

    values: Array
    share: float


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]
def worked(rounds: int) -> float:
    """0, after a while."""
    number = 1
    for _ in range(rounds):
        number ^= number << 13
        number ^= number >> 7
        number ^= number << 17
    return 0.0 * number


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]
def two_arrays(rounds: int) -> tuple[Array, Array]:
    return np.full(3, worked(rounds)), np.ones((2, 2))


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]
def named(rounds: int) -> Found:
    return Found(np.zeros(3), worked(rounds))


@numba.njit(nogil=True)  # type: ignore[untyped-decorator]
def nested(rounds: int) -> tuple[tuple[Found, Array], float]:
    return (Found(np.zeros(3), worked(rounds)), np.ones(2)), 2.0


def interrupted(function: Callable[[int], Any]) -> str:
    """What came of a call during which this process was interrupted."""
    function(1)  # compiled

    def strike() -> None:
        time.sleep(0.02)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=strike)
    thread.start()
    try:
        return f"returned {function(LONG)}"
    except (KeyboardInterrupt, SystemError) as why:  # the latter was numba's
        return type(why).__name__
    finally:
        thread.join()


if __name__ == "__main__":
    sys.stdout.write("\n".join(interrupted(function) for function in (two_arrays, named, nested)))


def test_results_are_handed_over_whole() -> None:
    first, second = two_arrays(1)
    assert first.tolist() == [0, 0, 0]
    assert second.shape == (2, 2)
    found = named(1)
    assert type(found) is Found
    assert found.share == 0
    (inside, ones), two = nested(1)
    assert type(inside) is Found
    assert inside.values.tolist() == [0, 0, 0]
    assert ones.tolist() == [1, 1]
    assert two == 2


def test_an_interrupt_in_machine_code_is_raised_when_it_returns() -> None:
    done = subprocess.run([sys.executable, "-m", __name__], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["KeyboardInterrupt"] * 3
