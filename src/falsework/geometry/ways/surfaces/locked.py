"""Proofs that a group cannot leave: not by a search that ended, but by bounds on where it can get to at all.

Two of them. **By its contacts**: within a small enough motion, every point of one body over a flat part of the other
must stay on its side of that plane. These are linear limits on the motion, but for a second-order term that is bounded.
If they alone keep every coordinate of the motion below the bound within which they hold, then no path ever gets there:
it would have to pass the bound. **By a ball**: a ball inside the group has to get out with it, however the group turns.
Cells of space where its centre is nearer to the others than its radius are barred; if what can be reached from its
place is closed in by them, the group is captive.
"""

from __future__ import annotations

import numpy as np

from falsework.geometry.distance.surface import Surface
from falsework.geometry.distance.two_surfaces import near_pairs
from falsework.geometry.shapes.planes import cross
from falsework.geometry.ways.surfaces.samples import Samples
from falsework.geometry.ways.surfaces.scenes import Moving, Scene, Still
from falsework.model.arrays import Array, Bools, Ints

BOUNDS = (3e-3, 1e-2, 3e-2)  # of the reach: how far, in each coordinate, a group may get, that is to be shown
SAFELY = 0.99  # of the bound: what the limits must keep it within
MOST_POINTS = 1200  # between two bodies that limits are made of
PARALLEL = 1 - 1e-9  # cosine between faces that are flat together
CELLS = (1 / 12, 1 / 36)  # of a ball's radius: the width of cells
MOST_CELLS = 40_000
SPOTS = 4000  # places at which the largest ball in a body is looked for


def is_locked(scene: Scene) -> bool:
    """Whether it is proved that the group does not get out; False where it is not, whatever the truth."""
    return bool(scene.still) and (locked_by_contacts(scene) or locked_by_a_ball(scene))


def locked_by_contacts(scene: Scene) -> bool:
    """Whether contacts keep the group within one of the bounds."""
    for bound in BOUNDS:
        rows, least = _linear_limits(scene, bound * scene.reach_m)
        if _felt_everywhere(rows) and _keeps_within(rows, least, SAFELY * bound * scene.reach_m):
            return True
    return False


def _felt_everywhere(rows: Array) -> bool:
    """Whether no motion is free of all rows: a glance before programs are solved."""
    return len(rows) >= 7 and bool(np.linalg.eigvalsh(rows.T @ rows / len(rows))[0] > 1e-6)


def _keeps_within(rows: Array, least: Array, bound_m: float) -> bool:
    """Whether rows · motion ≥ least keeps every coordinate of a motion below a bound, m."""
    from scipy.optimize import linprog

    for axis in range(6):
        for sign in (1.0, -1.0):
            aim = np.zeros(6)
            aim[axis] = -sign
            most = linprog(aim, A_ub=-rows, b_ub=-least / bound_m, bounds=[(-2.0, 2.0)] * 6, method="highs")
            if most.status != 0 or most.fun is None or -most.fun >= 1.0:
                return False
    return True


def _linear_limits(scene: Scene, bound_m: float) -> tuple[Array, Array]:
    """Rows (k, 6) and limits (k,): what holds of every motion whose coordinates are all within a bound.

    Coordinates are the shift of the group's middle, and its turn as a vector times the reach. A point at arm a then
    moves by at most √3 (1 + |a| / reach) bounds, and by ½ |turn|² |a| other than to first order; seen from
    the group, whose shift turns with it, by |turn| |shift| more.
    """
    rows, least = [np.zeros((0, 6))], [np.zeros(0)]
    middle = scene.final[:3, :3] @ scene.middle + scene.final[:3, 3]
    for one in scene.moving:
        for k, other in enumerate(scene.still):
            T_world_one = scene.final @ one.T_first_body
            for seen_from_group, (points, normals, gaps) in enumerate(
                _over_flats(scene, one, other, T_world_one, bound_m)
            ):
                arms = points - middle
                far = np.linalg.norm(arms, axis=1)
                held = _travel(bound_m, far, scene.reach_m) <= FURTHEST * bound_m
                rows.append(np.concatenate([normals, cross(arms / scene.reach_m, normals)], axis=1)[held])
                turn = np.sqrt(3.0) * bound_m / scene.reach_m
                bent = 0.5 * turn**2 * far + seen_from_group * turn * np.sqrt(3.0) * bound_m
                least.append(-(np.maximum(gaps, 0.0) + bent + 2 * one.depths_m[k])[held])
    return np.concatenate(rows), np.concatenate(least)


FURTHEST = (
    2 * 1.7320508075688772 * 1.05
)  # bounds: how far a point of the group may move; arms are no longer than its reach


def _travel(bound_m: float, far_m: Array, reach_m: float) -> Array:
    travel: Array = np.sqrt(3.0) * bound_m * (1.0 + far_m / reach_m)
    return travel


def _over_flats(
    scene: Scene, one: Moving, other: Still, T_world_one: Array, bound_m: float
) -> list[tuple[Array, Array, Array]]:
    """Points in the world that stay over flat parts, normals along which the group is pushed away, and gaps."""
    travel = FURTHEST * bound_m
    found = []
    for samples, T_samples, surface, T_surface, sign in (
        (one.samples, T_world_one, other.surface, other.T_world_body, 1.0),
        (other.samples, other.T_world_body, one.surface, T_world_one, -1.0),
    ):
        points, normals, gaps = _over(samples, surface, np.linalg.inv(T_surface) @ T_samples, travel)
        placed = points @ T_surface[:3, :3].T + T_surface[:3, 3]
        found.append((placed, sign * normals @ T_surface[:3, :3].T, gaps))
    return found


def _over(samples: Samples, surface: Surface, T_surface_samples: Array, travel_m: float) -> tuple[Array, Array, Array]:
    """Points of the samples near a surface that is one plane as far around each of them as it may travel."""
    points = samples.points @ T_surface_samples[:3, :3].T + T_surface_samples[:3, 3]
    low, high = surface.box[0] - travel_m, surface.box[1] + travel_m
    points = points[((points >= low) & (points <= high)).all(axis=1)]
    near = surface.within(points, 0.5 * travel_m)
    rows = np.flatnonzero((near.faces >= 0) & (near.features == 0) & (near.distances > -0.1 * travel_m))
    rows = rows[np.linspace(0, len(rows) - 1, min(len(rows), MOST_POINTS)).astype(np.int64)] if len(rows) else rows
    normals = surface.face_normals[near.faces[rows]]
    flat = _is_flat_around(surface, points[rows], near.faces[rows], normals, travel_m)
    return points[rows[flat]], normals[flat], near.distances[rows[flat]]


def _is_flat_around(surface: Surface, points: Array, faces: Ints, normals: Array, travel_m: float) -> Bools:
    """(k,) whether all faces within a distance of each point lie in the plane of its own face."""
    if not len(points):
        return np.zeros(0, dtype=bool)
    speck = 1e-6 * travel_m * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]])  # points as very small triangles
    corners = (points[:, None] + speck).reshape(-1, 3)
    specks = Surface(corners, np.arange(len(corners)).reshape(-1, 3))
    pairs = near_pairs(specks, surface, np.eye(4), travel_m)
    which, met = pairs.faces[:, 0], pairs.faces[:, 1]
    along = (surface.face_normals[met] * normals[which]).sum(axis=1)
    height = ((surface.corners[met, 0] - surface.corners[faces[which], 0]) * normals[which]).sum(axis=1)
    bad = (along < PARALLEL) | (np.abs(height) > 1e-6 * travel_m)
    bad &= surface.face_normals[met].any(axis=1)
    flat = np.ones(len(points), dtype=bool)
    flat[which[bad]] = False
    return flat


def locked_by_a_ball(scene: Scene) -> bool:
    """Whether a ball inside the group is closed in by the others."""
    for one in scene.moving:
        centre, radius = _ball_in(one)
        if radius <= 0:
            continue
        start = (scene.final @ one.T_first_body @ np.append(centre, 1.0))[:3]
        need = radius - max(one.depths_m)
        if any(_closed_in(scene, start, need, share * radius, 1.5 * radius) for share in CELLS):
            return True
    return False


def _ball_in(one: Moving) -> tuple[Array, float]:
    """The centre, in the body's frame, and radius of a large ball inside it."""
    low, high = one.surface.vertices.min(axis=0), one.surface.vertices.max(axis=0)
    side = max(2, round(SPOTS ** (1 / 3)))
    axes = [np.linspace(low[i], high[i], side + 2)[1:-1] for i in range(3)]
    spots = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 3)
    step = (high - low) / (side + 1)
    for _ in range(6):
        inside = -one.surface.signed(spots).distances
        best = int(np.argmax(inside))
        centre, radius = spots[best], float(inside[best])
        offsets = np.stack(np.meshgrid(*[(-0.5, 0.0, 0.5)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
        spots = centre + offsets * step
        step = 0.5 * step
    return centre, radius


def _closed_in(scene: Scene, start: Array, need_m: float, cell_m: float, furthest_m: float) -> bool:
    """Whether barred cells close in all that the centre of a ball can reach, which must keep so far from the others."""
    most = int(furthest_m / cell_m)
    half = 0.5 * np.sqrt(3.0) * cell_m
    seen = {(0, 0, 0)}
    front = [(0, 0, 0)]
    while front:
        cells = np.array(front)
        if np.abs(cells).max() >= most or len(seen) > MOST_CELLS:
            return False
        open_cells = cells[~_barred(scene, start + cells * cell_m, need_m - half)]
        front = []
        for cell in open_cells.tolist():
            for axis in range(3):
                for step in (-1, 1):
                    beside = (*cell[:axis], cell[axis] + step, *cell[axis + 1 :])
                    if beside not in seen:
                        seen.add(beside)
                        front.append(beside)
    return True


def _barred(scene: Scene, points: Array, near_m: float) -> Bools:
    """(n,) whether one of the still bodies is nearer to each point than a distance, or around it."""
    barred = np.zeros(len(points), dtype=bool)
    for other in scene.still:
        inverse = np.linalg.inv(other.T_world_body)
        rows = np.flatnonzero(~barred)
        if len(rows):
            own = points[rows] @ inverse[:3, :3].T + inverse[:3, 3]
            barred[rows] = other.surface.signed(own).distances < near_m
    return barred
