"""The bench of eyes: a journal goes on where it was cut, and references find a box."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from falsework.batch.pools.named import pool_named
from falsework.bench.perception import usual_rows
from falsework.bench.perception.masks import plain_icp
from falsework.bench.perception.tallies import Journal, Tally
from falsework.bench.suites import bench
from falsework.model.errors import BadInput
from falsework.studio.perception.errors_page import Seen, errors_html


def one_found(seed: int) -> Tally:
    return Tally(Counter({"clear found": 1}), [0.1 * seed], [0.2], [1.0], 0.5, 1)


def test_a_journal_goes_on_where_it_was_cut(tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    first = Journal(file).of("usual", [3, 4], one_found)
    done: list[int] = []

    def counted(seed: int) -> Tally:
        done.append(seed)
        return one_found(seed)

    both = Journal(file).of("usual", [3, 4, 5], counted)
    assert done == [5]
    assert first.counts["clear found"] == 2
    assert (both.counts["clear found"], both.bricks, both.cpu_s) == (3, 3, 1.5)
    assert both.places_mm == pytest.approx([0.3, 0.4, 0.5])
    assert Journal(file).of("two views", [3], counted).bricks == 1
    assert done == [5, 3]


def test_two_workers_come_to_the_same_as_none_and_a_line_that_was_cut_is_done_again(tmp_path: Path) -> None:
    file = tmp_path / "kept.jsonl"
    alone = Journal().of("usual", range(5), one_found)
    together = Journal(file, pool_named("processes:2")).of("usual", range(5), one_found)
    assert vars(together) == vars(alone)
    file.write_text(file.read_text()[:-20])  # killed while it wrote
    assert vars(Journal(file).of("usual", range(5), one_found)) == vars(alone)


def fails(seed: int) -> Tally:
    raise ValueError(f"no scene {seed}")


def test_a_scene_that_fails_in_a_worker_is_told_with_its_seed() -> None:
    with pytest.raises(RuntimeError, match=r"seed 7: .*no scene 7"):
        Journal(None, pool_named("serial")).of("usual", [7], fails)


def test_only_a_suite_of_many_scenes_takes_a_pool_or_a_seed() -> None:
    with pytest.raises(BadInput, match="--pool: only perception and learning can be asked so, not contacts"):
        bench("contacts", pool="serial")
    with pytest.raises(BadInput, match="pool 'many': expected one of"):
        bench("perception", pool="many")


def test_rows_say_their_seeds_and_shares() -> None:
    told = Tally(
        Counter({"clear found": 98, "clear refused": 1, "clear missed": 1, "false": 2, "ambiguous refused": 4})
    )
    rows = {row.case: row for row in usual_rows(told, [7, 8, 9])}
    assert rows["bricks at least 70 % visible"].figure == "recall 98.00%, false 2.00%, refused 1.00% of 100"
    assert rows["ambiguous bricks"].figure == "0 wrong picks of 4"
    assert rows["ambiguous bricks"].notes["seeds"] == "7 to 9"


def test_a_plain_icp_moves_a_box_onto_its_points() -> None:
    spans = np.arange(0, 0.03, 0.001)
    top = np.array([[x, y, 0.02] for x in spans for y in spans])
    side = np.array([[x, 0.0, z] for x in spans for z in spans[:20]])
    end = np.array([[0.0, y, z] for y in spans for z in spans[:20]])
    model = np.vstack([top, side, end])
    normals = np.repeat([[0, 0, 1.0], [0, -1.0, 0], [-1.0, 0, 0]], [len(top), len(side), len(end)], axis=0)
    moved = plain_icp(model, normals, model + np.array([0.001, -0.0015, 0.0005]), np.eye(4))
    assert moved[:3, 3] == pytest.approx((0.001, -0.0015, 0.0005), abs=1e-4)


def test_how_far_off_bricks_are_is_drawn_of_each_list_of_scenes(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    off = rng.multivariate_normal(np.zeros(3), np.eye(3), 4000)
    honest = Seen(
        "one view", np.abs(off[:, 0]).tolist(), [], (off**2).sum(axis=1).tolist(), {"clear found": 4000, "false": 3}
    )
    page = errors_html([honest, Seen("<two views>", [], [], [], {})])
    assert "<script" not in page and "<two" not in page
    assert '<td class="number">4,000</td>' in page and "3 told that are not there" in page
    claimed, inside = (
        np.array([[float(at) for at in point.split(",")] for point in points.split()])
        for points in re.findall(r'<polyline points="([^"]*)"', page)[-2:]
    )
    line = np.interp(inside[:, 0], claimed[:, 0], claimed[:, 1])
    assert np.abs(inside[:, 1] - line).max() < 5  # pixels of 196: true covariances lie on the diagonal
