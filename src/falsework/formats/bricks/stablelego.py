"""StableLego and APEX-MR JSON: `{"1": {"x", "y", "z", "ori", "brick_id"}, …}`; robot fields are ignored.

x, y in studs and z in brick layers, of the minimum corner; the lowest layer of the file stands on the ground.
`brick_id` looks up `lego_library.json` beside the file, else the published table. With ori 0 the library's
"height" runs along x, with ori 1 its "width" does.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from falsework.formats.basics.brick_parts import BrickMaker, grid_pose
from falsework.formats.basics.content import Content
from falsework.formats.basics.limits import MAX_COORDINATE, MAX_PARTS, within
from falsework.formats.basics.node import Node
from falsework.formats.basics.parsing import load_json
from falsework.formats.basics.text import read_text
from falsework.model.assembly import Ground
from falsework.model.catalogue import BrickType, systems
from falsework.model.errors import shown

FORMAT = "stablelego-json"
LIBRARY = "lego_library.json"
_FARTHEST = int(MAX_COORDINATE)


@dataclass(frozen=True, slots=True)
class Entry:
    """A brick of a library; no mass: the catalogue's."""

    height: int
    width: int
    mass_kg: float | None = None


# The ids that the published libraries share; id 1 is StableLego's weight of 200 g on a 2x2 foot.
PUBLISHED = {
    "1": Entry(2, 2, 0.2),
    "2": Entry(2, 4),
    "3": Entry(2, 6),
    "4": Entry(1, 8),
    "5": Entry(1, 4),
    "6": Entry(1, 6),
    "7": Entry(1, 4),
    "8": Entry(1, 4),
    "9": Entry(1, 2),
    "10": Entry(1, 1),
    "11": Entry(1, 2),
    "12": Entry(2, 2),
}


def looks_like(root: Node) -> bool:
    """Whether a JSON object is a task of bricks."""
    value = root.value
    return isinstance(value, dict) and any(isinstance(entry, dict) and "brick_id" in entry for entry in value.values())


def read(root: Node) -> Content:
    """All bricks of a task."""
    members = root.members()
    within(root.path, "", "parts", len(members), MAX_PARTS)
    library = library_beside(root.path)
    layers = [entry["z"].whole(-_FARTHEST, _FARTHEST) for _, entry in members]
    lowest = min(layers)
    maker = BrickMaker()
    parts = []
    for (_, entry), layer in zip(members, layers, strict=True):
        brick = _looked_up(entry["brick_id"], library)
        turned = entry["ori"].whole(0, 1)
        along_x, along_y = (brick.width, brick.height) if turned else (brick.height, brick.width)
        with entry.blamed():
            kind = _kind(along_x, along_y)
        x, y = (entry[axis].whole(-_FARTHEST, _FARTHEST) * kind.measures.pitch_m for axis in "xy")
        pose = grid_pose(kind, (x, y, (layer - lowest) * kind.measures.brick_m))
        parts.append(maker.part(entry.key_name(), kind, pose, mass_kg=brick.mass_kg))
    return Content(parts, ground=Ground("baseplate"))


def _kind(along_x: int, along_y: int) -> BrickType:
    return BrickType("system", "brick", along_x, along_y, systems()["system"].plates_per_brick)


def _looked_up(brick_id: Node, library: dict[str, Entry]) -> Entry:
    key = str(brick_id.whole(0, _FARTHEST)) if not isinstance(brick_id.value, str) else brick_id.value
    if key not in library:
        raise brick_id.wrong(f"found brick id {shown(key)}, expected one of: {', '.join(library)}")
    return library[key]


def library_beside(path: Path) -> dict[str, Entry]:
    """The library that the file's folder brings along, else the published one."""
    library = path.parent / LIBRARY
    if not library.is_file():
        return PUBLISHED
    return {key: _entry(node) for key, node in load_json(library, read_text(library)).members()}


def _entry(node: Node) -> Entry:
    mass = node.get("mass") or node.get("weight")  # APEX-MR calls it weight, in kg
    return Entry(
        node["height"].whole(1, _FARTHEST), node["width"].whole(1, _FARTHEST), None if mass is None else mass.positive()
    )
