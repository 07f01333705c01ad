"""Machine code of this room: `statics.compiled`, cached beside these sources and for exactly these sources."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from falsework.statics import compiled as statics_compiled

Function = TypeVar("Function", bound=Callable[..., Any])

_ROOMS = Path(__file__).parents[1]
_IMPORT = re.compile(r"^from falsework\.(collapse|statics)\.(\w+) import", re.MULTILINE)


def compiled(function: Function) -> Function:
    """`function` in machine code; it takes and gives arrays, numbers and named tuples of them."""
    return _made(function, statics_compiled.compiled)


def inner(function: Function) -> Function:
    """The same for a function that only compiled ones call."""
    return _made(function, statics_compiled.inner)


def _made(function: Function, make: Callable[[Function], Function]) -> Function:
    config = statics_compiled.numba.config
    before = config.CACHE_DIR
    config.CACHE_DIR = before or _cache_of(function.__module__.rpartition(".")[2])
    try:
        return make(function)
    finally:
        config.CACHE_DIR = before


@cache
def _cache_of(module: str) -> str:
    """A folder named for all the sources that the machine code of a module is made from, of both rooms."""
    sources: dict[tuple[str, str], str] = {}
    wanted = [("collapse", module)]
    while wanted:
        name = wanted.pop()
        if name not in sources:
            sources[name] = (_ROOMS / name[0] / f"{name[1]}.py").read_text(encoding="utf-8")
            wanted += _IMPORT.findall(sources[name])
    text = "".join(sources[name] for name in sorted(sources))
    return str(_ROOMS / "collapse" / "__pycache__" / f"{module}-{sha256(text.encode()).hexdigest()[:16]}")
