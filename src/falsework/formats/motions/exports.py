"""Motions for other people's drivers: ROS's JointTrajectory and GripperCommand as JSON, and CSV; a file an arm.

ROS's controllers join points that have positions, velocities and accelerations by polynomials of degree five, which is
what the rows of a motion mean. CSV has the same rows with one column for each joint's position, speed and acceleration.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from falsework.formats.basics.atomic import write_whole
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.robots.motion import Motion

NANO = 1_000_000_000


def export_motion(motion: Motion, folder: str | Path, to: str | None = None) -> list[Path]:
    """Write one file for each arm into a folder, in one format or in all; returns their paths."""
    if to is not None and to not in EXPORTS:
        raise BadInput(f"a motion cannot be written as {shown(to)}; {did_you_mean(to, tuple(EXPORTS))}")
    written = []
    for ending, writer in EXPORTS.values() if to is None else (EXPORTS[to],):
        for one in motion.cell.movers:
            path = Path(folder) / f"{one.name}.{ending}"
            write_whole(path, writer(motion, one.name))
            written.append(path)
    return written


def joint_trajectory(motion: Motion, arm: str) -> dict[str, Any]:
    """An arm's motion as `trajectory_msgs/JointTrajectory`."""
    track, one = motion.track_of(arm), motion.cell.mover_named(arm)
    return {
        "header": {"stamp": {"sec": 0, "nanosec": 0}, "frame_id": ""},
        "joint_names": [joint.name for joint in one.arm.joints],
        "points": [
            {
                "positions": q,
                "velocities": speed,
                "accelerations": acceleration,
                "effort": [],
                "time_from_start": _duration(time),
            }
            for time, q, speed, acceleration in zip(
                track.times_s.tolist(), track.q.tolist(), track.speed.tolist(), track.acceleration.tolist(), strict=True
            )
        ],
    }


def gripper_commands(motion: Motion, arm: str) -> list[dict[str, Any]]:
    """What an arm's hand is told, and when: `control_msgs/GripperCommand`, position m and effort N."""
    return [
        {"time_from_start": _duration(one.begin_s), "command": {"position": one.opening_m, "max_effort": one.force_n}}
        for one in motion.commands
        if one.arm == arm
    ]


def csv_text(motion: Motion, arm: str) -> str:
    """An arm's rows: time_s, then position, speed and acceleration of every joint."""
    track, one = motion.track_of(arm), motion.cell.mover_named(arm)
    names = [joint.name for joint in one.arm.joints]
    columns = ["time_s", *names, *(f"{name}.speed" for name in names), *(f"{name}.acceleration" for name in names)]
    lines = [",".join(columns)]
    for time, *numbers in zip(track.times_s, track.q, track.speed, track.acceleration, strict=True):
        lines.append(",".join(repr(float(value)) for value in (time, *(x for row in numbers for x in row))))
    return "\n".join(lines) + "\n"


def _duration(time_s: float) -> dict[str, int]:
    total = round(time_s * NANO)
    return {"sec": total // NANO, "nanosec": total % NANO}


EXPORTS: dict[str, tuple[str, Callable[[Motion, str], str]]] = {
    "ros": ("trajectory.json", lambda motion, arm: json.dumps(joint_trajectory(motion, arm)) + "\n"),
    "gripper": ("gripper.json", lambda motion, arm: json.dumps(gripper_commands(motion, arm)) + "\n"),
    "csv": ("csv", csv_text),
}
