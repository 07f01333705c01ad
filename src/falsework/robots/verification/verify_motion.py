"""`verify_motion`: limits, hands and parts, then collisions; with code of its own and MuJoCo's distances."""

from __future__ import annotations

from falsework.model.assembly import Assembly
from falsework.model.robots.motion import Motion
from falsework.robots.verification.beginning import begins
from falsework.robots.verification.clearing import Clearing
from falsework.robots.verification.closing import hands_in_time
from falsework.robots.verification.complaints import Complaint, JudgedMotion
from falsework.robots.verification.handling import Handling
from falsework.robots.verification.limits import over_limits
from falsework.robots.verification.resting import put_down
from falsework.robots.verification.stage import Stage
from falsework.robots.verification.tilting import tilts


def verify_motion(motion: Motion, assembly: Assembly) -> JudgedMotion:
    """Everything that is said against a motion; nothing: it may be carried out.

    Whether the plan itself stands is not asked here: `falsework.verify` does.
    """
    stage = Stage(motion, assembly)
    found: list[Complaint] = []
    for one, track, rows in zip(motion.cell.movers, motion.tracks, stage.rows, strict=True):
        found += over_limits(one, track, rows)
    found += Handling(stage, assembly).complaints()
    found += hands_in_time(stage)
    found += begins(stage, assembly)
    found += put_down(stage)
    found += tilts(stage, assembly)
    clearing = Clearing(stage)
    found += clearing.complaints()
    gap = clearing.least_gap if clearing.least_gap < 1.0 else None
    return JudgedMotion(tuple(sorted(found, key=lambda one: one.time_s)), clearing.looks, gap)
