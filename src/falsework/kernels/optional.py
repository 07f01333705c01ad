"""Inner loops in machine code where a compiler is installed, and as Python counts where none is: the same numbers."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """As `kernels.compiled.compiled` does, if it can."""
    if importlib.util.find_spec("numba") is None:
        return function
    from falsework.kernels.compiled import compiled

    return compiled(function)


def inner(function: Function) -> Function:
    """As `kernels.compiled.inner` does, if it can."""
    if importlib.util.find_spec("numba") is None:
        return function
    from falsework.kernels.compiled import inner

    return inner(function)
