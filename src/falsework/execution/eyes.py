"""Eyes of a controller: the locator for what lies loose, and a comparison of the structure with what it should be."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from falsework.execution.control.sight import Inspected
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.catalogue import BrickType
from falsework.model.errors import BadInput
from falsework.model.perception.findings import Brick, Held, Plate, Sight, Workplace
from falsework.model.perception.frames import Frame
from falsework.model.robots.cell import Cell
from falsework.model.shapes import BrickShape
from falsework.perception.locator.holding import in_hand
from falsework.perception.locator.labels import Labels
from falsework.perception.locator.locating import locate, prepared
from falsework.perception.locator.structures import check_structure
from falsework.perception.locator.toppled import toppled


class BrickEyes:
    """Knows what bricks there may be, and what they lie on; sees only frames."""

    def __init__(self, cell: Cell, product: Assembly) -> None:
        self._table_m = None if cell.table is None else cell.table.top_m[2]
        self._product, self._ground = product, product.ground_part
        self._places: dict[bytes, Workplace] = {}
        kinds = {str(_kind(part.shape)): _kind(part.shape) for part in product.parts}
        self.kinds = tuple(kinds.values())
        self.colors = tuple(sorted({part.color or "white" for part in product.parts}))

    def _place(self, T_world_structure: Array) -> Workplace:
        """What bricks lie on; the same for the same place of the plate, so that what was made of a frame is kept."""
        key = T_world_structure.tobytes()
        if key not in self._places:
            plates: tuple[Plate, ...] = ()
            if self._ground is not None and isinstance(self._ground.shape, BrickShape):
                pose = T_world_structure @ self._ground.T_world_part
                plates = (Plate(self._ground.shape.kind, pose, self._ground.color),)
            self._places[key] = Workplace(self._table_m, plates)
        return self._places[key]

    def loose(
        self, frames: Sequence[Frame], product: Assembly, T_world_structure: Array, standing: Collection[str]
    ) -> Sight:
        """All bricks that are seen, beside those that stand."""
        known = [brick for _, brick in _bricks(product, T_world_structure, standing)]
        return locate(frames, self._place(T_world_structure), self.kinds, self.colors, standing=known)

    def structure(
        self, frames: Sequence[Frame], product: Assembly, T_world_structure: Array, expected: Collection[str]
    ) -> dict[str, Inspected]:
        """How those stand that should be there."""
        bricks = _bricks(product, T_world_structure, expected)
        seen = check_structure(frames, self._place(T_world_structure), bricks, self.kinds, self.colors, lift_m=None)
        return {
            one.name: Inspected(
                one.state,
                float(np.linalg.norm(one.offset_m[:2])),
                float(one.offset_m[2]),
                one.why,
                one.instead,
            )
            for one in seen.bricks
        }

    def toppled(
        self,
        frames: Sequence[Frame],
        sought: Brick,
        T_world_structure: Array,
        standing: Collection[str],
        loose: Sequence[Brick],
    ) -> Brick | None:
        """By its outline; see `perception/locator/toppled.py`."""
        place, labels = self._place(T_world_structure), Labels.of(self.colors)
        known = [brick for _, brick in _bricks(self._product, T_world_structure, standing)]
        views = prepared(frames, place, self.kinds, labels)
        return toppled(views, place, labels, sought, [*known, *loose])

    def held(self, frame: Frame, expected: Brick) -> Array | None:
        """By the mounting as it is said to be: against the plate, tilts would turn into shifts."""
        found = in_hand(frame, expected)
        return found.middle_m - expected.middle_m if isinstance(found, Held) else None


def _bricks(product: Assembly, T_world_structure: Array, names: Collection[str]) -> list[tuple[str, Brick]]:
    """Bricks of a product where they belong, by name."""
    parts = [product.parts[product.index[name]] for name in sorted(names)]
    return [
        (one.name, Brick(_kind(one.shape), one.color or "white", T_world_structure @ one.T_world_part)) for one in parts
    ]


def _kind(shape: object) -> BrickType:
    if not isinstance(shape, BrickShape):
        raise BadInput("a build needs bricks of the catalogue; this product has other parts")
    return shape.kind
