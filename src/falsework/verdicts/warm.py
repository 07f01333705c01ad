"""`python -m falsework.verdicts.warm`: compile the fast solvers now rather than at the first question.

Machine code is cached beside the sources, so this takes minutes once and a second from then on.
"""

from __future__ import annotations

import numpy as np

from falsework.geometry.contacts.ground import grounded
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.shapes.solids import make_part
from falsework.model.assembly import Assembly, Ground, Load
from falsework.model.catalogue import brick_type
from falsework.model.part import Part
from falsework.model.shapes import BrickShape, Shape, box
from falsework.model.state import State
from falsework.verdicts.oracle import Oracle


def warm() -> None:
    """Ask each compiled solver for forces and for a motion."""
    slabs = [_placed(str(n), box((1.0, 0.5, 0.3)), (x, 0.0, 0.3 * n)) for n, x in enumerate((0.0, 0.3, 0.9))]
    stack = Assembly(tuple(slabs), fixed=frozenset({"0"}))
    _ask(stack, [State.complete(stack), State.complete(stack, absent=stack.mask(["2"]))])
    foot = _placed("foot", BrickShape(brick_type("brick_2x2")), (0.0, 0.0, 0.0))
    arm = _placed("arm", BrickShape(brick_type("brick_8x2")), (0.0, 0.0, 0.0096))
    beam = grounded(Assembly((foot, arm)), Ground("baseplate"))
    complete = State.complete(beam)
    tip = np.array([0.06, 0.008, 0.0192])
    pressed = [State(complete.installed, loads=(Load("arm", np.array([0.0, 0.0, -f]), tip),)) for f in (0.1, 0.4, 9.0)]
    _ask(beam, [complete, *pressed])


def _placed(name: str, shape: Shape, corner: tuple[float, float, float]) -> Part:
    pose = np.eye(4)
    pose[:3, 3] = corner
    return make_part(name, shape, pose)


def _ask(assembly: Assembly, states: list[State]) -> None:
    oracle = Oracle(assembly, interfaces(assembly), remember=0, compiled=True)
    for state in states:
        oracle.assess(state)
    oracle.answers(states)


if __name__ == "__main__":
    warm()
