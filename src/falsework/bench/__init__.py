"""What is measured, against whom.

The room has the name of its verb, so the room itself can be called: `falsework.bench("contacts")`.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class _Room(ModuleType):
    def __call__(self, *arguments: Any, **options: Any) -> Any:
        from falsework.bench.suites import bench

        return bench(*arguments, **options)


sys.modules[__name__].__class__ = _Room
