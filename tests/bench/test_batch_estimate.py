"""The cluster that is simulated: as many jobs as workers can do, or as the one who hands them out can keep up with."""

from __future__ import annotations

import pytest

from falsework.bench.batch.estimate import CHUNK_S, simulated


def test_who_costs_nothing_keeps_all_workers_busy() -> None:
    assert simulated(50, 0.1, 0.0, 0.0) == pytest.approx(500, rel=0.12)


def test_beyond_its_limit_more_workers_help_nothing() -> None:
    limit = 1 / (1e-3 + 2e-3 / (CHUNK_S / 0.01))  # jobs a second that one process can hand out and keep
    assert simulated(1000, 0.01, 1e-3, 2e-3) == pytest.approx(limit, rel=0.15)
    assert simulated(2000, 0.01, 1e-3, 2e-3) == pytest.approx(simulated(1000, 0.01, 1e-3, 2e-3), rel=0.05)
    assert simulated(2, 0.01, 1e-3, 2e-3) == pytest.approx(200, rel=0.12)
