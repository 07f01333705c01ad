"""The page of a motion: everything moves on it, and says who waits for whom."""

from dataclasses import replace

import numpy as np
import pytest

from falsework import Assembly, new_cell
from falsework.bench.motions.top_down import Job, top_down
from falsework.model.robots.motion import Motion
from falsework.robots.motions.making import motions_of
from falsework.studio.report import report_html
from falsework.studio.robots.arms_page import arms_scene


@pytest.fixture(scope="module")
def row() -> Assembly:
    return Assembly.from_boxes(
        {"a": ((0.04, 0.04, 0.04), (0, 0, 0.02)), "b": ((0.04, 0.04, 0.04), (0, 0, 0.06))}, ground="table"
    )


@pytest.fixture(scope="module")
def motion(row: Assembly) -> Motion:
    cell = new_cell("two-panda")
    feeders = tuple(replace(one, gap_m=0.05) for one in cell.feeders)
    jobs = [Job("a", "left"), Job("b", "right")]
    return motions_of(top_down(replace(cell, feeders=feeders), row, jobs), row, np.random.default_rng(0))


def test_parts_end_in_their_place_and_arms_where_they_began(motion, row):
    scene = arms_scene(motion, row, "two boxes")
    frames = scene.timeline
    names = scene.parts.names
    for part in row.parts:
        last = frames.T_world_part[-1, names.index(part.name)]
        assert np.abs(last - motion.T_world_assembly @ part.T_world_part).max() < 1e-6
    hand = names.index(f"left/{motion.cell.arms[0].tool.bodies[0].name}")
    assert np.abs(frames.T_world_part[-1, hand] - frames.T_world_part[0, hand]).max() < 1e-6
    assert np.abs(np.diff(frames.T_world_part[:, hand], axis=0)).max() > 1e-3, "in between it has moved"


def test_a_carried_part_moves_with_its_hand(motion, row):
    scene = arms_scene(motion, row, "two boxes")
    frames, names = scene.timeline, scene.parts.names
    stay = next(one for one in motion.stays if one.arm == "right")
    now = (frames.times_s > stay.begin_s) & (frames.times_s < stay.end_s)
    part = frames.T_world_part[now, names.index(stay.part)]
    hand = frames.T_world_part[now, names.index(f"right/{motion.cell.arms[1].tool.bodies[0].name}")]
    distances = np.linalg.norm(part[:, :3, 3] - hand[:, :3, 3], axis=1)
    assert now.sum() > 5
    assert np.ptp(distances) < 1e-6


def test_the_page_says_who_waits_for_whom(motion, row):
    scene = arms_scene(motion, row, "two boxes")
    waits = next(table for table in scene.tables if table.title == "Who waits for whom")
    pauses = dict(zip(waits.columns[0].values, waits.columns[3].values, strict=False))
    assert pauses.get("right") == "left", "the upper box waits for the lower one"
    assert [curve.label for curve in scene.curves] == ["left", "right"]
    assert "Who waits for whom" in report_html(scene)
