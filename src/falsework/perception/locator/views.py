"""A frame made ready: where the camera is by what it sees, how deep its noise is, which label each pixel has."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from falsework.model.arrays import Array
from falsework.model.errors import BadInput
from falsework.model.perception.findings import Workplace
from falsework.model.perception.frames import Frame, rays
from falsework.model.poses import inverse
from falsework.perception.locator.labels import NO_LABEL, Labels, chroma_of

_NEAR_PLANE_M = 0.03  # a camera is not farther off than this when it is levelled
_SAME_CHROMA = 0.1
_LEAST_SHARE = 0.05  # of the pixels with depth that must show the table


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What compiled code asks of a frame."""

    frame: Frame
    rgb: npt.NDArray[np.float32]  # (h, w, 3)
    depth: Array  # (h, w) m, 0: unknown
    labels: npt.NDArray[np.int8]  # (h, w)
    K: Array  # (4,) fx, fy, cx, cy
    T_base_cam: Array  # (4, 4) corrected
    noise: float  # standard deviation of depth over depth², 1/m
    registered: bool = False

    @property
    def T_cam_base(self) -> Array:
        return inverse(self.T_base_cam)

    def at(self, T_base_cam: Array, registered: bool) -> View:
        return replace(self, T_base_cam=T_base_cam, registered=registered)

    def heights(self) -> Array:
        """(h, w) z of every pixel's point in the base's frame; NaN where depth is unknown."""
        T = self.T_base_cam
        z = (rays(self.frame.K, *self.depth.shape) @ T[2, :3]) * self.depth + T[2, 3]
        return np.where(self.depth > 0, z, np.nan)


def view_of(frame: Frame, labels: Labels) -> View:
    """A frame with its labels, where the frame says it is."""
    if abs(frame.K[0, 1]) > 1e-9:
        raise BadInput(f"K: found a skew of {frame.K[0, 1]:g}, expected 0; rectify the frame first")
    K = np.array([frame.K[0, 0], frame.K[1, 1], frame.K[0, 2], frame.K[1, 2]])
    depth = np.ascontiguousarray(frame.depth_m)
    return View(frame, frame.rgb.astype(np.float32), depth, labels.label(frame.rgb), K, np.array(frame.T_base_cam), 0.0)


def levelled(view: View, place: Workplace) -> View:
    """The view turned and lifted so that the plane it sees most of lies at the height of the table, or of a plate.

    Raises BadInput where no such plane is seen within 30 mm: the frame shows something else, or is in another unit.
    """
    height = place.table_m
    if height is None:
        plate = place.plates[0]
        height = float(plate.T_base_plate[2, 3]) + plate.kind.size_m[2]
    known = view.depth > 0
    points = rays(view.frame.K, *view.depth.shape)[known] * view.depth[known][:, None]
    if len(points) < 500:
        raise BadInput(f"depth_m: found {len(points)} pixels with depth, expected 500 or more to find the table by")
    world = points @ view.T_base_cam[:3, :3].T + view.T_base_cam[:3, 3]
    world = world[:: max(1, len(world) // 40_000)]
    plane, spread, share = _plane(world, height)
    if share < _LEAST_SHARE:
        raise BadInput(
            f"no table is seen: {share:.0%} of the pixels are within {_NEAR_PLANE_M * 1e3:.0f} mm of z = {height:g} m, "
            f"expected {_LEAST_SHARE:.0%} or more; are T_base_cam, K and the unit of depth right?"
        )
    # z' = 0 on the plane a·x + b·y + c = z − height: turn its normal upright about the camera's own place.
    normal = np.array([-plane[0], -plane[1], 1.0]) / np.sqrt(1 + plane[0] ** 2 + plane[1] ** 2)
    turn = _between(normal, np.array([0.0, 0.0, 1.0]))
    T = np.array(view.T_base_cam)
    T[:3, :3] = turn @ T[:3, :3]
    off = np.array([0.0, 0.0, plane[2] + height]) - view.T_base_cam[:3, 3]
    T[2, 3] = height - (turn @ off)[2]
    typical = float(np.median(view.depth[known]))
    return replace(view, T_base_cam=T, noise=max(spread, 2e-4) / typical**2)


def without_background(view: View, place: Workplace, lowest_m: float) -> View:
    """The view with no label where table or plate show: their colour, and nothing that certainly stands higher.

    Depth grows fat at edges, so a pixel stands higher only if all within two pixels do. `lowest_m`: of the kinds.
    """
    heights = view.heights()
    labels = np.array(view.labels)
    T = view.T_base_cam
    way = rays(view.frame.K, *view.depth.shape) @ T[:3, :3].T
    floors = [] if place.table_m is None else [(place.table_m, np.ones(labels.shape, bool), 0.0)]
    for plate in place.plates:
        top = float(plate.T_base_plate[2, 3]) + plate.kind.size_m[2]
        hit = T[:3, 3] + way * ((top - T[2, 3]) / np.minimum(way[..., 2:], -1e-9))
        local = (hit - plate.T_base_plate[:3, 3]) @ plate.T_base_plate[:3, :3]
        over = ((local[..., :2] > 0) & (local[..., :2] < np.array(plate.kind.size_m[:2]))).all(axis=-1)
        floors = [(floor, where & ~over, stud) for floor, where, stud in floors]
        floors.append((top, over, plate.kind.measures.stud_height_m))
    chroma = chroma_of(view.rgb)
    bright = view.rgb.max(axis=-1)
    for floor, where, stud in floors:
        high = np.nan_to_num(heights, nan=floor) > floor + stud + 0.4 * (lowest_m - min(stud, lowest_m / 2))
        low = where & ~high & np.isfinite(heights)
        if low.sum() < 100:
            continue
        color = np.median(view.rgb[low], axis=0)
        near = np.hypot(*np.moveaxis(chroma - chroma_of(color), -1, 0)) < _SAME_CHROMA
        alike = near & (bright > 0.35 * color.max()) & (bright < 1.15 * color.max())
        certain = ndimage.minimum_filter(high, size=5, mode="nearest")
        labels[where & alike & ~certain] = NO_LABEL
    return replace(view, labels=labels)


def _plane(world: Array, height: float) -> tuple[Array, float, float]:
    """((3,) z − height = a·x + b·y + c, its spread in m, the share of points that are on it), by reweighting."""
    near = np.abs(world[:, 2] - height) < _NEAR_PLANE_M
    x, y, z = world[near].T if near.any() else np.zeros((3, 1))
    z = z - height
    rows = np.column_stack([x, y, np.ones_like(x)])
    histogram, places = np.histogram(z, bins=60, range=(-_NEAR_PLANE_M, _NEAR_PLANE_M))
    plane = np.array([0.0, 0.0, places[int(np.argmax(histogram))] + 5e-4])
    spread = 0.006
    for _ in range(12):
        off = z - rows @ plane
        weight = np.clip(1 - (off / (3 * spread)) ** 2, 0, None) ** 2
        if weight.sum() < 30:
            return plane, spread, 0.0
        plane = np.linalg.solve((rows * weight[:, None]).T @ rows + 1e-9 * np.eye(3), rows.T @ (weight * z))
        off = z - rows @ plane
        inside = np.abs(off) < 3 * spread
        spread = max(5e-4, min(spread, 1.4826 * float(np.median(np.abs(off[inside])))))
    return plane, spread, float((np.abs(off) < 3 * spread).mean() * near.mean())


def _between(a: Array, b: Array) -> Array:
    """The least rotation that brings the unit vector a to b."""
    axis = np.cross(a, b)
    cosine = float(a @ b)
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    turn: Array = np.eye(3) + K + K @ K / (1 + cosine)
    return turn
