"""A cell's turntable in the search: at which angles a structure may stand, and a table of keyframes for each of them.

The turntable turns while no hand is on the structure and all arms are home, so hands that hold keep it where it is.
An angle may be used if the whole structure, with every other part still waiting, turns there from 0 and meets nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from itertools import pairwise

import numpy as np

from falsework.model.robots.cell import Rotary
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.collision.bodies import Piece, bodies_of
from falsework.robots.collision.collisions import swept_blockers, swept_clash
from falsework.robots.collision.surroundings import Surroundings
from falsework.robots.keyframes.frames import Keyframe
from falsework.robots.keyframes.site import Site
from falsework.robots.keyframes.table import KeyframeTable

STEP_RAD = math.pi / 6  # between angles that are looked at

MakeTable = Callable[[Site, float, KeyframeTable | None], KeyframeTable]  # of an angle, like one of another


class TurnedTables:
    """Tables of keyframes of one site, made when an angle is first asked for; keyframes are numbered through."""

    def __init__(self, site: Site, make: MakeTable) -> None:
        self.site, self._make = site, make
        self._tables = {0.0: make(site, 0.0, None)}

    @property
    def frames(self) -> list[Keyframe]:
        """Of all angles."""
        return self._tables[0.0].frames

    def at(self, angle: float) -> KeyframeTable:
        """The table for one angle."""
        if angle not in self._tables:
            rotary = self.site.cell.rotary
            assert rotary is not None, "without one, 0 is the only angle"
            site = Site(self.site.cell, self.site.assembly, rotary.turned(angle) @ self.site.T_world_assembly)
            self._tables[angle] = self._make(site, angle, self._tables[0.0])
        return self._tables[angle]

    def of(self, frame: Keyframe) -> KeyframeTable:
        """The table that a keyframe is from."""
        return self._tables[frame.turned]

    @cached_property
    def angles(self) -> tuple[float, ...]:
        """All angles that may be used, 0 first, then by how far they are from it."""
        rotary = self.site.cell.rotary
        if rotary is None:
            return (0.0,)
        return tuple(sorted({*_free_towards(self.site, rotary, 1), *_free_towards(self.site, rotary, -1)}, key=abs))


def _free_towards(site: Site, rotary: Rotary, sign: int) -> list[float]:
    """Angles from 0 one way, as far as the whole structure turns freely; half a turn belongs to the first way."""
    far = rotary.upper if sign > 0 else -rotary.lower
    most = math.floor(min(far, math.pi) / STEP_RAD + 1e-9)
    if sign < 0 and rotary.upper >= math.pi and most * STEP_RAD > math.pi - 1e-9:
        most -= 1
    angles = [sign * k * STEP_RAD for k in range(most + 1)]
    turning, standing = _structure_on(site, rotary), _standing(site)
    for number, (begin, end) in enumerate(pairwise(angles)):
        before, after = np.array([begin]), np.array([end])
        meets = any(swept_clash(turning, before, after, ArmBodies(arm), arm.home, arm.home) for arm in site.cell.arms)
        if meets or swept_blockers(turning, before, after, standing):
            return angles[: number + 1]
    return angles


def _structure_on(site: Site, rotary: Rotary) -> ArmBodies:
    """All that turns with the turntable, as what an arm of one joint carries."""
    table = rotary.as_arm
    back = np.eye(4)
    back[:3, 3] = -np.array(rotary.centre_m)
    bodies = [part for part in site.assembly.bodies if part.name in site.turning]
    return ArmBodies(table, carried=[(part.shape, back @ site.T_world_assembly @ part.T_world_part) for part in bodies])


def _standing(site: Site) -> Surroundings:
    """What the cell has but its table, and what waits on trays."""
    around = site.around
    own = around.bodies
    pieces = [
        Piece(own.points[own.starts[k] : own.starts[k + 1]], 0.0, 0, int(own.owner[k]))
        for k in range(len(own.radii))
        if own.owner[k] >= around.parts and around.names[own.owner[k]] != "table"
    ]
    return Surroundings(around.names, bodies_of(pieces), np.zeros(len(pieces), bool), around.parts)
