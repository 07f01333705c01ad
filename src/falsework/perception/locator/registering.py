"""Where the camera is, by a baseplate that it sees: calibration dominates all other errors.

A camera that is 1 mm and 0.2° off shifts everything by 3 mm at arm's length. The plate's outline and studs are in the
same picture as the bricks, so the error is measured, in every frame, and taken away.
"""

# Compiled functions have no types.
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from falsework.model.arrays import Array, Bools
from falsework.model.perception.findings import Plate
from falsework.model.poses import inverse
from falsework.perception.locator.aligning import FLAT, Aligned, aligned
from falsework.perception.locator.labels import brightest, chroma_apart, chroma_of
from falsework.perception.locator.moving import moved
from falsework.perception.locator.solids import solid_of
from falsework.perception.locator.stud_rows import NORMALS, normals_at
from falsework.perception.locator.views import Calibrated, View

Pixels = npt.NDArray[np.int64]  # (n, 2) columns and rows

REACHES = (8.0, 5.0, 3.0, 2.5, 2.5, 2.5, 2.5, 2.5)  # px; never so near that edges about the top are doubted
_LEAST_POINTS = 60
_MOST_MISS_PX = 0.7
_STUD_PIXELS = 1200
_SAME_CHROMA = 0.13
PLATE_LABEL, _OTHER_LABEL = 1, 0
# What studs alone were off by, and outlines turned by (rad) beside what their points say, on 80 plates: by shadows.
_STUD_BIAS_PX, _STUD_TURN, _OUTLINE_TURN = 0.38, 1.4e-3, 1.0e-4
_SURE_M, _SURE_RAD = 8e-4, 3e-3  # what must be known of the plate, as standard deviations: better than extrinsics are
# An outline that knows a direction only to this share of what studs do has one side of the plate there, or less; it is
# misled where studs, by fewer pixels, have the plate so many deviations away.
_ONE_SIDED, _MISLED, _FEW_STUD_PIXELS = 0.3, 4.0, 500
_SHARED = 2.0  # neighbouring pixels share noise: so many count as one
_SURELY = 3.0  # deviations


def registered(view: View, plate: Plate) -> View | None:
    """The view with its camera where the plate says; None where too little of the plate is seen to tell."""
    pixels = covered(view, plate)
    marked = marked_plate(view, plate, pixels)
    if marked is None:
        return None
    by_outline = aligned([marked], plate.kind, plate.T_base_plate, PLATE_LABEL, FLAT, REACHES, whole=True)
    outline = by_outline if by_outline.points >= _LEAST_POINTS and by_outline.miss_px < _MOST_MISS_PX else None
    if outline is not None and _misled(marked, plate, outline, pixels):
        outline = None
    T, information = _on_studs(marked, plate, outline, pixels)
    spread = np.asarray(np.linalg.inv(information + 1e-6 * np.eye(3)), dtype=float)
    if max(spread[0, 0], spread[1, 1]) > _SURE_M**2 or spread[2, 2] > _SURE_RAD**2:
        return None
    correction = plate.T_base_plate @ inverse(T)
    length, width, _ = plate.kind.size_m
    middle = plate.T_base_plate[:2, :2] @ (length / 2, width / 2) + plate.T_base_plate[:2, 3]
    return view.at(correction @ view.T_base_cam, Calibrated(np.asarray(middle), spread))


def _misled(view: View, plate: Plate, outline: Aligned, pixels: Pixels) -> bool:
    """Whether studs, asked by themselves, have the plate elsewhere than an outline of which too few sides are seen.

    A wall that the sun does not reach may be too dark to be told as the plate's, and its upper rim is taken for its
    foot: the plate seems to end 4 mm early. The far side would say no; where it is not in the picture, studs do. But
    studs that begin far away, as where somebody pushed the plate, may stop half way: they must fit better there too.
    """
    unsure = np.linalg.inv(outline.known() + np.eye(3))[:2, :2]
    bias = _stud_bias(view)[:2, :2]
    if not plate.kind.has_studs or np.linalg.eigvalsh(unsure).max() < _ONE_SIDED**2 * bias[0, 0]:
        return False
    alone, told = _on_studs(view, plate, None, pixels[:: max(1, len(pixels) // _FEW_STUD_PIXELS)])
    if not told.any():  # too few are bare
        return False
    length, width, _ = plate.kind.size_m
    off = plate.T_base_plate[:2, :2].T @ ((alone - outline.T_base_brick) @ (length / 2, width / 2, 0.0, 1.0))[:2]
    pitch = plate.kind.measures.pitch_m
    off = off - pitch * np.rint(off / pitch)  # a pitch away studs look the same
    if np.hypot(*off) <= _MISLED * np.sqrt(np.linalg.eigvalsh(unsure + bias).max()):
        return False
    return _fit_better(view, plate, alone, outline.T_base_brick, _stud_pixels(view, plate, pixels))


def _fit_better(view: View, plate: Plate, here: Array, there: Array, pixels: Pixels) -> bool:
    """Whether studs explain pixels (n, 2) surely better with the plate at one pose (4, 4) than at another."""
    gray = view.rgb[pixels[:, 1], pixels[:, 0]].mean(axis=1).astype(float)
    lit = [_lit(view, solid_of(plate.kind), T, pixels.astype(float), gray, reach=1.0) for T in (here, there)]
    most = 3 * min(one.spread for one in lit)
    near, far = (np.clip(one.off, -most, most) ** 2 for one in lit)
    more = (far - near)[lit[0].fine & lit[1].fine]
    return len(more) > 1 and bool(more.mean() > _SURELY * more.std() * np.sqrt(_SHARED / len(more)))


def marked_plate(view: View, plate: Plate, pixels: Pixels) -> View | None:
    """The view with labels that tell the plate's colour from all others; None if it is not in the picture.

    `pixels` (n, 2) look at its top.
    """
    if len(pixels) < 200:
        return None
    height = view.heights()[pixels[:, 1], pixels[:, 0]]
    top = plate.T_base_plate[2, 3] + plate.kind.size_m[2]
    stud = plate.kind.measures.stud_height_m
    flat = (height > top - 0.006) & (height < top + stud + 0.006)
    if flat.sum() < 200:
        return None
    rgb = view.rgb[pixels[flat, 1], pixels[flat, 0]]
    color = np.median(rgb, axis=0)
    near = chroma_apart(view.chroma, chroma_of(color)) < _SAME_CHROMA**2
    bright = brightest(view.rgb) / max(float(color.max()), 1.0)
    labels = np.where(near & (bright > 0.45) & (bright < 1.8), PLATE_LABEL, _OTHER_LABEL).astype(np.int8)
    return replace(view, labels=labels, hueless=-9)


def covered(view: View, plate: Plate) -> Pixels:
    """(n, 2) columns and rows of pixels that look at the plate's top, by the view's own pose."""
    length, width, height = plate.kind.size_m
    grid = np.stack(np.meshgrid(np.linspace(0, length, 160), np.linspace(0, width, 160), [height]), axis=-1)
    points = grid.reshape(-1, 3) @ plate.T_base_plate[:3, :3].T + plate.T_base_plate[:3, 3]
    seen = points @ view.T_cam_base[:3, :3].T + view.T_cam_base[:3, 3]
    seen = seen[seen[:, 2] > 0.02]
    uv = np.rint(seen[:, :2] / seen[:, 2:] * view.K[:2] + view.K[2:]).astype(np.int64)
    inside = (uv >= 3).all(axis=1) & (uv < np.array(view.depth.shape[::-1]) - 3).all(axis=1)
    rows = view.depth.shape[0]
    which = np.unique(uv[inside] @ (rows, 1))  # numbered column by column: much faster to sort than pairs
    return np.column_stack(np.divmod(which, rows))


def _on_studs(view: View, plate: Plate, outline: Aligned | None, covered: Pixels) -> tuple[Array, Array]:
    """((4, 4) the plate by its outline and its studs, (3, 3) information on x, y (m) and yaw)."""
    T = np.array(plate.T_base_plate if outline is None else outline.T_base_brick)
    known = np.zeros((3, 3))
    if outline is not None:
        told = outline.known() + np.eye(3)  # 1 m and 1 rad: edges of one direction leave the other unknown
        known = np.asarray(np.linalg.inv(np.linalg.inv(told) + np.diag([0.0, 0.0, _OUTLINE_TURN**2])))
    pixels = _stud_pixels(view, plate, covered)
    if len(pixels) < 300 or not plate.kind.has_studs:
        return T, known
    start, solid = T, solid_of(plate.kind)
    gray = view.rgb[pixels[:, 1], pixels[:, 0]].mean(axis=1).astype(float)
    places = pixels.astype(float)
    gone: Array = np.zeros(3)
    total = known  # how far it went from where the outline put it
    # From half a pitch away studs look the same: wide discs first, where no outline says where to begin.
    for reach in (2.5, 2.5, 1.5, 1.0, 1.0) if outline is None else (1.2, 1.0, 1.0):
        rows, off, spread = _stud_residuals(view, solid, T, places, gray, reach)
        told = rows.T @ rows / (_SHARED * spread**2)
        own = np.linalg.inv(told + 1e-9 * np.eye(3) * np.trace(told))
        there = gone + own @ (rows.T @ off) / (_SHARED * spread**2)  # where studs alone would have it
        told = np.asarray(np.linalg.inv(own + _stud_bias(view)), dtype=float)
        total = np.asarray(told + known, dtype=float)
        gone = np.asarray(np.linalg.solve(total, told @ there), dtype=float)
        step = np.zeros(6)
        step[list(FLAT)] = gone
        T = moved(start, solid, step)
    return T, total


def _stud_bias(view: View) -> Array:
    """(3, 3) how much shadows of studs, which nobody draws, may shift (m) and turn (rad) all of them together."""
    shift = _STUD_BIAS_PX * float(np.median(view.depth[view.depth > 0])) / view.K[0]
    return np.diag([shift**2, shift**2, _STUD_TURN**2])


def _stud_pixels(view: View, plate: Plate, pixels: Pixels) -> Pixels:
    top = plate.T_base_plate[2, 3] + plate.kind.size_m[2]
    height = view.heights()[pixels[:, 1], pixels[:, 0]]
    bare = view.labels[pixels[:, 1], pixels[:, 0]] == PLATE_LABEL
    bare &= np.isfinite(height) & (height < top + plate.kind.measures.stud_height_m + 0.006)
    some: Pixels = pixels[bare][:: max(1, int(bare.sum()) // _STUD_PIXELS)]
    return some


@dataclass(frozen=True, slots=True, eq=False)
class _Lit:
    """Studs drawn at some pixels, and the light that explains these best."""

    fine: Bools  # (n,) where something was drawn
    light: Array  # (k,) of `NORMALS`
    off: Array  # (n,) grey levels that are left
    weight: Array  # (n,) 0 for what lies on them, or is nothing of theirs
    spread: float  # of what is left


def _lit(view: View, solid: Array, T: Array, places: Array, gray: Array, reach: float) -> _Lit:
    here = _normals(view, solid, T, places, reach)
    fine: Bools = np.asarray(np.isfinite(here).all(axis=1))
    weight = fine.astype(float)
    here[~fine] = 0.0
    light, off, spread = np.zeros(NORMALS), np.zeros(len(gray)), 1.0
    for _ in range(4):
        light = np.linalg.solve((here * weight[:, None]).T @ here + 1e-6 * np.eye(NORMALS), here.T @ (weight * gray))
        off = np.where(fine, gray - here @ light, 0.0)
        spread = max(1.0, 1.4826 * float(np.median(np.abs(off[fine])))) if fine.any() else 1.0
        weight = np.where(np.abs(off) < 3 * spread, fine, 0.0)
    return _Lit(fine, light, off, weight, spread)


def _normals(view: View, solid: Array, T: Array, places: Array, reach: float) -> Array:
    """(n, k) what is drawn of the plate at a pose."""
    out = np.empty((len(places), NORMALS))
    normals_at(places, view.K, np.ascontiguousarray((view.T_cam_base @ T)[:3]), solid, reach, out)
    return out


def _stud_residuals(
    view: View, solid: Array, T: Array, places: Array, gray: Array, reach: float
) -> tuple[Array, Array, float]:
    """((n, 3) what moving changes, (n,) what is left, its robust spread), in grey levels."""
    lit = _lit(view, solid, T, places, gray, reach)
    rows = np.zeros((len(gray), 3))
    h, angle = 2e-4, 1e-3
    for at, axis in enumerate(FLAT):
        step = np.zeros(6)
        step[axis] = angle if axis == 5 else h
        ahead, behind = (_normals(view, solid, moved(T, solid, by), places, reach) for by in (step, -step))
        change = (ahead - behind) @ lit.light / (2 * step[axis])
        rows[:, at] = np.where(np.isfinite(change), change, 0.0) * np.sqrt(lit.weight)
    return rows, lit.off * np.sqrt(lit.weight), lit.spread
