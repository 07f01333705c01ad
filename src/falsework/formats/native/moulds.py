"""What our own format keeps of brick models: moulds, the steps of a file, and what of it could not be read.

moulds:
  "4070": {title: Brick 1 x 1 with Headlight, studs: [[x, y, z, dx, dy, dz], …], holes: …, pins: …, bores: …,
           rods: …, looks: {vertices: …, triangles: …}}    # in the part's frame, see `model.mould`
parts:
- {name: a, pieces: …, mould: "4070"}
as_drawn: true                   # parts off a common grid that share space are not refused
steps:
- {parts: [a, b], turn: 0 180 0 REL, submodels: [{name: wheel, parts: [b]}]}
partial:
- {part: "3626", count: 2, became: left out, why: unknown part}
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np

from falsework.formats.basics.limits import MAX_TRIANGLES
from falsework.formats.basics.node import Node
from falsework.model.as_filed import Became, FileStep, Shortfall
from falsework.model.assembly import Assembly
from falsework.model.mould import FITTINGS, Mould
from falsework.model.shapes import Mesh


def mould_names(assembly: Assembly) -> dict[Mould, str]:
    """A name for every mould: its number, with a mark where two are called the same."""
    names: dict[Mould, str] = {}
    taken: set[str] = set()
    for part in assembly.parts:
        if part.mould is not None and part.mould not in names:
            name = part.mould.number
            while name in taken:
                name += "'"
            names[part.mould] = name
            taken.add(name)
    return names


def written_mould(mould: Mould) -> dict[str, Any]:
    entry: dict[str, Any] = {"number": mould.number, "title": mould.title}
    entry.update({sort: getattr(mould, sort).tolist() for sort in FITTINGS if len(getattr(mould, sort))})
    if mould.looks is not None:
        looks = mould.looks
        entry["looks"] = {"vertices": looks.vertices.tolist(), "triangles": looks.triangles.tolist()}
    return entry


def written_as_filed(assembly: Assembly) -> dict[str, Any]:
    """What a file said besides parts and poses."""
    told: dict[str, Any] = {"as_drawn": True} if assembly.as_drawn else {}
    if assembly.steps:
        told["steps"] = [_written_step(step) for step in assembly.steps]
    if assembly.partial:
        told["partial"] = [one.as_dict() for one in assembly.partial]
    return told


def _written_step(step: FileStep) -> dict[str, Any]:
    entry: dict[str, Any] = {"parts": list(step.parts)}
    if step.turn:
        entry["turn"] = step.turn
    if step.submodels:
        entry["submodels"] = [{"name": name, "parts": list(parts)} for name, parts in step.submodels]
    return entry


def read_moulds(table: Node | None, unit_m: float) -> dict[str, Mould]:
    """Moulds by the names that parts call them by."""
    return {} if table is None else {name: _read_mould(node, name, unit_m) for name, node in table.members()}


def _read_mould(node: Node, name: str, unit_m: float) -> Mould:
    node.only(["number", "title", "looks", *FITTINGS])
    number, title, looks = (node.get(key) for key in ("number", "title", "looks"))
    mesh = None
    if looks is not None:
        looks.only(["vertices", "triangles"])
        triangles = looks["triangles"].table(3, 3 * MAX_TRIANGLES)
        with looks.blamed():
            mesh = Mesh(looks["vertices"].table(3) * unit_m, triangles.astype(np.int64))
    rows = {}
    for sort in FITTINGS:
        found = node.get(sort)
        if found is not None:
            scales = np.array([unit_m] * 3 + [unit_m if sort == "rods" else 1.0] * 3)
            rows[sort] = found.table(6) * scales
    with node.blamed():
        made = Mould(name if number is None else number.text(), "" if title is None else title.text(), looks=mesh)
        return replace(made, **rows)


def read_steps(nodes: list[Node]) -> tuple[FileStep, ...]:
    steps = []
    for node in nodes:
        node.only(["parts", "turn", "submodels"])
        turn, several = node.get("turn"), node.get("submodels")
        groups = [] if several is None else several.elements()
        for group in groups:
            group.only(["name", "parts"])
        submodels = tuple((group["name"].text(), group["parts"].names()) for group in groups)
        steps.append(FileStep(node["parts"].names(), "" if turn is None else turn.text(), submodels))
    return tuple(steps)


def read_partial(nodes: list[Node]) -> tuple[Shortfall, ...]:
    found = []
    for node in nodes:
        node.only(["part", "count", "became", "why"])
        became = node["became"].text()
        if became not in ("box", "left out"):
            raise node["became"].expected("'box' or 'left out'")
        count = node["count"].whole(1, 10**9)
        found.append(Shortfall(node["part"].text(), count, cast(Became, became), node["why"].text()))
    return tuple(found)
