"""Hands in time: they close where they grip, stay as they are while they grip, and are open before they leave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from falsework.model.errors import shown
from falsework.model.robots.cell import CellArm
from falsework.model.robots.motion import Grip, GripCommand
from falsework.robots.verification.complaints import Complaint
from falsework.robots.verification.stage import Stage

SAME_S = 1e-6  # between what happens at once
STILL = 1e-4  # rad or m: joints that move less stand still
ROUNDING_M = 1e-6  # of an opening


def hands_in_time(stage: Stage) -> Iterator[Complaint]:
    """What is said against commands of hands, arm by arm."""
    motion = stage.motion
    for number, one in enumerate(motion.cell.arms):
        own = sorted((each for each in motion.commands if each.arm == one.name), key=lambda each: each.begin_s)
        yield from _possible(one, own)
        for grip in motion.grips:
            if grip.arm == one.name:
                yield from _around(stage, number, grip, own)


def _possible(one: CellArm, commands: Sequence[GripCommand]) -> Iterator[Complaint]:
    """Fingers go only as far as they go, and to one opening at a time."""
    low, high = one.tool.opening_m
    for each in commands:
        if not low - ROUNDING_M <= each.opening_m <= high + ROUNDING_M:
            why = f"opens to {1e3 * each.opening_m:.1f} mm; its tool opens {1e3 * low:.3g} to {1e3 * high:.3g} mm"
            yield Complaint("grip", each.begin_s, f"arm {shown(one.name)} {why}", one.name)
    for before, after in pairwise(commands):
        if after.begin_s < before.end_s - SAME_S:
            why = f"arm {shown(one.name)} is told to move its fingers while they still move"
            yield Complaint("hand", after.begin_s, why, one.name)


def _around(stage: Stage, arm: int, grip: Grip, commands: Sequence[GripCommand]) -> Iterator[Complaint]:
    """Before, during and after one grip."""
    who, what = f"arm {shown(grip.arm)}", shown(grip.parts[0])
    closing = [one for one in commands if one.end_s <= grip.begin_s + SAME_S]
    if closing and not _stands(stage, arm, closing[-1].begin_s, grip.begin_s):
        yield Complaint("hand", closing[-1].begin_s, f"{who} closes before it is where it grips {what}", grip.arm)
    for one in commands:
        if one.begin_s < grip.end_s - SAME_S and one.end_s > grip.begin_s + SAME_S:
            yield Complaint("hand", one.begin_s, f"{who} moves its fingers while it grips {what}", grip.arm)
    if grip.end_s > stage.motion.makespan_s - SAME_S:
        return
    opening = next((one for one in commands if one.begin_s >= grip.end_s - SAME_S), None)
    if opening is None or opening.force_n > 0:
        yield Complaint("hand", grip.end_s, f"{who} does not open to let go of {what}", grip.arm)
    elif not _stands(stage, arm, grip.end_s, opening.end_s):
        yield Complaint("hand", grip.end_s, f"{who} leaves {what} before its hand is open", grip.arm)


def _stands(stage: Stage, arm: int, begin: float, end: float) -> bool:
    """Whether no joint of an arm moves from one time to another."""
    if end - begin <= 2 * SAME_S:
        return True
    fastest = float(stage.rows[arm].most(begin + SAME_S, end - SAME_S, 1).max())
    return fastest * (end - begin) < STILL
