"""What came of many scenes, and a journal of it: a run of hours can be interrupted and continued."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from falsework.bench.kept import Kept
from falsework.bench.pooled import done
from falsework.model.ports import WorkPool

CHI2_95 = 7.815  # of three dimensions


@dataclass
class Tally:
    """What came of scenes. Classes: clear (≥ 70 % visible), partly, hidden (< 30 %), ambiguous.

    >>> one = Tally(Counter({"clear found": 3, "clear refused": 1}), bricks=4)
    >>> one.add(one)
    >>> one.total("clear"), one.share("clear", "found")
    (8, 0.75)
    """

    counts: Counter[str] = field(default_factory=Counter)
    places_mm: list[float] = field(default_factory=list)
    yaws_deg: list[float] = field(default_factory=list)
    distances: list[float] = field(default_factory=list)  # squared, by the covariance
    cpu_s: float = 0.0
    bricks: int = 0

    def add(self, other: Tally) -> None:
        """The other's counts and figures too."""
        self.counts = self.counts + other.counts
        self.places_mm = self.places_mm + other.places_mm
        self.yaws_deg = self.yaws_deg + other.yaws_deg
        self.distances = self.distances + other.distances
        self.cpu_s += other.cpu_s
        self.bricks += other.bricks

    def total(self, kind: str) -> int:
        return sum(self.counts[f"{kind} {what}"] for what in ("found", "refused", "missed"))

    def share(self, kind: str, what: str) -> float:
        return self.counts[f"{kind} {what}"] / max(self.total(kind), 1)

    @property
    def false_share(self) -> float:
        found = sum(number for key, number in self.counts.items() if key.endswith(" found"))
        return self.counts["false"] / max(self.counts["false"] + found, 1)

    @property
    def inside(self) -> float:
        """Share of truths inside the 95 % ellipsoid."""
        return float(np.mean(np.array(self.distances) < CHI2_95)) if self.distances else math.nan

    @property
    def ms(self) -> float:
        return 1e3 * self.cpu_s / max(self.bricks, 1)


def quantiles(values: Sequence[float]) -> tuple[float, float]:
    """The median and the 95 % quantile."""
    return (float(np.median(values)), float(np.quantile(values, 0.95))) if values else (math.nan, math.nan)


class Journal:
    """Tallies by row and seed; those of an earlier run are read from its file, new ones are added to it.

    With a pool, scenes are done by its workers; tallies do not depend on how many there are.
    """

    def __init__(self, file: Path | None = None, pool: WorkPool | None = None) -> None:
        self._kept, self._pool = Kept(file), pool
        self._known: dict[tuple[str, int], Tally] = {}
        self.told: dict[str, Tally] = {}  # of rows, all of their seeds
        for entry in self._kept.before:
            key = entry.pop("row"), entry.pop("seed")
            self._known[key] = Tally(**{**entry, "counts": Counter(entry["counts"])})

    def of(self, row: str, seeds: Sequence[int], work: Callable[[int], Tally]) -> Tally:
        """All of these seeds together; what was not done before is done."""
        new = [seed for seed in seeds if (row, seed) not in self._known]
        for seed, tally in done(work, new, self._pool, "seed {}".format):
            self._keep(row, seed, tally)
        out = Tally()
        for seed in seeds:
            out.add(self._known[row, seed])
        self.told[row] = out
        return out

    def _keep(self, row: str, seed: int, tally: Tally) -> None:
        self._known[row, seed] = tally
        self._kept.add({"row": row, "seed": seed, **vars(tally)})
