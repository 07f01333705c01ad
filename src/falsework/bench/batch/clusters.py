"""Two local nodes of a Ray cluster beside one, on jobs of 100 ms, and with one of them lost in the middle."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Iterator
from typing import Any

from falsework.batch.pools.ray_pool import Ray
from falsework.bench.rows import Row, Skipped

JOB_S, JOBS = 0.1, 120


def busy(number: int) -> int:
    """A tenth of a second of processor time."""
    until = time.process_time() + JOB_S
    while time.process_time() < until:
        pass
    return number * number


def clusters() -> Iterator[Row | Skipped]:
    """Starting takes Ray ten to twenty seconds, which is not measured."""
    if importlib.util.find_spec("ray") is None:
        yield Skipped("ray", "needs ray: pip install 'falsework[ray]'")
        return
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    ray.init(address=cluster.address, log_to_driver=False, logging_level="error")
    try:
        _answers(JOBS // 10)  # workers are there
        one_s = _answers(JOBS)[0]
        second = cluster.add_node(num_cpus=1)
        cluster.wait_for_nodes()
        _answers(JOBS // 5)
        two_s = _answers(JOBS)[0]
        yield Row(
            "two nodes of a Ray cluster",
            1e3 * two_s / JOBS,
            1e3 * one_s / JOBS,
            "one node",
            target="≥ 1.4 x",
            figure=f"{one_s / two_s:.2f} x",
        )
        spent, found = _answers(
            JOBS, lambda done: cluster.remove_node(second, allow_graceful=False) if done == JOBS // 3 else None
        )
        right = sorted(found) == [(number, number * number) for number in range(JOBS)]
        yield Row(
            "a node killed in the middle",
            1e3 * spent / JOBS,
            target="nothing lost, nothing double",
            figure=f"{len(found)} of {JOBS} answers, {'all right' if right else 'not all right'}",
        )
    finally:
        ray.shutdown()
        cluster.shutdown()


def _answers(count: int, each: Any = None) -> tuple[float, list[tuple[int, int]]]:
    found = []
    begun = time.perf_counter()
    for outcome in Ray().outcomes(busy, range(count)):
        found.append((outcome.number, outcome.value))
        if each is not None:
            each(len(found))
    return time.perf_counter() - begun, found
