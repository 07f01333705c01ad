"""What makes one plan better than another: measures that plans can be asked to keep small."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from falsework.model.errors import BadInput, did_you_mean, shown
from falsework.model.plan import Plan
from falsework.planning.nodes.moves import Move

Measure = Literal["holds", "regrasps", "steps", "risk", "makespan"]
MEASURES: tuple[Measure, ...] = get_args(Measure)


@dataclass(frozen=True, slots=True)
class Quality:
    """How good a plan is by one measure, and how good any plan could be.

    holds     parts held beside the one that is placed, summed over the placements
    regrasps  times that a hand takes hold of a part that is in place already
    steps     of the plan, those of subassemblies included
    risk      how far everything may be tilted about x or y, degrees, while nothing falls: the most that every state of
              the plan bears; the more the better
    makespan  seconds that the arms of a cell take, several of them moving at a time

    >>> Quality("holds", 5, bound=1).gap, Quality("holds", 3, bound=3).proved
    (4, True)
    """

    measure: Measure
    value: float
    bound: float | None = None  # no plan has less (of risk: bears more); None: nothing is proved
    of_single_parts: bool = False  # the bound is of plans that place parts one by one

    @property
    def gap(self) -> float | None:
        """Between what was found and what is proved; None where nothing is."""
        return None if self.bound is None else abs(self.value - self.bound)

    @property
    def proved(self) -> bool:
        """Whether no plan is better."""
        return self.gap == 0

    def beats(self, other: Quality) -> bool:
        """Whether it is the better one."""
        return self.value > other.value if self.measure == "risk" else self.value < other.value

    def as_dict(self) -> dict[str, object]:
        """As `--json` prints it."""
        told: dict[str, object] = {"measure": self.measure, "value": self.value, "bound": self.bound, "gap": self.gap}
        return told | {"proved": self.proved, "of_single_parts": self.of_single_parts}


def require_measure(name: str) -> Measure:
    """A measure by its name; `BadInput` with the nearest one where nobody knows it."""
    if name not in MEASURES:
        raise BadInput(f"minimise {shown(name)}: {did_you_mean(name, MEASURES)}")
    return name


def counted(plan: Plan, measure: Measure) -> int:
    """A plan by one of the measures that count."""
    if measure == "steps":
        return len(plan.steps) + sum(len(built.steps) for built in plan.apart)
    if measure == "regrasps":
        return sum(step.action == "hold" for step in plan.steps)
    return sum(len(set(step.held) - set(step.parts)) for step in plan.steps if step.action == "place")


def cost_of(move: Move, measure: Measure) -> int:
    """What one move adds to it."""
    arrived = move.earlier.held | move.parts
    if measure == "regrasps":
        return (move.later.held & ~arrived).bit_count()
    if measure == "holds":
        return move.earlier.held.bit_count() if move.parts else 0
    turned = move.later.pose != move.earlier.pose
    return bool(move.parts) + (1 if turned else (move.later.held ^ arrived).bit_count())
