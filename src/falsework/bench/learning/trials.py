"""Trainings that the bench of learning takes figures of, one seed after the other, and a journal of them.

First every small case with one seed, those with the least minutes first, then with the next seed; large assemblies come
last. A run of hours can be interrupted: what the journal knows is not trained again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from falsework.bench.kept import Kept
from falsework.bench.pooled import done
from falsework.bench.rows import Row
from falsework.model.ports import WorkPool

Figures = dict[str, Any]  # of one training: shares as `test`, `train` and so on, `cpu_s`, and columns beside them


@dataclass(frozen=True, slots=True)
class Trial:
    """One line of a table: how it is measured with a seed, and what it is compared with."""

    case: str
    minutes: float
    measure: Callable[[int], Figures]
    target: str = ""
    paper: str = ""
    large: bool = False

    @property
    def name(self) -> str:
        return f"{self.case}, {self.minutes:g} min"


class Journal:
    """Figures by trial and seed; those of an earlier run are read from its file, new ones are added to it."""

    def __init__(self, file: Path | None = None) -> None:
        self._kept = Kept(file)
        self._known: dict[tuple[str, int], Figures] = {
            (one["trial"], one["seed"]): one["figures"] for one in self._kept.before
        }

    def of(self, asked: Sequence[tuple[Trial, int]], pool: WorkPool | None = None) -> Iterator[tuple[Trial, int]]:
        """Those asked for as soon as their figures are known, first what was measured before."""
        new = [one for one in asked if self._key(*one) not in self._known]
        yield from (one for one in asked if one not in new)
        for one, figures in done(_measured, new, pool, lambda one: f"{one[0].name}, seed {one[1]}"):
            self._known[self._key(*one)] = figures
            self._kept.add({"trial": one[0].name, "seed": one[1], "figures": figures})
            yield one

    def figures(self, trial: Trial, seed: int) -> Figures:
        """Of what is known."""
        return self._known[self._key(trial, seed)]

    @staticmethod
    def _key(trial: Trial, seed: int) -> tuple[str, int]:
        return trial.name, seed


def _measured(one: tuple[Trial, int]) -> Figures:
    trial, seed = one
    return trial.measure(seed)


def tried(
    trials: Sequence[Trial], seeds: Sequence[int], journal: Path | None = None, pool: WorkPool | None = None
) -> Iterator[Row]:
    """A row for every trial and seed, and where there are several seeds one for all of them.

    Figures do not depend on how many a pool measures at a time, as minutes are of the processor.
    """
    kept = Journal(journal)
    by_minutes = sorted(trials, key=lambda trial: trial.minutes)
    asked = [(trial, seed) for large in (False, True) for seed in seeds for trial in by_minutes if trial.large == large]
    for trial, seed in kept.of(asked, pool):
        yield _row(trial, [kept.figures(trial, seed)], [seed])
    if len(seeds) > 1:
        for trial in trials:
            yield _row(trial, [kept.figures(trial, seed) for seed in seeds], seeds)


def _row(trial: Trial, found: Sequence[Figures], seeds: Sequence[int]) -> Row:
    """Means over the seeds, and the worst of them; columns beside are those of the first seed."""
    measured = [one["figure"] for one in found]
    figure = f"{100 * mean(measured):.2f} %"
    if len(found) > 1:
        figure += f" ({100 * min(measured):.2f} to {100 * max(measured):.2f})"
    notes: Figures = {"seeds": list(seeds), **found[0]["beside"]}
    if trial.paper:
        notes["paper"] = trial.paper
    case = trial.name if len(found) == 1 else f"{trial.name}, {len(found)} seeds"
    cpu_ms = 1e3 * mean(one["cpu_s"] for one in found)
    return Row(case, cpu_ms, notes=notes, target=trial.target, figure=figure)
