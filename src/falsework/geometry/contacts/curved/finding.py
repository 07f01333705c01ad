"""All contacts of the curved surfaces of a scene, and which contacts of facets they take the place of."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from falsework.geometry.contacts.curved.on_curved import is_handled, on_curved
from falsework.geometry.contacts.curved.on_edges import Edges, on_edges
from falsework.geometry.contacts.curved.on_flats import on_flats
from falsework.geometry.contacts.curved.on_rims import rim_on_curved, rim_on_flats
from falsework.geometry.contacts.curved.placed_surfaces import FLAT, Surface, Surfaces, free_facets, placed_surfaces
from falsework.geometry.contacts.curved.rims import Rim, rims_of
from falsework.geometry.contacts.curved.touch import Room, Touch
from falsework.geometry.shapes.digits import corners_off_m
from falsework.geometry.shapes.placed_solids import Scene
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.checkpoints import checkpoint

VAGUE = 0.1  # of how far apart things are that touch: corners that are rounded by more may hide it


class CurvedTouches(NamedTuple):
    """The contacts, by pair of solids."""

    surfaces: Surfaces
    touches: list[tuple[int, Touch]]  # index into Scene.pairs; the touch, whose first surface is of either solid

    def takes(self) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
        """Pairs of curved surfaces, and pairs of a curved surface and a facet, that touch as found here."""
        curved = {(touch.one.number, touch.other_number) for _, touch in self.touches if touch.other is not None}
        flat = {
            (number, facet)
            for _, touch in self.touches
            for number in (touch.one.number, *touch.also)
            for facet in touch.facets
        }
        return curved | {(other, one) for one, other in curved}, flat


@lru_cache(maxsize=2)  # faces and corners are looked for afterwards, and leave out what is found here
def curved_touches(placed: Scene) -> CurvedTouches:
    """Contacts of all curved surfaces with whatever is near them."""
    return CurvedTouches(placed_surfaces(placed), _touches(placed, np.zeros(len(placed.pairs))))


def rounded_touches(placed: Scene) -> list[tuple[int, Touch]]:
    """Contacts that may be there, since corners were rounded by more than how far apart things are that touch."""
    off = np.array([corners_off_m(shape) for shape in placed.shapes])[placed.pairs].sum(axis=1)
    vague = np.where(off > VAGUE * placed.gaps_m, off, 0.0)
    if not vague.any():
        return []
    known = {_key(pair, touch) for pair, touch in curved_touches(placed).touches}
    return [found for found in _touches(placed, vague) if vague[found[0]] and _key(*found) not in known]


def _key(pair: int, touch: Touch) -> tuple[int, int, int, str, tuple[int, ...]]:
    return pair, touch.one.number, touch.other_number, touch.onto, touch.facets


def _touches(placed: Scene, more_m: Array) -> list[tuple[int, Touch]]:
    """Those of pairs (k,) that are no further apart than their gaps and so much more (k,)."""
    surfaces = placed_surfaces(placed)
    touches: list[tuple[int, Touch]] = []
    if not surfaces.curved:
        return touches
    edges = Edges(placed, surfaces)
    rims = rims_of(edges)
    for pair, solids in enumerate(placed.pairs.tolist()):
        checkpoint()
        room = Room(float(placed.gaps_m[pair] + more_m[pair]), float(placed.nears_m[pair] + more_m[pair]))
        own = [surfaces.by_solid.get(solid, ()) for solid in solids]
        both = [
            touch
            for one in own[0]
            for other in own[1]
            if _near(one, other, room) and (touch := on_curved(one, other, room)) is not None
        ]
        touches += [(pair, touch) for touch in both]
        for side in (0, 1):
            solid, theirs = solids[1 - side], rims.get(solids[1 - side], ())
            found: list[Touch] = []
            for surface in own[side]:
                if surface.kind != "thread" and _reaches(
                    placed, surface, solid, theirs, room
                ):  # threads: left to facets
                    found += _on_the_rest(edges, surface, theirs, solid, room, both)
            lying = {(touch.one.number, facet) for touch in found for facet in touch.facets}
            for rim in rims.get(solids[side], ()):
                found += rim_on_flats(edges, rim, solid, room, lying)
            touches += [(pair, touch) for touch in found]
    return touches


def _near(one: Surface, other: Surface, room: Room) -> bool:
    margin = room.gap_m + one.sag_m + other.sag_m
    return bool((one.low <= other.high + margin).all() and (other.low <= one.high + margin).all())


def _reaches(placed: Scene, surface: Surface, solid: int, rims: tuple[Rim, ...], room: Room) -> bool:
    """Whether a surface comes near the box of a solid, or to a rim, which may stand before the box."""
    margin = room.gap_m + surface.sag_m + max((rim.sag_m for rim in rims), default=0.0)
    low, high = placed.lows[solid] - margin, placed.highs[solid] + margin
    return bool((surface.low <= high).all() and (low <= surface.high).all())


def _on_the_rest(
    edges: Edges, surface: Surface, rims: tuple[Rim, ...], solid: int, room: Room, both: list[Touch]
) -> list[Touch]:
    """Contacts with flat faces, rims, edges and corners of a solid, edges beside surfaces that touch left out."""
    placed, surfaces = edges.placed, edges.surfaces
    faces = on_flats(placed, surfaces, surface, solid, room)
    touched = [touch.other if touch.one is surface else touch.one for touch in both if _has(touch, surface)]
    numbers = {other.number for other in touched if other is not None}
    beside = [rim for rim in rims if numbers.isdisjoint(rim.surfaces)]
    faces += [touch for rim in beside if (touch := rim_on_curved(rim, surface, room)) is not None]
    taken = {facet for touch in faces for facet in touch.facets}
    if numbers:
        taken |= set(np.flatnonzero(np.isin(surfaces.of_facet, list(numbers))).tolist())
    return [*faces, *on_edges(edges, surface, solid, room, taken)]


def _has(touch: Touch, surface: Surface) -> bool:
    return touch.one is surface or touch.other is surface


def facets_reach(placed: Scene, first: int, second: int) -> float:
    """How deep facets of two solids may reach into each other whose curved surfaces only touch.

    Between its corners a hole is narrower than it should be, and what lies in it may have corners there.
    """
    reach = 0.0
    for pair, touch in curved_touches(placed).touches:
        if touch.other is not None and placed.pairs[pair].tolist() == [first, second]:
            reach = max(reach, touch.one.sag_m + touch.other.sag_m)
    return reach


def are_left(placed: Scene, one: Ints, other: Ints) -> Bools:
    """(k,) which pairs of facets are left to those who look for contacts of flat faces."""
    surfaces, free = placed_surfaces(placed), free_facets(placed)
    if not surfaces.curved:
        return np.asarray(~(free[one] | free[other]))
    first, second = surfaces.of_facet[one], surfaces.of_facet[other]
    left: Bools = (first == FLAT) & (second == FLAT) & ~(free[one] | free[other])
    threads = np.array([surface.kind == "thread" for surface in surfaces.curved])
    left |= np.where(first == FLAT, (second != FLAT) & threads[second], (second == FLAT) & threads[first])
    both = np.flatnonzero((first != FLAT) & (second != FLAT))
    pairs, inverse = np.unique(np.stack([first[both], second[both]], axis=1), axis=0, return_inverse=True)
    handled = [is_handled(surfaces.curved[a], surfaces.curved[b]) for a, b in pairs.tolist()]
    left[both] = ~np.array(handled, dtype=bool)[inverse.ravel()] if len(both) else left[both]
    return left
