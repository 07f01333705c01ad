"""What arms do, one task after another, in joint positions, and the plan that they carry out.

A task leads one arm through waypoints. The way to a waypoint is `straight` where the hand's path in space matters (to
a part and away from it, and with a part along the way it leaves or enters the structure): then `way` has the joints
along it, close enough together to be followed joint by joint. All other ways are free: whoever makes motions finds
them. One arm moves at a time in the order of the tasks; what the others do meanwhile is `CellPlan.hands`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from falsework.model.arrays import Array, freeze, frozen
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.plan import Plan
from falsework.model.robots.cell import Cell
from falsework.model.robots.grasp import Grasp
from falsework.model.robots.tilting import UPRIGHT, Stance
from falsework.model.travel import MadeAnew

Doing = Literal["place", "hold", "release", "regrasp", "give", "take", "join", "part", "turn"]
DOINGS: tuple[Doing, ...] = get_args(Doing)


@dataclass(frozen=True, slots=True, eq=False)
class Waypoint(MadeAnew):
    """Where an arm comes by: its joints, how far its fingers are open when it is there, and whether it holds the part.

    Names that occur: home, above-pick, pick, lift, above-place, approach, place, retreat, above-hold, hold,
    above-put, put, above-take, take, give, join. `opening_m` and `holding` are reached at the waypoint, after the way
    to it: "pick" comes twice in a row, first open, then closed and holding; so does "place" where the hand lets go.

    >>> Waypoint("home", [0.0, 0.5], 0.08).holding
    False
    """

    name: str
    q: Array  # (n,) joints
    opening_m: float
    holding: bool = False
    straight: bool = False
    way: Array | None = None  # (k, n) where straight: joints from the waypoint before to this one, both included
    T_world_tool: Array | None = None  # (k, 4, 4) where straight: the tool point along `way`

    def __post_init__(self) -> None:
        freeze(self, q=(None,))
        n = len(self.q)
        if not (np.isfinite(self.q).all() and 0 <= self.opening_m < np.inf):
            raise BadInput(f"waypoint {shown(self.name)}: expected finite joints and an opening from 0 upwards")
        if self.straight != (self.way is not None):
            raise BadInput(f"waypoint {shown(self.name)}: a straight way, and no other, has its joints along it")
        if self.way is not None:
            object.__setattr__(self, "way", frozen(self.way, (None, n)))
            if not np.array_equal(self.way[-1], self.q):
                raise BadInput(f"waypoint {shown(self.name)}: its way does not end at its joints")
        if self.T_world_tool is not None:
            object.__setattr__(self, "T_world_tool", frozen(self.T_world_tool, (None, 4, 4)))


@dataclass(frozen=True, slots=True, eq=False)
class Task(MadeAnew):
    """One arm's doing for one step of the plan.

    `place`: it takes parts where they wait, brings them to their place and stays there, holding. `hold`: it takes hold
    of a part that is in place. `release`: it lets go and goes home. `regrasp`: it puts a part down on the table, lets
    go and goes home; the part is taken again by the task that follows. `give` and `take`: a part goes from hand to
    hand; the giver's task comes first and keeps holding until the taker holds too, then a second `give` lets go of it
    and goes home. `join`: two bricks are put together in the air, by the arm that holds the lower one out, and then by
    the one that presses the upper one on; `part`: the first lets go and goes home, and the other has both. `turn`: the
    turntable turns or tilts with what is on it, all arms are home.

    >>> Task(0, "left", "release", ("a",)).T_world_before is None
    True
    """

    step: int  # of the plan's steps
    arm: str
    action: Doing
    parts: tuple[str, ...] = ()  # that move with the hand; the first is the one that it grips; none: it turns
    grasp: Grasp | None = None
    waypoints: tuple[Waypoint, ...] = ()
    T_world_before: Array | None = None  # (4, 4) the gripped part when the task begins
    T_world_after: Array | None = None  # (4, 4) and when it ends
    subassembly: int | None = None  # steps are those of this one of the plan's subassemblies
    turned: Stance = UPRIGHT  # how the turntable stands during the task, or after it where it is `turn`

    def __post_init__(self) -> None:
        for many in ("parts", "waypoints"):
            object.__setattr__(self, many, tuple(getattr(self, many)))
        if self.action not in DOINGS:
            raise BadInput(f"task: action {shown(self.action)}: {did_you_mean(self.action, DOINGS)}")
        for name in ("T_world_before", "T_world_after"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, frozen(getattr(self, name), (4, 4)))

    @property
    def part(self) -> str:
        """The part that the hand grips."""
        return self.parts[0]


@dataclass(frozen=True, slots=True, eq=False)
class CellPlan(MadeAnew):
    """A plan, and the tasks by which the arms of a cell carry it out, in order.

    >>> from falsework import new_cell, Plan, Rules
    >>> import numpy as np
    >>> CellPlan(Plan(Rules(), "complete", ()), new_cell("two-panda"), np.eye(4), ()).hands(0)
    {}
    """

    plan: Plan
    cell: Cell
    T_world_assembly: Array  # (4, 4) maps the assembly's coordinates to the world's, turntable at 0
    tasks: tuple[Task, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "tasks", tuple(self.tasks))
        freeze(self, T_world_assembly=(4, 4))

    def hands(self, done: int) -> dict[str, Task]:
        """Which arms hold something once so many tasks are done: by arm, the task by which it took hold."""
        holding: dict[str, Task] = {}
        for task in self.tasks[:done]:
            gives = task.action == "give" and bool(task.waypoints) and task.waypoints[-1].holding
            if task.action in ("place", "hold", "take", "join") or gives:
                holding[task.arm] = task
            elif task.action in ("release", "regrasp", "give", "part"):
                holding.pop(task.arm, None)
        return holding

    def stands(self, done: int) -> dict[str, Array]:
        """(n,) by arm, where it is once so many tasks are done: at its last waypoint, or at home."""
        at = {one.name: one.home for one in self.cell.arms}
        for task in self.tasks[:done]:
            if task.waypoints:
                at[task.arm] = task.waypoints[-1].q
        return at
