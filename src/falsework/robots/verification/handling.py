"""Hands and parts: all parts are where the motion says, hands hold what it says, firmly, and as the plan has it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import shown
from falsework.model.robots.grasp import GripKind
from falsework.model.robots.motion import Grip, Stay
from falsework.model.robots.tool import ToolKind
from falsework.robots.verification.complaints import Complaint
from falsework.robots.verification.gripping import greatest_load
from falsework.robots.verification.stage import Stage

OFF_M, OFF_RAD = 2e-4, 2e-3  # by which a part, or a hand on it, may be off
PADS_M = 1.5e-3  # between a finger, or a cup, and the part that it holds
GRIPS: dict[ToolKind, GripKind] = {"parallel": "pinch", "suction": "suction", "stud": "studs"}  # by kind of tool
SPARE = 1.02  # by which a grip may be overloaded between samples


class Handling:
    """Looks at stays, grips and steps."""

    def __init__(self, stage: Stage, assembly: Assembly) -> None:
        self.stage, self.motion, self.assembly = stage, stage.motion, assembly
        self.numbers = {part.name: k for k, part in enumerate(stage.parts)}
        self.arms = [one.name for one in stage.motion.cell.arms]
        self.movers = [one.name for one in stage.motion.cell.movers]

    def complaints(self) -> Iterator[Complaint]:
        for name, stays in zip(self.numbers, self.stage.stays, strict=True):
            yield from self._where(name, stays)
        for grip in self.motion.grips:
            yield from self._gripped(grip)
        yield from self._hands_alone()
        yield from self._carried_in_grips()
        yield from self._steps()

    def _where(self, name: str, stays: list[Stay]) -> Iterator[Complaint]:
        """One stay after the other without a gap, each beginning where the last one ends; in its place in the end."""
        for before, after in pairwise(stays):
            when = after.begin_s
            if abs(before.end_s - when) > 1e-6:
                yield Complaint("place", when, f"part {shown(name)} is nowhere, or in two places, before {when:.3f} s")
                continue
            self.stage.put(when)
            away = off(self._pose(before), self._pose(after))
            if away is not None:
                yield Complaint("place", when, f"part {shown(name)} {away} as it changes hands", after.arm)
        if stays and stays[-1].end_s < self.motion.makespan_s - 1e-6:
            yield Complaint("place", stays[-1].end_s, f"part {shown(name)} is nowhere from then on")
        wanted = self.motion.plan.target
        if name in self.assembly.fixed or (stays and name in (wanted if wanted is not None else self.assembly.names)):
            if not stays:
                return
            self.stage.put(self.motion.makespan_s)
            away = off(self._pose(stays[-1]), self.stage.place_of(self.numbers[name]))
            if away is not None:
                yield Complaint("place", self.motion.makespan_s, f"part {shown(name)} {away} in the end")

    def _pose(self, stay: Stay) -> Array:
        if stay.arm is None:
            return stay.T
        T: Array = self.stage.tool(self.movers.index(stay.arm)) @ stay.T
        return T

    def _gripped(self, grip: Grip) -> Iterator[Complaint]:
        """The hand is where it grips, all the while, its fingers lie on the part, and the grip bears it."""
        arm, one = self.arms.index(grip.arm), self.motion.cell.arm_named(grip.arm)
        who = f"arm {shown(grip.arm)}"
        if unknown := [name for name in grip.parts if name not in self.numbers]:
            yield Complaint(
                "hand", grip.begin_s, f"{who} grips {shown(unknown[0])}, which is not in the assembly", grip.arm
            )
            return
        yield from self._as_told(grip)
        number = self.numbers[grip.parts[0]]
        end = min(grip.end_s, self.motion.makespan_s)
        for time in np.linspace(grip.begin_s, end, max(3, int((end - grip.begin_s) / 0.25))).tolist():
            self.stage.put(time)
            away = off(self.stage.tool(arm), self.stage.part_pose(number) @ grip.grasp.T_part_tool)
            if away is not None:
                yield Complaint(
                    "hand", time, f"the hand of {who} {away} from where it grips {shown(grip.parts[0])}", grip.arm
                )
                return
        yield from self._closed(grip, number, arm, end)
        low, high = one.tool.opening_m
        if not low - 1e-9 <= grip.grasp.opening_m <= high + 1e-9:
            yield Complaint(
                "grip", grip.begin_s, f"{who} does not open to {1e3 * grip.grasp.opening_m:.1f} mm", grip.arm
            )
        parts = [self.stage.parts[self.numbers[name]] for name in grip.parts if name in self.numbers]
        total = sum(part.mass_kg for part in parts) + one.tool.mass_kg
        payload, does = one.arm.payload_kg, "carries" if self._is_carried(grip) else "holds"
        if payload is not None and total > payload * (1 + 1e-9):
            yield Complaint(
                "payload", grip.begin_s,
                f"{who} {does} {total:.3g} kg with its tool, its payload is {payload:.3g} kg",
                grip.arm,
            )  # fmt: skip
        yield from self._firm(grip, arm)

    def _as_told(self, grip: Grip) -> Iterator[Complaint]:
        """The grasp is one of the tool that the hand has, and its fingers are as far apart as it says."""
        tool, who = self.motion.cell.arm_named(grip.arm).tool, f"arm {shown(grip.arm)}"
        if grip.grasp.kind != GRIPS[tool.kind]:
            why = f"{who} grips {shown(grip.parts[0])} by {grip.grasp.kind}, and its tool grips by {GRIPS[tool.kind]}"
            yield Complaint("grip", grip.begin_s, why, grip.arm)
        opening = self.motion.opening_at(grip.arm, grip.begin_s)
        if grip.grasp.kind == "pinch" and abs(opening - grip.grasp.opening_m) > OFF_M:
            why = f"its fingers are {1e3 * opening:.1f} mm apart, its grasp says {1e3 * grip.grasp.opening_m:.1f} mm"
            yield Complaint("hand", grip.begin_s, f"{who} grips {shown(grip.parts[0])}: {why}", grip.arm)

    def _closed(self, grip: Grip, number: int, arm: int, end: float) -> Iterator[Complaint]:
        """The tool lies on the part while it grips: two fingers, or the cup or plate."""
        geoms = self.stage.geoms
        self.stage.put(0.5 * (grip.begin_s + end))
        own = np.flatnonzero(geoms.tool & (geoms.arm == arm)).tolist()
        solids = np.flatnonzero(geoms.part == number).tolist()
        near = sum(min(self.stage.distance(g, h, 0.05) for h in solids) <= PADS_M for g in own)
        if own and near < (2 if grip.grasp.kind == "pinch" else 1):
            yield Complaint(
                "hand",
                grip.begin_s,
                f"the hand of arm {shown(grip.arm)} does not touch {shown(grip.parts[0])}",
                grip.arm,
            )

    def _is_carried(self, grip: Grip) -> bool:
        return any(
            stay.arm == grip.arm and stay.part in grip.parts and stay.begin_s < grip.end_s and stay.end_s > grip.begin_s
            for stay in self.motion.stays
        )

    def _firm(self, grip: Grip, arm: int) -> Iterator[Complaint]:
        tool = self.motion.cell.arms[arm].tool
        force = self._force(grip)
        if force > tool.force_n[1] * (1 + 1e-9):
            yield Complaint(
                "grip",
                grip.begin_s,
                f"arm {shown(grip.arm)} cannot grip with {force:.3g} N, at most {tool.force_n[1]:.3g} N",
                grip.arm,
            )
        asked, load = greatest_load(self.stage, self.numbers, grip, arm, force)
        if asked > SPARE:
            yield Complaint(
                "grip", grip.begin_s,
                f"arm {shown(grip.arm)} grips {shown(grip.parts[0])} with {force:.3g} N, which bears {1 / asked:.3g} "
                f"times its load of {load:.3g} N and the moment of that",
                grip.arm,
            )  # fmt: skip

    def _force(self, grip: Grip) -> float:
        """With which the hand was closed last before the grip."""
        told = [one for one in self.motion.commands if one.arm == grip.arm and one.end_s <= grip.begin_s + 1e-6]
        return max(told, key=lambda one: one.end_s).force_n if told else 0.0

    def _hands_alone(self) -> Iterator[Complaint]:
        """No hand is closed on two things at once."""
        for name in self.arms:
            own = sorted((one for one in self.motion.grips if one.arm == name), key=lambda one: one.begin_s)
            for before, after in pairwise(own):
                if before.end_s > after.begin_s + 1e-6:
                    yield Complaint("hand", after.begin_s, f"arm {shown(name)} grips two parts at once", name)

    def _carried_in_grips(self) -> Iterator[Complaint]:
        """What moves with a hand is gripped by that hand all the while."""
        for stay in self.motion.stays:
            if stay.arm is None or stay.arm not in self.arms:
                continue
            if not any(
                grip.arm == stay.arm and stay.part in grip.parts and self._may_hang(stay.part, grip.parts[0])
                and grip.begin_s <= stay.begin_s + 1e-6 and grip.end_s >= stay.end_s - 1e-6
                for grip in self.motion.grips
            ):  # fmt: skip
                yield Complaint(
                    "hand",
                    stay.begin_s,
                    f"part {shown(stay.part)} moves with arm {shown(stay.arm)}, which does not grip it",
                    stay.arm,
                )

    def _may_hang(self, part: str, gripped: str) -> bool:
        """The part is the gripped one, or the plan builds the two apart, or places them as one."""
        together = [*(one.parts for one in self.motion.plan.apart), *(one.parts for one in self.motion.plan.steps)]
        return part == gripped or any(part in parts and gripped in parts for parts in together)

    def _steps(self) -> Iterator[Complaint]:
        """Steps in order; what the plan holds is in a hand from the step that says so to the one that does not."""
        motion, steps = self.motion, self.motion.plan.steps
        if len(motion.steps_s) != len(steps):
            yield Complaint("order", 0.0, f"the plan has {len(steps)} steps, the motion {len(motion.steps_s)}")
            return
        placed = {name for step in steps if step.action == "place" for name in step.parts}
        for grip in motion.grips:
            if grip.parts[0] not in placed and self._is_carried(grip):
                why = f"arm {shown(grip.arm)} carries {shown(grip.parts[0])}, which no step of the plan places"
                yield Complaint("order", grip.begin_s, why, grip.arm)
        done = [*motion.steps_s, motion.makespan_s]
        for name in motion.plan.start.held:
            if not any(name in grip.parts and grip.begin_s <= done[0] + 1e-6 for grip in motion.grips):
                why = f"no hand takes over {shown(name)}, which is held at the beginning, before the first step is done"
                yield Complaint("hand", done[0], why)
        for k, step in enumerate(steps):
            begin, end = done[k], max(done[k], done[k + 1])
            if k and begin < done[k - 1] - 1e-6:
                yield Complaint("order", begin, f"step {k + 1} is done before step {k}")
            for name in step.held:
                if not self._in_hands(name, begin, end):
                    yield Complaint(
                        "hand", begin, f"step {k + 1} holds {shown(name)}, but no hand does until {end:.2f} s"
                    )
            if step.action == "place":
                yield from self._placed(k, begin)
            if step.action in ("place", "hold") and step.robot in self.arms:
                yield from self._by(k, step.robot, begin)
        yield from self._unasked(done)

    def _unasked(self, done: list[float]) -> Iterator[Complaint]:
        """A hand is on what is in place only while the plan holds it."""
        steps = self.motion.plan.steps
        for grip in self.motion.grips:
            if self._is_carried(grip) or grip.parts[0] not in self.numbers:
                continue
            for k, begin in enumerate([0.0, *done[:-1]]):
                end = done[k]
                held = steps[k - 1].held if k else self.motion.plan.start.held
                if min(end, grip.end_s) > max(begin, grip.begin_s) + 1e-6 and grip.parts[0] not in held:
                    why = f"arm {shown(grip.arm)} holds {shown(grip.parts[0])}, which the plan does not"
                    yield Complaint("hand", max(begin, grip.begin_s), why, grip.arm)
                    break

    def _placed(self, k: int, when: float) -> Iterator[Complaint]:
        """A part that a step places is there once that is done, and stays; not before the step before is done."""
        before = self.motion.steps_s[k - 1] if k else -math.inf
        for name in self.motion.plan.steps[k].parts:
            if name not in self.numbers:
                continue
            self.stage.put(when)
            away = off(self.stage.part_pose(self.numbers[name]), self.stage.place_of(self.numbers[name]))
            if away is not None:
                yield Complaint("place", when, f"part {shown(name)} {away} when step {k + 1} is done")
            stays = self.stage.stays[self.numbers[name]]
            rests = stays and stays[-1].arm not in self.arms and before - 1e-6 <= stays[-1].begin_s <= when + 1e-6
            if not rests:
                yield Complaint("order", when, f"part {shown(name)} does not come to rest with step {k + 1}")

    def _by(self, k: int, arm: str, when: float) -> Iterator[Complaint]:
        first = self.motion.plan.steps[k].parts[0]
        hands = [
            grip.arm for grip in self.motion.grips if first in grip.parts and grip.begin_s <= when <= grip.end_s + 1e-6
        ]
        does = "places" if self.motion.plan.steps[k].action == "place" else "holds"
        if arm not in hands:
            yield Complaint(
                "hand", when, f"step {k + 1} is for arm {shown(arm)}, but {hands or 'no hand'} {does} it", arm
            )

    def _in_hands(self, name: str, begin: float, end: float) -> bool:
        """A part is in some hand all the time from begin to end; one hand may take over from another."""
        reached = begin
        for grip in sorted(self.motion.grips, key=lambda one: one.begin_s):
            if name in grip.parts and grip.begin_s <= reached + 1e-6:
                reached = max(reached, grip.end_s)
        return reached >= end - 1e-6


def off(found: Array, wanted: Array) -> str | None:
    """In words, how far two poses are apart; None where they are one."""
    moved = float(np.linalg.norm(found[:3, 3] - wanted[:3, 3]))
    cosine = 0.5 * (float(np.trace(found[:3, :3].T @ wanted[:3, :3])) - 1.0)
    turned = math.acos(max(-1.0, min(1.0, cosine)))
    if moved <= OFF_M and turned <= OFF_RAD:
        return None
    return f"is {1e3 * moved:.2f} mm and {math.degrees(turned):.2f} degrees off"
