"""`falsework bench batch`: many questions at a time, beside a loop in the shell and a plain pool of processes.

What was asked for is 10,000 structures, which `--full` measures; without it a tenth of them. Times are of the wall, as
jobs a second are; notes have processor time beside them, which says more on a machine that is busy with other things.
"""

from __future__ import annotations

from collections.abc import Iterator

from falsework.bench.rows import Row, Skipped


def run(full: bool = False) -> Iterator[Row | Skipped]:
    """Throughput, hostile files, scores, portfolios, a cluster, and larger ones by estimate."""
    from falsework.bench.batch.clusters import clusters
    from falsework.bench.batch.estimate import estimates
    from falsework.bench.batch.portfolios import portfolios
    from falsework.bench.batch.scores import scores
    from falsework.bench.batch.throughput import throughput

    yield from throughput(*((10_000, 200, 500) if full else (1_000, 20, 60)))
    yield from scores(400 if full else 120)
    yield from portfolios()
    yield from clusters()
    yield from estimates()
