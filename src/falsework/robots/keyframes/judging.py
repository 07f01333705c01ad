"""How well a cell serves an assembly: for how many parts some arm has a keyframe, everything else in place."""

from __future__ import annotations

from collections.abc import Sequence

from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.ways.removal import StraightRemovals
from falsework.geometry.ways.surfaces.choice import goes_by_surfaces
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.robots.cell import Cell
from falsework.robots.keyframes.cell_planning import Arms
from falsework.robots.keyframes.homes import with_free_homes
from falsework.robots.keyframes.turning import TurnedTables

FEW = 24  # positions of one arm at one place that are looked at


class KeyframeJudge:
    """The judge for one assembly; paths of its parts are found once, as they leave when all others are in place."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        surfaces = goes_by_surfaces(assembly)
        self._removals = None if surfaces else StraightRemovals(assembly, interfaces(assembly))
        self._paths: dict[int, list[Array]] = {}

    def __call__(self, cell: Cell, parts: Sequence[int]) -> list[int]:
        """By part (a number), how many arms have a keyframe for it."""
        try:
            arms = Arms(self.readied(cell), self._assembly, tried=FEW, transfers=False)
        except BadInput:  # crowded: it is no layout
            return [0] * len(parts)
        crew = arms(self._removals)
        everything = (1 << len(self._assembly.bodies)) - 1
        reached = []
        for part in parts:
            rest = everything & ~(1 << part)
            if part not in self._paths:
                self._paths[part] = crew.paths(part, rest) or crew.paths(part, self._assembly.fixed_mask())
            reached.append(self._arms_for(arms.tables, part, rest))
        return reached

    def readied(self, cell: Cell) -> Cell:
        """As it is judged: with arms that do not wait where the structure will be."""
        return with_free_homes(cell, self._assembly)

    def _arms_for(self, tables: TurnedTables, part: int, rest: int) -> int:
        """How many arms have a keyframe for a part, at the first angle of the turntable at which one does."""
        for stance in tables.stances(0):
            frames, _ = tables.at(stance).of(part, self._paths[part], rest)
            if frames:
                return len({frame.arm for frame in frames})
        return 0


def judge_of(assembly: Assembly) -> KeyframeJudge:
    """The judge of layouts for an assembly."""
    return KeyframeJudge(assembly)
