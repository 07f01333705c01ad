"""Our arms as URDF, for solvers of others that read nothing else."""

from __future__ import annotations

import math
from xml.etree import ElementTree as ET

import numpy as np

from falsework.model.arrays import Array
from falsework.model.robots.arm import Arm


def urdf_text(arm: Arm) -> str:
    """An arm's joints and limits, from `base` to `flange`; no solids.

    >>> from falsework import arm_named
    >>> urdf_text(arm_named("ur5e")).count("<joint")
    7
    """
    root = ET.Element("robot", name=arm.name)
    parent = "base"
    ET.SubElement(root, "link", name=parent)
    for joint in arm.joints:
        child = f"{joint.name}_link"
        ET.SubElement(root, "link", name=child)
        made = ET.SubElement(root, "joint", name=joint.name, type=joint.kind)
        _place(made, joint.T_parent_joint, parent, child)
        ET.SubElement(made, "axis", xyz=_spelled(joint.axis))
        limits = {"lower": joint.lower, "upper": joint.upper, "velocity": joint.speed or 1.0, "effort": 100.0}
        ET.SubElement(made, "limit", {key: repr(float(value)) for key, value in limits.items()})
        parent = child
    ET.SubElement(root, "link", name="flange")
    _place(ET.SubElement(root, "joint", name="flange_joint", type="fixed"), arm.T_last_flange, parent, "flange")
    return ET.tostring(root, encoding="unicode")


def _place(joint: ET.Element, T: Array, parent: str, child: str) -> None:
    ET.SubElement(joint, "parent", link=parent)
    ET.SubElement(joint, "child", link=child)
    R = T[:3, :3]
    pitch = math.atan2(-R[2, 0], math.hypot(R[0, 0], R[1, 0]))
    if math.hypot(R[0, 0], R[1, 0]) > 1e-9:
        roll, yaw = math.atan2(R[2, 1], R[2, 2]), math.atan2(R[1, 0], R[0, 0])
    else:
        roll, yaw = math.atan2(-R[1, 2], R[1, 1]), 0.0
    ET.SubElement(joint, "origin", xyz=_spelled(T[:3, 3]), rpy=_spelled([roll, pitch, yaw]))


def _spelled(values: object) -> str:
    return " ".join(repr(float(one)) for one in np.asarray(values, dtype=np.float64).ravel())
