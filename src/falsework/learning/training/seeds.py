"""The same training with several random seeds, one after another or at the same time, through a pool of workers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from falsework.formats.opening import Source, opened
from falsework.learning.training.learn import Trained, learn
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, FalseworkError
from falsework.model.ports import WorkPool


def learn_seeds(
    sources: Source | Sequence[Source],
    seeds: Sequence[int],
    pool: WorkPool,
    *,
    out: str | os.PathLike[str] | None = None,
    **options: Any,
) -> tuple[Trained, ...]:
    """What `learn` comes to with each seed, in their order; the weights do not depend on the pool.

    out      a folder: each run has one of its own there, seed-0 and so on, and with `resume` goes on from it
    options  those of `learn`, but for `seed` and `progress`

    >>> from falsework.batch.pools.named import pool_named
    >>> from falsework.learning import Settings
    >>> few = Settings(rollouts=8, widths=(4, 4))
    >>> runs = learn_seeds("examples/arch.yaml", (0, 1), pool_named("serial"), updates=1, settings=few)
    >>> [run.updates for run in runs]
    [1, 1]
    """
    if len(set(seeds)) != len(seeds) or not seeds:
        raise BadInput(f"seeds: found {list(seeds)}, expected one or more, each once")
    several = [sources] if isinstance(sources, Assembly | str | os.PathLike) else list(sources)
    training = _Training([opened(source, {}) for source in several], None if out is None else Path(out), options)
    found: dict[int, Trained] = {}
    for outcome in pool.outcomes(training, list(seeds)):
        if outcome.lost:
            raise FalseworkError(f"seed {seeds[outcome.number]}: {outcome.lost}")
        found[outcome.number] = outcome.value
    return tuple(found[number] for number in range(len(seeds)))


@dataclass(frozen=True, slots=True)
class _Training:
    """What a worker does."""

    assemblies: list[Assembly]
    out: Path | None
    options: dict[str, Any]

    def __call__(self, seed: int) -> Trained:
        folder = None if self.out is None else self.out / f"seed-{seed}"
        return learn(self.assemblies, seed=seed, out=folder, **self.options)
