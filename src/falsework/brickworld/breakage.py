"""The breakage detector: the loads of every group, whether its clutches carry them, and what breaks if not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from falsework.brickworld.events import Break, Overloaded
from falsework.brickworld.gripping import Grip, overload_in_grip
from falsework.brickworld.grouping import Grouping
from falsework.brickworld.inquiry import Budget
from falsework.brickworld.loads import LoadRecorder
from falsework.brickworld.mechanics import Asked, GroupMechanics, Overload, Screen
from falsework.brickworld.settings import Settings
from falsework.brickworld.topology import Connection
from falsework.engine.groups import Group
from falsework.engine.pads import Pads
from falsework.model.arrays import Array, Bools, Ints

LARGE = 60  # bricks: a group of as many has a screen of its own
QUICKLY = 0.25  # of what a frame may spend: for new questions while old ones are open
NO_HANDS: Mapping[int, Sequence[Pads]] = MappingProxyType({})
BRICK_MS, SMALL = 0.05, 100  # what proofs may cost more for each brick beyond so many


@dataclass(frozen=True, slots=True, eq=False)
class Overstrained:
    """A group whose clutches could not carry its loads of a certain moment."""

    group: int
    over: Overload
    asked: Asked
    numbers: tuple[int, ...]  # connections that break


@dataclass(frozen=True, slots=True, eq=False)
class OpenQuestion:
    """A question that is carried from frame to frame, to go back to."""

    group: int
    loads: Array  # (members, 6)
    pieces: int  # of work done
    is_new: bool  # it was asked when the group was new
    asked: Asked


class BreakageDetector:
    """What it knows of a group stays for as long as the group does."""

    def __init__(self, is_brick: Bools, settings: Settings) -> None:
        self.recorder = LoadRecorder(is_brick, settings.window_steps, settings.substeps)
        self.mechanics: list[GroupMechanics] = []  # of each group
        self._known: dict[bytes, int] = {}  # the group of certain parts with certain connections
        self._screen: Screen | None = None
        self._step_s = settings.step_s
        self._given_up = 0  # questions about groups that are no more
        self.spent_ms = 0.0  # of it, in the last frame
        self.frame_ms = settings.proof_ms + BRICK_MS * max(0, int(is_brick.sum()) - SMALL)

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
        gone = [one for n, one in enumerate(self.mechanics) if n not in kept]
        self._given_up += sum(len(one.open) + one.undecided for one in gone)
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

    @property
    def undecided(self) -> int:
        """Loads of which neither was proved, that the clutches carry them or that they do not; nothing broke."""
        return self._given_up + sum(one.undecided for one in self.mechanics)

    @property
    def open(self) -> tuple[OpenQuestion, ...]:
        """Questions that this frame left for the next."""
        return tuple(
            OpenQuestion(group, carried.inquiry.loads, carried.inquiry.pieces, carried.inquiry.is_new, carried.asked)
            for group, one in enumerate(self.mechanics)
            for carried in one.open
        )

    def go_back(self, to: Sequence[OpenQuestion]) -> None:
        """The same groups must be there as when these were open."""
        for one in self.mechanics:
            one.forget()
        for question in to:
            self.mechanics[question.group].again(question.loads, question.pieces, question.is_new, question.asked)

    def overloads(
        self, grouping: Grouping, time_s: float, most_ms: float, hands: Mapping[int, Sequence[Pads]] = NO_HANDS
    ) -> list[Overstrained]:
        """Groups whose clutches cannot carry the loads of the last frame, or of one before that took until now.

        `most_ms`: what proofs may take, as counted. `hands` grip groups that stand still and may take load off them:
        of these it is decided at once.

        One screen for all small groups passes nearly every frame; only where it does not, they are asked one by one.
        """
        loads, ends = self.recorder.window_means()
        quick = Budget(most_ms * (QUICKLY if any(one.open for one in self.mechanics) else 1.0))
        all_small_hold = self._screen is not None and self._screen.carries(loads)
        found = []
        for group, one in enumerate(self.mechanics):
            if ends[group] < 0 or not len(one.joints.numbers) or (all_small_hold and len(one.members) < LARGE):
                continue
            now = _Now(self.recorder, group, one.members, int(ends[group]), time_s)
            first = bool(self.recorder.filled[group] <= self.recorder.frame)
            if group in hands:
                grip = Grip.of(hands[group], one, grouping.bunches[group].T_world_group)
                found.append(self._overstrained(group, overload_in_grip(one, loads[one.members], grip), now))
                continue
            found.append(self._overstrained(group, one.ask(loads[one.members], quick, now, first=first), now))
        slow = Budget(most_ms - quick.spent, at_least_one=quick.spent == 0.0)
        broken = {one.group for one in found if one is not None}
        for group, one in enumerate(self.mechanics):
            if group not in broken and one.open:
                now = _Now(self.recorder, group, one.members, 0, time_s)
                found.append(self._overstrained(group, one.go_on(slow), now))
        self.spent_ms = quick.spent + slow.spent
        if self._screen is None and not any(found):
            self._screen = self._common_screen(grouping)
        return [one for one in found if one is not None]

    def _overstrained(self, group: int, over: Overload | None, now: _Now) -> Overstrained | None:
        if over is None or not len(over.cut):
            return None
        numbers = tuple(self.mechanics[group].joints.numbers[over.cut].tolist())
        return Overstrained(group, over, over.asked or now(), numbers)

    def _common_screen(self, grouping: Grouping) -> Screen | None:
        """Once the groups have lasted a frame; one group alone is its own."""
        small = np.array([len(one.joints.numbers) > 0 and len(one.members) < LARGE for one in self.mechanics])
        if small.sum() < 2:
            return None
        joints = grouping.joints
        rows: Bools = small[grouping.group_of[joints.bodies[:, 0]]]
        held = grouping.fixed.copy()
        held[[bunch.members[0] for bunch in grouping.bunches if not bunch.still]] = True
        chosen = joints.kept(rows, np.zeros(len(joints.patches), dtype=bool))
        return Screen(chosen, grouping.clutch_kinds, grouping.masses.com_m, held)

    def event(self, found: Overstrained, grouping: Grouping, parted: Sequence[Connection], time_s: float) -> Break:
        """What broke, when the motion first gained more than the clutches take up, and with what force.

        `time_s` is now, `parted` the connections; groups must be as they were when it was found.
        """
        over, group, asked = found.over, found.group, found.asked
        members = self.mechanics[group].members
        end, ahead = _first_end(over, asked)
        pushed = asked.windows.applied(end)
        if ahead:
            pushed += ahead * (asked.windows.applied(end + 1) - pushed)
        loads = asked.windows.mean(asked.end)
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
            time_s=asked.time_s - (end + ahead) * self._step_s,
            connections=tuple((names[one.stud], names[one.hole]) for one in parted),
            utilization=over.utilization if np.isfinite(over.utilization) else None,
            force_n=pushed if pushed > 0 else self._through(found, loads),
            cause=cause,
            late_s=time_s - asked.time_s,
        )

    def _through(self, found: Overstrained, loads: Array) -> float:
        """The force that had to go through the cut: the resultant of the loads on one side of it."""
        side = self.mechanics[found.group].side(found.over.cut)
        return float(np.linalg.norm(loads[side, :3].sum(axis=0)))


@dataclass(frozen=True, slots=True, eq=False)
class _Now:
    """What a group feels in this frame, to be written down only if somebody needs it."""

    recorder: LoadRecorder
    group: int
    members: Ints
    end: int
    time_s: float

    def __call__(self) -> Asked:
        return Asked(self.recorder.windows(self.group, self.members), self.end, self.time_s)


def _first_end(over: Overload, asked: Asked) -> tuple[int, float]:
    """Steps back to the end of the first window in which the motion gains, and the share of a step before it."""
    ends = asked.windows.ends.tolist()
    powers = asked.windows.powers(over.twists).tolist()
    first = next((k for k, power in enumerate(powers) if power > over.dissipation), ends.index(asked.end))
    ahead = 0.0
    if first > 0 and powers[first] > powers[first - 1]:
        ahead = min(1.0, max(0.0, (powers[first] - over.dissipation) / (powers[first] - powers[first - 1])))
    return ends[first], ahead
