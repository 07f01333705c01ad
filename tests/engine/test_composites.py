"""Groups of parts as single bodies of the engine: what touches what."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from falsework.engine.colliders import Box
from falsework.engine.composites import Composites
from falsework.engine.contact import ContactSettings
from falsework.engine.groups import Group, Solid
from falsework.engine.library import mujoco
from falsework.model.arrays import Array

pytest.importorskip("mujoco")

HALF_M = 4.8e-3  # of a brick's height
DEPTH_M = 1.5e-6  # by which bricks at rest reach into each other
LEAN_RAD = 1e-4


def on_a_cube(half_m: Array, skin_m: float) -> Composites:
    """A weightless box on a cube that stands still."""
    solids = [Solid((Box(np.zeros(3), np.eye(3), half),), (), 0.5) for half in (np.array([8e-3, 8e-3, HALF_M]), half_m)]
    scene = Composites(solids, np.zeros(3), ContactSettings(skin_m=skin_m))
    none, place = np.zeros(6), np.eye(4)
    groups = [Group(np.array([n]), place, n == 0, 2e-3, np.zeros(3), 1e-7 * np.eye(3), none) for n in (0, 1)]
    scene.partition(groups, np.array([place, place]))
    return scene


def contacts(scene: Composites, turn: Array, gap_m: float) -> int:
    """With the box so far above the cube."""
    places = np.tile(np.eye(4), (2, 1, 1))
    places[1, :3, :3], places[1, 2, 3] = turn, 2 * HALF_M + gap_m
    scene.move(places, np.zeros((2, 6)))
    mujoco().mj_forward(scene.model, scene.data)
    return len(scene.touches())


def fewest_contacts(skin_m: float) -> int:
    """Of a longish box, turned at random and as good as level."""
    scene, rng = on_a_cube(np.array([0.012, 4e-3, HALF_M]), skin_m), np.random.default_rng(0)
    turns = [
        Rotation.from_rotvec([*rng.uniform(-LEAN_RAD, LEAN_RAD, 2), 0.0])
        * Rotation.from_rotvec([0.0, 0.0, rng.uniform(-0.5, 0.5)])
        for _ in range(100)
    ]
    return min(contacts(scene, turn.as_matrix(), -DEPTH_M) for turn in turns)


def test_with_a_skin_a_face_on_a_face_touches_at_its_corners() -> None:
    assert fewest_contacts(1e-4) >= 4


def test_without_one_the_engine_takes_it_for_an_edge_now_and_then() -> None:
    """If this fails the engine has got better, and the skin may go."""
    assert fewest_contacts(0.0) == 1


@pytest.mark.parametrize("skin_m", [0.0, 1e-4])
def test_a_skin_does_not_move_where_contacts_begin(skin_m: float) -> None:
    scene = on_a_cube(np.full(3, HALF_M), skin_m)
    assert contacts(scene, np.eye(3), 1e-7) == 0
    assert contacts(scene, np.eye(3), -1e-7) == 4
