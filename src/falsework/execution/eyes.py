"""Eyes of a controller: the locator for what lies loose, and a comparison of the structure with what it should be."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from falsework.execution.control.sight import Inspected
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.catalogue import BrickType
from falsework.model.errors import BadInput
from falsework.model.perception.findings import Brick, Plate, Sight, Workplace
from falsework.model.perception.frames import Frame
from falsework.model.robots.cell import Cell
from falsework.model.shapes import BrickShape
from falsework.perception.locator.locating import locate
from falsework.perception.locator.structures import check_structure


class BrickEyes:
    """Knows what bricks there may be, and what they lie on; sees only frames."""

    def __init__(self, cell: Cell, product: Assembly) -> None:
        ground = product.ground_part
        plates: tuple[Plate, ...] = ()
        if ground is not None and isinstance(ground.shape, BrickShape):
            plates = (Plate(ground.shape.kind, cell.T_world_structure @ ground.T_world_part, ground.color),)
        self.place = Workplace(None if cell.table is None else cell.table.top_m[2], plates)
        kinds = {str(_kind(part.shape)): _kind(part.shape) for part in product.parts}
        self.kinds = tuple(kinds.values())
        self.colors = tuple(sorted({part.color or "white" for part in product.parts}))

    def loose(self, frames: Sequence[Frame]) -> Sight:
        """All bricks that are seen."""
        return locate(frames, self.place, self.kinds, self.colors)

    def structure(
        self, frames: Sequence[Frame], product: Assembly, T_world_structure: Array, expected: Collection[str]
    ) -> dict[str, Inspected]:
        """How those stand that should be there."""
        bricks = []
        for name in sorted(expected):
            part = product.parts[product.index[name]]
            pose = T_world_structure @ part.T_world_part
            bricks.append((name, Brick(_kind(part.shape), part.color or "white", pose)))
        seen = check_structure(frames, self.place, bricks, self.kinds, self.colors, lift_m=None)
        return {
            one.name: Inspected(
                "off" if one.state == "wrong" else one.state,
                float(np.linalg.norm(one.offset_m[:2])),
                float(one.offset_m[2]),
                one.why,
            )
            for one in seen.bricks
        }


def _kind(shape: object) -> BrickType:
    if not isinstance(shape, BrickShape):
        raise BadInput("a build needs bricks of the catalogue; this product has other parts")
    return shape.kind
