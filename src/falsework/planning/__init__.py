"""In what order: states and moves, checks of what a move needs, rules made of them, and searches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from falsework.lazy import exports

if TYPE_CHECKING:
    from falsework.planning.plans.jobs import Planned as Planned
    from falsework.planning.plans.jobs import Progress as Progress
    from falsework.planning.plans.jobs import Settings as Settings
    from falsework.planning.replan import Disruption as Disruption
    from falsework.planning.search.selectors import Learned as Learned
    from falsework.planning.verification.failures import Failure as Failure
    from falsework.planning.verification.failures import Verification as Verification

__all__, __getattr__, __dir__ = exports(
    __name__,
    {
        "plans.jobs": "Planned Progress Settings",
        "replan": "Disruption",
        "search.selectors": "Learned",
        "verification.failures": "Failure Verification",
    },
)
