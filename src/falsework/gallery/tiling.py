"""Fills cells with bricks of the catalogue, layer by layer: large bricks that cross the seams of their neighbours."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from falsework.gallery.bond import EMPTY, Bond, Brick
from falsework.model.arrays import Bools, Ints
from falsework.model.catalogue import systems

LOOSE = 100.0  # what it costs to lay a brick that nothing can hold
CROSSING = 12.0  # what it is worth to join two groups of bricks
HANGING = 3.0  # what a cell with nothing above or below is worth, against one that others could hang on


@dataclass(frozen=True, slots=True)
class Taste:
    """What makes a brick welcome: its studs, what it clutches, its length; and a measure of chance.

    `direction`: along x in even layers and along y in odd ones. `length`: whichever way it lies.
    """

    stud: float = 1.0
    joint: float = 3.0
    direction: float = 1.0
    length: float = 0.0
    chance: float = 2.0


BONDED = Taste()
PLAIN = Taste(joint=0.0, direction=0.0, chance=6.0)  # large bricks at random, whatever lies below


@cache
def sizes(system: str = "system") -> tuple[tuple[int, int], ...]:
    """Length along x and width along y of the bricks to lay: those that were weighed, both ways round."""
    weighed = {sides for sides, _ in systems()[system].brick_mass_g}
    return tuple(sorted(weighed | {(width, length) for length, width in weighed}))


def laid(cells: Bools, rng: np.random.Generator, taste: Taste = BONDED) -> Bond:
    """A bond of the cells (nx, ny, nz)."""
    return _filled(cells, [], np.full(cells.shape, EMPTY), rng, taste)


def relaid(
    bond: Bond, numbers: Sequence[int], rng: np.random.Generator, taste: Taste = BONDED, groups: Ints | None = None
) -> Bond:
    """The bond with some bricks taken out and their cells filled anew.

    `groups` (bricks,): a brick that joins two of these is worth far more.
    """
    kept, owner = bond.without(numbers)
    chosen = np.isin(bond.owner, list(numbers))
    names = None
    if groups is not None:
        gone = set(numbers)
        names = [int(group) for number, group in enumerate(groups) if number not in gone]
    return _filled(chosen, kept, owner, rng, taste, names)


def _filled(
    cells: Bools,
    bricks: list[Brick],
    owner: Ints,
    rng: np.random.Generator,
    taste: Taste,
    names: list[int] | None = None,
) -> Bond:
    occupied = cells | (owner >= 0)
    for layer in np.flatnonzero(cells.any(axis=(0, 1))).tolist():
        task = _Layer(cells[:, :, layer], owner, occupied, layer, rng, taste, names)
        for brick in task.bricks():
            owner[brick.cells] = len(bricks)
            bricks.append(brick)
            if names is not None:
                names.append(-len(bricks))  # a group of its own
    return Bond(tuple(bricks), owner)


class _Layer:
    """One layer to fill. Cells that nothing is above or below come first: a brick must hold them sideways."""

    def __init__(
        self,
        cells: Bools,
        owner: Ints,
        occupied: Bools,
        layer: int,
        rng: np.random.Generator,
        taste: Taste,
        names: list[int] | None,
    ) -> None:
        self.layer, self.rng, self.taste, self.names = layer, rng, taste, names
        self.free = cells.copy()
        none = np.full(cells.shape, EMPTY)
        self.below = owner[:, :, layer - 1] if layer else none
        self.above = owner[:, :, layer + 1] if layer + 1 < owner.shape[2] else none
        beneath = occupied[:, :, layer - 1] if layer else np.ones_like(cells)
        over = occupied[:, :, layer + 1] if layer + 1 < owner.shape[2] else np.zeros_like(cells)
        self.held = beneath | over
        self.along_x = layer % 2 == 0

    def bricks(self) -> Iterator[Brick]:
        """The bricks that fill the layer, one after the other."""
        hanging = np.argwhere(self.free & ~self.held)
        self.rng.shuffle(hanging)
        for x, y in hanging.tolist():
            if self.free[x, y]:
                yield self._lay(self._over(x, y), self._worth_hanging)
        for x, y in self._scan():
            if self.free[x, y]:
                yield self._lay(self._over(x, y), self._worth)

    def _scan(self) -> list[tuple[int, int]]:
        """The free cells in rows along the layer's direction, from a side that chance picks."""
        order = np.argwhere(self.free)
        signs = self.rng.choice([-1, 1], size=2)
        keys = (order[:, 0] * signs[0], order[:, 1] * signs[1])
        chosen = order[np.lexsort(keys if self.along_x else keys[::-1])]
        return [(x, y) for x, y in chosen.tolist()]

    def _over(self, x: int, y: int) -> list[Brick]:
        """Every brick of the catalogue that covers a cell and only free cells."""
        rows, columns = self.free.shape
        return [
            Brick(left, front, self.layer, length, width)
            for length, width in sizes()
            for left in range(max(0, x - length + 1), min(x, rows - length) + 1)
            for front in range(max(0, y - width + 1), min(y, columns - width) + 1)
            if self.free[left : left + length, front : front + width].all()
        ]

    def _lay(self, candidates: list[Brick], worth: Callable[[Brick], float]) -> Brick:
        chances = self.rng.random(len(candidates)) * self.taste.chance
        scores = [worth(brick) + chance for brick, chance in zip(candidates, chances.tolist(), strict=True)]
        chosen = candidates[int(np.argmax(scores))]
        self.free[chosen.cells[:2]] = False
        return chosen

    def _worth(self, brick: Brick) -> float:
        window = brick.cells[:2]
        taste = self.taste
        worth = taste.stud * brick.length * brick.width
        worth += taste.direction * (brick.length - brick.width) * (1 if self.along_x else -1) / 2
        worth += taste.length * max(brick.length, brick.width)
        if taste.joint:
            worth += taste.joint * (_spread(self.below[window]) + _spread(self.above[window]))
        if self.names is not None:
            worth += CROSSING * (len(self._groups(self.below[window]) | self._groups(self.above[window])) - 1)
        return worth if self.held[window].any() else worth - LOOSE

    def _worth_hanging(self, brick: Brick) -> float:
        """Of a brick that holds hanging cells: many of them, by few cells that others may need to hang on."""
        held = int(self.held[brick.cells[:2]].sum())
        hanging = brick.length * brick.width - held
        return HANGING * hanging - held if held else hanging - LOOSE

    def _groups(self, numbers: Ints) -> set[int]:
        """The groups of the bricks in a window."""
        assert self.names is not None, "only asked where bricks are in groups"
        return {self.names[number] for number in numbers.ravel().tolist() if number != EMPTY}


def _spread(numbers: Ints) -> float:
    """How well a window is spread over bricks: Σ √studs, most where many share it evenly."""
    studs = Counter(numbers.ravel().tolist())
    studs.pop(EMPTY, None)
    return sum(map(math.sqrt, studs.values()))
