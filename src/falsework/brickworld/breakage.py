"""The breakage detector: the loads of every group, whether its clutches carry them, and what breaks if not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from falsework.brickworld.events import Break, Overloaded
from falsework.brickworld.grouping import Grouping
from falsework.brickworld.loads import LoadRecorder
from falsework.brickworld.mechanics import GroupMechanics, Overload, Screen
from falsework.brickworld.settings import Settings
from falsework.brickworld.topology import Connection
from falsework.engine.composites import Group
from falsework.model.arrays import Array, Bools, Ints


@dataclass(frozen=True, slots=True, eq=False)
class Overstrained:
    """A group whose clutches cannot carry its loads, over the window that ended some steps ago."""

    group: int
    over: Overload
    end: int
    numbers: tuple[int, ...]  # connections that break


class BreakageDetector:
    """What it knows of a group stays for as long as the group does."""

    def __init__(self, is_brick: Bools, settings: Settings) -> None:
        self.recorder = LoadRecorder(is_brick, settings.window_steps, settings.substeps)
        self.mechanics: list[GroupMechanics] = []  # of each group
        self._known: dict[bytes, int] = {}  # the group of certain parts with certain connections
        self._screen: Screen | None = None
        self._step_s = settings.step_s

    def regroup(self, grouping: Grouping, groups: Sequence[Group], engine: tuple[Ints, Ints]) -> None:
        """Other groups: those with the same parts and connections as before keep their records and their solvers."""
        joints = grouping.joints
        inside = grouping.group_of[joints.bodies[:, 0]]
        touching = grouping.group_of[joints.patches.bodies[:, 0]]
        known: dict[bytes, int] = {}
        mechanics, kept = [], []
        for number, bunch in enumerate(grouping.bunches):
            rows = inside == number
            key = bunch.members.tobytes() + b"|" + joints.numbers[rows].tobytes()
            before = self._known.get(key, -1)
            if before >= 0:
                mechanics.append(self.mechanics[before])
            else:
                own = joints.kept(rows, touching == number)
                gravity = bunch.T_world_group[:3, :3].T @ grouping.assembly.gravity
                held, coms = grouping.fixed[bunch.members], grouping.masses.com_m
                mechanics.append(GroupMechanics(bunch.members, held, coms, own, grouping.clutch_kinds, gravity))
            known[key] = number
            kept.append(before)
        self.mechanics, self._known, self._screen = mechanics, known, None
        self.recorder.regroup(
            grouping.masses,
            grouping.group_of,
            groups,
            np.array(kept, dtype=np.int64),
            grouping.assembly.gravity,
            engine,
        )

    def prepare(self) -> None:
        """Factor everything now."""
        for one in self.mechanics:
            one.prepare()

    def overloads(self, grouping: Grouping) -> list[Overstrained]:
        """Groups whose clutches cannot carry the loads of the last frame.

        One screen for all groups passes nearly every frame; only where it does not, groups are asked one by one.
        """
        loads, ends = self.recorder.window_means()
        if self._screen is not None and self._screen.carries(loads):
            return []
        found = []
        for group, one in enumerate(self.mechanics):
            if ends[group] < 0 or not len(one.joints.numbers):
                continue
            over = one.overload(loads[one.members])
            if over is not None and len(over.cut):
                numbers = tuple(one.joints.numbers[over.cut].tolist())
                found.append(Overstrained(group, over, int(ends[group]), numbers))
        if self._screen is None and not found:
            self._screen = self._common_screen(grouping)
        return found

    def _common_screen(self, grouping: Grouping) -> Screen | None:
        """Once the groups have lasted a frame; one group alone is its own."""
        if sum(len(one.joints.numbers) > 0 for one in self.mechanics) < 2:
            return None
        held = grouping.fixed.copy()
        held[[bunch.members[0] for bunch in grouping.bunches if not bunch.still]] = True
        return Screen(grouping.joints, grouping.clutch_kinds, grouping.masses.com_m, held)

    def event(self, found: Overstrained, grouping: Grouping, parted: Sequence[Connection], time_s: float) -> Break:
        """What broke, when the motion first gained more than the clutches take up, and with what force.

        `time_s` is now, `parted` the connections; groups must be as they were when it was found.
        """
        over, group, recorder = found.over, found.group, self.recorder
        members = self.mechanics[group].members
        end, ahead = self._first_end(found)
        pushed = recorder.applied(group, end)
        if ahead:
            pushed += ahead * (recorder.applied(group, end + 1) - pushed)
        loads = recorder.loads(group, members, found.end)
        names = [body.name for body in grouping.assembly.bodies]
        cause = Overloaded(
            names=tuple(names[n] for n in members),
            T_group_part=grouping.local[members],
            loads=loads,
            twists=over.twists,
            dissipation_w=over.dissipation,
            held=tuple(names[n] for n in members if grouping.fixed[n]),
            T_world_group=grouping.bunches[group].T_world_group,
        )
        return Break(
            time_s=time_s - (end + ahead) * self._step_s,
            connections=tuple((names[one.stud], names[one.hole]) for one in parted),
            utilization=over.utilization if np.isfinite(over.utilization) else None,
            force_n=pushed if pushed > 0 else self._through(found, loads),
            cause=cause,
        )

    def _first_end(self, found: Overstrained) -> tuple[int, float]:
        """Steps back to the end of the first window in which the motion gains, and the share of a step before it."""
        over, members = found.over, self.mechanics[found.group].members
        ends = self.recorder.ends(found.group).tolist()
        powers = self.recorder.powers(found.group, members, over.twists).tolist()
        first = next((k for k, power in enumerate(powers) if power > over.dissipation), ends.index(found.end))
        ahead = 0.0
        if first > 0 and powers[first] > powers[first - 1]:
            ahead = min(1.0, max(0.0, (powers[first] - over.dissipation) / (powers[first] - powers[first - 1])))
        return ends[first], ahead

    def _through(self, found: Overstrained, loads: Array) -> float:
        """The force that had to go through the cut: the resultant of the loads on one side of it."""
        side = self.mechanics[found.group].side(found.over.cut)
        return float(np.linalg.norm(loads[side, :3].sum(axis=0)))
