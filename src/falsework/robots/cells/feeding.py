"""Where parts wait: on trays side by side, or at stations one at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from falsework.geometry.shapes.studs import reach_in_world
from falsework.geometry.stable_poses import stable_poses
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.errors import BadInput, shown
from falsework.model.figures import count
from falsework.model.part import Part
from falsework.model.poses import inverse
from falsework.model.robots.cell import Cell, Feeder

ROUNDING_M = 1e-9  # by which a part may be too wide for a tray


@dataclass(frozen=True, eq=False)
class Waiting:
    """One place where a part can be taken up."""

    feeder: str
    T_world_part: Array  # (4, 4)


def waiting_places(cell: Cell, assembly: Assembly) -> dict[str, tuple[Waiting, ...]]:
    """For every part that is not fixed, where it waits: one place on a tray, or one at each station that may show it.

    A part that no feeder names may come from any that names none; trays are filled in order. BadInput where a tray has
    no room left, or a feeder names a part that is not there.

    >>> import falsework
    >>> bridge = falsework.load("examples/bridge.txt")
    >>> waiting_places(falsework.new_cell("two-panda"), bridge)["1"][0].feeder
    'feeder-1'
    """
    trays = [_Tray(feeder) for feeder in cell.feeders]
    named = {name: tray for tray in trays for name in tray.feeder.parts}
    assembly.mask(named)  # refuses names that are not there
    places: dict[str, tuple[Waiting, ...]] = {}
    for number, part in enumerate(assembly.parts):
        if part.name in assembly.fixed:
            continue
        free = [tray for tray in trays if not tray.feeder.parts]
        choice = [named[part.name]] if part.name in named else free
        if not choice:
            raise BadInput(f"no feeder brings part {shown(part.name)}; name it in one, or let one name none")
        stations = [tray for tray in choice if tray.feeder.kind == "station"]
        laid = [Waiting(tray.feeder.name, tray.shown(cell, assembly, number)) for tray in stations]
        if not laid:
            laid = [_laid(choice, cell, assembly, number)]
        places[part.name] = tuple(laid)
    return places


def _laid(trays: list[_Tray], cell: Cell, assembly: Assembly, number: int) -> Waiting:
    for tray in trays:
        T = tray.laid(cell, assembly, number)
        if T is not None:
            return Waiting(tray.feeder.name, T)
    last, part = trays[-1], assembly.parts[number]
    x, y = last.feeder.size_m
    raise BadInput(
        f"feeder {shown(last.feeder.name)}: no room for part {shown(part.name)} after {count(last.count, 'other')} on "
        f"{x:.3g} × {y:.3g} m; make it larger, or a station"
    )


@lru_cache(maxsize=4096)
def _corners(part: Part) -> Array:
    """(k, 3) of a part, in its own frame: asked for in every layout."""
    own = inverse(part.T_world_part)
    points: Array = reach_in_world(part) @ own[:3, :3].T + own[:3, 3]
    return points


class _Tray:
    """A feeder as it is filled, row after row along its x."""

    def __init__(self, feeder: Feeder) -> None:
        self.feeder = feeder
        self.count = 0
        self._x = self._row_y = self._row_height = 0.0

    def shown(self, cell: Cell, assembly: Assembly, number: int) -> Array:
        """In its middle."""
        turn, low, high = self._lying(cell, assembly, number)
        return self._at(turn, low, -0.5 * (high - low)[:2])

    def laid(self, cell: Cell, assembly: Assembly, number: int) -> Array | None:
        """Beside those before; None where there is no room."""
        turn, low, high = self._lying(cell, assembly, number)
        width, height = (high - low)[:2]
        across, down = self.feeder.size_m
        if self._x > 0 and self._x + width > across + ROUNDING_M:
            self._x, self._row_y = 0.0, self._row_y + self._row_height + self.feeder.gap_m
            self._row_height = 0.0
        if width > across + ROUNDING_M or self._row_y + height > down + ROUNDING_M:
            return None
        corner = np.array([self._x - across / 2, self._row_y - down / 2])
        self._x += width + self.feeder.gap_m
        self._row_height = max(self._row_height, float(height))
        self.count += 1
        return self._at(turn, low, corner)

    def _lying(self, cell: Cell, assembly: Assembly, number: int) -> tuple[Array, Array, Array]:
        """How a part lies, (4, 4) in the feeder's axes, and the lowest and highest corner of its box there."""
        part = assembly.parts[number]
        if self.feeder.lie == "stable":
            turn = stable_poses(assembly, 1 << number, keep=1)[0].T_world_assembly @ part.T_world_part
        else:
            turn = np.eye(4)
            upright = cell.T_world_structure @ part.T_world_part
            turn[:3, :3] = inverse(self.feeder.T_world_feeder)[:3, :3] @ upright[:3, :3]
        placed = _corners(part) @ turn[:3, :3].T + turn[:3, 3]
        return turn, placed.min(axis=0), placed.max(axis=0)

    def _at(self, turn: Array, low: Array, corner: Array) -> Array:
        """In the world, its box's corner at a place of the feeder, on the face."""
        T = turn.copy()
        T[:3, 3] += np.array([corner[0], corner[1], 0.0]) - low
        placed: Array = self.feeder.T_world_feeder @ T
        return placed
