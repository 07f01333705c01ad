"""Presses judged as seed 004 does, by the support polygon alone: for the ablation that asks what forces are worth."""

from __future__ import annotations

from falsework.model.assembly import Assembly
from falsework.model.placement import Objection, Placement
from falsework.planning.nodes.moves import bits
from falsework.planning.rules.support_polygon import PolygonPressCheck


class PolygonPress:
    """A `PlacementCheck`: the middle of the brick is above the hull of what stands on the plate.

    >>> import falsework
    >>> PolygonPress(falsework.new("duplo-stack")).name
    'polygon'
    """

    name, certain, minds_hands = "polygon", True, False

    def __init__(self, assembly: Assembly) -> None:
        self._check = PolygonPressCheck(assembly)

    def objection(self, placement: Placement) -> Objection | None:
        there = placement.before.installed | placement.parts
        bad = [part for part in bits(placement.parts) if not self._check.bears(part, there)]
        return Objection("the press is outside the support polygon", 1 << bad[0]) if bad else None
