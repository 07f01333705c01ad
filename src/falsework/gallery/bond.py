"""A bond: which brick fills which cells of a grid of studs and layers, and what is joined to what."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.ndimage import binary_dilation

from falsework.gallery.bricklaying import Layout
from falsework.geometry.shapes.linking import components_of
from falsework.model.arrays import Bools, Ints
from falsework.model.assembly import Assembly

EMPTY = -1
SHOWN = 6  # bricks named in a message
BESIDE = np.array([[[0], [1], [0]], [[1], [1], [1]], [[0], [1], [0]]], dtype=bool)  # neighbours in the same layer
AROUND = np.zeros((3, 3, 3), dtype=bool)  # … and above and below
AROUND[1, 1, :] = AROUND[1, :, 1] = AROUND[:, 1, 1] = True


class Brick(NamedTuple):
    """`length` studs along x and `width` along y, the minimum corner at studs x, y, in a layer."""

    x: int
    y: int
    layer: int
    length: int
    width: int

    @property
    def cells(self) -> tuple[slice, slice, int]:
        return slice(self.x, self.x + self.length), slice(self.y, self.y + self.width), self.layer


@dataclass(frozen=True, slots=True, eq=False)
class Bond:
    """Bricks, and the number of the brick in each cell (nx, ny, nz), −1 where there is none."""

    bricks: tuple[Brick, ...]
    owner: Ints

    def joints(self) -> Ints:
        """(k, 2) the lower and the upper brick of every clutch; the ground has the number after the last brick."""
        lower, upper = self.owner[:, :, :-1].ravel(), self.owner[:, :, 1:].ravel()
        both = (lower >= 0) & (upper >= 0)
        pairs = np.unique(np.column_stack([lower[both], upper[both]]), axis=0)
        standing = np.unique(self.owner[:, :, 0])
        standing = standing[standing >= 0]
        return np.concatenate([np.column_stack([np.full_like(standing, len(self.bricks)), standing]), pairs])

    def components(self) -> Ints:
        """(bricks,) what hangs together by clutches: 0 with the ground, 1, 2, … what is loose."""
        count = len(self.bricks) + 1
        pairs = self.joints()
        labels = components_of(count, *pairs.T)
        order = {int(labels[-1]): 0}
        for label in labels.tolist():
            order.setdefault(label, len(order))
        return np.array([order[label] for label in labels[:-1].tolist()], dtype=np.int64)

    def around(self, numbers: Iterable[int], radius: int, *, layers: bool = True) -> list[int]:
        """These bricks and their neighbours, `radius` steps far; above and below too if `layers`."""
        chosen: Bools = np.isin(self.owner, list(numbers))
        for _ in range(radius):
            grown = binary_dilation(chosen, AROUND if layers else BESIDE) & (self.owner >= 0)
            chosen = np.isin(self.owner, np.unique(self.owner[grown]))
        return [int(number) for number in np.unique(self.owner[chosen])]

    def without(self, numbers: Iterable[int]) -> tuple[list[Brick], Ints]:
        """The other bricks, renumbered, and their cells."""
        gone = set(numbers)
        kept = [brick for number, brick in enumerate(self.bricks) if number not in gone]
        owner = np.full_like(self.owner, EMPTY)
        for number, brick in enumerate(kept):
            owner[brick.cells] = number
        return kept, owner

    def assembly(self) -> Assembly:
        """The bricks on a baseplate, named by running numbers."""
        layout = Layout()
        for brick in self.bricks:
            layout.brick(brick.length, brick.width, brick.x, brick.y, brick.layer)
        return layout.on_baseplate()

    def brick_names(self, numbers: Iterable[int]) -> str:
        """`bricks 3, 7, 9 in layers 2 to 4`, as `assembly` names them."""
        chosen = [int(number) for number in numbers]
        layers = sorted({self.bricks[number].layer for number in chosen})
        where = f"layer {layers[0]}" if len(layers) == 1 else f"layers {layers[0]} to {layers[-1]}"
        names = ", ".join(str(number + 1) for number in chosen[:SHOWN]) + (", …" if len(chosen) > SHOWN else "")
        return f"{'brick' if len(chosen) == 1 else 'bricks'} {names} in {where}"

    def sorted(self) -> Bond:
        """The same bricks from the lowest layer up."""
        bricks = sorted(self.bricks, key=lambda brick: (brick.layer, brick.x, brick.y))
        owner = np.full_like(self.owner, EMPTY)
        for number, brick in enumerate(bricks):
            owner[brick.cells] = number
        return Bond(tuple(bricks), owner)
