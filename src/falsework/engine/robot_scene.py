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
PAD_N_M = 9e4  # of pads: some 0.1 mm deep under a grip, as rubber is; harder ones drop out of contact and jump
PADS_HARD = (0.97, 0.99)  # least and most
MARK = "/fingers"  # in the names of the joints that open and close a tool


def robot_scene(
    text: str,
    name: str,
    settings: ContactSettings,
    pads: Mapping[str, float],
    homes: Mapping[str, float],
    lightest_kg: float,
) -> SceneFile:
    """A cell's MJCF made ready for bricks; `pads` is the friction of tools by arm, `homes` where joints wait, by name.

    Fingers get a motor of their joint's name each, driven in N; their pads are made for what is as light as told.
    """
    hard = pad_hardness(settings, lightest_kg)
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
            geom.solimp = (hard, hard, settings.deep_m, 0.5, 2.0)
    for joint in spec.joints:
        if MARK in joint.name:
            motor = spec.add_actuator(name=joint.name, target=joint.name)
            motor.trntype = mujoco().mjtTrn.mjTRN_JOINT
            motor.gainprm[0] = 1.0
    _damp(spec, homes)
    return file


def pad_hardness(settings: ContactSettings, mass_kg: float) -> float:
    """At which four corners of a pad on a body of a mass give way as rubber does.

    The engine's contacts are as stiff as what they touch is heavy: a corner is pushed in by f·(1 − d)/d·T²/m. Pads that
    hardly give way touch a brick that was taken askew along one edge, and let it go as their grip eases.

    >>> [round(pad_hardness(ContactSettings(), mass), 3) for mass in (2e-3, 0.01, 0.1)]
    [0.99, 0.983, 0.97]
    """
    soft = 4.0 * mass_kg / (PAD_N_M * (settings.settle_s * settings.damping) ** 2)
    return float(np.clip(1.0 / (1.0 + soft), *PADS_HARD))


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
