"""Bricks that stand rightly and are in the way: taken off again, where no order leads on from what stands.

Somebody takes a brick away, and what was laid beside its place leaves no room for fingers to lay it again. Planning
proves that nothing can be added until something comes off.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import replace
from itertools import islice

from falsework.execution.control.piecing import Piecing
from falsework.execution.control.spots import spots
from falsework.model.perception.findings import Located
from falsework.model.shapes import BrickShape

MOST = 3  # bricks that are taken off for one plan
SPOTS = 40  # on the trays that are tried


class TakingOff(Piecing):
    """A hand that pulls off what was laid, and puts it on a tray."""

    def to_take_off(self, goes_on: Callable[[frozenset[str]], bool]) -> list[str]:
        """As few bricks as possible, each on top when its turn comes, without which the rest `goes_on`; or none."""
        waiting = deque([(self.belief.placed, list[str]())])
        seen = {self.belief.placed}
        while waiting:
            placed, off = waiting.popleft()
            for name in replace(self.belief, placed=placed).on_top():
                left = placed - {name}
                if left in seen:
                    continue
                seen.add(left)
                if goes_on(left):
                    return [*off, name]
                if len(off) + 1 < MOST:
                    waiting.append((left, [*off, name]))
        return []

    def take_off(self, name: str) -> bool:
        """From the structure to a tray; whether it is gone, by what is seen afterwards."""
        shape = self.belief.part(name).shape
        if not isinstance(shape, BrickShape):
            return False
        seen = Located(shape.kind, self.belief.part(name).color or "white", self.belief.goal(name))
        without = replace(self.belief, placed=self.belief.placed - {name}, loose=(*self.belief.loose, seen))
        for arm in self._ways:
            self.use(arm)
            for T_spot in islice(spots(self.facade.cell.feeders, seen, self.belief.rooms), SPOTS):
                for errand in self.ways.puts(without, name, seen, T_spot, self._now, self.settings):
                    self.tell("take off", brick=name, place_m=errand.T_world_laid[:3, 3])
                    self._relay(errand, seen, pulls=True)
                    self._see()  # it lies on a tray now, where the next must not be put
                    self.look_after(self.belief.placed)
                    return name not in self.belief.placed
        return False
