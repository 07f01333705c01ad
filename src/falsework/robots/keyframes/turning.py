"""A cell's turntable in the search: how a structure may stand on it, and a table of keyframes for each such stance.

The turntable turns while no hand is on the structure and all arms are home, so hands that hold keep it where it is.
A stance may be used if the whole structure, with every other part still waiting, goes there from upright and meets
nothing. To gravity it is all one how far an upright structure is turned: those stances are one pose, the first. On a
positioner it is turned upright, then tilted, and comes back the same way; each tilted stance is a pose of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np

from falsework.model.arrays import Array
from falsework.model.poses import inverse
from falsework.model.robots.cell import ROTARY, Rotary
from falsework.model.robots.tilting import UPRIGHT, Stance
from falsework.robots.collision.arm_bodies import ArmBodies
from falsework.robots.collision.bodies import Piece, bodies_of
from falsework.robots.collision.collisions import swept_blockers, swept_clash
from falsework.robots.collision.surroundings import Surroundings
from falsework.robots.keyframes.frames import Keyframe
from falsework.robots.keyframes.site import Site
from falsework.robots.keyframes.table import KeyframeTable

STEP_RAD = math.pi / 6  # between angles that are looked at
TILTED_RAD = math.pi / 2  # to which a plate is tilted, or as far as it goes
LEAST_RAD = math.pi / 6  # less is not worth it
TURNS_RAD = (0.0, math.pi / 2, -math.pi / 2, math.pi)  # at which it is tilted

MakeTable = Callable[[Site, KeyframeTable | None], KeyframeTable]  # of a site, like one of another


class TurnedTables:
    """Tables of keyframes of one site, made when a stance is first asked for; keyframes are numbered through."""

    def __init__(self, site: Site, make: MakeTable) -> None:
        self.site, self._make = site, make
        self._tables = {UPRIGHT: make(site, None)}

    @property
    def frames(self) -> list[Keyframe]:
        """Of all stances."""
        return self._tables[UPRIGHT].frames

    def at(self, stance: Stance) -> KeyframeTable:
        """The table for one stance."""
        if stance not in self._tables:
            site = Site(self.site.cell, self.site.assembly, stance)
            self._tables[stance] = self._make(site, self._tables[UPRIGHT])
        return self._tables[stance]

    def of(self, frame: Keyframe) -> KeyframeTable:
        """The table that a keyframe is from."""
        return self._tables[frame.turned]

    def stances(self, pose: int) -> tuple[Stance, ...]:
        """Those of one way to lie, 0: upright."""
        return tuple(Stance(angle) for angle in self.angles) if pose == 0 else (self.tilted[pose - 1],)

    @property
    def lies(self) -> tuple[Array, ...]:
        """(4, 4) by which the assembly is turned in its own coordinates, by pose."""
        rotary, T = self.site.cell.rotary, self.site.cell.T_world_structure
        if rotary is None:
            return (np.eye(4),)
        return (np.eye(4), *(inverse(T) @ rotary.turned(*stance) @ T for stance in self.tilted))

    @cached_property
    def angles(self) -> tuple[float, ...]:
        """All angles that may be used upright, 0 first, then by how far they are from it."""
        rotary = self.site.cell.rotary
        if rotary is None:
            return (0.0,)
        return tuple(sorted({*_free_towards(self.site, rotary, 1), *_free_towards(self.site, rotary, -1)}, key=abs))

    @cached_property
    def tilted(self) -> tuple[Stance, ...]:
        """Tilted stances that may be used: what is bolted to the plate is there, and its clamps bear the whole."""
        rotary, assembly = self.site.cell.rotary, self.site.assembly
        if rotary is None or rotary.tilt is None or not assembly.fixed:
            return ()
        if not rotary.tilt.bears(sum(part.mass_kg for part in assembly.parts)):
            return ()
        tilts = (min(rotary.tilt.upper, TILTED_RAD), max(rotary.tilt.lower, -TILTED_RAD))
        turns = [turn for turn in TURNS_RAD if any(abs(turn - angle) < 1e-9 for angle in self.angles)]
        wanted = [Stance(turn, tilt) for turn in turns for tilt in tilts if abs(tilt) >= LEAST_RAD - 1e-9]
        moving = _Swept(self.site, rotary)
        steps = math.ceil(TILTED_RAD / STEP_RAD)
        return tuple(
            stance
            for stance in wanted
            if moving.free([Stance(stance.turn, stance.tilt * k / steps) for k in range(steps + 1)]) == steps
        )


def _free_towards(site: Site, rotary: Rotary, sign: int) -> list[float]:
    """Angles from 0 one way, as far as the whole structure turns freely; half a turn belongs to the first way."""
    far = rotary.upper if sign > 0 else -rotary.lower
    most = math.floor(min(far, math.pi) / STEP_RAD + 1e-9)
    if sign < 0 and rotary.upper >= math.pi and most * STEP_RAD > math.pi - 1e-9:
        most -= 1
    angles = [sign * k * STEP_RAD for k in range(most + 1)]
    free = _Swept(site, rotary).free([Stance(angle) for angle in angles])
    return angles[: free + 1]


class _Swept:
    """All that moves with the turntable, among what stands while it does."""

    def __init__(self, site: Site, rotary: Rotary) -> None:
        self._site, self._rotary = site, rotary
        self._moving, self._standing = _structure_on(site, rotary), _standing(site)

    def free(self, stances: Sequence[Stance]) -> int:
        """From the first of some stances on, how many steps meet nothing."""
        for number, (begin, end) in enumerate(pairwise(stances)):
            before, after = self._rotary.joints(begin), self._rotary.joints(end)
            meets = any(
                swept_clash(self._moving, before, after, ArmBodies(arm), arm.home, arm.home)
                for arm in self._site.cell.arms
            )
            if meets or swept_blockers(self._moving, before, after, self._standing):
                return number
        return len(stances) - 1


def _structure_on(site: Site, rotary: Rotary) -> ArmBodies:
    """All that turns with the turntable, as what an arm carries."""
    back = np.eye(4)
    back[:3, 3] = -np.array(rotary.centre_m)
    bodies = [part for part in site.assembly.bodies if part.name in site.turning]
    at = back @ site.T_world_assembly
    return ArmBodies(rotary.as_arm, carried=[(part.shape, at @ part.T_world_part) for part in bodies])


def _standing(site: Site) -> Surroundings:
    """What the cell has and what waits on trays; but the table that a disc lies in, or the plate that moves."""
    around, tilts = site.around, site.cell.rotary is not None and site.cell.rotary.tilt is not None
    own = around.bodies
    pieces = [
        Piece(own.points[own.starts[k] : own.starts[k + 1]], 0.0, 0, int(own.owner[k]))
        for k in range(len(own.radii))
        if own.owner[k] >= around.parts and around.names[own.owner[k]] != (ROTARY if tilts else "table")
    ]
    return Surroundings(around.names, bodies_of(pieces), np.zeros(len(pieces), bool), around.parts)
