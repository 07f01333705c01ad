"""How it falls: Gauss' principle of least restraint at the first instant and in time (seed 003), with friction.

The room has the name of its verb, so the room itself can be called: `falsework.collapse(assembly)`.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Room(ModuleType):
    def __call__(self, *arguments: Any, **options: Any) -> Any:
        from falsework.collapse.collapse import collapse

        return collapse(*arguments, **options)


sys.modules[__name__].__class__ = _Room
