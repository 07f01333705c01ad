"""Pictures of triangles without a browser: a depth buffer in numpy, and edges found in it.

Every pixel keeps one whole number: how near the nearest triangle is, and which it is. The least of several is the
nearest, so triangles may come in any order, and more may come later: a step of instructions draws its new parts only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array, Bools, Ints

DEPTHS = 2**30  # steps between the nearest and the furthest
NOTHING = np.int64(2**62)
SMALL = 48  # pixels: triangles no wider and no higher are drawn all at once
CHUNK = 4_000_000  # pixels looked at together
LIGHT: Array = np.array([-0.25, -0.45, 0.86])  # towards it, in the camera's axes turned upright: x right, y away, z up
AMBIENT = 0.5
EDGE_ANGLE = 0.8  # cosine: faces that meet more sharply show an edge
LEAP_PX = 8.0  # a surface that leaps back by more than so many pixels ends there


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """From where it is looked at: parallel rays, so that equal parts are equal in every picture."""

    yaw_deg: float
    pitch_deg: float
    centre_m: Array  # (3,) in the middle of the picture
    pixels_per_m: float
    size: tuple[int, int]  # width, height in pixels
    depth_m: float  # half of what may be in front of the centre, or behind it

    @property
    def axes(self) -> Array:
        """(3, 3) rows: right, down and away from the eye, in world axes."""
        yaw, pitch = np.deg2rad(self.yaw_deg), np.deg2rad(self.pitch_deg)
        right = np.array([np.cos(yaw), np.sin(yaw), 0.0])
        away = np.array([-np.sin(yaw) * np.cos(pitch), np.cos(yaw) * np.cos(pitch), -np.sin(pitch)])
        return np.stack([right, -np.cross(right, away), away])

    def seen(self, points: Array) -> Array:
        """(…, 3) world points as pixels to the right, pixels down, and metres away from the centre."""
        local: Array = (points - self.centre_m) @ self.axes.T
        local[..., :2] *= self.pixels_per_m
        local[..., 0] += self.size[0] / 2
        local[..., 1] += self.size[1] / 2
        return local


class Canvas:
    """What has been drawn so far."""

    def __init__(self, view: View) -> None:
        self.view = view
        width, height = view.size
        self._nearest = np.full(width * height, NOTHING, dtype=np.int64)
        self._normals: list[Array] = []
        self._owners: list[Ints] = []
        self._count = 0

    def draw(self, triangles: Array, owners: Ints, closed: Bools) -> None:
        """Triangles (t, 3, 3) of the world, whose each is, and whether its owner is closed: not seen from behind."""
        sides = triangles[:, 1:] - triangles[:, :1]
        normals = np.cross(sides[:, 0], sides[:, 1])
        length = np.linalg.norm(normals, axis=1)
        facing = normals @ self.view.axes[2]
        real = (length > 0) & ((facing < 0) | ~closed)
        triangles, facing = triangles[real], facing[real]
        normals = np.where((facing > 0)[:, None], -normals[real], normals[real]) / length[real][:, None]
        numbers = self._count + np.arange(len(triangles))
        self._count += len(triangles)
        self._normals.append(normals)
        self._owners.append(owners[real])
        self._rasterize(self.view.seen(triangles), numbers)

    def _rasterize(self, seen: Array, numbers: Ints) -> None:
        corners = seen[..., :2]
        size = np.array(self.view.size)
        low = np.clip(np.floor(corners.min(axis=1)), 0, size).astype(np.int64)
        high = np.clip(np.ceil(corners.max(axis=1)), 0, size).astype(np.int64)
        forms, deep = _forms(seen)
        sides = high - low
        visible = (sides > 0).all(axis=1) & np.isfinite(deep).all(axis=1)
        small = visible & (sides <= SMALL).all(axis=1)
        rows = np.flatnonzero(small)
        work = np.cumsum(sides[rows].prod(axis=1))
        last = int(work[-1]) if len(work) else 0
        for chunk in np.split(rows, np.searchsorted(work, np.arange(CHUNK, last, CHUNK))):
            self._fill_many(forms[chunk], deep[chunk], low[chunk], sides[chunk], numbers[chunk])
        for row in np.flatnonzero(visible & ~small):
            self._fill_one(forms[row], deep[row], low[row], high[row], int(numbers[row]))

    def _fill_many(self, forms: Array, deep: Array, low: Ints, sides: Ints, numbers: Ints) -> None:
        counts = sides.prod(axis=1)
        row = np.repeat(np.arange(len(counts)), counts)
        within = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
        wide = sides[row, 0]
        x, y = low[row, 0] + within % wide, low[row, 1] + within // wide
        at = np.stack([x + 0.5, y + 0.5, np.ones(len(x))])
        inside = np.ones(len(x), dtype=bool)
        for k in range(3):
            inside &= (forms[row, k].T * at).sum(axis=0) >= -1e-9
        depth = (deep[row[inside]].T * at[:, inside]).sum(axis=0)
        places = y[inside] * self.view.size[0] + x[inside]
        np.minimum.at(self._nearest, places, self._keys(depth, numbers[row[inside]]))

    def _fill_one(self, forms: Array, deep: Array, low: Ints, high: Ints, number: int) -> None:
        x = np.arange(low[0], high[0]) + 0.5
        y = (np.arange(low[1], high[1]) + 0.5)[:, None]
        inside = np.ones((len(y), len(x)), dtype=bool)
        for a, b, c in forms:
            inside &= a * x + (b * y + c) >= -1e-9
        window = self._nearest.reshape(self.view.size[::-1])[low[1] : high[1], low[0] : high[0]]
        keys = self._keys(deep[0] * x + (deep[1] * y + deep[2]), np.int64(number))
        np.copyto(window, keys, where=inside & (keys < window))

    def _keys(self, depth: Array, numbers: Ints | np.int64) -> Ints:
        share = np.clip(0.5 + 0.5 * depth / self.view.depth_m, 0.0, 1.0)
        keys: Ints = (share * DEPTHS).astype(np.int64) << 31 | numbers
        return keys

    def triangles(self) -> Ints:
        """(height, width) the triangle that is seen, the number of all where none is."""
        width, height = self.view.size
        numbers = np.where(self._nearest == NOTHING, self._count, self._nearest & (2**31 - 1))
        return numbers.reshape(height, width)

    def owner_of(self) -> Ints:
        """(triangles + 1,) whose each triangle is; −1 for none."""
        return np.concatenate([*self._owners, np.array([-1])])

    def shades(self, colors: Array) -> Ints:
        """(triangles + 1, 3) what triangles look like, 0 to 255, by colours (owners, 3) from 0 to 1; white for none."""
        yaw = np.deg2rad(self.view.yaw_deg)
        turn = np.array([[np.cos(yaw), -np.sin(yaw), 0.0], [np.sin(yaw), np.cos(yaw), 0.0], [0.0, 0.0, 1.0]])
        light = turn @ (LIGHT / np.linalg.norm(LIGHT))
        normals = np.concatenate([np.zeros((0, 3)), *self._normals])
        bright = AMBIENT + (1 - AMBIENT) * np.clip(normals @ light, 0.0, 1.0)
        shaded = colors[self.owner_of()[:-1]] * bright[:, None]
        return np.concatenate([np.rint(255 * np.clip(shaded, 0.0, 1.0)), np.full((1, 3), 255.0)]).astype(np.uint8)

    def edges(self) -> Bools:
        """(height, width) pixels at which one part ends before another, or a part has a sharp edge."""
        triangle, owner = self.triangles(), self.owner_of()
        normals = np.concatenate([*self._normals, np.zeros((1, 3))])
        depth = np.where(self._nearest == NOTHING, DEPTHS, self._nearest >> 31).reshape(triangle.shape)
        found = np.zeros(triangle.shape, dtype=bool)
        step = LEAP_PX / self.view.pixels_per_m / (2 * self.view.depth_m) * DEPTHS
        for axis in (0, 1):
            one, other = [slice(None), slice(None)], [slice(None), slice(None)]
            one[axis], other[axis] = slice(None, -1), slice(1, None)
            first, second = triangle[tuple(one)], triangle[tuple(other)]
            rows = np.nonzero(first != second)
            a, b = first[rows], second[rows]
            near, far = depth[tuple(one)][rows], depth[tuple(other)][rows]
            sharp = (owner[a] != owner[b]) | ((normals[a] * normals[b]).sum(axis=1) < EDGE_ANGLE)
            sharp |= np.abs(near - far) > step
            to_second = near > far  # the edge belongs to what is nearer
            y, x = rows[0][sharp], rows[1][sharp]
            shift = to_second[sharp].astype(np.int64)
            found[y + (shift if axis == 0 else 0), x + (shift if axis == 1 else 0)] = True
        return found


def _forms(seen: Array) -> tuple[Array, Array]:
    """Of triangles (t, 3, 3) on the screen: (t, 3, 3) forms of x, y, 1 that are ≥ 0 inside, (t, 3) of the depth."""
    a, b, c = (seen[:, k, :2] for k in range(3))
    area = _cross(b - a, c - a)
    with np.errstate(divide="ignore", invalid="ignore"):
        forms = np.stack(
            [
                np.stack([p[:, 1] - q[:, 1], q[:, 0] - p[:, 0], _cross(p, q)], axis=1) / area[:, None]
                for p, q in ((b, c), (c, a), (a, b))
            ],
            axis=1,
        )
        deep = (forms * seen[:, :, 2:]).sum(axis=1)
    flat = np.abs(area) < 1e-9
    deep[flat] = np.nan
    return forms, deep


def _cross(one: Array, other: Array) -> Array:
    return one[..., 0] * other[..., 1] - one[..., 1] * other[..., 0]
