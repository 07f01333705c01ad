"""What each brick has to pass on to its neighbours: loads from contact forces and accelerations, over a sliding window.

In a group's own frame brick i of a free group feels, beside its contacts and the forces applied to it (F_i, M_i), its
inertia: seed 000's eq. 10 in acceleration form,

    f_i = F_i − m_i (a − g + α × r_i + ω × (ω × r_i))        τ_i = M_i − I_i α − ω × I_i ω

with r_i its centre from the group's, and g left out because free fall loads nothing: a − g = ΣF/m, α from Euler's
equation. These come from the forces, not from the engine's accelerations, so that loads have no resultant to rounding,
however far the engine's solver got. In a group that stands still f_i = F_i + m_i g and τ_i = M_i.

All of it is linear in F_i, M_i, a − g, α and ωωᵀ, so the mean over a window follows from their means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from falsework.brickworld.masses import Masses
from falsework.engine.groups import Group
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.errors import MissingExtra

PARAMETERS = 15  # of a group's motion: g − a (3), α (3), ωωᵀ (9)


@dataclass(frozen=True, slots=True, eq=False)
class Applied:
    """Forces that somebody puts on parts, in world axes."""

    parts: Ints  # (k,)
    forces: Array  # (k, 3) N
    points: Array  # (k, 3) m, world
    torques: Array  # (k, 3) N·m

    @staticmethod
    def none() -> Applied:
        zero = np.zeros((0, 3))
        return Applied(np.zeros(0, dtype=np.int64), zero, zero, zero)


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """What a recorder knows, to go back to."""

    outer: Array
    motion: Array
    effort: Array
    pushed: Array
    filled: Ints
    row: int


@dataclass(frozen=True, slots=True, eq=False)
class Windows:
    """The loads of one group in the last steps: those of all windows that end in the last frame, and the one before.

    A window is named by how many steps ago it ended.
    """

    steps: Array  # (s, m, 6) loads of single steps about the bricks' centres, the oldest first
    pushed: Array  # (s, 3) N, forces applied in each step, world
    width: int  # steps of a window

    @property
    def ends(self) -> Ints:
        """The oldest first."""
        return np.arange(len(self.steps) - self.width, -1, -1)

    def mean(self, end: int) -> Array:
        """(m, 6) mean loads over a window."""
        mean: Array = self.steps[self._rows(end)].mean(axis=0)
        return mean

    def applied(self, end: int) -> float:
        """The mean force that was applied to the group over a window, N."""
        return float(np.linalg.norm(self.pushed[self._rows(end)].mean(axis=0)))

    def powers(self, twists: Array) -> Array:
        """(windows,) what the mean loads over each of the windows of `ends` gain on a motion (m, 6)."""
        gained = (self.steps * twists).sum(axis=(1, 2))
        return np.convolve(gained, np.full(self.width, 1.0 / self.width), "valid")

    def _rows(self, end: int) -> slice:
        last = len(self.steps) - end
        return slice(last - self.width, last)


class LoadRecorder:
    """The last steps' loads. Groups that changed start anew, so that nothing breaks before its window is full."""

    def __init__(self, is_brick: Bools, window: int, frame: int) -> None:
        try:
            from falsework.brickworld.absorb import absorb
            from falsework.brickworld.windows import window_loads, worst_ends
        except ImportError as why:
            raise MissingExtra("numba", "engine") from why
        self._absorb, self._worst_ends, self._window_loads = absorb, worst_ends, window_loads
        self.window, self.frame, self._is_brick = window, frame, is_brick
        self._codes, self._pressing = np.zeros(64, dtype=np.int64), np.zeros((64, 3))
        self._depth = window + frame  # all windows that end within the last frame, and the one before
        self._outer = np.zeros((self._depth, len(is_brick), 6))
        self._motion = np.zeros((self._depth, 0, PARAMETERS))
        self._effort = np.zeros((self._depth, 0))  # of contacts on each group, N
        self._pushed = np.zeros((self._depth, 0, 3))  # forces applied to each group, world
        self.filled = np.zeros(0, dtype=np.int64)  # steps that are recorded of each group
        self._row = 0

    def regroup(
        self,
        masses: Masses,
        group_of: Ints,
        groups: Sequence[Group],
        kept: Ints,
        gravity: Array,
        engine: tuple[Ints, Ints],
    ) -> None:
        """New groups; `kept` (groups,) is the old number of those that are as they were, −1 for the others.

        `engine` are the part of each geom and the engine's body of each group.
        """
        count, (part_of_geom, ids) = len(groups), engine
        still = np.array([group.still for group in groups], dtype=bool)
        mass = np.array([group.mass_kg for group in groups])
        centre = np.array([group.com_m for group in groups]).reshape(-1, 3)
        inertia = np.array([group.inertia_kgm2 for group in groups]).reshape(-1, 3, 3)
        origins = np.array([group.origin_m for group in groups]).reshape(-1, 3)
        self._masses, self._group_of, self._still, self._com = masses, group_of, still, centre
        self._bodies = (part_of_geom, group_of, self._is_brick, np.ascontiguousarray(masses.com_m))
        self._groups = (ids, origins, still, mass, centre, inertia, np.linalg.inv(inertia), np.array(gravity))
        same = np.flatnonzero(kept >= 0)
        self._motion = _carried(self._motion, same, kept, count)
        self._effort = _carried(self._effort, same, kept, count)
        self._pushed = _carried(self._pushed, same, kept, count)
        filled = np.zeros(count, dtype=np.int64)
        filled[same] = self.filled[kept[same]]
        self.filled = filled
        fresh = np.ones(count, dtype=bool)
        fresh[same] = False
        self._outer[:, fresh[group_of]] = 0.0

    def record(
        self,
        contact: tuple[npt.NDArray[Any], ...],
        began: tuple[Array, ...],
        applied: Applied,
        share: float = 1.0,
        first: bool = True,
    ) -> tuple[Ints, Array]:
        """A step as the engine has it (`Composites.contact_arrays`, `began`), and the forces that were applied.

        Or a share of one: the parts of a step, the `first` among them, add up to their mean. `advance` ends the step.
        Bricks that touch: pairs as first × parts + second, and the forces on the second (k, 3), world.
        """
        rows = tuple(ring[self._row] for ring in (self._outer, self._motion, self._effort, self._pushed))
        into = rows if first else tuple(np.empty_like(row) for row in rows)
        given = (applied.parts, applied.forces, applied.points, applied.torques)
        found = self._absorb(contact, given, began, self._bodies, self._groups, *into, self._codes, self._pressing)
        if found > len(self._codes):  # more pairs than ever before: make room and read them again
            self._codes, self._pressing = np.zeros(2 * found, dtype=np.int64), np.zeros((2 * found, 3))
            self._absorb(contact, given, began, self._bodies, self._groups, *into, self._codes, self._pressing)
        if share < 1.0:
            for row, part in zip(rows, into, strict=True):
                row[...] = share * row if first else row + share * part
        return self._codes[:found].copy(), self._pressing[:found].copy()

    def advance(self) -> None:
        """The step that was recorded is over."""
        self._row = (self._row + 1) % self._depth
        np.minimum(self.filled + 1, self._depth, out=self.filled)

    def prepare(self, contact: tuple[npt.NDArray[Any], ...], began: tuple[Array, ...]) -> None:
        """Load machine code for both ways in which contacts come: as views into the engine's arrays, and copied."""
        kept = self.saved()
        *others, forces = contact
        for apart in (1, 2):
            none = [np.full((2, *one.shape[1:]), -1, dtype=one.dtype)[::apart] for one in others]
            self.record((*none, forces), began, Applied.none())
        self.go_back(kept)

    @property
    def steps(self) -> int:
        """How many steps it remembers."""
        return self._depth

    def saved(self) -> Records:
        """A copy of everything recorded."""
        rings = self._outer.copy(), self._motion.copy(), self._effort.copy(), self._pushed.copy()
        return Records(*rings, self.filled.copy(), self._row)

    def go_back(self, to: Records) -> None:
        """The same groups must be there as when it was saved."""
        self._outer, self._motion = to.outer.copy(), to.motion.copy()
        self._effort, self._pushed = to.effort.copy(), to.pushed.copy()
        self.filled, self._row = to.filled.copy(), to.row

    def window_means(self) -> tuple[Array, Ints]:
        """(n, 6) loads of all parts over the window of the last frame in which most contact force acted on their group.

        And how many steps ago each group's window ended; −1, and no loads, where no whole one has passed.
        """
        ends, loads = np.empty(len(self.filled), dtype=np.int64), np.empty((len(self._group_of), 6))
        self._worst_ends(self._effort, self._row, self.window, self.frame, self.filled, ends)
        masses = (self._masses.mass_kg, self._masses.com_m, self._masses.inertia_kgm2)
        self._window_loads(
            *(self._outer, self._motion, self._row, self.window, ends, self._group_of, self._still),
            *(*masses, self._com, loads),
        )
        return loads, ends

    def windows(self, group: int, members: Ints) -> Windows:
        """Everything that is recorded of a group, apart from what happens next."""
        count = min(self.window + self.frame, int(self.filled[group]))
        rows = np.arange(self._row - count, self._row) % self._depth
        return Windows(self._step_loads(group, members, rows), self._pushed[rows, group], self.window)

    def _step_loads(self, group: int, members: Ints, rows: Ints) -> Array:
        """(rows, members, 6) loads of single steps."""
        masses = self._masses
        loads: Array = self._outer[rows][:, members]
        mass, inertia = masses.mass_kg[members, None], masses.inertia_kgm2[members]
        motion = self._motion[rows, group][:, None]  # (rows, 1, 15)
        fall, alpha, square = motion[..., :3], motion[..., 3:6], motion[..., 6:].reshape(-1, 3, 3)
        if self._still[group]:
            loads[..., :3] += mass * fall
            return loads
        arm = masses.com_m[members] - self._com[group]
        centripetal = arm @ square - np.trace(square, axis1=1, axis2=2)[:, None, None] * arm
        loads[..., :3] += mass * (fall - np.cross(alpha, arm) - centripetal)
        # (ω × Iω)_a = ε_abc I_cd (ωωᵀ)_bd: the vector of the skew part of (ωωᵀ)Iᵀ
        skew = np.einsum("rbd,ncd->rnbc", square, inertia)
        turning = skew[..., [1, 2, 0], [2, 0, 1]] - skew[..., [2, 0, 1], [1, 2, 0]]
        loads[..., 3:] -= np.einsum("nij,rj->rni", inertia, alpha[:, 0]) + turning
        return loads


def _carried(old: Array, same: Ints, kept: Ints, count: int) -> Array:
    """Records (depth, groups, …) for new groups: those that are the same keep theirs."""
    new = np.zeros((len(old), count, *old.shape[2:]))
    new[:, same] = old[:, kept[same]]
    return new
