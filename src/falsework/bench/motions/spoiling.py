"""What faults of motions are made with: the same motion with one thing changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from falsework.model.arrays import Array
from falsework.model.robots.cell import Cell, CellArm
from falsework.model.robots.motion import GripCommand, Motion, Track


def put_down(motion: Motion) -> list[int]:
    """The stays at rest between two hands."""
    return [
        k for k, one in enumerate(motion.stays)
        if one.arm is None and one.begin_s > 0 and np.isfinite(one.end_s)
        and any(each.part == one.part and each.arm is not None and each.end_s == one.begin_s for each in motion.stays)
    ]  # fmt: skip


def stay_elsewhere(motion: Motion, k: int, T: Array) -> Motion:
    """The same with one stay elsewhere."""
    stays = list(motion.stays)
    stays[k] = replace(stays[k], T=T)
    return replace(motion, stays=tuple(stays))


def opening_after_a_grip(motion: Motion, rng: np.random.Generator) -> int | None:
    """The number of a command that lets something go."""
    ends = {(one.arm, one.end_s) for one in motion.grips}
    found = [k for k, one in enumerate(motion.commands) if (one.arm, one.begin_s) in ends]
    return int(rng.choice(found)) if found else None


def commanded(motion: Motion, k: int, command: GripCommand) -> Motion:
    """The same with one command of a hand instead of another."""
    commands = list(motion.commands)
    commands[k] = command
    return replace(motion, commands=tuple(commands))


def moving_track(motion: Motion, rng: np.random.Generator) -> Track:
    tracks = [track for track in motion.tracks if len(track.times_s) > 2]
    return tracks[int(rng.integers(len(tracks)))]


def with_track(motion: Motion, track: Track) -> Motion:
    return replace(motion, tracks=tuple(track if one.arm == track.arm else one for one in motion.tracks))


def in_cell(motion: Motion, arm: str, change: Callable[[CellArm], CellArm]) -> Motion:
    cell: Cell = motion.cell
    return replace(motion, cell=replace(cell, arms=tuple(change(one) if one.name == arm else one for one in cell.arms)))


def in_times_the_time(motion: Motion, times: float) -> Motion:
    """The whole motion in so many times the time."""
    tracks = tuple(
        Track(one.arm, one.times_s * times, one.q, one.speed / times, one.acceleration / times**2)
        for one in motion.tracks
    )
    return retold(motion, tracks, lambda time: time * times)


def delayed(motion: Motion, seconds: float) -> Motion:
    """The whole motion later; arms wait, and what is there is there from the beginning."""
    tracks = tuple(replace(one, times_s=one.times_s + seconds) for one in motion.tracks)
    return retold(motion, tracks, lambda time: time + seconds if time > 0 else 0.0)


def retold(motion: Motion, tracks: tuple[Track, ...], when: Callable[[float], float]) -> Motion:
    """The same with all that happens at other times."""

    def moved(one: Any) -> Any:
        return replace(one, begin_s=when(one.begin_s), end_s=when(one.end_s))

    return replace(
        motion,
        tracks=tracks,
        commands=tuple(moved(one) for one in motion.commands),
        segments=tuple(moved(one) for one in motion.segments),
        grips=tuple(moved(one) for one in motion.grips),
        stays=tuple(moved(one) for one in motion.stays),
        steps_s=tuple(when(time) for time in motion.steps_s),
    )
