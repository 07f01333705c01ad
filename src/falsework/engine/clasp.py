"""What fingers hold stays where it is between them: friction that remembers.

The engine's contacts know how fast two bodies slide, not how far they slid. On a curve, what is carried must be
accelerated by c = J̇·q̇ toward the middle, which the engine's equations of contacts leave out: it slides outward at
c·(1/b − h/2), b the contacts' damping and h the step, and nothing brings it back. So where both fingers touch a body
that can move, the place that it had when they took it is kept, and friction is asked for −k·s besides −b·ṡ, with s how
far it slid and k as stiff as the contacts are along their normals. Friction's limit stays: what slides farther than
rubber shears has slipped, and is held where it is then.
"""

# The kernel is typed by numba.
# mypy: disable-error-code="no-untyped-def, no-untyped-call, misc"

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from falsework.model.errors import MissingExtra

if TYPE_CHECKING:
    from falsework.engine.composites import Composites

try:
    numba: Any = importlib.import_module("numba")
except ImportError as why:
    raise MissingExtra("numba", "engine") from why

SHEARS_M = 3e-4  # that pads give way along their faces before something slips


class Clasp:
    """The two fingers of one hand; `keep` comes in the middle of every step, once contacts are known."""

    def __init__(self, scene: Composites, hand: str, fingers: Sequence[str]) -> None:
        self._scene, self._names = scene, (hand, *fingers)
        self._model: Any = None
        self._held = -1
        self._kept = np.zeros(12)
        time_s = max(scene.settings.settle_s, 2 * scene.settings.step_s)
        self._stiffness = (time_s * scene.settings.damping) ** -2
        self._look_anew()

    def _look_anew(self) -> None:
        model = self._model = self._scene.model
        self._held = -1
        hand, *fingers = (model.body(name).id for name in self._names)
        self._hand = int(hand)
        self._finger = np.zeros(model.ngeom, dtype=np.int64)
        for number, body in enumerate(fingers, 1):
            self._finger[model.geom_bodyid == body] = number
        self._free = (model.body_dofnum > 0) & (model.body_dofnum[model.body_rootid] == 6)

    def keep(self) -> None:
        """Ask friction for what brings back what slid."""
        scene = self._scene
        if scene.model is not self._model:
            self._look_anew()
        data = scene.data
        if data.ncon < 2:
            self._held = -1
            return
        contact = data.contact
        found = (contact.geom, contact.pos, contact.frame, contact.efc_address, contact.dim, data.efc_aref)
        bodies = (self._finger, self._model.geom_bodyid, self._free, data.xpos, data.xmat)
        self._held = _keep(*found, *bodies, self._hand, self._held, self._kept, self._stiffness, SHEARS_M)


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _keep(
    geoms, points, frames, first_row, rows, wanted, finger, body_of, free, places, turns, hand, held, kept, k, most_m
):
    """The body that is held, −1 for none; `kept` (12,) is its rotation and place as the hand sees it.

    wanted: (r,) the engine's accelerations of contacts; those along the pads are changed
    finger: (shapes,) 1 and 2 for those of the fingers
    """
    one, two = -1, -1
    for i in range(len(first_row)):
        if first_row[i] < 0 or rows[i] < 3:
            continue
        a, b = geoms[i, 0], geoms[i, 1]
        number, other = (finger[a], body_of[b]) if finger[a] > 0 else (finger[b], body_of[a])
        if number > 0 and free[other]:
            if number == 1:
                one = other
            else:
                two = other
    if one < 0 or one != two:
        return -1
    if one != held:
        _remember(places, turns, hand, one, kept)
        return one
    turn, shift = np.zeros((3, 3)), np.zeros(3)
    _home(places, turns, hand, one, kept, turn, shift)
    farthest = 0.0
    for apply in range(2):
        for i in range(len(first_row)):
            if first_row[i] < 0 or rows[i] < 3:
                continue
            a, b = geoms[i, 0], geoms[i, 1]
            if finger[a] > 0 and body_of[b] == one:
                sign = 1.0
            elif finger[b] > 0 and body_of[a] == one:
                sign = -1.0
            else:
                continue
            for axis in range(1, 3):
                slid = 0.0
                for m in range(3):
                    off = points[i, m] - shift[m]
                    for n in range(3):
                        off -= turn[m, n] * points[i, n]
                    slid += frames[i, 3 * axis + m] * off
                farthest = max(farthest, abs(slid))
                if apply == 1:
                    wanted[first_row[i] + axis] -= sign * k * slid
        if farthest > most_m:
            _remember(places, turns, hand, one, kept)
            return one
    return one


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _remember(places, turns, hand, body, kept):
    for i in range(3):
        kept[9 + i] = 0.0
        for m in range(3):
            kept[9 + i] += turns[hand, 3 * m + i] * (places[body, m] - places[hand, m])
        for j in range(3):
            kept[3 * i + j] = 0.0
            for m in range(3):
                kept[3 * i + j] += turns[hand, 3 * m + i] * turns[body, 3 * m + j]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def _home(places, turns, hand, body, kept, turn, shift):
    """Out: the motion that takes points of the body to where they would be had it not slid."""
    goal = np.zeros((3, 3))
    for i in range(3):
        shift[i] = places[hand, i]
        for j in range(3):
            shift[i] += turns[hand, 3 * i + j] * kept[9 + j]
            for m in range(3):
                goal[i, j] += turns[hand, 3 * i + m] * kept[3 * m + j]
    for i in range(3):
        for j in range(3):
            for m in range(3):
                turn[i, j] += goal[i, m] * turns[body, 3 * j + m]
    for i in range(3):
        for j in range(3):
            shift[i] -= turn[i, j] * places[body, j]
