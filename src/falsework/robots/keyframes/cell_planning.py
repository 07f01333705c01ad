"""`plan(…, cell=…)`: a plan that the arms of a cell carry out, and what each of them does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np

from falsework.formats.robots.cell_reading import load_cell
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, Undecided, shown
from falsework.model.plan import Plan, Step
from falsework.model.ports import RemovalOracle
from falsework.model.robots.cell import ROTARY, Cell, CellArm
from falsework.model.robots.grasp import Grasp
from falsework.model.robots.task import CellPlan, Task, Waypoint
from falsework.model.robots.tilting import UPRIGHT, Stance
from falsework.planning.nodes.moves import Move, Node
from falsework.planning.plans.jobs import Planned
from falsework.robots.cells.kinds import is_kind
from falsework.robots.cells.survey import cell as surveyed
from falsework.robots.cells.survey import refuse_crowded
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.collision.collisions import blockers, masks, names_of
from falsework.robots.keyframes.crew import CellCrew
from falsework.robots.keyframes.frames import Keyframe, Pick, Transfer
from falsework.robots.keyframes.site import Site
from falsework.robots.keyframes.table import TRIED, KeyframeTable
from falsework.robots.keyframes.turning import TurnedTables


class Arms:
    """Makes crews of one cell for one assembly; all share one table of keyframes."""

    def __init__(
        self, cell: Cell, assembly: Assembly, press_n: float | None = None, tried: int = TRIED, transfers: bool = True
    ) -> None:
        refuse_crowded(cell, assembly)
        self.site = Site(cell, assembly)
        _refuse_homes_in_the_way(self.site)
        self.tables = TurnedTables(
            self.site,
            lambda site, like: KeyframeTable(
                site, press_n or 0.0, tried=tried, transfers=transfers, turned=site.stance, like=like
            ),
        )
        self.crew: CellCrew | None = None

    def __call__(self, removals: RemovalOracle | None) -> CellCrew:
        self.crew = CellCrew(self.tables, removals)
        return self.crew

    def hands_for(self, robots: int | Literal["fewest"] | None) -> int:
        """As many as arms, unless fewer are asked for."""
        arms = len(self.site.cell.arms)
        if robots is None:
            return arms
        if robots == "fewest" or robots > arms:
            raise BadInput(f"robots: found {robots}, expected 1 to {arms}, the arms of the cell")
        return robots


def crew_of(cell: str | Path | Cell, assembly: Assembly, press_n: float | None = None) -> Arms:
    """The arms of a cell, of its file, or of a kind that is placed for the assembly."""
    if not isinstance(cell, Cell):
        cell = surveyed(new=str(cell), assembly=assembly).cell if is_kind(cell) else load_cell(cell)
    return Arms(cell, assembly, press_n)


def in_cell(planned: Planned, arms: Arms) -> Planned:
    """The same with what each arm does, and its name at every step."""
    if planned.status != "complete":
        return planned
    assert arms.crew is not None, "a plan was found with it"
    tasks = _Telling(arms.crew, arms.site).tasks(planned)
    by_step = {task.step: task.arm for task in tasks if task.subassembly is None}
    moves = iter([move for move in planned.moves if move.parts])
    steps = []
    for number, step in enumerate(planned.plan.steps):
        path = step.path
        if step.action == "place" and path is not None:
            move = next(moves)
            assert move.way is not None, "arms bring every part"
            if len(step.parts) == 1:
                path = arms.crew.path_of(arms.tables.frames[move.way], move.earlier.installed)
        steps.append(replace(step, robot=by_step.get(number), path=path))
    plan = replace(planned.plan, steps=tuple(steps))
    return replace(planned, plan=plan, in_cell=CellPlan(plan, arms.site.cell, arms.site.T_world_assembly, tasks))


class _Telling:
    """From moves, each with its keyframe, to tasks."""

    def __init__(self, crew: CellCrew, site: Site) -> None:
        self._crew, self._site = crew, site
        self._found: list[Task] = []
        self._hands: dict[int, Keyframe] = {}  # by part that is held
        self._stance, self._pose = UPRIGHT, 0
        self._step = 0  # that comes next

    def tasks(self, planned: Planned) -> tuple[Task, ...]:
        moves, steps = planned.moves, planned.plan.steps
        start = moves[0].earlier if moves else self._at_first(planned.plan)
        held, self._hands = start.held, self._frames(start)
        for frame in self._hands.values():
            self._tell(frame, self._holding(0, frame))
        for move in moves:
            turns = move.earlier.pose != self._pose
            changed = 1 if turns else (held ^ move.earlier.held).bit_count()
            self._change(steps[self._step : self._step + changed], move.earlier)
            held = move.earlier.held | move.parts
            if move.parts:
                self._place(move, planned.plan)
        self._change(steps[self._step :], moves[-1].later if moves else start)
        return tuple(self._found)

    def _at_first(self, plan: Plan) -> Node:
        """What there is where nothing is to be placed any more."""
        assembly = self._site.assembly
        installed, held = assembly.fixed_mask() | assembly.mask(plan.start.installed), assembly.mask(plan.start.held)
        return Node(installed, held, hands=self._crew.hands_on(installed, held) or ())

    def _change(self, steps: Sequence[Step], then: Node) -> None:
        """Hold and let go as steps say; then hands are as they are at a node, or some have let go of it."""
        wanted = self._frames(then)
        for step in steps:
            if step.action == "reorient":
                self._pose = then.pose
                self._turn(self._crew.tables.stances(then.pose)[0] if then.pose else Stance(self._stance.turn))
                self._step += 1
                continue
            part = self._site.assembly.index[step.parts[0]]
            if step.action == "hold":
                self._hands[part] = wanted[part]
                self._tell(wanted[part], self._holding(self._step, wanted[part]))
            elif part in self._hands:
                released = self._hands.pop(part)
                self._tell(released, self._releasing(self._step, released))
            self._step += 1
        for part, frame in wanted.items():
            if self._hands.get(part, frame) is not frame:  # one arm takes over from another
                first, self._hands[part] = self._hands[part], frame
                self._tell(frame, self._holding(self._step, frame), self._releasing(self._step, first))

    def _place(self, move: Move, plan: Plan) -> None:
        assert move.way is not None, "arms bring every part"
        frame = self._frame(move.way)
        placing = self._placing(self._step, frame, move)
        if frame.lower is not None:
            placing = self._pieced(self._step, frame, move, placing[-1], plan)
        self._tell(frame, *placing)
        self._hands[frame.part] = frame
        self._step += 1

    def _tell(self, frame: Keyframe, *tasks: Task) -> None:
        """Tasks with the turntable where a keyframe needs it."""
        if frame.turned != self._stance:
            self._turn(frame.turned)
        self._found += [replace(task, turned=self._stance) for task in tasks]

    def _turn(self, stance: Stance) -> None:
        self._stance = stance
        self._found.append(Task(self._step, ROTARY, "turn", turned=stance))

    def _frames(self, node: Node) -> dict[int, Keyframe]:
        """By part, whose hands are on it."""
        return {part: self._frame(way) for part, way in node.hands}

    def _frame(self, way: int) -> Keyframe:
        return self._crew.tables.frames[way]

    def _placing(self, step: int, frame: Keyframe, move: Move) -> list[Task]:
        pick = self._crew.pick_for(frame, move.earlier.installed, move.earlier.hands)
        assert pick is not None, "the search saw that there is one"
        arm, grasp = self._arm(frame.arm), frame.grasp
        to_place = (
            Waypoint("above-place", frame.coming[0], grasp.opening_m, True),
            self._straight("place", frame.coming, grasp.opening_m, True, frame.arm),
        )
        place = self._crew.tables.of(frame).site.place_of(frame.part)
        if pick.before is not None and pick.before.kind == "give":
            handed = self._handed_over(step, frame, pick, pick.before)
            return [*handed, Task(step, arm.name, "place", (grasp.part,), grasp, to_place, pick.T_world_part, place)]
        placing = Task(
            step, arm.name, "place", (grasp.part,), grasp, (*self._picking(pick, grasp, frame.arm), *to_place),
            pick.T_world_part, place,
        )  # fmt: skip
        return [placing] if pick.before is None else [self._put_down(step, pick.before), placing]

    def _pieced(self, step: int, frame: Keyframe, move: Move, placing: Task, plan: Plan) -> list[Task]:
        """The lower brick held out by one arm, the upper pressed on by another, which then has both and places them."""
        piecing = self._crew.piecing_for(frame, move.earlier.installed, move.earlier.hands)
        pick = self._crew.pick_for(frame, move.earlier.installed, move.earlier.hands)
        assert piecing is not None, "the search saw that there is one"
        assert pick is not None, "the search saw that there is one"
        upper, lower, held = frame.grasp, piecing.grasp, self._arm(piecing.arm).name
        number = next((k for k, one in enumerate(plan.apart) if set(one.parts) == {upper.part, lower.part}), None)
        if number is None or plan.apart[number].fast != lower.part:
            raise Undecided(f"{lower.part} and {upper.part} are not put together as arms would do it")
        there = piecing.T_world_upper
        *_, above, place = placing.waypoints
        return [
            Task(
                0, held, "join", (lower.part,), lower,
                (*self._picking(piecing.pick, lower, piecing.arm), Waypoint("join", piecing.q, lower.opening_m, True)),
                piecing.pick.T_world_part, piecing.T_world_part, number,
            ),
            Task(
                0, placing.arm, "join", (upper.part,), upper,
                (
                    *self._picking(pick, upper, frame.arm),
                    Waypoint("above-join", piecing.coming[0], upper.opening_m, True),
                    self._straight("join", piecing.coming, upper.opening_m, True, frame.arm),
                ),
                pick.T_world_part, there, number,
            ),
            Task(
                0, held, "part", (lower.part,), lower,
                (
                    Waypoint("join", piecing.q, lower.open_m),
                    *self._going_home(piecing.q, piecing.leaving, lower, piecing.arm),
                ),
                piecing.T_world_part, piecing.T_world_part, number,
            ),
            Task(
                step, placing.arm, "place", (upper.part, lower.part), upper, (above, place), there,
                placing.T_world_after,
            ),
        ]  # fmt: skip

    def _picking(self, pick: Pick, grasp: Grasp, arm: int) -> tuple[Waypoint, ...]:
        """From home to a part that lies, and up with it."""
        closed, opened = grasp.opening_m, grasp.open_m
        return (
            Waypoint("home", self._arm(arm).home, opened),
            Waypoint("above-pick", pick.coming[0], opened),
            self._straight("pick", pick.coming, opened, False, arm),
            Waypoint("pick", pick.coming[-1], closed, True),
            self._straight("lift", _joined(pick), closed, True, arm),
        )

    def _put_down(self, step: int, before: Transfer) -> Task:
        """Taken where it waits, put down on the table, and let go."""
        grasp, arm = before.grasp, before.arm
        return Task(
            step, self._arm(arm).name, "regrasp", (grasp.part,), grasp,
            (
                *self._picking(before.pick, grasp, arm),
                Waypoint("above-put", before.going[0], grasp.opening_m, True),
                self._straight("put", before.going, grasp.opening_m, True, arm),
                Waypoint("put", before.going[-1], grasp.open_m),
                *self._going_home(before.going[-1], before.leaving, grasp, arm),
            ),
            before.pick.T_world_part, before.T_world_part,
        )  # fmt: skip

    def _handed_over(self, step: int, frame: Keyframe, pick: Pick, before: Transfer) -> list[Task]:
        """Held out by one arm, taken by the other, then let go by the first."""
        gives, takes, q = before.grasp, frame.grasp, before.going[-1]
        giver, taker = self._arm(before.arm), self._arm(frame.arm)
        there = before.T_world_part
        return [
            Task(
                step, giver.name, "give", (gives.part,), gives,
                (*self._picking(before.pick, gives, before.arm), Waypoint("give", q, gives.opening_m, True)),
                before.pick.T_world_part, there,
            ),
            Task(
                step, taker.name, "take", (takes.part,), takes,
                (
                    Waypoint("home", taker.home, takes.open_m),
                    Waypoint("above-take", pick.coming[0], takes.open_m),
                    self._straight("take", pick.coming, takes.open_m, False, frame.arm),
                    Waypoint("take", pick.coming[-1], takes.opening_m, True),
                ),
                there, there,
            ),
            Task(
                step, giver.name, "give", (gives.part,), gives,
                (Waypoint("give", q, gives.open_m), *self._going_home(q, before.leaving, gives, before.arm)),
                there, there,
            ),
        ]  # fmt: skip

    def _going_home(self, q: np.ndarray, leaving: np.ndarray, grasp: Grasp, arm: int) -> tuple[Waypoint, ...]:
        """Straight back from a part that was let go, and home."""
        back = np.concatenate([q[None], leaving[1:]])
        return (
            self._straight("retreat", back, grasp.open_m, False, arm),
            Waypoint("home", self._arm(arm).home, grasp.open_m),
        )

    def _holding(self, step: int, frame: Keyframe) -> Task:
        """From home to a part that is in place, and closed on it."""
        grasp, place = frame.grasp, self._crew.tables.of(frame).site.place_of(frame.part)
        return Task(
            step, self._arm(frame.arm).name, "hold", (grasp.part,), grasp,
            (
                Waypoint("home", self._arm(frame.arm).home, grasp.open_m),
                Waypoint("above-hold", frame.coming[0], grasp.open_m),
                self._straight("hold", frame.coming, grasp.open_m, False, frame.arm),
                Waypoint("hold", frame.q, grasp.opening_m, True),
            ),
            place, place,
        )  # fmt: skip

    def _releasing(self, step: int, frame: Keyframe) -> Task:
        grasp, place = frame.grasp, self._crew.tables.of(frame).site.place_of(frame.part)
        return Task(
            step, self._arm(frame.arm).name, "release", (grasp.part,), grasp,
            (
                Waypoint("place", frame.q, grasp.open_m),
                *self._going_home(frame.q, frame.leaving, grasp, frame.arm),
            ),
            place, place,
        )  # fmt: skip

    def _straight(self, name: str, joints: np.ndarray, opening_m: float, holding: bool, arm: int) -> Waypoint:
        station = self._crew.table.stations[arm]
        poses = station.placed.T_world_base @ station.kinematics.forward(joints)
        return Waypoint(name, joints[-1], opening_m, holding, True, joints, poses)

    def _arm(self, number: int) -> CellArm:
        return self._site.cell.arms[number]


def _joined(pick: Pick) -> np.ndarray:
    """The lift, from the very joints at which the hand closed."""
    return np.concatenate([pick.coming[-1:], pick.lifting[1:]])


def _refuse_homes_in_the_way(site: Site) -> None:
    """BadInput where an arm waits where the structure will be, or in what waits."""
    for arm in site.cell.arms:
        (met,) = masks(blockers(ArmBodies(arm), arm.home[None], site.around))
        if met:
            name = names_of(met, site.around)[0]
            raise BadInput(f"arm {shown(arm.name)}: {shown(name)} is in its way where it waits; choose another home")
