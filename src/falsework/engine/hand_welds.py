"""A hand that grips by a weld: an equality between a body of the scene's file and whatever body a part belongs to.

Bodies of parts come and go as these join and break; a weld names the part, and is made anew with every partition. What
it passes on is no contact: `wrench` tells it, so that hands feel it and joints bear it. Hand and part do not collide.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from falsework.engine.contact import ContactSettings
from falsework.engine.handles import OURS
from falsework.engine.library import mujoco
from falsework.model.arrays import Array, freeze
from falsework.model.poses import inverse, to_quaternion, to_rotation


@dataclass(frozen=True, slots=True, eq=False)
class HandWeld:
    """`hand` is welded to a part (a number); `beside` are its fingers, which may pass through what it holds."""

    hand: str  # a body of the file
    part: int
    T_hand_part: Array  # (4, 4)
    beside: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        freeze(self, T_hand_part=(4, 4))

    @property
    def name(self) -> str:
        """Of its equality."""
        return f"{OURS}weld {self.hand}"

    def anew(self, T_world_hand: Array, T_world_part: Array) -> HandWeld:
        """The same where both are now."""
        return replace(self, T_hand_part=inverse(T_world_hand) @ T_world_part)


def add_weld(spec: Any, weld: HandWeld, body: str, T_part_body: Array, settings: ContactSettings) -> None:
    """Between the hand and the engine's body of the part's group, whose frame is at T_part_body."""
    library = mujoco()
    made = spec.add_equality(type=library.mjtEq.mjEQ_WELD, objtype=library.mjtObj.mjOBJ_BODY, name=weld.name)
    made.name1, made.name2 = weld.hand, body
    turn = (weld.T_hand_part @ T_part_body)[:3, :3]
    # the part's origin as the body and as the hand see it, the body's turn in the hand, weight of turning to shifting
    made.data[:11] = (*inverse(T_part_body)[:3, 3], *weld.T_hand_part[:3, 3], *to_quaternion(turn), 1.0)
    hard = settings.hard[1]
    made.solref, made.solimp = (2 * settings.step_s, 1.0), (hard, hard, 1e-3, 0.5, 2.0)
    for other in (weld.hand, *weld.beside):
        spec.add_exclude(bodyname1=other, bodyname2=body)


def wrenches(model: Any, data: Any, welds: Iterable[HandWeld]) -> list[tuple[HandWeld, Array, Array]]:
    """What each weld put on its part in the last step: (6,) force and torque, world axes, and the point (3,) it is at.

    The engine's rows are the second body's place off the first's, and half of its turn in its own axes.
    """
    found = []
    count = int(data.ne)
    kinds, numbers = data.efc_type[:count], data.efc_id[:count]
    for weld in welds:
        number = model.equality(weld.name).id
        rows = np.flatnonzero((numbers == number) & (kinds == int(mujoco().mjtConstraint.mjCNSTR_EQUALITY)))
        body = int(model.eq_obj2id[number])
        wrench = np.zeros(6)
        turn = to_rotation(data.xquat[body][None])[0]
        if len(rows) == 6:
            wrench[:3] = -data.efc_force[rows[:3]]
            wrench[3:] = -0.5 * _side(model, data, number) * turn @ data.efc_force[rows[3:]]
        found.append((weld, wrench, data.xpos[body] + turn @ model.eq_data[number, :3]))
    return found


def _side(model: Any, data: Any, number: int) -> float:
    """Quaternions of one turn have two signs: −1 where those of a weld's bodies differ."""
    there = np.zeros(4)
    mujoco().mju_mulQuat(there, data.xquat[model.eq_obj1id[number]], model.eq_data[number, 6:10])
    return 1.0 if there @ data.xquat[model.eq_obj2id[number]] >= 0 else -1.0
