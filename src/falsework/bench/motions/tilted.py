"""Structures that one arm builds only if a positioner tilts them, and what can be wrong with such motions.

A beam that leans over the edge of a pedestal stands once a weight is on its end, not before; laid on its back, against
the wall behind it, it stands as soon as it is there.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from falsework.bench.motions.late_or_elsewhere import Faults
from falsework.bench.motions.problems import Boxes, Problem
from falsework.model.assembly import Assembly
from falsework.model.robots.cell import ROTARY, Obstacle
from falsework.model.robots.motion import GripCommand, Motion, Track
from falsework.model.shapes import box
from falsework.robots.cells.placing import placed_cell
from falsework.robots.keyframes.judging import judge_of

KINDS = ("panda+positioner", "fr3+positioner", "xarm7+positioner", "ur5e+positioner")
LAYOUTS = 300
SLIPPERY = 0.15  # friction: a beam does not jam between wall and pedestal


def tilted_problem(rng: np.random.Generator) -> Problem:
    """A beam, a weight, and what is bolted to the plate, facing one of four ways."""
    kind = str(rng.choice(KINDS))
    out, long = float(rng.uniform(0.008, 0.014)), float(rng.uniform(0.1, 0.11))
    wide, high, heavy = (float(rng.uniform(*span)) for span in ((0.03, 0.045), (0.025, 0.035), (0.06, 0.07)))
    ledge = 0.5 * long - out  # the beam's middle is beyond it by so much
    boxes: Boxes = {
        "wall": ((0.03, 0.08, 0.16), (-0.015, 0.0, 0.08)),
        "pedestal": ((ledge, 0.08, 0.05), (0.5 * ledge, 0.0, 0.025)),
        "beam": ((long, wide, high), (0.5 * long, 0.0, 0.05 + 0.5 * high)),
        "weight": ((ledge, wide, heavy), (0.5 * ledge, 0.0, 0.05 + high + 0.5 * heavy)),
    }
    turned = _turned(boxes, int(rng.integers(4)), 0.5 * long)
    assembly = Assembly.from_boxes(turned, fixed=("wall", "pedestal"), density_kg_m3=500.0, mu=SLIPPERY)
    cell = placed_cell(kind, assembly, layouts=LAYOUTS, rng=rng, judge=judge_of(assembly)).cell
    return Problem(cell, assembly, rules="reorient")


def _turned(boxes: Boxes, quarters: int, back: float) -> Boxes:
    """The same moved back by so much and turned about the z axis."""
    turn = np.round(np.linalg.matrix_power(np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), quarters))
    found: Boxes = {}
    for name, (size, middle) in boxes.items():
        at = turn @ (np.array(middle) - (back, 0.0, 0.0))
        found[name] = (tuple(np.abs(turn @ np.array(size)).tolist()), tuple(at.tolist()))
    return found


def _with_track(motion: Motion, track: Track) -> Motion:
    return replace(motion, tracks=(*motion.tracks[:-1], track))


def _with_clamps(motion: Motion, clamps: list[GripCommand]) -> Motion:
    return replace(motion, commands=(*(one for one in motion.commands if one.arm != ROTARY), *clamps))


def _clamps(motion: Motion) -> list[GripCommand]:
    return [one for one in motion.commands if one.arm == ROTARY]


def clamps_open(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """Nothing holds the parts while they are tilted."""
    return _with_clamps(motion, [])


def clamps_weak(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """Clamps hold with less than what is on the plate weighs."""
    weak = 9.0 * sum(part.mass_kg for part in assembly.parts if part.name not in assembly.fixed)
    weak *= float(rng.uniform(0.1, 0.9))
    return _with_clamps(motion, [replace(one, force_n=min(one.force_n, weak)) for one in _clamps(motion)])


def clamps_early(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """They let go before the plate stands."""
    clamps = _clamps(motion)
    last, early = clamps[-1], float(rng.uniform(0.05, 1.0))
    clamps[-1] = replace(last, begin_s=last.begin_s - early, end_s=last.end_s - early)
    return _with_clamps(motion, clamps)


def clamps_beyond(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """They are told to hold with more than they can."""
    return _with_clamps(motion, [replace(one, force_n=one.force_n * 1.5) for one in _clamps(motion)])


def tilted_short(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """The plate tilts less than it should, or more."""
    track, share = motion.tracks[-1], np.array([float(rng.choice([0.9, 0.97, 0.5])), 1.0])
    return _with_track(
        motion,
        replace(track, q=track.q * share, speed=track.speed * share, acceleration=track.acceleration * share),
    )


def tilted_back(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """The plate tilts the other way."""
    track, other = motion.tracks[-1], np.array([-1.0, 1.0])
    return _with_track(
        motion,
        replace(track, q=track.q * other, speed=track.speed * other, acceleration=track.acceleration * other),
    )


def unplanned(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """The plan does not say that it is turned over."""
    kept = [k for k, step in enumerate(motion.plan.steps) if step.action != "reorient"]
    plan = replace(motion.plan, steps=tuple(motion.plan.steps[k] for k in kept))
    return replace(motion, plan=plan, steps_s=tuple(motion.steps_s[k] for k in kept))


def planned_otherwise(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """The plan says that it is turned over the other way."""
    first = next(k for k, step in enumerate(motion.plan.steps) if step.action == "reorient")
    steps = list(motion.plan.steps)
    turned = steps[first].T_world_assembly
    assert turned is not None
    steps[first] = replace(steps[first], T_world_assembly=np.diag([1.0, -1.0, -1.0, 1.0]) @ turned)
    return replace(motion, plan=replace(motion.plan, steps=tuple(steps)))


def left_behind(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """A fixed part does not move with the plate that it is bolted to."""
    name = str(rng.choice(sorted(assembly.fixed)))
    part = next(one for one in assembly.parts if one.name == name)
    stays = [
        replace(one, arm=None, T=motion.T_world_assembly @ part.T_world_part) if one.part == name else one
        for one in motion.stays
    ]
    return replace(motion, stays=tuple(stays))


def post_in_the_sweep(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """Something stands where the structure passes by as it tilts."""
    rotary = motion.cell.rotary
    assert rotary is not None
    track = motion.tracks[-1]
    final = track.q[int(np.abs(track.q[:, 0]).argmax())]
    halfway = rotary.turned(float(final[1]), 0.5 * float(final[0])) @ motion.T_world_assembly
    wall = next(one for one in assembly.parts if one.name == "wall")
    T = np.eye(4)
    T[:3, 3] = (halfway @ wall.T_world_part)[:3, :3] @ wall.com_part_m + (halfway @ wall.T_world_part)[:3, 3] - 0.002
    post = Obstacle("post", box((0.004, 0.004, 0.004)), T)
    return replace(motion, cell=replace(motion.cell, obstacles=(*motion.cell.obstacles, post)))


def too_soon(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """The plate comes back while a hand is still there."""
    track, clamps = motion.tracks[-1], _clamps(motion)
    begin = clamps[-2].begin_s
    soon = (
        begin - float(np.mean([one.end_s for one in motion.grips if one.end_s < begin][-1:])) + 1.5
    )  # clamps take a second
    times = np.where(track.times_s > begin - 1e-6, track.times_s - soon, track.times_s)
    moved = [replace(one, begin_s=one.begin_s - soon, end_s=one.end_s - soon) for one in clamps[-2:]]
    return _with_clamps(_with_track(motion, replace(track, times_s=times)), [*clamps[:-2], *moved])


TILTED_FAULTS: Faults = {
    "clamps open": (clamps_open, ("clamp",)),
    "clamps weak": (clamps_weak, ("clamp",)),
    "clamps let go early": (clamps_early, ("clamp",)),
    "clamps beyond their force": (clamps_beyond, ("clamp",)),
    "tilted too little": (tilted_short, ("tilt",)),
    "tilted the other way": (tilted_back, ("tilt",)),
    "tilted unplanned": (unplanned, ("tilt",)),
    "planned otherwise": (planned_otherwise, ("tilt",)),
    "left behind": (left_behind, ("place",)),
    "post in the sweep": (post_in_the_sweep, ("collision",)),
    "tilted too soon": (too_soon, ("hand", "tilt")),
}
