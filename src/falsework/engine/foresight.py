"""Foresight: what moves far in a step meets what is in its way at its surface, not inside of it.

The engine notices a contact when two shapes overlap, and answers softly: at 1.7 m/s and steps of 2 ms bricks were three
millimetres inside of a table before they turned back. Here the shapes are looked at with margins as wide as they can
travel in the step. Those that would meet get a contact now, however far they are apart, with the law

    v' ≥ −g/h          gap g ≥ 0: the gap may close in this step, and no more
    v' ≥ −g/2h         g < 0: what overlaps goes apart, but not fast

for the normal velocity v' after a step h. Contacts between slow bodies
stay the engine's. Turning bodies meet with other corners than were foreseen, so whoever steps looks again afterwards.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from falsework.engine.library import mujoco
from falsework.model.arrays import Array, Bools, Ints

SLOW_M_S = 0.05  # what is slower is left to the engine's own contacts: a tenth of a millimetre in a step
OUT = 0.5  # of an overlap that is left after a step
DEEP_M = 3e-5  # of overlaps: above, the engine's own contacts are too soft for what presses on them
BARELY_M = 1e-6  # beyond the gap: a contact that is asked for must be found
TURNING = 0.1  # of the way that corners travel by turning: they may meet although their points now would not
Ints32 = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Moving:
    """Bodies of the engine in world axes, and how far any point of each can come in a step."""

    centres: Array  # (n, 3)
    velocities: Array  # (n, 3)
    spins: Array  # (n, 3)
    turning: Array  # (n,) m, by turning alone
    pushed: Array  # (n,) m, by forces that act during the step
    reach: Array  # (n,) m; 0 for those that are slow


@dataclass(frozen=True, slots=True, eq=False)
class Ahead:
    """What is near, and what will be met in the next step."""

    geoms: Ints32  # (k, 2) shapes that are within reach of each other
    gaps: Array  # (k,) m; negative: they overlap
    widen: Array | None  # (shapes,) m, by which margins must grow for what will be met; None: nothing will

    def deepest(self, ours: Bools) -> tuple[float, tuple[int, int]]:
        """How far two shapes overlap, one of ours (shapes,) among them, and which; 0 if none do."""
        gaps = np.where(ours[self.geoms].any(axis=1), self.gaps, 0.0) if len(self.gaps) else np.zeros(1)
        worst = int(gaps.argmin())
        if gaps[worst] >= 0.0:
            return 0.0, (-1, -1)
        first, second = self.geoms[worst].tolist()
        return -float(gaps[worst]), (first, second)


class Foresight:
    """For one model of the engine. `bodies` are those of ours that move, with free joints that come last."""

    def __init__(self, model: Any, bodies: Ints, ours: Bools) -> None:
        self._model, self._bodies, self.ours = model, bodies, ours
        self._q0, self._v0 = model.nq - 7 * len(bodies), model.nv - 6 * len(bodies)
        self.others = bool(model.nbody > 1 and self._v0 > 0) or bool(model.nmocap)
        arms = np.linalg.norm(model.geom_pos - model.body_ipos[model.geom_bodyid], axis=1) + model.geom_rbound
        self.radii = np.zeros(model.nbody)
        np.maximum.at(self.radii, model.geom_bodyid, arms)
        self._widest = float(self.radii[bodies].max(initial=0.0))
        self._gravity = float(np.linalg.norm(model.opt.gravity))
        self._probe: Any = None
        self._seen: tuple[Array, Array, float, Array, Ahead] | None = None

    def is_slow(self, fastest: float, step_s: float) -> bool:
        """Whether no body of ours moves far if this is the largest component of all velocities and spins."""
        return step_s * (math.sqrt(3.0) * fastest * (1.0 + self._widest) + step_s * self._gravity) <= SLOW_M_S * step_s

    def look(self, data: Any, step_s: float, pushed_m_s2: Array) -> Ahead | None:
        """Before a step; None if everything is slow. `pushed_m_s2` (bodies,): what forces alone accelerate ours by."""
        moving = self._moving(data, step_s, pushed_m_s2)
        if not moving.reach.any():
            return None
        if self._seen is not None and not self.others:  # others may have been moved from outside
            qpos, qvel, step, pushed, ahead = self._seen
            same = np.array_equal(qpos, data.qpos) and np.array_equal(qvel, data.qvel)
            if same and step == step_s and np.array_equal(pushed, pushed_m_s2):
                return ahead
        return self._collide(data, step_s, moving)

    def look_back(self, data: Any, step_s: float, pushed_m_s2: Array) -> Ahead:
        """After a step: whether anything overlaps now. The next `look` need not look again if nothing changes."""
        ahead = self._collide(data, step_s, self._moving(data, step_s, pushed_m_s2))
        self._seen = (data.qpos.copy(), data.qvel.copy(), step_s, pushed_m_s2.copy(), ahead)
        return ahead

    def _moving(self, data: Any, step_s: float, pushed_m_s2: Array) -> Moving:
        count, rows = self._model.nbody, self._bodies
        centres, velocities, spins, pushed = (np.zeros((count, 3)) for _ in range(4))
        if self.others:
            arms = data.xipos - data.subtree_com[self._model.body_rootid]
            centres, spins = data.xipos.copy(), data.cvel[:, :3].copy()
            velocities = data.cvel[:, 3:] + np.cross(spins, arms)
        q, v = data.qpos[self._q0 :].reshape(-1, 7), data.qvel[self._v0 :].reshape(-1, 6)
        centres[rows], velocities[rows] = q[:, :3], v[:, :3]
        spins[rows] = _turned(q[:, 3:], v[:, 3:])
        pushed = np.zeros(count)
        pushed[rows] = step_s * step_s * (pushed_m_s2 + self._gravity)
        turning = step_s * self.radii * np.sqrt((spins * spins).sum(axis=1))
        reach = step_s * np.sqrt((velocities * velocities).sum(axis=1)) + turning + pushed
        return Moving(centres, velocities, spins, turning, pushed, np.where(reach > SLOW_M_S * step_s, reach, 0.0))

    def _collide(self, data: Any, step_s: float, moving: Moving) -> Ahead:
        """Contacts where the bodies are now, with margins as wide as they reach."""
        model = self._model
        if self._probe is None:
            self._probe = mujoco().MjData(model)
        probe = self._probe
        probe.qpos[:] = data.qpos
        if model.nmocap:
            probe.mocap_pos[:], probe.mocap_quat[:] = data.mocap_pos, data.mocap_quat
        reach = moving.reach[model.geom_bodyid]
        own = model.geom_margin.copy()
        model.geom_margin[:] = own + reach
        try:
            mujoco().mj_kinematics(model, probe)
            mujoco().mj_collision(model, probe)
        finally:
            model.geom_margin[:] = own
        contact = probe.contact
        geoms = contact.geom.copy()
        if not len(geoms):
            return Ahead(geoms, np.zeros(0), None)
        gaps = contact.dist - contact.includemargin + reach[geoms].sum(axis=1)
        return Ahead(geoms, gaps, self._widened(geoms, gaps, contact.pos, contact.frame[:, :3], step_s, moving))

    def _widened(
        self, geoms: Ints32, gaps: Array, points: Array, normals: Array, step_s: float, moving: Moving
    ) -> Array | None:
        """(shapes,) how much wider margins must be for contacts to be there between all that will meet."""
        bodies = self._model.geom_bodyid[geoms]
        closing = np.zeros(len(geoms))
        for side, sign in ((0, 1.0), (1, -1.0)):
            at = bodies[:, side]
            turned = _cross(moving.spins[at], points - moving.centres[at])
            closing += sign * ((moving.velocities[at] + turned) * normals).sum(axis=1)
        allowed = (moving.pushed + TURNING * moving.turning)[bodies].sum(axis=1)
        ours = self.ours[geoms]
        far = (moving.reach[bodies] > 0).any(axis=1)
        meets = ((gaps < step_s * closing + allowed) & far | (gaps < -DEEP_M)) & ours.any(axis=1)
        if not meets.any():
            return None
        needed = np.maximum(gaps[meets], 0.0) + BARELY_M
        share = ours[meets] / ours[meets].sum(axis=1, keepdims=True)  # of others the margins are not ours to change
        widen = np.zeros(self._model.ngeom)
        for side in (0, 1):
            np.maximum.at(widen, geoms[meets, side], needed * share[:, side])
        return widen

    def answer(self, data: Any, widen: Array, step_s: float) -> None:
        """Between the two halves of a step with widened margins: the law of what will meet."""
        contact = data.contact
        wider = widen[contact.geom].sum(axis=1)
        chosen = (contact.efc_address >= 0) & (wider > 0.0)
        rows = contact.efc_address[chosen]
        gaps = contact.dist[chosen] - contact.includemargin[chosen] + wider[chosen]
        velocities = data.efc_vel[rows]
        stiff, damped, share, _ = data.efc_KBIP[rows].T
        out = np.minimum(OUT * -gaps / step_s, SLOW_M_S)
        touching = np.maximum((out - velocities) / step_s, -(damped * velocities + stiff * share * gaps))
        data.efc_aref[rows] = np.where(gaps >= 0.0, -(velocities + gaps / step_s) / step_s, touching)


def _turned(quaternions: Array, vectors: Array) -> Array:
    """(n, 3) vectors (n, 3) turned by unit quaternions (n, 4) w, x, y, z."""
    axis, w = quaternions[:, 1:], quaternions[:, :1]
    doubled = 2.0 * _cross(axis, vectors)
    return vectors + w * doubled + _cross(axis, doubled)


def _cross(first: Array, second: Array) -> Array:
    """(n, 3); numpy's own takes several times as long for few of them."""
    a, b, c = first.T
    x, y, z = second.T
    return np.stack([b * z - c * y, c * x - a * z, a * y - b * x], axis=1)
