"""Plans with arms made without a search: every part is taken from above and put down from above, by a named arm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from falsework.geometry.shapes.convex_pieces import pieces_of
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import Undecided, shown
from falsework.model.part import Part
from falsework.model.plan import Plan, Rules, Step
from falsework.model.poses import inverse
from falsework.model.robots.cell import Cell, CellArm
from falsework.model.robots.grasp import Grasp, GripKind
from falsework.model.robots.task import CellPlan, Task, Waypoint
from falsework.robots.cells.feeding import waiting_places
from falsework.robots.cells.reaching import Worker
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.collision.collisions import blockers, masks
from falsework.robots.collision.surroundings import Surroundings

ABOVE_M = 0.1  # where the straight way to a part begins
STEP_M = 0.005  # between joints along it
GRIP_DEPTH_M = 0.015  # fingers reach so far below a part's top
CLEAR_M = 0.003  # on each side as the fingers come
KINDS: dict[str, GripKind] = {"parallel": "pinch", "suction": "suction", "stud": "studs"}


@dataclass(frozen=True, slots=True)
class Job:
    """A part and the arm that places it."""

    part: str
    arm: str


def top_down(cell: Cell, assembly: Assembly, jobs: Sequence[Job], rules: Rules | None = None) -> CellPlan:
    """Part after part: taken, placed, let go; Undecided where an arm does not reach."""
    maker = _Maker(cell, assembly)
    tasks: list[Task] = []
    steps: list[Step] = []
    for job in jobs:
        tasks += maker.tasks(job, len(steps))
        path = np.array([_shifted(maker.part(job.part).T_world_part, ABOVE_M), maker.part(job.part).T_world_part])
        steps += [Step("place", (job.part,), held=(job.part,), path=path), Step("release", (job.part,))]
    plan = Plan(rules or Rules(robots=len(cell.arms)), "complete", tuple(steps), target=tuple(job.part for job in jobs))
    return CellPlan(plan, cell, cell.T_world_structure, tuple(tasks))


class _Maker:
    def __init__(self, cell: Cell, assembly: Assembly) -> None:
        self.cell, self.assembly = cell, assembly
        self.waiting = waiting_places(cell, assembly)
        self.around = Surroundings.of(cell)
        self.workers = {one.placed.name: one for one in Worker.all_of(cell, assembly)}

    def part(self, name: str) -> Part:
        return next(one for one in self.assembly.parts if one.name == name)

    def tasks(self, job: Job, step: int) -> Iterator[Task]:
        part, placed = self.part(job.part), self.cell.arm_named(job.arm)
        after = self.cell.T_world_structure @ part.T_world_part
        for place in self.waiting[job.part]:
            for grasp in _grasps(part, placed):
                found = self._ways(placed, grasp, place.T_world_part, after)
                if found is not None:
                    (high, pick), (ready, put) = found
                    home, tool = placed.home, placed.tool.opening_m[1]
                    yield Task(
                        step, job.arm, "place", (job.part,), grasp,
                        (
                            Waypoint("above-pick", high[0], grasp.open_m),
                            Waypoint("pick", pick[-1], grasp.open_m, straight=True, way=pick),
                            Waypoint("pick", pick[-1], grasp.opening_m, holding=True),
                            Waypoint("lift", high[0], grasp.opening_m, True, True, pick[::-1]),
                            Waypoint("above-place", ready[0], grasp.opening_m, True),
                            Waypoint("place", put[-1], grasp.opening_m, True, True, put),
                        ),
                        place.T_world_part, after,
                    )  # fmt: skip
                    yield Task(
                        step + 1, job.arm, "release", (job.part,), grasp,
                        (
                            Waypoint("place", put[-1], grasp.open_m),
                            Waypoint("retreat", ready[0], grasp.open_m, False, True, put[::-1]),
                            Waypoint("home", home, min(tool, grasp.open_m)),
                        ),
                    )  # fmt: skip
                    return
        raise Undecided(f"arm {shown(job.arm)} does not reach part {shown(job.part)} from above")

    def _ways(
        self, placed: CellArm, grasp: Grasp, pick: Array, put: Array
    ) -> tuple[tuple[Array, Array], tuple[Array, Array]] | None:
        """The joints from above down to both, without a jump."""
        found = []
        bodies = ArmBodies(placed, grasp.open_m)
        for T in (pick @ grasp.T_part_tool, put @ grasp.T_part_tool):
            clear = (way for way in self._down(placed, T) if not any(masks(blockers(bodies, way, self.around))))
            way = next(clear, None)
            if way is None:
                return None
            found.append((way[:1], way))
        return found[0], found[1]

    def _down(self, placed: CellArm, T: Array) -> Iterator[Array]:
        worker = self.workers[placed.name]
        back = inverse(placed.T_world_base)
        heights = np.linspace(ABOVE_M, 0.0, int(ABOVE_M / STEP_M) + 1)
        poses = back @ np.array([_shifted(T, height) for height in heights])
        branches = worker.kinematics.branches(poses[0])
        for start in sorted(branches, key=lambda q: -_dexterity(worker, q)):
            way = [start]
            for pose in poses[1:]:
                q = worker.kinematics.solve(pose, way[-1])
                if q is None or np.abs(q - way[-1]).max() > 0.15:
                    break
                way.append(q)
            if len(way) == len(poses) and not worker.bodies.touches_itself(np.array(way), 0.002).any():
                yield np.array(way)


def _dexterity(worker: Worker, q: Array) -> float:
    """How far from a singular position, by the least singular value of the Jacobian."""
    return float(np.linalg.svd(worker.kinematics.jacobian(q), compute_uv=False)[-1])


def _grasps(part: Part, placed: CellArm) -> Iterator[Grasp]:
    """From above, with the fingers, or the plate, along both sides of the part as it stands in the structure."""
    tool = placed.tool
    solid = np.concatenate([piece.vertices for piece in pieces_of(part.shape).body])
    corners = solid @ part.T_world_part[:3, :3].T
    low, high = corners.min(axis=0), corners.max(axis=0)
    size = high - low
    depth = min(GRIP_DEPTH_M, 0.5 * float(size[2])) if tool.kind == "parallel" else 0.0
    turns = (0, 180, 90, 270) if size[0] >= size[1] else (90, 270, 0, 180)
    for turn in turns:
        angle = np.radians(turn)
        x = np.array([np.cos(angle), np.sin(angle), 0.0])
        T = np.eye(4)
        T[:3, :3] = np.column_stack([x, np.cross([0.0, 0.0, -1.0], x), [0.0, 0.0, -1.0]])
        T[:3, 3] = (*(low + high)[:2] / 2, high[2] - depth)
        own = np.eye(4)
        own[:3, :3] = part.T_world_part[:3, :3]
        width = float(size[1] if turn % 180 == 0 else size[0])
        if tool.kind != "parallel":
            width = 0.0
        if width + 2 * CLEAR_M <= tool.opening_m[1] or width == 0.0:
            wide = 0.0 if width == 0.0 else width + 2 * CLEAR_M
            yield Grasp(part.name, KINDS[tool.kind], inverse(own) @ T, width, wide, tool.force_n[1], 2.0)


def _shifted(T: Array, height: float) -> Array:
    moved: Array = T.copy()
    moved[2, 3] += height
    return moved
