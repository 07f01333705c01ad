"""Ways in which a structure can lie on a table, each with its own oracle (seed 001, III-D).

A way to lie is a plane in the assembly frame: its upward normal, and how far up it is. It is numbered when it is first
met; number 0 is as the file has it, without a table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from falsework.geometry.contacts.ground import table_under
from falsework.geometry.contacts.on_table import interfaces_on_table
from falsework.geometry.shapes.placed_solids import diameter
from falsework.geometry.shapes.studs import reach_in_world
from falsework.geometry.stable_poses import KEEP, stable_poses
from falsework.geometry.ways.removal import LEVEL
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Ground
from falsework.model.interfaces import Interfaces
from falsework.model.ports import RemovalOracle
from falsework.planning.nodes.checks import Refusal
from falsework.planning.nodes.journal import Journal, Journals
from falsework.planning.nodes.moves import Move, bits
from falsework.planning.nodes.presses import PLUMB
from falsework.verdicts.searching import SearchOracle

SAME = 1e-6  # of the assembly's size, and of a unit vector: planes nearer than this are one
TABLE = Ground("table")
MakeOracle = Callable[[Assembly, Interfaces, Journal], SearchOracle]


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A plane on which a structure lies."""

    T_world_assembly: Array  # (4, 4) the plane is z = 0
    up: Array  # (3,) in the assembly frame
    height_m: float  # along up
    lying: int  # mask of parts of which the lowest touches it


class OnTable:
    """The ways to lie of one assembly, by number."""

    def __init__(
        self,
        assembly: Assembly,
        make: MakeOracle,
        journals: Journals,
        keep: int = KEEP,
        plumb: Array | None = None,
        among: Interfaces | None = None,
    ) -> None:
        """`make`: the oracle for the assembly on a table; `plumb` (k, 3): only ways to lie in which one of these axes
        is vertical are tried; `among`: the interfaces of the parts without a table, where they are known."""
        self._assembly, self._make, self._journals, self._keep, self._plumb = assembly, make, journals, keep, plumb
        self._among, self._size = among, diameter(assembly)
        self._points = [reach_in_world(part) for part in assembly.parts]
        self._tables: dict[int, Table] = {}
        self._oracles: dict[int, SearchOracle] = {}
        self._likeliest: dict[int, tuple[int, ...]] = {}
        self._not_all: set[int] = set()  # of which parts are in place: there are other ways to lie

    def poses(self, installed: int, like: int) -> Sequence[int]:
        """As it lay before, the table moved up to what is left; then the likeliest ways to come to rest."""
        if not installed:
            return (like,)
        if installed not in self._likeliest:
            found = stable_poses(self._assembly, installed, None if self._plumb is not None else self._keep + 1)
            likely = [pose for pose in found if self._is_plumb(pose.T_world_assembly)][: self._keep]
            if len(found) > len(likely):
                self._not_all.add(installed)
            self._likeliest[installed] = tuple(self._number(pose.T_world_assembly, installed) for pose in likely)
        same = () if like == 0 else (self._lowered(like, installed),)
        return tuple(dict.fromkeys((*same, *self._likeliest[installed])))

    def _is_plumb(self, T_world_assembly: Array) -> bool:
        return self._plumb is None or bool((np.abs(self._plumb @ T_world_assembly[2, :3]) > PLUMB).any())

    def left_out(self, installed: int) -> bool:
        return installed in self._not_all

    def every_pose(self, installed: int) -> Sequence[int]:
        """All ways in which these parts come to rest as one, the likeliest first."""
        found = stable_poses(self._assembly, installed, keep=None) if installed else ()
        return [self._number(pose.T_world_assembly, installed) for pose in found]

    def as_it_lies(self, T_world_assembly: Array, installed: int) -> int:
        """The number of the way in which these parts lie turned so, on a table under the lowest of them."""
        pose = T_world_assembly.copy()
        pose[2, 3] = -self.lowest_m(installed, pose[2, :3])
        return self._number(pose, installed)

    def table(self, pose: int) -> Table | None:
        return self._tables.get(pose)

    def turn(self, pose: int) -> Array:
        """T_world_assembly."""
        return self._tables[pose].T_world_assembly if pose in self._tables else np.eye(4)

    def pull(self, pose: int) -> tuple[float, float, float] | None:
        """Gravity, m/s², in the assembly's frame as it lies."""
        x, y, z = self.turn(pose)[:3, :3].T @ self._assembly.gravity
        return float(x), float(y), float(z)

    def lowest_m(self, parts: int, up: Array) -> float:
        """How far up the lowest point of some parts is."""
        return min(float((self._points[part] @ up).min()) for part in bits(parts) if part < len(self._points))

    def below(self, parts: int, table: Table) -> bool:
        """Whether some part would reach into the table."""
        return self.lowest_m(parts, table.up) < table.height_m - SAME * self._size

    def oracle(self, pose: int) -> SearchOracle:
        """The oracle for the assembly as it lies."""
        if pose not in self._oracles:
            table = self._tables[pose]
            turn = table.T_world_assembly
            slab = table_under(self._assembly, table.lying, turn)
            pull = turn[:3, :3].T @ self._assembly.gravity
            lying = self._assembly.changed(gravity=pull, ground=TABLE, ground_part=slab)
            journal = self._journals.setdefault(pose, {})
            self._oracles[pose] = self._make(lying, interfaces_on_table(lying, self._among), journal)
        return self._oracles[pose]

    def _lowered(self, like: int, installed: int) -> int:
        """The number of the plane parallel to another that is just under these parts."""
        return self.as_it_lies(self._tables[like].T_world_assembly, installed)

    def _number(self, T_world_assembly: Array, lying: int) -> int:
        up, height = T_world_assembly[2, :3].copy(), -float(T_world_assembly[2, 3])
        for number, table in self._tables.items():
            if np.abs(table.up - up).max() < SAME and abs(table.height_m - height) < SAME * self._size:
                return number
        number = len(self._tables) + 1
        self._tables[number] = Table(T_world_assembly, up, height, lying)
        return number


class TableCheck:
    """The parts can be moved to their place past what is there, above the table that it lies on."""

    name = "table"

    def __init__(self, lying: OnTable, removals: RemovalOracle | None) -> None:
        self._lying, self._removals = lying, removals

    def refusal(self, move: Move) -> Refusal | None:
        table = self._lying.table(move.earlier.pose)
        if table is None:
            return None
        if self._lying.below(move.parts, table):
            return Refusal(self.name, "its place is below the table")
        if self._removals is None:
            return None
        ways = self._removals.directions(move.parts, move.earlier.installed)
        if len(ways) and float((ways @ table.up).max()) > -LEVEL:
            return None
        why = "no straight way leads to its place past what is there and above the table"
        return Refusal(self.name, why, undecided=not self._removals.certain)
