"""More good motions spoiled: hands that close and open at the wrong time, and cells that are not as they should be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from falsework.bench.motions.spoiling import commanded, moving_track, opening_after_a_grip, with_track
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.robots.motion import Motion

Fault = Callable[[Motion, Assembly, np.random.Generator], Motion | None]
Faults = dict[str, tuple[Fault, tuple[str, ...]]]  # by name, with the kinds of complaint that refuse it


def arms_swapped(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion | None:
    """Two arms of a kind do each other's work, each at its own base."""
    first, second = motion.tracks[0], motion.tracks[1] if len(motion.tracks) > 1 else motion.tracks[0]
    if len(motion.cell.arms) < 2 or first.q.shape[1] != second.q.shape[1]:
        return None
    others = replace(second, arm=first.arm), replace(first, arm=second.arm)
    return replace(motion, tracks=(*others, *motion.tracks[2:]))


def speed_spike(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """The rows of a track are where they should be, but for one moment one joint is very fast."""
    track = moving_track(motion, rng)
    speed = track.speed.copy()
    speed[int(rng.integers(1, len(speed) - 1)), int(rng.integers(speed.shape[1]))] += rng.choice([-1, 1]) * 50.0
    return with_track(motion, replace(track, speed=speed))


def closes_too_early(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """A hand is closed before it has come to its part."""
    k = int(rng.choice([k for k, one in enumerate(motion.commands) if one.force_n > 0]))
    one = motion.commands[k]
    ways = [each for each in motion.segments if each.arm == one.arm and each.kind == "approach"]
    way = max((each for each in ways if each.end_s <= one.begin_s + 1e-6), key=lambda each: each.end_s)
    early = one.begin_s - rng.uniform(0.3, 0.9) * (way.end_s - way.begin_s)
    return commanded(motion, k, replace(one, begin_s=early, end_s=early + one.end_s - one.begin_s))


def leaves_too_early(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion | None:
    """A hand is on its way back before it has opened."""
    k = opening_after_a_grip(motion, rng)
    if k is None:
        return None
    one, late = motion.commands[k], rng.uniform(0.1, 0.4)
    return commanded(motion, k, replace(one, begin_s=one.begin_s + late, end_s=one.end_s + late))


def opens_on_its_way(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """A hand lets go of what it carries for a moment."""
    grip = motion.grips[int(rng.integers(len(motion.grips)))]
    closing = max(
        (one for one in motion.commands if one.arm == grip.arm and one.end_s <= grip.begin_s + 1e-6),
        key=lambda one: one.end_s,
    )
    begin = grip.begin_s + rng.uniform(0.2, 0.6) * (min(grip.end_s, motion.makespan_s) - grip.begin_s)
    widest = motion.cell.arm_named(grip.arm).tool.opening_m[1]
    lets_go = replace(closing, begin_s=begin, end_s=begin + 0.05, opening_m=widest, force_n=0.0)
    grips = replace(closing, begin_s=begin + 0.05, end_s=begin + 0.1)
    commands = sorted([*motion.commands, lets_go, grips], key=lambda one: one.begin_s)
    return replace(motion, commands=tuple(commands))


def opens_too_far(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion | None:
    """Fingers are told to be farther apart than they go."""
    k = opening_after_a_grip(motion, rng)
    if k is None:
        return None
    widest = motion.cell.arm_named(motion.commands[k].arm).tool.opening_m[1]
    return commanded(motion, k, replace(motion.commands[k], opening_m=widest + rng.uniform(0.001, 0.1)))


def feeders_elsewhere(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """Parts do not wait where they are taken from."""
    by = np.append(rng.choice([-1, 1], 2) * rng.uniform(0.3, 0.5, 2), rng.choice([0.0, -0.2]))

    def moved(T: Array) -> Array:
        T = T.copy()
        T[:3, 3] += by
        return T

    feeders = tuple(replace(one, T_world_feeder=moved(one.T_world_feeder)) for one in motion.cell.feeders)
    return replace(motion, cell=replace(motion.cell, feeders=feeders))


def appears_in_the_hand(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """A part is nowhere until a hand has it."""
    carried = {one.part for one in motion.stays if one.arm is not None and one.begin_s > 0}
    first = [k for k, one in enumerate(motion.stays) if one.begin_s == 0 and one.part in carried]
    gone = int(rng.choice(first))
    return replace(motion, stays=tuple(one for k, one in enumerate(motion.stays) if k != gone))


def vanishes(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion | None:
    """A part is gone some time after it was placed."""
    placed = [
        k for k, one in enumerate(motion.stays)
        if not np.isfinite(one.end_s) and 0 < one.begin_s < motion.makespan_s - 0.01
    ]  # fmt: skip
    if not placed:
        return None
    k = int(rng.choice(placed))
    stays, one = list(motion.stays), motion.stays[k]
    stays[k] = replace(one, end_s=one.begin_s + rng.uniform(0.1, 0.9) * (motion.makespan_s - one.begin_s))
    return replace(motion, stays=tuple(stays))


def table_lower(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion | None:
    """The structure hovers above the table."""
    table = motion.cell.table
    if table is None or assembly.ground.kind != "table":
        return None
    x, y, z = table.top_m
    lower = replace(table, top_m=(x, y, z - float(rng.uniform(0.001, 0.1))))
    return replace(motion, cell=replace(motion.cell, table=lower))


def step_left_out(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """Arms do more than the plan says: its last placing is missing."""
    steps = motion.plan.steps
    last = max(k for k, one in enumerate(steps) if one.action == "place")
    return replace(motion, plan=replace(motion.plan, steps=steps[:last]), steps_s=motion.steps_s[:last])


def turntable_away(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion | None:
    """What the turntable turns does not stand on it."""
    rotary = motion.cell.rotary
    if rotary is None:
        return None
    x, y, z = rotary.centre_m
    far, way = rng.uniform(1.0, 5.0), rng.uniform(0.0, 2 * np.pi)
    away = replace(rotary, centre_m=(x + float(far * np.cos(way)), y + float(far * np.sin(way)), z))
    return replace(motion, cell=replace(motion.cell, rotary=away))


def other_kind_of_grip(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """A grasp that the tool of the arm cannot do, and that would bear more."""
    k = int(rng.integers(len(motion.grips)))
    grips, grasp = list(motion.grips), motion.grips[k].grasp
    grips[k] = replace(grips[k], grasp=replace(grasp, kind="suction" if grasp.kind == "studs" else "studs"))
    return replace(motion, grips=tuple(grips))


def opening_told_wrong(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion | None:
    """A grasp is said to be wider, or narrower, than the fingers are apart."""
    pinches = [k for k, one in enumerate(motion.grips) if one.grasp.kind == "pinch"]
    if not pinches:
        return None
    k = int(rng.choice(pinches))
    grips, grasp = list(motion.grips), motion.grips[k].grasp
    told = abs(grasp.opening_m + float(rng.uniform(0.001, 0.01)) * float(rng.choice([-1.0, 1.0])))
    grips[k] = replace(grips[k], grasp=replace(grasp, opening_m=told))
    return replace(motion, grips=tuple(grips))


def fixed_left_out(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion | None:
    """A part that is in place from the beginning is not there, so nothing could run into it."""
    there = sorted({*assembly.fixed} & {stay.part for stay in motion.stays})
    if not there:
        return None
    name = str(rng.choice(there))
    return replace(motion, stays=tuple(stay for stay in motion.stays if stay.part != name))


LATE_OR_ELSEWHERE: Faults = {
    "arms swapped": (arms_swapped, ("hand", "place")),
    "speed spike": (speed_spike, ("speed",)),
    "closes too early": (closes_too_early, ("hand",)),
    "leaves too early": (leaves_too_early, ("hand",)),
    "opens on its way": (opens_on_its_way, ("hand",)),
    "opens too far": (opens_too_far, ("grip",)),
    "feeders elsewhere": (feeders_elsewhere, ("place",)),
    "appears in the hand": (appears_in_the_hand, ("place",)),
    "vanishes": (vanishes, ("place",)),
    "table lower": (table_lower, ("stand",)),
    "step left out": (step_left_out, ("order",)),
    "other kind of grip": (other_kind_of_grip, ("grip",)),
    "opening told wrong": (opening_told_wrong, ("hand",)),
    "fixed left out": (fixed_left_out, ("place",)),
    "turntable away": (turntable_away, ("stand",)),
}
ON_TURNTABLES, WITH_FIXED = ("turntable away",), ("fixed left out",)  # only motions with these have such faults
