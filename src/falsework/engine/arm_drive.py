"""One arm of a scene: where its joints are, what they are told, what its tool feels.

The arms of a scene come before the bricks in all arrays of the engine, so their places there stay when bricks join and
break; the arrays themselves do not, and are asked for anew each time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from falsework.engine.hand_welds import HandWeld, wrenches
from falsework.engine.library import mujoco
from falsework.model.arrays import Array, Ints

if TYPE_CHECKING:
    from falsework.engine.composites import Composites


class ArmDrive:
    """Joints with position actuators of their names, fingers with motors, and the bodies of a tool, by their names."""

    def __init__(self, scene: Composites, joints: Sequence[str], fingers: Sequence[str], tool: Sequence[str]) -> None:
        self._scene = scene
        model = scene.model
        self._qpos, self._dofs = _addresses(scene, joints)
        self._finger_qpos, self._finger_dofs = _addresses(scene, fingers)
        self._actuators = np.array([model.actuator(name).id for name in joints], dtype=np.int64)
        self._motors = np.array([model.actuator(name).id for name in fingers], dtype=np.int64)
        self.stiffness: Array = model.actuator_gainprm[self._actuators, 0].copy()  # (n,) N·m/rad
        self.damping: Array = model.dof_damping[self._dofs].copy()  # (n,) N·m·s/rad
        self._rates = self._efforts = np.zeros(0)  # of all degrees of freedom, as they were when it was last commanded
        bodies = [model.body(name).id for name in tool]
        self._welded = tuple(tool)
        self._tool = np.isin(model.geom_bodyid[: int((scene.numbering[0] < 0).sum())], bodies)

    @property
    def q(self) -> Array:
        """(n,) where the joints are."""
        found: Array = self._scene.data.qpos[self._qpos]
        return found

    @property
    def qd(self) -> Array:
        """(n,) how fast they move."""
        found: Array = self._scene.data.qvel[self._dofs]
        return found

    @property
    def fingers(self) -> Array:
        """(k,) how far the fingers have slid."""
        found: Array = self._scene.data.qpos[self._finger_qpos]
        return found

    @property
    def finger_speeds(self) -> Array:
        found: Array = self._scene.data.qvel[self._finger_dofs]
        return found

    def put(self, q: Array, fingers: Array) -> None:
        """There, at rest, without a way to it: before anything has happened."""
        data = self._scene.data
        data.qpos[self._qpos], data.qvel[self._dofs] = q, 0.0
        data.qpos[self._finger_qpos], data.qvel[self._finger_dofs] = fingers, 0.0
        data.ctrl[self._actuators] = q

    def command(self, q: Array, qd: Array, qdd: Array) -> None:
        """Go through q (n,) with this velocity and acceleration; what that takes is fed forward to the actuators."""
        scene = self._scene
        efforts = self.damping * qd
        if qdd[0] != 0.0 or qdd.any():
            nv = scene.model.nv
            if len(self._rates) != nv:
                self._rates, self._efforts = np.zeros(nv), np.zeros(nv)
            self._rates[self._dofs] = qdd
            mujoco().mj_mulM(scene.model, scene.data, self._efforts, self._rates)
            efforts += self._efforts[self._dofs]
        scene.data.ctrl[self._actuators] = q + efforts / self.stiffness

    def stay(self, q: Array) -> None:
        """The same at rest."""
        self._scene.data.ctrl[self._actuators] = q

    def push_fingers(self, forces_n: Sequence[float]) -> None:
        """(k,) outward, the way the fingers open."""
        self._scene.data.ctrl[self._motors] = forces_n

    def felt(self) -> tuple[Array, Array, dict[int, Array]]:
        """What acts on the tool from outside, world axes: points (k, 3), forces (k, 3); and the force of each part.

        Of the contacts and welds of the last step; part −1 is anything that is no part. See `couple`.
        """
        data, model = self._scene.data, self._scene.model
        contact = data.contact
        geoms = contact.geom
        parts = self._scene.numbering[0]
        ours = np.zeros(model.ngeom, dtype=bool)
        ours[: len(self._tool)] = self._tool
        rows = np.flatnonzero((ours[geoms].sum(axis=1) == 1) & (contact.efc_address >= 0)) if len(geoms) else ()
        points, forces = np.zeros((len(rows), 3)), np.zeros((len(rows), 3))
        by_part: dict[int, Array] = {}
        wrench = np.zeros(6)
        for k, row in enumerate(rows):
            mujoco().mj_contactForce(model, data, int(row), wrench)
            first, second = geoms[row]
            sign = 1.0 if ours[second] else -1.0  # the engine's normal and force are those on the second
            points[k] = contact.pos[row]
            forces[k] = sign * (wrench[:3] @ contact.frame[row].reshape(3, 3))
            part = int(parts[first if ours[second] else second])
            by_part[part] = by_part.get(part, np.zeros(3)) + forces[k]
        for weld, wrench, point in self._welds():
            points, forces = np.vstack([points, point]), np.vstack([forces, -wrench[:3]])
            by_part[weld.part] = by_part.get(weld.part, np.zeros(3)) - wrench[:3]
        return points, forces, by_part

    def couple(self) -> Array:
        """(3,) N·m on the tool, world axes, beside the moments of `felt`: by welds."""
        return sum((-wrench[3:] for _, wrench, _ in self._welds()), np.zeros(3))

    def _welds(self) -> list[tuple[HandWeld, Array, Array]]:
        scene = self._scene
        own = [weld for weld in scene.welds if weld.hand in self._welded]
        return wrenches(scene.model, scene.data, own) if own else []


def _addresses(scene: Composites, joints: Sequence[str]) -> tuple[Ints, Ints]:
    """Where joints of one degree of freedom each are in the engine's positions and velocities."""
    found = [scene.model.joint(name) for name in joints]
    return (
        np.array([int(one.qposadr[0]) for one in found], dtype=np.int64),
        np.array([int(one.dofadr[0]) for one in found], dtype=np.int64),
    )
