"""Half-built products with no fault or one: is it told which brick is wrong, and how?"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from falsework.bench.perception.scenes import OFF_DEG, OFF_M, place_of
from falsework.bench.perception.tallies import Journal, Tally
from falsework.bench.rows import Row
from falsework.model.perception.findings import Brick
from falsework.perception.cameras.noise import Noise
from falsework.perception.cameras.simulated import seen
from falsework.perception.locator.structures import check_structure
from falsework.perception.scenes.products import FAULTS, ProductSettings, built_scene
from falsework.perception.scenes.random_scenes import SceneSettings
from falsework.perception.scenes.truth import truth_of

RIGHT = {"missing": "missing", "shifted": "off", "color": "wrong", "raised": "off", "kind": "wrong"}
CLOSE = SceneSettings(height_m=(0.30, 0.35))  # from where a millimetre of height can be told


def state_row(kept: Journal, seeds: range) -> Row:
    """Products of these seeds, each seen from 0.3 m, in one frame."""
    told = kept.of("states", seeds, state_tally)
    counts = told.counts
    total = counts["right"] + counts["wrong"] + counts["called fine"] + counts["unseen"]
    return Row(
        "states of half-built products", 1e3 * told.cpu_s / max(len(seeds), 1),
        notes={"seeds": f"{seeds.start} to {seeds.stop - 1}", "not judged": counts["hidden"]},
        target="≥ 99 % right, 0 faults called fine",
        figure=f"{counts['right'] / max(total, 1):.2%} of {total} right, {counts['called fine']} faults called fine, "
        f"{counts['unseen']} not seen; {counts['faults right']} of {counts['faults']} faults",
    )  # fmt: skip


def state_tally(seed: int) -> Tally:
    """A product, in turn without a fault and with one of each kind; bricks less than half visible are not judged."""
    fault = (None, *FAULTS)[seed % (len(FAULTS) + 1)]
    built = built_scene(seed, fault, ProductSettings(view=CLOSE))
    noise = replace(Noise(), extrinsics_m=OFF_M, extrinsics_deg=OFF_DEG)
    frame = seen(built.scene, built.view, noise, np.random.default_rng([seed, 8]))
    visible = {one.brick.name: one.visible for one in truth_of(built.scene, built.view)}
    expected = [(one.name, Brick(one.kind, one.color, one.T_base_brick)) for one in built.expected]
    start = time.process_time()
    told = check_structure([frame], place_of(built.scene), expected, ProductSettings().kinds)
    out = Tally(cpu_s=time.process_time() - start, bricks=len(expected))
    counts = out.counts
    for one in told.bricks:
        faulty = built.fault is not None and one.name == built.fault.brick
        right = RIGHT[built.fault.kind] if faulty and built.fault else "in place"
        if visible.get(one.name, one.seen) < 0.5:
            counts["hidden"] += 1
            counts["called fine"] += faulty and one.state == "in place"
            continue
        counts["faults"] += faulty
        counts["faults right"] += faulty and one.state == right
        if one.state == right:
            counts["right"] += 1
        elif faulty and one.state == "in place":
            counts["called fine"] += 1
        else:
            counts["unseen" if one.state == "not seen" else "wrong"] += 1
    return out
