"""A positioner: clamps hold all parts while it tilts, and the structure lies as the plan says while arms work at it.

Gravity pulls at a structure as the plan has it only if the plate is tilted as the last `reorient` step says. Between
two such tilts it may go anywhere, but with its clamps closed on all that is on it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import shown
from falsework.model.poses import inverse
from falsework.model.robots.cell import ROTARY
from falsework.model.robots.motion import Motion
from falsework.model.robots.tilting import Tilt
from falsework.robots.verification.complaints import Complaint
from falsework.robots.verification.handling import off
from falsework.robots.verification.stage import Stage

SAME_S = 1e-6
STILL = 1e-6  # rad: a plate that tilts less stands
OFF_RAD = 2e-3  # by which the structure may be tilted otherwise than the plan says


def tilts(stage: Stage, assembly: Assembly) -> Iterator[Complaint]:
    """What is said against how a turntable or positioner is used, or against plans that ask for one that is missing."""
    rotary = stage.motion.cell.rotary
    if rotary is not None:
        yield from _left_behind(stage)
    if rotary is None or rotary.tilt is None:
        yield from _unturned(stage.motion)
        return
    yield from _clamped(stage, assembly, rotary.tilt)
    yield from _as_planned(stage)


def _left_behind(stage: Stage) -> Iterator[Complaint]:
    """What is in place moves with the turntable."""
    times = stage.motion.track_of(ROTARY).times_s.tolist()
    for begin, end in pairwise(times):
        if (stage.rows[-1].most(begin, end, 1) * (end - begin)).max() <= STILL:
            continue
        middle = 0.5 * (begin + end)
        staying = stage.staying(middle)
        stage.put(begin, staying)
        for number, stay in enumerate(staying):
            if stay is not None and stay.arm is None and off(stay.T, stage.place_of(number)) is None:
                why = f"part {shown(stage.parts[number].name)} stays behind as what it is in turns"
                yield Complaint("place", begin, why, ROTARY)
                return


def _unturned(motion: Motion) -> Iterator[Complaint]:
    for number, step in enumerate(motion.plan.steps):
        turned = step.T_world_assembly if step.action == "reorient" else None
        if turned is not None and not np.allclose(turned, np.eye(4)):
            yield Complaint("order", 0.0, f"step {number + 1} turns the structure over, and nothing in the cell does")
            return


def _clamped(stage: Stage, assembly: Assembly, tilt: Tilt) -> Iterator[Complaint]:
    """Wherever the plate tilts, or is turned while tilted, its clamps are closed, and hold what is on it."""
    motion = stage.motion
    masses = {part.name: part.mass_kg for part in assembly.parts if part.name not in assembly.fixed}
    gravity = float(np.linalg.norm(assembly.gravity))
    for begin, end in pairwise(motion.track_of(ROTARY).times_s.tolist()):
        if not _tilts(stage, begin, end):
            continue
        force = _force(motion, begin, end)
        if force == 0.0:
            yield Complaint("clamp", begin, "the plate is tilted while its clamps are not closed", ROTARY)
            return
        middle = 0.5 * (begin + end)
        on = [stay.part for stay in stage.staying(middle) if stay is not None and stay.arm == ROTARY]
        load = gravity * sum(masses.get(name, 0.0) for name in on)
        if force > tilt.clamp_n * (1 + 1e-9):
            why = f"the clamps cannot hold with {force:.3g} N, at most {tilt.clamp_n:.3g} N"
            yield Complaint("clamp", begin, why, ROTARY)
            return
        if load > force * (1 + 1e-9):
            why = f"the clamps hold with {force:.3g} N what weighs {load:.3g} N, while it is tilted"
            yield Complaint("clamp", begin, why, ROTARY)
            return


def _force(motion: Motion, begin: float, end: float) -> float:
    """With which clamps are closed from one time to another, the least; 0 where they are not."""
    own = sorted((one for one in motion.commands if one.arm == ROTARY), key=lambda one: one.begin_s)
    before = [one for one in own if one.end_s <= begin + SAME_S]
    if not before or any(one.begin_s < end - SAME_S and one.end_s > begin + SAME_S for one in own):
        return 0.0
    return before[-1].force_n


def _as_planned(stage: Stage) -> Iterator[Complaint]:
    """From step to step what is above is above as the plan has it; only a step that reorients changes that."""
    motion = stage.motion
    steps, done = motion.plan.steps, motion.steps_s
    if len(done) != len(steps):
        return  # said elsewhere
    start = motion.plan.start.T_world_assembly
    planned, before = np.eye(4) if start is None else start, 0.0
    for number, (step, when) in enumerate(zip(steps, done, strict=True), start=1):
        if step.action == "reorient" and step.T_world_assembly is not None:
            planned = step.T_world_assembly
        elif _tilts(stage, before, when):
            yield Complaint("tilt", before, f"the plate is tilted before step {number}, which does not say so", ROTARY)
            return
        away = _tilted_off(stage, when, planned)
        if away > OFF_RAD:
            why = f"the structure is tilted {math.degrees(away):.1f} degrees otherwise than the plan says"
            yield Complaint("tilt", when, f"{why} when step {number} is done", ROTARY)
            return
        before = when
    if _tilts(stage, before, motion.makespan_s) or _tilted_off(stage, motion.makespan_s, planned) > OFF_RAD:
        yield Complaint("tilt", before, "the structure does not lie in the end as the plan says", ROTARY)


def _tilts(stage: Stage, begin: float, end: float) -> bool:
    """Whether a plate tilts between two times, or is turned while it is tilted."""
    if end - begin <= SAME_S:
        return False
    tilting, turning = stage.rows[-1].most(begin, end, 1) * (end - begin)
    tilted = max(abs(float(stage.rows[-1].at(time)[0])) for time in (begin, end))
    return bool(tilting > STILL or (turning > STILL and tilted > STILL))


def _tilted_off(stage: Stage, time: float, planned: Array) -> float:
    """How far, rad, what is above the structure is off from what the plan says."""
    rotary, T = stage.motion.cell.rotary, stage.motion.T_world_assembly
    assert rotary is not None
    home = np.eye(4)
    home[:3, 3] = rotary.centre_m
    turned = stage.tool_at(len(stage.rows) - 1, time) @ inverse(home) @ T  # T_world_assembly, as it stands
    up = planned[:3, :3].T @ T[2, :3]  # in the assembly's frame: what is above as it stands upright, turned
    cosine = float(turned[2, :3] @ up)
    return math.acos(max(-1.0, min(1.0, cosine)))
