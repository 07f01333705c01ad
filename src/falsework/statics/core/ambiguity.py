"""What ambiguous contacts may and must do, so that no verdict rests on a choice of their normals.

Where a corner meets a corner or an edge, any normal of a cone may be the one along which the bodies push (see
`AmbiguousContacts`). Let φ be the angle of friction, and F(n) the friction cone about a normal n.

- A force in *every* F(n) is there whichever normal it is. The cone about the middle m of the normals, with the angle
  φ − θ, is in all of them, where θ is the largest angle between m and a normal. What stands with these stands.
- A force in *some* F(n) is in the sum of the F of the outermost normals: a cone about a direction between two others is
  in the convex hull of the cones about these, since the great circle that touches two equal caps of a sphere from
  outside runs further from the circle through their centres in between than at the caps. What falls with all of these
  falls.

In between it depends on the normals, and the answer is undecided. A search asks only for what stands for certain
(`verdicts/searching.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np

from falsework.model.arrays import Bools, Ints
from falsework.model.assembly import Assembly
from falsework.model.bits import flags
from falsework.model.errors import shown
from falsework.model.interfaces import AmbiguousContacts, Interfaces, Patches
from falsework.model.state import State
from falsework.model.verdict import Motion, Verdict
from falsework.statics.proofs.coulomb import relative

LEAST_ANGLE = 1e-6  # rad: narrower cones bear nothing
PARTS = 1e-12  # of the swiftest part: contacts that approach by no more than rounding part
MOST_NAMED = 3


@lru_cache(maxsize=8)
def certain(joints: Interfaces) -> Interfaces:
    """The interfaces with what ambiguous contacts bear whichever way they push, and no ambiguous ones any more."""
    table = joints.ambiguous.cornered
    if not len(table):
        return joints if not len(joints.ambiguous) else replace(joints, ambiguous=table)
    owner = np.repeat(np.arange(len(table)), np.diff(table.normal_starts))
    sums = np.stack([np.bincount(owner, table.normals[:, k], len(table)) for k in range(3)], axis=1)
    middles = sums / np.maximum(np.linalg.norm(sums, axis=1), np.finfo(float).tiny)[:, None]
    cosines = np.full(len(table), 1.0)
    np.minimum.at(cosines, owner, (table.normals * middles[owner]).sum(axis=1))
    angles = np.arctan(table.friction) - np.arccos(np.clip(cosines, -1.0, 1.0))
    kept = np.flatnonzero(angles > LEAST_ANGLE)
    borne = table.chosen(kept)
    inner = Patches(borne.bodies, middles[kept], np.tan(angles[kept]), borne.starts, borne.points)
    return replace(joints, patches=Patches.joined([joints.patches, inner]), ambiguous=AmbiguousContacts.none())


@lru_cache(maxsize=8)
def possible(joints: Interfaces) -> Interfaces:
    """The interfaces with all that ambiguous contacts might bear, and no ambiguous ones any more."""
    outermost = _outermost(joints.ambiguous)
    return replace(joints, patches=Patches.joined([joints.patches, outermost]), ambiguous=AmbiguousContacts.none())


def _outermost(table: AmbiguousContacts) -> Patches:
    """A patch for every outermost normal of every contact."""
    owner = np.repeat(np.arange(len(table)), np.diff(table.normal_starts))
    several = table.chosen(owner)
    return Patches(several.bodies, table.normals, several.friction, several.starts, several.points)


def acting(assembly: Assembly, table: AmbiguousContacts, state: State) -> Ints:
    """Which ambiguous contacts are between bodies of a state of which one at least is free."""
    count = len(assembly.bodies)
    there, free = flags(state.installed, count), flags(state.free(assembly), count)
    return np.flatnonzero(there[table.bodies].all(axis=1) & free[table.bodies].any(axis=1))


def settled(
    assembly: Assembly, joints: Interfaces, state: State, verdict: Verdict, ask: Callable[[Interfaces], Verdict]
) -> Verdict:
    """A verdict on interfaces without their ambiguous contacts, asked again where these may decide.

    Asked about are `certain(joints)` and `possible(joints)`, the same objects whenever `joints` is.
    """
    rows = acting(assembly, joints.ambiguous, state)
    if verdict.answer == "stable" or not len(rows):
        return verdict
    doubtful = replace(joints, ambiguous=joints.ambiguous.chosen(rows))
    if isinstance(verdict.certificate, Motion) and _all_part(assembly, doubtful, verdict.certificate):
        return verdict
    sure = certain(joints)
    if len(sure.patches) > len(joints.patches):
        again = ask(sure)
        if again.answer == "stable":
            return replace(again, about=sure)
    most = possible(joints)
    again = ask(most)
    if again.answer != "stable":
        return replace(again, about=most)
    return replace(again, answer="undecided", certificate=None, residual=None, why=doubt(assembly, doubtful.ambiguous))


def _all_part(assembly: Assembly, doubtful: Interfaces, motion: Motion) -> bool:
    """Whether no force that an ambiguous contact might bear takes up anything in a motion: −f·u ≤ 0 for all of them."""
    outermost = _outermost(doubtful.ambiguous)
    apart = relative(assembly, outermost, motion.twists)
    normals, friction = outermost.normals[outermost.owner], outermost.friction[outermost.owner]
    along = (apart * normals).sum(axis=1)
    across = np.linalg.norm(apart - along[:, None] * normals, axis=1)
    radii = np.array([body.radius_m for body in assembly.bodies])
    speeds = np.linalg.norm(motion.twists[:, :3], axis=1) + radii * np.linalg.norm(motion.twists[:, 3:], axis=1)
    parting: Bools = along - friction * across >= -PARTS * float(speeds.max(initial=0.0))
    return bool(parting.all())


def doubt(assembly: Assembly, table: AmbiguousContacts) -> str:
    """Why it is undecided, in words."""
    pairs = list(dict.fromkeys((a, b) for a, b in table.bodies.tolist()))
    names = [" - ".join(shown(assembly.bodies[body].name) for body in pair) for pair in pairs[:MOST_NAMED]]
    more = f" and {len(pairs) - MOST_NAMED} more pairs" if len(pairs) > MOST_NAMED else ""
    what = "the direction in which corners and edges push on each other"
    if table.is_between.all():
        what = "forces between the points that stand for curved contacts, within what their numbers are exact to"
    return f"it depends on {what}: {', '.join(names)}{more}"
