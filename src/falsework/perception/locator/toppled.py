"""Bricks that lie on a side or upside down, by their outline from above: exact enough for a hand to take hold of them.

They are asked about only where a brick of a kind and colour is missed among those that stand. What is left of its
colour above the floor, beside all bricks that were found, is compared with the faces that such a brick can turn up: a
rectangle, and how high it is. On a side, studs stick out to where the brick's top points.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import ndimage

from falsework.model.arrays import Array, Bools
from falsework.model.catalogue import BrickType
from falsework.model.perception.findings import Brick, Workplace
from falsework.model.poses import inverse
from falsework.perception.locator.labels import Labels
from falsework.perception.locator.rectangles import least_rectangle
from falsework.perception.locator.views import View

LEAST_PIXELS = 60  # of something that is looked at
BELOW_FLOOR_M = 3e-3  # what is lower is noise; a floor has another colour
ON_IT = 0.4  # of the pixels of what lies on a floor: rims of plates carry what reaches beyond them
BESIDE_M = 5e-3  # around bricks that were found: still theirs
FACE_M = 2.2e-3  # below the highest points: still the face that is turned up
OFF_M = 4e-3  # by which a face and its height may be off
STICKS_OUT_M = 1.2e-3  # beyond a face: studs
STUD_PIXELS, CLEARLY = 8, 2.5  # of studs, and how many times as many as on the other side
UPS = ((0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, -1.0))  # axes of a brick that may point up: two sides, its foot


def toppled(
    views: Sequence[View], place: Workplace, labels: Labels, sought: Brick, known: Sequence[Brick]
) -> Brick | None:
    """The first brick of a kind and colour that lies so; None where none is sure."""
    label = labels.label_of(sought.color)
    for view in views:
        points = _points(view)
        colored = (view.labels == label) & ~_of_others(points, known)
        for floor_m, where, studs_m in reversed(view.floors(place)):  # plates first: what lies on their rims is on them
            with np.errstate(invalid="ignore"):
                mask = colored & (points[..., 2] > floor_m + studs_m - BELOW_FLOOR_M)
            parts, count = ndimage.label(mask)
            for number in range(1, count + 1):
                mine = parts == number
                if np.count_nonzero(mine) < LEAST_PIXELS or np.mean(where[mine]) < ON_IT:
                    continue
                pose = _lying(points[mine] - (0.0, 0.0, floor_m + studs_m), sought.kind, studs_m > 0)
                if pose is not None:
                    pose[2, 3] += floor_m + studs_m
                    return Brick(sought.kind, sought.color, pose)
    return None


def _points(view: View) -> Array:
    """(h, w, 3) what pixels see, in the base's frame; NaN where depth is unknown."""
    points = np.stack([view.way(axis) * view.depth + view.T_base_cam[axis, 3] for axis in range(3)], axis=-1)
    points[view.depth <= 0] = np.nan
    return points


def _of_others(points: Array, known: Sequence[Brick]) -> Bools:
    """(h, w) whether points are on, or over and right beside, bricks that are known."""
    found: Bools = np.zeros(points.shape[:2], dtype=bool)
    for brick in known:
        T = inverse(brick.T_base_brick)
        local = points @ T[:3, :3].T + T[:3, 3]
        inside = (local[..., :2] > -BESIDE_M) & (local[..., :2] < np.array(brick.kind.size_m[:2]) + BESIDE_M)
        found |= inside.all(axis=-1)
    return found


def _lying(points: Array, kind: BrickType, among_studs: bool) -> Array | None:
    """(4, 4) of a brick whose points (n, 3) above the floor are seen, if they are those of such a brick.

    Upside down it stands on its studs, or `among_studs` of a plate on its top.
    """
    top = float(np.quantile(points[:, 2], 0.97))
    face = points[points[:, 2] > top - FACE_M, :2]
    if len(face) < LEAST_PIXELS / 2:
        return None
    middle, sides, axes = least_rectangle(face)
    size, stud = np.array(kind.size_m), kind.measures.stud_height_m
    for up in np.array(UPS):
        level = [axis for axis in range(3) if not up[axis]]  # of the brick, along the face
        height = size[up != 0][0] + (stud if up[2] and not among_studs else 0.0)
        if abs(height - top) > OFF_M:
            continue
        for first, second in (level, level[::-1]):
            if np.abs(sides - size[[first, second]]).max() > OFF_M:
                continue
            R = _turned(up, first, axes)
            if level[1] == 2:  # on a side: the brick's top points to where studs are
                sign = _studs_toward(points - np.append(middle, 0.0), R[:, 2], size[2], stud, top)
                if sign == 0:
                    return None
                R = R if sign > 0 else np.diag([-1.0, -1.0, 1.0]) @ R
            centre = np.append(middle, height - size[up != 0][0] / 2)
            T = np.eye(4)
            T[:3, :3], T[:3, 3] = R, centre - R @ (size / 2)
            return T
    return None


def _turned(up: Array, first: int, axes: Array) -> Array:
    """(3, 3) with a brick's axis `up` (3,) upward, and its axis `first` along the first of the face's axes (2, 2)."""
    R = np.zeros((3, 3))
    R[:, int(np.argmax(np.abs(up)))] = (0.0, 0.0, up.sum())
    R[:2, first] = axes[0]
    (last,) = {0, 1, 2} - {first, int(np.argmax(np.abs(up)))}
    R[:, last] = np.cross(R[:, (last + 1) % 3], R[:, (last + 2) % 3])
    return R


def _studs_toward(points: Array, z: Array, tall_m: float, stud_m: float, top: float) -> int:
    """1: studs stick out where z (3,) points, −1: on the other side, 0: nobody can tell; points are from the middle."""
    along = points @ z
    lower = points[:, 2] < top - FACE_M / 2
    near, far = tall_m / 2 + STICKS_OUT_M, tall_m / 2 + stud_m + STICKS_OUT_M
    ahead, behind = (int(np.count_nonzero(lower & (side > near) & (side < far))) for side in (along, -along))
    if max(ahead, behind) < STUD_PIXELS or max(ahead, behind) < CLEARLY * min(ahead, behind):
        return 0
    return 1 if ahead > behind else -1
