"""Ten hard plans by a portfolio of two ways on two processes, beside the usual planner."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator
from typing import Any

from falsework.batch.portfolio import portfolio
from falsework.bench.rows import Row
from falsework.gallery import make
from falsework.planning.plan import plan

PATIENCE_S = 120.0
# Kind, parameters, hands: what takes longest of the planning set and what is larger than it
HARD: tuple[tuple[str, dict[str, int], int], ...] = (
    ("barrel-vault", {"stones": 13, "rows": 3}, 2),
    ("barrel-vault", {"stones": 15, "rows": 5}, 2),
    ("barrel-vault", {"stones": 19, "rows": 6}, 2),
    ("dome", {"rings": 5, "segments": 10}, 2),
    ("dome", {"rings": 6, "segments": 12}, 2),
    ("hexagonal-shell", {"rings": 5}, 3),
    ("semicircular-arch", {"stones": 91}, 2),
    ("polycube-packing", {"columns": 8, "depth": 6, "rows": 6}, 2),
    ("tetromino-packing", {"columns": 16, "rows": 16}, 2),
    ("running-bond-wall", {"columns": 12, "courses": 10}, 1),
)
WAYS = 2


def portfolios() -> Iterator[Row]:
    """One row for all: the median of both, and whether there was ever another verdict."""
    usual, raced, different = [], [], []
    winners: dict[str, int] = {}
    for kind, parameters, hands in HARD:
        assembly = make(kind, 0, **parameters)
        options: dict[str, Any] = {"rules": "holds", "robots": hands, "groups": False, "timeout_s": PATIENCE_S}
        begun = time.perf_counter()
        alone = plan(assembly, **options)
        usual.append(1e3 * (time.perf_counter() - begun))
        begun = time.perf_counter()
        found = portfolio(assembly, WAYS, **options)
        raced.append(1e3 * (time.perf_counter() - begun))
        won = "nobody" if found.winner is None else f"{found.winner.planner} by {found.winner.selector}"
        winners[won] = winners.get(won, 0) + 1
        if {alone.status, found.planned.status} == {"complete", "infeasible"}:
            different.append(f"{kind} {parameters}")
    yield Row(
        f"portfolio of {WAYS} on {len(HARD)} hard plans",
        statistics.median(raced),
        statistics.median(usual),
        "the usual planner, medians",
        {
            "different_verdicts": different,
            "winners": winners,
            "longest_s": max(raced) / 1e3,
            "usual_s": max(usual) / 1e3,
        },
        target="never a different verdict",
        figure=f"{len(different)} different; median {statistics.median(usual) / statistics.median(raced):.2f} x",
    )
