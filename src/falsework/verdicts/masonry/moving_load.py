"""The worst place for a load that moves across a structure: where it bears least.

The load acts downward on whatever lies uppermost at each place of a level line through the middle of the assembly. At
each place the greatest load is one convex program with certificates on both sides (`limits.greatest_load`); between the
places, and about the worst of them once more, nothing is claimed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from falsework.geometry.shapes.solids import surface
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput
from falsework.model.state import State
from falsework.statics.core.equilibrium import Equilibrium
from falsework.verdicts.limits.greatest_load import DOWN, GreatestLoad, greatest_load

PLACES = 33  # along the line, at first
CLOSER = 4  # further ones on either side of the worst


@dataclass(frozen=True, slots=True, eq=False)
class MovingLoad:
    """The places in order along the line, each with the greatest load there."""

    along: Array  # (3,) unit, level
    loads: tuple[GreatestLoad, ...]

    @property
    def worst(self) -> GreatestLoad:
        """Where it certainly falls under the least load, else where it certainly bears least."""
        falling = [one for one in self.loads if one.newtons.falls is not None]
        if falling:
            return min(falling, key=lambda one: one.newtons.falls or 0.0)
        return min(self.loads, key=lambda one: one.newtons.stands or 0.0)


def moving_load(equilibrium: Equilibrium, state: State, along: Array, places: int = PLACES) -> MovingLoad:
    """The greatest downward load at places along a level line over the middle of what is there."""
    assembly = equilibrium.assembly
    level = np.array([along[0], along[1], 0.0])
    if not level.any() or places < 2:
        raise BadInput("a load moves along a level line, over 2 places or more")
    level /= np.linalg.norm(level)
    tops = _Uppermost(assembly, state)
    across = np.linspace(*tops.extent(level), places)  # with the ends: what reaches out is weakest there
    known = {float(at): _at(equilibrium, state, tops, level, at) for at in across}
    borne = {at: one for at, one in known.items() if one is not None}
    if not borne:
        raise BadInput("a moving load needs a free part that lies uppermost somewhere")
    worst = min(borne, key=lambda at: borne[at].newtons.falls or np.inf)
    step = float(across[1] - across[0])
    for at in worst + step * np.linspace(-1, 1, 2 * CLOSER + 3)[1:-1]:
        one = _at(equilibrium, state, tops, level, at)
        if one is not None:
            borne[float(at)] = one
    return MovingLoad(level, tuple(borne[at] for at in sorted(borne)))


def _at(equilibrium: Equilibrium, state: State, tops: _Uppermost, level: Array, at: float) -> GreatestLoad | None:
    """None where nothing free is uppermost."""
    found = tops.under(at * level + tops.beside(level))
    return None if found is None else greatest_load(equilibrium, state, found[0], np.array(DOWN), found[1])


class _Uppermost:
    """What a plumb line meets first."""

    def __init__(self, assembly: Assembly, state: State) -> None:
        there = [n for n in range(len(assembly.parts)) if state.installed >> n & 1]
        free = state.free(assembly)
        self._parts = [(assembly.parts[n].name, bool(free >> n & 1), _triangles(assembly, n)) for n in there]
        if not self._parts:
            raise BadInput("a moving load needs parts to move over")
        corners = np.concatenate([triangles.reshape(-1, 3) for _, _, triangles in self._parts])
        self._low, self._high = corners.min(axis=0), corners.max(axis=0)
        self._corners = corners

    def extent(self, level: Array) -> tuple[float, float]:
        spread = self._corners @ level
        return float(spread.min()), float(spread.max())

    def beside(self, level: Array) -> Array:
        """What is left of the middle of everything when the part along the line is taken away."""
        middle = (self._low + self._high) / 2
        kept: Array = middle - (middle @ level) * level
        return kept

    def under(self, place: Array) -> tuple[str, Array] | None:
        """The part and point that a plumb line through a place meets first, if that part is free."""
        best, name, is_free = -np.inf, "", False
        for part, free, triangles in self._parts:
            height = _height(triangles, place)
            if height > best:
                best, name, is_free = height, part, free
        return (name, np.array([place[0], place[1], best])) if is_free else None


def _triangles(assembly: Assembly, number: int) -> Array:
    """(m, 3, 3) corners in world axes."""
    part = assembly.parts[number]
    mesh = surface(part.shape)
    placed = mesh.vertices @ part.T_world_part[:3, :3].T + part.T_world_part[:3, 3]
    corners: Array = placed[mesh.triangles]
    return corners


def _height(triangles: Array, place: Array) -> float:
    """Of the highest point over a place; −inf where there is none."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    u, v, w = b[:, :2] - a[:, :2], c[:, :2] - a[:, :2], place[:2] - a[:, :2]
    area = u[:, 0] * v[:, 1] - u[:, 1] * v[:, 0]
    flat = np.abs(area) > 1e-12 * np.abs(u).max(initial=0.0) * np.abs(v).max(initial=0.0)
    safe = np.where(flat, area, 1.0)
    s = (w[:, 0] * v[:, 1] - w[:, 1] * v[:, 0]) / safe
    t = (u[:, 0] * w[:, 1] - u[:, 1] * w[:, 0]) / safe
    inside = flat & (s >= -1e-9) & (t >= -1e-9) & (s + t <= 1 + 1e-9)
    heights = a[:, 2] + s * (b[:, 2] - a[:, 2]) + t * (c[:, 2] - a[:, 2])
    return float(heights[inside].max(initial=-np.inf))
