"""The contact finder of corners and edges: on faces, across each other, and where they meet corners and edges.

A corner inside a face has the face's normal, two edges that cross have their common perpendicular. A corner that meets
an edge or a corner has a cone of normals along which the two bodies could be kept apart: where that is a single one,
as at the end of an edge that lies on a face, it is a contact like the others; where it is wider, the contact is
ambiguous (`AmbiguousContacts`). Bodies that are not convex there are taken as several cones, each with normals of its
own, since none of them may be entered. An ambiguous contact whose cone holds the normal of another contact in the same
place forbids nothing more and is left out.
"""

from __future__ import annotations

import numpy as np

from falsework.geometry.contacts.corner_cones import cones_of
from falsework.geometry.contacts.corner_patches import Touches, ambiguous_of, patches_of
from falsework.geometry.contacts.covering_patches import CoveringPatches
from falsework.geometry.contacts.curved.finding import curved_touches
from falsework.geometry.contacts.curved.left_over import LeftOver
from falsework.geometry.contacts.curved.placed_surfaces import free_facets
from falsework.geometry.contacts.fits import fitted_scene
from falsework.geometry.contacts.fitted import without_moulds
from falsework.geometry.contacts.flat.planar import touching_regions
from falsework.geometry.contacts.grid_contacts import grid_groups
from falsework.geometry.contacts.incidence import NEAR, CornersOnFaces, Crossings, Meetings, corner_contacts, crossings
from falsework.geometry.contacts.repeats import with_repeats
from falsework.geometry.contacts.resolution import border, sharpened
from falsework.geometry.contacts.separating_normals import LEAN, holds, lean_of, separating_normals
from falsework.geometry.shapes.features import NOTHING, Features
from falsework.geometry.shapes.lattice import grids_of, lattices
from falsework.geometry.shapes.placed_solids import Scene
from falsework.geometry.shapes.runs import rows_of, starts_of
from falsework.model.arrays import Array, Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.interfaces import Clutches, Interfaces


class CornerContacts:
    """Corners and edges of polyhedra, where no patch is known to have them.

    Bricks of one grid, whatever their shape, are left to their clutches and faces.
    """

    def find(self, assembly: Assembly, known: Interfaces) -> Interfaces:
        groups = grid_groups(assembly)
        if len(groups) < 2 or (groups[0] >= 0 and (groups == groups[0]).all()):
            return Interfaces.none()
        whole = fitted_scene(assembly, groups)
        placed = _off_grid(assembly, sharpened(whole, touching_regions(whole)))
        if not len(placed.pairs):
            return Interfaces.none()
        search = _Search(Features(placed), CoveringPatches(known.patches))
        on, meets = corner_contacts(search.features)
        across = crossings(search.features)
        curved = curved_touches(whole)
        if curved.surfaces.curved:
            left = LeftOver(search.features, curved)
            on = on.chosen(left.of_corners(on.vertex, on.facet))
            across, meets = (
                across.chosen(left.of_meetings(-1 - across.edges)),
                meets.chosen(left.of_meetings(meets.features)),
            )
        free = _within_free_forms(search.features)
        on, meets = on.chosen(~free[on.vertex]), meets.chosen(~_any_of(free, meets.features))
        single = Touches.joined([search.on_faces(on), search.crossing(across)])
        certain, ambiguous = search.meeting(meets, single)
        touches = Touches.joined([single, certain])
        found = Interfaces(
            patches_of(assembly, search.features, touches),
            Clutches.none(),
            known.hinges,
            ambiguous_of(assembly, search.features, ambiguous),
        )
        return with_repeats(assembly, found)


def _within_free_forms(features: Features) -> Bools:
    """(n,) corners of facets that all stand for free forms: where these touch is told by those who know them."""
    facets = free_facets(features.placed)
    within = np.zeros(len(features.placed.vertices), dtype=bool)
    if facets.any():
        within[features.tails] = True
        within[features.tails[~facets[features.facet_of_half]]] = False
    return within


def _any_of(corners: Bools, features: Ints) -> Bools:
    """(k,) whether one of two features (k, 2) is one of some corners."""
    return np.asarray(((features >= 0) & corners[np.maximum(features, 0)]).any(axis=1))


def _off_grid(assembly: Assembly, placed: Scene) -> Scene:
    """The scene without pairs of bricks that share a grid, and without moulds."""
    placed = without_moulds(assembly, placed)
    if not lattices(assembly):
        return placed
    grid = grids_of(assembly, lattices(assembly))[placed.body[placed.pairs]]
    return placed.with_pairs((grid[:, 0] < 0) | (grid[:, 0] != grid[:, 1]))


class _Search:
    """One scene, and what is known of it."""

    def __init__(self, features: Features, known: CoveringPatches) -> None:
        self.features, self._known, self._placed = features, known, features.placed
        self._bodies = features.placed.body[features.placed.pairs]  # (pairs, 2)

    def on_faces(self, on: CornersOnFaces) -> Touches:
        """Corners inside faces, with the rest of their body above the face."""
        facing = self._placed.facets.normals[on.facet]
        normals = np.where((on.side == 0)[:, None], -facing, facing)
        kept = self._above(on, facing) & ~self._covered(on.pair, on.points, normals)
        mine = np.where(on.side == 0, on.vertex, NOTHING), np.where(on.side == 1, on.vertex, NOTHING)
        return Touches.single(on.pair, np.stack(mine, axis=1), on.points, normals).chosen(kept)

    def _above(self, on: CornersOnFaces, facing: Array) -> Bools:
        starts, halves = self.features.at_vertex
        rows, which = rows_of(starts, on.vertex)
        arms = self.features.arms[halves[rows]]
        reach = np.linalg.norm(arms, axis=1)
        lean = lean_of(self._placed.sinks_m[on.pair[which]], reach)
        above = np.ones(len(on.vertex), dtype=bool)
        np.logical_and.at(above, which, (arms * facing[which]).sum(axis=1) >= -lean * reach)
        return above

    def crossing(self, crossed: Crossings) -> Touches:
        """Edges that cross with the faces beside them on either side of their common perpendicular."""
        ahead, back = (self._wedge(crossed, sign) for sign in (1.0, -1.0))
        normals = np.where((back & ~ahead)[:, None], -crossed.normals, crossed.normals)
        kept = (ahead | back) & ~self._covered(crossed.pair, crossed.points, normals)
        return Touches.single(crossed.pair, -1 - crossed.edges, crossed.points, normals).chosen(kept)

    def _wedge(self, crossed: Crossings, sign: float) -> Bools:
        """Whether the first edge's faces fall away behind a normal and the second's before it, a gap not too wide."""
        gaps, sinks = self._placed.gaps_m[crossed.pair], self._placed.sinks_m[crossed.pair]
        right: Bools = (sign * crossed.gaps <= gaps) & (sign * crossed.gaps >= -sinks)
        for side, way in ((0, 1.0), (1, -1.0)):
            halves = self.features.beside[crossed.edges[:, side]]  # (k, 2)
            extent = np.sqrt(self._placed.facets.areas[self.features.facet_of_half[halves]])
            into = np.einsum("kfi,ki->kf", self.features.inward[halves], crossed.normals)
            right &= (way * sign * into <= lean_of(sinks[:, None], extent)).all(axis=1)
        return right

    def meeting(self, meets: Meetings, single: Touches) -> tuple[Touches, Touches]:
        """Corners on edges and corners: those with one normal or more of their own, and the ambiguous ones.

        Where a patch is, convex bodies can have no other normal; a brick with its studs is not convex. `single` are
        the corners inside faces and the crossings.
        """
        covered = np.zeros(len(meets.pair), dtype=bool)
        nears, gaps = self._placed.nears_m[meets.pair], self._placed.gaps_m[meets.pair]
        covered[self._known.at(self._bodies[meets.pair], meets.points, nears, gaps)[0]] = True
        whole = (self._placed.pairs[meets.pair] == self._bodies[meets.pair]).all(axis=1)
        asked = ~(covered & whole & self.features.is_convex(meets.features).all(axis=1))
        meets, covered = meets.chosen(asked), covered[asked]
        normals = _Normals(self.features, meets)
        exact = normals.certain(missing=False)
        touching = Touches.joined([single, exact])
        nearly = normals.certain(missing=True, touching=touching)
        placed, pair = self._placed, nearly.pair
        near = (placed.nears_m[pair], placed.gaps_m[pair], placed.leans[pair])
        known = self._known.alike(self._bodies[pair], nearly.points, nearly.normals, *near)
        exact = exact.chosen(~self._covered(exact.pair, exact.points, exact.normals))
        return Touches.joined([exact, nearly.chosen(~known)]), normals.ambiguous(~covered, touching)

    def _covered(self, pair: Ints, points: Array, normals: Array) -> Bools:
        blurs, gaps = self._placed.blurs_m[pair], self._placed.gaps_m[pair]
        return self._known.alike(self._bodies[pair], points, normals, blurs, gaps, self._placed.leans[pair])


class _Normals:
    """The normals of meetings: those of each cone of the one body with each of the other's."""

    def __init__(self, features: Features, meets: Meetings) -> None:
        self._meets, self._placed = meets, features.placed
        sinks_m = features.placed.sinks_m[meets.pair]
        distinct, place = np.unique(meets.features, return_inverse=True)
        self._cones, owner = cones_of(features, distinct)
        self._pairs, self._meeting = _pairs(owner, len(distinct), place.reshape(-1, 2))
        self._starts, self._normals = separating_normals(self._cones, self._pairs, sinks_m[self._meeting])
        self._counts = np.diff(self._starts)

    def certain(self, *, missing: bool, touching: Touches | None = None) -> Touches:
        """The normals that are the only ones of some two cones, each once a meeting, where no gap is too wide.

        Of meetings that are exact or, `missing`, of those that miss by less than a gap; without those that miss since
        bodies touch beside them (`touching`).
        """
        rows = np.flatnonzero(self._counts == 1)
        gaps, misses = self._apart(rows, self._normals[self._starts[rows]])
        placed, pair = self._placed, self._meets.pair[self._meeting[rows]]
        rows = rows[(gaps <= placed.gaps_m[pair]) & (gaps >= -placed.sinks_m[pair]) & (misses == missing)]
        rows = rows if touching is None else rows[~self._missed(rows, touching)]
        meeting, normals = self._meeting[rows], self._normals[self._starts[rows]]
        kept = np.ones(len(rows), dtype=bool)
        order = np.argsort(meeting, kind="stable")
        counts = np.bincount(meeting, minlength=len(self._meets.pair))
        starts = starts_of(counts)
        for k in np.flatnonzero(counts > 1):
            mine = order[starts[k] : starts[k + 1]]
            for number, row in enumerate(mine):
                earlier = mine[:number][kept[mine[:number]]]
                kept[row] = float((normals[earlier] @ normals[row]).max(initial=-1.0)) < np.cos(LEAN)
        meeting, normals = meeting[kept], normals[kept]
        return Touches.single(
            self._meets.pair[meeting], self._meets.features[meeting], self._meets.points[meeting], normals
        )

    def _apart(self, rows: Ints, normals: Array) -> tuple[Array, Bools]:
        """How far the features of rows (k,) are apart along normals (k, 3), and whether they miss each other beside."""
        apart, pair = self._meets.apart[self._meeting[rows]], self._meets.pair[self._meeting[rows]]
        along = (apart * normals).sum(axis=1)
        beside = np.linalg.norm(apart - along[:, None] * normals, axis=1)
        return along, beside > border(self._placed, pair, along)

    def ambiguous(self, wanted: Bools, touching: Touches) -> Touches:
        """The sets of normals of those that hold none of the certain ones, of the wanted meetings (k,).

        Where no two cones have any, rounding or a graze hides them: then every face in that place may push.
        """
        kept = (self._counts > 1) & wanted[self._meeting]
        kept[kept] = ~self._missed(np.flatnonzero(kept), touching)
        sure = np.flatnonzero(self._counts == 1)
        wide = np.flatnonzero(kept & np.isin(self._meeting, self._meeting[sure]))
        for row in wide:
            mine = sure[self._meeting[sure] == self._meeting[row]]
            settled = holds(
                self._cones, np.repeat(self._pairs[[row]], len(mine), axis=0), self._normals[self._starts[mine]]
            )
            kept[row] = not settled.any()
        rows = np.flatnonzero(kept)
        runs, _ = rows_of(self._starts, rows)
        found = [self._touches(self._meeting[rows], starts_of(self._counts[rows]), self._normals[runs])]
        answered = np.bincount(self._meeting, weights=self._counts, minlength=len(wanted)) > 0
        for k in np.flatnonzero(wanted & ~answered):
            normals = self._all_faces(int(k))
            found.append(self._touches(np.array([k]), np.array([0, len(normals)]), normals))
        return Touches.joined(found)

    def _missed(self, rows: Ints, touching: Touches) -> Bools:
        """(k,) whether two cones of rows (k,) are just apart in their meeting, since the bodies touch beside it.

        A tip that touches a face close to its border meets the border within the gap, and yet the face alone pushes.
        """
        missed = np.zeros(len(rows), dtype=bool)
        pair, place = self._meets.pair[self._meeting[rows]], self._meets.points[self._meeting[rows]]
        order = np.argsort(touching.pair, kind="stable")
        others, row = rows_of(starts_of(np.bincount(touching.pair, minlength=len(self._placed.pairs))), pair)
        other = order[others]
        near = np.linalg.norm(touching.points[other] - place[row], axis=1) <= NEAR * self._placed.gaps_m[pair[row]]
        other, row = other[near], row[near]
        normals = touching.normals[touching.starts[other]]
        held = self._apart(rows[row], normals)[1] & holds(self._cones, self._pairs[rows[row]], normals)
        missed[row[held]] = True
        return missed

    def _touches(self, meeting: Ints, starts: Ints, normals: Array) -> Touches:
        meets = self._meets
        return Touches(meets.pair[meeting], meets.features[meeting], meets.points[meeting], starts, normals)

    def _all_faces(self, meeting: int) -> Array:
        pairs = self._pairs[self._meeting == meeting]
        facing = [
            sign * self._cones.normals[rows_of(self._cones.normal_starts, pairs[:, side])[0]]
            for side, sign in ((0, 1.0), (1, -1.0))
        ]
        faces: Array = np.unique(np.round(np.concatenate(facing), 12), axis=0)
        return faces


def _pairs(owner: Ints, count: int, places: Ints) -> tuple[Ints, Ints]:
    """Every cone of the first feature with every one of the second: (m, 2) cones, and whose places (k, 2) they are."""
    order = np.argsort(owner, kind="stable")
    starts = starts_of(np.bincount(owner, minlength=count))
    firsts, meeting = rows_of(starts, places[:, 0])
    seconds, row = rows_of(starts, places[meeting, 1])
    return np.stack([order[firsts[row]], order[seconds]], axis=1), meeting[row]
