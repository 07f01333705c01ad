"""Which actions must not come before which others because of parts that stand in their way only at times."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence as Listed
from typing import Literal, NamedTuple

import numpy as np

from falsework.geometry.shapes.convex_pieces import rough_pieces_of
from falsework.model.arrays import Array
from falsework.model.bits import bits
from falsework.model.part import Part
from falsework.robots.collision.bodies import Piece, bodies_of
from falsework.robots.collision.collisions import MARGIN_M, path_blockers
from falsework.robots.collision.surroundings import Surroundings
from falsework.robots.motions.actions import Action


class Lying(NamedTuple):
    """A part that lies somewhere until an action takes it, after one has put it down, or once a station shows it.

    A part that passes from hand to hand, or is joined to what another hand has, lies nowhere.
    """

    action: int
    change: Literal["takes", "puts", "shows", "passes", "joins"]
    part: str
    T_world_part: Array


class Obstructions:
    """Parts where they lie, and the actions that come too near to them there."""

    def __init__(self, actions: Listed[Action], places: Listed[Lying], parts: Mapping[str, Part]) -> None:
        self.actions = actions
        self.places = tuple(one for one in places if one.change not in ("passes", "joins"))
        pieces = [
            Piece(one.vertices @ T[:3, :3].T + T[:3, 3], 0.0, 0, number)
            for number, (_, _, name, T) in enumerate(self.places)
            for one in rough_pieces_of(parts[name].shape).all
        ]
        names = tuple(f"{one.part} {one.action}" for one in self.places)
        self._around = Surroundings(names, bodies_of(pieces), np.zeros(len(pieces), bool), len(names))
        self._masks: dict[int, int] = {}

    def met(self, k: int) -> int:
        """Bits of the places that action k comes too near to when a part lies there."""
        found = self._masks.get(k)
        if found is None:
            action = self.actions[k]
            own = {*action.carries, *action.takes}
            alone = not self.places or action.kind == "turn"  # a turntable turns while nothing else is done
            found = 0 if alone else path_blockers(action.bodies, action.timed.q, self._around, MARGIN_M)
            found &= ~sum(1 << number for number, one in enumerate(self.places) if one.part in own)
            self._masks[k] = found
        return found

    def before(self, k: int) -> list[tuple[int, bool]]:
        """Actions before k in order that bind it: it begins when one has ended; or, where False, only ends then."""
        action, found = self.actions[k], []
        for number in bits(self.met(k)):
            i, change, _, _ = self.places[number]
            if i < k and change == "takes" and self.actions[i].arm != action.arm:
                found.append((i, True))
        for number, (i, change, _, _) in enumerate(self.places):
            if i == k and change != "takes":
                others = [j for j in range(k) if self.actions[j].arm != action.arm and self.met(j) >> number & 1]
                found += [(j, change == "shows") for j in others]
        return found
