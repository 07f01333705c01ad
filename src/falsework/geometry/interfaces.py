"""Every interface of an assembly, and the components they make of it."""

from __future__ import annotations

import numpy as np

from falsework.geometry.brickfaces import brick_overlaps, brick_patches
from falsework.geometry.clutches import clutches_of
from falsework.geometry.contacts import planar_patches
from falsework.geometry.lattice import Lattice, lattices
from falsework.geometry.linking import components_of
from falsework.geometry.offgrid import refuse_studs_off_grid
from falsework.geometry.overlap import refuse
from falsework.model.arrays import Ints
from falsework.model.assembly import Assembly
from falsework.model.checkpoints import checkpoint
from falsework.model.errors import Overlap
from falsework.model.interfaces import Clutches, Hinges, Interfaces, Patches

SAME_PLANE = 1e-3  # of a stud: how far a patch may lie from the clutch it belongs to


def interfaces(assembly: Assembly) -> Interfaces:
    """Contacts, clutches and hinges of an assembly; parts that share space are refused."""
    grids = lattices(assembly)
    groups = _groups(assembly, grids)
    refuse_studs_off_grid(assembly, grids)
    clutches = Clutches.joined([table for grid in grids if len(table := clutches_of(assembly, grid))])
    _refuse_brick_overlaps(assembly, grids)
    checkpoint()
    refuse(assembly, groups)
    checkpoint()
    faces = planar_patches(assembly, groups)
    patches = [brick_patches(grid, assembly.friction) for grid in grids]
    patches.append(_without_clutched(assembly, faces, clutches) if grids else faces)
    return Interfaces(_in_order(Patches.joined(patches)), clutches, _hinges(assembly))


def components(assembly: Assembly, found: Interfaces) -> int:
    """How many separate things it is, the ground included with what it carries.

    Clutches and hinges join; a contact joins unless it is between two bricks, which it cannot hold together.
    """
    is_brick = np.array([body.is_brick for body in assembly.bodies])
    pairs = found.patches.bodies
    pairs = pairs[~is_brick[pairs].all(axis=1)]
    pairs = np.concatenate([pairs, found.clutches.bodies, found.hinges.bodies])
    return 1 + int(components_of(len(assembly.bodies), *pairs.T).max(initial=-1))


def _groups(assembly: Assembly, grids: list[Lattice]) -> Ints:
    """(bodies,) the grid on which a body is a box, −1 for all others."""
    groups = np.full(len(assembly.bodies), -1)
    for number, grid in enumerate(grids):
        groups[grid.bodies[grid.are_boxes()]] = number
    return groups


def _refuse_brick_overlaps(assembly: Assembly, grids: list[Lattice]) -> None:
    found = [overlap for grid in grids for overlap in brick_overlaps(grid)]
    deep = [overlap for overlap in found if overlap[2] > assembly.allow_overlap_m]
    if deep:
        first, second, depth = max(deep, key=lambda overlap: overlap[2])
        names = [assembly.bodies[number].name for number in (first, second)]
        raise Overlap(names[0], names[1], depth, assembly.allow_overlap_m)


def _without_clutched(assembly: Assembly, faces: Patches, clutches: Clutches) -> Patches:
    """Patches found by faces: without those that a clutch goes with, brick sides without friction."""
    if not len(faces):
        return faces
    is_brick = np.array([body.is_brick for body in assembly.bodies])
    up = assembly.poses[:, :3, 2]
    both = is_brick[faces.bodies].all(axis=1)
    beside = np.abs(np.einsum("kai,ki->ka", up[faces.bodies], faces.normals)).max(axis=1) < 0.5
    friction = np.where(both & beside, 0.0, faces.friction)
    kept = np.ones(len(faces), dtype=bool)
    planes: dict[tuple[int, int], list[int]] = {}
    for number, pair in enumerate(np.sort(clutches.bodies, axis=1).tolist()):
        planes.setdefault((pair[0], pair[1]), []).append(number)
    for k in np.flatnonzero(both & ~beside):
        frames = clutches.T_world_clutch[planes.get((int(faces.bodies[k, 0]), int(faces.bodies[k, 1])), [])]
        gaps = np.einsum("ni,ni->n", frames[:, :3, 2], frames[:, :3, 3] - faces.points[faces.starts[k]])
        size = np.abs(faces.points[faces.starts[k] : faces.starts[k + 1]] - faces.points[faces.starts[k]]).max()
        kept[k] = not (np.abs(gaps) < SAME_PLANE * size).any()
    return _chosen(Patches(faces.bodies, faces.normals, friction, faces.starts, faces.points), np.flatnonzero(kept))


def _in_order(patches: Patches) -> Patches:
    """Sorted by body numbers; the finders' own order within a pair."""
    return _chosen(patches, np.lexsort((patches.bodies[:, 1], patches.bodies[:, 0])))


def _chosen(patches: Patches, which: Ints) -> Patches:
    """Some of the patches, in the order given."""
    counts = np.diff(patches.starts)[which]
    starts = np.concatenate([[0], np.cumsum(counts)])
    rows = np.arange(starts[-1]) - np.repeat(starts[:-1], counts) + np.repeat(patches.starts[which], counts)
    return Patches(patches.bodies[which], patches.normals[which], patches.friction[which], starts, patches.points[rows])


def _hinges(assembly: Assembly) -> Hinges:
    pairs = [(assembly.index[hinge.first], assembly.index[hinge.second]) for hinge in assembly.hinges]
    points = [hinge.point_m for hinge in assembly.hinges]
    axes = [hinge.axis for hinge in assembly.hinges]
    return Hinges(np.reshape(pairs, (-1, 2)), np.reshape(points, (-1, 3)), np.reshape(axes, (-1, 3)))
