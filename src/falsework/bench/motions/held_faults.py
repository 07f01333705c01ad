"""Motions in which an arm takes hold of what is in place, each spoiled in one way, and by which name it is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from falsework.bench.motions.late_or_elsewhere import Faults
from falsework.model.assembly import Assembly
from falsework.model.robots.motion import Motion

AT_ONCE_S = 1e-6


def holds_in_place(motion: Motion) -> list[int]:
    """Numbers of grips on what is in place already: their parts never move with those arms."""
    carried = {(stay.arm, stay.part) for stay in motion.stays}
    return [k for k, grip in enumerate(motion.grips) if (grip.arm, grip.parts[0]) not in carried]


def in_place(motion: Motion) -> int:
    """The first of them."""
    return holds_in_place(motion)[0]


def never_held(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """No hand is on it."""
    k = in_place(motion)
    return replace(motion, grips=(*motion.grips[:k], *motion.grips[k + 1 :]))


def held_late(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """The hand closes after the step that says so, or after the other has gone."""
    k, late = in_place(motion), float(rng.uniform(0.4, 1.0))
    grip = motion.grips[k]
    return _regripped(_told(motion, grip.arm, grip.begin_s, late, ends=True), k, begin_s=grip.begin_s + late)


def let_go_early(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """It opens before the step that says so."""
    k, early = in_place(motion), float(rng.uniform(0.4, 1.0))
    grip = motion.grips[k]
    return _regripped(_told(motion, grip.arm, grip.end_s, -early, ends=False), k, end_s=grip.end_s - early)


def first_leaves_early(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """The arm that held before opens before the other holds."""
    taken = motion.grips[in_place(motion)]
    k = max(j for j, one in enumerate(motion.grips) if one.arm != taken.arm and one.begin_s < taken.begin_s)
    grip, early = motion.grips[k], float(rng.uniform(0.31, 0.6))
    return _regripped(_told(motion, grip.arm, grip.end_s, -early, ends=False), k, end_s=grip.end_s - early)


def of_another_part(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """Told to be on what is below."""
    k = in_place(motion)
    name = next(one.name for one in assembly.parts if one.name not in motion.grips[k].parts)
    return _regripped(motion, k, parts=(name,), grasp=replace(motion.grips[k].grasp, part=name))


def by_another_arm(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """Told to be the hand of the arm that brings parts."""
    return _regripped(motion, in_place(motion), arm=motion.cell.arms[0].name)


def beside_the_part(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """The hand is not where its grasp is."""
    k = in_place(motion)
    T = motion.grips[k].grasp.T_part_tool.copy()
    T[1, 3] += rng.choice([-1, 1]) * rng.uniform(0.002, 0.02)
    return _regripped(motion, k, grasp=replace(motion.grips[k].grasp, T_part_tool=T))


def held_on(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """It is told to hold on after the plan has let go."""
    k = in_place(motion)
    return _regripped(motion, k, end_s=motion.grips[k].end_s + float(rng.uniform(0.4, 1.0)))


def fingers_open(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """It never closes."""
    return _closed(motion, opening_m=motion.grips[in_place(motion)].grasp.open_m)


def held_weakly(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """It could not bear the part's weight."""
    return _closed(motion, force_n=float(rng.uniform(0.01, 0.1)))


def beyond_its_payload(motion: Motion, assembly: Assembly, rng: np.random.Generator) -> Motion:
    """The arm that holds may lift half of the part."""
    grip = motion.grips[in_place(motion)]
    half = 0.5 * assembly.parts[assembly.index[grip.parts[0]]].mass_kg
    arms = [
        replace(one, arm=replace(one.arm, payload_kg=one.tool.mass_kg + half)) if one.name == grip.arm else one
        for one in motion.cell.arms
    ]
    return replace(motion, cell=replace(motion.cell, arms=tuple(arms)))


HELD_FAULTS: Faults = {
    "never held": (never_held, ("hand",)),
    "held late": (held_late, ("hand",)),
    "let go early": (let_go_early, ("hand",)),
    "the first leaves early": (first_leaves_early, ("hand",)),
    "of another part": (of_another_part, ("hand",)),
    "by another arm": (by_another_arm, ("hand",)),
    "beside the part": (beside_the_part, ("hand",)),
    "held on": (held_on, ("hand",)),
    "fingers open": (fingers_open, ("hand",)),
    "held weakly": (held_weakly, ("grip",)),
    "beyond its payload": (beyond_its_payload, ("payload",)),
}


def _regripped(motion: Motion, k: int, **changes: Any) -> Motion:
    grips = list(motion.grips)
    grips[k] = replace(grips[k], **changes)
    return replace(motion, grips=tuple(grips))


def _told(motion: Motion, arm: str, when: float, by_s: float, *, ends: bool) -> Motion:
    """The command of a hand that begins, or ends, at a time, earlier or later."""
    k, commands = _command(motion, arm, when, ends=ends), list(motion.commands)
    commands[k] = replace(commands[k], begin_s=commands[k].begin_s + by_s, end_s=commands[k].end_s + by_s)
    return replace(motion, commands=tuple(commands))


def _closed(motion: Motion, **changes: Any) -> Motion:
    """With another command by which the hand closes."""
    grip, commands = motion.grips[in_place(motion)], list(motion.commands)
    k = _command(motion, grip.arm, grip.begin_s, ends=True)
    commands[k] = replace(commands[k], **changes)
    return replace(motion, commands=tuple(commands))


def _command(motion: Motion, arm: str, when: float, *, ends: bool) -> int:
    times = [one.end_s if ends else one.begin_s for one in motion.commands]
    return next(k for k, one in enumerate(motion.commands) if one.arm == arm and abs(times[k] - when) < AT_ONCE_S)
