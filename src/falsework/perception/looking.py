"""`locate`: from frames on disk, or in hand, to bricks; and, where it is known what should be there, what is wrong."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from falsework.formats.basics.colors import TABLE
from falsework.formats.opening import opened
from falsework.formats.perception.frame_folders import frame_folders, read_frame
from falsework.formats.robots.cell_reading import load_cell
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.catalogue import brick_type
from falsework.model.errors import BadInput, shown
from falsework.model.perception.findings import Brick, BrickState, Located, LocatedPart, Plate, Refused, Workplace
from falsework.model.perception.frames import Frame
from falsework.model.perception.palette import PALETTE, SIX_COLORS
from falsework.model.robots.cell import Cell
from falsework.model.shapes import BrickShape
from falsework.model.verbs import verb
from falsework.perception.locator.locating import locate as located
from falsework.perception.locator.structures import LIFT_M, OFF_PITCH, check_structure
from falsework.perception.parts.fitting import locate_parts
from falsework.perception.parts.templates import PartModel
from falsework.perception.parts.twins import each_shape_once

KINDS = ("duplo:brick_2x2", "duplo:brick_2x4")
_PLATE = re.compile(r"(?P<kind>[\w:]+)@(?P<numbers>[-\d.,eE+]+)")


@dataclass(frozen=True, slots=True, eq=False)
class Looked:
    """What frames show. `states` only where it was told what should be there."""

    found: tuple[tuple[str, Located | Brick], ...]  # names and bricks
    refused: tuple[Refused, ...]
    states: tuple[BrickState, ...]
    expected: tuple[tuple[str, Brick], ...]
    T_base_cam: Array  # (n, 4, 4) where the cameras are by what they see
    registered: tuple[bool, ...]
    frames: tuple[Frame, ...]
    parts: tuple[LocatedPart, ...] = ()  # that are no bricks, where they were asked for

    @property
    def missing(self) -> tuple[tuple[str, str, Brick], ...]:
        """Names of what should be there and is missing, wrong or off; in what way; and where it should be."""
        wanted = dict(self.expected)
        bad = ("missing", "wrong", "off")
        return tuple((one.name, one.state, wanted[one.name]) for one in self.states if one.state in bad)

    @property
    def unseen(self) -> tuple[str, ...]:
        return tuple(one.name for one in self.states if one.state == "not seen")

    def as_dict(self) -> dict[str, Any]:
        """What the command prints as JSON."""
        told: dict[str, Any] = {
            "found": [_row(name, brick) for name, brick in self.found],
            "refused": [_refusal(one) for one in self.refused],
            "missing": [name for name, _, _ in self.missing],
            "registered": list(self.registered),
            "T_world_camera": self.T_base_cam.tolist(),
        }
        if self.parts:
            told["parts"] = [
                {
                    "name": one.name,
                    "T_world_part": one.T_base_part.tolist(),
                    "covariance": _spread(one.covariance),
                    "agrees": one.agrees,
                    "alike": [T.tolist() for T in one.alike],
                }
                for one in self.parts
            ]
        if self.states:
            told["states"] = [
                {
                    "name": one.name,
                    "state": one.state,
                    "why": one.why,
                    "offset_m": one.offset_m.tolist(),
                    "seen": one.seen,
                }
                for one in self.states
            ]
            told["not_seen"] = list(self.unseen)
        return told


@verb()
def locate(
    frames: Frame | str | os.PathLike[str] | Sequence[Frame | str | os.PathLike[str]],
    *,
    expect: Assembly | str | os.PathLike[str] | None = None,
    cell: Cell | str | os.PathLike[str] | None = None,
    plates: Iterable[Plate | str] = (),
    table_m: float | None = None,
    kinds: Sequence[str] | None = None,
    colors: Sequence[str] | None = None,
    steps: int | None = None,
    parts: Assembly | str | os.PathLike[str] | None = None,
    scale: float | None = None,
) -> Looked:
    """The bricks that frames show, or what is wrong with a structure; what cannot be told is refused.

    frames   frames or folders of them, several views of one moment
    expect   an assembly that should stand there
    cell     where its structure and its table are; without one, assembly and frames share their coordinates
    plates   baseplates that cameras are registered on: KIND@X,Y,Z or KIND@X,Y,Z,YAW, its lowest corner in m, degrees
    table_m  height of the table (the cell's, or 0)
    kinds    of bricks that may lie there (those of `expect`, or Duplo 2x2 and 2x4)
    colors   that they may have (those of `expect`, or six)
    parts    an assembly whose parts, of any shape, may lie on the table; they are found by their meshes, no bricks are
    scale    metres per unit of the meshes of `parts` (1)
    steps    only so many of the assembly's parts are placed by now, in the order of the file

    >>> from falsework.perception import Noise, Scene, SimulatedCamera, looking_at
    >>> import numpy as np
    >>> camera = SimulatedCamera("above", lambda: Scene(()), looking_at(np.array([0, 0, 0.5]), np.zeros(3)))
    >>> locate(camera.look()).found
    ()
    """
    seen = _frames([frames] if isinstance(frames, Frame | str | os.PathLike) else frames)
    known = load_cell(Path(cell)) if isinstance(cell, str | os.PathLike) else cell
    flat = tuple(_plate(one) if isinstance(one, str) else one for one in plates)
    top = table_m if table_m is not None else known.table.top_m[2] if known is not None and known.table else 0.0
    place = Workplace(top, flat)
    if steps is not None and (expect is None or steps < 1):
        raise BadInput(f"steps: found {steps}; expected 1 or more, and an assembly of which so many parts are placed")
    if parts is not None:
        if expect is not None or len(seen) > 1:
            raise BadInput("parts lie on a table and are found in one frame: found several frames, or expect as well")
        told = locate_parts(seen[0], place, _models(parts, scale))
        return Looked((), told.refused, (), (), told.T_base_cam[None], (told.registered,), seen, told.found)
    if scale is not None:
        raise BadInput("scale is that of parts found by their meshes; say which, with parts (--parts FILE)")
    if expect is None:
        wanted_kinds, wanted_colors = KINDS if kinds is None else kinds, SIX_COLORS if colors is None else colors
        sight = located(seen, place, tuple(wanted_kinds), tuple(wanted_colors))
        names = [str(number + 1) for number in range(len(sight.found))]
        return Looked(
            tuple(zip(names, sight.found, strict=True)), sight.refused, (), (), sight.T_base_cam, sight.registered, seen
        )
    if not flat:
        raise BadInput("say where the baseplate is that the structure stands on, with plates (--plate KIND@X,Y,Z,YAW)")
    T = np.eye(4) if known is None else known.T_world_structure
    wanted = _expected(expect, T)[:steps]
    looks = tuple(dict.fromkeys([*(colors or SIX_COLORS), *(brick.color for _, brick in wanted)]))
    structure = check_structure(seen, place, wanted, tuple(kinds or ()), looks)
    there = {one.name for one in structure.bricks if one.state == "in place"}
    found = tuple((name, brick) for name, brick in wanted if name in there)
    return Looked(found, (), structure.bricks, wanted, structure.T_base_cam, structure.registered, seen)


def _frames(those: Sequence[Frame | str | os.PathLike[str]]) -> tuple[Frame, ...]:
    seen: list[Frame] = []
    for one in those:
        seen += [one] if isinstance(one, Frame) else [read_frame(folder) for folder in frame_folders(Path(one))]
    if not seen:
        raise BadInput("found no frame, expected one or more")
    return tuple(seen)


def _plate(text: str) -> Plate:
    """From `duplo:baseplate_8x16@0.2,-0.1,0,3`."""
    read = _PLATE.fullmatch(text)
    try:
        numbers = [float(word) for word in read["numbers"].split(",")] if read else []
    except ValueError:
        numbers = []
    if read is None or len(numbers) not in (3, 4):
        raise BadInput(
            f"plate {shown(text)}: expected its kind and lowest corner, such as duplo:baseplate_8x16@0.2,0,0,90"
        )
    kind = brick_type(read["kind"])
    if kind.family != "baseplate":
        raise BadInput(
            f"plate {shown(text)}: found a {kind.family}, expected a baseplate, such as duplo:baseplate_8x16"
        )
    yaw = math.radians(numbers[3]) if len(numbers) == 4 else 0.0
    T = np.eye(4)
    T[:2, :2] = [[math.cos(yaw), -math.sin(yaw)], [math.sin(yaw), math.cos(yaw)]]
    T[:3, 3] = numbers[:3]
    return Plate(kind, T)


def _models(source: Assembly | str | os.PathLike[str], scale: float | None) -> list[PartModel]:
    """The parts of an assembly, each shape once."""
    parts = opened(source, {} if scale is None else {"scale": scale}).parts
    return each_shape_once(PartModel(part.name, part.shape) for part in parts)


def _expected(source: Assembly | str | os.PathLike[str], T_base_structure: Array) -> tuple[tuple[str, Brick], ...]:
    """Names and bricks of an assembly, where it stands."""
    assembly = opened(source, {})
    bricks = []
    for part in assembly.parts:
        if not isinstance(part.shape, BrickShape):
            raise BadInput(f"part {shown(part.name)} is no brick of the catalogue; only those can be expected")
        if part.shape.kind.family != "baseplate":
            color = _palette_name(part.name, part.color)
            bricks.append((part.name, Brick(part.shape.kind, color, T_base_structure @ part.T_world_part)))
    return tuple(bricks)


def _palette_name(part: str, color: str | None) -> str:
    """The colour of the palette that a file's colour is, or is nearest to."""
    word = (color or "").strip().lower().replace("grey", "gray")
    if word in PALETTE:
        return word
    digits = dict(TABLE.values()).get(word, word).lstrip("#")
    if not re.fullmatch(r"[0-9a-f]{6}", digits):
        raise BadInput(
            f"part {shown(part)}: found the colour {shown(color)}; eyes tell bricks by a colour, such as red"
        )
    rgb = np.array([int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)])
    return min(PALETTE, key=lambda name: float(np.abs(np.array(PALETTE[name]) - rgb).sum()))


def _row(name: str, brick: Brick) -> dict[str, Any]:
    """A brick as JSON has it."""
    return {
        "name": name,
        "kind": str(brick.kind),
        "color": brick.color,
        "T_world_part": brick.T_base_brick.tolist(),
        "covariance": _spread(brick.covariance, brick.resting) if isinstance(brick, Located) else _in_place(brick),
    }


def _spread(covariance: Array, resting: Array | None = None) -> list[list[float]]:
    """(6, 6) of x, y, z (m) and turns about them (rad), of the middle of the underside.

    From that of x, y and yaw, and that of z and tilt; without the latter its rows are 0: they are not told.
    """
    whole = np.zeros((6, 6))
    whole[np.ix_((0, 1, 5), (0, 1, 5))] = covariance
    if resting is not None:
        whole[np.ix_((2, 3, 4), (2, 3, 4))] = resting
    rows: list[list[float]] = whole.tolist()
    return rows


def _in_place(brick: Brick) -> list[list[float]]:
    """(6, 6) of a brick that is where it should be: anywhere within what is called in place, by so much each way."""
    length, width, _ = brick.kind.size_m
    place, lift = OFF_PITCH * brick.kind.measures.pitch_m, LIFT_M / 2
    yaw = 2 * place / max(length, width)
    limits = np.array([place, place, lift, 2 * lift / width, 2 * lift / length, yaw])
    rows: list[list[float]] = np.diag(limits**2 / 3).tolist()
    return rows


def _refusal(one: Refused) -> dict[str, Any]:
    rivals = [
        [{"kind": str(two.kind), "color": two.color, "T_world_part": two.T_base_brick.tolist()} for two in rival]
        for rival in one.rivals
    ]
    room = one.extent
    extent = None if room is None else {"T_world_extent": room.T_base_extent.tolist(), "size_m": list(room.size_m)}
    return {
        "why": one.why,
        "where_m": one.where_m.tolist(),
        "rivals": rivals,
        "decide": one.decide,
        "extent": extent,
    }
