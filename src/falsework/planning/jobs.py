"""What the searches are asked, and what they answer."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np

from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.plan import Plan, PlanStatus
from falsework.model.ports import PartSelector
from falsework.model.verdict import Verdict
from falsework.planning.ledger import Blocked, Branch, Refused
from falsework.planning.moves import Move, Node
from falsework.planning.walks import Task
from falsework.planning.workshop import Goal, Workshop

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
    """Where a search is."""

    evaluations: int
    fewest_left: int  # parts that the best node so far leaves to be moved
    elapsed_s: float


@dataclass(frozen=True, slots=True)
class Settings:
    """How to search."""

    planner: Planner = "auto"
    selector: str | PartSelector = "height"
    budget: int | None = None  # evaluations
    timeout_s: float | None = None
    seed: int = 0
    groups: bool = True  # where single parts come to nothing, parts may be placed together

    def __post_init__(self) -> None:
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
    started_s: float = field(default_factory=time.monotonic)  # timeouts count from here

    def task(self) -> Task:
        """As walks see it; randomness of the selector is its own."""
        rng = np.random.default_rng(self.settings.seed).spawn(1)[0]
        return self.workshop.task(self.goal, self.settings.selector, rng)

    def within(self, spent: int, most: int | None = None) -> Job | None:
        """The same with what is left of the budget, and `most` evaluations at most; None where nothing is left."""
        left = None if self.settings.budget is None else self.settings.budget - spent
        budget = min((limit for limit in (left, most) if limit is not None), default=None)
        if budget is not None and budget <= 0:
            return None
        return replace(self, settings=replace(self.settings, budget=budget))

    @property
    def elapsed_s(self) -> float:
        return time.monotonic() - self.started_s

    @property
    def is_late(self) -> bool:
        """Whether the time is up."""
        return self.settings.timeout_s is not None and self.elapsed_s >= self.settings.timeout_s


@dataclass(frozen=True, slots=True, eq=False)
class Planned:
    """What a search came to: the plan, how much it took, and if there is no plan, why not."""

    plan: Plan
    moves: tuple[Move, ...]
    evaluations: int
    wall_s: float
    why: str = ""
    blocked: dict[int, Blocked] = field(default_factory=dict)  # by part: what was refused
    alternatives: tuple[Plan, ...] = ()
    tree: tuple[Branch, ...] = ()  # the nodes that were visited, in order
    refused: tuple[Refused, ...] = ()  # the moves that could not be made from them
    verdict_of: Callable[[Node], Verdict] | None = None  # solves for a certificate when asked; None: the time is up
    fewest: bool | None = None  # whether it is proved that no plan makes do with fewer hands; None: nobody asked

    @property
    def status(self) -> PlanStatus:
        return self.plan.status
