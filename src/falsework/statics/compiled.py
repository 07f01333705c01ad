"""The one way in which statics compiles its inner loops: cached on disk, outside the interpreter's lock.

Sums may be reassociated and multiplications fused; NaN and infinity keep their meaning. The same call gives the
same bits, on any thread.

Machine code contains what it calls, so the cache is kept for exactly the sources it was made from: numba itself only
looks at the file of the outermost function, and would go on running yesterday's callees.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

numba: Any = importlib.import_module("numba")  # its decorators have no types of use here

_HERE = Path(__file__).parent
_SIBLING = re.compile(r"^from falsework\.statics\.(\w+) import", re.MULTILINE)


def compiled(function: Function) -> Function:
    """`function` in machine code; it takes and gives arrays, numbers and named tuples of them."""
    return _made(function, inner=False)


def inner(function: Function) -> Function:
    """The same for a function that only compiled ones call: it has no entrance from Python, and compiles faster."""
    return _made(function, inner=True)


def _made(function: Function, inner: bool) -> Function:
    fast = {"reassoc", "contract", "nsz"}
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = before or _cache_of(function.__module__.rpartition(".")[2])
    try:
        made = numba.njit(
            cache=True,
            nogil=True,
            error_model="numpy",
            fastmath=fast,
            no_cpython_wrapper=inner,
            no_cfunc_wrapper=inner,
        )(function)
    finally:
        numba.config.CACHE_DIR = before
    return cast(Function, made)


@cache
def _cache_of(module: str) -> str:
    """Where machine code of a module of this folder is kept: a folder named for all the sources it is made from."""
    sources: dict[str, str] = {}
    wanted = [module]
    while wanted:
        name = wanted.pop()
        if name not in sources:
            sources[name] = (_HERE / f"{name}.py").read_text(encoding="utf-8")
            wanted += _SIBLING.findall(sources[name])
    text = "".join(sources[name] for name in sorted(sources))
    return str(_HERE / "__pycache__" / f"{module}-{sha256(text.encode()).hexdigest()[:16]}")
