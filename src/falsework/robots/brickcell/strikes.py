"""What an arm runs into on its way, by the engine's truth: for referees, never for whoever drives the arm.

While an arm follows a way, neither it nor what its hand holds has any business with anything else: what it touched as
the way began it leaves, and what it will touch it grips or presses, which are no ways. So every other touch is a
strike, if it is felt by what is struck: as a force, or because a brick that nobody holds is elsewhere afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from falsework.engine.library import mujoco
from falsework.model.arrays import Array, Bools, Ints

if TYPE_CHECKING:
    from falsework.robots.brickcell.cell_world import CellWorld

STRUCK_N = 1.0  # with which something is touched that counts: ten times what a brick of Duplo weighs
MOVED_M = 1e-3  # by which a brick is elsewhere afterwards

Pair = tuple[int, int]  # geoms or parts that touch: parts are told by their number, other things by −1 − their geom


@dataclass(frozen=True, slots=True)
class Strike:
    """An arm, or what it carried, struck something on its way.

    >>> Strike(3.2, "arm", "arm/hand", "b4", 1.8, 0.004).what
    'b4'
    """

    time_s: float  # of the first touch
    arm: str
    by: str  # a body of the arm, or a part that it carried
    what: str  # a part, a body of another arm, or a thing of the cell
    most_n: float
    moved_m: float  # 0 for what cannot be moved


@dataclass(slots=True)
class _Touch:
    time_s: float
    most_n: float = 0.0


class Strikes:
    """Looks at every step of a cell's world while some arm follows a way."""

    def __init__(self, cell: CellWorld) -> None:
        self.found: list[Strike] = []
        self._cell, self._scene = cell, cell.world.scene
        self._names = [body.name for body in cell.world.assembly.bodies]
        self._arms = list(cell.arms)
        self._model: Any = None
        self._owner: Ints = np.zeros(0, dtype=np.int64)
        self._arm = -1
        self._carried: Bools = np.zeros(0, dtype=bool)
        self._before: set[Pair] = set()
        self._touches: dict[Pair, _Touch] = {}
        cell.world.before_step.append(self._observe)

    @contextmanager
    def on_the_way_of(self, arm: str) -> Iterator[None]:
        """While this arm follows a way."""
        world = self._cell.world
        self._arm = self._arms.index(arm)
        self._carried = self._held(arm)
        self._before = {pair for _, pair in self._rows()}
        self._touches = {}
        start = world.poses()
        try:
            yield
        finally:
            self._observe()
            self._judge(arm, start)
            self._arm = -1

    def _held(self, arm: str) -> Bools:
        """(bodies + 1,) what hangs together with what a hand grips, but for what stands still; the last is nothing."""
        grouping = self._cell.world.grouping
        carried = np.zeros(len(self._names) + 1, dtype=bool)
        for name in self._cell.touched(arm):
            part = self._cell.world.number(name)
            group = int(grouping.group_of[part])
            if grouping.bunches[group].still:
                carried[part] = True
            else:
                carried[:-1] |= grouping.group_of == group
        return carried

    def _observe(self) -> None:
        """The contacts of the last step."""
        if self._arm < 0:
            return
        wrench = np.zeros(6)
        for row, pair in self._rows():
            if pair in self._before:
                continue
            mujoco().mj_contactForce(self._scene.model, self._scene.data, row, wrench)
            touch = self._touches.setdefault(pair, _Touch(self._cell.time_s))
            touch.most_n = max(touch.most_n, float(np.linalg.norm(wrench[:3])))

    def _rows(self) -> list[tuple[int, Pair]]:
        """Contacts of the arm, or of what it carries, with anything else: the row, and who touches what."""
        if self._scene.model is not self._model:
            self._look_anew()
        contact = self._scene.data.contact
        geoms = contact.geom
        if not len(geoms):
            return []
        parts = self._scene.numbering[0]
        ours = (self._owner[geoms] == self._arm) | self._carried[parts[geoms]]
        rows = np.flatnonzero((ours[:, 0] != ours[:, 1]) & (contact.efc_address >= 0))
        return [(int(row), self._pair(geoms[row], parts, bool(ours[row, 0]))) for row in rows]

    @staticmethod
    def _pair(geoms: Array, parts: Ints, first_is_ours: bool) -> Pair:
        by, what = geoms if first_is_ours else geoms[::-1]
        told = [int(parts[geom]) if parts[geom] >= 0 else -1 - int(geom) for geom in (by, what)]
        return told[0], told[1]

    def _look_anew(self) -> None:
        """Whose geoms are whose: the engine's model is another whenever bricks join or break."""
        model = self._model = self._scene.model
        roots = [model.body(int(root)).name.split("/")[0] for root in model.body_rootid]
        of_body = np.array([self._arms.index(name) if name in self._arms else -1 for name in roots])
        self._owner = of_body[model.geom_bodyid]

    def _judge(self, arm: str, start: Array) -> None:
        poses = self._cell.world.poses()
        middles = np.array([body.com_part_m for body in self._cell.world.assembly.bodies])
        moved = np.linalg.norm(_at(poses, middles) - _at(start, middles), axis=1)
        grouping = self._cell.world.grouping
        still = np.array([bunch.still for bunch in grouping.bunches])[grouping.group_of]
        moved[still] = 0.0  # what hangs together with the plate moves with that alone, whoever pushed it
        struck: dict[tuple[str, str], Strike] = {}  # by their names: a finger is several shapes
        for (by, what), touch in self._touches.items():
            by_m = float(moved[what]) if what >= 0 else 0.0
            names = self._told(by), self._told(what)
            one = struck.setdefault(names, Strike(touch.time_s, arm, *names, touch.most_n, by_m))
            struck[names] = replace(one, most_n=max(one.most_n, touch.most_n))
        self.found += [one for one in struck.values() if one.most_n > STRUCK_N or one.moved_m > MOVED_M]

    def _told(self, what: int) -> str:
        if what >= 0:
            return self._names[what]
        model, geom = self._scene.model, -1 - what
        body = str(model.body(int(model.geom_bodyid[geom])).name)
        return body if self._owner[geom] >= 0 else str(model.geom(geom).name) or body


def _at(poses: Array, points: Array) -> Array:
    """(n, 3) points of parts in the world."""
    moved: Array = np.einsum("nij,nj->ni", poses[:, :3, :3], points) + poses[:, :3, 3]
    return moved
