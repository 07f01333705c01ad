"""Whether a grip bears what it carries at every instant: the weight and inertia, and their moment about the pads.

The load is taken from the motion itself: every part's mass times its acceleration less gravity, at its centre of mass;
of a part that stays where it is, its weight.
At the tool's point that is a force F and a moment M. A soft contact holds them within an ellipsoid, by its limits of

    slip     two pads that squeeze with N: 2 μ N, a cup that pulls with N: N along its axis, μ N across it
    twist    about the line of the pads, or the cup's axis: friction over the contact's face, at ⅔ of its half width
    bend     across that: by pads that are apart and wide, by the rim of a cup

Parts turn slowly: the moment of their own inertia is left out. How much of a pad lies on the part is not known here:
all of it may, its middle where that helps most. What this refuses falls; what slips by a taper is planning's to see.
"""

from __future__ import annotations

import numpy as np

from falsework.model.arrays import Array, Bools
from falsework.model.poses import inverse
from falsework.model.robots.motion import Grip
from falsework.model.robots.tool import Tool
from falsework.robots.verification.stage import Stage

GRAVITY_M_S2 = np.array([0.0, 0.0, -9.81])
SAMPLE_S = 0.02  # at which accelerations are looked at


def greatest_load(stage: Stage, numbers: dict[str, int], grip: Grip, arm: int, force_n: float) -> tuple[float, float]:
    """The worst instant of a grip of `force_n`: how many times what it bears is asked of it, and the load there, N."""
    forces, moments = _loads(stage, numbers, grip, arm)
    if not len(forces):
        return 0.0, 0.0
    asked = _asked(stage.motion.cell.arms[arm].tool, grip, forces, moments, force_n)
    worst = int(asked.argmax())
    return float(asked[worst]), float(np.linalg.norm(forces[worst]))


def _loads(stage: Stage, numbers: dict[str, int], grip: Grip, arm: int) -> tuple[Array, Array]:
    """(k, 3) N and (k, 3) N·m at the tool's point and in its axes, of all that the hand carries during a grip."""
    carried = [
        stay
        for stay in stage.motion.stays
        if stay.arm == grip.arm and stay.part in grip.parts and stay.part in numbers
        and stay.begin_s < grip.end_s and stay.end_s > grip.begin_s
    ]  # fmt: skip
    if not carried:
        return _weight(stage, numbers[grip.parts[0]], stage.tool_at(arm, grip.begin_s), grip)
    begin = min(stay.begin_s for stay in carried)
    end = min(max(stay.end_s for stay in carried), stage.motion.makespan_s)
    times = np.arange(begin, end, SAMPLE_S)
    tools = np.array([stage.tool_at(arm, time) for time in times.tolist()]).reshape(-1, 4, 4)
    forces, moments = np.zeros((len(times), 3)), np.zeros((len(times), 3))
    for stay in carried:
        part = stage.parts[numbers[stay.part]]
        at = (stay.T @ np.append(part.com_part_m, 1.0))[:3]  # as the tool sees it
        places = tools[:, :3, :3] @ at + tools[:, :3, 3]
        there = (times >= stay.begin_s) & (times < stay.end_s)
        push = part.mass_kg * (GRAVITY_M_S2 - _accelerations(places, there))
        own = np.einsum("kji,kj->ki", tools[:, :3, :3], push)
        forces[there] += own[there]
        moments[there] += np.cross(at, own[there])
    return forces, moments


def _weight(stage: Stage, number: int, T_world_tool: Array, grip: Grip) -> tuple[Array, Array]:
    """The same of a part that is held in its place: a hand on it bears its weight, at least."""
    part = stage.parts[number]
    at = (inverse(grip.grasp.T_part_tool) @ np.append(part.com_part_m, 1.0))[:3]
    push = T_world_tool[:3, :3].T @ (part.mass_kg * GRAVITY_M_S2)
    return push[None], np.cross(at, push)[None]


def _accelerations(places: Array, there: Bools) -> Array:
    """(k, 3) m/s² by second differences of places (k, 3), 0 at the ends of the time in which the part is there."""
    found = np.zeros_like(places)
    if len(places) > 2:
        inside = there[:-2] & there[1:-1] & there[2:]
        found[1:-1][inside] = np.diff(places, 2, axis=0)[inside] / SAMPLE_S**2
    return found


def _asked(tool: Tool, grip: Grip, forces: Array, moments: Array, force_n: float) -> Array:
    """(k,) how many times what a grip bears loads are; infinite for a hand that does not grip."""
    if force_n <= 0:
        return np.full(len(forces), np.inf)
    half, pinch = 0.5 * min(tool.pad_m), grip.grasp.kind == "pinch"
    friction = 1.0 if grip.grasp.kind == "studs" else tool.friction if pinch else min(1.0, tool.friction)
    axis = 1 if pinch else 2
    slip = (2.0 if pinch else 1.0) * friction * force_n
    pull = slip if pinch else force_n
    bend = force_n * (friction * grip.grasp.opening_m + half if pinch else half)
    if pinch:  # tips that hold hold below the tool's point
        levers = 0.5 * tool.pad_m[1] * np.abs(forces[:, [1, 0]])
        moments = np.column_stack([np.maximum(np.abs(moments[:, :2]) - levers, 0.0), moments[:, 2]])
    slips = np.hypot(np.linalg.norm(np.delete(forces, axis, axis=1), axis=1) / slip, forces[:, axis] / pull)
    twists = moments[:, axis] / (slip * 2.0 / 3.0 * half)
    bends = np.linalg.norm(np.delete(moments, axis, axis=1), axis=1) / bend
    asked: Array = np.sqrt(slips**2 + twists**2 + bends**2)
    return asked
