"""One assembly that stays in memory, asked again and again: what if this part were gone, held or loaded?

The verdict comes at once, from a solver that was set up when the assembly was read; the margin, which takes a limit
analysis, comes when nobody has asked anything else for a moment.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

import numpy as np

from falsework.formats.plans.reading import read_plan
from falsework.formats.plans.sources import load_assembly
from falsework.geometry.contacts.interfaces import interfaces
from falsework.geometry.summary import info
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Load
from falsework.model.errors import BadInput, shown
from falsework.model.interfaces import Interfaces
from falsework.model.provenance import Provenance
from falsework.model.state import State
from falsework.model.verdict import Forces, Verdict
from falsework.statics.core.ambiguity import settled
from falsework.statics.core.equilibrium import Equilibrium
from falsework.statics.core.worth_compiling import pays_off
from falsework.studio.check_page import check_scene
from falsework.studio.drawing import drawing
from falsework.studio.info_page import info_scene
from falsework.studio.plan_page import plan_scene
from falsework.studio.proofs import joint_shares, told
from falsework.studio.scene import Scene
from falsework.verdicts.check import Question, answer

Depth = Literal["verdict", "margin"]
UNGROUNDED = "Nothing is fixed and there is no ground, so nothing can be checked: use --ground or --fixed."


@dataclass(frozen=True, slots=True)
class Change:
    """What somebody did to the assembly in the page."""

    absent: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    loads: tuple[Load, ...] = ()

    @staticmethod
    def read(assembly: Assembly, asked: dict[str, Any]) -> Change:
        """From the numbers that the page sends: `absent`, `held`, and `loads` as [part, [x, y, z]]."""
        absent = _names(assembly, asked.get("absent", []))
        held = [name for name in _names(assembly, asked.get("held", [])) if name not in absent]
        loads = asked.get("loads", [])
        if not isinstance(loads, list) or not all(isinstance(load, list) and len(load) == 2 for load in loads):
            raise BadInput(f"loads: found {shown(loads)}, expected [part, [x, y, z]] of each")
        found = [Load(_names(assembly, [part])[0], _force(force)) for part, force in loads]
        return Change(tuple(absent), tuple(held), tuple(load for load in found if load.part not in absent))


class LiveModel(Protocol):
    """What a live page shows."""

    assembly: Assembly

    def scene(self, change: Change | None = None, depth: Depth = "verdict") -> Scene:
        """As it is after a change."""
        ...


class LivePlan:
    """A plan file: it is looked at, and read again when it changes, but nothing is asked about it."""

    def __init__(self, file: str, title: str) -> None:
        self._plan = read_plan(file)
        self.assembly = load_assembly(self._plan)
        self._scene = plan_scene(self.assembly, interfaces(self.assembly), self._plan, title)

    def scene(self, change: Change | None = None, depth: Depth = "verdict") -> Scene:
        return self._scene


class LiveCheck:
    """Answers about one assembly."""

    def __init__(self, assembly: Assembly, title: str, provenance: Provenance | None = None) -> None:
        self.assembly, self.title = assembly, title
        self.joints = interfaces(assembly)
        self._provenance = provenance
        # Solvers keep what they found last; a margin, which may take seconds, must not keep a verdict waiting.
        self._locks: dict[Depth, threading.Lock] = {"verdict": threading.Lock(), "margin": threading.Lock()}
        self._drawn = drawing(assembly)
        compiled = pays_off(self.joints)
        self._equilibrium = Equilibrium(assembly, self.joints, compiled=compiled) if assembly.is_grounded else None

    def scene(self, change: Change | None = None, depth: Depth = "verdict") -> Scene:
        """The page of the assembly as it is after a change."""
        if self._equilibrium is None:
            plain = info_scene(self.assembly, info(self.assembly), self.title, self._provenance)
            return replace(plain, notes=(UNGROUNDED, *plain.notes))
        change = Change() if change is None else change
        with self._locks[depth]:
            verdict = self._verdict(self._equilibrium, change, depth)
        return check_scene(
            self.assembly,
            self.joints,
            verdict,
            self.title,
            held=change.held,
            absent=change.absent,
            loads=(*self.assembly.loads, *change.loads),
            provenance=self._provenance,
            drawn=self._drawn,
            margin_known=depth == "margin",
        )

    def _verdict(self, equilibrium: Equilibrium, change: Change, depth: Depth) -> Verdict:
        present = [load for load in self.assembly.loads if load.part not in change.absent]
        question = Question(held=change.held, absent=change.absent, loads=(*present, *change.loads), also=False)
        if depth == "margin":
            return answer(self.assembly, question, self.joints)
        state = question.state_of(self.assembly)
        verdict = settled(self.assembly, self.joints, state, equilibrium.assess(state), self._again(state))
        if isinstance(verdict.certificate, Forces) and len(self.joints.clutches) and verdict.about is None:
            return replace(verdict, joint_utilization=joint_shares(equilibrium, state, verdict.certificate))
        return told(self.assembly, self.joints, state, verdict)

    def _again(self, state: State) -> Callable[[Interfaces], Verdict]:
        """How other interfaces of the same assembly are asked about."""
        return lambda joints: Equilibrium(self.assembly, joints).assess(state)


def _names(assembly: Assembly, numbers: object) -> list[str]:
    count = len(assembly.parts)
    if not isinstance(numbers, Iterable) or isinstance(numbers, str):
        raise BadInput(f"found {shown(numbers)}, expected part numbers")
    names = []
    for number in numbers:
        if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < count:
            raise BadInput(f"found {shown(number)}, expected a part number from 0 to {count - 1}")
        names.append(assembly.parts[number].name)
    return names


def _force(values: object) -> Array:
    if not isinstance(values, list) or len(values) != 3 or not all(isinstance(value, int | float) for value in values):
        raise BadInput(f"found {shown(values)}, expected a force of three numbers")
    return np.array(values, dtype=float)
