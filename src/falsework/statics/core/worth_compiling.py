"""Whether compiled solvers are worth asking: they are on disk, or the work pays for making them. Needs no compiler."""

from __future__ import annotations

import importlib.util
import logging

from falsework.kernels import machine_code
from falsework.model.interfaces import Interfaces

log = logging.getLogger(__name__)

CONES, CLUTCHES = "falsework.statics.cones.proving", "falsework.statics.clutches.newton"  # what is compiled last

FEW = 60  # interfaces: below, many questions are soon answered by the plain program


def pays_off(joints: Interfaces, worthwhile: bool | None = None) -> bool:
    """Whether to ask compiled solvers: where they are ready, or the work is worth the wait, which is then told.

    What is on disk loads in a second; what is not takes minutes, once. Unless the caller knows better, it is worth
    it for more than a FEW interfaces.
    """
    if worthwhile is None:
        worthwhile = len(joints.patches) + len(joints.clutches) > FEW
    if importlib.util.find_spec("numba") is None:
        return False
    ready = any(machine_code.folder(CLUTCHES if len(joints.clutches) else CONES).rglob("*.nbi"))
    if worthwhile and not ready:
        log.warning("compiling the fast solvers: this takes a few minutes, once")
    return ready or worthwhile
