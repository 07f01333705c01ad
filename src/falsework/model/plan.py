"""A plan: steps that build an assembly, in assembly order, and the rules they were found under."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from falsework.model.arrays import Array, frozen
from falsework.model.errors import BadInput, shown
from falsework.model.provenance import Provenance

PLAN_FORMAT = "falsework-plan/1"
Action = Literal["place", "hold", "release", "reorient"]
PlanStatus = Literal["complete", "infeasible", "budget", "timeout"]


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One action; `held` is what is held once it is done."""

    action: Action
    parts: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    path: Array | None = None  # (k, 4, 4) poses of the part in the assembly frame, from free to final
    T_world_assembly: Array | None = None  # (4, 4), for reorient
    utilization: float | None = None

    def __post_init__(self) -> None:
        if self.action not in ("place", "hold", "release", "reorient"):
            raise BadInput(f"step: action: found {shown(self.action)}, expected place, hold, release or reorient")
        if self.action != "reorient" and not self.parts:
            raise BadInput(f"step: {self.action} names no part")
        if self.path is not None:
            object.__setattr__(self, "path", frozen(self.path, (None, 4, 4)))
        if self.T_world_assembly is not None:
            object.__setattr__(self, "T_world_assembly", frozen(self.T_world_assembly, (4, 4)))


@dataclass(frozen=True, slots=True)
class Rules:
    """What a plan may do."""

    name: Literal["holds", "reorient", "bricks"] = "holds"
    robots: int = 2
    regrasp: bool = False
    paths: Literal["straight", "none", "any"] = "straight"
    mu: float = 0.55
    model: str = "blocks"
    cone: str = "8"
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    press_n: float | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """How to build it."""

    rules: Rules
    status: PlanStatus
    steps: tuple[Step, ...]
    provenance: Provenance = field(default_factory=Provenance)
