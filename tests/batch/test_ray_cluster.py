"""Two nodes of a Ray cluster on this machine: the same rows as anywhere, none lost with a node. `make ray` runs it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import falsework
from falsework.batch.pools.ray_pool import Ray
from falsework.batch.shards import ROWS, lines
from falsework.model.errors import Undecided
from falsework.model.work import UNLIMITED
from tests.contracts import work

ray = pytest.importorskip("ray", reason="needs ray, which make ray brings")
EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head and a second node, a processor each; we are connected."""
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    made.add_node(num_cpus=1)
    ray.init(address=made.address, log_to_driver=False, logging_level="error")
    yield made
    ray.shutdown()
    made.shutdown()


def test_rows_are_the_same_on_two_nodes_as_in_one_process(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.txt").write_text("2x4 (0,0,0)\nnonsense\n")
    words = ["new:random-bricks{n=3..9,seed=0..2}", str(EXAMPLES), "bad.txt", "nobody.txt"]
    here = falsework.batch("check", words, out="here", pool="serial")
    there = falsework.batch("check", words, out="there", pool=f"ray:{cluster.address}")  # files travel
    assert here.jobs == there.done and there.failed == here.failed >= 2
    assert sorted(lines(Path("here"), ROWS)) == sorted(lines(Path("there"), ROWS))


def test_both_nodes_work(cluster: Any) -> None:
    assert Ray().workers == 2
    found = list(Ray().outcomes(work.node_of, range(60), UNLIMITED))
    assert len({outcome.value for outcome in found}) == 2


def test_a_node_that_is_lost_in_the_middle_costs_nothing(cluster: Any) -> None:
    extra = cluster.add_node(num_cpus=2)
    cluster.wait_for_nodes()
    found = []
    for outcome in Ray().outcomes(work.pause, range(300), UNLIMITED):
        found.append((outcome.number, outcome.value, outcome.lost))
        if len(found) == 60:
            cluster.remove_node(extra, allow_graceful=False)
    assert sorted(found) == [(number, number, "") for number in range(300)]


def test_an_address_where_nobody_is_is_told(cluster: Any) -> None:
    ray.shutdown()
    try:
        with pytest.raises(Undecided, match="ray: there is no cluster at 127"):
            list(Ray("127.0.0.1:1").outcomes(work.square, range(3), UNLIMITED))
    finally:
        ray.init(address=cluster.address, log_to_driver=False, logging_level="error")
