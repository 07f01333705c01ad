"""Scenes located and compared with the truth.

A brick is found if kind and colour are right and its middle is within a quarter of the pitch, its height within half a
stud's, and its yaw within 6°; what is found elsewhere, or as something else, is false.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from falsework.bench.perception.tallies import Tally
from falsework.model.arrays import Array
from falsework.model.errors import BadInput
from falsework.model.perception.findings import Located, Plate, Sight, Workplace
from falsework.perception.cameras.noise import Noise
from falsework.perception.cameras.simulated import seen
from falsework.perception.locator.locating import locate
from falsework.perception.scenes.random_scenes import SceneSettings, other_view, random_scene
from falsework.perception.scenes.scene import Scene, SceneBrick
from falsework.perception.scenes.truth import BrickTruth, symmetric_yaw_off, truth_of

OFF_M, OFF_DEG = 0.001, 0.2  # where cameras are believed to be
NEAR_PITCH, NEAR_RAD = 0.25, 0.105


def tally(seed: int, settings: SceneSettings, noise: float = 1.0, views: int = 1) -> Tally:
    """The scene of a seed, located and compared with the truth."""
    out = Tally()
    scene, view = random_scene(seed, settings)
    rng = np.random.default_rng([seed, 5])
    cameras = [view, *(other_view(rng, settings) for _ in range(views - 1))]
    off = replace(Noise().times(noise), extrinsics_m=OFF_M, extrinsics_deg=OFF_DEG)
    frames = [seen(scene, one, off, rng) for one in cameras]
    truths = [truth_of(scene, one) for one in cameras]
    start = time.process_time()
    out.bricks = len(scene.bricks)
    try:
        sight = locate(frames, place_of(scene), settings.kinds, settings.colors)
    except BadInput:  # then every brick of it is refused
        sight = None
        out.counts["frames refused"] += 1
    out.cpu_s = time.process_time() - start
    if sight is None:
        out.counts.update(f"{_class(told)} refused" for told in zip(*truths, strict=True))
    else:
        compare(out, sight, truths)
    return out


def place_of(scene: Scene) -> Workplace:
    """What a scene's bricks lie on, as a cell would know it."""
    plates = () if scene.plate is None else (Plate(scene.plate.kind, scene.plate.T_base_brick),)
    return Workplace(None if scene.table is None else scene.table.top_m, plates)


def compare(out: Tally, sight: Sight, truths: Sequence[Sequence[BrickTruth]]) -> None:
    taken: set[int] = set()
    for told in zip(*truths, strict=True):
        brick = told[0].brick
        kind = _class(told)
        match = next((at for at, one in enumerate(sight.found) if at not in taken and same(one, brick)), None)
        if match is not None:
            taken.add(match)
            out.counts[f"{kind} found"] += 1
            if kind == "clear":
                _measure(out, sight.found[match], brick)
            continue
        about = 0.5 * math.hypot(*brick.kind.size_m[:2])
        middle = brick.middle_m[:2]
        near = any(np.linalg.norm(one.where_m[:2] - middle) < about for one in sight.refused)
        out.counts[f"{kind} {'refused' if near else 'missed'}"] += 1
    clear = [told[0].brick for told in zip(*truths, strict=True) if _class(told) == "ambiguous"]
    for at, one in enumerate(sight.found):
        if at not in taken:
            out.counts["false"] += 1
            out.counts["wrong pick"] += any(_overlap(one, brick) for brick in clear)


def _class(told: Sequence[BrickTruth]) -> str:
    """By the view that shows it best."""
    best = max(told, key=lambda one: one.visible)
    if all(one.ambiguous for one in told):
        return "ambiguous"
    return "clear" if best.visible >= 0.7 else "partly" if best.visible >= 0.3 else "hidden"


def same(one: Located, brick: SceneBrick) -> bool:
    """Whether it is that brick: its kind and colour, near enough to where it is."""
    if one.kind != brick.kind or one.color != brick.color or not brick.upright:
        return False
    off = middle_of(one) - brick.middle_m
    measures = brick.kind.measures
    return bool(
        np.linalg.norm(off) < NEAR_PITCH * measures.pitch_m
        and abs(off[2]) < 0.5 * measures.stud_height_m
        and symmetric_yaw_off(brick, SceneBrick("x", one.kind, one.color, one.T_base_brick)) < NEAR_RAD
    )


def _overlap(one: Located, brick: SceneBrick) -> bool:
    return bool(np.linalg.norm((middle_of(one) - brick.middle_m)[:2]) < 0.5 * math.hypot(*brick.kind.size_m[:2]))


def middle_of(one: Located) -> Array:
    return SceneBrick("x", one.kind, one.color, one.T_base_brick).middle_m


def _measure(out: Tally, one: Located, brick: SceneBrick) -> None:
    shift = (middle_of(one) - brick.middle_m)[:2]
    turn = brick.T_base_brick[:2, :2].T @ one.T_base_brick[:2, :2]
    every = math.pi / 2 if one.kind.length == one.kind.width else math.pi
    yaw = math.atan2(turn[1, 0], turn[0, 0])
    yaw -= every * round(yaw / every)
    off = np.array([*shift, yaw])
    out.places_mm.append(1e3 * float(np.hypot(*shift)))
    out.yaws_deg.append(math.degrees(abs(yaw)))
    out.distances.append(float(off @ np.linalg.solve(one.covariance, off)))
