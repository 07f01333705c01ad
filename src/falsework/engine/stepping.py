"""How a scene of groups goes on: steps that end with nothing inside of anything else, or are taken again in finer ones.

What moves far is foreseen (`foresight`), what a hand guides keeps to its line (`rails`), what turns fast keeps its
angular momentum (`spins`), and what sleeps is woken where the engine cannot (`sleep`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from falsework.engine.foresight import Ahead
from falsework.engine.library import mujoco
from falsework.engine.rails import keep_to_line
from falsework.engine.spins import kept_spins
from falsework.model.arrays import Array
from falsework.model.errors import Undecided
from falsework.model.poses import to_rotation

if TYPE_CHECKING:
    from falsework.engine.composites import Composites
    from falsework.engine.groups import EngineState

SWIFT = 0.01  # rad a step: bodies that turn faster keep their angular momentum by our own arithmetic
TURNED = 0.5  # rad a step: what turns farther beside something else goes in finer steps
FINER = (1, 4, 16, 64)  # parts of a step, tried in turn until nothing overlaps
SAFE = 0.8  # of the overlap that is a failure: with less a step is good
SLOP = 0.1  # of it: by which an overlap that was there before may grow, for the engine's arithmetic


def steps(scene: Composites, prepare: Callable[[], None] | None = None) -> Iterator[tuple[float, bool]]:
    """One step, whole or in parts: the share of each, and whether it is the first; `prepare` comes before each.

    With another first one all that was done before in this step is undone: something overlapped.
    """
    start, whole, limit = float(scene.data.time), scene.settings.step_s, scene.settings.deepest_m
    before: EngineState | None = None
    found = given = 0.0
    pair = (-1, -1)
    for parts in FINER:
        for number in range(parts):
            if prepare is not None:
                prepare()
            ahead = None if scene.is_at_rest else look(scene, whole / parts)
            if before is None and ahead is not None and len(ahead.gaps):
                before, now = scene.state(), ahead.deepest(scene.foresight.ours)[0]
                given = _accepted(scene, now)
            if (
                before is not None
                and number == 0
                and parts < FINER[-1]
                and _fastest_spin(scene) * whole / parts > TURNED
            ):
                break
            _turn_and_step(scene, ahead, whole / parts)
            scene.last = ahead, whole / parts
            yield 1.0 / parts, number == 0
        else:
            scene.data.time = start + whole
            if before is None and scene.is_at_rest and scene.left_at is not None:
                return
            scene.left_at = scene.data.qpos.copy()
            if before is None:
                return
            after = scene.foresight.look_back(scene.data, whole, scene.heft.acceleration_m_s2)
            found, pair = after.deepest(scene.foresight.ours)
            if found <= max(SAFE * limit, given + SLOP * limit):
                return
            if parts < FINER[-1]:
                scene.set_state(before)
    if found > max(limit, given):
        told = " and ".join(scene.told(geom) for geom in pair)
        raise Undecided(f"{told} overlap by {1e3 * found:.2g} mm at {start:.4g} s; smaller forces may help")


def _accepted(scene: Composites, now_m: float) -> float:
    """What of the overlap at the beginning of a step is nobody's fault.

    What is moved from outside may be anywhere. From there on it must not get deeper, however little each step.
    """
    untouched = scene.left_at is not None and np.array_equal(scene.left_at, scene.data.qpos)
    if untouched and not scene.foresight.others:
        now_m = min(now_m, scene.accepted_m)
    scene.accepted_m = now_m
    return now_m


def look(scene: Composites, step_s: float) -> Ahead | None:
    """What will be met in a step; None if nothing moves far, or where the engine is left to itself."""
    if not scene.settings.foreseeing:
        return None
    left_alone = not scene.pushed and not scene.foresight.others
    if left_alone and scene.foresight.is_slow(float(np.abs(scene.bodies_v).max(initial=0.0)), step_s):
        return None
    return scene.foresight.look(scene.data, step_s, scene.heft.acceleration_m_s2)


def _fastest_spin(scene: Composites) -> float:
    return float(np.abs(scene.bodies_v[:, 3:]).max(initial=0.0))


def _turn_and_step(scene: Composites, ahead: Ahead | None, step_s: float) -> None:
    """A step of the engine in which bodies that turn fast keep their angular momentum."""
    if ahead is None or _fastest_spin(scene) <= SWIFT / step_s / 2:
        step_of_engine(scene, ahead, step_s)
    else:
        spins = scene.bodies_v[:, 3:]
        rows = np.flatnonzero((spins * spins).sum(axis=1) > (SWIFT / step_s) ** 2)
        spin, turn = spins[rows].copy(), to_rotation(scene.bodies_q[rows, 3:])
        step_of_engine(scene, ahead, step_s)
        moved, turned = scene.bodies_v[rows, 3:], to_rotation(scene.bodies_q[rows, 3:])
        scene.bodies_v[rows, 3:] = kept_spins(scene.inertias[rows], spin, moved, turn, turned, step_s)
    scene.sleepers.look()


def step_of_engine(scene: Composites, ahead: Ahead | None, step_s: float) -> None:
    """The engine wakes what a waking body touches; it gives up where that touches a sleeper: then all must wake."""
    scene.model.opt.timestep = step_s
    try:
        widen = None if ahead is None else ahead.widen
        if widen is None and not scene.guided and not scene.once_touching:
            mujoco().mj_step(scene.model, scene.data)
        else:
            _step_in_halves(scene, widen, step_s)
    except mujoco().FatalError as why:
        if scene.sleepers.all_awake:
            raise Undecided(f"the engine failed at {scene.data.time:.4g} s: {why}") from why
        scene.wake_all()  # contacts come first in a step: nothing has moved
        step_of_engine(scene, ahead, step_s)


def _step_in_halves(scene: Composites, widen: Array | None, step_s: float) -> None:
    """Contacts are changed once they are known: those foreseen, those between fingers, and those of guided bodies."""
    if widen is None:
        mujoco().mj_step1(scene.model, scene.data)
    else:
        margins = scene.model.geom_margin
        own = margins.copy()
        margins += widen
        try:
            mujoco().mj_step1(scene.model, scene.data)
        finally:
            margins[:] = own
        scene.foresight.answer(scene.data, widen, step_s)
    for keep in scene.once_touching:
        keep()
    for group, line in scene.guided.items():
        keep_to_line(scene.model, scene.data, scene.first_dof(group), line)
    mujoco().mj_step2(scene.model, scene.data)
