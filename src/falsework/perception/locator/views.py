"""A frame made ready: where the camera is by what it sees, how deep its noise is, which label each pixel has."""

# Compiled functions have no types.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from falsework.kernels.casting import draw
from falsework.model.arrays import Array
from falsework.model.errors import BadInput
from falsework.model.perception.findings import Workplace
from falsework.model.perception.frames import Frame
from falsework.model.perception.palette import PALETTE, reflectance
from falsework.model.poses import inverse
from falsework.perception.locator.balance import balanced
from falsework.perception.locator.labels import (
    AS_THE_FLOOR,
    NO_LABEL,
    SHADED,
    Labels,
    brightest,
    chroma_apart,
    chroma_of,
)
from falsework.perception.locator.solids import solid_of

_NEAR_PLANE_M = 0.03  # a camera is not farther off than this when it is levelled
_SAME_CHROMA = 0.1
_ALIKE_CHROMA = 0.2  # of a floor and a colour: what the balance of a camera's channels does not tell apart
_COLOR_PIXELS = 20_000  # that tell the colour of a floor
_LEAST_SHARE = 0.05  # of the pixels with depth that must show the table
_MOST_SHIFT_M = 0.01  # that a camera may be moved: calibration errs by a tenth of it, depth off by 2 % by more
_MOST_TURN_DEG = 2.0  # that a camera may be off: a mirrored picture, or another camera's pose, is off by more


@dataclass(frozen=True, slots=True, eq=False)
class Calibrated:
    """How well a camera is known by a plate: everything it sees shifts and turns together about the plate."""

    middle_m: Array  # (2,) of the plate
    covariance: Array  # (3, 3) of x, y (m) there and yaw (rad)


_UNCALIBRATED = Calibrated(np.zeros(2), np.diag([1.5e-3**2, 1.5e-3**2, 4e-3**2]))  # what levelling alone leaves


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What compiled code asks of a frame."""

    frame: Frame
    rgb: npt.NDArray[np.float32]  # (h, w, 3)
    chroma: npt.NDArray[np.float32]  # (h, w, 2)
    depth: Array  # (h, w) m, 0: unknown
    labels: npt.NDArray[np.int8]  # (h, w)
    K: Array  # (4,) fx, fy, cx, cy
    T_base_cam: Array  # (4, 4) corrected
    noise: float  # standard deviation of depth over depth², 1/m
    hueless: int = -9  # the label of white, grey and black
    white: tuple[float, float] = (0.0, 0.0)  # its chroma, as this camera shows it
    otherwise: Labels | None = None  # where the camera's balance is in doubt, as a balanced one would show colours
    calibrated: Calibrated | None = None
    T_cam_base: Array = field(init=False)  # (4, 4)
    _kept: dict[str, Array] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "T_cam_base", np.ascontiguousarray(inverse(self.T_base_cam)))

    def beside(self, label: int) -> int:
        """What else a side of a brick of this label may be labelled: shaded, if it has no hue."""
        return SHADED if label == self.hueless else label

    def at(self, T_base_cam: Array, calibrated: Calibrated | None = None) -> View:
        """The same from elsewhere; BadInput where that is farther from what was believed than calibration errs."""
        cosine = (np.trace(T_base_cam[:3, :3] @ self.frame.T_base_cam[:3, :3].T) - 1) / 2
        turn = float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))))
        if turn > _MOST_TURN_DEG:
            raise BadInput(
                f"the table or the plate would lie where it should if the camera were turned by {turn:.1f} degrees, "
                f"expected {_MOST_TURN_DEG:g} or less; is the picture mirrored, or T_base_cam or K another camera's?"
            )
        shift = float(np.linalg.norm(T_base_cam[:3, 3] - self.frame.T_base_cam[:3, 3]))
        if shift > _MOST_SHIFT_M:
            raise BadInput(
                f"the table or the plate would lie where it should if the camera were moved by {1e3 * shift:.0f} mm, "
                f"expected {1e3 * _MOST_SHIFT_M:.0f} or less; are T_base_cam, K and the unit of depth right?"
            )
        return replace(self, T_base_cam=T_base_cam, calibrated=calibrated)

    @property
    def registered(self) -> bool:
        return self.calibrated is not None

    def calibration_at(self, x: float, y: float) -> Array:
        """(3, 3) covariance of x, y (m) and yaw (rad) there, by what is not known of where the camera is."""
        known = self.calibrated or _UNCALIBRATED
        away_x, away_y = x - known.middle_m[0], y - known.middle_m[1]
        if self.calibrated is None:
            away_x = away_y = 0.0
        lever = np.array([[1.0, 0.0, -away_y], [0.0, 1.0, away_x], [0.0, 0.0, 1.0]])
        return np.asarray(lever @ known.covariance @ lever.T)

    def pixel_m(self, point_m: Array) -> float:
        """How wide a pixel is at a point of the base's frame, m."""
        return float(self.T_cam_base[2, :3] @ point_m + self.T_cam_base[2, 3]) / float(self.K[0])

    def heights(self) -> Array:
        """(h, w) z of every pixel's point in the base's frame; NaN where depth is unknown."""
        if "heights" not in self._kept:
            z = self.way(2) * self.depth + self.T_base_cam[2, 3]
            z[self.depth <= 0] = np.nan
            self._kept["heights"] = z
        return self._kept["heights"]

    def nearest(self) -> Array:
        """(h, w) the least depth within two pixels; infinite where none is known."""
        if "nearest" not in self._kept:
            known = np.where(self.depth > 0, self.depth, np.inf)
            self._kept["nearest"] = ndimage.minimum_filter(known, size=5, mode="nearest")
        return self._kept["nearest"]

    def way(self, axis: int) -> Array:
        """(h, w) along one axis of the base: where pixels look, of length 1 along the camera's own axis."""
        height, width = self.depth.shape
        turn = self.T_base_cam[axis, :3]
        across = turn[0] * (np.arange(width) - self.K[2]) / self.K[0]
        down = turn[1] * (np.arange(height) - self.K[3]) / self.K[1] + turn[2]
        return np.asarray(down[:, None] + across[None])

    def floors(self, place: Workplace, beyond_m: float = 0.0) -> list[tuple[float, npt.NDArray[np.bool_], float]]:
        """(height, (h, w) where pixels look at it, height of its studs) of the table and of every plate.

        Plates are taken to reach `beyond_m` over their rims.
        """
        T = self.T_base_cam
        out = [] if place.table_m is None else [(place.table_m, np.ones(self.depth.shape, bool), 0.0)]
        for plate in place.plates:
            top = float(plate.T_base_plate[2, 3]) + plate.kind.size_m[2]
            along = (top - T[2, 3]) / np.minimum(self.way(2), -1e-9)
            x = self.way(0) * along + (T[0, 3] - plate.T_base_plate[0, 3])
            y = self.way(1) * along + (T[1, 3] - plate.T_base_plate[1, 3])
            over = np.ones(self.depth.shape, bool)
            for axis in range(2):
                local = x * plate.T_base_plate[0, axis] + y * plate.T_base_plate[1, axis]
                over &= (local > -beyond_m) & (local < plate.kind.size_m[axis] + beyond_m)
            out = [(floor, where & ~over, stud) for floor, where, stud in out]
            out.append((top, over, plate.kind.measures.stud_height_m))
        return out


def view_of(frame: Frame, labels: Labels | None = None) -> View:
    """A frame where it says it is, with its labels; without them no pixel has one."""
    if abs(frame.K[0, 1]) > 1e-9:
        raise BadInput(f"K: found a skew of {frame.K[0, 1]:g}, expected 0; rectify the frame first")
    K = np.array([frame.K[0, 0], frame.K[1, 1], frame.K[0, 2], frame.K[1, 2]])
    depth = np.ascontiguousarray(frame.depth_m)
    rgb = frame.rgb.astype(np.float32)
    chroma = chroma_of(rgb)
    none = np.full(depth.shape, NO_LABEL, np.int8)
    named, hueless = (none, -9) if labels is None else (labels.label(chroma), labels.hueless)
    return View(frame, rgb, chroma, depth, named, K, np.array(frame.T_base_cam), 0.0, hueless)


def levelled(view: View, place: Workplace) -> View:
    """The view turned and lifted so that the plane it sees most of lies at the height of the table, or of a plate.

    Raises BadInput where no such plane is seen within 30 mm and 2°: the frame shows something else, or is in another
    unit, or mirrored.
    """
    places = np.flatnonzero(view.depth)
    if len(places) < 500:
        raise BadInput(f"depth_m: found {len(places)} pixels with depth, expected 500 or more to find the table by")
    places = places[:: max(1, len(places) // 30_000)]
    rows, columns = np.divmod(places, view.depth.shape[1])
    z = view.depth.ravel()[places]
    points = np.column_stack([(columns - view.K[2]) / view.K[0] * z, (rows - view.K[3]) / view.K[1] * z, z])
    world = points @ view.T_base_cam[:3, :3].T + view.T_base_cam[:3, 3]
    world[:, 2] -= _expected_heights(view, place).ravel()[places]
    plane, spread, share = _plane(world[np.isfinite(world[:, 2])])
    if share < _LEAST_SHARE:
        raise BadInput(
            f"no table is seen: {share:.0%} of the pixels are within {_NEAR_PLANE_M * 1e3:.0f} mm of where the table "
            f"or a plate should be, expected {_LEAST_SHARE:.0%} or more; are T_base_cam, K and the unit of depth right?"
        )
    # What is seen lies a·x + b·y + c too high: turn that plane level, about the camera's own place.
    normal = np.array([-plane[0], -plane[1], 1.0]) / np.sqrt(1 + plane[0] ** 2 + plane[1] ** 2)
    turn = _between(normal, np.array([0.0, 0.0, 1.0]))
    T = np.array(view.T_base_cam)
    T[:3, :3] = turn @ T[:3, :3]
    off = np.array([0.0, 0.0, plane[2]]) - view.T_base_cam[:3, 3]
    T[2, 3] = -(turn @ off)[2]
    typical = float(np.median(z))
    return replace(view.at(T), noise=max(spread, 2e-4) / typical**2)


def labelled(view: View, place: Workplace, told: Labels, lowest_m: float) -> View:
    """The view with its labels, and none where table or plate show: their colour, and nothing certainly higher.

    Depth grows fat at edges, so a pixel stands higher only if nothing within two pixels is low. Where the floor has
    nearly the colour of a label, its pixels may be of that label still. `lowest_m`: of the kinds.
    """
    heights = view.heights()
    floors, stands = [], np.zeros(view.depth.shape, bool)
    for floor, where, stud in view.floors(place):
        least = floor + stud + 0.4 * (lowest_m - min(stud, lowest_m / 2))
        with np.errstate(invalid="ignore"):
            high, low = heights > least, heights <= least
        certain = high & ~ndimage.maximum_filter(low, size=5, mode="nearest")
        stands |= where & certain
        floors.append((where, certain, _floor_color(view, where & low)))
    here = np.flatnonzero(stands)
    here = here[:: max(1, len(here) // _COLOR_PIXELS)]
    cards = _cards(place, [color for _, _, color in floors])
    shown, otherwise = balanced(told, view.rgb.reshape(-1, 3)[here], view.chroma.reshape(-1, 2)[here], cards)
    labels = shown.label(view.chroma)
    bright = brightest(view.rgb)
    for where, certain, color in floors:
        if color is None:
            continue
        # Without depth nothing tells what has no hue from the floor, nor a dark side from a shadow, whatever noise,
        # and what shines on it from beside, make of them.
        near = chroma_apart(view.chroma, chroma_of(color)) < _SAME_CHROMA**2
        near |= ~(view.depth > 0) & (labels == shown.hueless)
        lit = near & (bright > 0.85 * color.max()) & (bright < 1.15 * color.max())
        dark = near & (bright <= 0.85 * color.max()) & (labels == shown.hueless)
        plain = where & lit & ~certain
        alike = chroma_apart(shown.chroma, chroma_of(color)) < _ALIKE_CHROMA**2
        maybe = np.append(np.where(alike, AS_THE_FLOOR - np.arange(len(alike)), NO_LABEL), NO_LABEL).astype(np.int8)
        labels[plain] = maybe[np.maximum(labels[plain], NO_LABEL)]
        labels[where & dark & ~certain] = SHADED
    white = (0.0, 0.0) if shown.hueless < 0 else (float(shown.chroma[-1, 0]), float(shown.chroma[-1, 1]))
    return replace(view, labels=labels, hueless=shown.hueless, white=white, otherwise=otherwise)


def _floor_color(view: View, where: npt.NDArray[np.bool_]) -> Array | None:
    """(3,) of the pixels that show a floor; None where too few do."""
    those = np.flatnonzero(where)
    if len(those) < 100:
        return None
    return np.asarray(np.median(view.rgb.reshape(-1, 3)[those[:: max(1, len(those) // _COLOR_PIXELS)]], axis=0))


def _cards(place: Workplace, seen: list[Array | None]) -> list[tuple[Array, Array]]:
    """(the colour seen, the colour that it is) of plates whose colour is told; `seen` of the table first, if any."""
    plates = zip(place.plates, seen[len(seen) - len(place.plates) :], strict=True)
    return [(rgb, np.array(reflectance(one.color))) for one, rgb in plates if rgb is not None and one.color in PALETTE]


def _expected_heights(view: View, place: Workplace) -> Array:
    """(h, w) the height of the table or the plate that each pixel should show; NaN where it should show neither.

    Depth is taken over a window, so studs of a plate come as bumps: drawn, and then seen through such a window.
    """
    heights = np.full(view.depth.shape, np.nan if place.table_m is None else place.table_m)
    if place.plates:
        depth, ids = np.full(view.depth.shape, np.inf), np.full(view.depth.shape, -1, np.int32)
        faces = np.zeros(view.depth.shape, np.int8)
        poses = np.array([view.T_cam_base @ plate.T_base_plate for plate in place.plates])
        solids = np.array([solid_of(plate.kind) for plate in place.plates])
        draw(depth, ids, faces, view.K, solids, np.ascontiguousarray(poses[:, :3]))
        drawn = view.way(2) * np.where(ids >= 0, depth, 0.0) + view.T_base_cam[2, 3]
        heights = np.where(ids >= 0, ndimage.uniform_filter(drawn, size=5, mode="nearest"), heights)
    return heights


def _plane(world: Array) -> tuple[Array, float, float]:
    """((3,) z = a·x + b·y + c, its spread in m, the share of points that are on it), by reweighting."""
    near = np.abs(world[:, 2]) < _NEAR_PLANE_M
    x, y, z = world[near].T if near.any() else np.zeros((3, 1))
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
