"""Half-built products, each with no fault or one: is it told, and is nothing wrong called right?"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from falsework.bench.perception.kinds_of_scenes import KINDS, OFF, place_of
from falsework.bench.rows import Row
from falsework.model.perception.findings import Brick, StructureSight
from falsework.perception.cameras.noise import Noise
from falsework.perception.cameras.simulated import noisy
from falsework.perception.locator.structures import check_structure
from falsework.perception.scenes.drawing import Stage
from falsework.perception.scenes.products import FAULTS, BuiltScene, built_scene
from falsework.perception.scenes.scene import SceneBrick
from falsework.perception.scenes.truth import truth_of

SEED = 100_000
HALF = 0.5  # of a brick's pixels: below, `not seen` is right
SHOTS = 4  # frames of one camera: one alone cannot tell a millimetre at 0.55 m


def rows(full: bool) -> Iterator[Row]:
    """One row over all kinds of faults."""
    count = 200 if full else 12
    told: Counter[str] = Counter()
    start = time.process_time()
    for number in range(count):
        fault = None if number % 2 == 0 else FAULTS[(number // 2) % len(FAULTS)]
        built = built_scene(SEED + number, fault)
        told[_verdict(built, _looked(built, SEED + number))] += 1
    spent = time.process_time() - start
    judged = count - told["hidden"]
    figure = f"{100 * told['right'] / max(1, judged):.1f} % right, {told['called fine']} faults called fine"
    notes = {"products": count, "seeds": f"{SEED} to {SEED + count - 1}", "shots": SHOTS, **dict(told)}
    yield Row(
        "half-built products", 1e3 * spent / count, notes=notes, target="≥ 99 % right, none called fine", figure=figure
    )


def _looked(built: BuiltScene, seed: int) -> StructureSight:
    rng = np.random.default_rng([seed, 24])
    drawn = Stage.of(built.scene).drawn(built.view.K, built.view.T_base_cam, built.view.pixels)
    errs = replace(Noise(), **OFF)
    shots = [noisy(drawn, built.view, errs, np.random.default_rng([seed, 24, n])) for n in range(SHOTS)]
    believed = noisy(drawn, built.view, errs, rng).T_base_cam  # one calibration for all shots
    frames = [replace(one, T_base_cam=believed) for one in shots]
    expected = [(one.name, Brick(one.kind, one.color, one.T_base_brick)) for one in built.expected]
    return check_structure(frames, place_of(built.scene), expected, KINDS)


def _verdict(built: BuiltScene, sight: StructureSight) -> str:
    """`right`, `called fine`, `wrong` or `hidden`, where less than half of the faulty brick can be seen."""
    states = {one.name: one.state for one in sight.bricks}
    bad = {name for name, state in states.items() if state in ("missing", "wrong", "off")}
    if built.fault is None:
        return "wrong" if bad else "right"
    faulty = built.fault.brick
    if states[faulty] == "in place":
        return "called fine"
    if _visible(built, faulty) < HALF:
        return "wrong" if bad - {faulty} else "hidden"
    return "right" if bad == {faulty} else "wrong" if bad - {faulty} else "not told"


def _visible(built: BuiltScene, faulty: str) -> float:
    """The share of the faulty brick that is seen, where it is; of a missing one, where it should be."""
    there: tuple[SceneBrick, ...] = built.scene.bricks
    if not any(one.name == faulty for one in there):
        there = (*there, *(one for one in built.expected if one.name == faulty))
    scene = replace(built.scene, bricks=there)
    return next(one.visible for one in truth_of(scene, built.view) if one.brick.name == faulty)
