"""LDraw's part numbers and the catalogue's entries for them.

The part library itself is not needed: parts are made from their measures. LDraw's y points down, and a part's
origin is in the middle of its top face, studs not counted; a slope's is in the middle of its row of studs, from
which it runs down towards −z. Longer sides lie along x.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from falsework.formats.basics.brick_parts import quarter_turn
from falsework.model.arrays import Array, frozen
from falsework.model.catalogue import BrickType, brick_type

# Number: length along x and width along z, in studs.
_BRICKS = {
    "3005": "1x1", "3004": "2x1", "3622": "3x1", "3010": "4x1", "3009": "6x1", "3008": "8x1", "6111": "10x1",
    "6112": "12x1", "2465": "16x1", "3003": "2x2", "3002": "3x2", "3001": "4x2", "2456": "6x2", "3007": "8x2",
    "3006": "10x2", "2356": "6x4", "4202": "12x4", "4201": "8x8", "4204": "16x8", "30400": "18x4",
}  # fmt: skip
_TALL = {
    "14716": "1x1x9", "22886": "2x1x9", "30145": "2x2x9", "30144": "4x2x9", "3245": "2x1x6", "2453": "1x1x15",
    "2454": "2x1x15", "49311": "4x1x9", "3755": "3x1x15", "3754": "6x1x15", "6213": "6x2x9",
}  # fmt: skip
_PLATES = {
    "3024": "1x1", "3023": "2x1", "3623": "3x1", "3710": "4x1", "3666": "6x1", "3460": "8x1", "4477": "10x1",
    "60479": "12x1", "3022": "2x2", "3021": "3x2", "3020": "4x2", "3795": "6x2", "3034": "8x2", "3832": "10x2",
    "2445": "12x2", "4282": "16x2", "3031": "4x4", "3032": "6x4", "3035": "8x4", "3030": "10x4", "3029": "12x4",
    "3958": "6x6", "3036": "8x6", "3033": "10x6", "3028": "12x6", "3456": "14x6", "3027": "16x6", "41539": "8x8",
    "92438": "16x8", "91405": "16x16", "78329": "5x1", "11212": "3x3", "91988": "14x2", "3026": "24x6",
}  # fmt: skip
_TILES = {
    "3070b": "1x1", "3069b": "2x1", "63864": "3x1", "2431": "4x1", "6636": "6x1", "4162": "8x1", "3068b": "2x2",
    "26603": "3x2", "87079": "4x2", "69729": "6x2", "10202": "6x6", "90498": "16x8",
}  # fmt: skip
_BASEPLATES = {"3867": "16x16", "3857": "32x16", "3811": "32x32", "4186": "48x48"}
# Number: length down the slope and width across, as the catalogue has them; one row of studs.
_SLOPES = {
    "3040b": "2x1", "3039": "2x2", "3038": "2x3", "3037": "2x4", "4286": "3x1", "3298": "3x2", "3297": "3x4",
}  # fmt: skip
_DUPLO = {"3437": "2x2", "3011": "4x2"}
# Older, shorter and other numbers for what is the same to us.
_ALIASES = {
    "3040": "3040b", "3040a": "3040b", "3068": "3068b", "3069": "3069b", "3070": "3070b", "3068a": "3068b",
    "3069a": "3069b", "3070a": "3070b", "44237": "2456", "93888": "3007", "2453a": "2453", "2453b": "2453",
    "2454a": "2454", "2454b": "2454", "3245a": "3245", "3245b": "3245", "3245c": "3245", "3754a": "3754",
    "3754b": "3754", "2412": "3069b", "2412a": "3069b", "2412b": "3069b", "98283": "3004", "15533": "3010",
    "2877": "3004", "30136": "3004", "30137": "3010", "4216": "3004", "2653": "3010", "3065": "3004", "3066": "3010",
    "3067": "3009", "35464": "3005", "30071": "3005", "10202a": "10202", "6881": "10202", "3460a": "3460",
    "3811b": "3811", "3857b": "3857", "3867b": "3867",
}  # fmt: skip


@cache
def known_parts() -> dict[str, BrickType]:
    """Catalogue entries by LDraw's part number."""
    families = {
        "brick_": {**_BRICKS, **_TALL},
        "plate_": _PLATES,
        "tile_": _TILES,
        "baseplate_": _BASEPLATES,
        "duplo:brick_": _DUPLO,
    }
    found = {number: brick_type(prefix + size) for prefix, sizes in families.items() for number, size in sizes.items()}
    found.update({number: brick_type(f"slope_{size}_flat1") for number, size in _SLOPES.items()})
    return {**found, **{alias: found[number] for alias, number in _ALIASES.items()}}


@cache
def part_number(kind: BrickType) -> tuple[str, int] | None:
    """LDraw's number for a catalogue entry, and by how many quarters its brick is turned against ours.

    Ours may have its longer side along y; LDraw's has it along x.
    """
    numbers = {entry: number for number, entry in known_parts().items() if number not in _ALIASES}
    if kind in numbers:
        return numbers[kind], 0
    if kind.family == "slope":
        return None
    turned = BrickType(kind.system, kind.family, kind.width, kind.length, kind.plates)
    return (numbers[turned], 1) if turned in numbers else None


@cache
def T_ldraw_part(kind: BrickType, turns: int = 0) -> Array:
    """Our part's frame seen from LDraw's origin of it, in axes with z up: x, y, z here are LDraw's x, z, −y.

    `turns` as `part_number` gives it: our brick is LDraw's, turned by that many quarters about z.
    """
    length, width, height = kind.size_m
    if kind.family == "slope":
        # Ours runs down towards +x from the row of studs at x = 0; LDraw's towards −z, which is −y here.
        pose = quarter_turn(3)
        half_row = 0.5 * kind.measures.pitch_m
        pose[:3, 3] = pose[:3, :3] @ (-half_row, -width / 2, -height)
    else:
        pose = quarter_turn(turns)
        pose[:3, 3] = pose[:3, :3] @ np.array([-length / 2, -width / 2, -height])
    fixed: Array = frozen(pose, (4, 4))
    return fixed
