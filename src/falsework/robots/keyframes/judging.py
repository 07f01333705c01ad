"""How well a cell serves an assembly: for how many parts some arm has a keyframe, everything else in place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.ways.removal import StraightRemovals
from falsework.geometry.ways.surfaces.choice import goes_by_surfaces
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.robots.cell import Cell
from falsework.robots.keyframes.cell_planning import Arms

SEVERAL = 0.1  # what a second arm is worth at a place that one reaches


class KeyframeJudge:
    """The judge for one assembly; paths of its parts are found once, as they leave when all others are in place."""

    def __init__(self, assembly: Assembly) -> None:
        self._assembly = assembly
        surfaces = goes_by_surfaces(assembly)
        self._removals = None if surfaces else StraightRemovals(assembly, interfaces(assembly))
        self._paths: dict[int, list[Array]] = {}

    def __call__(self, cell: Cell, parts: Sequence[int]) -> float:
        """The share of parts for which some arm has a keyframe, and a little more where several have."""
        try:
            arms = Arms(cell, self._assembly)
        except BadInput:  # crowded: it is no layout
            return -1.0
        crew = arms(self._removals)
        everything = (1 << len(self._assembly.bodies)) - 1
        reached = []
        for part in parts:
            rest = everything & ~(1 << part)
            if part not in self._paths:
                self._paths[part] = crew.paths(part, rest) or crew.paths(part, self._assembly.fixed_mask())
            frames, _ = arms.table.of(part, self._paths[part], rest)
            reached.append(len({frame.arm for frame in frames}))
        several = SEVERAL * float(np.mean(np.array(reached) > 1))
        return float(np.mean(np.array(reached) > 0)) * (1.0 - SEVERAL) + several


def judge_of(assembly: Assembly) -> KeyframeJudge:
    """The judge of layouts for an assembly."""
    return KeyframeJudge(assembly)
