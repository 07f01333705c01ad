"""Good motions spoiled, each in one way, and by which names they must be refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from falsework.bench.motions.late_or_elsewhere import LATE_OR_ELSEWHERE, Faults
from falsework.bench.motions.spoiling import (
    delayed,
    in_cell,
    in_times_the_time,
    moving_track,
    put_down,
    stay_elsewhere,
    with_track,
)
from falsework.geometry.shapes.convex_pieces import pieces_of
from falsework.model.assembly import Assembly
from falsework.model.robots.cell import CellArm, Obstacle
from falsework.model.robots.limits import JointLimits
from falsework.model.robots.motion import Motion, Track
from falsework.model.shapes import box
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.collision.collisions import blockers, masks
from falsework.robots.collision.surroundings import Surroundings
from falsework.robots.kinematics.kinematics import Kinematics


def joint_jump(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """One joint of one row is off."""
    track = moving_track(motion, rng)
    q = track.q.copy()
    q[rng.integers(1, len(q) - 1), rng.integers(q.shape[1])] += rng.choice([-1, 1]) * rng.uniform(0.5, 3.0)
    return with_track(motion, replace(track, q=q))


def between_samples(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion | None:
    """An arm makes a detour, slowly, between two positions that are free: what is on the way is not."""
    track = moving_track(motion, rng)
    one = motion.cell.arm_named(track.arm)
    arm, around = ArmBodies(one), Surroundings.of(motion.cell, assembly, motion.T_world_assembly)
    there = around.cell_mask | assembly.fixed_mask()  # what stands before anything is built
    begin, limits = track.q[0], JointLimits.of(one.arm)
    for _ in range(400):
        end = rng.uniform(limits.lower, limits.upper)
        way = begin + np.linspace(0, 1, 100)[:, None] * (end - begin)
        free_end = not masks(blockers(arm, end[None], around, 0.01))[0]
        met = any(mask & there for mask in masks(blockers(arm, way, around, 1e-6)))
        if free_end and met and not arm.touches_itself(way, 0.002).any():
            seconds = 3.0 * float((np.abs(end - begin) / limits.speed).max()) + 8.0
            later = delayed(motion, 2 * seconds)
            old = later.track_of(track.arm)
            still = np.zeros((2, len(begin)))
            return with_track(
                later,
                Track(
                    track.arm, np.concatenate([[0.0, seconds], old.times_s + 0.0]),
                    np.concatenate([[begin, end], old.q]), np.concatenate([still, old.speed]),
                    np.concatenate([still, old.acceleration]),
                ),
            )  # fmt: skip
    return None


def weak_grip(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """A hand closes with too little force."""
    chosen = rng.choice([k for k, one in enumerate(motion.commands) if one.force_n > 0])
    commands = list(motion.commands)
    commands[chosen] = replace(commands[chosen], force_n=1e-3 * rng.uniform(0.1, 10.0))
    return replace(motion, commands=tuple(commands))


def wrong_hand(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion | None:
    """Another arm is said to hold what one holds."""
    grip = motion.grips[rng.integers(len(motion.grips))]
    others = [one.name for one in motion.cell.arms if one.name != grip.arm]
    if not others:
        return None
    other = str(rng.choice(others))
    grips = tuple(replace(one, arm=other) if one is grip else one for one in motion.grips)
    stays = tuple(
        replace(one, arm=other) if one.arm == grip.arm and one.part in grip.parts else one for one in motion.stays
    )
    return replace(motion, grips=grips, stays=stays)


def payload(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """An arm may carry less than its part and its tool weigh."""
    grip = motion.grips[rng.integers(len(motion.grips))]
    mass = next(part.mass_kg for part in assembly.parts if part.name == grip.parts[0])

    def weak(one: CellArm) -> CellArm:
        return replace(one, arm=replace(one.arm, payload_kg=one.tool.mass_kg + mass * rng.uniform(0.1, 0.95)))

    return in_cell(motion, grip.arm, weak)


def mirrored_cell(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """The arms stand as in a mirror."""

    def mirrored(one: CellArm) -> CellArm:
        T = one.T_world_base.copy()
        axis = int(rng.integers(2))
        T[axis, 3] *= -1.0
        turn = np.diag([1.0, 1.0, 1.0])
        turn[axis, axis] = turn[1 - axis, 1 - axis] = -1.0
        T[:3, :3] = turn @ T[:3, :3]
        T[:3, 3] += rng.uniform(0.01, 0.03, 3) * (1, 1, 0)
        return replace(one, T_world_base=T)

    cell = motion.cell
    return replace(motion, cell=replace(cell, room_m=None, arms=tuple(mirrored(one) for one in cell.arms)))


def too_fast(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """All of it in less time."""
    return in_times_the_time(motion, float(rng.uniform(0.3, 0.9)))


def beyond_limits(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """A joint may not turn as far as it does."""
    track = moving_track(motion, rng)
    one = motion.cell.arm_named(track.arm)
    spans = np.ptp(track.q, axis=0)
    j = int(rng.choice(np.flatnonzero(spans > 0.2 * spans.max())))
    home, high, low = float(one.home[j]), float(track.q[:, j].max()), float(track.q[:, j].min())

    def narrow(placed: CellArm) -> CellArm:
        joints = list(placed.arm.joints)
        if high - home > home - low:
            joints[j] = replace(joints[j], upper=home + rng.uniform(0.2, 0.9) * (high - home))
        else:
            joints[j] = replace(joints[j], lower=home - rng.uniform(0.2, 0.9) * (home - low))
        arm = replace(placed.arm, joints=tuple(joints), home=placed.home)
        return replace(placed, arm=arm)

    return in_cell(motion, track.arm, narrow)


def let_go_early(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """A hand opens before its part is in place."""
    k = int(rng.integers(len(motion.grips)))
    grip = motion.grips[k]
    end = min(grip.end_s, motion.makespan_s)
    grips = list(motion.grips)
    grips[k] = replace(grip, end_s=grip.begin_s + rng.uniform(0.1, 0.8) * (end - grip.begin_s))
    return replace(motion, grips=tuple(grips))


def steps_exchanged(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion | None:
    """Two steps are said to be done in the other order."""
    times = list(motion.steps_s)
    pairs = [k for k in range(len(times) - 1) if times[k + 1] - times[k] > 0.01]
    if not pairs:
        return None
    k = int(rng.choice(pairs))
    times[k], times[k + 1] = times[k + 1], times[k]
    return replace(motion, steps_s=tuple(times))


def elsewhere(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """The structure stands elsewhere than the arms think."""
    T = motion.T_world_assembly.copy()
    T[:2, 3] += rng.choice([-1, 1], 2) * rng.uniform(0.001, 0.02, 2)
    return replace(motion, T_world_assembly=T)


def out_of_step(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """One arm is late, and its hand is not."""
    track = moving_track(motion, rng)
    late = rng.uniform(0.5, 3.0)
    return with_track(motion, replace(track, times_s=np.concatenate([[0.0], track.times_s[1:] + late])))


def open_fingers(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion | None:
    """A hand closes less than its part is wide."""
    closing = [k for k, one in enumerate(motion.commands) if one.force_n > 0 and one.opening_m > 0]
    if not closing:
        return None
    commands = list(motion.commands)
    k = int(rng.choice(closing))
    widest = motion.cell.arm_named(commands[k].arm).tool.opening_m[1]
    commands[k] = replace(commands[k], opening_m=min(widest, commands[k].opening_m + rng.uniform(0.006, 0.03)))
    return (
        replace(motion, commands=tuple(commands))
        if commands[k].opening_m > motion.commands[k].opening_m + 0.004
        else None
    )


def part_that_jumps(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """A part is elsewhere after it has changed hands."""
    stays = list(motion.stays)
    k = int(rng.choice([k for k, one in enumerate(stays) if one.begin_s > 0]))
    T = stays[k].T.copy()
    T[:3, 3] += rng.choice([-1, 1], 3) * rng.uniform(0.001, 0.05, 3)
    stays[k] = replace(stays[k], T=T)
    return replace(motion, stays=tuple(stays))


def thing_in_the_way(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """Something stands where a wrist passes by."""
    track = moving_track(motion, rng)
    one = motion.cell.arm_named(track.arm)
    ways = [each for each in motion.segments if each.arm == track.arm and each.kind == "transit"]
    chosen = ways[int(rng.integers(len(ways)))]
    when = chosen.begin_s + rng.uniform(0.3, 0.7) * (chosen.end_s - chosen.begin_s)
    T = np.eye(4)
    T[:3, 3] = (one.T_world_base @ Kinematics(one.arm).forward(track.at(float(when))))[:3, 3] - 0.02
    thing = Obstacle("thing", box((0.04, 0.04, 0.04)), T)
    return replace(motion, cell=replace(motion.cell, obstacles=(*motion.cell.obstacles, thing)))


def put_in_the_air(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion | None:
    """A part is let go above the table on its way, and lies lower where it is taken again."""
    put = put_down(motion)
    if not put:
        return None
    k = put[int(rng.integers(len(put)))]
    T = motion.stays[k].T.copy()
    T[2, 3] += rng.uniform(0.002, 0.05)
    return stay_elsewhere(motion, k, T)


def put_where_it_tips(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion | None:
    """A part is said to be put down on an edge."""
    put = put_down(motion)
    if not put or motion.cell.table is None:
        return None
    k = put[int(rng.integers(len(put)))]
    stay = motion.stays[k]
    part = next(one for one in assembly.parts if one.name == stay.part)
    angle, T = rng.uniform(0.3, 0.6), stay.T.copy()
    turn = np.array([[1, 0, 0], [0, np.cos(angle), -np.sin(angle)], [0, np.sin(angle), np.cos(angle)]])
    T[:3, :3] = turn @ T[:3, :3]
    corners = np.concatenate([piece.vertices for piece in pieces_of(part.shape).all]) @ T[:3, :3].T
    T[2, 3] = motion.cell.table.top_m[2] - corners[:, 2].min()
    return stay_elsewhere(motion, k, T)


def given_too_early(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion | None:
    """A hand lets go of what it holds out before the other one holds it."""
    given = [
        k for k, one in enumerate(motion.grips)
        if any(each.arm != one.arm and each.parts == one.parts and one.begin_s < each.begin_s <= one.end_s
               for each in motion.grips)
    ]  # fmt: skip
    if not given:
        return None
    k = given[int(rng.integers(len(given)))]
    grip, grips = motion.grips[k], list(motion.grips)
    taken = min(one.begin_s for one in motion.grips if one.parts == grip.parts and one.begin_s > grip.begin_s)
    grips[k] = replace(grip, end_s=taken - rng.uniform(0.05, 0.5) * (taken - grip.begin_s))
    return replace(motion, grips=tuple(grips))


def nowhere(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion | None:
    """A part that changes hands, or is put down between, is for some time nowhere."""
    on_its_way = [
        k for k, one in enumerate(motion.stays)
        if one.begin_s > 0 and np.isfinite(one.end_s) and any(each.part == one.part and each.begin_s == one.end_s
                                                              for each in motion.stays)
    ]  # fmt: skip
    if not on_its_way:
        return None
    k = on_its_way[int(rng.integers(len(on_its_way)))]
    stays, one = list(motion.stays), motion.stays[k]
    stays[k] = replace(one, end_s=one.end_s - rng.uniform(0.1, 0.9) * (one.end_s - one.begin_s))
    return replace(motion, stays=tuple(stays))


FAULTS: Faults = {
    "joint jump": (joint_jump, ("joint-jump", "speed", "acceleration", "joint-limit")),
    "between samples": (between_samples, ("collision",)),
    "weak grip": (weak_grip, ("grip",)),
    "wrong hand": (wrong_hand, ("hand", "place")),
    "payload": (payload, ("payload",)),
    "mirrored cell": (mirrored_cell, ("hand", "place")),
    "too fast": (too_fast, ("speed", "acceleration", "jerk")),
    "beyond limits": (beyond_limits, ("joint-limit",)),
    "let go early": (let_go_early, ("hand",)),
    "steps exchanged": (steps_exchanged, ("order",)),
    "elsewhere": (elsewhere, ("place",)),
    "out of step": (out_of_step, ("hand", "place")),
    "open fingers": (open_fingers, ("hand",)),
    "part that jumps": (part_that_jumps, ("place", "hand")),
    "thing in the way": (thing_in_the_way, ("collision",)),
    "put in the air": (put_in_the_air, ("stand",)),
    "put where it tips": (put_where_it_tips, ("stand",)),
    "given too early": (given_too_early, ("hand",)),
    "nowhere": (nowhere, ("place",)),
    **LATE_OR_ELSEWHERE,
}
IN_TRANSFERS = ("put in the air", "put where it tips", "given too early")  # only motions with a transfer have these


def spoiled(motion: Motion, assembly: Assembly, name: str, rng: np.random.Generator) -> Motion | None:
    """A motion with one fault, None where it cannot have it."""
    return FAULTS[name][0](motion, assembly, rng)
