"""How a brick that is partly hidden may make room for another: as a shorter one, or farther under what hides it.

Only what is seen of it must still be filled. So a brick of one colour may go on into the room of another, out of sight.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from falsework.model.catalogue import BrickType
from falsework.perception.scenes.layouts import clash
from falsework.perception.scenes.packings import Cells, merges, placements
from falsework.perception.scenes.scene import SceneBrick

SeenCells = Mapping[tuple[int, int], int]  # pixels that show the upper side of each cell of a brick, on its own grid


def ways_to_make_room(
    displaced: Sequence[tuple[SceneBrick, SeenCells]],
    standing: Sequence[SceneBrick],
    kinds: Sequence[BrickType],
    fewest: int,
) -> Iterator[tuple[SceneBrick, ...]]:
    """What may lie in the place of displaced bricks, one for each, clear of those that stand and of each other."""
    if not displaced:
        yield ()
        return
    (brick, seen), *rest = displaced
    for instead in _instead_of(brick, seen, kinds, fewest):
        if not any(clash(instead, one) for one in standing) and not merges(instead, standing, kinds):
            for others in ways_to_make_room(rest, [*standing, instead], kinds, fewest):
                yield (instead, *others)


def _instead_of(brick: SceneBrick, seen: SeenCells, kinds: Sequence[BrickType], fewest: int) -> Iterator[SceneBrick]:
    """Bricks of its colour and height, on its grid, that fill the cells of it that `fewest` pixels or more show."""
    needed: Cells = frozenset(cell for cell, pixels in seen.items() if pixels >= fewest)
    alike = [kind for kind in kinds if (kind.plates, kind.system) == (brick.kind.plates, brick.kind.system)]
    own = frozenset(seen)
    for placed in placements(alike, brick.T_base_brick, needed or own):
        if needed <= placed.cells and placed.cells != own:
            yield SceneBrick(f"{brick.name} instead", placed.kind, brick.color, placed.T_base_brick)
