"""What may mend a weak spot of bricks: one across two, a column below, a longer one in place of two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np

from falsework.laying.repairs.site import NOBODY, Placement, Site
from falsework.model.catalogue import BrickType

SIZES = ((2, 4), (2, 2), (2, 3), (1, 4), (1, 2), (2, 6), (1, 6), (2, 8), (1, 8), (1, 3), (1, 1))
COLUMNS = ((2, 2), (2, 4), (1, 2), (1, 1), (1, 4))
LENGTHS = {1: (1, 2, 3, 4, 6, 8, 10, 12, 16), 2: (2, 3, 4, 6, 8, 10)}  # that bricks of these widths have
DUPLO_SIZES = ((2, 4), (2, 2))
MOST_HIGH = 60  # plates of a column
EACH = 14  # proposals of one sort that are kept for each part


@dataclass(frozen=True, slots=True)
class Proposal:
    """Bricks to add and parts to take away, and what it is in words."""

    words: str
    added: tuple[Placement, ...]
    removed: frozenset[int] = frozenset()
    reach: float = 0.0  # the more the sooner it is tried, among those of one cost

    @property
    def cost(self) -> int:
        """Parts that somebody has to add."""
        return len(self.added)


def proposals(site: Site, weak: Iterable[int]) -> list[Proposal]:
    """Proposals about weak parts, cheap ones first, and of those the ones that take hold of most studs."""
    found: list[Proposal] = []
    for part in weak:
        if part not in set(site.lattice.bodies.tolist()) or part >= len(site.assembly.parts):
            continue
        for sort in (_across(site, part), _below(site, part), _longer(site, part)):
            ranked = sorted(sort, key=lambda one: (one.cost, -one.reach, one.words))
            found += list(islice(ranked, EACH))
    unique = {(one.added, one.removed): one for one in reversed(found)}
    return sorted(unique.values(), key=lambda one: (one.cost, -one.reach, one.words))


def _kinds(site: Site, sizes: Iterable[tuple[int, int]]) -> Iterator[BrickType]:
    """Bricks of these sizes, both ways round; of Duplo those that there are."""
    measures = site.lattice.measures
    known = DUPLO_SIZES if measures.name != "system" else tuple(sizes)
    for width, length in known:
        for pair in dict.fromkeys(((length, width), (width, length))):
            yield BrickType(measures.name, "brick", *pair, measures.plates_per_brick)


def _label(kind: BrickType) -> str:
    small, large = sorted((kind.length, kind.width))
    return f"{kind.family} {small}×{large}"


def _box(site: Site, part: int) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.int64]], ...]:
    cells = np.argwhere(site.owner == part)
    return cells.min(axis=0), cells.max(axis=0) + 1


def _across(site: Site, part: int) -> Iterator[Proposal]:
    """One brick on top of a part and others, or beneath it and others."""
    low, high = _box(site, part)
    for kind in _kinds(site, SIZES):
        for level, from_below in ((int(high[2]), False), (int(low[2]) - kind.plates, True)):
            for x in range(int(low[0]) - kind.length + 1, int(high[0])):
                for y in range(int(low[1]) - kind.width + 1, int(high[1])):
                    one = Placement(kind, x, y, level)
                    if not site.is_free(one):
                        continue
                    held = {**site.below(one), **site.above(one)}
                    others = {body: studs for body, studs in held.items() if body != part}
                    if part not in held or not others:
                        continue
                    names = " and ".join(_named(site, body) for body in (part, *sorted(others)[:2]))
                    where = "below" if from_below else "across"
                    reach = min(held[part], max(others.values())) + 0.1 * len(others)
                    yield Proposal(f"a {_label(kind)} {where} {names}", (one,), reach=reach)


def _below(site: Site, part: int) -> Iterator[Proposal]:
    """A column from the ground, or from what is below, up to the underside of a part."""
    low, high = _box(site, part)
    top = int(low[2])
    measures = site.lattice.measures
    carried = _carried(site, part)
    for kind in _kinds(site, COLUMNS):
        for x in range(int(low[0]) - kind.length + 1, int(high[0])):
            for y in range(int(low[1]) - kind.width + 1, int(high[1])):
                height = _fall(site, kind, x, y, top)
                if not 0 < height <= MOST_HIGH:
                    continue
                column = _column(kind, x, y, top - height, height, measures.plates_per_brick)
                foot = site.below(column[0])
                under = site.above(column[-1]).get(part, 0)
                if not foot or not under or part in foot:
                    continue
                middle = np.array([x + kind.length / 2, y + kind.width / 2])
                reach = under + float(np.linalg.norm(middle - carried))
                many = f"{len(column)} × {_label(kind)}" if len(column) > 1 else f"a {_label(kind)}"
                on = " and ".join(_named(site, body) for body in sorted(foot)[:2])
                yield Proposal(f"{many} below {_named(site, part)}, on {on}", column, reach=reach)


def _fall(site: Site, kind: BrickType, x: int, y: int, top: int) -> int:
    """How many plates are free below a level under a footprint."""
    if x < 0 or y < 0 or x + kind.length > site.owner.shape[0] or y + kind.width > site.owner.shape[1]:
        return 0
    full = (site.owner[x : x + kind.length, y : y + kind.width, :top] != NOBODY).any(axis=(0, 1))
    levels = np.flatnonzero(full)
    return top - (int(levels[-1]) + 1 if len(levels) else 0)


def _column(kind: BrickType, x: int, y: int, bottom: int, height: int, brick: int) -> tuple[Placement, ...]:
    plate = BrickType(kind.system, "plate", kind.length, kind.width, 1)
    stack = [kind] * (height // brick) + [plate] * (height % brick)
    levels = np.cumsum([bottom, *(one.plates for one in stack)])
    return tuple(Placement(one, x, y, int(level)) for one, level in zip(stack, levels[:-1], strict=True))


def _carried(site: Site, part: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Where a part is carried from below, in studs; its middle where it is not."""
    low, high = _box(site, part)
    window = np.zeros(site.owner.shape[:2], dtype=bool)
    if low[2] > 0:
        window[low[0] : high[0], low[1] : high[1]] = site.studs[low[0] : high[0], low[1] : high[1], low[2] - 1]
    cells = np.argwhere(window)
    middle: np.ndarray[tuple[int, ...], np.dtype[np.float64]]
    middle = cells.mean(axis=0) + 0.5 if len(cells) else (low[:2] + high[:2]) / 2
    return middle


def _longer(site: Site, part: int) -> Iterator[Proposal]:
    """One brick in place of a part and the one that continues it."""
    low, high = _box(site, part)
    measures = site.lattice.measures
    for other in sorted(
        {
            *np.unique(
                site.owner[tuple(slice(a - 1 if a else 0, b + 1) for a, b in zip(low, high, strict=True))]
            ).tolist()
        }
        - {NOBODY, part}
    ):
        if other >= len(site.assembly.parts):
            continue
        first, last = _box(site, other)
        both_low, both_high = np.minimum(low, first), np.maximum(high, last)
        sides = both_high - both_low
        full = (high - low).prod() + (last - first).prod() == sides.prod()
        plain = sides[2] == high[2] - low[2] == last[2] - first[2] and sides[2] in (1, measures.plates_per_brick)
        short, long = sorted(sides[:2].tolist())
        if not (full and plain) or long not in LENGTHS.get(short, ()) or measures.name != "system":
            continue
        family = "plate" if sides[2] == 1 else "brick"
        kind = BrickType(measures.name, family, int(sides[0]), int(sides[1]), int(sides[2]))  # type: ignore[arg-type]
        one = Placement(kind, *map(int, both_low))
        words = f"a {_label(kind)} in place of {_named(site, part)} and {_named(site, other)}"
        yield Proposal(words, (one,), frozenset([part, other]), reach=float(min(sides[:2])))


def _named(site: Site, body: int) -> str:
    return "the ground" if body == len(site.assembly.parts) else site.assembly.parts[body].name
