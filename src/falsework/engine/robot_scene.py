"""Arms in a scene of bricks: contacts as hard as those of bricks, joints damped for what they carry, fingers driven.

An MJCF scene of a cell is made for any engine. Among bricks its shapes need the contacts of bricks: with MuJoCo's own
softer ones fingers sink a millimetre into what they grip. Its joints are damped as their loads need it, by damping of
the joints themselves, which the engine takes up implicitly: damping by actuators makes arms drift.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from falsework.engine.contact import ContactSettings
from falsework.engine.library import mujoco
from falsework.engine.scene_file import SceneFile

FRICTION = 0.5  # of what is no pad
PAD_HARD = 0.999  # of pads: with 0.9999 a brick that is held at its end turns and jumps, see docs/findings.md
MARK = "/fingers"  # in the names of the joints that open and close a tool


def robot_scene(
    text: str, name: str, settings: ContactSettings, pads: Mapping[str, float], homes: Mapping[str, float]
) -> SceneFile:
    """A cell's MJCF made ready for bricks; `pads` is the friction of tools by arm, `homes` where joints wait, by name.

    Fingers get a motor of their joint's name each, driven in N.
    """
    file = SceneFile.parsed(text, name)
    spec = file.spec
    for geom in spec.geoms:
        arm, _, piece = geom.parent.name.partition("/")
        grips = arm in pads and piece.startswith("fingers")
        friction = pads[arm] if grips else FRICTION
        if geom.type == mujoco().mjtGeom.mjGEOM_BOX:
            settings.write_box(geom, friction)
            geom.size = [side + settings.skin_m for side in geom.size]
        else:
            settings.write(geom, friction)
        if grips:  # by pads alone, whatever they touch
            geom.priority = 1
            geom.solimp = (PAD_HARD, PAD_HARD, settings.deep_m, 0.5, 2.0)
    for joint in spec.joints:
        if MARK in joint.name:
            motor = spec.add_actuator(name=joint.name, target=joint.name)
            motor.trntype = mujoco().mjtTrn.mjTRN_JOINT
            motor.gainprm[0] = 1.0
    _damp(spec, homes)
    return file


def _damp(spec: Any, homes: Mapping[str, float]) -> None:
    """Critically: 2·√(stiffness · inertia), the inertia that each joint moves when the arm is at home."""
    model = spec.compile()
    data = mujoco().MjData(model)
    for name, angle in homes.items():
        data.joint(name).qpos[0] = angle
    mujoco().mj_forward(model, data)
    full = np.zeros((model.nv, model.nv))
    mujoco().mj_fullM(model, data, full)
    for actuator in spec.actuators:
        if actuator.name in homes:
            joint = model.joint(actuator.name)
            inertia = full[joint.dofadr[0], joint.dofadr[0]]
            spec.joint(actuator.name).damping[0] = 2.0 * np.sqrt(actuator.gainprm[0] * inertia)
