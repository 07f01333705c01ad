"""Poses within true masks: ours by outline, beside small_gicp and a plain ICP on the points of the same masks.

Both references begin at a guess 3 mm and 2.9° off; ours has none.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.spatial import cKDTree

from falsework.bench.perception.scenes import middle_of, place_of
from falsework.bench.rows import Row, Skipped
from falsework.model.arrays import Array
from falsework.model.errors import MissingExtra
from falsework.model.extras import library
from falsework.model.perception.findings import Detection, Located
from falsework.model.poses import inverse
from falsework.perception.cameras.noise import Noise
from falsework.perception.cameras.simulated import seen
from falsework.perception.locator.detecting import OutlineEstimator
from falsework.perception.scenes.drawing import Stage
from falsework.perception.scenes.random_scenes import SceneSettings, random_scene
from falsework.perception.scenes.scene import SceneBrick

ICP_STEPS = 30
REACH_M = 0.01  # farther points are no pairs

Register = Callable[[Array, Array, Array, Array], Array]


@dataclass
class _Errors:
    off_mm: list[float] = field(default_factory=list)
    cpu_s: float = 0.0


def beside_icp(seeds: Sequence[int]) -> Iterator[Row | Skipped]:
    """A row for each reference, on the same masks."""
    references: dict[str, Register] = {"plain ICP": plain_icp}
    try:
        references["small_gicp"] = _by_gicp(library("small_gicp"))
    except MissingExtra as why:
        yield Skipped("beside small_gicp", str(why))
    errors = {name: _Errors() for name in ("ours", *references)}
    masks = 0
    for seed in seeds:
        masks += _compared(seed, references, errors)
    ours = errors["ours"]
    for name in references:
        theirs = errors[name]
        per = 1e3 / max(masks, 1)
        yield Row(
            f"pose within a mask, {name}", per * ours.cpu_s, per * theirs.cpu_s, name, target=f"nearer than {name}",
            figure=f"ours {_figure(ours)} mm, {name} {_figure(theirs)} mm (median, 95 %) of {masks}",
            notes={"seeds": f"{seeds[0]} to {seeds[-1]}", "ours refused": masks - len(ours.off_mm)},
        )  # fmt: skip


def _figure(errors: _Errors) -> str:
    return f"{np.median(errors.off_mm):.2f}, {np.quantile(errors.off_mm, 0.95):.2f}" if errors.off_mm else "none"


def _compared(seed: int, references: dict[str, Register], errors: dict[str, _Errors]) -> int:
    scene, view = random_scene(seed, SceneSettings(bricks=(4, 6), flush=0.0, stacked=0.0))
    frame = seen(scene, view, Noise(), np.random.default_rng([seed, 6]))
    labels = Stage.of(scene).drawn(view.K, view.T_base_cam, view.pixels, colour=False).labels
    estimator = OutlineEstimator(place_of(scene))
    rng = np.random.default_rng([seed, 7])
    for number, brick in enumerate(scene.bricks):
        mask = labels == number
        start = time.process_time()
        found = estimator.estimate(frame, Detection(str(brick.kind), mask, 1.0, brick.color))
        errors["ours"].cpu_s += time.process_time() - start
        if isinstance(found, Located):
            errors["ours"].off_mm.append(_off_mm(middle_of(found), brick))
        points = frame.points_m()[mask & frame.known] @ frame.T_base_cam[:3, :3].T + frame.T_base_cam[:3, 3]
        guess = _guess(brick, rng)
        for name, register in references.items():
            start = time.process_time()
            T = register(*_faces(brick), points, guess)
            errors[name].cpu_s += time.process_time() - start
            errors[name].off_mm.append(_off_mm(SceneBrick("x", brick.kind, brick.color, T).middle_m, brick))
    return len(scene.bricks)


def _off_mm(middle: Array, brick: SceneBrick) -> float:
    return 1e3 * float(np.linalg.norm((middle - brick.middle_m)[:2]))


def _guess(brick: SceneBrick, rng: np.random.Generator) -> Array:
    T = np.array(brick.T_base_brick)
    c, s = math.cos(0.05), math.sin(0.05)
    T[:3, :3] = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ T[:3, :3]
    T[:2, 3] += rng.normal(size=2) * 0.003 / math.sqrt(2)
    return T


def _faces(brick: SceneBrick) -> tuple[Array, Array]:
    """Points a millimetre apart on the top and the sides (n, 3), and their normals."""
    size = np.array(brick.kind.size_m)
    points, normals = [], []
    for axis, sign in ((2, 1.0), (0, -1.0), (0, 1.0), (1, -1.0), (1, 1.0)):
        spans = [np.arange(0.0, side, 0.001) for side in size]
        spans[axis] = np.array([size[axis] if sign > 0 else 0.0])
        face = np.stack(np.meshgrid(*spans, indexing="ij"), axis=-1).reshape(-1, 3)
        points.append(face)
        normals.append(np.tile(sign * np.eye(3)[axis], (len(face), 1)))
    return np.vstack(points), np.vstack(normals)


def plain_icp(model: Array, normals: Array, points: Array, guess: Array) -> Array:
    """(4, 4) pose of the model: nearest points paired, least squares along normals, again and again.

    >>> box = np.array([[x, y, 0.01] for x in np.arange(0, 0.03, 0.001) for y in np.arange(0, 0.02, 0.001)])
    >>> up = np.tile([0.0, 0.0, 1.0], (len(box), 1))
    >>> bool(np.isclose(plain_icp(box, up, box + [0, 0, 0.002], np.eye(4))[2, 3], 0.002))
    True
    """
    tree = cKDTree(model)
    T = np.array(guess)
    for _ in range(ICP_STEPS):
        own = (points - T[:3, 3]) @ T[:3, :3]
        away, pairs = tree.query(own, distance_upper_bound=REACH_M)
        pairs, near = np.asarray(pairs), np.isfinite(away)
        if near.sum() < 6:
            break
        q, n = own[near], normals[pairs[near]]
        rows = np.hstack([n, np.cross(q, n)])
        step = np.linalg.lstsq(rows, np.einsum("ij,ij->i", n, q - model[pairs[near]]), rcond=1e-6)[0]
        T = T @ _moved(step)
        if np.abs(step).max() < 1e-6:
            break
    return T


def _moved(step: Array) -> Array:
    """(4, 4) of a small shift and turn (6,)."""
    from scipy.spatial.transform import Rotation

    out = np.eye(4)
    out[:3, :3], out[:3, 3] = Rotation.from_rotvec(step[3:]).as_matrix(), step[:3]
    return out


def _by_gicp(gicp: Any) -> Register:
    def register(model: Array, normals: Array, points: Array, guess: Array) -> Array:
        result = gicp.align(
            model, points, init_T_target_source=inverse(guess), registration_type="GICP",
            downsampling_resolution=0.001, max_correspondence_distance=REACH_M,
        )  # fmt: skip
        pose: Array = inverse(np.asarray(result.T_target_source))
        return pose

    return register
