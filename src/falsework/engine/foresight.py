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
from falsework.engine.others import comes_near, others_reach
from falsework.engine.reaching import answers, meetings, reaches
from falsework.model.arrays import Array, Bools, Ints

SLOW_M_S = 0.05  # what is slower is left to the engine's own contacts: a tenth of a millimetre in a step
OUT = 0.5  # of an overlap that is left after a step
DEEP_M = 3e-5  # of overlaps: above, the engine's own contacts are too soft for what presses on them
BARELY_M = 1e-6  # beyond the gap: a contact that is asked for must be found
TURNING = 0.1  # of the way that corners travel by turning: they may meet although their points now would not
BOX_AND_PLANE = (6, 0)  # as the engine numbers shapes; a plane is a box without end and without height
Ints32 = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Ahead:
    """What is near, and what will be met in the next step."""

    geoms: Ints32  # (k, 2) shapes that are within reach of each other
    gaps: Array  # (k,) m; negative: they overlap
    normals: Array  # (k, 3) from the first to the second
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
        self.slow_m_s = SLOW_M_S  # less where slow things push light ones about: fingers that close
        self._q0, self._v0 = model.nq - 7 * len(bodies), model.nv - 6 * len(bodies)
        self.others = bool(model.nbody > 1 and self._v0 > 0) or bool(model.nmocap)
        arms = np.linalg.norm(model.geom_pos - model.body_ipos[model.geom_bodyid], axis=1) + model.geom_rbound
        self.radii = np.zeros(model.nbody)
        np.maximum.at(self.radii, model.geom_bodyid, arms)
        self._bounds = np.where(model.geom_rbound > 0.0, model.geom_rbound, np.inf)
        boxes, planes = (model.geom_type[:, None] == kind for kind in BOX_AND_PLANE)
        self._halves = np.where(boxes, model.geom_size, np.where(planes, (np.inf, np.inf, 0.0), 0.0))
        self._widest = float(self.radii[bodies].max(initial=0.0))
        self._gravity = float(np.linalg.norm(model.opt.gravity))
        self._moving = (*(np.zeros((model.nbody, 3)) for _ in range(3)), np.zeros(model.nbody), np.zeros(model.nbody))
        self._probe: Any = None
        self._seen: tuple[Array, Array, float, Array, bool, Ahead] | None = None

    def is_slow(self, fastest: float, step_s: float) -> bool:
        """Whether no body of ours moves far if this is the largest component of all velocities and spins."""
        return step_s * (math.sqrt(3.0) * fastest * (1.0 + self._widest) + step_s * self._gravity) <= SLOW_M_S * step_s

    def look(self, data: Any, step_s: float, pushed_m_s2: Array) -> Ahead | None:
        """Before a step; None if everything is slow. `pushed_m_s2` (bodies,): what forces alone accelerate ours by."""
        if self._seen is not None and not self.others:  # others may have been moved from outside
            qpos, qvel, step, pushed, any_fast, ahead = self._seen
            same = step == step_s and np.array_equal(qpos, data.qpos) and np.array_equal(qvel, data.qvel)
            if same and np.array_equal(pushed, pushed_m_s2):
                return ahead if any_fast else None
        if not self._reaches(data, step_s, pushed_m_s2) or (self.others and not self._comes_near(data, step_s)):
            return None
        return self._collide(data, step_s)

    def look_back(self, data: Any, step_s: float, pushed_m_s2: Array) -> Ahead:
        """After a step: whether anything overlaps now. The next `look` need not look again if nothing changes."""
        any_fast = self._reaches(data, step_s, pushed_m_s2)
        ahead = self._collide(data, step_s)
        self._seen = (data.qpos.copy(), data.qvel.copy(), step_s, pushed_m_s2.copy(), any_fast, ahead)
        return ahead

    def _reaches(self, data: Any, step_s: float, pushed_m_s2: Array) -> bool:
        """How far any point of each body can come in a step, into `_moving`; whether that is far for any."""
        if self.others:
            tree = (data.xipos, data.subtree_com, self._model.body_rootid, data.cvel, self.radii)
            others_reach(*tree, step_s, TURNING, *self._moving)
        q, v = data.qpos[self._q0 :].reshape(-1, 7), data.qvel[self._v0 :].reshape(-1, 6)
        found: bool = reaches(
            *(q, v, self._bodies, self.radii, pushed_m_s2, self._gravity, step_s, self.slow_m_s, TURNING, *self._moving)
        )
        return found

    def _comes_near(self, data: Any, step_s: float) -> bool:
        """Whether anything of ours may meet something in a step, as one sees the other move."""
        shapes = (data.geom_xpos, data.geom_xmat, self._halves, self._bounds, self._model.geom_bodyid, self.ours)
        found: bool = comes_near(*shapes, self.radii, step_s, self.slow_m_s * step_s, *self._moving)
        return found

    def _collide(self, data: Any, step_s: float) -> Ahead:
        """Contacts where the bodies are now, with margins as wide as they reach."""
        model = self._model
        if self._probe is None:
            self._probe = mujoco().MjData(model)
        probe = self._probe
        probe.qpos[:] = data.qpos
        if model.nmocap:
            probe.mocap_pos[:], probe.mocap_quat[:] = data.mocap_pos, data.mocap_quat
        own = model.geom_margin.copy()
        model.geom_margin += self._moving[-1][model.geom_bodyid]
        try:
            mujoco().mj_kinematics(model, probe)
            mujoco().mj_collision(model, probe)
        finally:
            model.geom_margin[:] = own
        contact = probe.contact
        found = (contact.geom, contact.dist, contact.includemargin, contact.pos, contact.frame)
        geoms, *others = (one.copy() for one in found)  # one after another in memory, as machine code knows them
        gaps, widen = np.empty(probe.ncon), np.zeros(model.ngeom)
        known = (model.geom_bodyid, self.ours, self._moving)
        meets = meetings(geoms, *others, *known, step_s, DEEP_M, BARELY_M, gaps, widen)
        return Ahead(geoms, gaps, others[-1][:, :3], widen if meets else None)

    def answer(self, data: Any, widen: Array, step_s: float) -> None:
        """Between the two halves of a step with widened margins: the law of what will meet."""
        contact = data.contact
        found = (contact.geom, contact.dist, contact.includemargin, contact.efc_address)
        answers(
            *(one.copy() for one in found), data.efc_vel, data.efc_KBIP, widen, step_s, OUT, SLOW_M_S, data.efc_aref
        )

    def prepare(self, data: Any, step_s: float) -> None:
        """Load machine code now, rather than when things meet; nothing is changed."""
        self.look_back(data, step_s, np.zeros(len(self._bodies)))
        self.answer(data, np.zeros(self._model.ngeom), step_s)
