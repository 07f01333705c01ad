"""Surfaces that triangles of a mesh stand for, in our own format.

    surfaces:
    - {kind: cylinder, point: [x, y, z], axis: [0, 0, 1], radius: 5, hollow: true, triangles: [0, 1, 2, …]}

`point` and `axis` are in the part's frame; which sizes a kind has says `model/surfaces.py`: `radius`, `ring`, `pitch`
in the file's unit, `half_angle` in rad, `slope`. `hollow` is a hole's.
"""

from __future__ import annotations

from typing import Any, get_args

import numpy as np

from falsework.formats.basics.node import Node
from falsework.model.surfaces import Primitive, PrimitiveKind

LENGTHS = {"radius": "radius_m", "ring": "ring_m", "pitch": "pitch_m"}
RATIOS = {"half_angle": "half_angle_rad", "slope": "slope"}
_KEYS = ("kind", "point", "axis", *LENGTHS, *RATIOS, "hollow", "triangles")


def read_surface(node: Node, triangles: int, unit_m: float) -> Primitive:
    """What some of so many triangles stand for."""
    node.only(_KEYS)
    chosen = [number.whole(0, triangles - 1) for number in node["triangles"].elements()]
    sizes = {field: node[key].number() * unit_m for key, field in LENGTHS.items() if key in node.mapping()}
    sizes |= {field: node[key].number() for key, field in RATIOS.items() if key in node.mapping()}
    hollow = node.get("hollow")
    point, axis = np.array(node["point"].numbers(3)) * unit_m, np.array(node["axis"].numbers(3))
    with node.blamed():
        kind = node["kind"].word(get_args(PrimitiveKind))
        return Primitive(kind, point, axis, np.array(chosen), convex=hollow is None or not hollow.flag(), **sizes)


def surface_dict(one: Primitive) -> dict[str, Any]:
    """The same as it is written; sizes that it has none of are left out."""
    sizes = {key: getattr(one, field) for key, field in (LENGTHS | RATIOS).items() if getattr(one, field)}
    place = {"point": one.point.tolist(), "axis": one.axis.tolist()}
    hollow = {} if one.convex else {"hollow": True}
    return {"kind": one.kind, **place, **sizes, **hollow, "triangles": one.triangles.tolist()}
