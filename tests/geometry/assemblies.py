"""Assemblies made for tests, and what it means that two findings are the same."""

from __future__ import annotations

from collections.abc import Sequence

import manifold3d
import numpy as np
import shapely
from scipy.spatial.transform import Rotation

from falsework.gallery import make
from falsework.geometry.shapes.solids import make_part, surface
from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Patches
from falsework.model.shapes import Mesh, Polygon, Shape, box


def at(x: float = 0.0, y: float = 0.0, z: float = 0.0) -> Array:
    """A pose that only shifts."""
    pose = np.eye(4)
    pose[:3, 3] = x, y, z
    return pose


def tilted(seed: int = 0, shift: Sequence[float] = (0.0, 0.0, 0.0)) -> Array:
    """A pose turned every way."""
    pose = np.eye(4)
    pose[:3, :3] = Rotation.random(rng=np.random.default_rng(seed)).as_matrix()
    pose[:3, 3] = shift
    return pose


def assembled(*placed: tuple[Shape, Array]) -> Assembly:
    """Shapes at poses, named by their numbers."""
    return Assembly(tuple(make_part(str(k), shape, pose) for k, (shape, pose) in enumerate(placed)))


def ungrouped(assembly: Assembly) -> Ints:
    return np.full(len(assembly.bodies), -1)


def moved(assembly: Assembly, pose: Array, scale: float = 1.0) -> Assembly:
    """The same assembly scaled about the origin, then moved; its shapes become meshes."""
    parts = []
    for part in assembly.parts:
        mesh = surface(part.shape)
        local = part.T_world_part.copy()
        local[:3, 3] *= scale
        parts.append(make_part(part.name, Mesh(mesh.vertices * scale, mesh.triangles), pose @ local))
    return Assembly(tuple(parts))


def reordered(assembly: Assembly, order: Ints) -> Assembly:
    """Part k of the result is part order[k]."""
    return Assembly(tuple(assembly.parts[k] for k in order))


def bond(length: int, width: int, height: int) -> Assembly:
    """A solid of 2 × 1 × 1 blocks, each layer shifted against the last, and each row against the next."""
    block = box((2.0, 1.0, 1.0))
    cells = [(x, y, z) for z in range(height) for y in range(width) for x in range(length)]
    return assembled(*((block, at(2 * x + (y + z) % 2, y + 0.5 * (z % 2), z)) for x, y, z in cells))


def arch(stones: int) -> Assembly:
    """Half a ring of equal voussoirs."""
    step = np.pi / stones
    inner, outer = np.array([np.cos(step), np.sin(step)]), np.array([1.0, 0.0])
    stone = Polygon(np.array([0.8 * outer, 1.0 * outer, 1.0 * inner, 0.8 * inner]), 0.3)
    poses = []
    for k in range(stones):
        pose = np.eye(4)
        pose[:3, :3] = Rotation.from_euler("y", -k * step).as_matrix()
        poses.append((stone, pose))
    return assembled(*poses)


def tetrominoes(columns: int, rows: int, rng: np.random.Generator) -> Assembly:
    """A wall of cells joined at random to pieces of up to four."""
    free = {(x, z) for x in range(columns) for z in range(rows)}
    pieces = []
    while free:
        piece = [min(free)]
        free.remove(piece[0])
        while len(piece) < 4:
            beside = [(x + dx, z + dz) for x, z in piece for dx, dz in ((1, 0), (-1, 0), (0, 1), (0, -1))]
            open_cells = sorted(set(beside) & free)
            if not open_cells:
                break
            piece.append(open_cells[rng.integers(len(open_cells))])
            free.remove(piece[-1])
        outline = shapely.unary_union([shapely.box(x, z, x + 1, z + 1) for x, z in piece]).normalize().exterior
        corners = np.array(outline.coords)[:-1]
        pieces.append((Polygon(corners if outline.is_ccw else corners[::-1], 1.0), np.eye(4)))
    return assembled(*pieces)


def cut_box(cuts: int, rng: np.random.Generator) -> Assembly:
    """A box cut by planes, each through one piece only, so that faces meet in all sorts of polygons."""
    pieces = [manifold3d.Manifold.cube((1.0, 1.3, 0.8))]
    for _ in range(cuts):
        largest = max(range(len(pieces)), key=lambda k: pieces[k].volume())
        piece = pieces.pop(largest)
        corners = np.asarray(piece.to_mesh64().vert_properties)[:, :3]
        normal = rng.normal(size=3)
        normal /= np.linalg.norm(normal)
        pieces.extend(piece.split_by_plane(normal, float(corners.mean(axis=0) @ normal)))
    meshes = [piece.to_mesh64() for piece in pieces]
    return assembled(*((Mesh(m.vert_properties[:, :3], m.tri_verts.astype(np.int64)), np.eye(4)) for m in meshes))


def assert_same_patches(found: Patches, wanted: Patches, tolerance: float, names: Ints | None = None) -> None:
    """Every patch of one is a patch of the other: pair, normal, and corners within the tolerance.

    `names[k]` is the body number in `wanted` of body k in `found`.
    """
    assert len(found) == len(wanted)
    left = list(range(len(wanted)))
    for k in range(len(found)):
        first, second = found.bodies[k] if names is None else names[found.bodies[k]]
        normal = found.normals[k] if first < second else -found.normals[k]
        corners = found.points[found.starts[k] : found.starts[k + 1]]
        for j in left:
            others = wanted.points[wanted.starts[j] : wanted.starts[j + 1]]
            apart = np.linalg.norm(corners[:, None] - others[None], axis=2)
            same_pair = set(wanted.bodies[j].tolist()) == {int(first), int(second)}
            if same_pair and max(apart.min(axis=0).max(), apart.min(axis=1).max()) <= tolerance:
                assert normal @ wanted.normals[j] > 1 - 1e-4
                left.remove(j)
                break
        else:
            raise AssertionError(f"no counterpart of patch {k} between bodies {first} and {second}: {corners}")


def areas(patches: Patches) -> Array:
    """(k,) areas, positive when the corners run counter-clockwise about the normal."""
    found = []
    for k, normal in enumerate(patches.normals):
        arms = patches.points[patches.starts[k] : patches.starts[k + 1]] - patches.points[patches.starts[k]]
        found.append(0.5 * float(np.cross(arms[:-1], arms[1:]).sum(axis=0) @ normal))
    return np.array(found)


def vaulted_shell(rings: int, fine: int) -> Assembly:
    """A shell of hexagons whose blocks follow two spheres: round above, hollow below, 6·fine² triangles each."""
    flat = make("hexagonal-shell", rings=rings)
    parts = []
    for part in flat.parts:
        corners = part.shape.vertices  # type: ignore[union-attr]
        below, above = corners[:6], corners[6:]
        triangles = _spherical(below, 1.9, fine)[:, ::-1].tolist() + _spherical(above, 2.1, fine).tolist()
        for k in range(6):
            ends = [loop[[k, (k + 1) % 6]] for loop in (below, above)]
            low, high = (_on_sphere(np.linspace(*end, fine + 1), r) for end, r in zip(ends, (1.9, 2.1), strict=True))
            for i in range(fine):
                triangles += [[low[i], low[i + 1], high[i + 1]], [low[i], high[i + 1], high[i]]]
        places, number = np.unique(np.round(np.array(triangles).reshape(-1, 3), 10), axis=0, return_inverse=True)
        parts.append(make_part(part.name, Mesh(places, number.reshape(-1, 3)), np.eye(4)))
    return Assembly(tuple(parts), fixed=flat.fixed)


def _on_sphere(points: Array, radius: float) -> Array:
    return radius * points / np.linalg.norm(points, axis=-1, keepdims=True)


def _spherical(loop: Array, radius: float, fine: int) -> Array:
    """(t, 3, 3) the triangles between a loop and its middle, each in fine², put onto a sphere."""
    middle, found = loop.mean(axis=0), []
    for one, other in zip(loop, np.roll(loop, -1, axis=0), strict=True):
        steps = np.array([(one - middle) / fine, (other - middle) / fine])
        for i in range(fine):
            for j in range(fine - i):
                found.append([(i, j), (i + 1, j), (i, j + 1)] @ steps + middle)
                if i + j < fine - 1:
                    found.append([(i + 1, j), (i + 1, j + 1), (i, j + 1)] @ steps + middle)
    return _on_sphere(np.array(found), radius)
