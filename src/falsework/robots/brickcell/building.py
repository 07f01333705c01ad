"""A brick plan carried out by the arms of a cell, in the brick world: what every step did, and how long it took.

Bricks wait on the feeders, not quite where they should; arms take them, one after another, and press them home. What
comes as one is put together apart first, on a free place of the table.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from falsework.brickworld.building import Placed, Placing
from falsework.brickworld.events import Break
from falsework.formats.opening import PlanSource, Source, opened_plan
from falsework.geometry.contacts.interfaces import interfaces
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, Undecided, shown
from falsework.model.figures import count
from falsework.model.interfaces import Interfaces
from falsework.model.part import Part
from falsework.model.plan import Plan
from falsework.model.poses import about
from falsework.model.robots.cell import Cell
from falsework.model.shapes import corners
from falsework.planning.nodes.apart import alone
from falsework.planning.rehearsal import placings
from falsework.planning.verification.failures import Failure
from falsework.robots.brickcell.cell_world import CellWorld, Grips
from falsework.robots.brickcell.mason import Errors, Mason
from falsework.robots.brickcell.staging import free_place
from falsework.robots.cells.feeding import waiting_places

STAYS_S = 0.1  # for which everything stands by itself afterwards


@dataclass(frozen=True, slots=True)
class Chance:
    """What differs from one seed to another: how bricks lie on the feeders, how rough pads are, how well arms see.

    >>> Chance.none().errors.place_m
    0.0
    """

    lie_m: float = 2e-3  # either way, along x and y
    lie_deg: float = 4.0  # either way
    friction: float = 0.2  # of the pads', either way
    errors: Errors = field(default_factory=Errors)

    @staticmethod
    def none() -> Chance:
        """Everything as the cell says it."""
        return Chance(0.0, 0.0, 0.0, Errors(0.0, 0.0))


@dataclass(frozen=True, slots=True, eq=False)
class Built:
    """What arms did with a plan. Times in s; `cpu_s` is of the process, planning of ways included.

    >>> Built((), 12.0, 1.5, True, ("arm",)).complete
    True
    """

    placed: tuple[Placed, ...]
    seconds: float
    cpu_s: float
    complete: bool  # every connection of the assembly is there
    by: tuple[str, ...]  # the arm of each step
    stopped: str = ""  # why it went no further

    @property
    def held(self) -> bool:
        """All bricks are in, and nothing broke on the way."""
        return self.complete and not self.stopped and all(one.held for one in self.placed)


def build_with_arms(
    plan: PlanSource,
    source: Source | None = None,
    *,
    cell: Cell,
    seed: int | np.random.Generator = 0,
    chance: Chance | None = None,
    grip: Grips = "contact",
    watch: Callable[[CellWorld], object] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Built:
    """Every placing of a brick plan, done by the arms of a cell.

    plan    what `plan` answered, its plan, or the path of a plan file
    source  the assembly, where it is at hand or the plan does not name its file
    chance  what differs from seed to seed
    grip    "contact": hands hold by friction. "weld": what a hand has closed on is welded to it, to compare
    watch   is given the world before anything happens: recorders, films

    >>> import falsework
    >>> stack = falsework.new("duplo-stack")
    >>> build_with_arms(falsework.plan(stack), stack, cell=falsework.new_cell("panda")).held
    True
    """
    plan, assembly = opened_plan(plan, source)
    rng = np.random.default_rng(seed)
    job = _Job(plan, assembly, cell, rng, chance or Chance(), grip)
    if watch is not None:
        watch(job.world)
    begin, cpu = job.world.time_s, time.process_time()
    steps = list(placings(plan, assembly, job.joints))
    stopped = ""
    for number, step in enumerate(steps):
        try:
            job.place(step)
        except Undecided as why:
            stopped = f"placing {', '.join(step.parts)}: {why}"
            break
        if not job.done[-1].held:
            stopped = f"{', '.join(step.parts)} {'broke something' if job.done[-1].broken else 'did not go in'}"
            break
        if progress is not None:
            progress(number + 1, len(steps))
    job.world.run(STAYS_S)
    return Built(
        tuple(job.done), job.world.time_s - begin, time.process_time() - cpu, job.complete, tuple(job.by), stopped
    )


def shortcomings(plan: Plan, built: Built) -> tuple[Failure, ...]:
    """What a build by arms says against the steps of a plan; where no arm found a way, that is nothing against it."""
    steps = [number for number, step in enumerate(plan.steps, 1) if step.action == "place"]
    found = []
    for step, placed in zip(steps, built.placed, strict=False):
        if not placed.held:
            pairs = ", ".join(f"{stud}–{hole}" for stud, hole in placed.broken)
            why = f"{pairs} breaks" if pairs else f"{', '.join(placed.parts)} does not go in"
            found.append(Failure(step, f"built by arms, {why}"))
    if built.stopped and not found:
        found.append(Failure(steps[len(built.placed)], f"arms: {built.stopped}", undecided=True))
    return tuple(found)


class _Job:
    def __init__(
        self, plan: Plan, assembly: Assembly, cell: Cell, rng: np.random.Generator, chance: Chance, grip: Grips
    ) -> None:
        self.plan, self.assembly, self.cell = plan, assembly, _as_it_is(cell, rng, chance)
        _refuse(plan, assembly)
        self.joints = interfaces(assembly)
        self.world = CellWorld(self.cell, assembly, placed=self._lying(plan, rng, chance), grip=grip)
        self.world.world.prepare()
        self.mason = Mason(self.world, rng, chance.errors)
        self.breaks: list[Break] = []
        self.world.world.on_break.append(self.breaks.append)
        self.there = {*assembly.fixed, *plan.start.installed}
        self.done: list[Placed] = []
        self.by: list[str] = []
        self.apart = {frozenset(built.parts): built for built in plan.apart}

    def place(self, step: Placing) -> None:
        """One step, with what must be put together for it first."""
        if step.press is None:
            raise BadInput(f"the step that places {', '.join(step.parts)} has no press: arms press bricks home")
        if float(step.press.force_n[2]) >= 0 or np.abs(step.press.force_n[:2]).max() > 1e-9:
            raise BadInput(
                f"{shown(step.press.part)} is not pressed from above; hands of the brick world come from there"
            )
        before = len(self.breaks)
        self._put_together(step.parts)
        goal = self.cell.T_world_structure
        self.by.append(self._lay(step, self.assembly, goal, self.there))
        wanted = _wanted(self.assembly, self.joints, self.there, step.parts)
        self.there.update(step.parts)
        breaks = self.breaks[before:]
        pairs = tuple(pair for event in breaks for pair in event.connections)
        joined = wanted <= set(self.world.world.connections)
        self.done.append(Placed(step.parts, joined, pairs, breaks[0].utilization if breaks else None, self._drift()))

    def _put_together(self, parts: tuple[str, ...]) -> None:
        """On a free place of the table, where they come as one: the first lies there, others are pressed onto it."""
        built = self.apart.pop(frozenset(parts), None)
        if built is None:
            return
        model = alone(self.assembly, built.parts, built.fast)
        steps = list(placings(Plan(self.plan.rules, "complete", built.steps), model, interfaces(model)))
        for step in steps:
            self._put_together(step.parts)
        goal = free_place(self.world, self.assembly, built.parts)
        fast = self.assembly.bodies[self.assembly.index[built.fast]]
        self.mason.lay((built.fast,), built.fast, goal @ fast.T_world_part)
        there = {built.fast}
        for step in steps:
            self._lay(step, model, goal, there)
            there.update(step.parts)

    def _lay(self, step: Placing, model: Assembly, T_world_model: Array, there: set[str]) -> str:
        assert step.press is not None
        part = model.bodies[model.index[step.press.part]]
        point = self._best_point(step, model, T_world_model)
        press = float(np.linalg.norm(step.press.force_n))
        wanted = _wanted(model, interfaces(model), there, step.parts)
        return self.mason.lay(
            step.parts,
            part.name,
            T_world_model @ part.T_world_part,
            press,
            point,
            until=lambda: wanted <= set(self.world.world.connections),
        )

    def _best_point(self, step: Placing, model: Assembly, T_world_model: Array) -> Array:
        """(3,) where over the joints that it enters a brick is best pressed: nearest to what carries them.

        A joint closes wherever it is pressed; what is below carries the press over the way to the ground.
        """
        assert step.press is not None
        part = model.bodies[model.index[step.press.part]]
        low, high = _box(part)
        there = [
            one for one in model.parts if one.name not in step.parts and one.name in self.world.world.assembly.index
        ]
        over = [
            (np.maximum(low, lo), np.minimum(high, hi)) for lo, hi in map(_box, there) if abs(hi[2] - low[2]) < 1e-4
        ]
        rooms = [(lo[:2], hi[:2]) for lo, hi in over if (hi[:2] - lo[:2] > 1e-4).all()]
        point = part.com_world_m if step.press.point_m is None else step.press.point_m
        feet = [one for one in there if one.name in self.there and _box(one)[0][2] < 1e-4]
        if rooms and feet:
            near = min(feet, key=lambda one: float(np.linalg.norm((one.com_world_m - point)[:2]))).com_world_m[:2]
            spots = [np.clip(near, lo, hi) for lo, hi in rooms]
            point = np.append(min(spots, key=lambda spot: float(np.linalg.norm(spot - near))), point[2])
        found: Array = (T_world_model @ np.append(point, 1.0))[:3]
        return found

    @property
    def complete(self) -> bool:
        names = [body.name for body in self.assembly.bodies]
        wanted = {(names[stud], names[hole]) for stud, hole in self.joints.clutches.bodies.tolist()}
        return wanted <= set(self.world.world.connections)

    def _drift(self) -> float:
        """The farthest that any part that was placed is from its place."""
        rows = [self.assembly.index[name] for name in self.there]
        goals = self.cell.T_world_structure @ self.assembly.poses[rows]
        return float(np.linalg.norm(self.world.world.poses()[rows, :3, 3] - goals[:, :3, 3], axis=1).max(initial=0.0))

    def _lying(self, plan: Plan, rng: np.random.Generator, chance: Chance) -> dict[str, Array]:
        """T_world_part of every part: in its place, or on its feeder and not quite as the cell says."""
        placed: dict[str, Array] = {}
        waiting = waiting_places(self.cell, self.assembly)
        for part in self.assembly.parts:
            if part.name in plan.start.installed or part.name in self.assembly.fixed:
                placed[part.name] = self.cell.T_world_structure @ part.T_world_part
                continue
            T = waiting[part.name][0].T_world_part.copy()
            centre = T[:3, :3] @ part.com_part_m + T[:3, 3]
            turn = about(2, float(rng.uniform(-1, 1)) * chance.lie_deg)
            T[:3, 3] = centre + turn @ (T[:3, 3] - centre)
            T[:3, :3] = turn @ T[:3, :3]
            T[:2, 3] += rng.uniform(-1, 1, 2) * chance.lie_m
            placed[part.name] = T
        return placed


def _as_it_is(cell: Cell, rng: np.random.Generator, chance: Chance) -> Cell:
    """The cell with pads as rough as chance has it."""
    rough = 1.0 + chance.friction * rng.uniform(-1.0, 1.0)
    arms = [replace(one, tool=replace(one.tool, friction=rough * one.tool.friction)) for one in cell.arms]
    return replace(cell, arms=tuple(arms))


def _refuse(plan: Plan, assembly: Assembly) -> None:
    if not all(part.is_brick for part in assembly.parts):
        raise BadInput("arms of the brick world lay bricks; this assembly has parts that are none")
    busy = max((len(set(step.held) - set(step.parts)) for step in plan.steps if step.action == "place"), default=0)
    if busy:
        raise BadInput(
            f"the plan holds {count(busy, 'part')} while it places another; arms here do not hold for others"
        )


def _box(part: Part) -> tuple[Array, Array]:
    """Lowest and highest corner of a brick's body, in the assembly's coordinates."""
    points = corners(part.shape) @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3]
    return points.min(axis=0), points.max(axis=0)


def _wanted(assembly: Assembly, joints: Interfaces, there: set[str], parts: tuple[str, ...]) -> set[tuple[str, str]]:
    """Stud brick and hole brick of the connections between parts and what is there."""
    names = [body.name for body in assembly.bodies]
    ground = set() if assembly.ground_part is None else {assembly.ground_part.name}
    pairs: Iterator[tuple[str, str]] = ((names[a], names[b]) for a, b in joints.clutches.bodies.tolist())
    return {pair for pair in pairs if len(set(pair) & set(parts)) == 1 and len(set(pair) & (there | ground)) == 1}
