"""All grasps of a part by a tool, ranked by how much they could bear beyond what they must."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from falsework.model.arrays import Array, Ints
from falsework.model.part import Part
from falsework.model.robots.grasp import Grasp, GripKind
from falsework.model.robots.tool import Tool
from falsework.model.shapes import BrickShape
from falsework.robots.grasps.bearing import (
    Burden,
    Capacity,
    offsets,
    pinch_capacity,
    set_force,
    stud_capacity,
    suction_capacity,
)
from falsework.robots.grasps.hand import hands_free, opened
from falsework.robots.grasps.pinching import DRAWN_BACK, HANDS, TURNS, antipodal_pairs, hands_at
from falsework.robots.grasps.skin import skin_of
from falsework.robots.grasps.sucking import cups, studs

MOST = 160  # grasps of a part that are kept
ENOUGH = 5.0  # times the burden: a grip that bears more is no better
WAYS = np.array(
    [(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if x or y or z], dtype=np.float64
)
WAYS /= np.linalg.norm(WAYS, axis=1, keepdims=True)  # (26, 3) ways for a hand to come, among which grasps are spread


@dataclass(frozen=True, slots=True, eq=False)
class Grasps:
    """Grasps of one part by one tool, best first; and where there are none, why."""

    grasps: tuple[Grasp, ...]
    why_not: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class _Candidates:
    kind: GripKind
    poses: Array  # (k, 4, 4)
    widths_m: Array  # (k,)
    capacities: list[Capacity | None]
    axes: Array  # (k, 3) of the grip: through both pads, or into the part
    back: Ints  # (k,) how far the hand stays back, as a number


def grasps_of(part: Part, tool: Tool, burden: Burden | None = None, most: int = MOST) -> Grasps:
    """Grasps of a part by a tool, in the part's frame: those that bear the burden, best first in every direction.

    They are spread over the ways from which a hand can come: after the best of each way the second best of each, and
    so on. `burden`: the part's own weight unless told.

    >>> from falsework import Assembly, tool_named
    >>> part = Assembly.from_boxes([(0.1, 0.04, 0.02)], [(0, 0, 0)], density_kg_m3=500).parts[0]
    >>> best = grasps_of(part, tool_named("panda-hand")).grasps[0]
    >>> best.kind, round(best.opening_m, 6)
    ('pinch', 0.02)
    """
    return _known(part, tool, Burden(part.mass_kg) if burden is None else burden, most)


@lru_cache(maxsize=4096)
def _known(part: Part, tool: Tool, burden: Burden, most: int) -> Grasps:
    found = _candidates(part, tool)
    if isinstance(found, str):
        return Grasps((), found)
    open_m = opened(tool, found.widths_m) if tool.kind == "parallel" else np.zeros(len(found.poses))
    fits = np.isfinite(open_m)
    if not fits.any():
        least, most_open = found.widths_m.min(), tool.opening_m[1]
        return Grasps((), f"it is {least * 1e3:.3g} mm wide where it is narrowest, and {tool.name} opens "
                          f"{most_open * 1e3:.3g} mm")  # fmt: skip
    margins = np.where(fits, _margins(part, tool, burden, found), 0.0)
    holds = margins >= 1.0
    if not holds.any():
        return Grasps((), f"the grip of {tool.name} bears {margins.max():.2g} times what it must, "
                          f"{burden.load_n:.3g} N of weight and inertia"
                          + (f" and {burden.press_n:.3g} N of press" if burden.press_n else ""))  # fmt: skip
    rows = np.flatnonzero(holds)
    rows = rows[hands_free(part.shape, tool, found.poses[rows], open_m[rows])]
    if not len(rows):
        return Grasps((), f"{tool.name} touches it elsewhere wherever it grips it")
    chosen = _spread(found.poses[rows][:, :3, 2], margins[rows], found.back[rows])[:most]
    return Grasps(
        tuple(
            Grasp(
                part.name,
                found.kind,
                found.poses[k],
                float(found.widths_m[k]),
                float(open_m[k]),
                set_force(tool, float(margins[k])),
                float(min(margins[k], 1e6)),
            )
            for k in rows[chosen]
        )
    )


def _candidates(part: Part, tool: Tool) -> _Candidates | str:
    if tool.kind == "stud":
        if not isinstance(part.shape, BrickShape):
            return f"{tool.name} takes bricks by their studs, and it is no brick"
        poses, shares = studs(part.shape, tool)
        if not len(poses):
            return "it has no studs"
        none = np.zeros(len(poses), np.int64)
        capacities: list[Capacity | None] = [stud_capacity(tool, float(share)) for share in shares]
        return _Candidates("studs", poses, np.zeros(len(poses)), capacities, poses[:, :3, 2], none)
    skin = skin_of(part.shape)
    if tool.kind == "suction":
        poses = cups(skin, tool)
        if not len(poses):
            return f"no place on it is level enough for a cup of {max(tool.pad_m) * 1e3:.3g} mm"
        one, none = suction_capacity(tool), np.zeros(len(poses), np.int64)
        return _Candidates("suction", poses, np.zeros(len(poses)), [one] * len(poses), poses[:, :3, 2], none)
    pairs = antipodal_pairs(skin, tool.friction, level=isinstance(part.shape, BrickShape))
    if not len(pairs.middles):
        return "no two places on it face each other within friction"
    both = zip(pairs.middles, pairs.axes, strict=True)
    poses = np.concatenate([hands_at(middle, axis, tool.pad_m[1]) for middle, axis in both])
    back = np.repeat(DRAWN_BACK, TURNS)
    able: list[Capacity | None] = []
    for width, taper in zip(pairs.widths_m, pairs.tapers, strict=True):
        able += [pinch_capacity(tool, float(width), float(taper), float(share)) for share in back]
    count = len(pairs.middles)
    widths, axes = np.repeat(pairs.widths_m, HANDS), np.repeat(pairs.axes, HANDS, axis=0)
    depth = np.tile(np.repeat(np.arange(len(DRAWN_BACK)), TURNS), count)
    return _Candidates("pinch", poses, widths, able, axes, depth)


def _margins(part: Part, tool: Tool, burden: Burden, found: _Candidates) -> Array:
    """(k,) how many times the burden each candidate bears; 0 where faces slip out."""
    aside, away = offsets(found.poses[:, :3, 3], found.axes, part.com_part_m)
    each = zip(found.capacities, aside.tolist(), away.tolist(), strict=True)
    force = tool.force_n[1]
    return np.array([0.0 if able is None else able.margin(force, burden, far, off) for able, far, off in each])


def _spread(directions: Array, margins: Array, back: Ints) -> Ints:
    """Numbers of all, by rounds: the best of every direction and depth first, then the second best of each."""
    way = np.argmax(directions @ WAYS.T, axis=1) * len(DRAWN_BACK) + back
    order = np.lexsort((np.arange(len(margins)), -np.round(np.minimum(margins, ENOUGH), 6)))
    place = np.zeros(len(margins), np.int64)
    seen = np.zeros(len(WAYS) * len(DRAWN_BACK), np.int64)
    for k in order:
        place[k] = seen[way[k]]
        seen[way[k]] += 1
    return order[np.argsort(place[order], kind="stable")]
