"""How a motion begins: parts wait where feeders have them, and the structure stands on the table and the turntable."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from falsework.geometry.shapes.studs import reach_in_world
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import shown
from falsework.model.part import Part
from falsework.model.poses import inverse
from falsework.model.robots.cell import Feeder
from falsework.model.robots.motion import Stay
from falsework.robots.verification.complaints import Complaint
from falsework.robots.verification.handling import off
from falsework.robots.verification.resting import FOOT_M, HEIGHT_M
from falsework.robots.verification.stage import Stage

ROUNDING_M = 1e-6  # of a tray's edge
MIDDLE_M = 1e-3  # by which a part may be off the middle of a station
SAME_S = 1e-6
UPRIGHT = 1e-3  # sine of how far a structure may be tilted


def begins(stage: Stage, assembly: Assembly) -> Iterator[Complaint]:
    """What is said against how it begins."""
    motion = stage.motion
    apart = off(motion.T_world_assembly, motion.cell.T_world_structure)
    if apart is not None:
        yield Complaint("place", 0.0, f"the structure {apart} from where the cell has it")
    there = {*assembly.fixed, *motion.plan.start.installed}
    ground = None if assembly.ground_part is None else assembly.ground_part.name
    stage.put(0.0)
    for number, (part, stays) in enumerate(zip(stage.parts, stage.stays, strict=True)):
        if part.name in there or part.name == ground:
            away: str | None = "is missing"
            if stays and stays[0].begin_s <= SAME_S:
                away = off(stage.part_pose(number), stage.place_of(number))
            if away is not None:
                yield Complaint("place", 0.0, f"part {shown(part.name)} {away}, and should be in place")
        elif stays:
            yield from _waits(stage, part, stays[0])
    names = {body.name for body in assembly.bodies}
    for name in sorted({stay.part for stay in motion.stays} - names):
        yield Complaint("place", 0.0, f"part {shown(name)} is not in the assembly")
    yield from _upright(stage, assembly)
    yield from _on_the_table(stage, assembly)
    yield from _on_the_turntable(stage, assembly)


def _waits(stage: Stage, part: Part, first: Stay) -> Iterator[Complaint]:
    """A part comes from a feeder that may bring it: from a tray, where it lies from the beginning, or a station."""
    feeders = stage.motion.cell.feeders
    named = [one for one in feeders if part.name in one.parts]
    upright = stage.motion.cell.T_world_structure @ part.T_world_part
    lying = [one for one in named or feeders if (named or not one.parts) and _lies(part, first, one, upright)]
    if not lying:
        why = "begins in a hand" if first.arm is not None else "waits where no feeder has it"
        yield Complaint("place", first.begin_s, f"part {shown(part.name)} {why}")
    elif first.begin_s > SAME_S and all(one.kind == "tray" for one in lying):
        yield Complaint("place", first.begin_s, f"part {shown(part.name)} is not on its tray from the beginning")


def _lies(part: Part, stay: Stay, feeder: Feeder, upright: Array) -> bool:
    """On the face of a feeder and within its edges, or in the middle of a station; turned as the feeder has parts."""
    if stay.arm is not None:
        return False
    T = inverse(feeder.T_world_feeder) @ stay.T
    points = _corners(part) @ T[:3, :3].T + T[:3, 3]
    low, high = points.min(axis=0), points.max(axis=0)
    if abs(low[2]) > HEIGHT_M:
        return False
    if feeder.lie == "assembled":
        turned = stay.T.copy()
        turned[:3, 3] = upright[:3, 3]
        if off(turned, upright) is not None:
            return False
    if feeder.kind == "station":
        return bool(np.abs(low + high)[:2].max() / 2 <= MIDDLE_M)
    half = 0.5 * np.array(feeder.size_m) + ROUNDING_M
    return bool((low[:2] >= -half).all() and (high[:2] <= half).all())


def _upright(stage: Stage, assembly: Assembly) -> Iterator[Complaint]:
    """Gravity pulls at the structure as it does in the assembly, for which the plan is judged."""
    weight = float(np.linalg.norm(assembly.gravity))
    pull = stage.motion.T_world_assembly[:3, :3] @ assembly.gravity
    if float(np.hypot(pull[0], pull[1])) > UPRIGHT * weight or pull[2] > 0:
        yield Complaint("stand", 0.0, "the structure is tilted, and gravity pulls at it otherwise than the plan has it")


def _on_the_table(stage: Stage, assembly: Assembly) -> Iterator[Complaint]:
    """What stands on a table stands on the cell's, at its height and within its edges."""
    table, ground = stage.motion.cell.table, assembly.ground_part
    if table is None or ground is None or assembly.ground.kind != "table":
        return
    T = stage.motion.T_world_assembly
    top = float((reach_in_world(ground) @ T[:3, :3].T + T[:3, 3])[:, 2].max())
    if abs(top - table.top_m[2]) > HEIGHT_M:
        why = f"the structure stands {1e3 * abs(top - table.top_m[2]):.1f} mm {_side(top - table.top_m[2])} the table"
        yield Complaint("stand", 0.0, why)
        return
    for part in assembly.parts:
        points = reach_in_world(part) @ T[:3, :3].T + T[:3, 3]
        feet = points[points[:, 2] <= top + FOOT_M, :2]
        if (np.abs(feet - table.top_m[:2]) > 0.5 * np.array(table.size_m) + ROUNDING_M).any():
            yield Complaint("stand", 0.0, f"part {shown(part.name)} stands over the table's edge")


def _on_the_turntable(stage: Stage, assembly: Assembly) -> Iterator[Complaint]:
    """The middle of a turntable is below the structure that it turns."""
    rotary = stage.motion.cell.rotary
    if rotary is None:
        return
    back = inverse(stage.motion.T_world_assembly)
    middle = (back[:3, :3] @ np.array(rotary.centre_m) + back[:3, 3])[:2]
    points = np.concatenate([reach_in_world(part) for part in assembly.parts])[:, :2]
    beyond = np.maximum(np.maximum(points.min(axis=0) - middle, middle - points.max(axis=0)), 0.0)
    far = float(np.linalg.norm(beyond))
    if far > ROUNDING_M:
        yield Complaint("stand", 0.0, f"the middle of the turntable is {far:.3g} m beside the structure that it turns")


def _corners(part: Part) -> Array:
    """(k, 3) in the part's own frame."""
    own = inverse(part.T_world_part)
    points: Array = reach_in_world(part) @ own[:3, :3].T + own[:3, 3]
    return points


def _side(height: float) -> str:
    return "above" if height > 0 else "below"
