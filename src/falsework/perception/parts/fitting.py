"""Parts on a table, by depth: patches that stand up, templates fitted to distance fields, drawn and compared.

Each patch is taken for one part. Points of the patch are asked how far they are from the part's surface at every way it
can lie; the nearest templates are moved (x, y, yaw) until the points lie on the surface, and then drawn into the
picture: pixels where depth agrees speak for them, pixels that show something else against them. What no part explains,
or several do, is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from falsework.model.arrays import Array, Bools
from falsework.model.errors import BadInput
from falsework.model.perception.findings import Detection, LocatedPart, Refused, Workplace
from falsework.model.perception.frames import Frame
from falsework.model.perception.palette import SIX_COLORS
from falsework.model.poses import inverse
from falsework.perception.locator.labels import Labels
from falsework.perception.locator.registering import registered
from falsework.perception.locator.views import View, levelled, view_of
from falsework.perception.parts.alike import Fit, coincide, look_alikes, once, turned_alike
from falsework.perception.parts.templates import YAWS, PartModel, Twin, lying

FEWEST_PX = 80  # of a patch
_POINTS = (160, 1200)  # that templates are chosen by, and fitted to
_CHOSEN = 8  # templates of a part that are fitted
_STEPS = 25
_POLISHED = 6  # fits of a patch that are moved by their pixels
_NUDGES = ((0.002, 0.04), (0.0008, 0.015), (0.0003, 0.005))  # m and rad
_MOST_NUDGES = 10  # of one size
_STANDS_M = 0.004  # above the table, at least
_AGREES = 0.85  # share of pixels that must speak for a part
_ONE_PART = 0.3  # of the longest part: two patches so near may be of one
_RIVAL = 0.04  # a share so much lower is as good; or one by twice its deviation, of few pixels,
_TOGETHER = 5.0  # that err together along edges, so many as one
_ALIKE = 2.0  # times that: a look-alike whose share is so much lower, before it is moved, is no rival
_RIVAL_M = 0.0007  # a part that lies so much too high or too low counts as much less
_SHARED = 25.0  # neighbouring pixels err together: so many count as one
_PIXEL = 0.8  # of a pixel: to which pixels of an outline tell a place


@dataclass(frozen=True, slots=True, eq=False)
class PartsSight:
    """All that was made of a frame."""

    found: tuple[LocatedPart, ...]
    refused: tuple[Refused, ...]
    T_base_cam: Array  # (4, 4) where the camera is, by what it sees
    registered: bool  # whether a plate told so


def locate_parts(frame: Frame, place: Workplace, parts: Sequence[PartModel]) -> PartsSight:
    """The parts that lie on the table, each apart from the others."""
    if not parts:
        raise BadInput("parts: found none, expected one or more to look for")
    view = _level(frame, place)
    found: list[LocatedPart] = []
    refused: list[Refused] = []
    left = {one.name: [Twin(one.name, np.eye(4)), *one.twins] for one in parts}
    patches = _patches(view, place)
    while patches:
        told, patches = _one_by_one(view, place, parts, patches)
        if isinstance(told, Refused):
            refused.append(told)
        elif not left[told.part.name]:
            middle, why = told.T_base_part[:3, 3], f"one more {told.part.name} than there are"
            refused.append(Refused(why, middle, (), "a list with all that lies here"))
        else:
            found.append(_located(view, told, left[told.part.name].pop(0)))
    return PartsSight(tuple(found), tuple(refused), view.T_base_cam, view.registered)


@dataclass(frozen=True)
class PartEstimator:
    """A `PoseEstimator` of parts by their meshes; a detection's name is that of a part."""

    place: Workplace
    parts: Sequence[PartModel]

    def estimate(self, frame: Frame, detection: Detection) -> LocatedPart | Refused:
        """Where the part of that name is that the mask shows."""
        if detection.mask.shape != frame.depth_m.shape:
            raise BadInput(f"mask: found {detection.mask.shape}, but the frame is {frame.depth_m.shape}")
        named = [one for one in self.parts if one.name == detection.name]
        if not named:
            raise BadInput(f"detection {detection.name}: no part has that name")
        view = _level(frame, self.place)
        mask = detection.mask & (view.depth > 0)
        if mask.sum() < FEWEST_PX:
            return Refused(f"{int(mask.sum())} pixels with depth are too few", np.zeros(3), (), "a view from nearer")
        told = _explained(view, self.place, named, mask)
        return told if isinstance(told, Refused) else _located(view, told, Twin(detection.name, np.eye(4)))


def _level(frame: Frame, place: Workplace) -> View:
    if place.table_m is None:
        raise BadInput("parts are looked for on a table: say how high it is")
    view = levelled(view_of(frame, Labels.of(SIX_COLORS)), place)
    return next((better for plate in place.plates if (better := registered(view, plate)) is not None), view)


def _patches(view: View, place: Workplace) -> list[Bools]:
    """What stands on the table, each connected piece a mask."""
    heights = np.nan_to_num(view.heights(), nan=-1.0)
    noise = 3 * view.noise * float(np.median(view.depth[view.depth > 0])) ** 2
    stands = heights > (place.table_m or 0.0) + max(_STANDS_M, noise)
    for plate in place.plates:
        stands &= ~_over(view, inverse(plate.T_base_plate), np.array(plate.kind.size_m[:2]))
    numbers, count = ndimage.label(ndimage.binary_opening(stands, iterations=1))
    return [mask for number in range(1, count + 1) if (mask := numbers == number).sum() >= FEWEST_PX]


def _over(view: View, T_plate_base: Array, size: Array) -> Bools:
    """(h, w) pixels that see what is above a plate."""
    points = np.zeros((*view.depth.shape, 3))
    rows, columns = np.nonzero(view.depth > 0)
    points[rows, columns] = _world(view, rows, columns)
    local = points @ T_plate_base[:3, :3].T + T_plate_base[:3, 3]
    near = 0.005
    return np.asarray(((local[..., :2] > -near) & (local[..., :2] < size + near)).all(axis=-1) & (view.depth > 0))


def _world(view: View, rows: npt.NDArray[np.int64], columns: npt.NDArray[np.int64]) -> Array:
    z = view.depth[rows, columns]
    points = np.column_stack([(columns - view.K[2]) / view.K[0] * z, (rows - view.K[3]) / view.K[1] * z, z])
    return np.asarray(points @ view.T_base_cam[:3, :3].T + view.T_base_cam[:3, 3])


def _one_by_one(
    view: View, place: Workplace, parts: Sequence[PartModel], patches: Sequence[Bools]
) -> tuple[Fit | Refused, list[Bools]]:
    """What the first patch shows, and the patches that are left.

    Where depth has holes a part falls apart: patches near enough to be of one part are first taken for one, as half of
    it alone may look like something shorter.
    """
    mask, others = patches[0], list(patches[1:])
    far = ndimage.distance_transform_edt(~mask)
    reach = _ONE_PART * max(part.surface.size_m for part in parts) / view.pixel_m(_middle(view, mask))
    for other in sorted(others, key=lambda other: float(far[other].min())):
        if far[other].min() < reach and not isinstance(told := _explained(view, place, parts, mask | other), Refused):
            return told, [one for one in others if one is not other]
    return _explained(view, place, parts, mask), others


def _middle(view: View, mask: Bools) -> Array:
    return np.asarray(np.median(_world(view, *np.nonzero(mask)), axis=0))


def _located(view: View, fit: Fit, twin: Twin) -> LocatedPart:
    alike = tuple(T @ twin.T_part_twin for T in fit.alike)
    return LocatedPart(twin.name, fit.T_base_part @ twin.T_part_twin, _covariance(view, fit), fit.agrees, alike)


def _explained(view: View, place: Workplace, parts: Sequence[PartModel], mask: Bools) -> Fit | Refused:
    """The part that a patch shows, or why none is told."""
    inner = ndimage.binary_erosion(mask, iterations=1)
    rows, columns = np.nonzero(inner if inner.sum() >= FEWEST_PX // 2 else mask)
    points = _world(view, rows, columns)
    middle = np.median(points, axis=0)
    table = float(place.table_m or 0.0)
    fits = _by_score(fit for part in parts for fit in _fits(view, table, part, points, mask))
    fits = _by_score(_settled(view, fit, mask) for fit in fits[:_POLISHED])
    if fits:
        alike = [_judged(view, one, mask) for one in look_alikes(fits[0], table)]
        near = [one for one in alike if one.score > fits[0].score - _ALIKE * _rivalry(fits[0], mask)]
        fits = _by_score([*fits, *(_settled(view, one, mask) for one in once([*fits, *near])[len(fits) :])])
    if not fits or fits[0].agrees < _AGREES:
        most = fits[0].agrees if fits else 0.0
        why = f"no part explains what stands here: the nearest agrees with {most:.0%} of the pixels"
        return Refused(why, middle, (), "a view from another side, or taking it apart from its neighbours")
    best = fits[0]
    deep = float(np.median(view.depth[mask]))
    turned = turned_alike(best, [*fits[1:], *look_alikes(best, table)], view.noise * deep**2)
    least = best.score - _rivalry(best, mask)
    alike = [one for one in turned if _judged(view, one, mask).score > least]
    for other in fits[1:]:
        if other.score > least and not any(coincide(other, one) for one in alike):
            what = f"a {other.part.name}" if other.part is not best.part else "the same turned another way"
            why = f"a {best.part.name} here, or {what}: both explain what depth shows"
            return Refused(why, middle, (), "a view from nearer, or from another side")
    return replace(best, alike=tuple(one.T_base_part for one in alike))


def _rivalry(fit: Fit, mask: Bools) -> float:
    """By how much less of the pixels that agree another pose is as good."""
    share = min(max(fit.agrees, 0.5), 0.98)
    return max(_RIVAL, 2 * float(np.sqrt(share * (1 - share) * _TOGETHER / max(int(mask.sum()), 1))))


def _fits(view: View, table_m: float, part: PartModel, points: Array, mask: Bools) -> list[Fit]:
    """The nearest templates of a part, each moved until the points lie on its surface, and drawn."""
    few = points[:: max(1, len(points) // _POINTS[0])]
    many = points[:: max(1, len(points) // _POINTS[1])]
    x, y = (points.min(axis=0) + points.max(axis=0))[:2] / 2
    tried: list[tuple[float, int, Array]] = []
    for rest in part.rests:
        for yaw in np.arange(YAWS) * 2 * np.pi / YAWS:
            T = lying(part, rest, yaw, 0.0, 0.0, table_m)
            low, high = _spans(part, T)
            T[:2, 3] += np.array([x, y]) - (low + high) / 2
            away = np.abs(_distances(part, T, few)[0])
            tried.append((float(np.minimum(away, 0.01).mean()), len(tried), T))
    fits: list[Fit] = []
    for _, _, T in sorted(tried)[:_CHOSEN]:
        fits.append(_moved(part, T, many))
    return [_judged(view, fit, mask) for fit in once(fits)]


def _by_score(fits: Iterable[Fit]) -> list[Fit]:
    """Each pose once, the best first."""
    return once(sorted(fits, key=lambda fit: -fit.score))


def _settled(view: View, fit: Fit, mask: Bools) -> Fit:
    """Moved to where more pixels agree: a flat top says nothing of x, y and yaw, its outline does."""
    for shift, turn in _NUDGES:
        for _ in range(_MOST_NUDGES):
            middle = fit.T_base_part[:3, :3] @ fit.part.middle_m + fit.T_base_part[:3, 3]
            tried = [
                replace(fit, T_base_part=_turned(fit.T_base_part, middle, way * np.array([shift, shift, turn])))
                for way in np.vstack([np.eye(3), -np.eye(3)])
            ]
            best = max((_judged(view, one, mask) for one in tried), key=lambda one: one.score)
            if best.score <= fit.score:
                break
            fit = best
    return fit


def _spans(part: PartModel, T: Array) -> tuple[Array, Array]:
    placed = part.surface.corners.reshape(-1, 3) @ T[:2, :3].T + T[:2, 3]
    return placed.min(axis=0), placed.max(axis=0)


def _distances(part: PartModel, T: Array, points: Array) -> tuple[Array, Array]:
    """(n,) signed distances of points of the base's frame, and (n, 3) which way they grow, in the base's frame."""
    told = part.field.at((points - T[:3, 3]) @ T[:3, :3])
    return told.distances, told.gradients @ T[:3, :3].T


def _moved(part: PartModel, T: Array, points: Array) -> Fit:
    """Gauss–Newton on distances over x, y and yaw; far points count little."""
    T = np.array(T)
    information = np.eye(3)
    for _ in range(_STEPS):
        middle = T[:3, :3] @ part.middle_m + T[:3, 3]
        off, ways = _distances(part, T, points)
        arms = points - middle
        turn = arms[:, 0] * ways[:, 1] - arms[:, 1] * ways[:, 0]
        J = -np.column_stack([ways[:, 0], ways[:, 1], turn])
        spread = max(1.5 * float(np.median(np.abs(off))), 3e-4)
        weights = 1.0 / (1.0 + (off / (2 * spread)) ** 2) ** 2
        information = (J * weights[:, None]).T @ J
        pull = np.diag([1e-3 * len(points), 1e-3 * len(points), 1e-9 * len(points)])
        step = -np.asarray(np.linalg.solve(information + pull, (J * weights[:, None]).T @ off), dtype=float)
        information = information / spread**2
        T = _turned(T, middle, step)
        if np.abs(step[:2]).max() < 2e-6 and abs(step[2]) < 2e-5:
            break
    return Fit(part, T, information=information)


def _turned(T: Array, middle: Array, step: Array) -> Array:
    c, s = np.cos(step[2]), np.sin(step[2])
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    out = np.eye(4)
    out[:3, :3] = R @ T[:3, :3]
    out[:3, 3] = R @ (T[:3, 3] - middle) + middle
    out[:2, 3] += step[:2]
    return out


def _judged(view: View, fit: Fit, mask: Bools) -> Fit:
    """With the share of the pixels that are of the patch, or should show the part, whose depth is the part's.

    Each pixel's depth is vague, their median is not: it tells a bar on its wide side from one on its narrow side.
    """
    within = ndimage.binary_dilation(mask, iterations=12)
    drawn, seen = _drawn(view, fit, within)[within], view.depth[within]
    shown, patch = np.isfinite(drawn), mask[within]
    near = 3 * view.noise * seen**2 + 0.003
    agree = shown & (seen > 0) & (np.abs(np.where(shown, drawn, 0.0) - seen) < near)
    hidden = shown & ~patch & (seen > 0) & (seen < np.where(shown, drawn, 0.0) - near)
    counted = (patch | shown) & (seen > 0) & ~hidden
    told = agree & counted
    share = float(told.sum() / max(int(counted.sum()), 1))
    off = abs(float(np.median(drawn[told] - seen[told]))) if told.any() else 0.0
    return replace(fit, agrees=share, score=share - _RIVAL * off / _RIVAL_M)


def _drawn(view: View, fit: Fit, within: Bools) -> Array:
    """(h, w) depth of the part as it would be seen, in some pixels; infinite elsewhere, and where it is not."""
    T_part_cam = inverse(fit.T_base_part) @ view.T_base_cam
    rows, columns = np.nonzero(within & _about(view, fit))
    d = np.column_stack([(columns - view.K[2]) / view.K[0], (rows - view.K[3]) / view.K[1], np.ones(len(rows))])
    hits = fit.part.surface.rays(np.tile(T_part_cam[:3, 3], (len(d), 1)), d @ T_part_cam[:3, :3].T)
    drawn = np.full(view.depth.shape, np.inf)
    drawn[rows, columns] = hits.distances
    return drawn


def _about(view: View, fit: Fit) -> Bools:
    """(h, w) a rectangle that holds all pixels that could show the part."""
    T_cam_part = inverse(view.T_base_cam) @ fit.T_base_part
    points = fit.part.surface.vertices @ T_cam_part[:3, :3].T + T_cam_part[:3, 3]
    z = np.maximum(points[:, 2], 1e-3)
    columns, rows = view.K[0] * points[:, 0] / z + view.K[2], view.K[1] * points[:, 1] / z + view.K[3]
    h, w = view.depth.shape
    top, bottom = (int(np.clip(edge, 0, h)) for edge in (rows.min(), rows.max() + 1))
    left, right = (int(np.clip(edge, 0, w)) for edge in (columns.min(), columns.max() + 1))
    drawn = np.zeros((h, w), bool)
    drawn[top:bottom, left:right] = True
    return drawn


def _covariance(view: View, fit: Fit) -> Array:
    """(3, 3) of x, y (m) of its middle and yaw (rad): by depth and outline, and by what is left of calibration."""
    x, y, _ = fit.T_base_part[:3, :3] @ fit.part.middle_m + fit.T_base_part[:3, 3]
    pixel = _PIXEL * view.pixel_m(fit.T_base_part[:3, 3])
    lever = fit.part.surface.size_m / 2
    own = np.zeros((3, 3)) if fit.information is None else fit.information / _SHARED
    outline = np.diag([1 / pixel**2, 1 / pixel**2, (lever / pixel) ** 2])
    return np.asarray(np.linalg.inv(own + outline) + view.calibration_at(float(x), float(y)))
