"""How a brick may be the first of a core to leave: all the states from which it might, as a few cases.

Let K be a core, and p the first of its bricks to leave, from a state between K and the whole. What then hangs from p
leaves with it, as a group that p carries; the rest stays, and is joined to the ground without it. So of the others

    a brick of K     stays, or leaves with p
    one that stays   touches nothing of the group but p
    one that leaves  is joined to the group, and to nothing that stays

Bricks around the group are decided one by one, until it is known what leaves and what p is pressed onto. A case is
ruled out where what surely stays bars every way of the group, or every grasp of a brick that carries the others. All
else that may stay or be gone is left open: between the least and the most that stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from falsework.model.ports import RemovalOracle
from falsework.planning.bricks.brickwork import MOST_CARRIED, Brickwork
from falsework.planning.nodes.moves import bits


class TooManyCases(Exception):
    """It would take too many cases to go through all the ways in which a brick may leave."""


@dataclass(slots=True)
class Patience:
    """How many more cases may be told apart, and how many more may be split to look at their states."""

    cases: int
    splits: int


@dataclass(frozen=True, slots=True)
class Leaving:
    """A brick leaves with its group (itself included); what stays is between the least and the most."""

    part: int
    group: int
    least: int
    most: int

    def split(self, brick: int) -> tuple[Leaving, Leaving]:
        """With a brick that may stay or be gone, and without it."""
        return replace(self, least=self.least | 1 << brick), replace(self, most=self.most & ~(1 << brick))


class Leavings:
    """The cases for the bricks of one core in a larger whole; masks over the assembly's bodies."""

    def __init__(self, work: Brickwork, removals: RemovalOracle | None, core: int, whole: int) -> None:
        self._work, self._core, self._whole = work, core, whole
        self._removals = removals if removals is not None and removals.certain else None

    def of(self, part: int, stays: int, patience: Patience) -> Iterator[Leaving]:
        """All cases in which it leaves, where `stays` is known to stay."""
        brick = 1 << part
        for leaving in self._decided(Leaving(part, brick, stays, self._whole & ~brick), 0, patience):
            for barring in self._openings(leaving):
                opened = standing(self._work, replace(leaving, most=leaving.most & ~barring))
                if opened is not None:
                    yield opened

    def _decided(self, leaving: Leaving, gone: int, patience: Patience) -> Iterator[Leaving]:
        """With everything around the group decided: it stays, it leaves too, or it is gone."""
        near = standing(self._work, leaving)
        if near is None or not self._has_way(near.part, near.least):
            return
        unsure = self._around(near.group) & ~near.least & ~gone
        if not unsure:
            yield near
            return
        patience.cases -= 1
        if patience.cases < 0:
            raise TooManyCases
        brick = unsure & -unsure
        other = brick.bit_length() - 1
        rest = near.most & ~brick
        if brick & near.most and self._work.joined(other) & near.group == 1 << near.part:
            yield from self._decided(replace(near, least=near.least | brick), gone, patience)
        if not self._work.joined(other) & near.least and near.group.bit_count() < MOST_CARRIED:
            yield from self._decided(replace(near, group=near.group | brick, most=rest), gone, patience)
        if not brick & self._core:
            yield from self._decided(replace(near, most=rest), gone | brick, patience)

    def _around(self, group: int) -> int:
        joined = 0
        for brick in bits(group):
            joined |= self._work.joined(brick)
        return joined & self._whole & ~group

    def _has_way(self, part: int, stays: int) -> bool:
        """Whether any of its ways is clear of what stays."""
        return self._removals is None or any(not way & stays for way in self._removals.blockers(1 << part))

    def _openings(self, leaving: Leaving) -> list[int]:
        """Least sets of what may stay, one of which must be gone for the group to have a way and a grasp."""
        ways = (0,) if self._removals is None else self._removals.blockers(leaving.group)
        clear = [way for way in ways if not way & leaving.least]
        grasps = [mask for brick in bits(leaving.group) for mask in self._grasps(brick, leaving)] if clear else []
        both = {(way | grasp) & leaving.most for way in clear for grasp in grasps}
        return [mask for mask in both if not any(other != mask and not other & ~mask for other in both)]

    def _grasps(self, brick: int, leaving: Leaving) -> list[int]:
        """For every grasp of a brick of the group, unless the group or what stays bars it: what may bar it."""
        masks = [0] if self._work.grasping == "none" else self._work.barring(brick, leaving.least, leaving.group)
        return [mask for mask in masks if not mask & (leaving.group | leaving.least)]

    def is_dropped(self, leaving: Leaving) -> bool:
        """Whether it is proved that no brick that a hand can take carries the others."""
        taken = (brick for brick in bits(leaving.group) if self._grasps(brick, leaving))
        return all(self._work.drops(brick, leaving.group) for brick in taken)


def standing(work: Brickwork, leaving: Leaving) -> Leaving | None:
    """Without what would hang in the air if it stayed; None where that has to stay."""
    hanging = work.hanging(leaving.most, 0)
    return None if hanging & leaving.least else replace(leaving, most=leaving.most & ~hanging)
