"""Falsework: how things made of rigid parts stand, fall, and get built.

>>> import falsework
>>> assembly = falsework.load("tower.txt")
>>> falsework.info(assembly).clutches
>>> falsework.check(assembly).answer

Rooms are opened when first asked for: importing this package imports no library.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from falsework.version import __version__

if TYPE_CHECKING:
    from falsework.bench.suites import bench
    from falsework.brickworld.simulate import simulate
    from falsework.collapse.collapse import collapse
    from falsework.formats import convert, load, save
    from falsework.gallery import make as new
    from falsework.geometry.summary import info
    from falsework.laying import lay
    from falsework.planning.plan import plan
    from falsework.planning.rehearsal import rehearse
    from falsework.planning.replan import replan
    from falsework.planning.verification.verify import verify
    from falsework.rooms import doctor
    from falsework.studio.view import view
    from falsework.verdicts.check import check
    from falsework.verdicts.margins import margins

__all__ = [
    "__version__",
    "bench",
    "check",
    "collapse",
    "convert",
    "doctor",
    "info",
    "lay",
    "load",
    "margins",
    "new",
    "plan",
    "rehearse",
    "replan",
    "save",
    "simulate",
    "verify",
    "view",
]

_HOME = {  # what a name is called where it lives
    "bench": ("falsework.bench.suites", "bench"),
    "check": ("falsework.verdicts.check", "check"),
    "collapse": ("falsework.collapse.collapse", "collapse"),
    "convert": ("falsework.formats", "convert"),
    "doctor": ("falsework.rooms", "doctor"),
    "info": ("falsework.geometry.summary", "info"),
    "lay": ("falsework.laying", "lay"),
    "load": ("falsework.formats", "load"),
    "margins": ("falsework.verdicts.margins", "margins"),
    "new": ("falsework.gallery", "make"),
    "plan": ("falsework.planning.plan", "plan"),
    "rehearse": ("falsework.planning.rehearsal", "rehearse"),
    "replan": ("falsework.planning.replan", "replan"),
    "save": ("falsework.formats", "save"),
    "simulate": ("falsework.brickworld.simulate", "simulate"),
    "verify": ("falsework.planning.verification.verify", "verify"),
    "view": ("falsework.studio.view", "view"),
}


def __getattr__(name: str) -> Any:
    if name in _HOME:
        home, called = _HOME[name]
        return getattr(importlib.import_module(home), called)
    raise AttributeError(f"module 'falsework' has no attribute {name!r}")
