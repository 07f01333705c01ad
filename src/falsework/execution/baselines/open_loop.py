"""The stand-in for a baseline: one look, then brick after brick as instructed; nothing is felt, nothing is checked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from falsework.execution.control.belief import Belief, fits
from falsework.execution.control.settings import ControlSettings
from falsework.execution.control.sight import Eyes
from falsework.execution.control.table import TABLE, State
from falsework.execution.control.ways import Errand, Ways
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.robots.cell import Cell
from falsework.model.robots.instructing import Command, Ease, Follow, Grip, Instruction, Observation, Open
from falsework.model.shapes import BrickShape

BLIND_M_S = 0.02  # of a press that feels nothing


class OpenLoop:
    """A `Policy`: where bricks lie it sees once, and what it laid it believes to stand."""

    def __init__(self, cell: Cell, product: Assembly, eyes: Eyes, settings: ControlSettings | None = None) -> None:
        self._arm, self._eyes = cell.arms[0], eyes
        self._settings = settings or ControlSettings()
        self._ways = Ways(cell, self._arm)
        self._belief = Belief(product, cell.T_world_structure)
        self._looked = False
        self._instruction: Instruction | None = None
        self._left: Iterator[Command] = iter(())

    def begin(self, instruction: Instruction) -> None:
        self._instruction = instruction

    def act(self, observation: Observation) -> Command | None:
        if not self._looked:
            belief = self._belief
            sight = self._eyes.loose(observation.look(), belief.product, belief.T_world_structure, ())
            self._belief, self._looked = replace(belief, loose=sight.found), True
        if self._instruction is not None:
            name, self._instruction = self._instruction.brick, None
            self._left = self._commands(name, observation.arms[self._arm.name].q)
        return next(self._left, None)

    def _commands(self, name: str, now: Array) -> Iterator[Command]:
        """All that is done for one brick; nothing where none is seen, or no way leads there."""
        found = self._errand(name, now)
        if found is None:
            return
        errand, arm = found, self._arm.name
        slow = TABLE[State.DESCENDTOGRASP].speed_m_s
        yield Open(arm, errand.open_m)
        yield Follow(arm, errand.to_take, TABLE[State.PREGRASP].share)
        yield Follow(arm, errand.take, TABLE[State.DESCENDTOGRASP].share, slow)
        yield Grip(arm, errand.hold.width_m, self._settings.carry_n)
        yield Follow(arm, errand.take[::-1], TABLE[State.LIFT].share, TABLE[State.LIFT].speed_m_s)
        yield Follow(arm, errand.to_bring, TABLE[State.PREPLACE].share)
        yield Follow(arm, errand.bring, TABLE[State.DESCENDTOPLACE].share, TABLE[State.DESCENDTOPLACE].speed_m_s)
        home = self._home(name, errand)
        if home is not None:
            yield Follow(arm, home, TABLE[State.PRESSIN].share, BLIND_M_S)
        yield Ease(arm)
        up = errand.bring[::-1] if home is None else np.concatenate([home[-1:], errand.bring[::-1]])
        yield Follow(arm, up, TABLE[State.RETREAT].share, TABLE[State.RETREAT].speed_m_s)
        self._belief = self._belief.standing(name)

    def _errand(self, name: str, now: Array) -> Errand | None:
        belief, part = self._belief, self._belief.part(name)
        middle = (belief.goal(name) @ np.append(part.com_part_m, 1.0))[:3]
        base = self._arm.T_world_base[:3, 3]
        fitting = [one for one in belief.loose if fits(part, one)]
        for one in sorted(fitting, key=lambda one: float(np.linalg.norm(one.middle_m - base))):
            errand = next(self._ways.errands(belief, name, one, now, middle, self._settings), None)
            if errand is not None:
                self._belief = replace(belief, loose=tuple(other for other in belief.loose if other is not one))
                return errand
        return None

    def _home(self, name: str, errand: Errand) -> Array | None:
        """(k, n) from above the studs to where the seat should be."""
        shape = self._belief.part(name).shape
        studs = shape.kind.measures.stud_height_m if isinstance(shape, BrickShape) else 0.0
        T = self._arm.T_world_base @ self._ways.kinematics.forward(errand.bring[-1])
        T[2, 3] -= self._settings.gap_m + studs
        return self._ways.straight_to(errand.bring[-1], T)
