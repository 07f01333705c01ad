"""Which parts have left their place: one meaning for `collapse`, `simulate` and their pages."""

from __future__ import annotations

import numpy as np

from falsework.collapse.collapse import collapse
from falsework.formats import load
from falsework.geometry.shapes.displacement import LEFT, displacements, has_left, left_their_place
from falsework.model.trajectory import Trajectory
from falsework.studio.motion_page import motion_scene
from tests.docs.shown import ROOT
from tests.statics.structures import stack


def test_parts_have_left_when_their_centre_is_a_hundredth_of_the_size_away() -> None:
    tower = stack([0.1, 0.2])
    size = float(np.ptp(tower.coms_m[: len(tower.parts)], axis=0).max()) + 2 * max(
        part.radius_m for part in tower.parts
    )
    poses = np.repeat(tower.poses[None, : len(tower.parts)], 2, axis=0)
    poses[1, 0, 0, 3] += 0.9 * LEFT * size
    poses[1, 1, 0, 3] += 1.1 * LEFT * size
    motion = Trajectory(np.array([0.0, 1.0]), tower.names, poses)
    assert left_their_place(tower, motion) == (tower.names[1],)
    assert np.allclose(displacements(tower, motion)[:2, 0], [0.9 * LEFT * size, 1.1 * LEFT * size])
    assert has_left(tower, np.zeros((2, 3))).tolist() == [False, False]


def test_the_page_of_a_collapse_counts_the_parts_that_the_verb_counts() -> None:
    arch = load(ROOT / "examples" / "arch.yaml")
    fall = collapse(arch, absent=["keystone"], seconds=0.3)
    scene = motion_scene(arch, fall.motion.trajectory, "arch", absent=["keystone"])
    marked = {name for name, moves in zip(scene.parts.names, scene.parts.falling.tolist(), strict=True) if moves}
    assert marked == set(fall.fallen) and marked
    assert dict(scene.facts)["Left their place"] == f"{len(fall.fallen)} parts"
