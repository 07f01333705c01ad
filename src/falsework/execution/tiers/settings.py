"""What tasks of the benchmark are drawn from, read from a file: `usual.toml`, or another of its form."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from falsework.formats.basics.node import Node
from falsework.formats.basics.parsing import load_toml
from falsework.formats.basics.text import read_text
from falsework.model.perception.palette import PALETTE

Range = tuple[float, float]  # least and most

TIERS = (1, 2, 3, 4, 5)
MOST_BRICKS, MOST_APART_M = 12, 0.03  # of a task: more find no room on a tray
_TABLES = {
    "products": ("colors", *(f"bricks_{tier}" for tier in TIERS)),
    "poses": ("apart_m",),
    "light": ("tilt_deg", "strength"),
    "cameras": ("noise", "extrinsics_m", "extrinsics_deg"),
    "fingers": ("friction",),
    "bricks": ("play_m", "clutch"),
}


@dataclass(frozen=True, slots=True)
class TierSettings:
    """Ranges of everything that is drawn.

    >>> usual_tiers().bricks[4]
    (8, 12)
    """

    colors: tuple[str, ...]
    bricks: dict[int, tuple[int, int]]  # of each tier
    apart_m: float  # between the circles around loose bricks
    tilt_deg: float  # of the sun, at most
    strength: Range  # of its light
    noise: float  # of cameras, times the stated one
    extrinsics_m: float  # by which cameras stand elsewhere than is believed
    extrinsics_deg: float
    friction: Range  # of the pads, times what the tool's file says
    play_m: Range  # of a side of a brick
    clutch: Range  # of what joints hold


@cache
def usual_tiers() -> TierSettings:
    """Those of the benchmark."""
    with resources.as_file(resources.files("falsework.execution.tiers") / "usual.toml") as path:
        return load_tiers(path)


def load_tiers(path: Path) -> TierSettings:
    """Those of a file; BadFile where it says something that cannot be drawn from."""
    root = load_toml(path, read_text(path))
    root.only(_TABLES)
    for table, keys in _TABLES.items():
        root[table].only(keys)
    products, cameras, bricks = root["products"], root["cameras"], root["bricks"]
    colors = tuple(one.word(tuple(PALETTE)) for one in products["colors"].elements())
    if not colors:
        raise products["colors"].expected(f"one colour or more, such as {next(iter(PALETTE))}")
    return TierSettings(
        colors,
        {tier: _counts(products[f"bricks_{tier}"]) for tier in TIERS},
        root["poses"]["apart_m"].number(0.0, MOST_APART_M),
        root["light"]["tilt_deg"].number(0.0, 80.0),
        _range(root["light"]["strength"], 0.1, 2.0),
        cameras["noise"].number(0.0, 10.0),
        cameras["extrinsics_m"].number(0.0, 0.1),
        cameras["extrinsics_deg"].number(0.0, 10.0),
        _range(root["fingers"]["friction"], 0.1, 10.0),
        _range(bricks["play_m"], 0.0, 1e-3),
        _range(bricks["clutch"], 0.1, 10.0),
    )


def _counts(node: Node) -> tuple[int, int]:
    least, most = node.wholes(2, 1, MOST_BRICKS)
    if least > most:
        raise node.wrong(f"found {[least, most]}, expected the fewest bricks first")
    return least, most


def _range(node: Node, low: float, high: float) -> Range:
    both = node.elements()
    if len(both) != 2:
        raise node.expected("2 numbers, the least and the most")
    least, most = (one.number(low, high) for one in both)
    if least > most:
        raise node.wrong(f"found {[least, most]}, expected the least first")
    return least, most
