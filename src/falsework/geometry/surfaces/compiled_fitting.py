"""The fits of `fitting` in machine code, for surfaces of many facets: the same sums, and the same libraries."""

from __future__ import annotations

import math

import numpy as np

from falsework.geometry.surfaces.fitting import FLAT_CONE, KINDS, MENDED, NEARER, ON_IT, STEPS, WEAK
from falsework.kernels.compiled import compiled, inner
from falsework.model.arrays import Array

CYLINDER, CONE, SPHERE = (KINDS.index(kind) for kind in ("cylinder", "cone", "sphere"))
POINT, AXIS, RADIUS, HALF, LENGTH = 0, 3, 6, 7, 8  # where a row has what a form has


@compiled
def fitted(kind: int, corners: Array, normals: Array, weights: Array, centres: Array, exact_m: float) -> Array:
    """(8,) point, axis, radius and half angle of the form through corners (n, 3), see `fitting`; NaN where none is."""
    form = np.full(LENGTH, np.nan)
    if kind == CYLINDER:
        there = _cylinder(form, corners, normals, weights)
    elif kind == CONE:
        there = _cone(form, corners, normals, weights, centres)
    else:
        there = _sphere(form, corners)
    if not there:
        return np.full(LENGTH, np.nan)
    off, depth = _farthest(kind, form, corners), _farthest(kind, form, centres)
    if exact_m < off <= MENDED * depth + exact_m:
        form, off = _refined(kind, form, corners, off)
    depths = np.empty(len(centres))
    for k in range(len(centres)):
        depths[k] = abs(height(kind, form, centres[k]))
    if not off <= max(2 * exact_m, ON_IT * np.median(depths)):
        form[:] = np.nan
    return form


@inner
def _middle(points: Array) -> Array:
    middle = np.zeros(3)
    for k in range(len(points)):
        for i in range(3):
            middle[i] += points[k, i]
    return middle / len(points)


@inner
def height(kind: int, form: Array, point: Array) -> float:
    """How far a point is outside."""
    radius: float = form[RADIUS]
    x, y, z = point[0] - form[0], point[1] - form[1], point[2] - form[2]
    if kind == SPHERE:
        return math.sqrt(x * x + y * y + z * z) - radius
    along: float = x * form[3] + y * form[4] + z * form[5]
    x, y, z = x - along * form[3], y - along * form[4], z - along * form[5]
    across = math.sqrt(x * x + y * y + z * z)
    if kind == CYLINDER:
        return across - radius
    return math.cos(form[HALF]) * across - math.sin(form[HALF]) * along


@inner
def _farthest(kind: int, form: Array, points: Array) -> float:
    most = 0.0
    for k in range(len(points)):
        most = max(most, abs(height(kind, form, points[k])))
    return most


@inner
def _flattest(normals: Array, weights: Array, mean: Array) -> Array:
    """(3,) the way in which normals, less their mean, reach least."""
    spread = np.zeros((3, 3))
    for k in range(len(normals)):
        for i in range(3):
            for j in range(3):
                spread[i, j] += weights[k] * (normals[k, i] - mean[i]) * (normals[k, j] - mean[j])
    _, vectors = np.linalg.eigh(spread)
    return np.array([vectors[0, 0], vectors[1, 0], vectors[2, 0]])


@inner
def sides_of(axis: Array) -> Array:
    """(2, 3) unit, square to an axis and to each other, as `plane_axes` has them."""
    least = 0
    for i in range(1, 3):
        if abs(axis[i]) < abs(axis[least]):
            least = i
    other = np.zeros(3)
    other[least] = 1.0
    sides = np.empty((2, 3))
    sides[0] = _unit_cross(axis, other)
    sides[1] = _unit_cross(axis, sides[0])
    return sides


@inner
def _unit_cross(a: Array, b: Array) -> Array:
    way = np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])
    return way / max(math.sqrt(way[0] ** 2 + way[1] ** 2 + way[2] ** 2), 1e-300)


@inner
def _sphere(form: Array, corners: Array) -> bool:
    middle = _middle(corners)
    rows, squares = np.ones((len(corners), 4)), np.zeros(len(corners))
    for k in range(len(corners)):
        for i in range(3):
            arm = corners[k, i] - middle[i]
            rows[k, i] = 2 * arm
            squares[k] += arm * arm
    found, _, rank, _ = np.linalg.lstsq(rows, squares, WEAK)
    squared = found[3] + found[0] ** 2 + found[1] ** 2 + found[2] ** 2
    if rank < 4 or not squared > 0:
        return False
    form[POINT:AXIS] = middle + found[:3]
    form[AXIS:RADIUS] = np.array([0.0, 0.0, 1.0])
    form[RADIUS], form[HALF] = math.sqrt(squared), 0.0
    return True


@inner
def _cylinder(form: Array, corners: Array, normals: Array, weights: Array) -> bool:
    axis = _flattest(normals, weights, np.zeros(3))
    sides, middle = sides_of(axis), _middle(corners)
    rows, squares = np.ones((len(corners), 3)), np.empty(len(corners))
    for k in range(len(corners)):
        arm = corners[k] - middle
        x = arm[0] * sides[0, 0] + arm[1] * sides[0, 1] + arm[2] * sides[0, 2]
        y = arm[0] * sides[1, 0] + arm[1] * sides[1, 1] + arm[2] * sides[1, 2]
        rows[k, 0], rows[k, 1], squares[k] = 2 * x, 2 * y, x * x + y * y
    found, _, rank, _ = np.linalg.lstsq(rows, squares, WEAK)
    squared = found[2] + found[0] ** 2 + found[1] ** 2
    if rank < 3 or not squared > 0:
        return False
    form[POINT:AXIS] = middle + found[0] * sides[0] + found[1] * sides[1]
    form[AXIS:RADIUS] = axis
    form[RADIUS], form[HALF] = math.sqrt(squared), 0.0
    return True


@inner
def _cone(form: Array, corners: Array, normals: Array, weights: Array, centres: Array) -> bool:
    mean, total = np.zeros(3), 0.0
    for k in range(len(normals)):
        total += weights[k]
        for i in range(3):
            mean[i] += weights[k] * normals[k, i]
    axis, middle = _flattest(normals, weights, mean / total), _middle(corners)
    offsets = np.zeros(len(normals))
    for k in range(len(normals)):
        for i in range(3):
            offsets[k] += (centres[k, i] - middle[i]) * normals[k, i]
    arm, _, rank, _ = np.linalg.lstsq(np.ascontiguousarray(normals), offsets, WEAK)
    if rank < 3:
        return False
    apex = middle + arm
    along = across = 0.0
    for k in range(len(corners)):
        x, y, z = corners[k, 0] - apex[0], corners[k, 1] - apex[1], corners[k, 2] - apex[2]
        up = x * axis[0] + y * axis[1] + z * axis[2]
        along += up
        x, y, z = x - up * axis[0], y - up * axis[1], z - up * axis[2]
        across += math.sqrt(x * x + y * y + z * z)
    half = math.atan2(across, abs(along))
    form[POINT:AXIS], form[AXIS:RADIUS] = apex, axis if along >= 0 else -axis
    form[RADIUS], form[HALF] = 0.0, half
    return FLAT_CONE < half < 0.5 * math.pi - FLAT_CONE


@inner
def _refined(kind: int, form: Array, corners: Array, off: float) -> tuple[Array, float]:
    """The form nearest to corners, from one that is off by so much at most, and by how much that one is."""
    best, worst = form, off
    reach = np.zeros(3)
    for i in range(3):
        reach[i] = corners[:, i].max() - corners[:, i].min()
    size = math.sqrt(reach[0] ** 2 + reach[1] ** 2 + reach[2] ** 2)
    for _ in range(STEPS):
        form = _step(kind, form, corners, size)
        if not np.isfinite(form[:3]).all() or (kind != CONE and not form[RADIUS] > 0):
            break
        left = _farthest(kind, form, corners)
        if not left < worst:
            break
        slow = left > NEARER * worst
        best, worst = form, left
        if slow:
            break
    return best, worst


@inner
def _step(kind: int, form: Array, corners: Array, size: float) -> Array:
    """A step of Gauss' and Newton's method; a cylinder is turned about the middle of its corners."""
    form, axis = form.copy(), form[AXIS:RADIUS].copy()
    if kind == CYLINDER:
        base = _middle(corners)
        along = 0.0
        for i in range(3):
            along += (base[i] - form[i]) * axis[i]
        form[POINT:AXIS] += along * axis
    sides = sides_of(axis)
    columns = 4 if kind == SPHERE else 5 if kind == CYLINDER else 6
    rows, heights = np.empty((len(corners), columns)), np.empty(len(corners))
    for k in range(len(corners)):
        heights[k] = -height(kind, form, corners[k])
        _row(kind, form, corners[k], sides, size, rows[k])
    step = np.linalg.lstsq(rows, heights, WEAK)[0]
    if kind == SPHERE:
        form[POINT:AXIS] += step[:3]
        form[RADIUS] += step[3]
    elif kind == CYLINDER:
        form[POINT:AXIS] += step[0] * sides[0] + step[1] * sides[1]
        _turn(form, (step[2] * sides[0] + step[3] * sides[1]) / size)
        form[RADIUS] += step[4]
    else:
        form[POINT:AXIS] += step[:3]
        _turn(form, (step[3] * sides[0] + step[4] * sides[1]) / size)
        form[HALF] = min(max(form[HALF] + step[5] / size, FLAT_CONE), 0.5 * math.pi - FLAT_CONE)
    return form


@inner
def _turn(form: Array, by: Array) -> None:
    axis = form[AXIS:RADIUS] + by
    form[AXIS:RADIUS] = axis / math.sqrt(axis[0] ** 2 + axis[1] ** 2 + axis[2] ** 2)


@inner
def _row(kind: int, form: Array, corner: Array, sides: Array, size: float, row: Array) -> None:
    """How the height of a corner changes with what a step changes."""
    arm = corner - form[:3]
    if kind == SPHERE:
        length = max(math.sqrt(arm[0] ** 2 + arm[1] ** 2 + arm[2] ** 2), 1e-300)
        for i in range(3):
            row[i] = -arm[i] / length
        row[3] = -1.0
        return
    axis = form[AXIS:RADIUS]
    along = arm[0] * axis[0] + arm[1] * axis[1] + arm[2] * axis[2]
    radial = arm - along * axis
    across = math.sqrt(radial[0] ** 2 + radial[1] ** 2 + radial[2] ** 2)
    radial = radial / max(across, 1e-300)
    x = radial[0] * sides[0, 0] + radial[1] * sides[0, 1] + radial[2] * sides[0, 2]
    y = radial[0] * sides[1, 0] + radial[1] * sides[1, 1] + radial[2] * sides[1, 2]
    if kind == CYLINDER:
        row[0], row[1], row[2], row[3], row[4] = -x, -y, -x * along / size, -y * along / size, -1.0
        return
    cosine, sine = math.cos(form[HALF]), math.sin(form[HALF])
    turn = -(cosine * along + sine * across) / size
    for i in range(3):
        row[i] = sine * axis[i] - cosine * radial[i]
    row[3], row[4], row[5] = x * turn, y * turn, turn
