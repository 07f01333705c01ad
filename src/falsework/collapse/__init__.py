"""How it falls: Gauss' principle of least restraint at the first instant and in time (seed 003), with friction.

The room has the name of its verb, so the room itself can be called: `falsework.collapse(assembly)`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from falsework.lazy import callable_room, exports

if TYPE_CHECKING:
    from falsework.collapse.collapse import Collapse as Collapse
    from falsework.collapse.events import Event as Event
    from falsework.collapse.fall import Fall as Fall
    from falsework.collapse.initial import InitialCollapse as InitialCollapse

__all__, __getattr__, __dir__ = exports(
    __name__,
    {
        "collapse": "Collapse",
        "events": "Event",
        "fall": "Fall",
        "initial": "InitialCollapse",
    },
)

callable_room(__name__, "falsework.collapse.collapse", "collapse")
