"""How bricks that are carried as one are put together before: on one of them that is held fast, by the same rules."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from falsework.model.plan import Subassembly
from falsework.planning.bricks.brickwork import Brickwork
from falsework.planning.nodes.apart import alone
from falsework.planning.nodes.moves import Node, bits
from falsework.planning.rules.groups import BuildApart


class BrickGroups:
    """Of one assembly; each group is found out once."""

    def __init__(self, work: Brickwork, build_apart: BuildApart) -> None:
        self._work, self._assembly, self._build_apart = work, work.assembly, build_apart
        self.built = cache(self._built)

    def give_up(self, groups: Iterable[int]) -> None:
        """Walks no longer move these."""
        self._work.unbuildable.update(groups)

    def _built(self, group: int) -> tuple[Subassembly, ...] | None:
        """The group, after groups of its own; None if no way was found."""
        names = self._assembly.named(group)
        for fast in self._lowest_first(group):
            parts = alone(self._assembly, names, fast)
            plan = self._build_apart(parts, Node((1 << len(parts.parts)) - 1))
            if plan is not None:
                return (*plan.apart, Subassembly(names, fast, plan.steps))
        return None

    def _lowest_first(self, group: int) -> list[str]:
        """What stands below is pressed onto from above, which is how one would do it."""
        bricks = [self._assembly.parts[number] for number in bits(group)]
        return [brick.name for brick in sorted(bricks, key=lambda brick: float(brick.com_world_m[2]))]
