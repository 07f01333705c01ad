"""Writes LDraw models: one line per part, submodels for parts named `submodel/n`, the steps of the model's file.

Where no file has said in what steps it is built, there is a step after each layer.

Parts that LDraw has no number for become models of their own, see `ldraw_composing`.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

import numpy as np

from falsework.formats.basics.colors import MAIN, to_ldraw
from falsework.formats.basics.losses import BASEPLATE, NO_GROUND, lost
from falsework.formats.bricks.ldraw import FORMAT
from falsework.formats.bricks.ldraw_composing import REMARK, file_name, pieces
from falsework.formats.bricks.ldraw_parts import T_ldraw_part, part_number
from falsework.formats.bricks.library.moulds import LDU_M, UPRIGHT
from falsework.model.arrays import Array
from falsework.model.assembly import Assembly
from falsework.model.catalogue import BrickType
from falsework.model.errors import BadInput, one_line, shown
from falsework.model.part import Part
from falsework.model.shapes import BrickShape

_IDENTITY = "0 0 0 1 0 0 0 1 0 0 0 1"
_DIGITS = 9  # after the point, of an LDraw unit: 4e-13 m


def losses(assembly: Assembly) -> list[str]:
    plates = frozenset(part.name for part in assembly.parts if part.is_brick and _kind(part).family == "baseplate")
    return lost(
        assembly,
        ground=NO_GROUND if plates else BASEPLATE,
        names=tuple(_names_as_read(assembly)),
        fixed=plates,
        colors=all(to_ldraw(part.color) is not None for part in assembly.parts),
        moulds=True,
    )


def dumps(assembly: Assembly, name: str) -> str:
    """An assembly of bricks as the text of a model called `name`."""
    grouped = [(submodel, list(parts)) for submodel, parts in _groups(assembly)]
    keeps_names = tuple(_names_as_read(assembly)) == assembly.names
    composed = _composed(assembly)
    if not composed and (len(grouped) == 1 or not keeps_names):
        return _header(name) + "".join(_lines(assembly.parts, _step_ends(assembly)))
    if not keeps_names:
        grouped = [("", list(assembly.parts))]
    main: list[str] = []
    models: list[str] = []
    ends = _step_ends(assembly)
    for submodel, parts in grouped:
        if submodel:
            main.append(f"1 {MAIN} {_IDENTITY} {submodel}.ldr\n")
            main += [ends[part.name] for part in parts if part.name in ends]
            models.append(f"0 FILE {submodel}.ldr\n{_header(submodel)}" + "".join(_lines(parts, {})))
        else:
            main += _lines(parts, ends)
    return "\n".join([f"0 FILE {one_line(name)}.mpd\n{_header(name)}" + "".join(main), *models, *composed])


def _composed(assembly: Assembly) -> list[str]:
    """One model for every kind of part that has no number."""
    kinds = dict.fromkeys(_kind(part) for part in assembly.parts if part.mould is None)
    models = []
    for kind in (kind for kind in kinds if part_number(kind) is None and pieces(kind)):
        own = T_ldraw_part(kind)
        lines = "".join(_spelled_line(piece, own @ pose, None) for piece, pose in pieces(kind))
        models.append(f"0 FILE {file_name(kind)}\n0 {' '.join(REMARK)} {kind}\n{lines}")
    return models


def _header(name: str) -> str:
    return f"0 Made by falsework\n0 Name: {one_line(name)}.ldr\n"


def _groups(assembly: Assembly) -> Iterable[tuple[str, Iterable[Part]]]:
    """Runs of parts by the submodel that their names give."""
    return groupby(assembly.parts, key=lambda part: part.name.rpartition("/")[0])


def _names_as_read(assembly: Assembly) -> list[str]:
    """The names that reading back would give, with submodels where names and order allow it."""
    submodels = [submodel for submodel, _ in _groups(assembly) if submodel]
    plain = all(name.isprintable() and name == name.strip().lower() for name in submodels)
    if len(set(submodels)) < len(submodels) or not plain or any(set(name) & set("/\\.") for name in submodels):
        return [str(number) for number in range(1, len(assembly.parts) + 1)]
    counts: dict[str, int] = {}
    names = []
    for part in assembly.parts:
        submodel = part.name.rpartition("/")[0]
        counts[submodel] = counts.get(submodel, 0) + 1
        names.append(f"{submodel}/{counts[submodel]}" if submodel else str(counts[submodel]))
    return names


def _step_ends(assembly: Assembly) -> dict[str, str]:
    """What ends a step, by the last part that it places; nothing where the order of parts is not that of the steps."""
    order = {name: number for number, name in enumerate(assembly.names)}
    steps = [step for step in assembly.steps if step.parts and set(step.parts) <= order.keys()]
    if [name for step in steps for name in step.parts] != list(assembly.names):
        return {}
    last = len(steps) - 1
    return {
        step.parts[-1]: f"0 ROTSTEP {step.turn}\n" if step.turn else "0 STEP\n"
        for number, step in enumerate(steps)
        if number < last or step.turn
    }


def _lines(parts: Iterable[Part], ends: dict[str, str]) -> list[str]:
    """Lines of type 1 with the ends of steps; without these, a step where a part stands higher than all before it."""
    if ends:
        return [line for part in parts for line in (_line(part), ends.get(part.name, "")) if line]
    lines: list[str] = []
    highest = -np.inf
    for part in parts:
        bottom = float(part.T_world_part[2, 3])
        if lines and bottom > highest + LDU_M:
            lines.append("0 STEP\n")
        highest = max(highest, bottom)
        lines.append(_line(part))
    return lines


def _line(part: Part) -> str:
    if part.mould is not None:
        return _written(part.mould.number, part.T_world_part, part.color)
    kind = _kind(part)
    if part_number(kind) is None and not pieces(kind):
        raise BadInput(f"{FORMAT}: there is no known part number for {kind} (part {shown(part.name)})")
    return _spelled_line(kind, part.T_world_part, part.color)


def _spelled_line(kind: BrickType, T_model_part: Array, color: str | None) -> str:
    number, turns = part_number(kind) or (file_name(kind).removesuffix(".dat"), 0)
    return _written(number, T_model_part @ np.linalg.inv(T_ldraw_part(kind, turns)), color)


def _written(number: str, T_model_ldraw: Array, color: str | None) -> str:
    rows = UPRIGHT.T @ T_model_ldraw[:3, :3] @ UPRIGHT
    place = UPRIGHT.T @ T_model_ldraw[:3, 3] / LDU_M
    numbers = " ".join(_spelled(value) for value in (*place, *rows.ravel()))
    return f"1 {to_ldraw(color) or MAIN} {numbers} {number}.dat\n"


def _spelled(value: float) -> str:
    rounded = round(float(value), _DIGITS) + 0.0  # no −0
    return f"{rounded:.{_DIGITS}f}".rstrip("0").rstrip(".")


def _kind(part: Part) -> BrickType:
    if not isinstance(part.shape, BrickShape):
        raise BadInput(f"{FORMAT} holds bricks only; part {shown(part.name)} is a {type(part.shape).__name__.lower()}")
    return part.shape.kind
