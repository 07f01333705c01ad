"""Seeded CAD assemblies: modules on a plate, decks on posts with more of them, and a cover on top.

What stands on a deck must leave before the deck can, the deck before what is below it, and screws before the cover:
the more parts, the fewer orders there are. Parts are told in random order, so that their numbers give nothing away.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from falsework.gallery.cad.assembling import on_table, part
from falsework.gallery.cad.declared import Declared, Leaving, Made, Motion
from falsework.gallery.cad.fasteners import cap_screw
from falsework.gallery.cad.modules import BELOW, CELL, MM, PLATE, UP, Draw, Module, ModuleKind, Way
from falsework.gallery.cad.sideways_modules import SIDEWAYS
from falsework.gallery.cad.threads import SIZES
from falsework.gallery.cad.upright_modules import UPRIGHT
from falsework.gallery.cad.workpieces import (
    Solid,
    ball,
    cuboid,
    cut,
    cylinder,
    shifted,
    united,
    upside_down,
)
from falsework.model.errors import BadInput

FEWEST, MOST = 3, 50
MARGIN = 12 * MM  # of a plate around its cells, where posts stand
HEADROOM = 4 * MM  # between what stands on a plate and the next one
COLUMNS = 3
DECK, COVER = 5, 9  # parts: a plate and its posts, and for a cover its screws
FACETS = (12, 16, 20, 24)


@dataclass(slots=True)
class Level:
    """A plate with modules on it; above the lowest, on four posts."""

    name: str
    modules: list[tuple[ModuleKind, int]] = field(default_factory=list)
    cover: bool = False


@dataclass(slots=True)
class Plate:
    """A plate that is still being worked on: what is cut out of it and set onto it, in the world."""

    name: str
    body: Solid
    top: float
    tools: list[Solid] = field(default_factory=list)
    bosses: list[Solid] = field(default_factory=list)
    high: float = 0.0  # of what stands on it


@dataclass(slots=True)
class Yard:
    """What has been built so far, on a grid of so many cells."""

    draw: Draw
    columns: int
    rows: int
    pieces: dict[str, tuple[Solid, bool]] = field(default_factory=dict)
    plates: list[Plate] = field(default_factory=list)
    leaving: list[list[tuple[str, Way]]] = field(default_factory=list)  # by level, lowest first
    fasteners: set[str] = field(default_factory=set)
    hands: int = 1
    modules: int = 0

    @property
    def size(self) -> tuple[float, float]:
        return self.columns * CELL + 2 * MARGIN, self.rows * CELL + 2 * MARGIN

    @property
    def corners(self) -> list[tuple[float, float]]:
        (wide, deep), in_ = self.size, MARGIN / 2
        return [(x, y) for x in (in_, wide - in_) for y in (in_, deep - in_)]


def cad_assembly(rng: np.random.Generator, parts: int, facets: int = 0, locked: int = 0) -> Made:
    """An assembly of so many parts on a table; `facets` 0: drawn too. `locked`: a ball is caught in the base for good.

    >>> made = cad_assembly(np.random.default_rng(0), 12)
    >>> len(made.assembly.parts), len(made.declared.order)
    (12, 11)
    """
    draw = Draw(rng, facets or FACETS[int(rng.integers(len(FACETS)))])
    if parts - 1 - locked < 2:
        raise BadInput(f"cad: parts: found {parts}, expected {FEWEST + locked} or more where a ball is caught")
    levels = _levels(draw, parts - 1 - locked)
    most = max(len(level.modules) for level in levels)
    columns = min(COLUMNS, max(1, most))
    yard = Yard(draw, columns, max(1, -(-most // columns)))
    for level in levels:
        _raise(yard, level)
    caught = _catch_a_ball(yard) if locked else frozenset()
    return _made(yard, frozenset(caught))


def _levels(draw: Draw, parts: int) -> list[Level]:
    """How many parts go into decks, into a cover, and into which modules."""
    levels, left = [Level("base")], parts
    if left >= COVER + 4 and draw.rng.random() < 0.4:
        left -= COVER
        levels.append(Level("cover", cover=True))
    decks = sum(left >= DECK + least and draw.rng.random() < 0.75 for least in (8, 20, 32))
    for number in range(decks):
        left -= DECK
        levels.insert(1 + number, Level(f"deck-{number + 1}"))
    open_levels = [level for level in levels if not level.cover]
    sizes = _shares(draw, left, len(open_levels))
    for number, (level, size) in enumerate(zip(open_levels, sizes, strict=True)):
        level.modules = _modules(draw, size, lowest=number == 0)
    return levels


def _shares(draw: Draw, parts: int, count: int) -> list[int]:
    """So many parts for each level, two at least and about as many."""
    shares = [parts // count + (k < parts % count) for k in range(count)]
    for here in range(count - 1):
        moved = draw.whole(0, max(0, min(4, shares[here] - 3)))
        shares[here], shares[here + 1] = shares[here] - moved, shares[here + 1] + moved
    return shares


def _modules(draw: Draw, parts: int, lowest: bool) -> list[tuple[ModuleKind, int]]:
    """Kinds of modules with this many parts in all; no more to the front than a row has cells."""
    chosen: list[tuple[ModuleKind, int]] = []
    kinds = (*UPRIGHT, *SIDEWAYS)
    while parts:
        sideways = sum(kind.sideways for kind, _ in chosen)
        fitting = [
            kind
            for kind in kinds
            if kind.fewest <= parts
            and parts - kind.fewest != 1
            and not (kind.sideways and sideways >= COLUMNS)
            and not (kind.from_below and not lowest)
        ] or [kind for kind in kinds if kind.name == "stack"]
        kind = fitting[draw.whole(0, len(fitting) - 1)]
        sizes = [size for size in range(kind.fewest, min(kind.most, parts) + 1) if parts - size != 1]
        size = sizes[draw.whole(0, len(sizes) - 1)]
        chosen.append((kind, size))
        parts -= size
    return sorted(chosen, key=lambda one: not one[0].sideways)  # those that open to the front stand in front


def _raise(yard: Yard, level: Level) -> None:
    """Build a level on top of what is there."""
    (wide, deep), leaving = yard.size, []
    below = yard.plates[-1] if yard.plates else None
    top = 0.0 if below is None else below.top + below.high + HEADROOM + PLATE
    plate = Plate(level.name, cuboid((0.0, 0.0, top - PLATE), (wide, deep, top)), top)
    for place, (kind, size) in enumerate(level.modules):
        row, column = divmod(place, yard.columns)
        x, y = MARGIN + (column + 0.5) * CELL, MARGIN + (row + 0.5) * CELL
        module = kind.make(yard.draw, size)
        yard.modules += 1
        leaving += _taken_over(yard, plate, module, f"m{yard.modules}", (x, y, top))
    if below is not None:
        leaving += _posts(yard, below, plate, level.cover)
    yard.plates.append(plate)
    yard.leaving.append(leaving)


def _taken_over(
    yard: Yard, plate: Plate, module: Module, prefix: str, at: tuple[float, float, float]
) -> list[tuple[str, Way]]:
    """A module's parts under names of their own, where they are in the whole."""
    for name, (solid, steel) in module.pieces.items():
        yard.pieces[f"{prefix}-{name}"] = shifted(solid, *at), steel
    plate.tools += [shifted(hole, *at) for hole in module.holes]
    plate.bosses += [shifted(boss, *at) for boss in module.bosses]
    plate.high = max(plate.high, module.height)
    yard.fasteners |= {f"{prefix}-{name}" for name in module.fasteners}
    yard.hands = max(yard.hands, module.hands)
    return [(f"{prefix}-{name}", way) for name, way in module.leaving]


def _posts(yard: Yard, below: Plate, plate: Plate, cover: bool) -> list[tuple[str, Way]]:
    """Four posts with tenons in both plates; those of a cover take its screws instead of the upper tenon."""
    low, high = below.top, plate.top - PLATE
    metric, thin, thick = SIZES[3], 2.5 * MM, 4 * MM
    screw = shifted(upside_down(cap_screw(metric, PLATE + 6 * MM, yard.draw.facets)), z=plate.top)
    names, screws = [], []
    for x, y in yard.corners:
        number = sum(name.startswith("post-") for name in yard.pieces) + 1
        upper = high if cover else high + 4 * MM
        tenon = cuboid((x - thin, y - thin, low - 3 * MM), (x + thin, y + thin, upper))
        below.tools.append(cuboid((x - thin, y - thin, low - 3 * MM), (x + thin, y + thin, low + MM)))
        post = united([tenon, cuboid((x - thick, y - thick, low), (x + thick, y + thick, high))])
        names.append(f"post-{number}")
        if cover:
            drill = shifted(cylinder(metric.size * 0.5 * MM, high - 6 * MM, plate.top + MM, yard.draw.facets), x, y)
            post = cut(post, drill)
            plate.tools.append(drill)
            screws.append(f"screw-{number}")
            yard.pieces[screws[-1]] = shifted(screw, x, y), True
        else:
            plate.tools.append(cuboid((x - thin, y - thin, high - MM), (x + thin, y + thin, high + 4 * MM)))
        yard.pieces[names[-1]] = post, False
    yard.fasteners |= set(screws)
    return [(name, UP) for name in (*screws, plate.name, *names)]


def _catch_a_ball(yard: Yard) -> set[str]:
    """A ball in a cup at the back of the base, whose mouth is too narrow for it."""
    (wide, deep), r, facets = yard.size, 3 * MM, yard.draw.facets
    at, base = (wide / 2, deep - MARGIN / 2, r + MM), yard.plates[0]
    base.bosses.append(shifted(cylinder(5 * MM, -r - 2 * MM, 0.6 * r, facets), *at))
    base.tools.append(shifted(ball(r, facets), *at))
    yard.pieces["caught"] = shifted(ball(r, facets), *at), True
    return {"caught"}


def _made(yard: Yard, caught: frozenset[str]) -> Made:
    """The parts in random order, and the order in which they leave: from the top, what leaves downwards at the end."""
    for plate in yard.plates:
        body = united([plate.body, *plate.bosses]) if plate.bosses else plate.body
        yard.pieces[plate.name] = (cut(body, *plate.tools) if plate.tools else body), False
    names = list(yard.pieces)
    shuffled = [names[k] for k in yard.draw.rng.permutation(len(names))]
    assembly = on_table(part(name, yard.pieces[name][0], steel=yard.pieces[name][1]) for name in shuffled)
    far = 3.0 * max(*yard.size, yard.plates[-1].top + yard.plates[-1].high)
    downward = [one for level in reversed(yard.leaving) for one in level]
    downward.sort(key=lambda one: one[1] == BELOW)
    order = tuple(Leaving(name, (Motion(far * np.array(way)),)) for name, way in downward)
    why = "from the top: what stands on a plate before the plate, the plate before what is below it"
    return Made(assembly, Declared(order, frozenset(yard.fasteners), caught, yard.hands, 0.0, why))
