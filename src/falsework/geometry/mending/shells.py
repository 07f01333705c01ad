"""The closed surfaces that a mesh is made of: each turned the right way, and united where they share space.

A surface inside another is the wall of a cavity, one inside that a solid again. Surfaces that pass through each other,
as modellers leave them who do not unite what they draw, are united as solids, so that nothing is weighed twice.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from falsework.geometry.mending.sheets import Sheet, edge_keys
from falsework.geometry.shapes.linking import components_of
from falsework.geometry.shapes.placed_solids import near_between, near_pairs
from falsework.geometry.shapes.planes import cross
from falsework.geometry.shapes.solids import united
from falsework.model.arrays import Array, Bools, Ints

THIN = 1e-8  # of the size: what is no thicker on average is a sheet that faces both ways, and no solid
SHARED = 1e-6  # of a solid's volume: what surfaces share that only touch
SAMPLES = 4  # triangles whose middles say whether a surface is inside another
MOST_WORK = 30_000_000  # solid angles of triangles, to tell which surfaces lie in which


def neighbours(corners: Ints) -> tuple[Ints, Ints, Bools]:
    """Pairs of triangles that share an edge no third has: (e,), (e,), and whether they walk it opposite ways."""
    starts, _, keys = edge_keys(corners)
    order = np.argsort(keys, kind="stable")
    ranked = keys[order]
    first = np.flatnonzero(np.concatenate([[True], ranked[1:] != ranked[:-1]]))
    paired = np.diff(np.append(first, len(keys))) == 2
    one, other = order[first[paired]], order[first[paired] + 1]
    return one // 3, other // 3, starts[one] != starts[other]


def outward(sheet: Sheet) -> Sheet:
    """Each closed surface turned outward, or inward where it is the wall of a cavity; united where they overlap."""
    label = _shells(sheet.corners)
    number = int(label.max()) + 1
    shells = [_Shell(sheet, rows) for rows in np.split(np.argsort(label, kind="stable"), _cuts(label, number))]
    thin = np.array([shell.is_thin for shell in shells])
    if thin.any() and not thin.all():
        return outward(sheet.kept(~thin[label]).noted(int(thin.sum()), "dropped {} surface without volume"))
    lows, highs = np.array([shell.low for shell in shells]), np.array([shell.high for shell in shells])
    around = _around(shells, lows, highs)
    depth = np.array([len(outer) for outer in around])
    flip = np.array([shell.volume < 0 for shell in shells]) != (depth % 2 == 1)
    if flip.any():
        sheet = sheet.turned(flip[label])
        sheet = replace(sheet, notes=(*sheet.notes, "turned the surface the right side out"))
    if number == 1:
        return sheet
    owner = np.arange(number)  # the solid that each surface is a wall of
    for k in np.flatnonzero(depth % 2 == 1).tolist():
        owner[k] = next(outer for outer in around[k] if depth[outer] == depth[k] - 1)
    return _united(sheet, owner[label], lows, highs)


def _around(shells: list[_Shell], lows: Array, highs: Array) -> list[list[int]]:
    """For each surface those that it lies in."""
    pairs = near_between((lows, highs), (lows, highs), 0.0)
    inner, outer = pairs[(lows[pairs[:, 1]] < lows[pairs[:, 0]]).all(axis=1)].T
    inside = (highs[outer] > highs[inner]).all(axis=1)
    inner, outer = inner[inside], outer[inside]
    work = SAMPLES * sum(shells[k].count for k in outer.tolist())
    if work > MOST_WORK:
        raise ValueError(f"{len(outer):,} pairs of its {len(shells):,} closed surfaces may lie in each other, too many")
    found: list[list[int]] = [[] for _ in shells]
    for k, around in zip(inner.tolist(), outer.tolist(), strict=True):
        if shells[around].contains(shells[k].samples):
            found[k].append(around)
    return found


def _cuts(label: Ints, number: int) -> Ints:
    cuts: Ints = np.cumsum(np.bincount(label, minlength=number))[:-1]
    return cuts


def _shells(corners: Ints) -> Ints:
    """(t,) the closed surface that each triangle belongs to: the smallest ones that are closed by themselves."""
    one, other, _ = neighbours(corners)
    label = components_of(len(corners), one, other)
    starts, ends, keys = edge_keys(corners)
    if len(one) * 2 == len(keys):
        return label  # no edge is shared by more than two
    owner = np.repeat(label, 3)
    order = np.lexsort((owner, keys))
    new = np.concatenate([[True], (np.diff(keys[order]) != 0) | (np.diff(owner[order]) != 0)])
    net = np.bincount(np.cumsum(new) - 1, weights=np.where(starts < ends, 1, -1)[order])
    rows = order[new][net != 0]  # one half-edge of each edge that a component leaves open
    edge = np.unique(keys[rows], return_inverse=True)[1]
    first = np.full(int(edge.max(initial=-1)) + 1, -1)
    first[edge[::-1]] = owner[rows][::-1]
    joined: Ints = components_of(int(label.max()) + 1, owner[rows], first[edge])[label]
    return joined


class _Shell:
    """One closed surface."""

    def __init__(self, sheet: Sheet, rows: Ints) -> None:
        self._corners = sheet.points[sheet.corners[rows]]
        self.count = len(rows)
        self.low, self.high = self._corners.min(axis=(0, 1)), self._corners.max(axis=(0, 1))
        arms = self._corners - self.low
        self.volume = float((arms[:, 0] * cross(arms[:, 1], arms[:, 2])).sum()) / 6
        doubled = cross(arms[:, 1] - arms[:, 0], arms[:, 2] - arms[:, 0])
        area = 0.5 * float(np.linalg.norm(doubled, axis=1).sum())
        self.is_thin = abs(self.volume) <= THIN * area * sheet.size
        self.samples = self._corners[np.linspace(0, len(rows) - 1, min(SAMPLES, len(rows))).astype(int)].mean(axis=1)

    def contains(self, points: Array) -> bool:
        """Whether all points (k, 3) lie inside: by the solid angle that the surface fills there."""
        return all(self._fills(point) for point in points)

    def _fills(self, point: Array) -> bool:
        a, b, c = np.moveaxis(self._corners - point, 1, 0)
        la, lb, lc = (np.linalg.norm(arm, axis=1) for arm in (a, b, c))
        triple = (a * cross(b, c)).sum(axis=1)
        spread = la * lb * lc + (a * b).sum(axis=1) * lc + (b * c).sum(axis=1) * la + (c * a).sum(axis=1) * lb
        turns = np.arctan2(triple, spread).sum() / (2 * np.pi)
        return bool(abs(turns) > 0.75)


def _united(sheet: Sheet, owner: Ints, lows: Array, highs: Array) -> Sheet:
    """Solids that share space as one; `owner` (t,) numbers the solid of each triangle by its outer surface."""
    solids = np.unique(owner)
    pairs = near_pairs(lows[solids], highs[solids], 0.0)
    pairs = pairs[(np.minimum(*highs[solids[pairs.T]]) > np.maximum(*lows[solids[pairs.T]])).all(axis=1)]
    if not len(pairs):
        return sheet
    import manifold3d

    order = np.argsort(owner, kind="stable")
    rows = np.split(order, np.searchsorted(owner[order], solids[1:]))
    made = {int(k): _manifold(sheet, rows[k]) for k in np.unique(pairs)}
    if any(solid.status() != manifold3d.Error.NoError for solid in made.values()):
        told = f"did not look whether its {len(made)} surfaces overlap, one of them is not that of a solid"
        return replace(sheet, notes=(*sheet.notes, told))
    sharing = {int(k) for pair in pairs if _shares(*(made[int(one)] for one in pair)) for k in pair}
    if not sharing:
        return sheet
    whole = united([made[k] for k in sorted(sharing)])
    if whole is None:
        told = f"could not unite {len(sharing)} surfaces that pass through each other"
        return replace(sheet, notes=(*sheet.notes, told))
    found = whole.to_mesh64()
    points = np.asarray(found.vert_properties, dtype=np.float64)[:, :3]
    apart = ~np.isin(owner, solids[sorted(sharing)])
    corners = np.asarray(found.tri_verts).astype(np.int64) + len(sheet.points)
    made_of = np.asarray(found.face_id).astype(np.int64)  # rows of the sheet
    mended = replace(
        sheet,
        points=np.concatenate([sheet.points, points]),
        corners=np.concatenate([sheet.corners[apart], corners]),
        source=np.concatenate([sheet.source[apart], sheet.source[made_of]]),
    )
    return mended.noted(len(sharing), "united {} surfaces that pass through each other", "")


def _manifold(sheet: Sheet, rows: Ints) -> Any:
    """Triangles of a sheet, by their rows, as manifold3d has them; it remembers the rows."""
    import manifold3d

    used, triangles = np.unique(sheet.corners[rows], return_inverse=True)
    points = np.ascontiguousarray(sheet.points[used])
    corners = np.ascontiguousarray(triangles.reshape(-1, 3), dtype=np.uint64)
    return manifold3d.Manifold(manifold3d.Mesh64(points, corners, face_id=rows.astype(np.uint64)))


def _shares(one: Any, other: Any) -> bool:
    """Whether two solids share more than the skin in which they touch."""
    return float((one ^ other).volume()) > SHARED * min(float(one.volume()), float(other.volume()))
