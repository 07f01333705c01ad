"""In what steps a model is built: as a plan says, as its file says, or layer by layer.

Of a plan, parts share a step where it does not matter which comes first: they lie in one layer, none clutches another
(bricks side by side may touch), and with each of them alone, with all of them, and with all but any one, what is there
stands. Hands that let go are no steps of their own.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np

from falsework.geometry.shapes.solids import surface
from falsework.model.arrays import Array
from falsework.model.as_filed import FileStep
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Interfaces
from falsework.model.plan import Plan, Step
from falsework.model.state import State
from falsework.verdicts.oracle import Oracle

MOST_TOGETHER = 6  # parts of one step that are placed one by one
LAYER_M = 1e-3  # parts whose bottoms differ by less lie in one layer
TURNED = 0.05  # rad about an upright axis, from which on a file's turn is one
Order = Literal["plan", "file", "layers"]


@dataclass(frozen=True, slots=True)
class CallOut:
    """Parts that are put together apart, and how often the same is done in one step."""

    name: str
    steps: tuple[tuple[int, ...], ...]  # parts that each adds
    times: int = 1

    @property
    def parts(self) -> tuple[int, ...]:
        return tuple(part for step in self.steps for part in step)


@dataclass(frozen=True, slots=True, eq=False)
class BookStep:
    """One step: parts by their numbers, all that it adds; what comes as a whole is told in call-outs too."""

    parts: tuple[int, ...]
    call_outs: tuple[CallOut, ...] = ()
    note: str = ""
    turn: bool = False  # the model is turned before it
    yaw_deg: float | None = None  # as the file says to look at it
    T_world_assembly: Array = field(default_factory=lambda: np.eye(4))


def steps_of_plan(plan: Plan, assembly: Assembly, joints: Interfaces) -> tuple[BookStep, ...]:
    """The steps of a plan, those together that may come in any order."""
    gather = _Gathering(assembly, joints)
    at_first = np.eye(4) if plan.start.T_world_assembly is None else plan.start.T_world_assembly
    pose, turned = at_first, False
    apart = {frozenset(built.parts): built for built in plan.apart}
    for step in plan.steps:
        if step.action == "reorient" and step.T_world_assembly is not None:
            gather.flush()
            pose, turned = step.T_world_assembly, True
        if step.action != "place":
            continue
        numbers = tuple(assembly.index[name] for name in step.parts)
        note = _note(step)
        if len(numbers) > 1:
            built = apart.get(frozenset(step.parts))
            order = step.parts if built is None else _order_apart(built.steps, built.fast)
            inner = _layers(assembly, [assembly.index[name] for name in order])
            gather.whole(BookStep(numbers, (CallOut("", inner),), note, turned, None, pose))
        else:
            gather.single(numbers[0], note, turned, pose)
        turned = False
    gather.flush()
    there = assembly.fixed | frozenset(plan.start.installed)
    first = tuple(number for number, part in enumerate(assembly.parts) if part.name in there)
    return (*([BookStep(first, T_world_assembly=at_first)] if first else []), *gather.steps)


def _order_apart(steps: Iterable[Step], fast: str) -> tuple[str, ...]:
    names = [fast, *(name for step in steps if step.action == "place" for name in step.parts)]
    return tuple(dict.fromkeys(names))


def _note(step: Step) -> str:
    others = [name for name in step.held if name not in step.parts]
    return f"hold {', '.join(others)}" if others else ""


class _Gathering:
    """Steps as they are put together."""

    def __init__(self, assembly: Assembly, joints: Interfaces) -> None:
        self._assembly = assembly
        self._joints, self._clutched = joints, _clutched(joints, len(assembly.bodies))
        self._bottoms = _bottoms_m(assembly)
        self._before = assembly.fixed_mask()
        self._open: BookStep | None = None
        self.steps: list[BookStep] = []

    @cached_property
    def _oracle(self) -> Oracle:
        """Asked about bricks only: what is not fixed to anything need not lie on a ground."""
        return Oracle(self._assembly, self._joints)

    def single(self, part: int, note: str, turned: bool, pose: Array) -> None:
        """A part that is placed by itself."""
        together = self._open
        if together is None or note or together.note or turned or not self._may_join(together.parts, part):
            self.flush()
            self._open = BookStep((part,), (), note, turned, None, pose)
        else:
            self._open = replace(together, parts=(*together.parts, part))

    def whole(self, step: BookStep) -> None:
        """Parts that are placed as one."""
        self.flush()
        self._open = step
        self.flush()

    def flush(self) -> None:
        if self._open is not None:
            self.steps.append(self._open)
            self._before |= sum(1 << part for part in self._open.parts)
            self._open = None

    def _may_join(self, parts: tuple[int, ...], part: int) -> bool:
        if len(parts) >= MOST_TOGETHER or not self._assembly.parts[part].is_fitted:
            return False
        if abs(self._bottoms[part] - self._bottoms[parts[0]]) > LAYER_M:
            return False
        several = (*parts, part)
        mask = sum(1 << one for one in several)
        if any(self._clutched[one] & mask for one in several):
            return False
        asked = [self._before | mask, *(self._before | 1 << one for one in several)]
        asked += [self._before | mask & ~(1 << one) for one in several]
        return all(answer == "stable" for answer in self._oracle.answers([State(there, 0) for there in asked]))


def _clutched(joints: Interfaces, count: int) -> list[int]:
    """For every body a mask of those that its studs or holes hold."""
    found = [0] * count
    for a, b in joints.clutches.bodies.tolist():
        found[a] |= 1 << b
        found[b] |= 1 << a
    return found


def steps_of_file(assembly: Assembly) -> tuple[BookStep, ...]:
    """The steps of the model's file; equal submodels that come in one step are one call-out, made several times."""
    found = []
    for step in assembly.steps:
        numbers = tuple(assembly.index[name] for name in step.parts)
        call_outs: dict[tuple[str, int], CallOut] = {}
        for name, parts in step.submodels:
            key = name, len(parts)
            inner = _layers(assembly, [assembly.index[part] for part in parts])
            same = call_outs.get(key)
            call_outs[key] = CallOut(name, inner) if same is None else replace(same, times=same.times + 1)
        yaw = _yaw(step.turn)
        found.append(BookStep(numbers, tuple(call_outs.values()), "", False, yaw))
    shifted = [None, *(step.yaw_deg for step in found[:-1])]  # what ends a step turns the view for the next
    return tuple(replace(step, yaw_deg=yaw, turn=yaw is not None) for step, yaw in zip(found, shifted, strict=True))


def _yaw(turn: str) -> float | None:
    """Degrees about the upright axis that a ROTSTEP turns the view by; None where it does not."""
    words = turn.split()
    try:
        degrees = float(words[1]) if len(words) >= 3 else 0.0
    except ValueError:
        return None
    if words == ["END"]:
        return 0.0
    return degrees if len(words) >= 3 and abs(np.deg2rad(degrees)) > TURNED else None


def steps_by_layer(assembly: Assembly) -> tuple[BookStep, ...]:
    """Layer by layer from below, a few parts a step, neighbours first."""
    return tuple(BookStep(step) for step in _layers(assembly, list(range(len(assembly.parts)))))


def _layers(assembly: Assembly, numbers: list[int]) -> tuple[tuple[int, ...], ...]:
    bottoms = _bottoms_m(assembly)
    left = sorted(numbers, key=lambda number: (round(bottoms[number] / LAYER_M), *assembly.coms_m[number, :2].round(6)))
    steps: list[tuple[int, ...]] = []
    for number in left:
        same = steps and abs(bottoms[steps[-1][0]] - bottoms[number]) <= LAYER_M
        if same and len(steps[-1]) < MOST_TOGETHER:
            steps[-1] = (*steps[-1], number)
        else:
            steps.append((number,))
    return tuple(steps)


def _bottoms_m(assembly: Assembly) -> list[float]:
    return [
        float((surface(part.shape).vertices @ part.T_world_part[2, :3]).min() + part.T_world_part[2, 3])
        for part in assembly.parts
    ]


def file_steps(assembly: Assembly, steps: tuple[BookStep, ...]) -> tuple[FileStep, ...]:
    """The same steps as a file has them."""
    return tuple(FileStep(tuple(assembly.parts[part].name for part in step.parts)) for step in steps)
