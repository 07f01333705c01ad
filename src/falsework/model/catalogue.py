"""The brick catalogue: parts on a stud grid, parametric in studs and plates.

A brick's frame sits at its minimum corner: x along its length, y along its width, z up. Its holes open
at z = 0 and its studs stand on the top face; both grids start at the frame's origin, one cell per stud.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Literal, get_args

from falsework.model.errors import BadInput, did_you_mean, shown

Family = Literal["brick", "plate", "tile", "slope", "baseplate"]
FAMILIES: tuple[Family, ...] = get_args(Family)
MAX_STUDS = 128  # a side
MAX_BASEPLATE_STUDS = 1_000_000  # a side: baseplates span whole models


@dataclass(frozen=True, slots=True)
class BrickSystem:
    """The measures that all bricks of one make share."""

    name: str
    pitch_m: float
    plate_m: float
    plates_per_brick: int
    stud_radius_m: float
    stud_height_m: float
    brick_fit_g: tuple[float, float, float]
    plate_fit_g: tuple[float, float, float]
    brick_mass_g: tuple[tuple[tuple[int, int], float], ...]

    @property
    def brick_m(self) -> float:
        return self.plate_m * self.plates_per_brick


@dataclass(frozen=True, slots=True)
class BrickType:
    """One catalogue part: `length` studs along x, `width` along y, `plates` high.

    `flat` is how many rows of cells along x, from x = 0, are at full height: all of them but for slopes,
    whose remaining rows run down to a lip of half a plate.

    >>> BrickType("system", "brick", 4, 2, 3).has_studs
    True
    """

    system: str
    family: Family
    length: int
    width: int
    plates: int
    flat: int = -1  # -1: all rows

    def __post_init__(self) -> None:
        if self.system not in systems():
            raise BadInput(f"brick system {shown(self.system)}: {did_you_mean(self.system, systems())}")
        if self.family not in FAMILIES:
            raise BadInput(f"brick family {shown(self.family)}: {did_you_mean(self.family, FAMILIES)}")
        studs = MAX_BASEPLATE_STUDS if self.family == "baseplate" else MAX_STUDS
        for field, largest in (("length", studs), ("width", studs), ("plates", 10_000)):
            value = getattr(self, field)
            if type(value) is not int or not 1 <= value <= largest:
                raise BadInput(f"brick {field}: found {shown(value)}, expected a whole number from 1 to {largest}")
        if self.flat == -1:
            object.__setattr__(self, "flat", self.length)
        if self.family == "slope" and not 0 <= self.flat < self.length:
            raise BadInput(f"slope flat rows: found {self.flat}, expected 0 to {self.length - 1}")
        if self.family != "slope" and self.flat != self.length:
            raise BadInput(f"flat rows: found {self.flat}, but only slopes may have fewer than their length")

    @property
    def measures(self) -> BrickSystem:
        return systems()[self.system]

    @property
    def has_studs(self) -> bool:
        return self.family != "tile" and self.flat > 0

    @property
    def has_holes(self) -> bool:
        return self.family != "baseplate"

    @property
    def narrow(self) -> bool:
        """One stud wide: its studs are gripped at four points on the axes, not at three."""
        return min(self.length, self.width) == 1

    @property
    def size_m(self) -> tuple[float, float, float]:
        """Extents of the body, studs not counted."""
        measures = self.measures
        return (self.length * measures.pitch_m, self.width * measures.pitch_m, self.plates * measures.plate_m)

    @property
    def lip_m(self) -> float:
        """Height of a slope's foot."""
        return 0.5 * self.measures.plate_m

    @property
    def mass_kg(self) -> float:
        return _mass_kg(self)

    def __str__(self) -> str:
        """`brick_2x4`, `plate_2x4`, `slope_2x4_flat1`, `duplo:brick_2x2`, `brick_2x4x5` when of unusual height."""
        measures = self.measures
        usual = 1 if self.family in ("plate", "tile", "baseplate") else measures.plates_per_brick
        prefix = "" if self.system == "system" else f"{self.system}:"
        height = "" if self.plates == usual else f"x{self.plates}"
        flat = f"_flat{self.flat}" if self.family == "slope" else ""
        return f"{prefix}{self.family}_{self.length}x{self.width}{height}{flat}"


@cache
def systems() -> dict[str, BrickSystem]:
    """The makes of bricks, by name, as `catalogue.toml` has them."""
    text = resources.files("falsework.model").joinpath("catalogue.toml").read_text(encoding="utf-8")
    return {name: _system(name, fields) for name, fields in tomllib.loads(text).items()}


def _system(name: str, fields: dict[str, Any]) -> BrickSystem:
    weighed = tuple((_sides(key), grams) for key, grams in fields["brick_mass_g"].items())
    fits = {key: tuple(fields[key]) for key in ("brick_fit_g", "plate_fit_g")}
    return BrickSystem(name, **{**fields, **fits, "brick_mass_g": weighed})


def _sides(text: str) -> tuple[int, int]:
    first, second = text.split("x")
    return int(first), int(second)


@cache
def _mass_kg(kind: BrickType) -> float:
    """Weighed where it was, else the fit to what was weighed; heights between plate and brick interpolate."""
    measures = kind.measures
    small, large = sorted((kind.length, kind.width))
    a, b, c = measures.brick_fit_g
    brick = dict(measures.brick_mass_g).get((small, large), a * small * large + b * (small + large) + c)
    a, b, c = measures.plate_fit_g
    plate = a * small * large + b * (small + large) + c
    per_plate = (brick - plate) / (measures.plates_per_brick - 1)
    upright = max(plate + (kind.plates - 1) * per_plate, 1e-3)
    return 1e-3 * (upright * _fullness(kind) if kind.family == "slope" else upright)


def _fullness(kind: BrickType) -> float:
    """A slope's volume against that of the brick it is cut from."""
    length, _, height = kind.size_m
    outline = slope_profile(kind)
    doubled = sum(x0 * z1 - x1 * z0 for (x0, z0), (x1, z1) in zip(outline, (*outline[1:], outline[0]), strict=True))
    return 0.5 * doubled / (length * height)


_NAME = re.compile(
    r"(?:(?P<system>[a-z]+):)?(?P<family>[a-z]+)_(?P<length>\d{1,7})x(?P<width>\d{1,7})"
    r"(?:x(?P<plates>\d{1,5}))?(?:_flat(?P<flat>\d{1,7}))?"
)


def brick_type(name: str) -> BrickType:
    """The catalogue part that `str(BrickType)` writes, and the shorter `2x4` for a brick."""
    text = f"brick_{name}" if re.fullmatch(r"\d{1,7}x\d{1,7}", name) else name
    found = _NAME.fullmatch(text)
    if not found:
        examples = "brick_2x4, plate_1x6, slope_2x4_flat1 or duplo:brick_2x2"
        raise BadInput(f"brick type {shown(name)}: expected a name like {examples}")
    system = found["system"] or "system"
    family = found["family"]
    if system not in systems():
        raise BadInput(f"brick system {shown(system)}: {did_you_mean(system, systems())}")
    if family not in FAMILIES:
        raise BadInput(f"brick family {shown(family)}: {did_you_mean(family, FAMILIES)}")
    low = family in ("plate", "tile", "baseplate")
    plates = int(found["plates"]) if found["plates"] else 1 if low else systems()[system].plates_per_brick
    length = int(found["length"])
    flat = int(found["flat"]) if found["flat"] else length - 1 if family == "slope" else -1
    return BrickType(system, family, length, int(found["width"]), plates, flat)


def slope_profile(kind: BrickType) -> tuple[tuple[float, float], ...]:
    """Outline of a slope in its x–z plane, counter-clockwise seen from −y, metres."""
    length, _, height = kind.size_m
    flat = kind.flat * kind.measures.pitch_m
    outline = ((0.0, 0.0), (length, 0.0), (length, kind.lip_m), (flat, height), (0.0, height))
    return outline if kind.flat else outline[:-1]
