"""What may come between a controller and its product: eight kinds of disruption (seed 002), drawn at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.execution.tiers.tasks import BuildTask
from falsework.model.arrays import Array
from falsework.model.errors import BadInput, did_you_mean, shown

KINDS = {
    "camera-blocked": "a camera shows nothing for a while, or ever again",
    "brick-missing": "a brick of the product is nowhere",
    "brick-late": "a brick is brought only later",
    "brick-taken": "the brick that was placed last is taken off and laid where it lay",
    "brick-added": "a brick that is on nobody's list is laid on a tray",
    "knocked-over": "something runs into the structure: its highest brick falls beside it, onto whatever side",
    "arm-lost": "an arm does not move any more",
    "plate-moved": "the plate is pushed 3 mm aside, with all that stands on it",
}
A_BRICK_S = 12.0  # that placing one takes, about
BLOCKED_S = (1.0, 2.5)  # of a camera that shows something again
FOR_EVER = 0.3  # of cameras that are blocked
LATE = (0.5, 1.2)  # of the time that the whole product takes
MOVED_M = 3e-3


@dataclass(frozen=True, slots=True)
class Disruption:
    """One of `KINDS`, when it comes, and to what; `seconds` is for how long, infinity for ever.

    >>> Disruption("arm-lost", 20.0).kind
    'arm-lost'
    """

    kind: str
    at_s: float
    brick: str = ""
    seconds: float = np.inf
    toward_rad: float = 0.0  # of a push, about the vertical, from x
    tumbles: int = 0  # of what falls: 0 comes down on its foot, 1 on a long side, 2 on an end, 3 upside down

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise BadInput(f"disruption {shown(self.kind)}: {did_you_mean(self.kind, KINDS)}")

    @property
    def may_be_refused(self) -> bool:
        """Whether nobody can be asked to finish it."""
        lasts = not np.isfinite(self.seconds)
        return self.kind in ("brick-missing", "arm-lost") or (self.kind == "camera-blocked" and lasts)


def drawn(kind: str, task: BuildTask, number: int = 0) -> Disruption:
    """A disruption of a task, the same for the same numbers.

    >>> from falsework.execution import build_task
    >>> drawn("brick-late", build_task(2, 0)).at_s
    0.0
    """
    if kind not in KINDS:
        raise BadInput(f"disruption {shown(kind)}: {did_you_mean(kind, KINDS)}")
    rng = np.random.default_rng([task.seed, task.tier, task.number, number, 2])
    names = [part.name for part in task.product.parts]
    whole_s = A_BRICK_S * len(names)
    brick, toward = names[int(rng.integers(len(names)))], float(rng.uniform(0, 2 * np.pi))
    later = float(rng.uniform(0.2, 0.7)) * whole_s
    if kind == "camera-blocked":
        seconds = np.inf if rng.random() < FOR_EVER else float(rng.uniform(*BLOCKED_S))
        return Disruption(kind, later, seconds=seconds)
    if kind == "brick-missing":
        return Disruption(kind, 0.0, brick)
    if kind == "brick-late":
        return Disruption(kind, 0.0, brick, float(rng.uniform(*LATE)) * whole_s)
    tumbles = int(rng.integers(4)) if kind == "knocked-over" else 0
    return Disruption(kind, later, brick, toward_rad=toward, tumbles=tumbles)


def shift_m(disruption: Disruption) -> Array:
    """(3,) by which a plate is moved."""
    return MOVED_M * np.array([np.cos(disruption.toward_rad), np.sin(disruption.toward_rad), 0.0])
