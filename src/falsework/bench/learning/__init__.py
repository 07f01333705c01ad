"""`falsework bench learning`: Tables 3 to 5 and Fig. 6 of seed 002 beside ours, and beside what needs no learning.

Accuracy is the seed's: the share of start states that first choices finish, stability not masked, on states of a beam
of width 128 without the training states. Beside it, from the same states: `highest first` with one step of oracle, a
search that remembers dead ends, and the exact table. Times are of the processor. Without `--full` one random seed and a
minute or two each; with it five seeds and the minutes that were asked for, which takes hours: with `--journal FILE` it
goes on where it was cut, and `--pool processes:2` trains two at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from falsework.bench.rows import Row, Skipped
from falsework.model.ports import WorkPool


def run(full: bool = False, journal: Path | None = None, pool: WorkPool | None = None) -> Iterator[Row | Skipped]:
    """What was learned, by what, in how long."""
    from falsework.bench.guidance import guided
    from falsework.bench.learning.answers import disruptions
    from falsework.bench.learning.efforts import FULL, QUICK
    from falsework.bench.learning.stuck import blocked_parts, plain_ppo
    from falsework.bench.learning.tables import transfer

    effort = FULL if full else QUICK
    yield from guided(full)
    yield from trainings(full, journal, pool)
    yield from transfer(effort)
    yield from plain_ppo(effort)
    yield from blocked_parts(effort)
    yield from disruptions(effort)


def trainings(full: bool = False, journal: Path | None = None, pool: WorkPool | None = None) -> Iterator[Row]:
    """Tables 3 to 5 and the clean split."""
    from falsework.bench.learning.efforts import FULL, QUICK
    from falsework.bench.learning.splits import clean_splits
    from falsework.bench.learning.tables import architectures, start_states, target_states
    from falsework.bench.learning.trials import tried

    effort = FULL if full else QUICK
    tables = (start_states, target_states, architectures, clean_splits)
    yield from tried([trial for table in tables for trial in table(effort)], effort.seeds, journal, pool)
