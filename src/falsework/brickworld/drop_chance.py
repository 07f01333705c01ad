"""How likely a drop breaks a model: nobody lets go of it level, so it is dropped with many tilts.

Each drop is turned about the upright by any angle and leans by an angle drawn from a normal distribution, as hands
lean; whether anything breaks is counted, and the interval that holds the probability with 95 % comes with it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from falsework.brickworld.settings import Settings
from falsework.brickworld.simulate import simulate
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, shown
from falsework.verdicts.limits.chance import interval

SPREAD_DEG = 10.0  # of the lean, one standard deviation; a drop without a tilt of its own leans by this
MOST = 10_000


@dataclass(frozen=True, slots=True)
class DropChance:
    """Of so many drops so many broke something; the probability lies between `low` and `high` with 95 %."""

    drops: int
    broke: int
    low: float
    high: float
    leans_deg: tuple[float, ...]  # of those that broke

    def as_dict(self) -> dict[str, object]:
        """As `falsework simulate --drop --tilts --json` prints it."""
        return {
            "drops": self.drops,
            "broke": self.broke,
            "probability": self.broke / self.drops,
            "interval": [self.low, self.high],
            "leans_deg": list(self.leans_deg),
        }


def drop_chance(
    assembly: Assembly,
    drop_m: float,
    drops: int,
    *,
    seed: int = 0,
    seconds: float = 1.0,
    settings: Settings | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> DropChance:
    """How often it breaks when it is dropped from a height, in m, with tilts drawn by a random seed."""
    if not 0 < drops <= MOST:
        raise BadInput(f"tilts: found {shown(drops)}, expected a whole number from 1 to {MOST}")
    rng = np.random.default_rng(seed)
    broken = []
    for number in range(drops):
        turn, lean = float(rng.uniform(0, 2 * np.pi)), float(rng.normal(0, SPREAD_DEG))
        fallen = simulate(_turned(assembly, turn), drop_m=drop_m, tilt_deg=lean, seconds=seconds, settings=settings)
        if fallen.broke:
            broken.append(lean)
        if progress is not None:
            progress(number + 1, drops)
    low, high = interval(len(broken), len(broken), drops)
    return DropChance(drops, len(broken), low, high, tuple(broken))


def _turned(assembly: Assembly, angle: float) -> Assembly:
    """About the upright through the origin; what it stood on does not matter to a drop."""
    T = np.eye(4)
    T[:2, :2] = (np.cos(angle), -np.sin(angle)), (np.sin(angle), np.cos(angle))
    parts = tuple(replace(part, T_world_part=T @ part.T_world_part) for part in assembly.parts)
    none = replace(assembly.ground, kind="none", friction=None)
    return assembly.changed(parts=parts, ground=none, ground_part=None, fixed=frozenset())
