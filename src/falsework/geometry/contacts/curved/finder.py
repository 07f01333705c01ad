"""The contact finder of curved surfaces: which primitives were assumed, the patches they touch in, and their fits."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from falsework.geometry.contacts.curved.finding import curved_touches, rounded_touches
from falsework.geometry.contacts.curved.placed_surfaces import Surfaces
from falsework.geometry.contacts.curved.rounded import around, leeway
from falsework.geometry.contacts.curved.touch import Touch
from falsework.geometry.contacts.fits import fitted_scene
from falsework.geometry.contacts.fitted import without_moulds
from falsework.geometry.contacts.friction import friction_of
from falsework.geometry.contacts.grid_contacts import grid_groups
from falsework.geometry.contacts.repeats import with_repeats
from falsework.geometry.shapes.placed_solids import Scene
from falsework.geometry.shapes.runs import starts_of
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.interfaces import AmbiguousContacts, Clutches, CurvedContact, Interfaces, Patches

ROUNDING = 1e-6  # of a radius or a pitch: less play than this is none


class CurvedContacts:
    """Cylinders, cones and spheres on whatever they touch."""

    def find(self, assembly: Assembly, known: Interfaces) -> Interfaces:
        groups = grid_groups(assembly)
        if len(groups) < 2 or (groups[0] >= 0 and (groups == groups[0]).all()):
            return Interfaces.none()
        placed = without_moulds(assembly, fitted_scene(assembly, groups))
        curved = curved_touches(placed)
        touches = sorted(curved.touches, key=lambda found: _bodies(placed, found[0]))
        vague = rounded_touches(placed)
        if not touches and not vague:
            return Interfaces.none()
        found = Interfaces(
            _patches(assembly, placed, touches) if touches else Patches.none(),
            Clutches.none(),
            known.hinges,
            _between(assembly, placed, curved.surfaces, [*touches, *vague]),
            tuple(_described(placed, pair, touch) for pair, touch in touches),
        )
        return with_repeats(assembly, found)


def _bodies(placed: Scene, pair: int) -> tuple[int, int]:
    first, second = placed.body[placed.pairs[pair]]
    return int(first), int(second)


def _described(placed: Scene, pair: int, touch: Touch) -> CurvedContact:
    kinds = (touch.one.kind, touch.onto if touch.other is None else touch.other.kind)
    turned = touch.one.solid != placed.pairs[pair, 0]
    return CurvedContact(
        _bodies(placed, pair),
        kinds[::-1] if turned else kinds,
        sum(len(ends) == 1 for ends in touch.ends),
        sum(len(ends) == 2 for ends in touch.ends),
        _play(touch),
    )


def _play(touch: Touch) -> float | None:
    """By how much the diameter of a hole is larger, or how far flanks and cones are apart; without its rounding."""
    if touch.play_m is None:
        return None
    form = touch.one.form
    reach = abs(form.pitch_m) if touch.one.kind == "thread" else form.radius_m or 1.0
    across = 2.0 if touch.one.kind in ("cylinder", "sphere") else 1.0
    return across * touch.play_m if abs(touch.play_m) > ROUNDING * reach else 0.0


def _patches(assembly: Assembly, placed: Scene, touches: list[tuple[int, Touch]]) -> Patches:
    ends = [points for _, touch in touches for points in touch.ends]
    bodies = np.array([_bodies(placed, pair) for pair, touch in touches for _ in touch.ends])
    normals = np.array([normal for found in touches for normal in _normals(placed, *found)])
    gaps = [gap for _, touch in touches for gap in touch.gaps_m or [0.0] * len(touch.ends)]
    return Patches(
        bodies,
        normals,
        friction_of(assembly, bodies, normals),
        starts_of(np.array([len(points) for points in ends])),
        np.concatenate(ends),
        np.array(gaps),
    )


def _normals(placed: Scene, pair: int, touch: Touch) -> Iterable[Array]:
    """Normals of a touch's patches, from the first solid of the pair into the second."""
    sign = 1.0 if touch.one.solid == placed.pairs[pair, 0] else -1.0
    return [sign * normal for normal in touch.normals]


def _between(
    assembly: Assembly, placed: Scene, surfaces: Surfaces, touches: list[tuple[int, Touch]]
) -> AmbiguousContacts:
    """What touches might do beyond what was found: between points that stand for a region, and within rounding."""
    known = [(pair, touch) for pair, touch in touches if touch.one.kind != "thread" or touch.step_rad]
    if not known:
        return AmbiguousContacts.none()
    ends, frictions, leans = [], [], []
    for pair, touch in known:
        wider, more, lean = _widened(placed, surfaces, pair, touch)
        ends += wider
        frictions += [more] * len(wider)
        leans += [lean] * len(wider)
    bodies = np.array([_bodies(placed, pair) for pair, touch in known for _ in touch.ends])
    normals = np.array([normal for found in known for normal in _normals(placed, *found)])
    friction = np.array(frictions) * friction_of(assembly, bodies, normals)
    return AmbiguousContacts(
        bodies,
        friction + np.array(leans) * (1 + friction**2),
        starts_of(np.array([len(points) for points in ends])),
        np.concatenate(ends),
        np.arange(len(normals) + 1),
        normals,
        np.ones(len(normals), dtype=bool),
    )


def _widened(placed: Scene, surfaces: Surfaces, pair: int, touch: Touch) -> tuple[list[Array], float, float]:
    """Points between which all forces of a touch are, how many times its friction they have, and what they may lean.

    Between points whose normals differ by a step, a normal is a sum of theirs of length σ ≤ 1/cos(step/2): levers are
    longer by σ, and friction by σ². Single points and lines are as far aside as rounding lets them be.
    """
    if not touch.step_rad:
        aside, lean = leeway(placed, surfaces, pair, touch)
        pairs = zip(touch.ends, touch.normals, strict=True)
        return [around(touch, points, normal, aside) for points, normal in pairs], 1.0, lean
    longer = 1 / np.cos(0.5 * touch.step_rad)
    feet = [touch.one.form.point if touch.one.kind == "sphere" else _on_axis(touch, points) for points in touch.ends]
    wider = [foot + longer * (points - foot) for foot, points in zip(feet, touch.ends, strict=True)]
    return wider, longer**2, 0.0


def _on_axis(touch: Touch, points: Array) -> Array:
    """(n, 3) the feet of points on the axis of a touch's first surface."""
    form = touch.one.form
    feet: Array = form.point + ((points - form.point) @ form.axis)[:, None] * form.axis
    return feet
