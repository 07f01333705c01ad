"""Frames that lie: each kind of lie told about the same scenes; every brick is right, or refused, or the frame is.

Wrong is a brick of another kind or colour, or a quarter of the pitch, half a stud's height or 6° off.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from falsework.bench.perception.scenes import OFF_DEG, OFF_M, place_of, same
from falsework.bench.perception.tallies import Journal, Tally
from falsework.bench.rows import Row
from falsework.model.errors import BadInput
from falsework.model.perception.frames import Frame
from falsework.perception.cameras.noise import Noise
from falsework.perception.cameras.simulated import seen
from falsework.perception.locator.locating import locate
from falsework.perception.scenes.random_scenes import SceneSettings, random_scene

_SETTINGS = SceneSettings(bricks=(4, 8))


def hostile_rows(kept: Journal, seeds: range) -> Iterator[Row]:
    """One row for every kind of lie."""
    for name in LIES:
        told = kept.of(f"hostile {name}", seeds, partial(lied_to, lie=name))
        counts = told.counts
        yield Row(
            f"hostile: {name}", told.ms, notes={"seeds": f"{seeds.start} to {seeds.stop - 1}"},
            target="0 wrong: right, refused or one line",
            figure=f"wrong {counts['wrong']}, right {counts['right']} of {told.bricks}, "
            f"{counts['line']} of {len(seeds)} frames refused in a line",
        )  # fmt: skip


def lied_to(seed: int, lie: str) -> Tally:
    """The scene of a seed, its frame changed as the lie has it, located."""
    scene, view = random_scene(seed, _SETTINGS)
    rng = np.random.default_rng([seed, 9])
    frame = seen(scene, view, replace(Noise(), extrinsics_m=OFF_M, extrinsics_deg=OFF_DEG), rng)
    out = Tally(bricks=len(scene.bricks))
    start = time.process_time()
    try:
        sight = locate([LIES[lie](frame, rng)], place_of(scene), _SETTINGS.kinds, _SETTINGS.colors)
    except BadInput:
        out.counts["line"] += 1
        return out
    finally:
        out.cpu_s = time.process_time() - start
    left = list(scene.bricks)
    for one in sight.found:
        mine = next((brick for brick in left if same(one, brick)), None)
        out.counts["wrong" if mine is None else "right"] += 1
        left = [brick for brick in left if brick is not mine]
    return out


def _but(frame: Frame, **changed: Any) -> Frame:
    given: dict[str, Any] = {"rgb": frame.rgb, "depth_m": frame.depth_m, "K": frame.K, "T_base_cam": frame.T_base_cam}
    return Frame(**{**given, **changed})


def _deep(frame: Frame, rng: np.random.Generator, value: float) -> Frame:
    """Half of all depth is no depth."""
    return _but(frame, depth_m=np.where(rng.random(frame.depth_m.shape) < 0.5, value, frame.depth_m))


def _all_deep(frame: Frame, rng: np.random.Generator, value: float) -> Frame:
    return _but(frame, depth_m=np.full_like(frame.depth_m, value))


def _blobs(frame: Frame, rng: np.random.Generator) -> Frame:
    """Twelve holes of a brick's size."""
    depth = np.array(frame.depth_m)
    for row, column in rng.integers((0, 0), np.array(depth.shape) - 40, size=(12, 2)):
        depth[row : row + 40, column : column + 40] = 0.0
    return _but(frame, depth_m=depth)


def _scaled(frame: Frame, rng: np.random.Generator, factor: float) -> Frame:
    return _but(frame, depth_m=frame.depth_m * factor)


def _focal(frame: Frame, rng: np.random.Generator, factor: float) -> Frame:
    return _but(frame, K=np.diag([factor, factor, 1.0]) @ frame.K)


def _swapped(frame: Frame, rng: np.random.Generator) -> Frame:
    """fx, cx for fy, cy."""
    return _but(frame, K=frame.K[[1, 0, 2]][:, [1, 0, 2]])


def _elsewhere(frame: Frame, rng: np.random.Generator, away_m: float) -> Frame:
    turn = rng.uniform(0, 2 * np.pi)
    T = np.array(frame.T_base_cam)
    T[:2, 3] += away_m * np.array([np.cos(turn), np.sin(turn)])
    return _but(frame, T_base_cam=T)


def _grey(frame: Frame, rng: np.random.Generator) -> Frame:
    return _but(frame, rgb=np.repeat(frame.rgb.mean(axis=2, keepdims=True).astype(np.uint8), 3, axis=2))


def _flat(frame: Frame, rng: np.random.Generator, value: int) -> Frame:
    return _but(frame, rgb=np.full_like(frame.rgb, value))


def _bgr(frame: Frame, rng: np.random.Generator) -> Frame:
    return _but(frame, rgb=np.ascontiguousarray(frame.rgb[..., ::-1]))


def _shifted(frame: Frame, rng: np.random.Generator) -> Frame:
    return _but(frame, rgb=np.roll(frame.rgb, 8, axis=1))


LIES: dict[str, Callable[[Frame, np.random.Generator], Frame]] = {
    "half of depth NaN": partial(_deep, value=np.nan),
    "half of depth 0": partial(_deep, value=0.0),
    "depth all NaN": partial(_all_deep, value=np.nan),
    "depth all 0": partial(_all_deep, value=0.0),
    "twelve holes": _blobs,
    "depth in mm": partial(_scaled, factor=1e3),
    "depth in cm": partial(_scaled, factor=1e2),
    "depth 2 % too deep": partial(_scaled, factor=1.02),
    "K swapped": _swapped,
    "K of half the resolution": partial(_focal, factor=0.5),
    "K 5 % too long": partial(_focal, factor=1.05),
    "camera 40 mm off": partial(_elsewhere, away_m=0.04),
    "camera 14 mm off": partial(_elsewhere, away_m=0.014),
    "grey picture": _grey,
    "black picture": partial(_flat, value=0),
    "white picture": partial(_flat, value=255),
    "BGR picture": _bgr,
    "colour 8 px beside depth": _shifted,
}
