"""Brick text, as StableText2Brick has it: one brick per line, `hxw (x,y,z)`.

h studs along x, w along y; x, y in studs and z in brick layers, of the brick's minimum corner. Parts are named
"1", "2", … by line. JSON files of the same project hold several such texts; `FILE#key` picks one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from falsework.formats.basics.brick_parts import BrickMaker, grid_pose
from falsework.formats.basics.content import Content
from falsework.formats.basics.limits import MAX_PARTS, within
from falsework.formats.basics.node import Node
from falsework.model.assembly import Ground
from falsework.model.catalogue import BrickType, systems
from falsework.model.errors import BadFile, BadInput, did_you_mean, shown

FORMAT = "brick-text"
TEXT_KEYS = ("output_txt", "bricks")  # where the project's JSON files keep a structure's text
NAME_KEYS = ("structure_name", "object_id")
SHOWN_KEYS = 8  # in the message that asks for one

# `0 x 2 house` is the title of an LDraw model
STARTS_LIKE_BRICK = re.compile(r"\s*(?:[0-9]+x|[1-9][0-9]*[ \t]*x)[ \t]*[0-9]+\b")
_WHOLE = r"\s*([-+]?[0-9]{1,7})\s*"
_LINE = re.compile(rf"\s*([0-9]{{1,7}})x([0-9]{{1,7}})\s*\({_WHOLE},{_WHOLE},{_WHOLE}\)\s*")


def read(path: Path, text: str, key: str | None = None) -> Content:
    """The bricks of a text; `key` is the one it was picked by, for messages."""
    source = path if key is None else f"{path}#{key}"
    lines = text.splitlines()
    within(source, "", "lines", len(lines), MAX_PARTS)
    maker = BrickMaker()
    measures = systems()["system"]
    kinds: dict[tuple[int, int], BrickType] = {}
    parts = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        found = _LINE.fullmatch(line)
        if not found:
            raise BadFile(source, f"line {number}", f"found {shown(line)}, expected a brick like 2x4 (0,0,0)")
        length, width, x, y, z = map(int, found.groups())
        kind = kinds.get((length, width)) or _kind(source, number, length, width)
        kinds[length, width] = kind
        corner = (x * measures.pitch_m, y * measures.pitch_m, z * measures.brick_m)
        parts.append(maker.part(str(number), kind, grid_pose(kind, corner)))
    return Content(parts, ground=Ground("baseplate"))


def _kind(source: object, number: int, length: int, width: int) -> BrickType:
    try:
        return BrickType("system", "brick", length, width, systems()["system"].plates_per_brick)
    except BadInput as why:
        raise BadFile(source, f"line {number}", str(why)) from why


def is_collection(root: Node) -> bool:
    """Whether a JSON file holds brick texts under names or in a list."""
    if not isinstance(root.value, (dict, list)):
        return False
    entries = root.value.values() if isinstance(root.value, dict) else root.value
    return bool(entries) and all(isinstance(entry, dict) and any(k in entry for k in TEXT_KEYS) for entry in entries)


def read_collection(root: Node, key: str | None) -> Content:
    """One structure of a file that holds several."""
    structures = _structures(root)
    if key is None and len(root.value) > 1:
        names = [*list(structures)[:SHOWN_KEYS], *(["…"] if len(structures) > SHOWN_KEYS else [])]
        raise root.wrong(f"holds {len(root.value)} structures; pick one with {root.path.name}#KEY ({', '.join(names)})")
    chosen = next(iter(structures)) if key is None else key
    if chosen not in structures:
        raise root.wrong(f"holds no structure {shown(chosen)}; {did_you_mean(chosen, structures)}")
    entry = structures[chosen]
    text = next(entry[word] for word in TEXT_KEYS if word in entry.mapping())
    return read(root.path, text.text(), chosen)


def texts(root: Node) -> Iterator[tuple[str, object]]:
    """Every structure of a file that holds several: its key, or its number in the list, and its text."""
    entries = root.members() if isinstance(root.value, dict) else enumerate(root.elements())
    for key, entry in entries:
        yield str(key), next(entry.value[word] for word in TEXT_KEYS if word in entry.value)


def _structures(root: Node) -> dict[str, Node]:
    """Every structure under every word that picks it: its key, its number in the list, a name that only it has."""
    if isinstance(root.value, dict):
        return dict(root.members())
    entries = root.elements()
    structures = {str(number): entry for number, entry in enumerate(entries)}
    for word in NAME_KEYS:
        names = [entry.value.get(word) for entry in entries]
        for name, entry in zip(names, entries, strict=True):
            if isinstance(name, str) and names.count(name) == 1:
                structures.setdefault(name, entry)
    return structures
