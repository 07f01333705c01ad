"""Scenes drawn by ray casting: colour, depth and which body every pixel shows. No graphics library, no noise."""

# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from falsework.kernels.casting import NOTHING, SOLID, draw
from falsework.kernels.lighting import light
from falsework.kernels.round_casting import draw_round, sink_hollows
from falsework.model.arrays import Array, Bits
from falsework.model.perception.palette import reflectance
from falsework.model.poses import inverse
from falsework.perception.scenes.scene import Scene
from falsework.perception.scenes.solids import box_solid, solid_of, walls_of

TABLE, PLATE, BACKGROUND = -1, -2, -3  # in a picture of labels; bricks are 0, 1, …, then things
TABLE_THICK_M = 0.02
BEHIND = (0.25, 0.25, 0.27)  # the colour of what is beyond the table

Labels = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """What a camera without any noise sees."""

    depth_m: Array  # (h, w) along z; 0 where there is nothing
    labels: Labels  # (h, w) bricks in order, then things; TABLE, PLATE, BACKGROUND
    faces: Bits  # (h, w) which face of it, see kernels.casting
    rgb: Bits | None = None  # (h, w, 3)


def drawn(scene: Scene, K: Array, T_base_cam: Array, pixels: tuple[int, int], colour: bool = True) -> Drawn:
    """What a camera with matrix K (3, 3) at T_base_cam (4, 4) sees; `pixels` across and down.

    >>> K = np.array([[100.0, 0, 31.5], [0, 100, 23.5], [0, 0, 1]])
    >>> above = np.array([[1.0, 0, 0, 0], [0, -1, 0, 0], [0, 0, -1, 0.5], [0, 0, 0, 1]])
    >>> drawn(Scene(()), K, above, (64, 48)).depth_m[10, 10]
    np.float64(0.5)
    """
    stage = Stage.of(scene)
    return stage.drawn(K, T_base_cam, pixels, colour)


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """A scene as arrays for the caster: solids are bricks, boxes, table and plate; round things come after them."""

    solids: Array  # (n, 10)
    T_base_solid: Array  # (n, 4, 4)
    walls: Array  # (n, 2)
    rounds: Array  # (m, 2)
    T_base_round: Array  # (m, 4, 4)
    looks: Array  # (n + m, 6)
    labels: Labels  # (n + m + 1,) by id; the last of background
    scene: Scene

    @staticmethod
    def of(scene: Scene) -> Stage:
        rows, poses, walls, looks, labels = [], [], [], [], []
        gloss = scene.light.gloss
        for number, brick in enumerate(scene.bricks):
            rows.append(solid_of(brick.kind))
            poses.append(brick.T_base_brick)
            walls.append(walls_of(brick.kind))
            looks.append((*reflectance(brick.color), 0.0, gloss, 1.0))
            labels.append(number)
        rounds, round_poses, round_looks, round_labels = [], [], [], []
        for number, thing in enumerate(scene.things, start=len(scene.bricks)):
            if thing.kind == "box":
                x, y, z = thing.size_m
                rows.append(box_solid((x, y, z)))
                poses.append(thing.T_base_thing)
                walls.append((0.0, 0.0))
                looks.append((*thing.rgb, 0.0, gloss, 1.0))
                labels.append(number)
            else:
                rounds.append((*thing.size_m, 0.0)[:2])
                round_poses.append(thing.T_base_thing)
                round_looks.append((*thing.rgb, 0.0, gloss, 1.0))
                round_labels.append(number)
        if scene.plate is not None:
            rows.append(solid_of(scene.plate.kind))
            poses.append(scene.plate.T_base_brick)
            walls.append((0.0, 0.0))
            looks.append((*reflectance(scene.plate.color), 0.0, gloss, 1.0))
            labels.append(PLATE)
        if scene.table is not None:
            (across, along), (x, y) = scene.table.size_m, scene.table.middle_m
            rows.append(box_solid((across, along, TABLE_THICK_M)))
            T = np.eye(4)
            T[:3, 3] = x - across / 2, y - along / 2, scene.table.top_m - TABLE_THICK_M
            poses.append(T)
            walls.append((0.0, 0.0))
            looks.append((*scene.table.rgb, scene.table.grain, 0.0, 0.0))
            labels.append(TABLE)
        return Stage(
            np.array(rows).reshape(-1, SOLID),
            np.array(poses).reshape(-1, 4, 4),
            np.array(walls, dtype=float).reshape(-1, 2),
            np.array(rounds, dtype=float).reshape(-1, 2),
            np.array(round_poses).reshape(-1, 4, 4),
            np.array([*looks, *round_looks], dtype=float).reshape(-1, 6),
            np.array([*labels, *round_labels, BACKGROUND], dtype=np.int32),
            scene,
        )

    def drawn(self, K: Array, T_base_cam: Array, pixels: tuple[int, int], colour: bool = True) -> Drawn:
        """The picture from one place."""
        width, height = pixels
        lens = np.array([K[0, 0], K[1, 1], K[0, 2], K[1, 2]])
        depth = np.full((height, width), np.inf)
        ids = np.full((height, width), -1, dtype=np.int32)
        faces = np.full((height, width), NOTHING, dtype=np.uint8)
        T_cam_base = inverse(T_base_cam)
        solids = np.ascontiguousarray((T_cam_base @ self.T_base_solid)[:, :3])
        rounds = np.ascontiguousarray((T_cam_base @ self.T_base_round)[:, :3])
        draw(depth, ids, faces, lens, self.solids, solids)
        sink_hollows(depth, ids, faces, lens, self.solids, solids, self.walls)
        draw_round(depth, ids, faces, lens, self.rounds, rounds, len(self.solids))
        rgb = None
        if colour:
            shone = self.scene.light
            beams = np.ascontiguousarray(shone.rays() @ T_base_cam[:3, :3])
            sun, sky, behind = (np.array(one, dtype=float) for one in (shone.sun, shone.sky, BEHIND))
            rgb = light(
                depth, ids, faces, lens, self.solids, solids, self.rounds, rounds,
                self.looks, beams, sun, sky, shone.shine, behind,
            )  # fmt: skip
        depth[ids < 0] = 0.0
        return Drawn(depth, self.labels[ids], faces, rgb)
