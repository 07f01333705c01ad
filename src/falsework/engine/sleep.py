"""Bodies that sleep: the engine leaves out what has come to rest, with its contacts, until something touches it.

A body falls asleep together with all that it touches once none of them has been faster than TOLERANCE_M_S for ten
steps, and wakes when something awake touches it, a force acts on it or it is moved. Asleep it still presses on what it
lies on: the contacts with which it fell asleep are kept here and count as if they acted in every step.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from falsework.engine.library import mujoco
from falsework.model.arrays import Array, Bools

Ints32 = npt.NDArray[np.int32]  # the engine's whole numbers

TOLERANCE_M_S = 1e-4  # whatever accelerates steadily with more than 5e-4 g is faster within ten steps of 2 ms
MARKS = ("tree_asleep", "tree_awake", "body_awake", "body_awake_ind", "parent_awake_ind", "dof_awake_ind")
COUNTS = ("ntree_awake", "nbody_awake", "nparent_awake", "nv_awake")


@dataclass(frozen=True, slots=True, eq=False)
class Contacts:
    """As the engine has them, of one step."""

    geoms: Ints32  # (k, 2)
    points: Array  # (k, 3)
    frames: Array  # (k, 9)
    first_row: Ints32  # (k,) of its forces; negative: none
    rows: Ints32  # (k,) how many
    forces: Array  # (r,)

    @staticmethod
    def of(data: Any) -> Contacts:
        """Views into the engine's own arrays: good until the next step."""
        contact = data.contact
        return Contacts(contact.geom, contact.pos, contact.frame, contact.efc_address, contact.dim, data.efc_force)

    @staticmethod
    def none() -> Contacts:
        none = np.zeros(0, dtype=np.int32)
        return Contacts(none.reshape(0, 2), np.zeros((0, 3)), np.zeros((0, 9)), none, none, np.zeros(0))

    def __len__(self) -> int:
        return len(self.first_row)

    def arrays(self) -> tuple[npt.NDArray[Any], ...]:
        return self.geoms, self.points, self.frames, self.first_row, self.rows, self.forces

    def chosen(self, which: Bools) -> Contacts:
        """A copy of those with forces among some, three rows each."""
        which = which & (self.first_row >= 0)
        first, rows = self.first_row[which], self.rows[which]
        forces = np.zeros((len(first), 3))
        for axis in range(3):
            there = rows > axis
            forces[there, axis] = self.forces[first[there] + axis]
        starts = 3 * np.arange(len(first), dtype=np.int32)
        kept = np.minimum(rows, 3).astype(np.int32)
        return Contacts(self.geoms[which], self.points[which], self.frames[which], starts, kept, forces.ravel())

    def together(self, other: Contacts) -> Contacts:
        """Both."""
        if not len(other):
            return self
        if not len(self):
            return replace(other, forces=other.forces.copy())
        both = np.concatenate
        return Contacts(
            both((self.geoms, other.geoms)),
            both((self.points, other.points)),
            both((self.frames, other.frames)),
            both((self.first_row, other.first_row + np.int32(len(self.forces)))),
            both((self.rows, other.rows)),
            both((self.forces, other.forces)),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Slept:
    """Who sleeps, to go back to."""

    marks: tuple[Ints32, ...]  # the engine's own, see MARKS
    counts: tuple[int, ...]  # see COUNTS
    kept: Contacts


class Sleepers:
    """The sleeping bodies of one scene, and the contacts with which they fell asleep."""

    def __init__(self, model: Any, data: Any) -> None:
        self._model, self._data = model, data
        self._tree_of_geom = model.body_treeid[model.geom_bodyid]
        self._awake = np.array(data.tree_awake)
        self.kept = Contacts.none()
        hinges = model.actuator_trnid[model.actuator_trntype == int(mujoco().mjtTrn.mjTRN_JOINT), 0]
        self._loose = np.ones(model.ntree, dtype=bool)
        self._loose[model.dof_treeid[model.jnt_dofadr[hinges]]] = False

    @property
    def untouched(self) -> bool:
        """All asleep but for what has motors, and that touches nothing."""
        data = self._data
        return bool(data.ncon == 0 and not data.tree_awake[self._loose].any())

    @staticmethod
    def allow(model: Any) -> None:
        """Let bodies sleep, unless something in the scene does not go with it.

        What is moved from outside (mocap) would not wake what it touches; soft bodies and tendons that are tied to
        each other cannot sleep.
        """
        tied = (model.eq_type == int(mujoco().mjtEq.mjEQ_TENDON)).any()
        if model.nmocap or model.nflex or tied:
            return
        model.opt.enableflags |= int(mujoco().mjtEnableBit.mjENBL_SLEEP)
        model.opt.sleep_tolerance = TOLERANCE_M_S

    @property
    def all_asleep(self) -> bool:
        """Nothing moves, and nothing will by itself."""
        return bool(self._data.ntree_awake == 0)

    @property
    def all_awake(self) -> bool:
        return bool(self._data.ntree_awake == self._model.ntree)

    def look(self) -> None:
        """After a step: who fell asleep, who woke."""
        awake = self._data.tree_awake
        if np.array_equal(awake, self._awake):
            return
        fell = (awake == 0) & (self._awake != 0)
        now = Contacts.of(self._data)
        still = self.kept.chosen(~self._touches(self.kept, awake != 0))
        self.kept = now.chosen(self._touches(now, fell)).together(still)
        self._awake = np.array(awake)

    def _touches(self, contacts: Contacts, trees: Bools) -> Bools:
        """(k,) whether one of some trees is in a contact."""
        there = np.append(trees, False)  # −1: what never moves
        found: Bools = there[self._tree_of_geom[contacts.geoms]].any(axis=1)
        return found

    def saved(self) -> Slept:
        """Who sleeps now."""
        marks = tuple(np.array(getattr(self._data, name)) for name in MARKS)
        return Slept(marks, tuple(int(getattr(self._data, name)) for name in COUNTS), self.kept)

    def go_back(self, to: Slept) -> None:
        """The same bodies must be there, where they were."""
        for name, marks in zip(MARKS, to.marks, strict=True):
            getattr(self._data, name)[:] = marks
        for name, count in zip(COUNTS, to.counts, strict=True):
            setattr(self._data, name, count)
        self._awake, self.kept = np.array(self._data.tree_awake), to.kept
