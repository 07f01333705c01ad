"""`falsework bench cad`: CAD parts, their ways out, and plans of a hundred assemblies (seed 001).

CPU seconds of one core. What is not reached is told as it is; what takes longer than its patience is said to. By
default every tenth assembly of the set and some states, in about a quarter of an hour; `--full` all of them, and with
`--journal FILE` the set and the states go on where they were cut.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from falsework.bench.kept import Kept
from falsework.bench.rows import Row, Skipped


def run(full: bool = False, journal: Path | None = None, out: Path | None = None) -> Iterator[Row | Skipped]:
    """The quick ones first. The page that shows plans side by side goes to the folder `out`."""
    from falsework.bench.cad import agreement, loading, published_plans, side_by_side, success, ways_out

    kept = Kept(journal)
    yield from side_by_side.rows(out)
    yield from published_plans.rows()
    yield from ways_out.rows(full)
    yield from loading.rows()
    yield from success.rows(full, kept)
    yield from agreement.rows(full, kept)
