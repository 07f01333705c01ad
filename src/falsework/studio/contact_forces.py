"""The forces of a certificate as arrows and as a table, one row per contact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly, Load
from falsework.model.interfaces import Clutches, Interfaces, Patches
from falsework.model.verdict import Forces
from falsework.studio.scene import PUSHES, Arrows, Column, Table
from falsework.studio.tables import MAX_ROWS, known, shortened, without_noise

MAX_ARROWS = 20_000
SMALL = 1e-6  # of the largest force: less is not drawn
CAPTION = "One set of forces that balances; where the structure is redundant, others do too."


@dataclass(frozen=True, slots=True, eq=False)
class ContactForces:
    """What acts between parts."""

    arrows: Arrows
    table: Table | None
    on_part_n: Array  # (bodies,) sum of the magnitudes of all contact forces that act on each body


def contact_forces(
    assembly: Assembly, joints: Interfaces, forces: Forces, absent: frozenset[str], loads: tuple[Load, ...]
) -> ContactForces:
    """Patches at their corners (or as resultants where those are too many), clutches and hinges at their origin."""
    acting = [_at_patches(joints.patches, forces.patch_forces), _at_clutches(joints.clutches, forces)]
    acting.append(_Acting.pressing(joints.hinges.points, forces.hinge_forces, joints.hinges.bodies))
    acting = [_largest(acting), *_loads(assembly, loads, absent)]
    arrows = _arrows(acting)
    return ContactForces(arrows, _table(joints, forces), _felt(len(assembly.bodies), arrows))


@dataclass(frozen=True, slots=True, eq=False)
class _Acting:
    """Forces at points between pairs."""

    points: Array
    forces: Array
    pairs: Ints  # (k, 2), −1 for nobody
    push: Ints  # (k,) index into PUSHES

    @staticmethod
    def pressing(points: Array, forces: Array, pairs: Ints) -> _Acting:
        return _Acting(points, forces, pairs, np.zeros(len(points), dtype=np.int64))


def _at_patches(patches: Patches, forces: Array) -> _Acting:
    if len(patches.points) > MAX_ARROWS:
        return _Acting.pressing(*_resultants(patches, forces), patches.bodies)
    return _Acting.pressing(patches.points, forces, patches.bodies[patches.owner])


def _at_clutches(clutches: Clutches, forces: Forces) -> _Acting:
    """What the studs carry and what the faces press, on the brick above."""
    local = forces.clutch_wrenches[:, :3].copy()
    local[:, 2] += forces.clutch_pressure.sum(axis=1)
    carried = np.einsum("kij,kj->ki", clutches.T_world_clutch[:, :3, :3], local)
    pull = np.where(local[:, 2] < 0, PUSHES.index("pull"), PUSHES.index("press"))
    return _Acting(clutches.T_world_clutch[:, :3, 3], carried, clutches.bodies, pull)


def _largest(several: list[_Acting]) -> _Acting:
    """The MAX_ARROWS largest of all that are large enough to see."""
    points = np.concatenate([one.points for one in several])
    forces = np.concatenate([one.forces for one in several])
    sizes = np.linalg.norm(forces, axis=1)
    kept = np.sort(np.argsort(-sizes, kind="stable")[:MAX_ARROWS])
    kept = kept[sizes[kept] > SMALL * sizes.max(initial=0.0)]
    pairs = np.concatenate([one.pairs for one in several])
    push = np.concatenate([one.push for one in several])
    return _Acting(points[kept], forces[kept], pairs[kept], push[kept])


def _arrows(acting: list[_Acting]) -> Arrows:
    pairs = np.concatenate([one.pairs for one in acting])
    return Arrows(
        np.concatenate([one.points for one in acting]),
        np.concatenate([one.forces for one in acting]),
        pairs[:, 0],
        pairs[:, 1],
        tuple(PUSHES[number] for one in acting for number in one.push.tolist()),
    )


def _loads(assembly: Assembly, loads: tuple[Load, ...], absent: frozenset[str]) -> list[_Acting]:
    found = []
    for load in loads:
        body = assembly.index[load.part]
        if load.part not in absent:
            point = assembly.coms_m[body] if load.point_m is None else load.point_m
            push = np.array([PUSHES.index("load")])
            found.append(_Acting(point[None], load.force_n[None], np.array([[-1, body]]), push))
    return found


def _resultants(patches: Patches, forces: Array) -> tuple[Array, Array]:
    """Where the resultant of each patch acts, and the resultant: weighted by how hard each corner presses."""
    normals = patches.normals[patches.owner]
    weights = np.maximum(np.einsum("pi,pi->p", forces, normals), 0.0)
    total = np.zeros((len(patches), 3))
    np.add.at(total, patches.owner, forces)
    pressed = np.bincount(patches.owner, weights, len(patches))
    even = 1.0 / np.maximum(np.diff(patches.starts), 1)
    share = np.where(pressed[patches.owner] > 0, weights / np.maximum(pressed, 1e-300)[patches.owner], 0.0)
    share = np.where(pressed[patches.owner] > 0, share, even[patches.owner])
    centres = np.zeros((len(patches), 3))
    np.add.at(centres, patches.owner, share[:, None] * patches.points)
    return centres, total


def _table(joints: Interfaces, forces: Forces) -> Table | None:
    """Normal force, shear and how much of the friction is used, largest first."""
    patches = joints.patches
    if not len(patches):
        return None
    _, total = _resultants(patches, forces.patch_forces)
    normal = np.einsum("ki,ki->k", total, patches.normals)
    shear = np.linalg.norm(total - normal[:, None] * patches.normals, axis=1)
    normal, shear = (without_noise(one, float(normal.max(initial=0.0))) for one in (normal, shear))
    limit = patches.friction * normal
    used = np.divide(shear, limit, out=np.full(len(patches), np.nan), where=limit > SMALL * normal.max(initial=0.0))
    order = np.argsort(-normal, kind="stable")[:MAX_ROWS].tolist()
    columns = (
        Column("Part", "part", tuple(int(patches.bodies[row, 0]) for row in order)),
        Column("presses on", "part", tuple(int(patches.bodies[row, 1]) for row in order)),
        Column("Normal (N)", "number", tuple(known(float(normal[row])) for row in order)),
        Column("Shear (N)", "number", tuple(known(float(shear[row])) for row in order)),
        Column("Friction used", "share", tuple(known(float(used[row])) for row in order)),
    )
    return Table("Contacts", columns, " ".join((CAPTION, shortened(len(patches), "most pressed"))).strip())


def _felt(bodies: int, arrows: Arrows) -> Array:
    sizes = np.linalg.norm(arrows.forces_n, axis=1)
    between = arrows.first >= 0
    felt = np.zeros(bodies)
    for side in (arrows.first, arrows.second):
        np.add.at(felt, side[between], sizes[between])
    return felt
