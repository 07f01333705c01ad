"""Where the two fingers of a hand press on parts that do not move, and how hard: what a grip could pass on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from falsework.model.arrays import Array, Bools, Ints

if TYPE_CHECKING:
    from falsework.engine.composites import Composites


@dataclass(frozen=True, slots=True, eq=False)
class Pads:
    """The points at which fingers press on parts, as the last step left them; world axes."""

    parts: Ints  # (k,)
    fingers: Ints  # (k,) which of the two
    points: Array  # (k, 3) m
    normals: Array  # (k, 3) into the part
    forces: Array  # (k, 3) N, on the part
    friction: Array  # (k,)

    @property
    def pressed_n(self) -> Array:
        """(2,) with what each finger presses in all."""
        along = np.maximum((self.forces * self.normals).sum(axis=1), 0.0)
        pressed: Array = np.array([along[self.fingers == finger].sum() for finger in (0, 1)])
        return pressed


class Fingers:
    """The two fingers of one hand, by the names of their bodies."""

    def __init__(self, scene: Composites, fingers: Sequence[str]) -> None:
        """A scene's arms come before its parts: what belongs to a finger is the same after bricks join or break."""
        model = scene.model
        self._scene = scene
        self._finger = np.full(int((scene.numbering[0] < 0).sum()), -1)
        for number, name in enumerate(fingers):
            self._finger[model.geom_bodyid[: len(self._finger)] == model.body(name).id] = number

    def pads(self, still: Bools) -> Pads | None:
        """On parts that are `still` (parts,); None unless both fingers press on some."""
        contact = self._scene.data.contact
        if not len(contact.geom):
            return None
        finger = np.full(self._scene.model.ngeom, -1)
        finger[: len(self._finger)] = self._finger
        of_finger, of_part = finger[contact.geom], self._scene.numbering[0][contact.geom]
        mine = (of_finger.max(axis=1) >= 0) & (of_part.max(axis=1) >= 0) & (contact.efc_address >= 0)
        rows = np.flatnonzero(mine)
        rows = rows[still[of_part[rows].max(axis=1)]]
        if len(np.unique(of_finger[rows].max(axis=1))) < 2:
            return None
        frames, first = contact.frame[rows].reshape(-1, 3, 3), contact.efc_address[rows]
        local = self._scene.data.efc_force[first[:, None] + np.arange(3)]
        sign = np.where(of_part[rows, 1] >= 0, 1.0, -1.0)[:, None]  # the engine's forces are those on the second
        return Pads(
            of_part[rows].max(axis=1),
            of_finger[rows].max(axis=1),
            contact.pos[rows].copy(),
            sign * frames[:, 0],
            sign * np.einsum("kij,ki->kj", frames, local),
            contact.friction[rows, 0].copy(),
        )
