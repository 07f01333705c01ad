"""Falsework: how things made of rigid parts stand, fall, and get built.

>>> import falsework
>>> assembly = falsework.load("tower.txt")
>>> falsework.info(assembly).clutches

Rooms are opened when first asked for: importing this package imports no library.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from falsework.version import __version__

if TYPE_CHECKING:
    from falsework.formats import load
    from falsework.geometry.summary import info

__all__ = ["__version__", "info", "load"]

_HOME = {"load": "falsework.formats", "info": "falsework.geometry.summary"}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'falsework' has no attribute {name!r}")
