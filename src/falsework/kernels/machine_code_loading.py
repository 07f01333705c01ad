"""What runs machine code, brought in piece by piece, so that whoever waits can stop in between."""

from __future__ import annotations

import importlib
from contextlib import suppress
from functools import cache

from falsework.model.checkpoints import checkpoint

# What numba imports, the last ones upon its first call only: more than a second, if it were one piece of work.
_PIECES = (
    "llvmlite.binding",
    "numba",
    "scipy.linalg",
    "numba.np.arraymath",
    "numba.np.linalg",
    "numba.cpython.unicode",
)


@cache
def load_in_pieces(solver: str) -> None:
    """What the named module of compiled solvers needs, and itself; what is missing is told by who needs it."""
    for piece in _PIECES:
        _brought_in(piece)
    with suppress(ImportError, AttributeError):
        importlib.import_module("numba.core.registry").cpu_target.target_context.refresh()
    checkpoint()
    _brought_in(solver)


def _brought_in(module: str) -> None:
    with suppress(ImportError):
        importlib.import_module(module)
    checkpoint()
