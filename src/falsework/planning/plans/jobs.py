"""What the searches are asked, and what they answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np

from falsework.model.answers import NotTrueOrFalse
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.interfaces import Interfaces
from falsework.model.plan import Plan, PlanStatus, Rules
from falsework.model.ports import PartSelector
from falsework.model.robots.task import CellPlan
from falsework.model.travel import STAYS, MadeAnew
from falsework.model.verdict import Verdict
from falsework.planning.nodes.deadline import Deadline
from falsework.planning.nodes.goals import Goal
from falsework.planning.nodes.ledger import Blocked, Branch, Refused
from falsework.planning.nodes.moves import Move, Node
from falsework.planning.plans.workshop import Workshop
from falsework.planning.search.fastener_order import FASTENER_ORDERS, FastenerOrder
from falsework.planning.search.walks import Task

Planner = Literal[
    "auto",
    "best-first",
    "depth-first",
    "beam",
    "growing-beam",
    "anytime",
    "subassemblies",
    "one-by-one",
    "random-permutation",
    "genetic",
    "stability-blind",
]
PLANNERS: tuple[Planner, ...] = get_args(Planner)
BASELINES: tuple[Planner, ...] = PLANNERS[-3:]


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a search is.

    >>> Progress(evaluations=10, fewest_left=3, elapsed_s=0.2).fewest_left
    3
    """

    evaluations: int
    fewest_left: int  # parts that the best node so far leaves to be moved
    elapsed_s: float


@dataclass(frozen=True, slots=True)
class Settings:
    """How to search.

    >>> Settings(planner="beam", budget=1000).seed
    0
    """

    planner: Planner = "auto"
    selector: str | PartSelector = "height"
    budget: int | None = None  # evaluations
    seed: int = 0
    groups: bool = True  # where single parts come to nothing, parts may be placed together
    fasteners: FastenerOrder = "as-found"

    def __post_init__(self) -> None:
        if self.fasteners not in FASTENER_ORDERS:
            raise BadInput(f"fasteners {shown(self.fasteners)}: {did_you_mean(self.fasteners, FASTENER_ORDERS)}")
        if self.planner not in PLANNERS:
            raise BadInput(f"planner {shown(self.planner)}: {did_you_mean(self.planner, PLANNERS)}")


DEFAULTS = Settings()


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """One question: what to build on what, in a workshop that remembers what it has learned, and how to search."""

    workshop: Workshop
    goal: Goal
    settings: Settings = DEFAULTS
    progress: Callable[[Progress], None] | None = None
    deadline: Deadline = field(default_factory=Deadline)

    def task(self) -> Task:
        """As walks see it; randomness of the selector is its own."""
        rng = np.random.default_rng(self.settings.seed).spawn(1)[0]
        return self.workshop.task(self.goal, self.settings.selector, rng, self.settings.fasteners)

    def within(self, spent: int, most: int | None = None) -> Job | None:
        """The same with what is left of the budget, and `most` evaluations at most; None where nothing is left."""
        left = None if self.settings.budget is None else self.settings.budget - spent
        budget = min((limit for limit in (left, most) if limit is not None), default=None)
        if budget is not None and budget <= 0:
            return None
        return replace(self, settings=replace(self.settings, budget=budget))


@dataclass(frozen=True, slots=True, eq=False)
class Planned(MadeAnew, NotTrueOrFalse):
    """What a search came to: the plan, how much it took, and if there is no plan, why not.

    What solves for certificates stays in the process that searched; all else travels.

    >>> import falsework
    >>> planned = falsework.plan("examples/arch.yaml", robots=1)
    >>> planned.status, planned.plan.proof.by
    ('infeasible', 'search')
    """

    ASK_INSTEAD = "planned.status == 'complete'"

    plan: Plan
    moves: tuple[Move, ...]
    evaluations: int
    wall_s: float
    why: str = ""
    blocked: dict[int, Blocked] = field(default_factory=dict)  # by part: what was refused
    alternatives: tuple[Plan, ...] = ()
    tree: tuple[Branch, ...] = ()  # the nodes that were visited, in order
    refused: tuple[Refused, ...] = ()  # the moves that could not be made from them
    # Solves for a certificate, while there is time; it stays in the process that searched.
    verdict_of: Callable[[Node], Verdict | None] | None = field(default=None, metadata=STAYS)
    joints: Interfaces | None = None  # None: the time was up before they were all found
    in_cell: CellPlan | None = None  # how the arms of a cell carry it out, where one was given
    fewest: bool | None = None  # whether it is proved that no plan makes do with fewer hands; None: nobody asked

    @staticmethod
    def late(assembly: Assembly, rules: Rules, goal: Goal, deadline: Deadline) -> Planned:
        """The time was up before a search could begin."""
        plan = Plan(rules, "timeout", (), start=goal.start(assembly), target=goal.target(assembly))
        return Planned(plan, (), 0, deadline.elapsed_s, "the time was up before the search could begin")

    def _repr_html_(self) -> str:
        """In a notebook: its plan."""
        return self.plan._repr_html_()

    def with_plan(self, plan: Plan) -> Planned:
        """The same with its plan told otherwise: where it comes from, what it builds."""
        return replace(self, plan=plan, in_cell=None if self.in_cell is None else replace(self.in_cell, plan=plan))

    @property
    def status(self) -> PlanStatus:
        return self.plan.status
