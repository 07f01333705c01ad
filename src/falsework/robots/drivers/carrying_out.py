"""A motion handed to drivers: one arm's part of it, in order. Several arms: one thread each, begun together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from falsework.model.errors import Undecided, shown
from falsework.model.ports import Driver
from falsework.model.robots.driving import Pressed
from falsework.model.robots.motion import GripCommand, Motion, Segment, Track

PRESS_M_S = 0.005
PRESS_M = 0.004  # how much farther than its place a part is pressed at most


def carry_out(motion: Motion, arm: str, driver: Driver) -> list[Pressed]:
    """Let a driver do what a motion has its arm do; how its presses ended. Undecided where one felt too much."""
    presses: list[Pressed] = []
    for segment in sorted((one for one in motion.segments if one.arm == arm), key=lambda one: one.begin_s):
        rows = _rows(motion.track_of(arm), segment)
        if len(rows.times_s) > 1:
            driver.move(rows)
        for command in _commands(motion, segment):
            driver.grip(command.opening_m, command.force_n)
        if segment.guard is not None:
            pressed = driver.press_until(segment.guard.until_n, segment.guard.stop_n, PRESS_M, PRESS_M_S)
            if pressed.end == "stopped":
                raise Undecided(f"arm {shown(arm)} felt {pressed.force_n:.3g} N at {segment.end_s:.2f} s and stopped")
            presses.append(pressed)
            driver.move(_back(driver, rows))
    return presses


def _rows(track: Track, segment: Segment) -> Track:
    """The rows of a segment; it begins and ends at rest."""
    chosen = (track.times_s >= segment.begin_s - 1e-9) & (track.times_s <= segment.end_s + 1e-9)
    if not chosen.any():  # a wait between two rows
        chosen[np.searchsorted(track.times_s, segment.begin_s) - 1] = True
    return Track(track.arm, track.times_s[chosen], track.q[chosen], track.speed[chosen], track.acceleration[chosen])


def _commands(motion: Motion, segment: Segment) -> Iterator[GripCommand]:
    for one in motion.commands:
        if one.arm == segment.arm and abs(one.begin_s - segment.begin_s) < 1e-6:
            yield one


def _back(driver: Driver, rows: Track) -> Track:
    """From where a press ended to where the motion goes on."""
    still = np.zeros((2, rows.q.shape[1]))
    return Track(rows.arm, np.array([0.0, 0.5]), np.array([driver.state().q, rows.q[-1]]), still, still)
