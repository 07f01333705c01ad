"""Pairs of parts that are another pair, moved: the same solids, beside each other in the same way.

Screws in their nuts come by the dozen. What is found about the first pair is true of all of them, so finders look at
that one alone (`distinct`) and move what they found (`with_repeats`).
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from falsework.geometry.contacts.grid_contacts import grid_groups
from falsework.geometry.shapes.equal_shapes import WORTH, Moved, as_moved
from falsework.geometry.shapes.placed_solids import Scene, scene
from falsework.geometry.shapes.tolerances import SINGLE
from falsework.model.arrays import Array, Ints
from falsework.model.assembly import Assembly
from falsework.model.interfaces import AmbiguousContacts, CurvedContact, Interfaces, Patches
from falsework.model.part import Part
from falsework.model.shapes import Mesh


class Repeat(NamedTuple):
    """A pair of bodies, the earlier pair that it is, and the motion (4, 4) that takes that one here."""

    bodies: tuple[int, int]
    first: tuple[int, int]
    motion: Array


def distinct(assembly: Assembly, placed: Scene) -> Scene:
    """A scene without the pairs that are others, moved."""
    again = {repeat.bodies for repeat in repeats_of(assembly)}
    if not again:
        return placed
    return placed.with_pairs(np.array([(a, b) not in again for a, b in placed.body[placed.pairs].tolist()]))


@lru_cache(maxsize=2)
def repeats_of(assembly: Assembly) -> tuple[Repeat, ...]:
    """All pairs of parts with many triangles that are earlier pairs, as near as single precision tells."""
    if sum(_is_worth_it(body) for body in assembly.bodies) < 2:
        return ()
    placed = scene(assembly, grid_groups(assembly))
    alike = as_moved(placed.shapes)
    known: dict[tuple[int, int], list[tuple[int, int]]] = {}
    found = []
    for one, other in placed.pairs.tolist():
        ours, theirs = alike[one], alike[other]
        if (
            ours is None
            or theirs is None
            or not all(_is_worth_it(assembly.bodies[placed.body[k]]) for k in (one, other))
        ):
            continue
        earlier = known.setdefault((id(ours.shape), id(theirs.shape)), [])
        motions = (_motion(placed, alike, pair, (one, other)) for pair in earlier)
        match = next(((pair, way) for pair, way in zip(earlier, motions, strict=True) if way is not None), None)
        if match is None:
            earlier.append((one, other))
        else:
            found.append(Repeat(_bodies(placed, (one, other)), _bodies(placed, match[0]), match[1]))
    return tuple(found)


def _is_worth_it(body: Part) -> bool:
    mesh = body.shape if isinstance(body.shape, Mesh) and not body.is_fitted else None
    return mesh is not None and len(mesh.triangles) >= WORTH


def _bodies(placed: Scene, pair: tuple[int, int]) -> tuple[int, int]:
    one, other = placed.body[list(pair)].tolist()
    return one, other


def _motion(
    placed: Scene, alike: tuple[Moved | None, ...], pair: tuple[int, int], other: tuple[int, int]
) -> Array | None:
    """(4, 4) what takes a pair to another of the same shapes; None where nothing does."""

    def frame(solid: int) -> Array:
        moved = alike[solid]
        assert moved is not None
        at: Array = placed.poses[solid] @ moved.pose
        return at

    motion: Array = frame(other[0]) @ np.linalg.inv(frame(pair[0]))
    wanted, there = frame(other[1]), motion @ frame(pair[1])
    rows = list(pair + other)
    reach = float(max(np.abs(placed.lows[rows]).max(), np.abs(placed.highs[rows]).max()))
    corners = placed.vertices[slice(*placed.vertex_starts[other[1] : other[1] + 2])]
    turned = there @ np.linalg.inv(wanted)
    off = np.abs(corners @ turned[:3, :3].T + turned[:3, 3] - corners).max()
    return motion if off <= SINGLE * reach else None


def with_repeats(assembly: Assembly, found: Interfaces) -> Interfaces:
    """What was found for distinct pairs, and the same for those that are these, moved."""
    repeats = repeats_of(assembly)
    if not repeats:
        return found
    patches, ambiguous, curved = [found.patches], [found.ambiguous], list(found.curved)
    for repeat in repeats:
        patches.append(_moved_patches(found.patches, repeat))
        ambiguous.append(_moved_ambiguous(found.ambiguous, repeat))
        curved += [_as_of(contact, repeat) for contact in found.curved if contact.bodies == repeat.first]
    return replace(
        found,
        patches=Patches.joined(patches),
        ambiguous=AmbiguousContacts.joined(ambiguous),
        curved=tuple(curved),
    )


def _as_of(contact: CurvedContact, repeat: Repeat) -> CurvedContact:
    return replace(contact, bodies=repeat.bodies)


def _moved_patches(patches: Patches, repeat: Repeat) -> Patches:
    some = patches.chosen((patches.bodies == repeat.first).all(axis=1))
    turn, shift = repeat.motion[:3, :3], repeat.motion[:3, 3]
    return replace(
        some, bodies=_all(repeat, len(some)), normals=some.normals @ turn.T, points=some.points @ turn.T + shift
    )


def _moved_ambiguous(contacts: AmbiguousContacts, repeat: Repeat) -> AmbiguousContacts:
    some = contacts.chosen((contacts.bodies == repeat.first).all(axis=1))
    turn, shift = repeat.motion[:3, :3], repeat.motion[:3, 3]
    return replace(
        some, bodies=_all(repeat, len(some)), normals=some.normals @ turn.T, points=some.points @ turn.T + shift
    )


def _all(repeat: Repeat, count: int) -> Ints:
    return np.tile(np.array(repeat.bodies, dtype=np.int64), (count, 1))
