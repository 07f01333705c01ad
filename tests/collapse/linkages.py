"""Linkages at random, and what elementary algebra says of them: nothing here is shared with the solvers."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
from scipy.optimize import nnls

from falsework.geometry.shapes.solids import make_part
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly, Hinge, Load
from falsework.model.interfaces import Clutches, Hinges, Interfaces, Patches
from falsework.model.part import Part
from falsework.model.shapes import box

Y = np.array([0.0, 1.0, 0.0])


def bar(name: str, begin: Array, end: Array, width: float = 0.02) -> Part:
    """A square bar whose axis runs from one point to another."""
    way = end - begin
    length = float(np.linalg.norm(way))
    z = way / length
    helper = Y if abs(z[1]) < 0.9 else np.array([1.0, 0.0, 0.0])
    x = np.cross(helper, z) / np.linalg.norm(np.cross(helper, z))
    pose = np.eye(4)
    pose[:3, :3] = np.column_stack([x, np.cross(z, x), z])
    pose[:3, 3] = begin - pose[:3, :3] @ np.array([width / 2, width / 2, 0.0])
    return make_part(name, box((width, width, length)), pose)


def framework(
    points: Array, bars: list[tuple[int, int]], pinned: list[int], axes: Array | None = None, *, redundant: bool = False
) -> Assembly:
    """Bars between points, joined where they meet, and to a fixed part at the points that are pinned."""
    ground = np.eye(4)
    ground[2, 3] = -5.0
    parts = [make_part("ground", box((1.0, 1.0, 1.0)), ground)]
    parts += [bar(f"{i}-{j}", points[i], points[j]) for i, j in bars]
    hinges = []
    for point, place in enumerate(points):
        here = ["ground"] * (point in pinned) + [f"{i}-{j}" for i, j in bars if point in (i, j)]
        axis = Y if axes is None else axes[point]
        pairs = combinations(here, 2) if redundant else pairwise(here)
        hinges += [Hinge(first, second, place, axis) for first, second in pairs]
    return Assembly(tuple(parts), fixed=frozenset({"ground"}), hinges=tuple(hinges), friction=0.0)


def random_linkage(rng: np.random.Generator) -> Assembly:
    """Chains, frames, trusses and closed loops, plane and solid, some with more hinges than they need."""
    flat = rng.random() < 0.5
    points = rng.uniform(-1.0, 1.0, (int(rng.integers(3, 7)), 3))
    axes = rng.normal(size=points.shape)
    if flat:
        points[:, 1], axes[:] = 0.0, Y
    pairs = [(i, j) for i, j in combinations(range(len(points)), 2) if np.linalg.norm(points[i] - points[j]) > 0.1]
    chosen = rng.permutation(len(pairs))[: int(rng.integers(1, 9))]
    pinned = [0, *(point for point in range(1, len(points)) if rng.random() < 0.4)]
    unit = axes / np.linalg.norm(axes, axis=1, keepdims=True)
    made = framework(points, [pairs[n] for n in chosen], pinned, unit, redundant=rng.random() < 0.3)
    pulls = [(part.name, rng.normal(size=3) * 10.0 ** rng.uniform(-2, 2)) for part in made.parts[1:]]
    loads = [Load(name, pull * [1.0, 0.0, 1.0] if flat else pull) for name, pull in pulls if rng.random() < 0.4]
    return made.changed(loads=tuple(loads))


def hinges_only(assembly: Assembly) -> Interfaces:
    """The interfaces of a linkage whose bars run through each other where they meet."""
    pairs = np.array([[assembly.index[hinge.first], assembly.index[hinge.second]] for hinge in assembly.hinges])
    places = np.array([hinge.point_m for hinge in assembly.hinges])
    axes = np.array([hinge.axis for hinge in assembly.hinges])
    hinges = Hinges(pairs.reshape(-1, 2), places.reshape(-1, 3), axes.reshape(-1, 3))
    return Interfaces(Patches.none(), Clutches.none(), hinges)


def resting_on(assembly: Assembly, joints: Interfaces, rng: np.random.Generator) -> Interfaces:
    """The same with smooth supports under some bars, along a tenth of each."""
    rows = [body for body in range(1, len(assembly.parts)) if rng.random() < 0.6]
    lengths = rng.uniform(-0.8, 0.8, len(rows))
    along = [assembly.parts[body].radius_m * assembly.poses[body, :3, 2] for body in rows]
    middles = [assembly.coms_m[body] + s * way for body, s, way in zip(rows, lengths, along, strict=True)]
    points = [middle + sign * 0.1 * way for middle, way in zip(middles, along, strict=True) for sign in (-1.0, 1.0)]
    count = len(rows)
    pairs = np.array([[0, body] for body in rows], dtype=np.int64).reshape(-1, 2)
    ups = np.tile([0.0, 0.0, 1.0], (count, 1))
    patches = Patches(pairs, ups, np.zeros(count), 2 * np.arange(count + 1), np.reshape(points, (-1, 3)))
    return Interfaces(patches, joints.clutches, joints.hinges)


def least_accelerations(assembly: Assembly, joints: Interfaces) -> tuple[float, Array]:
    """How far forces are from balancing the loads, of the loads, and the accelerations (free, 6) that are left.

    Least squares over the wrenches of hinges, nonnegative pressures at the points of smooth contacts; the masses are
    the metric, so what is left is Gauss' motion.
    """
    free = [n for n, part in enumerate(assembly.parts) if part.name not in assembly.fixed]
    place = {body: 6 * k for k, body in enumerate(free)}
    roots = np.zeros((6 * len(free), 6 * len(free)))  # M^(−½)
    loads = np.zeros(6 * len(free))
    for body, at in place.items():
        part, turn = assembly.parts[body], assembly.parts[body].T_world_part[:3, :3]
        values, vectors = np.linalg.eigh(turn @ part.inertia_part_kgm2 @ turn.T)
        roots[at : at + 3, at : at + 3] = np.eye(3) / np.sqrt(part.mass_kg)
        roots[at + 3 : at + 6, at + 3 : at + 6] = vectors @ np.diag(values**-0.5) @ vectors.T
        loads[at : at + 3] = part.mass_kg * assembly.gravity
    for load in assembly.loads:
        at = place[assembly.index[load.part]]
        loads[at : at + 3] += load.force_n

    def column(pair: list[int], force: Array, couple: Array, point: Array) -> Array:
        made = np.zeros(len(loads))
        for body, sign in zip(pair, (-1.0, 1.0), strict=True):
            if body in place:
                torque = couple + np.cross(point - assembly.coms_m[body], force)
                made[place[body] : place[body] + 6] += sign * np.concatenate([force, torque])
        return made

    hinged = []
    for pair, point, axis in zip(joints.hinges.bodies.tolist(), joints.hinges.points, joints.hinges.axes, strict=True):
        hinged += [column(pair, force, np.zeros(3), point) for force in np.eye(3)]
        hinged += [column(pair, np.zeros(3), couple, point) for couple in np.linalg.svd(axis[None])[2][1:]]
    pushes = [
        column(joints.patches.bodies[n].tolist(), joints.patches.normals[n], np.zeros(3), point)
        for n, point in zip(joints.patches.owner, joints.patches.points, strict=True)
    ]
    H = roots @ np.array(hinged).reshape(-1, len(loads)).T
    basis, sizes, _ = np.linalg.svd(H / np.maximum(np.linalg.norm(H, axis=0), 1e-300), full_matrices=False)
    basis = basis[:, sizes > 1e-9 * sizes.max(initial=0.0)]
    across = np.eye(len(loads)) - basis @ basis.T
    left = across @ (across @ (roots @ loads))
    if pushes:
        made = roots @ np.array(pushes).T
        columns = across @ (across @ made)
        lengths = np.linalg.norm(columns, axis=0)
        columns = columns[:, lengths > 1e-9 * np.linalg.norm(made, axis=0)]  # the others push what cannot move
        if columns.size:
            columns = columns / np.linalg.norm(columns, axis=0)
            left = left + columns @ nnls(columns, -left)[0]
    return float(np.linalg.norm(left) / np.linalg.norm(roots @ loads)), (roots @ left).reshape(-1, 6)
