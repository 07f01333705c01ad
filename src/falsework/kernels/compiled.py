"""The one way in which inner loops are compiled: cached on disk, outside the interpreter's lock.

Sums may be reassociated and multiplications fused; NaN and infinity keep their meaning. The same machine code gives the
same bits, on any thread. Which of the ways to sum the compiler takes depends on what it has compiled just before: where
the same bits are wanted of other machine code too, see `exact`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, TypeVar, cast

from falsework.kernels.handing_over import look_for_exceptions
from falsework.kernels.machine_code import folder

Function = TypeVar("Function", bound=Callable[..., Any])

numba: Any = importlib.import_module("numba")  # its decorators have no types of use here
look_for_exceptions()


def compiled(function: Function) -> Function:
    """`function` in machine code; it takes and gives arrays, numbers and named tuples of them."""
    return made(function, inner=False)


def inner(function: Function) -> Function:
    """The same for a function that only compiled ones call: it has no entrance from Python, and compiles faster."""
    return made(function, inner=True)


def made(function: Function, inner: bool, exact: bool = False) -> Function:
    """With an entrance from Python or without; `exact`: as IEEE 754 has it, operation by operation."""
    fast = set() if exact else {"reassoc", "contract", "nsz"}
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(folder(function.__module__))
    try:
        jitted = numba.njit(
            cache=True,
            nogil=True,
            error_model="numpy",
            fastmath=fast or False,
            no_cpython_wrapper=inner,
            no_cfunc_wrapper=inner,
        )(function)
    finally:
        numba.config.CACHE_DIR = before
    return cast(Function, jitted)
