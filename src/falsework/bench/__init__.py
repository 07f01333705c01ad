"""What is measured, against whom.

The room has the name of its verb, so the room itself can be called: `falsework.bench("contacts")`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from falsework.lazy import callable_room, exports

if TYPE_CHECKING:
    from falsework.bench.rows import Row as Row
    from falsework.bench.suites import SUITES as SUITES

__all__, __getattr__, __dir__ = exports(
    __name__,
    {
        "rows": "Row",
        "suites": "SUITES",
    },
)

callable_room(__name__, "falsework.bench.suites", "bench")
